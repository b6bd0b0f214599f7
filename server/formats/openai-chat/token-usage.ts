// Usage of this format, with cached tokens in the prompt and reasoning in the completion; implausible values are ignored.
import { isObject } from '#server/framing/loose-json.ts';
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import { reportedCost } from '../reported-cost.ts';
import { cachedMedia, mediaClasses, noMedia, outputWithReasoning, tokenCount } from '../token-usage.ts';

/** Cache writes in OpenRouter, Alibaba (https://www.alibabacloud.com/help/en/model-studio/context-cache) and LiteLLM. */
const writtenNames = ['cached_creation_tokens', 'cache_write_tokens', 'cache_creation_input_tokens', 'cache_creation_tokens'];

export interface UsageQuirks {
  /** `completion_tokens` excludes reasoning: the output is `total_tokens − prompt_tokens`. */
  completionFromTotal?: boolean;
}

/**
 * Usage of a response or an event: at the top, in Groq's object (https://console.groq.com/docs/api-reference), or in the choice (Moonshot).
 */
export function usageOf(body: Record<string, unknown>): unknown {
  const { usage, x_groq: groq, choices } = body;
  if (usage !== undefined && usage !== null) return usage;
  if (isObject(groq) && isObject(groq.usage)) return groq.usage;
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isObject(first) && isObject(first.usage) ? first.usage : usage;
}

/**
 * Returns null if there is no usage, if it is zero (no response is free), or if its main counts are implausible: tokens are then counted
 * locally. Implausible details are ignored.
 */
export function readTokenUsage(value: unknown, quirks?: UsageQuirks): TokenUsage | null {
  const usage = readUsage(value, quirks);
  return usage === 'invalid' ? null : usage;
}

/** Same as `readTokenUsage`, but returns `invalid` if the main counts are implausible. */
export function readUsage(value: unknown, quirks?: UsageQuirks): TokenUsage | null | 'invalid' {
  if (!isObject(value)) return value === undefined || value === null ? null : 'invalid';
  const total = mainCount(value.total_tokens);
  // Embeddings and rerank services may report the total only.
  const completion = mainCount(value.completion_tokens ?? value.output_tokens);
  const input = mainCount(value.prompt_tokens ?? value.input_tokens);
  if (total === null || completion === null || input === null) return 'invalid';
  const reported = completion ?? 0;
  const prompt = input ?? Math.max(0, (total ?? 0) - reported);
  const details = recordIn(value.prompt_tokens_details ?? value.input_tokens_details);
  const outputDetails = recordIn(value.completion_tokens_details ?? value.output_tokens_details);
  const reasoning = reasoningIn(value, outputDetails);
  let output = reported;
  if (quirks?.completionFromTotal === true && total !== undefined && total > prompt + reported) output = total - prompt;
  else if (reasoning > 0) output = outputWithReasoning({ input: prompt, output: reported, reasoning, total });
  if (total === 0 || prompt + output === 0) return null;

  const read = count(details.cached_tokens) || count(value.prompt_cache_hit_tokens) || count(value.cached_tokens);
  const written = details === none ? 0 : writtenIn(details);
  const cacheRead = Math.min(read, prompt);
  const allWritten = Math.min(written, prompt - cacheRead);
  const cacheWrite1h = allWritten === 0 ? 0 : Math.min(count(recordIn(details.cache_creation).ephemeral_1h_input_tokens), allWritten);
  const audio = details === none ? 0 : count(details.audio_tokens);
  const image = details === none ? 0 : count(details.image_tokens);
  const media =
    audio + image === 0
      ? noMedia
      : mediaClasses({ input: prompt, cacheRead, audio, image, cached: cachedMedia(details.cached_tokens_details) });
  const usage: TokenUsage = {
    input: prompt - cacheRead - allWritten,
    cacheRead,
    cacheWrite5m: allWritten - cacheWrite1h,
    cacheWrite1h,
    output,
    reasoning: Math.min(reasoning, output),
    audioInput: media.audioInput,
    audioOutput: outputDetails === none ? 0 : Math.min(count(outputDetails.audio_tokens), output),
    imageInput: media.imageInput,
    imageOutput: outputDetails === none ? 0 : Math.min(count(outputDetails.image_tokens), output),
    audioCacheRead: media.audioCacheRead,
    imageCacheRead: media.imageCacheRead,
  };
  const cost = value.cost === undefined && value.cost_in_usd_ticks === undefined ? undefined : reportedCost(value);
  if (cost !== undefined) usage.cost = cost;
  // https://docs.perplexity.ai/api-reference/sonar-post
  const searches = value.num_search_queries === undefined ? undefined : tokenCount(value.num_search_queries);
  if (searches !== undefined) usage.searches = searches;
  return usage;
}

/** Adds separately reported reasoning tokens to the completion of a body or stream event. @returns whether the body changed */
export function includeReasoning(body: Record<string, unknown>, quirks?: UsageQuirks): boolean {
  const reported = usageOf(body);
  if (!isObject(reported)) return false;
  // A reported completion without reasoning needs no change.
  const details = recordIn(reported.completion_tokens_details ?? reported.output_tokens_details);
  const isPlain = tokenCount(reported.completion_tokens) !== undefined && reasoningIn(reported, details) === 0;
  if (isPlain && quirks?.completionFromTotal !== true) return false;
  const usage = readTokenUsage(reported, quirks);
  if (usage === null) return false;
  const field = reported.completion_tokens === undefined && reported.output_tokens !== undefined ? 'output_tokens' : 'completion_tokens';
  const isSeparate = (tokenCount(reported[field]) ?? 0) < usage.output;
  if (isSeparate) reported[field] = usage.output;
  const split = reported.completion_tokens_details;
  const isSplit = isObject(split) && (isSeparate || quirks?.completionFromTotal === true);
  if (isSplit) split.text_tokens = usage.output - usage.reasoning;
  return isSeparate || isSplit;
}

/** Returns undefined if absent, null if negative, fractional, not a number, or too large. */
function mainCount(value: unknown): number | null | undefined {
  return value === undefined || value === null ? undefined : (tokenCount(value) ?? null);
}

export function writeTokenUsage(usage: TokenUsage): Record<string, unknown> {
  const prompt = inputTokens(usage);
  const pictures = usage.imageInput + usage.imageCacheRead;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
      audio_tokens: usage.audioInput + usage.audioCacheRead,
      ...writtenCachedMedia(usage),
      ...(pictures > 0 ? { image_tokens: pictures } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: usage.audioOutput,
      ...(usage.imageOutput > 0 ? { image_tokens: usage.imageOutput } : {}),
    },
  };
}

/** Not a chat field of OpenAI, but of its realtime API: lets the next gateway price cached media. */
function writtenCachedMedia({ cacheRead, audioCacheRead: audio, imageCacheRead: image }: TokenUsage): Record<string, unknown> {
  if (audio + image === 0) return {};
  return { cached_tokens_details: { text_tokens: cacheRead - audio - image, audio_tokens: audio, image_tokens: image } };
}

/** Returns the first nonzero number. */
function writtenIn(details: Readonly<Record<string, unknown>>): number {
  for (let index = 0; index < writtenNames.length; index += 1) {
    const reported = details[writtenNames[index] ?? ''];
    const written = reported === undefined || reported === 0 ? 0 : count(reported);
    if (written > 0) return written;
  }
  return 0;
}

/** Returns the reasoning tokens: at the top for SGLang and Perplexity, otherwise in the details. */
function reasoningIn(usage: Record<string, unknown>, details: Readonly<Record<string, unknown>>): number {
  const { reasoning_tokens: within } = details;
  const { reasoning_tokens: apart } = usage;
  return (within === undefined ? 0 : count(within)) || (apart === undefined ? 0 : count(apart));
}

function count(value: unknown): number {
  return value === undefined || value === 0 ? 0 : (tokenCount(value) ?? 0);
}

/** Shared empty details. */
const none: Readonly<Record<string, unknown>> = {};

function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : none;
}
