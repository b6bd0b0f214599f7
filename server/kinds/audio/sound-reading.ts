// Readers of files that may lie in memory or on disk: they ask for pieces, one after the other.
import type { ByteSource } from '#server/framing/byte-source.ts';

/** Bytes that are asked for; fewer come where the file ends. */
export interface Span {
  start: number;
  end: number;
}

export type Reading<Result> = Generator<Span, Result, Buffer>;

/** What a file says of its sound. */
export interface Reported {
  seconds?: number | undefined;
  /** By samples or frames, not by what the file says of itself. */
  isCounted?: boolean;
}

export type Reader = (size: number) => Reading<Reported>;

/** What can be told by so many bytes. */
export const longestMark = 64;
/** Parts of a file that are looked at. */
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
