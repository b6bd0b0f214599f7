// Sound on its way to its caller, as bytes or in events, whichever way it comes. Events tell at their end what it took; bytes are measured.
// https://platform.openai.com/docs/api-reference/audio/speech-audio-delta-event
import { inputTokens } from '#shared/token-usage.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ErrorObject, StreamVoice } from '#server/dialects/client-dialect.ts';
import type { StreamInput } from '#server/dialects/identity.ts';
import type { ErrorInResponse, PipeStep, ReportedUsage, StreamOpening, StreamPipe } from '#server/dialects/stream-pipe.ts';
import type { FramedEvent } from '#server/framing/framing.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { soundEvent } from '#server/framing/sound-splitter.ts';
import { endOfEvent, eventIn } from '#server/framing/sse.ts';
import { readPromptUsage } from '../prompt-usage.ts';
import { mute, wantsEvents } from './speech-client.ts';
import { charactersOf, speaksTokens, SpokenTally } from './spoken-sound.ts';

const [deltaType, lastType] = ['speech.audio.delta', 'speech.audio.done'];
const done = '[DONE]';
const nothing = Buffer.alloc(0);

export class SpeechStream implements StreamPipe {
  readonly isMute: boolean;
  readonly #input: StreamInput;
  readonly #voice: StreamVoice;
  readonly #tally: SpokenTally;
  #bytes = 0;
  /** Bytes come: their end is all there is of one. */
  #isRaw = false;
  #usage: TokenUsage | null = null;
  #isInvalid = false;
  /** The provider's last event, which waits for the settlement. */
  #held: Buffer | null = null;

  constructor(input: StreamInput) {
    const { client, writer } = input;
    this.#input = input;
    this.isMute = !wantsEvents(writer.asked ?? {});
    this.#voice = this.isMute ? mute : client.createStreamWriter(writer);
    this.#tally = new SpokenTally(writer.asked?.response_format);
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(events: Buffer): StreamOpening {
    for (const { event } of eventsIn(events)) {
      if (event === null || event.data.trim() === '') continue;
      if (event.name === soundEvent) return 'stream';
      return this.#errorIn(event.data) ?? (typeof parseObject(event.data)?.type === 'string' ? 'stream' : 'invalid');
    }
    return 'comments';
  }

  push(events: Buffer, isOwned: boolean): PipeStep {
    this.#bytes += events.length;
    const forClient: Buffer[] = [];
    for (const { bytes, event } of eventsIn(events)) {
      const next = this.#take(event, isOwned ? bytes : Buffer.from(bytes), forClient);
      if (next !== 'more') return { forClient, next };
    }
    return { forClient, next: 'more' };
  }

  #take(event: FramedEvent | null, bytes: Buffer, forClient: Buffer[]): PipeStep['next'] {
    if (event === null || event.data.trim() === '') {
      if (!this.isMute) forClient.push(bytes);
      return 'more';
    }
    const { name, data } = event;
    if (name === soundEvent) {
      this.#isRaw = true;
      this.#tell(data, forClient);
      return 'more';
    }
    if (data.trim() === done) return 'complete';
    const error = this.#errorIn(data);
    if (error !== null) return error;
    const told = parseObject(data);
    if (told === null) return 'invalid';
    if (told.type === lastType) {
      this.#held = bytes;
      this.#noteUsage(told.usage);
      return 'complete';
    }
    if (told.type === deltaType && typeof told.audio === 'string') this.#tell(told.audio, forClient, bytes);
    else if (!this.isMute) forClient.push(bytes);
    return 'more';
  }

  /** @param event the one that brought it, if its provider did not send bytes */
  #tell(base64: string, forClient: Buffer[], event?: Buffer): void {
    const sound = Buffer.from(base64, 'base64');
    this.#tally.add(sound);
    if (this.isMute) forClient.push(sound);
    else forClient.push(event ?? Buffer.from(`data: {"type":"${deltaType}","audio":"${base64}"}\n\n`, 'latin1'));
  }

  #errorIn(data: string): ErrorInResponse | null {
    const { dialect, provider } = this.#input.way;
    return dialect.readError(data, provider);
  }

  #noteUsage(told: unknown): void {
    const usage = readPromptUsage(told);
    this.#isInvalid = usage === undefined;
    this.#usage = usage === undefined || usage === null ? null : { ...usage, audioOutput: usage.output };
  }

  isEvent(rest: Buffer): boolean {
    const [first] = eventsIn(rest);
    return (
      first?.event !== null && first?.event !== undefined && (parseObject(first.event.data) !== null || first.event.data.trim() === done)
    );
  }

  hasFinished(): boolean {
    return this.#isRaw || this.#held !== null;
  }

  /** As far as it came. */
  roughTokens(): number {
    return speaksTokens(this.#input.upstreamModel) ? this.#tally.tokens : 0;
  }

  /** Characters were all given, however much of them was spoken. */
  reportedUsage(): ReportedUsage {
    const characters = this.#input.writer.asked?.characters;
    return {
      usage: this.#isInvalid ? null : this.#usage,
      isInvalid: this.#isInvalid,
      hasTextAfter: false,
      ...(typeof characters === 'number' ? { units: charactersOf(characters) } : {}),
    };
  }

  countTokens(): Promise<number> {
    return Promise.resolve(this.roughTokens());
  }

  keepAlive(): string {
    return this.#voice.keepAlive();
  }

  fail(error: ErrorObject): string {
    return this.#voice.fail(error);
  }

  ending(usage: TokenUsage | null): Buffer {
    if (this.isMute) return nothing;
    return (
      this.#held ?? Buffer.from(`data: ${JSON.stringify({ type: lastType, ...(usage === null ? {} : { usage: usageObject(usage) }) })}\n\n`)
    );
  }

  close(): void {
    this.#held = null;
  }
}

function usageObject(usage: TokenUsage): object {
  const input = inputTokens(usage);
  return { input_tokens: input, output_tokens: usage.output, total_tokens: input + usage.output };
}

function* eventsIn(events: Buffer): Generator<{ bytes: Buffer; event: FramedEvent | null }> {
  for (let from = 0; from < events.length;) {
    const end = endOfEvent(events, from);
    yield { bytes: events.subarray(from, end), event: eventIn(events, from, end) };
    from = end;
  }
}
