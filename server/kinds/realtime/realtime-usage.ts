// Reads the usage of `response.done`: each input class includes its cached tokens.
// https://platform.openai.com/docs/guides/realtime-costs
import { noTokens, type TokenUsage } from '#shared/token-usage.ts';
import { cachedMedia, mediaClasses, tokenCount } from '#server/formats/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';

/** All tokens read and generated, by class, cached or not: the context of the next turn. */
export interface TurnTokens {
  text: number;
  audio: number;
  image: number;
}

/** Null if none is reported or the numbers are invalid. */
export function readRealtimeUsage(value: unknown): { usage: TokenUsage; context: TurnTokens } | null {
  if (!isObject(value)) return null;
  const [input, output, total] = [value.input_tokens, value.output_tokens, value.total_tokens].map((reported) =>
    reported === undefined || reported === null ? 0 : tokenCount(reported),
  );
  if (input === undefined || output === undefined || total === undefined) return null;
  const read = recordIn(value.input_token_details ?? value.input_tokens_details);
  const written = recordIn(value.output_token_details ?? value.output_tokens_details);
  const cached = Math.min(count(read.cached_tokens), input);
  const audioRead = Math.min(count(read.audio_tokens), input);
  const imageRead = Math.min(count(read.image_tokens), input - audioRead);
  const ofCached = cachedMedia(read.cached_tokens_details);
  const audioOutput = Math.min(count(written.audio_tokens), output);
  const usage: TokenUsage = {
    ...noTokens,
    input: input - cached,
    cacheRead: cached,
    output,
    reasoning: Math.min(count(written.reasoning_tokens), output),
    audioOutput,
    ...mediaClasses({ input, cacheRead: cached, audio: audioRead, image: imageRead, cached: ofCached }),
  };
  const audio = audioRead + audioOutput;
  return { usage, context: { text: Math.max(0, input + output - audio - imageRead), audio, image: imageRead } };
}

function count(value: unknown): number {
  return tokenCount(value) ?? 0;
}

function recordIn(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
