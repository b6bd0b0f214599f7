// Bytes that lie in memory or in a file, read piece by piece, and bodies that are put together from them.
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { freeBytes } from './free-bytes.ts';

export interface ByteSource {
  /** Bytes. Where `measure` has not run, it may take long. */
  readonly size: number;
  /** Counts the size in steps. Missing: it is known. */
  measure?(): Generator<void, void>;
  /** Those from `from` up to `to`, both within it. A view where they are in memory; where they are not, they are read into `into`, if it is given. */
  read(from: number, to: number, into?: ReadBuffer): Buffer | Promise<Buffer>;
  /** It stays readable until what is returned is called, even if its owner lets it go before. */
  hold(): () => void;
}

/** Bytes that are read at once. */
export const pieceBytes = 128 * 1024;
/** Bytes after which a reader lets others go on: a socket that takes everything at once never makes it wait. */
const turnBytes = 1024 * 1024;

/** Memory that one reader uses again and again: what was read into it before is gone. Nothing is taken before it is needed. */
export class ReadBuffer {
  #bytes: Buffer | null = null;

  take(size: number): Buffer {
    if (this.#bytes === null || this.#bytes.length < size) {
      this.free();
      this.#bytes = Buffer.allocUnsafeSlow(Math.max(size, pieceBytes));
    }
    return this.#bytes.subarray(0, size);
  }

  /** For whoever knows that nobody reads from it or writes to it any more. */
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

/** Where these bytes begin, from `from` on; -1: nowhere. */
export async function indexIn(source: ByteSource, mark: Buffer, from: number, into = new ReadBuffer()): Promise<number> {
  for (let at = from; at < source.size; at += pieceBytes) {
    const piece = await source.read(at, Math.min(source.size, at + pieceBytes + mark.length - 1), into);
    const found = piece.indexOf(mark);
    if (found >= 0) return at + found;
  }
  return -1;
}

/** A body that is being read. Every piece is valid until the next one is asked for. */
export interface OpenBody extends AsyncIterable<Buffer> {
  /** It is not read any more. */
  close(): void;
}

/** A body of known length that is read while it is sent, as often as it is sent. */
export class PiecedBody {
  readonly #pieces: readonly ByteSource[];

  constructor(pieces: readonly ByteSource[]) {
    this.#pieces = pieces;
  }

  /** Bytes. Where it was not measured, it may take long. */
  get size(): number {
    return this.#pieces.reduce((sum, piece) => sum + piece.size, 0);
  }

  /** Counts the size in steps; null: it is known. */
  measure(): Generator<void, void> | null {
    return this.#pieces.some((piece) => piece.measure !== undefined) ? measured(this.#pieces) : null;
  }

  /** For whoever writes it down: what it holds is only sent. */
  toString(): string {
    return `(a body of ${this.size} bytes)`;
  }

  /** Whoever opens it closes it, or reads it to its end. */
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

/** All of a body at once, for whoever cannot take it in pieces. */
export async function wholeOf(body: Buffer | PiecedBody): Promise<Buffer> {
  if (!(body instanceof PiecedBody)) return body;
  const whole = Buffer.allocUnsafe(body.size);
  let at = 0;
  // A piece is valid until the next one.
  for await (const piece of body.open()) at += piece.copy(whole, at);
  return whole;
}

/**
 * One memory for all pieces of full length. A socket takes fewer bytes than that before it asks its writer to wait, so whoever asks for the next
 * piece has none of this one left; of a shorter one it may have, so that has a memory of its own.
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
