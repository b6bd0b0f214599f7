// Translates thinking suffixes of model names to request fields.
import { isObject } from '#server/framing/loose-json.ts';
import { readClaudeEnding } from '../claude-suffixes.ts';
import type { ReasoningEffort } from '../parts.ts';
import { refusesBudgets, writeThinking } from './thinking.ts';

type Body = Readonly<Record<string, unknown>>;

/** Minimum `max_tokens` with a budget, and minimum tokens left for the response. */
const [leastMaxTokens, leastRest] = [1280, 256];

/**
 * Applies the suffix; returns the same body without one. Explicit thinking of the client takes precedence.
 * @param share share of `max_tokens` for thinking; null if names are sent unchanged
 */
export function adaptThinkingSuffix(body: Body, share: number | null): Body {
  const { model, max_tokens: limit } = body;
  const ended = share === null || typeof model !== 'string' ? null : readClaudeEnding(model);
  if (share === null || ended === null) return body;
  const cut = { ...body, model: ended.model };
  if (configuresThinking(body)) return cut;
  const maxTokens = Math.max(leastMaxTokens, typeof limit === 'number' ? limit : 0);
  const { top_p: _topP, temperature: _temperature, ...rest } = { ...cut, top_p: undefined, temperature: undefined };
  if (ended.effort !== null) return withEffort(body, { rest, model: ended.model, effort: ended.effort, maxTokens });
  if (refusesBudgets(cut.model)) return { ...rest, max_tokens: maxTokens, thinking: { type: 'adaptive', display: 'summarized' } };
  return { ...rest, max_tokens: maxTokens, temperature: 1, thinking: { type: 'enabled', budget_tokens: Math.floor(maxTokens * share) } };
}

/** Removes the suffix for token counts. */
export function cutThinkingSuffix(body: Body, share: number | null): Body {
  const { model } = body;
  const ended = share === null || typeof model !== 'string' ? null : readClaudeEnding(model);
  return ended === null ? body : { ...body, model: ended.model };
}

interface Effort {
  /** Body without fields that thinking models reject. */
  rest: Body;
  model: string;
  effort: ReasoningEffort;
  maxTokens: number;
}

/** Applies an effort; returns the same body if the model cannot think, whose names have no suffixes. */
function withEffort(body: Body, { rest, model, effort, maxTokens }: Effort): Body {
  const fields = writeThinking(model, { isOn: true, effort }, maxTokens);
  if (fields === null) return body;
  const { thinking, output_config: output } = fields;
  if (typeof thinking?.['budget_tokens'] === 'number') {
    const budget = Math.min(thinking['budget_tokens'], maxTokens - leastRest);
    return { ...rest, max_tokens: maxTokens, temperature: 1, thinking: { ...thinking, budget_tokens: budget } };
  }
  const config = isObject(body['output_config']) ? body['output_config'] : {};
  return { ...rest, max_tokens: maxTokens, thinking, ...(output === undefined ? {} : { output_config: { ...config, ...output } }) };
}

/** Returns the limit to which `max_tokens` is raised for a name with a suffix; 0 for other names. */
export function leastLimitOf(body: Body, model: string): number {
  return readClaudeEnding(model) !== null && !configuresThinking(body) ? leastMaxTokens : 0;
}

function configuresThinking({ thinking, output_config: output }: Body): boolean {
  return (thinking !== undefined && thinking !== null) || (isObject(output) && output['effort'] !== undefined);
}
