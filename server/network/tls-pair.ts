// Certificate and key of the server, loaded from two files and loaded again when they change. The contents are compared, not the times: certbot and
// Kubernetes replace symbolic links, of which file events and modification times report nothing.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

export interface TlsFiles {
  cert: string;
  key: string;
}

export interface TlsPair {
  cert: string;
  key: string;
}

/** Reports each change: a pair that is now in use, or files that are refused while the former pair stays in use. */
export interface TlsReports {
  loaded(validUntil: Date): void;
  refused(reason: string): void;
}

export interface TlsWatch {
  /** Loads the files if they differ from what was last read. Never rejects. */
  check(): Promise<void>;
  stop(): void;
}

const checkMs = 10_000;

/** @throws {Error} that names the file if the pair is unusable */
export async function readTlsPair(files: TlsFiles): Promise<TlsPair> {
  const pair = await readFiles(files);
  checkPair(pair);
  return pair;
}

/** Date from which clients reject the certificate. */
export function validUntil({ cert }: TlsPair): Date {
  return new Date(new X509Certificate(cert).validTo);
}

/**
 * Calls `use` with each valid pair that replaces `first`. Two files cannot change at once: the timer waits until two readings are equal, so that a
 * certificate that was written before its key is no error.
 */
export function watchTlsPair(
  files: TlsFiles,
  first: TlsPair,
  { use, reports }: { use(pair: TlsPair): void; reports: TlsReports },
): TlsWatch {
  let known = fingerprint(first);
  let seen = known;
  let checking: Promise<void> = Promise.resolve();

  async function look(isRequested: boolean): Promise<void> {
    const read = await readFiles(files).catch((failure: unknown) => new Error(reasonOf(failure)));
    const now = read instanceof Error ? read.message : fingerprint(read);
    const isStill = now === seen;
    seen = now;
    if (now === known || !(isStill || isRequested)) return;
    known = now;
    try {
      if (read instanceof Error) throw read;
      checkPair(read);
      use(read);
      reports.loaded(validUntil(read));
    } catch (failure) {
      reports.refused(failure instanceof Error ? failure.message : String(failure));
    }
  }

  const inTurn = (isRequested: boolean) => (checking = checking.then(() => look(isRequested)));
  const timer = setInterval(() => void inTurn(false), checkMs);
  timer.unref();
  return { check: () => inTurn(true), stop: () => clearInterval(timer) };
}

async function readFiles(files: TlsFiles): Promise<TlsPair> {
  const [cert, key] = await Promise.all([readNamed('TLS_CERT', files.cert), readNamed('TLS_KEY', files.key)]);
  return { cert, key };
}

async function readNamed(name: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new Error(`${name}: ${file} cannot be read (${reasonOf(cause)})`, { cause });
  }
}

function checkPair({ cert, key }: TlsPair): void {
  const certificate = parsed(() => new X509Certificate(cert), 'TLS_CERT: not a certificate in PEM');
  const privateKey = parsed(() => createPrivateKey(key), 'TLS_KEY: not a private key in PEM without a passphrase');
  if (!certificate.checkPrivateKey(privateKey)) throw new Error('TLS_CERT and TLS_KEY do not belong together');
  parsed(() => createSecureContext({ cert, key }), 'TLS_CERT and TLS_KEY cannot be used');
}

function parsed<Value>(parse: () => Value, otherwise: string): Value {
  try {
    return parse();
  } catch (cause) {
    throw new Error(`${otherwise} (${reasonOf(cause)})`, { cause });
  }
}

/** Distinguishes contents; a line between them, so that no text can move from one to the other. */
function fingerprint({ cert, key }: TlsPair): string {
  return `${cert}\n\0\n${key}`;
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
