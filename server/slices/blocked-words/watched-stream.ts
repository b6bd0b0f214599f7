// Stream that ends when its model writes a blocked word. The events with the word do not leave.
import type { EventEncoding } from '#server/framing/event-encoding.ts';
import type { PipeStep, StreamPipe } from '#server/formats/stream-pipe.ts';
import { WrappedStream } from '#server/formats/wrapped-stream.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { OutputWatch } from '#server/call/text-guard.ts';

export class WatchedStream extends WrappedStream {
  readonly #watch: OutputWatch;
  readonly #encoding: EventEncoding;

  constructor(pipe: StreamPipe, { watch, encoding }: { watch: OutputWatch; encoding: EventEncoding }) {
    super(pipe);
    this.#watch = watch;
    this.#encoding = encoding;
  }

  protected override edit(step: PipeStep): PipeStep {
    const { forClient, reported } = step;
    const isBlocked = reported === undefined ? this.#watch.inEvents(forClient, this.#encoding) : this.#watch.inReported(reported);
    return isBlocked ? { ...step, next: 'blocked' } : step;
  }

  ending(usage: TokenUsage | null): Buffer {
    return this.pipe.ending(usage);
  }
}
