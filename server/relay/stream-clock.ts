// One timer for all open streams: silence towards the client is filled, silence of the upstream ends the stream.

export interface TimedStream {
  /** Called about four times a second with the monotonic time in milliseconds. */
  tick(now: number): void;
}

export interface StreamClock {
  add(stream: TimedStream): void;
  remove(stream: TimedStream): void;
  readonly size: number;
  stop(): void;
}

const tickMs = 250;

export function createStreamClock(): StreamClock {
  const streams = new Set<TimedStream>();
  const timer = setInterval(() => {
    const now = performance.now();
    for (const stream of streams) stream.tick(now);
  }, tickMs);
  timer.unref();
  return {
    add: (stream) => void streams.add(stream),
    remove: (stream) => void streams.delete(stream),
    get size() {
      return streams.size;
    },
    stop: () => clearInterval(timer),
  };
}
