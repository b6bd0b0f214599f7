// Usage of image calls: text and image tokens, in and out. https://platform.openai.com/docs/api-reference/images/object
import type { TokenUsage } from '#shared/token-usage.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { cachedMedia, mediaClasses, tokenCount } from '#server/formats/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { readPromptUsage } from '../prompt-usage.ts';

/**
 * Null if none is reported or all are zero; undefined if the numbers are invalid.
 * @param svg usage of the SVG author model, added to the image model's
 */
export function readPictureUsage(value: unknown, svg?: unknown): TokenUsage | null | undefined {
  const usage = readPromptUsage(value);
  const ofAuthor = readPromptUsage(svg);
  if (!isObject(value) || usage === null || usage === undefined || ofAuthor === undefined) return usage;
  const given = detailsOf(value.input_tokens_details ?? value.prompt_tokens_details);
  const made = detailsOf(value.output_tokens_details ?? value.completion_tokens_details);
  const cacheRead = Math.min(tokenCount(given.cached_tokens) ?? 0, usage.input);
  const media = { audio: 0, image: tokenCount(given.image_tokens) ?? 0, cached: cachedMedia(given.cached_tokens_details) };
  const written = Math.min(tokenCount(made.text_tokens) ?? 0, usage.output);
  return {
    ...usage,
    input: usage.input - cacheRead + (ofAuthor?.input ?? 0),
    cacheRead,
    output: usage.output + (ofAuthor?.output ?? 0),
    ...mediaClasses({ input: usage.input, cacheRead, ...media }),
    imageOutput: Math.min(tokenCount(made.image_tokens) ?? usage.output - written, usage.output),
  };
}

function detailsOf(value: unknown): Body {
  return isObject(value) ? value : {};
}
