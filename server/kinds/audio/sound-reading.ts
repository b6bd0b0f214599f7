// Readers of files in memory or on disk: generators that request byte ranges one after the other.
import type { ByteSource } from '#server/framing/byte-source.ts';

/** Requested bytes; fewer are returned at the end of the file. */
export interface Span {
  start: number;
  end: number;
}

export type Reading<Result> = Generator<Span, Result, Buffer>;

/** Length of a sound as its file reports it. */
export interface Reported {
  seconds?: number | undefined;
  /** Whether the length was counted from samples or frames, not taken from a header. */
  isCounted?: boolean;
}

export type Reader = (size: number) => Reading<Reported>;

/** Number of bytes that identify a file's format. */
export const longestMark = 64;
/** Maximum number of boxes, chunks or elements read. */
export const mostBoxes = 1000;

export function readBytes<Result>(bytes: Buffer, reading: Reading<Result>): Result {
  let step = reading.next();
  while (step.done !== true) {
    const { start, end } = within(step.value, bytes.length);
    step = reading.next(bytes.subarray(start, end));
  }
  return step.value;
}

export async function readSource<Result>(source: ByteSource, reading: Reading<Result>): Promise<Result> {
  let step = reading.next();
  while (step.done !== true) {
    const { start, end } = within(step.value, source.size);
    step = reading.next(await source.read(start, end));
  }
  return step.value;
}

function within({ start, end }: Span, size: number): Span {
  const from = Math.min(Math.max(start, 0), size);
  return { start: from, end: Math.min(Math.max(end, from), size) };
}

export function startsWith(bytes: Buffer, mark: string, at = 0): boolean {
  return bytes.toString('latin1', at, at + mark.length) === mark;
}
