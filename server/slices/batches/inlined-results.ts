// Inserts results into a batch's operation: lines of the provider's file become list items in the order of the
// requests.
import { LineCutter } from '#server/objects/line-cutter.ts';
import type { SpoolFile } from '#server/http/spool.ts';
import type { EventSource, StreamSink } from '#server/exchange/upstream-stream.ts';
import { SendFailure } from '#server/exchange/send-failure.ts';
import { inlinedResult } from './present-operation.ts';

/** Maximum bytes of a line. */
const longest = 64 * 1024 * 1024;
/** Maximum bytes of results that wait for earlier ones. */
const mostWaiting = 16 * 1024 * 1024;
/** Bytes of the copy read at a time. */
const copiedAtOnce = 256 * 1024;
const comma = Buffer.from(',');

/**
 * Returns the items of the list, separated by commas.
 * @param edit rewrites a line for the caller
 */
export function inlinedResults(source: EventSource | Buffer, edit: (line: Buffer) => Buffer): EventSource | Buffer {
  const list = new OrderedList();
  const cutter = new LineCutter(longest);
  const items = (lines: Iterable<Buffer>) => [...lines].flatMap((line) => (line.length === 0 ? [] : list.add(edit(line))));
  if (Buffer.isBuffer(source)) {
    return Buffer.concat([...items(cutter.cut(source)), ...items([cutter.rest()]), ...list.rest()]);
  }
  const passing = (sink: StreamSink): StreamSink => ({
    data(chunk) {
      try {
        const bytes = Buffer.concat(items(cutter.cut(chunk)));
        if (bytes.length > 0) sink.data(bytes, true);
      } catch (cause) {
        source.abort();
        sink.fail(new SendFailure('too_large', String(cause)));
      }
    },
    end() {
      const bytes = Buffer.concat([...items([cutter.rest()]), ...list.rest()]);
      if (bytes.length > 0) sink.data(bytes, true);
      sink.end();
    },
    fail: (failure) => sink.fail(failure),
  });
  return {
    pause: () => source.pause(),
    resume: () => source.resume(),
    abort: () => source.abort(),
    read: (sink) => source.read(passing(sink)),
  };
}

/** Orders items by index, unless too many wait. */
class OrderedList {
  readonly #waiting = new Map<number, Buffer>();
  #bytes = 0;
  #next = 0;
  #isBegun = false;

  add(line: Buffer): Buffer[] {
    const item = inlinedResult(line);
    if (item === null || item.index < this.#next || this.#waiting.has(item.index)) return [];
    this.#waiting.set(item.index, item.text);
    this.#bytes += item.text.length;
    const ready: Buffer[] = [];
    for (let text = this.#waiting.get(this.#next); text !== undefined; text = this.#waiting.get(this.#next))
      ready.push(...this.#take(text));
    return this.#bytes > mostWaiting ? [...ready, ...this.rest()] : ready;
  }

  /** Returns all waiting items in order. */
  rest(): Buffer[] {
    return [...this.#waiting]
      .toSorted(([one], [other]) => one - other)
      .flatMap(([index, text]) => {
        this.#next = index;
        return this.#take(text);
      });
  }

  #take(text: Buffer): Buffer[] {
    this.#waiting.delete(this.#next);
    this.#bytes -= text.length;
    this.#next += 1;
    const parts = this.#isBegun ? [comma, text] : [text];
    this.#isBegun = true;
    return parts;
  }
}

interface Twice {
  head: Buffer;
  middle: Buffer;
  tail: Buffer;
  /** File for the copy, used exclusively. */
  copy: SpoolFile;
  /** Opens the items again, if the copy found no space. */
  openAgain(): Promise<EventSource | Buffer>;
}

/**
 * Writes the same items at two positions of one text, reading the provider's file once: the second time they come from
 * a copy on disk.
 */
export function writtenTwice(items: EventSource | Buffer, { head, middle, tail, copy, openAgain }: Twice): EventSource | Buffer {
  if (Buffer.isBuffer(items)) return Buffer.concat([head, items, middle, items, tail]);
  const flow = new Flow(items);
  /** Appends chunks one after the other while the source is paused. */
  let appending = Promise.resolve();
  let isCopied = true;
  const add = (chunk: Buffer) => {
    flow.hold();
    appending = appending
      .then(() => (isCopied && !flow.isAborted ? copy.append([chunk], chunk.length) : undefined))
      .catch(() => {
        isCopied = false;
        copy.end();
      })
      .then(() => flow.release());
  };
  const goOn = async (sink: StreamSink) => {
    await appending;
    if (flow.isAborted) return;
    sink.data(middle, true);
    await (isCopied ? readCopy(copy, sink, flow) : readAgain(await openAgain(), sink, flow));
    copy.end();
    if (flow.isAborted) return;
    sink.data(tail, true);
    sink.end();
  };
  const fail = (sink: StreamSink, cause: unknown) => {
    copy.end();
    sink.fail(cause instanceof SendFailure ? cause : new SendFailure('network', String(cause)));
  };
  return {
    read(sink) {
      sink.data(head, true);
      items.read({
        data(chunk, isOwned) {
          sink.data(chunk, isOwned);
          add(isOwned ? chunk : Buffer.from(chunk));
        },
        end: () => void goOn(sink).catch((cause: unknown) => fail(sink, cause)),
        fail: (failure) => fail(sink, failure),
      });
    },
    pause: () => flow.pause(),
    resume: () => flow.resume(),
    abort() {
      copy.end();
      flow.abort();
    },
  };
}

async function readCopy(copy: SpoolFile, sink: StreamSink, flow: Flow): Promise<void> {
  const release = copy.hold();
  try {
    for (let at = 0; at < copy.size && !flow.isAborted; at += copiedAtOnce) {
      sink.data(await copy.read(at, Math.min(copy.size, at + copiedAtOnce)), true);
      await flow.resumed();
    }
  } finally {
    release();
  }
}

async function readAgain(source: EventSource | Buffer, sink: StreamSink, flow: Flow): Promise<void> {
  if (Buffer.isBuffer(source)) return sink.data(source, true);
  await new Promise<void>((resolve, reject) => {
    source.read({ data: (chunk, isOwned) => sink.data(chunk, isOwned), end: resolve, fail: reject });
    flow.use(source);
  });
}

/** Pauses the source while its reader or its copy is busy. */
class Flow {
  #source: EventSource;
  #holds = 0;
  #isPaused = false;
  isAborted = false;
  #wake = () => {};

  constructor(source: EventSource) {
    this.#source = source;
  }

  use(source: EventSource): void {
    this.#source = source;
    if (this.isAborted) source.abort();
    else if (this.#isPaused) source.pause();
  }

  hold(): void {
    this.#holds += 1;
    this.#source.pause();
  }

  release(): void {
    this.#holds -= 1;
    this.#go();
  }

  pause(): void {
    this.#isPaused = true;
    this.#source.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#go();
    this.#wake();
  }

  abort(): void {
    this.isAborted = true;
    this.#source.abort();
    this.#wake();
  }

  /** Resolves once the reader takes more, or has disconnected. */
  async resumed(): Promise<void> {
    while (this.#isPaused && !this.isAborted) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  #go(): void {
    if (this.#holds === 0 && !this.#isPaused && !this.isAborted) this.#source.resume();
  }
}
