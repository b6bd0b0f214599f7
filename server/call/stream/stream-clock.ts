// One timer for all open streams: sends keep-alives to silent clients, and ends streams of silent upstreams.

export interface TimedStream {
  /** Called about four times a second with the monotonic time in milliseconds. */
  tick(now: number): void;
  /** Called after `tick` threw: the stream must end at once and is not ticked again. */
  cut?(): void;
  /** Called at shutdown: the stream must end now. */
  shutDown?(): void;
  /** Index of the stream in the clock's list, set by the clock; -1 if it is not in it. */
  clockPlace: number;
}

export interface StreamClock {
  add(stream: TimedStream): void;
  remove(stream: TimedStream): void;
  readonly size: number;
  /** Ends all streams. */
  shutDown(): void;
  stop(): void;
}

const tickMs = 250;

/** `onFault` is called with a stream whose tick threw; the others continue. */
export function createStreamClock(onFault: (cause: unknown) => void = () => {}): StreamClock {
  // Not a Set, which retains removed streams under thousands of additions a second (see `pending-work.ts`).
  const streams: TimedStream[] = [];

  function remove(stream: TimedStream): void {
    const place = stream.clockPlace;
    if (place < 0) return;
    stream.clockPlace = -1;
    const last = streams.pop();
    if (last === undefined || last === stream) return;
    streams[place] = last;
    last.clockPlace = place;
  }

  function tick(stream: TimedStream, now: number): void {
    try {
      stream.tick(now);
    } catch (cause) {
      remove(stream);
      onFault(cause);
      stream.cut?.();
    }
  }

  let tickedAt = performance.now();

  function tickAll(): void {
    const now = performance.now();
    tickedAt = now;
    // From the end, because a removed stream is replaced by the last one, which was ticked already.
    for (let place = streams.length - 1; place >= 0; place -= 1) {
      const stream = streams[place];
      if (stream !== undefined) tick(stream, now);
    }
  }

  const timer = setInterval(() => {
    // After a stall of this process, received data is read first: the upstream was not silent.
    if (performance.now() - tickedAt > 2 * tickMs) setImmediate(tickAll);
    else tickAll();
  }, tickMs);
  timer.unref();

  return {
    add(stream) {
      if (stream.clockPlace >= 0) return;
      stream.clockPlace = streams.length;
      streams.push(stream);
    },
    remove,
    get size() {
      return streams.length;
    },
    shutDown() {
      for (let place = streams.length - 1; place >= 0; place -= 1) streams[place]?.shutDown?.();
    },
    stop: () => clearInterval(timer),
  };
}
