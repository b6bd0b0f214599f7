// Byte ranges of a video, which players request. https://www.rfc-editor.org/rfc/rfc9110#name-range-requests
import type { EventSource, StreamSink } from '#server/exchange/upstream-stream.ts';

export interface ByteRange {
  first: number;
  /** If undefined, to the end. */
  last?: number;
}

const form = /^bytes=(\d{1,15})-(\d{1,15})?$/;

/** Returns null without a header, or unless it has exactly one range with a start; the whole is sent then. */
export function readRange(header: string | null): ByteRange | null {
  const [, first, last] = form.exec(header ?? '') ?? [];
  if (first === undefined || (last !== undefined && Number(last) < Number(first))) return null;
  return { first: Number(first), ...(last === undefined ? {} : { last: Number(last) }) };
}

export interface Part {
  first: number;
  last: number;
  /** Bytes of the whole. */
  length: number;
}

/** The available part; null if it starts beyond the end. */
export function partOf({ first, last = Number.MAX_SAFE_INTEGER }: ByteRange, length: number): Part | null {
  return first < length ? { first, last: Math.min(last, length - 1), length } : null;
}

export function partHeaders({ first, last, length }: Part): Record<string, string> {
  return { 'content-range': `bytes ${first}-${last}/${length}`, 'content-length': String(last - first + 1) };
}

/** Reports whether a sender's `content-range` is the requested part, or its start. */
export function isRequestedPart(reported: string | undefined, { first, last = Number.MAX_SAFE_INTEGER }: ByteRange): boolean {
  const [, from, to] = /^bytes (\d{1,15})-(\d{1,15})\/(?:\d{1,15}|\*)$/.exec(reported ?? '') ?? [];
  return Number(from) === first && Number(to) >= first && Number(to) <= last;
}

/** Selects a part of a byte stream. */
class Window {
  #at = 0;
  readonly #part: Part;
  constructor(part: Part) {
    this.#part = part;
  }

  /** Returns the bytes of a chunk that are in the part; may be empty. */
  take(bytes: Buffer): Buffer {
    const begin = this.#at;
    this.#at += bytes.length;
    const { first, last } = this.#part;
    return bytes.subarray(Math.max(0, first - begin), Math.max(0, last + 1 - begin));
  }

  get isOver(): boolean {
    return this.#at > this.#part.last;
  }
}

/** Reads a part from a sender without range support, dropping what precedes it. */
export function readPart(read: () => Promise<Buffer | null>, part: Part): () => Promise<Buffer | null> {
  const window = new Window(part);
  return async () => {
    while (!window.isOver) {
      const bytes = await read();
      if (bytes === null) return null;
      const taken = window.take(bytes);
      if (taken.length > 0) return taken;
    }
    return null;
  };
}

/** Same for a pushed stream. */
export function sourceOfPart(source: EventSource, part: Part): EventSource {
  const window = new Window(part);
  let isOver = false;
  const once = (end: () => void) => {
    if (isOver) return;
    isOver = true;
    end();
  };
  return {
    read(sink: StreamSink) {
      source.read({
        data(chunk, isOwned) {
          if (isOver) return;
          const taken = window.take(chunk);
          if (taken.length > 0) sink.data(taken, isOwned);
          if (!window.isOver) return;
          once(() => sink.end());
          source.abort();
        },
        end: () => once(() => sink.end()),
        fail: (failure) => once(() => sink.fail(failure)),
      });
    },
    pause: () => source.pause(),
    resume: () => source.resume(),
    abort: () => source.abort(),
  };
}
