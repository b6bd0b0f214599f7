// Streams a transcript to the caller: events pass as bytes, and usage is read from the last one.
// https://platform.openai.com/docs/api-reference/audio/transcript-text-delta-event
import type { StreamInput } from '#server/formats/identity.ts';
import type { ReportedUsage } from '#server/formats/stream-pipe.ts';
import { type PassingEvent, PassingStream } from '../passing-stream.ts';
import { isByTokens, minutesOf } from './input-audio.ts';
import { readTranscriptUsage } from './transcript-usage.ts';

const lastType = 'transcript.text.done';

export class TranscriptStream extends PassingStream {
  readonly #isByTokens: boolean;
  #seconds: number | undefined;

  constructor(input: StreamInput) {
    super(input);
    this.#isByTokens = isByTokens(input.upstreamModel);
    const seconds = input.writer.requested?.seconds;
    this.#seconds = typeof seconds === 'number' ? seconds : undefined;
  }

  protected take({ bytes, reported }: PassingEvent, isOwned: boolean, forClient: Buffer[]): 'more' | 'complete' {
    if (reported?.type !== lastType) {
      if (this.#isByTokens && typeof reported?.delta === 'string') this.input.tally.add(reported.delta);
      return this.passOn(bytes, forClient);
    }
    this.held = isOwned ? bytes : Buffer.from(bytes);
    const { usage, seconds } = readTranscriptUsage(reported);
    this.isInvalid = usage === undefined;
    this.usage = usage ?? null;
    this.#seconds = seconds ?? this.#seconds;
    return 'complete';
  }

  roughTokens(): number {
    return this.input.tally.roughTokens;
  }

  /** The whole sound is billed, however much of it was transcribed. */
  reportedUsage(): ReportedUsage {
    return {
      usage: this.usage,
      isInvalid: this.isInvalid,
      hasTextAfter: false,
      ...(this.#seconds === undefined ? {} : { units: minutesOf(this.#seconds) }),
    };
  }

  override countTokens(): Promise<number> {
    return this.input.tally.countTokens();
  }

  override close(): void {
    super.close();
    this.input.tally.clear();
  }
}
