// What AWS's own packages make of requests and frames.
import { createHash, createHmac } from 'node:crypto';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import { SignatureV4 } from '@smithy/signature-v4';
import { readAwsKey } from '#shared/aws-key.ts';

const signedNames = new Set(['host', 'content-type', 'x-amz-date', 'x-amz-security-token']);

export interface SignedRequest {
  method: string;
  origin: string;
  /** With the query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer | null;
}

/** The headers with which that request is signed. @param now milliseconds */
export async function signedHeaders(
  text: string,
  { method, origin, path, headers, body }: SignedRequest,
  now: number,
): Promise<Record<string, string>> {
  const key = readAwsKey(text);
  if (key?.type !== 'access_key') throw new Error('It signs nothing');
  const { region, sessionToken } = key;
  const credentials = { ...key, ...(sessionToken === undefined ? {} : { sessionToken }) };
  const signer = new SignatureV4({ service: 'bedrock', region, sha256: Sha256, credentials, applyChecksum: false });
  const url = new URL(`${origin}${path}`);
  const query = Object.fromEntries([...new Set(url.searchParams.keys())].map((name) => [name, url.searchParams.getAll(name)]));
  const request = { method, protocol: url.protocol, hostname: url.hostname, path: url.pathname, query };
  const others = Object.keys(headers).filter((name) => !signedNames.has(name));
  const signed = await signer.sign(
    { ...request, headers: { ...headers, host: url.host }, body },
    { signingDate: new Date(now), unsignableHeaders: new Set(others) },
  );
  return signed.headers;
}

export class Sha256 {
  readonly #hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }

  reset(): void {}
}

function bytesOf(secret: string | ArrayBuffer | ArrayBufferView): string | Uint8Array {
  if (typeof secret === 'string') return secret;
  return secret instanceof ArrayBuffer ? new Uint8Array(secret) : new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength);
}

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
  (text) => Buffer.from(text),
);

/** @param headers texts, in order */
export function frameOf(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const values = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { type: 'string' as const, value }]));
  return Buffer.from(codec.encode({ headers: values, body: Buffer.from(payload) }));
}

export function eventFrame(name: string, payload: object): Buffer {
  const headers = { ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' };
  return frameOf(headers, JSON.stringify(payload));
}

export function exceptionFrame(name: string, message: string): Buffer {
  const headers = { ':exception-type': name, ':content-type': 'application/json', ':message-type': 'exception' };
  return frameOf(headers, JSON.stringify({ message }));
}
