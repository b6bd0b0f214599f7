// Reads a provider's file of JSON lines; buffers no more than the reader needs.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LineCutter } from '#server/objects/line-cutter.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';

export interface LineBounds {
  /** Maximum bytes of a line and of the file. */
  longest: number;
  largest: number;
  /** Maximum lines, blank ones included; unlimited if undefined. */
  mostLines?: number;
  /** Milliseconds of silence after which the provider times out. */
  silenceMs: number;
}

/** The file could not be read to its end. */
export class FileBroken extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'FileBroken';
  }
}

export class FileTooLarge extends Error {
  constructor() {
    super('A file is too large');
    this.name = 'FileTooLarge';
  }
}

/** Milliseconds of work before yielding to the event loop. */
const stepMs = 5;

/**
 * Skips blank lines, but counts them.
 * @throws {LineTooLong}
 * @throws {FileTooLarge} also for too many lines
 * @throws {FileBroken}
 */
export async function* linesOf(source: EventSource | Buffer, bounds: LineBounds): AsyncGenerator<{ bytes: Buffer; number: number }> {
  const cutter = new LineCutter(bounds.longest);
  let number = 0;
  let size = 0;
  let since = performance.now();
  const isGiven = (bytes: Buffer) => {
    number += 1;
    if (number > (bounds.mostLines ?? Infinity)) throw new FileTooLarge();
    return !isBlank(bytes);
  };
  for await (const chunk of chunksOf(source, bounds.silenceMs)) {
    size += chunk.length;
    if (size > bounds.largest) throw new FileTooLarge();
    for (const bytes of cutter.cut(chunk)) {
      if (isGiven(bytes)) yield { bytes, number };
      if (performance.now() - since < stepMs) continue;
      await nextTurn();
      since = performance.now();
    }
  }
  const rest = cutter.rest();
  if (isGiven(rest)) yield { bytes: rest, number };
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

/** Buffered bytes at which the source is paused. */
const mostWaiting = 256 * 1024;

async function* chunksOf(source: EventSource | Buffer, silenceMs: number): AsyncGenerator<Buffer> {
  if (Buffer.isBuffer(source)) {
    yield source;
    return;
  }
  const queue = new ChunkQueue(source, silenceMs);
  try {
    for (let chunk = await queue.next(); chunk !== null; chunk = await queue.next()) yield chunk;
  } finally {
    queue.close();
  }
}

class ChunkQueue {
  readonly #source: EventSource;
  readonly #silenceMs: number;
  #chunks: Buffer[] = [];
  #waiting = 0;
  #isPaused = false;
  #outcome: 'open' | 'ended' | Error = 'open';
  #wake: (() => void) | null = null;

  constructor(source: EventSource, silenceMs: number) {
    this.#source = source;
    this.#silenceMs = silenceMs;
    source.read({
      data: (chunk) => {
        this.#chunks.push(chunk);
        this.#waiting += chunk.length;
        if (this.#waiting > mostWaiting && !this.#isPaused) {
          this.#isPaused = true;
          source.pause();
        }
        this.#wake?.();
      },
      end: () => this.#over('ended'),
      fail: (failure) => this.#over(failure),
    });
  }

  /**
   * Returns null at the end.
   * @throws {FileBroken}
   */
  async next(): Promise<Buffer | null> {
    if (this.#chunks.length === 0 && this.#outcome === 'open') await this.#comes();
    const chunk = this.#chunks.shift();
    if (chunk === undefined) {
      if (this.#outcome === 'ended') return null;
      throw new FileBroken('a file could not be read to its end', { cause: this.#outcome });
    }
    this.#waiting -= chunk.length;
    if (this.#isPaused && this.#waiting === 0) {
      this.#isPaused = false;
      this.#source.resume();
    }
    return chunk;
  }

  close(): void {
    if (this.#outcome === 'open') this.#source.abort();
    this.#outcome = 'ended';
    this.#chunks = [];
  }

  #comes(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#over(new Error('the provider says nothing more')), this.#silenceMs);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = null;
        resolve();
      };
    });
  }

  #over(outcome: 'ended' | Error): void {
    if (this.#outcome !== 'open') return;
    this.#outcome = outcome;
    if (outcome !== 'ended') this.#source.abort();
    this.#wake?.();
  }
}
