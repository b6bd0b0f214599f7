// Base of streams that pass events through: errors are the provider's, and the last event is held until the call is
// settled.
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { StreamVoice } from '#server/formats/client-dialect.ts';
import type { StreamInput } from '#server/formats/identity.ts';
import type { ErrorInResponse, PipeStep, ReportedUsage, StreamOpening, StreamPipe } from '#server/formats/stream-pipe.ts';
import { type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import { endOfEvent, eventIn } from '#server/framing/sse.ts';

const done = '[DONE]';
const nothing = Buffer.alloc(0);

export interface PassingEvent {
  /** The whole event, as forwarded. */
  bytes: Buffer;
  /** Trimmed data; empty if there is none. */
  data: string;
  /** Value of the `event:` line; empty without one. */
  name: string;
  /** Null if the data is no JSON object. */
  reported: JsonObject | null;
}

export abstract class PassingStream implements StreamPipe {
  protected readonly input: StreamInput;
  readonly #voice: StreamVoice;
  #bytes = 0;
  /** Last event, held until settlement. */
  protected held: Buffer | null = null;
  protected usage: TokenUsage | null = null;
  /** A reported usage has impossible numbers. */
  protected isInvalid = false;

  constructor(input: StreamInput, voice: StreamVoice = input.client.createStreamWriter(input.writer)) {
    this.input = input;
    this.#voice = voice;
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(events: Buffer): StreamOpening {
    for (const event of this.#eventsIn(events)) {
      if (event.data === '') continue;
      return this.errorIn(event) ?? (this.isOfFormat(event) ? 'stream' : 'invalid');
    }
    return 'comments';
  }

  push(events: Buffer, isOwned: boolean): PipeStep {
    this.#bytes += events.length;
    const forClient: Buffer[] = [];
    const reported: string[] = [];
    for (const event of this.#eventsIn(events)) {
      reported.push(event.data);
      const next = this.#next(event, isOwned, forClient);
      if (next !== 'more') return { forClient, reported, next };
    }
    return { forClient, reported, next: 'more' };
  }

  #next(event: PassingEvent, isOwned: boolean, forClient: Buffer[]): PipeStep['next'] {
    if (event.data === done) return this.isWhole() ? 'complete' : 'invalid';
    if (event.data === '') return this.passOn(event.bytes, forClient);
    const error = this.errorIn(event);
    if (error !== null) return error;
    if (event.reported === null && !this.isOfFormat(event)) return 'invalid';
    return this.take(event, isOwned, forClient);
  }

  /** Reports whether the end mark may follow now. */
  protected isWhole(): boolean {
    return this.held !== null;
  }

  /** Handles an event that has data and is no error. */
  protected abstract take(event: PassingEvent, isOwned: boolean, forClient: Buffer[]): 'more' | 'complete';

  /** Forwards an event that needs no handling. */
  protected passOn(bytes: Buffer, forClient: Buffer[]): 'more' {
    forClient.push(bytes);
    return 'more';
  }

  protected isOfFormat({ reported }: PassingEvent): boolean {
    return typeof reported?.type === 'string';
  }

  protected errorIn({ data }: PassingEvent): ErrorInResponse | null {
    const { dialect, provider } = this.input.route;
    return dialect.readError(data, provider);
  }

  /** Returns the part of a long event that is parsed. */
  protected readable(bytes: Buffer): Buffer {
    return bytes;
  }

  *#eventsIn(events: Buffer): Generator<PassingEvent> {
    for (let from = 0; from < events.length;) {
      const end = endOfEvent(events, from);
      const bytes = events.subarray(from, end);
      const short = this.readable(bytes);
      const event = eventIn(short, 0, short.length);
      const data = event?.data.trim() ?? '';
      yield { bytes, name: event?.name ?? '', data, reported: data.startsWith('{') ? parseObject(data) : null };
      from = end;
    }
  }

  isEvent(rest: Buffer): boolean {
    const [event] = this.#eventsIn(rest);
    return event !== undefined && (event.reported !== null || event.data === done);
  }

  hasFinished(): boolean {
    return this.held !== null;
  }

  abstract roughTokens(): number;

  abstract reportedUsage(): ReportedUsage;

  countTokens(): Promise<number> {
    return Promise.resolve(this.roughTokens());
  }

  keepAlive(): string {
    return this.#voice.keepAlive();
  }

  fail(error: ErrorObject): string {
    return this.#voice.fail(error);
  }

  /** Returns the provider's last event. */
  ending(_usage: TokenUsage | null): Buffer {
    return this.held ?? nothing;
  }

  close(): void {
    this.held = null;
  }
}
