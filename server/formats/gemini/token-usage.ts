// Usage of this format: cached tokens are part of the prompt; thinking is separate from output, and tool prompts from both.
// https://ai.google.dev/api/generate-content#UsageMetadata
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { MainCount, ResponsePart } from '../parts.ts';
import { isInvalidCount, mediaClasses, tokenCount, withTier } from '../token-usage.ts';

/** Reads a usage object. A stream repeats it with every event, up to its output so far. */
export function usageParts(value: unknown): ResponsePart[] {
  const counts = invalidCounts(value);
  if (counts.length > 0) return [{ type: 'invalid_usage', counts }];
  const usage = isObject(value) ? readTokenUsage(value) : {};
  return Object.keys(usage).length === 0 ? [] : [{ type: 'usage', usage }];
}

function readTokenUsage(value: Readonly<Record<string, unknown>>): Partial<TokenUsage> {
  const usage: Partial<TokenUsage> = {};
  const prompt = tokenCount(value.promptTokenCount);
  const ofTools = count(value.toolUsePromptTokenCount);
  const total = tokenCount(value.totalTokenCount);
  if (prompt !== undefined) {
    const input = prompt + ofTools;
    usage.cacheRead = Math.min(count(value.cachedContentTokenCount), input);
    usage.input = input - usage.cacheRead;
    const details = [value.promptTokensDetails, value.toolUsePromptTokensDetails];
    const ofCache = value.cacheTokensDetails;
    const cached = Array.isArray(ofCache) ? { audio: ofModality([ofCache], 'AUDIO'), image: ofModality([ofCache], 'IMAGE') } : null;
    const [audio, image] = [ofModality(details, 'AUDIO'), ofModality(details, 'IMAGE')];
    Object.assign(usage, mediaClasses({ input, cacheRead: usage.cacheRead, audio, image, cached }));
  }
  const thoughts = count(value.thoughtsTokenCount);
  const reported = count(value.candidatesTokenCount) + thoughts;
  // Some servers omit thinking, others count it twice; the total is what is billed.
  const output = total !== undefined && prompt !== undefined && total > 0 ? Math.max(0, total - prompt - ofTools) : reported;
  if (output > 0 || value.candidatesTokenCount !== undefined || value.thoughtsTokenCount !== undefined) {
    usage.output = output;
    usage.reasoning = Math.min(thoughts, output);
    usage.audioOutput = Math.min(ofModality([value.candidatesTokensDetails], 'AUDIO'), output);
    usage.imageOutput = Math.min(ofModality([value.candidatesTokensDetails], 'IMAGE'), output - usage.audioOutput);
  }
  // Google's API reports the tier, Vertex the traffic type. https://ai.google.dev/gemini-api/docs/priority-inference
  return withTier(usage, value.serviceTier ?? value.trafficType);
}

function count(value: unknown): number {
  return tokenCount(value) ?? 0;
}

function ofModality(lists: readonly unknown[], modality: string): number {
  let sum = 0;
  for (const list of lists) {
    if (!Array.isArray(list)) continue;
    for (const reported of list) if (isObject(reported) && reported.modality === modality) sum += count(reported.tokenCount);
  }
  return sum;
}

function invalidCounts(value: unknown): MainCount[] {
  if (!isObject(value)) return value === undefined || value === null ? [] : ['input', 'output'];
  const counts: MainCount[] = [];
  if (isInvalidCount(value.promptTokenCount)) counts.push('input');
  if (isInvalidCount(value.candidatesTokenCount) || isInvalidCount(value.thoughtsTokenCount) || isInvalidCount(value.totalTokenCount))
    counts.push('output');
  return counts;
}

export function writeTokenUsage(usage: TokenUsage): Record<string, unknown> {
  const prompt = inputTokens(usage);
  const { cacheRead, audioCacheRead, imageCacheRead } = usage;
  return {
    promptTokenCount: prompt,
    ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
    candidatesTokenCount: usage.output - usage.reasoning,
    ...(usage.reasoning > 0 ? { thoughtsTokenCount: usage.reasoning } : {}),
    totalTokenCount: prompt + usage.output,
    promptTokensDetails: byModality(prompt, usage.audioInput + audioCacheRead, usage.imageInput + imageCacheRead),
    ...(cacheRead > 0 ? { cacheTokensDetails: byModality(cacheRead, audioCacheRead, imageCacheRead) } : {}),
    ...(usage.audioOutput > 0 ? { candidatesTokensDetails: detail('AUDIO', usage.audioOutput) } : {}),
  };
}

/** Splits a count by modality: tokens that are neither audio nor image are text. */
function byModality(all: number, audio: number, image: number): { modality: string; tokenCount: number }[] {
  return [...detail('TEXT', Math.max(0, all - audio - image)), ...detail('AUDIO', audio), ...detail('IMAGE', image)];
}

function detail(modality: string, tokens: number): { modality: string; tokenCount: number }[] {
  return tokens > 0 ? [{ modality, tokenCount: tokens }] : [];
}
