// Usage as a provider of the OpenAI shape reports it, believed only as far as it makes sense.
import type { Provider } from '#server/upstream/providers/spec.ts';
import { isObject } from '#server/framing/loose-json.ts';

/** All are whole numbers from 0. `promptTokens` includes the cached ones, `completionTokens` the reasoning. */
export interface Usage {
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  cachedTokens: number;
  cacheCreationTokens: number;
  reasoningTokens: number;
  promptAudioTokens: number;
  completionAudioTokens: number;
}

/** No single call uses more; a larger number is an upstream's fault. */
const LARGEST_COUNT = 1e9;

/**
 * Reads a `usage` object. Null when there is none, when it says that nothing was used (an answer always costs something),
 * or when its main numbers cannot be true: then usage is counted here. Absurd details only lose their meaning.
 */
export function readUsage(value: unknown, provider?: Provider | null): Usage | null {
  if (!isObject(value)) return null;
  const prompt = mainCount(value.prompt_tokens ?? value.input_tokens);
  const completion = mainCount(value.completion_tokens ?? value.output_tokens);
  const total = mainCount(value.total_tokens);
  if (prompt === null || completion === null || total === null) return null;
  // Embeddings and rerank services may report the total alone.
  const promptTokens = prompt ?? Math.max(0, (total ?? 0) - (completion ?? 0));
  let completionTokens = completion ?? 0;
  if (provider?.answers?.completionFromTotal === true && total !== undefined && total > promptTokens + completionTokens) {
    completionTokens = total - promptTokens;
  }
  if (total === 0 || promptTokens + completionTokens === 0) return null;

  const promptDetails = asRecord(value.prompt_tokens_details ?? value.input_tokens_details);
  const completionDetails = asRecord(value.completion_tokens_details ?? value.output_tokens_details);
  const cached = detail(promptDetails.cached_tokens) || detail(value.prompt_cache_hit_tokens) || detail(value.cached_tokens);
  const created = detail(promptDetails.cached_creation_tokens) || detail(promptDetails.cache_write_tokens);
  const cachedTokens = Math.min(cached, promptTokens);
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    cachedTokens,
    cacheCreationTokens: Math.min(created, promptTokens - cachedTokens),
    reasoningTokens: Math.min(detail(completionDetails.reasoning_tokens), completionTokens),
    promptAudioTokens: Math.min(detail(promptDetails.audio_tokens), promptTokens),
    completionAudioTokens: Math.min(detail(completionDetails.audio_tokens), completionTokens),
  };
}

/** True for a usage object whose main numbers cannot be counts of tokens: negative, fractional, no numbers, beyond reason. */
export function isAbsurdUsage(value: unknown): boolean {
  if (!isObject(value)) return value !== undefined && value !== null;
  const counts = [value.prompt_tokens ?? value.input_tokens, value.completion_tokens ?? value.output_tokens, value.total_tokens];
  return counts.some((count) => mainCount(count) === null);
}

/** A usage object in OpenAI's format, for clients whose upstream gave none or a wrong one. */
export function usageObject(usage: Usage): Record<string, unknown> {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.totalTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens, audio_tokens: usage.promptAudioTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens, audio_tokens: usage.completionAudioTokens },
  };
}

/** Undefined: not given. Null: cannot be a count. */
function mainCount(value: unknown): number | undefined | null {
  if (value === undefined || value === null) return undefined;
  return isCount(value) ? value : null;
}

function detail(value: unknown): number {
  return isCount(value) ? value : 0;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LARGEST_COUNT;
}

function asRecord(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
