// Results of a batch within the operation that tells of it: lines of the provider's file as items of a list, in the order of their requests.
import { LineCutter } from '#server/files/line-cutter.ts';
import type { EventSource, StreamSink } from '#server/upstream/upstream-stream.ts';
import { SendFailure } from '#server/upstream/send-failure.ts';
import { inlinedResult } from './told-operation.ts';

/** Bytes of a line. */
const longest = 64 * 1024 * 1024;
/** Bytes of results that wait for those before them. */
const mostWaiting = 16 * 1024 * 1024;
const comma = Buffer.from(',');

/** @param edit a line as it is told @param head before the list @param tail behind it */
export function inlinedResults(
  source: EventSource | Buffer,
  { edit, head, tail }: { edit(line: Buffer): Buffer; head: Buffer; tail: Buffer },
): EventSource | Buffer {
  const list = new OrderedList();
  const cutter = new LineCutter(longest);
  const items = (lines: Iterable<Buffer>) => [...lines].flatMap((line) => (line.length === 0 ? [] : list.add(edit(line))));
  if (Buffer.isBuffer(source)) {
    return Buffer.concat([head, ...items(cutter.cut(source)), ...items([cutter.rest()]), ...list.rest(), tail]);
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
      sink.data(Buffer.concat([...items([cutter.rest()]), ...list.rest(), tail]), true);
      sink.end();
    },
    fail: (failure) => sink.fail(failure),
  });
  return {
    pause: () => source.pause(),
    resume: () => source.resume(),
    abort: () => source.abort(),
    read(sink) {
      sink.data(head, true);
      source.read(passing(sink));
    },
  };
}

/** Items as they may leave: each behind those of earlier places, unless too many wait. */
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

  /** All that wait, in order. */
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

/** The second is opened once the first has been read. */
export function oneAfterOther(first: EventSource | Buffer, openSecond: () => Promise<EventSource | Buffer>): EventSource {
  let current: EventSource | null = Buffer.isBuffer(first) ? null : first;
  let isPaused = false;
  let isAborted = false;
  const use = (source: EventSource | Buffer, sink: StreamSink) => {
    if (Buffer.isBuffer(source)) {
      sink.data(source, true);
      return sink.end();
    }
    current = source;
    if (isAborted) return source.abort();
    source.read(sink);
    if (isPaused) source.pause();
  };
  const goOn = (sink: StreamSink) => {
    current = null;
    if (isAborted) return;
    openSecond().then(
      (source) => use(source, sink),
      (cause: unknown) => sink.fail(new SendFailure('network', String(cause))),
    );
  };
  return {
    read: (sink) =>
      use(first, { data: (chunk, isOwned) => sink.data(chunk, isOwned), end: () => goOn(sink), fail: (failure) => sink.fail(failure) }),
    pause() {
      isPaused = true;
      current?.pause();
    },
    resume() {
      isPaused = false;
      current?.resume();
    },
    abort() {
      isAborted = true;
      current?.abort();
    },
  };
}
