// Usage of this format: cached tokens are part of input, thinking is separate from output. https://ai.google.dev/api/interactions-api#Usage
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';

export function writeTokenUsage(usage: TokenUsage): Record<string, unknown> {
  const input = inputTokens(usage);
  const { cacheRead, output, reasoning, audioOutput, audioCacheRead, imageCacheRead } = usage;
  const [audio, image] = [usage.audioInput + audioCacheRead, usage.imageInput + imageCacheRead];
  const written = output - reasoning;
  return {
    total_input_tokens: input,
    input_tokens_by_modality: byModality({ text: Math.max(0, input - audio - image), audio, image }),
    total_cached_tokens: cacheRead,
    ...(audioCacheRead + imageCacheRead > 0
      ? {
          cached_tokens_by_modality: byModality({
            text: Math.max(0, cacheRead - audioCacheRead - imageCacheRead),
            audio: audioCacheRead,
            image: imageCacheRead,
          }),
        }
      : {}),
    total_output_tokens: written,
    output_tokens_by_modality: byModality({ text: Math.max(0, written - audioOutput), audio: audioOutput }),
    total_thought_tokens: reasoning,
    total_tool_use_tokens: 0,
    total_tokens: input + output,
  };
}

function byModality(tokens: Readonly<Record<string, number>>): { modality: string; tokens: number }[] {
  return Object.entries(tokens).flatMap(([modality, count]) => (count > 0 ? [{ modality, tokens: count }] : []));
}
