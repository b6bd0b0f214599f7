// Bytes that lie in memory or in a file, read piece by piece, and bodies that are put together from them.
import { Readable } from 'node:stream';

export interface ByteSource {
  /** Bytes. */
  readonly size: number;
  /** Those from `from` up to `to`, both within it. A view where they are in memory. */
  read(from: number, to: number): Buffer | Promise<Buffer>;
  /** It stays readable until what is returned is called, even if its owner lets it go before. */
  hold(): () => void;
}

/** Bytes that are read at once. */
export const pieceBytes = 128 * 1024;

export function sourceOf(bytes: Buffer): ByteSource {
  return { size: bytes.length, read: (from, to) => bytes.subarray(from, to), hold: () => nothing };
}

function nothing(): void {}

export function partOf(source: ByteSource, start: number, end: number): ByteSource {
  return {
    size: end - start,
    read: (from, to) => source.read(start + from, Math.min(start + to, end)),
    hold: () => source.hold(),
  };
}

/** Where these bytes begin, from `from` on; -1: nowhere. */
export async function indexIn(source: ByteSource, mark: Buffer, from: number): Promise<number> {
  for (let at = from; at < source.size; at += pieceBytes) {
    const piece = await source.read(at, Math.min(source.size, at + pieceBytes + mark.length - 1));
    const found = piece.indexOf(mark);
    if (found >= 0) return at + found;
  }
  return -1;
}

/** A body of known length that is read while it is sent, as often as it is sent. */
export class PiecedBody {
  readonly size: number;
  readonly #pieces: readonly ByteSource[];

  constructor(pieces: readonly ByteSource[]) {
    this.#pieces = pieces;
    this.size = pieces.reduce((sum, piece) => sum + piece.size, 0);
  }

  /** For whoever writes it down: what it holds is only sent. */
  toString(): string {
    return `(a body of ${this.size} bytes)`;
  }

  /** Whoever opens it destroys it, or reads it to its end. */
  open(): Readable {
    const holds = this.#pieces.map((piece) => piece.hold());
    const stream = Readable.from(bytesOf(this.#pieces), { objectMode: false, highWaterMark: pieceBytes });
    stream.once('close', () => {
      for (const release of holds) release();
    });
    return stream;
  }
}

async function* bytesOf(pieces: readonly ByteSource[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    for (let at = 0; at < piece.size; at += pieceBytes) yield await piece.read(at, Math.min(piece.size, at + pieceBytes));
  }
}
