// Converts a whole response to a stream, for clients that requested one from an upstream that cannot stream.
import { framings } from '#server/framing/registry.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';

/** @param events response as events of the upstream's format, including its ending */
export function wholeAsStream(events: Buffer): EventSource {
  return {
    framing: framings.sse,
    read(sink) {
      sink.data(events, true);
      sink.end();
    },
    pause() {},
    resume() {},
    abort() {},
  };
}
