// Bytes in memory or in a file, read in pieces, and bodies composed of them.
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { freeBytes } from './free-bytes.ts';

export interface ByteSource {
  /** Number of bytes. May be slow to compute unless `measure` has run. */
  readonly size: number;
  /** Computes the size in steps. If undefined, the size is known. */
  measure?(): Generator<void, void>;
  /**
   * Reads from `from` up to `to`, both within the source. Returns a view of memory, or reads a file into `into` if
   * given.
   */
  read(from: number, to: number, into?: ReadBuffer): Buffer | Promise<Buffer>;
  /** Prevents the source from being freed until the returned function is called. */
  hold(): () => void;
}

/** Bytes read at a time. */
export const pieceBytes = 128 * 1024;
/** Bytes after which a reader yields to the event loop: a fast socket never applies back-pressure. */
const turnBytes = 1024 * 1024;

/** Reusable memory of one reader, overwritten by each read. Allocated on first use. */
export class ReadBuffer {
  #bytes: Buffer | null = null;

  take(size: number): Buffer {
    if (this.#bytes === null || this.#bytes.length < size) {
      this.free();
      this.#bytes = Buffer.allocUnsafeSlow(Math.max(size, pieceBytes));
    }
    return this.#bytes.subarray(0, size);
  }

  /** Frees the memory; it must not be in use any more. */
  free(): void {
    if (this.#bytes !== null) freeBytes(this.#bytes);
    this.#bytes = null;
  }
}

export function sourceOf(bytes: Buffer): ByteSource {
  return { size: bytes.length, read: (from, to) => bytes.subarray(from, to), hold: () => nothing };
}

function nothing(): void {}

export function partOf(source: ByteSource, start: number, end: number): ByteSource {
  return {
    size: end - start,
    read: (from, to, into) => source.read(start + from, Math.min(start + to, end), into),
    hold: () => source.hold(),
  };
}

/** Position of the bytes at or after `from`; -1 if not found. */
export async function indexIn(source: ByteSource, mark: Buffer, from: number, into = new ReadBuffer()): Promise<number> {
  for (let at = from; at < source.size; at += pieceBytes) {
    const piece = await source.read(at, Math.min(source.size, at + pieceBytes + mark.length - 1), into);
    const found = piece.indexOf(mark);
    if (found >= 0) return at + found;
  }
  return -1;
}

/** A body being read. Every piece is valid until the next one is read. */
export interface OpenBody extends AsyncIterable<Buffer> {
  /** Ends reading. */
  close(): void;
}

/** A body of known length that is read while it is sent, repeatedly if needed. */
export class PiecedBody {
  readonly #pieces: readonly ByteSource[];

  constructor(pieces: readonly ByteSource[]) {
    this.#pieces = pieces;
  }

  /** Number of bytes. May be slow to compute unless measured. */
  get size(): number {
    return this.#pieces.reduce((sum, piece) => sum + piece.size, 0);
  }

  /** Computes the size in steps; returns null if it is known. */
  measure(): Generator<void, void> | null {
    return this.#pieces.some((piece) => piece.measure !== undefined) ? measured(this.#pieces) : null;
  }

  /** For logs, which must not contain the body. */
  toString(): string {
    return `(a body of ${this.size} bytes)`;
  }

  /** Opens the body, which must be closed or read to its end. */
  open(): OpenBody {
    const holds = this.#pieces.map((piece) => piece.hold());
    const close = () => {
      for (const release of holds.splice(0)) release();
    };
    const reading = bytesOf(this.#pieces, close);
    return { [Symbol.asyncIterator]: () => reading, close };
  }
}

function* measured(pieces: readonly ByteSource[]): Generator<void, void> {
  for (const piece of pieces) if (piece.measure !== undefined) yield* piece.measure();
}

/** Reads a whole body into memory. */
export async function wholeOf(body: Buffer | PiecedBody): Promise<Buffer> {
  if (!(body instanceof PiecedBody)) return body;
  const whole = Buffer.allocUnsafe(body.size);
  let at = 0;
  // A piece is valid until the next one.
  for await (const piece of body.open()) at += piece.copy(whole, at);
  return whole;
}

/**
 * Reuses one buffer for all full pieces. A socket buffers fewer bytes before it applies back-pressure, so a full piece
 * has been sent when the next one is read; a shorter one may still be buffered, so it gets its own memory.
 */
async function* bytesOf(pieces: readonly ByteSource[], close: () => void): AsyncGenerator<Buffer> {
  const into = new ReadBuffer();
  let read = 0;
  try {
    for (const piece of pieces) {
      for (let at = 0; at < piece.size; at += pieceBytes) {
        const end = at + pieceBytes;
        if (read >= turnBytes) {
          read = 0;
          await turnOfOthers();
        }
        read += pieceBytes;
        yield end <= piece.size ? await piece.read(at, end, into) : await piece.read(at, piece.size);
      }
    }
  } finally {
    close();
  }
}
