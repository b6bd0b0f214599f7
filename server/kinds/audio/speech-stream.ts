// Streams sound to the caller, as bytes or as events. Events report usage at their end; bytes are measured. Vendor
// events are read by `SpeechFormat.readEvent`.
// https://platform.openai.com/docs/api-reference/audio/speech-audio-delta-event
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import type { StreamInput } from '#server/formats/identity.ts';
import type { ErrorInResponse, ReportedUsage } from '#server/formats/stream-pipe.ts';
import { soundEvent } from '#server/framing/sound-splitter.ts';
import { type PassingEvent, PassingStream } from '../passing-stream.ts';
import { readPromptUsage } from '../prompt-usage.ts';
import { speechFormatOf } from './vendors/registry.ts';
import type { SpeechFormat, ReportedPiece } from './speech-format.ts';
import { mute, wantsEvents } from './speech-client.ts';
import { billedCharacters, charactersOf, speaksTokens, SpokenTally } from './spoken-sound.ts';
import { samplesAt } from './wav-head.ts';

const [deltaType, lastType] = ['speech.audio.delta', 'speech.audio.done'];
const nothing = Buffer.alloc(0);
const noSound: ErrorInResponse = { status: 502, message: 'The provider has sent no sound', type: 'server_error', param: '', code: null };

export class SpeechStream extends PassingStream {
  readonly isMute: boolean;
  readonly #tally: SpokenTally;
  /** Characters as the provider bills them. */
  #characters: number | undefined;
  /** Whether the upstream sends raw bytes, which have no end event. */
  #isRaw = false;
  readonly #form: SpeechFormat | null;
  #hasSound = false;
  #hasEnded = false;
  /**
   * Bytes of a WAV file before its samples, of which callers of `pcm` get the samples alone. If undefined, everything
   * is passed on.
   */
  #head: Buffer | undefined;

  constructor(input: StreamInput) {
    const isMute = !wantsEvents(input.writer.requested ?? {});
    super(input, isMute ? mute : undefined);
    this.isMute = isMute;
    this.#tally = new SpokenTally(input.writer.requested?.response_format, input.upstreamModel);
    this.#form = speechFormatOf(input.route.provider.speech);
    if (this.#form?.headsSamples === true && input.writer.requested?.response_format === 'pcm') this.#head = nothing;
  }

  protected override isOfFormat(event: PassingEvent): boolean {
    return event.name === soundEvent || this.#pieceIn(event) !== null || super.isOfFormat(event);
  }

  /** An end without any sound counts as an error. */
  protected override errorIn(event: PassingEvent): ErrorInResponse | null {
    if (event.name === soundEvent) return null;
    const reported = this.#reported(event);
    const error = reported !== null && 'error' in reported ? reported.error : super.errorIn(event);
    if (error !== null || this.#hasSound) return error;
    const piece = this.#pieceIn(event);
    return piece?.isLast === true && (piece.sound ?? nothing).length === 0 ? noSound : null;
  }

  #reported({ reported }: PassingEvent): ReturnType<NonNullable<SpeechFormat['readEvent']>> {
    return reported === null ? null : (this.#form?.readEvent?.(reported) ?? null);
  }

  #pieceIn(event: PassingEvent): ReportedPiece | null {
    const reported = this.#reported(event);
    return reported === null || 'error' in reported ? null : reported;
  }

  protected override passOn(bytes: Buffer, forClient: Buffer[]): 'more' {
    return this.isMute ? 'more' : super.passOn(bytes, forClient);
  }

  protected take({ bytes, name, data, reported }: PassingEvent, isOwned: boolean, forClient: Buffer[]): 'more' | 'complete' {
    if (name === soundEvent) {
      this.#isRaw = true;
      return this.#report(Buffer.from(data, 'base64'), forClient);
    }
    const piece = this.#pieceIn({ bytes, name, data, reported });
    if (piece !== null) return this.#takeOwn(piece, forClient);
    const event = isOwned ? bytes : Buffer.from(bytes);
    if (reported?.type === lastType) {
      this.held = event;
      this.#noteUsage(reported.usage);
      return 'complete';
    }
    if (reported?.type === deltaType && typeof reported.audio === 'string')
      return this.#report(Buffer.from(reported.audio, 'base64'), forClient, event);
    return this.#form?.readEvent === undefined ? this.passOn(event, forClient) : 'more';
  }

  /** Handles an event in the vendor's format; only its sound is forwarded. */
  #takeOwn({ sound: reported = nothing, isLast = false, usage = null }: ReportedPiece, forClient: Buffer[]): 'more' | 'complete' {
    const sound = isLast && this.#hasSound ? nothing : this.#behindHead(reported);
    if (sound.length > 0) this.#report(sound, forClient);
    if (!isLast) return 'more';
    this.#hasEnded = true;
    this.usage = usage;
    this.#noteCharacters();
    return 'complete';
  }

  #behindHead(sound: Buffer): Buffer {
    if (this.#head === undefined) return sound;
    const file = Buffer.concat([this.#head, sound]);
    const start = samplesAt(file);
    if (start === undefined) {
      this.#head = file;
      return nothing;
    }
    this.#head = undefined;
    return file.subarray(start ?? 0);
  }

  /** @param event the event that contained the sound, if the provider sends events */
  #report(sound: Buffer, forClient: Buffer[], event?: Buffer): 'more' {
    this.#hasSound = true;
    this.#tally.add(sound);
    if (this.isMute) forClient.push(sound);
    else forClient.push(event ?? Buffer.from(`data: {"type":"${deltaType}","audio":"${sound.toString('base64')}"}\n\n`, 'latin1'));
    return 'more';
  }

  #noteUsage(reported: unknown): void {
    const usage = readPromptUsage(reported);
    this.isInvalid = usage === undefined;
    this.usage = usage === undefined || usage === null ? null : { ...usage, audioOutput: usage.output };
    this.#noteCharacters();
  }

  #noteCharacters(): void {
    const isCounted = this.#form?.countsCharacters === true && !speaksTokens(this.input.upstreamModel);
    if (isCounted && this.usage !== null) this.#characters = this.usage.input;
  }

  /** Some providers send no last event. */
  protected override isWhole(): boolean {
    return true;
  }

  override hasFinished(): boolean {
    return this.#isRaw || this.#hasEnded || this.held !== null;
  }

  /** Tokens of the sound received so far. */
  roughTokens(): number {
    return speaksTokens(this.input.upstreamModel) ? this.#tally.tokens : 0;
  }

  /** All characters of the request are billed, however many were spoken. */
  reportedUsage(): ReportedUsage {
    const characters = this.#characters ?? billedCharacters(this.input.upstreamModel, this.input.writer.requested ?? {});
    return {
      usage: this.isInvalid ? null : this.usage,
      isInvalid: this.isInvalid,
      hasTextAfter: false,
      ...(characters === undefined ? {} : { units: charactersOf(characters) }),
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
