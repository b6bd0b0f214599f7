// Combines reports of token usage, and reads token counts from untrusted values.
import { isObject } from '#server/framing/loose-json.ts';
import type { HostedCalls } from '#shared/hosted-tools.ts';
import { tierNamed } from '#shared/service-tiers.ts';
import { type AdviceUsage, inputTokens, noTokens, type TokenUsage } from '#shared/token-usage.ts';
import type { MainCount, ResponsePart, UpstreamErrorObject } from './parts.ts';
import type { ReportedUsage } from './stream-pipe.ts';

export function withUsage(before: TokenUsage | null, reported: Partial<TokenUsage>): TokenUsage {
  return { ...noTokens, ...before, ...reported };
}

/** Usage reported so far for one response. Later reports replace earlier ones class by class. */
export class UsageSoFar {
  #usage: Partial<TokenUsage> = {};
  /** Main counts whose last report is implausible. */
  readonly #invalid = new Set<MainCount>();

  #hosted: HostedCalls | undefined;
  #summaries: TokenUsage | undefined;
  #advice: readonly AdviceUsage[] | undefined;
  #unknownEnding: string | undefined;

  note(part: ResponsePart): void {
    if (part.type === 'hosted_usage') this.#hosted = { ...this.#hosted, ...part.calls };
    if (part.type === 'summary_usage') this.#summaries = part.usage;
    if (part.type === 'advice_usage') this.#advice = part.advice;
    if (part.type === 'finish') this.#unknownEnding = part.unknown;
    if (part.type === 'invalid_usage') for (const count of part.counts) this.#refuse(count);
    if (part.type !== 'usage') return;
    Object.assign(this.#usage, part.usage);
    for (const count of this.#invalid) if (part.usage[count] !== undefined) this.#invalid.delete(count);
  }

  /** Notes usage that an error reports. Zeros are classes that it omits, and replace nothing. */
  noteBilled(usage: TokenUsage): void {
    this.note({ type: 'usage', usage: Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== 0)) });
  }

  #refuse(count: MainCount): void {
    this.#invalid.add(count);
    delete this.#usage[count];
  }

  /** @param hasTextAfter whether the model wrote text after its output was reported */
  report(hasTextAfter: boolean): ReportedUsage {
    const reported = this.#tokens(hasTextAfter);
    if (this.#hosted !== undefined) reported.hosted = this.#hosted;
    if (this.#summaries !== undefined) reported.summaries = this.#summaries;
    if (this.#advice !== undefined) reported.advice = this.#advice;
    if (this.#unknownEnding !== undefined) reported.unknownEnding = this.#unknownEnding;
    return reported;
  }

  #tokens(hasTextAfter: boolean): ReportedUsage {
    // An implausible count that text follows was a placeholder.
    if (this.#invalid.size > 0) return { usage: null, isInvalid: !hasTextAfter, hasTextAfter: false };
    const usage = withUsage(null, this.#usage);
    return { usage: inputTokens(usage) + usage.output > 0 ? usage : null, isInvalid: false, hasTextAfter };
  }
}

/** Adds the usage that a provider bills for an error; none if it is zero or implausible. */
export function withBilled<E extends UpstreamErrorObject>(error: E, parts: readonly ResponsePart[]): E {
  if (parts.length === 0) return error;
  const reported = new UsageSoFar();
  for (const part of parts) reported.note(part);
  const { usage } = reported.report(false);
  return usage === null ? error : { ...error, usage };
}

/** Adds the tier that the provider reports. */
export function withTier<U extends Partial<TokenUsage> | null>(usage: U, reported: unknown): U {
  const tier = usage === null || reported === undefined ? undefined : tierNamed(reported);
  return tier === undefined ? usage : { ...usage, tier };
}

interface InputMedia {
  /** All input tokens, cached ones included; `cacheRead`: cached ones. */
  input: number;
  cacheRead: number;
  /** Audio and image tokens in `input`. */
  audio: number;
  image: number;
  /** Media tokens in `cacheRead`; null if not reported. The cache is then assumed to contain text first. */
  cached: Readonly<Record<'audio' | 'image', number>> | null;
}

export const noMedia = { audioInput: 0, imageInput: 0, audioCacheRead: 0, imageCacheRead: 0 };

/** Separately priced input classes, for formats whose input includes cached tokens. */
export function mediaClasses(reported: InputMedia): Pick<TokenUsage, 'audioInput' | 'imageInput' | 'audioCacheRead' | 'imageCacheRead'> {
  if (reported.audio === 0 && reported.image === 0) return noMedia;
  const { input, cacheRead, cached } = reported;
  const audio = Math.min(reported.audio, input);
  const image = Math.min(reported.image, input - audio);
  const beyondText = Math.max(0, cacheRead - (input - audio - image));
  const audioCacheRead = Math.min(cached?.audio ?? beyondText, audio, cacheRead);
  const imageCacheRead = Math.min(cached?.image ?? beyondText - audioCacheRead, image, cacheRead - audioCacheRead);
  return {
    audioInput: Math.min(audio - audioCacheRead, input - cacheRead),
    imageInput: Math.min(image - imageCacheRead, input - cacheRead),
    audioCacheRead,
    imageCacheRead,
  };
}

/** Reads OpenAI's `cached_tokens_details`; null if there are none. */
export function cachedMedia(details: unknown): InputMedia['cached'] {
  if (!isObject(details)) return null;
  return { audio: tokenCount(details['audio_tokens']) ?? 0, image: tokenCount(details['image_tokens']) ?? 0 };
}

/** Maximum plausible count of a call; a larger number is a fault of the provider. */
const largestCount = 1e9;

/** Some providers report numbers as texts. */
const plainInteger = /^\d{1,10}$/;

/** Returns a token count; undefined if the value is none. */
export function tokenCount(value: unknown): number | undefined {
  const number = typeof value === 'string' && plainInteger.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= largestCount ? number : undefined;
}

interface ReportedOutput {
  /** Input, cached tokens included. */
  input: number;
  output: number;
  reasoning: number;
  total: unknown;
}

/**
 * Adds reasoning for providers that report it outside the completion, which only the total shows: Grok on Azure, Gemini on Vertex and
 * several models of OpenRouter. Sources: github.com/vercel/ai/issues/12425, github.com/theopenco/llmgateway/issues/3735.
 */
export function outputWithReasoning({ input, output, reasoning, total }: ReportedOutput): number {
  return reasoning > 0 && tokenCount(total) === input + output + reasoning ? output + reasoning : output;
}

/** Reports whether a value is present and not a valid count. */
export function isInvalidCount(value: unknown): boolean {
  return value !== undefined && value !== null && tokenCount(value) === undefined;
}

/** Part for a usage that is present but invalid. */
export const invalidUsage: readonly ResponsePart[] = [{ type: 'invalid_usage', counts: ['input', 'output'] }];

/** Returns a part for the invalid main counts, or nothing. */
export function invalidCounts(reported: Readonly<Record<MainCount, unknown>>): ResponsePart[] {
  const counts = (['input', 'output'] as const).filter((count) => isInvalidCount(reported[count]));
  return counts.length === 0 ? [] : [{ type: 'invalid_usage', counts }];
}

/** Reads two counts, of formats that report zeros if nothing was counted. */
export function mainUsage(reported: Readonly<Record<MainCount, unknown>>): ResponsePart[] {
  const invalid = invalidCounts(reported);
  if (invalid.length > 0) return invalid;
  const input = tokenCount(reported.input) ?? 0;
  return input === 0 ? [] : [{ type: 'usage', usage: { input, output: tokenCount(reported.output) ?? 0 } }];
}
