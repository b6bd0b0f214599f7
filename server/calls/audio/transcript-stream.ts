// A stream of what is heard, on its way to its caller: events pass as bytes, and the last one tells what it took.
// https://platform.openai.com/docs/api-reference/audio/transcript-text-delta-event
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ErrorObject, StreamVoice } from '#server/dialects/client-dialect.ts';
import type { StreamInput } from '#server/dialects/identity.ts';
import type { ErrorInResponse, PipeStep, ReportedUsage, StreamOpening, StreamPipe } from '#server/dialects/stream-pipe.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import { dataIn, endOfEvent } from '#server/framing/sse.ts';
import { isByTokens, minutesOf } from './heard-sound.ts';
import { readTranscriptUsage } from './transcript-usage.ts';

const lastType = 'transcript.text.done';
const done = '[DONE]';

interface TranscriptEvent {
  bytes: Buffer;
  data: string;
  /** Null: it is none of JSON. */
  told: JsonObject | null;
}

export class TranscriptStream implements StreamPipe {
  readonly #input: StreamInput;
  readonly #voice: StreamVoice;
  readonly #isByTokens: boolean;
  #bytes = 0;
  #usage: TokenUsage | null = null;
  #seconds: number | undefined;
  #isInvalid = false;
  /** The last event, which waits for the settlement. */
  #held: Buffer | null = null;

  constructor(input: StreamInput) {
    const { client, writer, upstreamModel } = input;
    this.#input = input;
    this.#voice = client.createStreamWriter(writer);
    this.#isByTokens = isByTokens(upstreamModel);
    const seconds = writer.asked?.seconds;
    this.#seconds = typeof seconds === 'number' ? seconds : undefined;
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(events: Buffer): StreamOpening {
    for (const { data, told } of eventsIn(events)) {
      if (data.trim() === '') continue;
      return this.#errorIn(data) ?? (told === null || typeof told.type !== 'string' ? 'invalid' : 'stream');
    }
    return 'comments';
  }

  push(events: Buffer, isOwned: boolean): PipeStep {
    this.#bytes += events.length;
    const forClient: Buffer[] = [];
    for (const event of eventsIn(events)) {
      const next = this.#take(event, isOwned, forClient);
      if (next !== 'more') return { forClient, next };
    }
    return { forClient, next: 'more' };
  }

  #take({ bytes, data, told }: TranscriptEvent, isOwned: boolean, forClient: Buffer[]): PipeStep['next'] {
    if (data.trim() === '') {
      forClient.push(bytes);
      return 'more';
    }
    const error = this.#errorIn(data);
    if (error !== null) return error;
    if (told === null) return 'invalid';
    if (told.type !== lastType) {
      if (this.#isByTokens && typeof told.delta === 'string') this.#input.tally.add(told.delta);
      forClient.push(bytes);
      return 'more';
    }
    this.#held = isOwned ? bytes : Buffer.from(bytes);
    const { usage, seconds } = readTranscriptUsage(told);
    this.#isInvalid = usage === undefined;
    this.#usage = usage ?? null;
    this.#seconds = seconds ?? this.#seconds;
    return 'complete';
  }

  #errorIn(data: string): ErrorInResponse | null {
    const { dialect, provider } = this.#input.way;
    return dialect.readError(data, provider);
  }

  isEvent(rest: Buffer): boolean {
    const [event] = eventsIn(rest);
    return event !== undefined && (event.told !== null || event.data.trim() === done);
  }

  hasFinished(): boolean {
    return this.#held !== null;
  }

  roughTokens(): number {
    return this.#input.tally.roughTokens;
  }

  /** All of the sound was given, however much of it was written down. */
  reportedUsage(): ReportedUsage {
    return {
      usage: this.#usage,
      isInvalid: this.#isInvalid,
      hasTextAfter: false,
      ...(this.#seconds === undefined ? {} : { units: minutesOf(this.#seconds) }),
    };
  }

  countTokens(): Promise<number> {
    return this.#input.tally.countTokens();
  }

  keepAlive(): string {
    return this.#voice.keepAlive();
  }

  fail(error: ErrorObject): string {
    return this.#voice.fail(error);
  }

  /** The upstream's own. */
  ending(): Buffer {
    return this.#held ?? Buffer.alloc(0);
  }

  close(): void {
    this.#held = null;
    this.#input.tally.clear();
  }
}

function* eventsIn(events: Buffer): Generator<TranscriptEvent> {
  for (let from = 0; from < events.length;) {
    const end = endOfEvent(events, from);
    const bytes = events.subarray(from, end);
    const data = dataIn(bytes, 0, bytes.length) ?? '';
    yield { bytes, data, told: parseObject(data) };
    from = end;
  }
}
