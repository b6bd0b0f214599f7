// Reads a body from the wire: decompresses, scans and bounds it while it arrives, so that nothing is held or parsed
// that could not be served.
import { Readable } from 'node:stream';
import { IncomingMessage, type ServerResponse } from 'node:http';
import { AppError } from '#shared/errors.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import type { Connection } from '#server/http/connection.ts';
import { type Decoder, decoderFor } from '#server/http/decompress.ts';
import type { SpoolFile } from '#server/http/spool.ts';
import { freeBytes } from '#server/framing/free-bytes.ts';
import { JsonScan } from '#server/framing/json-scan.ts';
import type { Passage, ProgressWatch } from '#server/network/progress-watch.ts';

export interface BodyReading {
  request: Request;
  connection: Connection | null;
  /** Maximum decompressed bytes. */
  limit: number;
  /** Holds the bytes read, also after reading. */
  hold: BodyHold;
  watch: ProgressWatch;
  /** For bodies other than JSON: not scanned, and stored here if long. The creator must end it. */
  spool?: SpoolFile | undefined;
}

/** A body before parsing. Counts of parts and names apply to JSON. */
export interface RawBody {
  bytes: Buffer;
  /** Number of objects, arrays, texts and names. */
  parts: number;
  /** Number of names in its objects, duplicates included. */
  members: number;
  hasEscapedNames: boolean;
  /** File that stores the body; if undefined, `bytes` has all of it. */
  file?: SpoolFile;
}

/** Maximum size of a spooled body that stays in memory. */
const smallSpooled = 512 * 1024;
/** Bytes received before the declared size is allocated. */
const smallStored = 128 * 1024;
/**
 * Minimum share received before allocation: memory is touched as bytes arrive, but declared memory causes garbage
 * collections even if unused.
 */
const leastShare = 8;
/** Unwritten bytes at which reading pauses for the disk. */
const mostUnwritten = 256 * 1024;
const nothing = Buffer.alloc(0);
/** Limits of draining a rejected body, so that a client that finishes sending can read the response. */
const mostDropped = 8 * 1024 * 1024;
const dropMs = 5_000;
/** Maximum compression ratio: normal JSON compresses to a tenth. */
const largestRatio = 100;
const ratioCounts = 1024 * 1024;

/**
 * Reads the whole body.
 * @throws {AppError} `body_too_large`, `body_expands`, `body_too_complex`, `body_too_deep`, `unsupported_encoding`,
 * `broken_encoding`, `body_timeout`, `bodies_of_caller`, `bodies_of_server`, `client_closed`, and as `SpoolFile.append`
 */
export function readBody({ request, connection, limit, hold, watch, spool }: BodyReading): Promise<RawBody> {
  const source = connection?.req ?? (request.body === null ? Readable.from([]) : Readable.from(request.body));
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > limit) throw new AppError('body_too_large', { limit });
  const encoding = request.headers.get('content-encoding');
  const decoder = encoding === null ? null : decoderFor(encoding);
  if (connection?.req.headers.expect !== undefined) letItCome(connection);
  const length = decoder === null && spool === undefined ? declared : 0;
  return new BodyReader({ source, decoder, limit, hold, watch, spool, length }).done;
}

/** Drains a rejected body for a moment: closing at once would hide the response from the client. */
export function dropBody({ req, res }: Connection): void {
  if (req.complete || req.destroyed) return;
  if (isRequesting(req.headers.expect) && !wereRequested.has(res)) {
    // The body may or may not be sent, so this connection cannot serve another request.
    if (!res.headersSent) res.setHeader('connection', 'close');
    return;
  }
  // Announces the close to clients that send more.
  if (Number(req.headers['content-length'] ?? 0) > mostDropped && !res.headersSent) res.setHeader('connection', 'close');
  const end = setTimeout(() => req.destroy(), dropMs);
  end.unref();
  let size = 0;
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > mostDropped) req.destroy();
  });
  req.on('close', () => clearTimeout(end));
  // The connection may close first, with an error.
  req.on('error', () => {});
}

const wereRequested = new WeakSet<ServerResponse>();

/** Answers `Expect: 100-continue`, so that the client sends the body. */
function letItCome({ req, res }: Connection): void {
  if (!isRequesting(req.headers.expect) || wereRequested.has(res) || res.headersSent) return;
  wereRequested.add(res);
  res.writeContinue();
}

function isRequesting(expect: string | undefined): boolean {
  return expect?.toLowerCase() === '100-continue';
}

interface ReaderOptions {
  source: Readable;
  decoder: Decoder | null;
  limit: number;
  hold: BodyHold;
  watch: ProgressWatch;
  spool: SpoolFile | undefined;
  /** Expected bytes, if known. */
  length: number;
}

class BodyReader implements Passage {
  readonly done: Promise<RawBody>;
  watchPlace = -1;
  watchedBytes = 0;
  watchedAt = 0;
  readonly #options: ReaderOptions;
  readonly #scan = new JsonScan();
  #chunks: Buffer[] = [];
  /** Buffer for a long body of known length: chunks are copied into it and freed at once. */
  #whole: Buffer | null = null;
  #received = 0;
  #size = 0;
  #isOver = false;
  #hasFailed = false;
  /** Bytes of `#chunks` not written to disk yet. */
  #unwritten = 0;
  /** Write in progress; null if there is none. */
  #writing: Promise<void> | null = null;
  readonly #resolve: (body: RawBody) => void;
  readonly #reject: (failure: unknown) => void;

  constructor(options: ReaderOptions) {
    this.#options = options;
    const { promise, resolve, reject } = Promise.withResolvers<RawBody>();
    this.done = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    const { source, decoder, hold, watch } = options;
    watch.add(this);
    try {
      if (decoder !== null) hold.grow(decoder.memory);
    } catch (failure) {
      this.#fail(failure);
      return;
    }
    source.on('data', this.#receive);
    source.on('end', this.#end);
    source.on('close', this.#leave);
    source.on('error', this.#leave);
    if (decoder === null) return;
    decoder.stream.on('data', this.#take);
    decoder.stream.on('end', this.#finish);
    decoder.stream.on('error', (cause) => this.#fail(new AppError('broken_encoding', { encoding: decoder.name }, { cause })));
  }

  passed(): number {
    return this.#received;
  }

  stuck(): void {
    this.#fail(new AppError('body_timeout'));
  }

  readonly #receive = (chunk: Buffer) => {
    if (this.#isOver) return;
    this.#received += chunk.length;
    const { decoder, source } = this.#options;
    if (decoder === null) this.#take(chunk);
    else if (!decoder.stream.write(chunk)) {
      source.pause();
      decoder.stream.once('drain', () => source.resume());
    }
  };

  readonly #take = (chunk: Buffer) => {
    const { limit, hold, decoder, spool } = this.#options;
    this.#size += chunk.length;
    try {
      if (this.#size > limit) throw new AppError('body_too_large', { limit });
      if (decoder !== null && this.#size > Math.max(ratioCounts, this.#received * largestRatio)) throw new AppError('body_expands');
      hold.grow(chunk.length);
      if (spool === undefined) {
        this.#scan.push(chunk);
        this.#keep(chunk);
      } else {
        this.#chunks.push(chunk);
        this.#spill(spool, chunk);
      }
    } catch (failure) {
      this.#fail(failure);
    }
  };

  #keep(chunk: Buffer): void {
    const { length } = this.#options;
    const isOnItsWay = this.#size > Math.max(smallStored, length / leastShare);
    if (this.#whole === null && length > smallSpooled && length >= this.#size && isOnItsWay) {
      this.#whole = Buffer.allocUnsafeSlow(length);
      let at = 0;
      for (const one of this.#chunks) {
        at += one.copy(this.#whole, at);
        if (this.#isParsers) freeBytes(one);
      }
      this.#chunks = [];
    }
    if (this.#whole === null) {
      this.#chunks.push(chunk);
      return;
    }
    chunk.copy(this.#whole, this.#size - chunk.length);
    if (this.#isParsers) freeBytes(chunk);
  }

  /** Chunks of the HTTP parser are exclusive to this reader; decoders and web streams may reuse theirs. */
  get #isParsers(): boolean {
    return this.#options.decoder === null && this.#options.source instanceof IncomingMessage;
  }

  #spill(spool: SpoolFile, { length }: Buffer): void {
    this.#unwritten += length;
    if (this.#size <= smallSpooled) return;
    this.#writing ??= this.#write(spool);
    if (this.#unwritten > mostUnwritten) this.#flow.pause();
  }

  /** Source of the chunks. */
  get #flow(): Readable {
    const { decoder, source } = this.#options;
    return decoder?.stream ?? source;
  }

  async #write(spool: SpoolFile): Promise<void> {
    const { hold } = this.#options;
    try {
      while (this.#chunks.length > 0) {
        const [chunks, bytes] = [this.#chunks, this.#unwritten];
        [this.#chunks, this.#unwritten] = [[], 0];
        await spool.append(chunks, bytes);
        if (this.#isParsers) for (const chunk of chunks) freeBytes(chunk);
        if (this.#hasFailed) return;
        hold.shrinkTo(hold.bytes - bytes);
        this.#flow.resume();
      }
    } catch (failure) {
      this.#fail(failure);
    }
    this.#writing = null;
  }

  readonly #end = () => {
    if (this.#isOver) return;
    const { decoder } = this.#options;
    if (decoder === null) this.#finish();
    else decoder.stream.end();
  };

  readonly #leave = (cause?: unknown) => {
    if (this.#isOver || this.#options.source.readableEnded) return;
    this.#fail(new AppError('client_closed', {}, { cause }));
  };

  readonly #finish = () => {
    this.#stop();
    const { spool, hold } = this.#options;
    if (spool !== undefined && this.#size > smallSpooled) {
      void (this.#writing ?? this.#write(spool)).then(() => {
        if (this.#hasFailed) return;
        hold.shrinkTo(0);
        this.#resolve({ bytes: nothing, parts: 0, members: 0, hasEscapedNames: false, file: spool });
      });
      return;
    }
    const bytes = this.#bytes();
    this.#options.hold.shrinkTo(this.#size);
    const { parts, members, hasEscapedNames } = this.#scan;
    this.#resolve({ bytes, parts, members, hasEscapedNames });
  };

  #bytes(): Buffer {
    const whole = this.#whole;
    if (whole !== null) return whole.length === this.#size ? whole : whole.subarray(0, this.#size);
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.#size);
    if (this.#chunks.length > 1 && this.#size > smallSpooled && this.#isParsers) for (const chunk of this.#chunks) freeBytes(chunk);
    this.#chunks = [];
    return bytes;
  }

  #fail(failure: unknown): void {
    this.#hasFailed = true;
    this.#stop();
    this.#chunks = [];
    this.#whole = null;
    this.#options.hold.shrinkTo(0);
    this.#options.source.resume();
    this.#reject(failure);
  }

  /** Listeners stay attached: removing them costs more than ignoring them. Later errors are ignored. */
  #stop(): void {
    const { decoder, watch } = this.#options;
    this.#isOver = true;
    watch.remove(this);
    if (decoder === null) return;
    decoder.stream.off('data', this.#take);
    decoder.stream.off('end', this.#finish);
    decoder.stream.removeAllListeners('drain');
    decoder.stream.on('error', () => {});
    decoder.stream.destroy();
  }
}
