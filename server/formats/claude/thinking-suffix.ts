// Model names whose ending says how much the model shall think: the ending is cut off, and the model is told.
import { isObject } from '#server/framing/loose-json.ts';
import { readClaudeEnding } from '../claude-endings.ts';
import type { ReasoningEffort } from '../parts.ts';
import { refusesBudgets, writeThinking } from './thinking.ts';

type Body = Readonly<Record<string, unknown>>;

/** What a request with a budget needs at least, and what of it is left for the response. */
const [leastMaxTokens, leastRest] = [1280, 256];

/**
 * The body for such a name, and the very same for any other. A client that has said how much to think is left alone.
 * @param share of `max_tokens` that the model may spend on thoughts; null: names are sent as they are
 */
export function adaptThinkingSuffix(body: Body, share: number | null): Body {
  const { model, max_tokens: limit } = body;
  const ended = share === null || typeof model !== 'string' ? null : readClaudeEnding(model);
  if (share === null || ended === null) return body;
  const cut = { ...body, model: ended.model };
  if (saysHow(body)) return cut;
  const maxTokens = Math.max(leastMaxTokens, typeof limit === 'number' ? limit : 0);
  const { top_p: _topP, temperature: _temperature, ...rest } = { ...cut, top_p: undefined, temperature: undefined };
  if (ended.effort !== null) return withEffort(body, { rest, model: ended.model, effort: ended.effort, maxTokens });
  if (refusesBudgets(cut.model)) return { ...rest, max_tokens: maxTokens, thinking: { type: 'adaptive', display: 'summarized' } };
  return { ...rest, max_tokens: maxTokens, temperature: 1, thinking: { type: 'enabled', budget_tokens: Math.floor(maxTokens * share) } };
}

/** The name alone, where a prompt is only counted. */
export function cutThinkingSuffix(body: Body, share: number | null): Body {
  const { model } = body;
  const ended = share === null || typeof model !== 'string' ? null : readClaudeEnding(model);
  return ended === null ? body : { ...body, model: ended.model };
}

interface Effort {
  /** The body without what a thinking model refuses. */
  rest: Body;
  model: string;
  effort: ReasoningEffort;
  maxTokens: number;
}

/** Models that cannot think have no such names. */
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

/** Tokens below which a limit of a request for that name is raised on its way to Claude; 0: it is not. */
export function leastLimitOf(body: Body, model: string): number {
  return readClaudeEnding(model) !== null && !saysHow(body) ? leastMaxTokens : 0;
}

function saysHow({ thinking, output_config: output }: Body): boolean {
  return (thinking !== undefined && thinking !== null) || (isObject(output) && output['effort'] !== undefined);
}
