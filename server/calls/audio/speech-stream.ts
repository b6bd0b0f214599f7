// Sound on its way to its caller, as bytes or in events, whichever way it comes. Events tell at their end what it took; bytes are measured.
// https://platform.openai.com/docs/api-reference/audio/speech-audio-delta-event
import { inputTokens } from '#shared/token-usage.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { StreamInput } from '#server/dialects/identity.ts';
import type { ErrorInResponse, ReportedUsage } from '#server/dialects/stream-pipe.ts';
import { soundEvent } from '#server/framing/sound-splitter.ts';
import { PassingStream } from '../passing-stream.ts';
import type { PassingEvent } from '../passing-stream.ts';
import { readPromptUsage } from '../prompt-usage.ts';
import { speechFormOf } from './forms/registry.ts';
import { mute, wantsEvents } from './speech-client.ts';
import { charactersOf, speaksTokens, SpokenTally } from './spoken-sound.ts';

const [deltaType, lastType] = ['speech.audio.delta', 'speech.audio.done'];
const nothing = Buffer.alloc(0);

export class SpeechStream extends PassingStream {
  readonly isMute: boolean;
  readonly #tally: SpokenTally;
  /** As the provider bills them. */
  #characters: number | undefined;
  /** Bytes come: their end is all there is of one. */
  #isRaw = false;

  constructor(input: StreamInput) {
    const isMute = !wantsEvents(input.writer.asked ?? {});
    super(input, isMute ? mute : undefined);
    this.isMute = isMute;
    this.#tally = new SpokenTally(input.writer.asked?.response_format, input.upstreamModel);
  }

  protected override isOfFormat(event: PassingEvent): boolean {
    return event.name === soundEvent || super.isOfFormat(event);
  }

  protected override errorIn(event: PassingEvent): ErrorInResponse | null {
    return event.name === soundEvent ? null : super.errorIn(event);
  }

  protected override passOn(bytes: Buffer, forClient: Buffer[]): 'more' {
    return this.isMute ? 'more' : super.passOn(bytes, forClient);
  }

  protected take({ bytes, name, data, told }: PassingEvent, isOwned: boolean, forClient: Buffer[]): 'more' | 'complete' {
    if (name === soundEvent) {
      this.#isRaw = true;
      return this.#tell(data, forClient);
    }
    const event = isOwned ? bytes : Buffer.from(bytes);
    if (told?.type === lastType) {
      this.held = event;
      this.#noteUsage(told.usage);
      return 'complete';
    }
    if (told?.type === deltaType && typeof told.audio === 'string') return this.#tell(told.audio, forClient, event);
    return this.passOn(event, forClient);
  }

  /** @param event the one that brought it, if its provider did not send bytes */
  #tell(base64: string, forClient: Buffer[], event?: Buffer): 'more' {
    const sound = Buffer.from(base64, 'base64');
    this.#tally.add(sound);
    if (this.isMute) forClient.push(sound);
    else forClient.push(event ?? Buffer.from(`data: {"type":"${deltaType}","audio":"${base64}"}\n\n`, 'latin1'));
    return 'more';
  }

  #noteUsage(told: unknown): void {
    const usage = readPromptUsage(told);
    this.isInvalid = usage === undefined;
    this.usage = usage === undefined || usage === null ? null : { ...usage, audioOutput: usage.output };
    const { speech } = this.input.way.provider;
    const isCounted = speechFormOf(speech)?.countsCharacters === true && !speaksTokens(this.input.upstreamModel);
    if (isCounted && this.usage !== null) this.#characters = this.usage.input;
  }

  /** Not every provider has a last event of its own. */
  protected override isWhole(): boolean {
    return true;
  }

  override hasFinished(): boolean {
    return this.#isRaw || this.held !== null;
  }

  /** As far as it came. */
  roughTokens(): number {
    return speaksTokens(this.input.upstreamModel) ? this.#tally.tokens : 0;
  }

  /** Characters were all given, however much of them was spoken. */
  reportedUsage(): ReportedUsage {
    const characters = this.#characters ?? this.input.writer.asked?.characters;
    return {
      usage: this.isInvalid ? null : this.usage,
      isInvalid: this.isInvalid,
      hasTextAfter: false,
      ...(typeof characters === 'number' ? { units: charactersOf(characters) } : {}),
    };
  }

  override ending(usage: TokenUsage | null): Buffer {
    if (this.isMute) return nothing;
    return (
      this.held ?? Buffer.from(`data: ${JSON.stringify({ type: lastType, ...(usage === null ? {} : { usage: usageObject(usage) }) })}\n\n`)
    );
  }
}

function usageObject(usage: TokenUsage): object {
  const input = inputTokens(usage);
  return { input_tokens: input, output_tokens: usage.output, total_tokens: input + usage.output };
}
