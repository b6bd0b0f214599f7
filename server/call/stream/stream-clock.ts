// One timer for all open streams: silence towards the client is filled, silence of the upstream ends the stream.

export interface TimedStream {
  /** Called about four times a second with the monotonic time in milliseconds. */
  tick(now: number): void;
  /** Its tick threw: it is not ticked again and has to end at once. */
  cut?(): void;
  /** The server ends: what is open has to end now. */
  shutDown?(): void;
  /** Set by the clock: the stream's index in its list, -1 if it is in none. */
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
  // Not a Set: one that thousands of streams a second pass through retains ended ones (see `pending-work.ts`).
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
    // From the end: a removed stream is replaced by one that had its turn.
    for (let place = streams.length - 1; place >= 0; place -= 1) {
      const stream = streams[place];
      if (stream !== undefined) tick(stream, now);
    }
  }

  const timer = setInterval(() => {
    // After a standstill of this process, read first what has arrived: the silence was its own.
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
