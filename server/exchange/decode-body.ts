// Decompresses responses that are compressed though not requested so. Decodes as bytes arrive, so events are not
// delayed, and bounds the expansion.
import zlib from 'node:zlib';
import type { Transform } from 'node:stream';

/** Receives decoded bytes; `end` or `fail` is the last call, and none follows `destroy`. */
export interface DecodedSink {
  data(chunk: Buffer): void;
  end(): void;
  fail(cause: Error): void;
  /** Signals that writing may resume. */
  drain(): void;
}

export interface BodyDecoder {
  /** Returns false if the caller must wait for `drain`. */
  write(chunk: Buffer): boolean;
  end(): void;
  pause(): void;
  resume(): void;
  destroy(): void;
}

/** The decoded body exceeds its limit. */
export class ExpansionError extends Error {}

const encodings = ['gzip', 'x-gzip', 'deflate', 'br', 'zstd'] as const;
type Encoding = (typeof encodings)[number];

/** Maximum expansion, more than text ever reaches; gzip allows up to 1030. */
const largestRatio = 300;
/** Decoded bytes that any response may have. */
const alwaysAllowed = 8 * 1024 * 1024;
/** Maximum number of stacked encodings: each multiplies the expansion. */
const mostEncodings = 2;
/**
 * Largest window that RFC 8878 recommends decoders to support; streams may request gigabytes.
 * https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1.1.2
 */
const zstdWindow = 23;

/** Returns the encodings of a `content-encoding` header in the order applied; null if one is unknown. */
export function encodingsOf(header: string | string[] | undefined): readonly Encoding[] | null {
  if (header === undefined) return [];
  const names = (Array.isArray(header) ? header.join(',') : header).slice(0, 200).toLowerCase().split(',');
  const found: Encoding[] = [];
  for (const name of names.map((part) => part.trim())) {
    if (name === '' || name === 'identity' || name === 'none') continue;
    const encoding = encodings.find((known) => known === name);
    if (encoding === undefined || found.length === mostEncodings) return null;
    found.push(encoding);
  }
  return found;
}

/** @param applied not empty */
export function decodeBody(applied: readonly Encoding[], sink: DecodedSink): BodyDecoder {
  let first: Transform | null = null;
  let last: Transform | null = null;
  let isOver = false;
  let isPaused = false;
  let bytesIn = 0;
  let bytesOut = 0;

  function finish(report: () => void): void {
    if (isOver) return;
    isOver = true;
    report();
    first?.destroy();
    last?.destroy();
  }

  function take(chunk: Buffer): void {
    if (isOver) return;
    bytesOut += chunk.length;
    if (bytesOut > alwaysAllowed && bytesOut > bytesIn * largestRatio) {
      finish(() => sink.fail(new ExpansionError('the response grows too large when it is decompressed')));
      return;
    }
    try {
      sink.data(chunk);
    } catch (cause) {
      // An exception in a zlib callback would end the process.
      finish(() => sink.fail(cause instanceof Error ? cause : new Error(String(cause))));
    }
  }

  /** Undoes the encodings, the last one first. */
  function start(begin: Buffer): Transform {
    const steps = applied.toReversed().map((encoding, index) => decoderOf(encoding, index === 0 ? begin : null));
    for (const [index, step] of steps.entries()) {
      step.on('error', (cause: Error) => finish(() => sink.fail(cause)));
      const next = steps[index + 1];
      if (next !== undefined) step.pipe(next);
    }
    const [head] = steps;
    const tail = steps.at(-1);
    if (head === undefined || tail === undefined) throw new Error('There is nothing to decode');
    head.on('drain', () => sink.drain());
    tail.on('data', take);
    if (isPaused) tail.pause();
    tail.on('end', () => finish(() => sink.end()));
    last = tail;
    return head;
  }

  return {
    write(chunk) {
      if (isOver) return true;
      bytesIn += chunk.length;
      first ??= start(chunk);
      return first.write(chunk);
    },
    end() {
      if (first === null) finish(() => sink.end());
      else first.end();
    },
    pause() {
      isPaused = true;
      last?.pause();
    },
    resume() {
      isPaused = false;
      last?.resume();
    },
    destroy: () => finish(() => {}),
  };
}

function decoderOf(encoding: Encoding, begin: Buffer | null): Transform {
  if (encoding === 'br') return zlib.createBrotliDecompress();
  if (encoding === 'zstd') return zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: zstdWindow } });
  if (encoding !== 'deflate') return zlib.createGunzip();
  // Some servers omit the zlib frame that RFC 9110 requires. https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.2
  const isFramed = begin === null || ((begin[0] ?? 0) & 0x0f) === 8;
  return isFramed ? zlib.createInflate() : zlib.createInflateRaw();
}

/** Removes a UTF-8 byte order mark. */
export function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
