// The stream of a turn: it tells the id that the thread goes on from, and what it says is collected.
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ErrorObject } from '#server/dialects/client-dialect.ts';
import type { PipeStep, ReportedUsage, StreamOpening, StreamPipe } from '#server/dialects/stream-pipe.ts';
import { serverSentEvents } from '#server/framing/envelope.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { writeEvent } from '#server/responses/told-response.ts';
import type { Json } from '#server/responses/told-response.ts';

export class ThreadStream implements StreamPipe {
  readonly #pipe: StreamPipe;
  readonly #id: string;
  readonly #collect: (event: Json, bytes: number) => void;

  constructor(pipe: StreamPipe, id: string, collect: (event: Json, bytes: number) => void) {
    this.#pipe = pipe;
    this.#id = id;
    this.#collect = collect;
  }

  get bytes(): number {
    return this.#pipe.bytes;
  }

  open(events: Buffer): StreamOpening {
    return this.#pipe.open(events);
  }

  push(events: Buffer, isOwned: boolean): PipeStep {
    const step = this.#pipe.push(events, isOwned);
    return { ...step, forClient: step.forClient.map((piece) => this.#tell(piece)) };
  }

  ending(usage: TokenUsage | null): Buffer {
    return this.#tell(this.#pipe.ending(usage));
  }

  #tell(piece: Buffer): Buffer {
    const told: Buffer[] = [];
    let rest = 0;
    for (let from = 0; from < piece.length;) {
      const end = serverSentEvents.endOfEvent(piece, from);
      const data = serverSentEvents.dataIn(piece.subarray(from, end));
      const event = data === null ? null : parseObject(data);
      if (event !== null) this.#collect(event, end - from);
      if (event?.type === 'message_start' && isObject(event.message)) {
        told.push(piece.subarray(rest, from), writeEvent({ ...event, message: { ...event.message, id: this.#id } }));
        rest = end;
      }
      from = end;
    }
    return told.length === 0 ? piece : Buffer.concat([...told, piece.subarray(rest)]);
  }

  isEvent(rest: Buffer): boolean {
    return this.#pipe.isEvent(rest);
  }

  hasFinished(): boolean {
    return this.#pipe.hasFinished();
  }

  roughTokens(): number {
    return this.#pipe.roughTokens();
  }

  reportedUsage(): ReportedUsage {
    return this.#pipe.reportedUsage();
  }

  countTokens(): Promise<number> {
    return this.#pipe.countTokens();
  }

  keepAlive(): string {
    return this.#pipe.keepAlive();
  }

  fail(error: ErrorObject): string {
    return this.#pipe.fail(error);
  }

  close(): void {
    this.#pipe.close();
  }
}
