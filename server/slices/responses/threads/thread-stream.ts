// Edits the stream of a thread's turn: sets the message id that continues the thread, and collects the content.
import type { TokenUsage } from '#shared/token-usage.ts';
import type { PipeStep, StreamPipe } from '#server/formats/stream-pipe.ts';
import { serverSentEvents } from '#server/framing/event-encoding.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { type Json, writeEvent } from '#server/slices/responses/present-response.ts';
import { WrappedStream } from '#server/formats/wrapped-stream.ts';

export class ThreadStream extends WrappedStream {
  readonly #id: string;
  readonly #collect: (event: Json, bytes: number) => void;

  constructor(pipe: StreamPipe, id: string, collect: (event: Json, bytes: number) => void) {
    super(pipe);
    this.#id = id;
    this.#collect = collect;
  }

  protected override edit(step: PipeStep): PipeStep {
    return { ...step, forClient: step.forClient.map((piece) => this.#report(piece)) };
  }

  override ending(usage: TokenUsage | null): Buffer {
    return this.#report(this.pipe.ending(usage));
  }

  #report(piece: Buffer): Buffer {
    const reported: Buffer[] = [];
    let rest = 0;
    for (let from = 0; from < piece.length;) {
      const end = serverSentEvents.endOfEvent(piece, from);
      const data = serverSentEvents.dataIn(piece.subarray(from, end));
      const event = data === null ? null : parseObject(data);
      if (event !== null) this.#collect(event, end - from);
      if (event?.type === 'message_start' && isObject(event.message)) {
        reported.push(piece.subarray(rest, from), writeEvent({ ...event, message: { ...event.message, id: this.#id } }));
        rest = end;
      }
      from = end;
    }
    return reported.length === 0 ? piece : Buffer.concat([...reported, piece.subarray(rest)]);
  }
}
