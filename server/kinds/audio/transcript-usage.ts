// Usage of a transcription: tokens or seconds. https://platform.openai.com/docs/api-reference/audio/json-object
import { noTokens, type TokenUsage } from '#shared/token-usage.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { tokenCount } from '#server/formats/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { readPromptUsage } from '../prompt-usage.ts';
import { thousandthsOf } from './input-audio.ts';

export interface TranscriptUsage {
  /** Null if none is reported; undefined if the numbers are invalid. */
  usage: TokenUsage | null | undefined;
  /** Undefined if not reported. */
  seconds: number | undefined;
}

/** Reads the usage of a response or of a stream's last event. */
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

/** Parses a positive number; some providers write it as a string. */
function positive(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && number > 0 && number < longest ? number : undefined;
}
