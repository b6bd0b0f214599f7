// Changes events of a stream in OpenAI's format. Most streams need none and are forwarded as bytes.
import type { Route } from '../route.ts';
import { restrictToFormat } from './force-format.ts';
import { includeReasoning } from './token-usage.ts';
import { createThinkingStream } from './thinking-to-content.ts';
import { parseObject } from '#server/framing/loose-json.ts';

export interface StreamTransform {
  /** Maps the data of one event to the client's data. Not for `[DONE]`. */
  event(data: string): readonly string[];
  /** Returns remaining data at the end, before `[DONE]`. */
  end(): readonly string[];
}

export interface StreamInput {
  route: Pick<Route, 'provider' | 'setting'>;
  upstreamModel: string;
  /** Whether the usage chunk is removed, because the client did not request it. */
  isUsageHidden: boolean;
}

/** Returns null if no event must be parsed; the usage chunk is then found in the bytes (`stream-bytes.ts`). */
export function createStreamTransform({ route, upstreamModel, isUsageHidden }: StreamInput): StreamTransform | null {
  const responses = route.provider.responses;
  const { thinkingToContent, forceFormat } = route.setting;
  if (responses === undefined && !thinkingToContent && !forceFormat) return null;

  const thinking = thinkingToContent ? createThinkingStream() : undefined;
  const write = (chunk: Record<string, unknown>) => JSON.stringify(forceFormat ? restrictToFormat(chunk) : chunk);
  return {
    event(data) {
      if (isUsageHidden && isUsageOnly(data)) return [];
      const chunk = parseObject(data);
      if (chunk === null || chunk.error !== undefined) return [data];
      if (responses?.tunedModel === true && (typeof chunk.model === 'string' || Array.isArray(chunk.choices))) chunk.model = upstreamModel;
      includeReasoning(chunk, responses);
      return (thinking?.chunk(chunk) ?? [chunk]).map(write);
    },
    end: () => (thinking?.end() ?? []).map(write),
  };
}

/**
 * Whether a chunk is the one that `stream_options.include_usage` adds: usage, and nothing in its choices. Chunks with content or a finish
 * reason are not. Some upstreams add one without choices and with `null`.
 */
export function isUsageOnly(data: string): boolean {
  if (!data.includes('"usage"')) return false;
  const chunk = parseObject(data);
  if (chunk === null || typeof chunk.usage !== 'object') return false;
  const { choices } = chunk;
  if (chunk.usage === null) return Array.isArray(choices) && choices.length === 0;
  return choices === undefined || choices === null || (Array.isArray(choices) && choices.every(isEmptyChoice));
}

function isEmptyChoice(choice: unknown): boolean {
  if (typeof choice !== 'object' || choice === null) return true;
  if ('finish_reason' in choice && choice.finish_reason !== null && choice.finish_reason !== undefined) return false;
  const delta = 'delta' in choice ? choice.delta : undefined;
  if (typeof delta !== 'object' || delta === null) return true;
  return Object.entries(delta).every(([name, value]) => name === 'role' || value === null || value === '');
}
