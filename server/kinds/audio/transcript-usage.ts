// What a provider tells of a sound that it wrote down: tokens, or how long it is. https://platform.openai.com/docs/api-reference/audio/json-object
import { noTokens } from '#shared/token-usage.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { Body } from '#server/formats/strict-fields.ts';
import { tokenCount } from '#server/formats/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { readPromptUsage } from '../prompt-usage.ts';
import { thousandthsOf } from './input-audio.ts';

export interface TranscriptUsage {
  /** Null: none is told; undefined: it cannot be true. */
  usage: TokenUsage | null | undefined;
  /** Undefined: it is not told. */
  seconds: number | undefined;
}

/** Of a response, or of the last event of a stream. */
export function readTranscriptUsage({ usage: reported, duration }: Body): TranscriptUsage {
  const usage = isObject(reported) && reported.type === 'duration' ? null : readPromptUsage(reported);
  const seconds = secondsIn(reported) ?? positive(duration);
  if (usage === null) return { usage: seconds === undefined ? null : { ...noTokens, input: thousandthsOf(seconds) }, seconds };
  if (usage === undefined || !isObject(reported)) return { usage, seconds };
  const details = reported.input_token_details ?? reported.input_tokens_details ?? reported.prompt_tokens_details;
  const audio = isObject(details) ? (tokenCount(details.audio_tokens) ?? 0) : 0;
  return { usage: { ...usage, audioInput: Math.min(audio, usage.input) }, seconds };
}

function secondsIn(reported: unknown): number | undefined {
  return isObject(reported) ? (positive(reported.seconds) ?? positive(reported.prompt_audio_seconds)) : undefined;
}

const longest = 7 * 24 * 3600;

/** A number, also as a text: some write it so. */
function positive(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && number > 0 && number < longest ? number : undefined;
}
