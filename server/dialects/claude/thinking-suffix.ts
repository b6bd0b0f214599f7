// Model names that end in `-thinking`: the ending is cut off and the model is told to think.

import { refusesBudgets } from './thinking.ts';

type Body = Readonly<Record<string, unknown>>;

const ending = '-thinking';
/** What a request with a budget needs at least. */
const leastMaxTokens = 1280;

/**
 * The body for such a name, and the very same for any other. A client that has said how much to think is left alone.
 * @param share of `max_tokens` that the model may spend on thoughts; null: names are sent as they are
 */
export function adaptThinkingSuffix(body: Body, share: number | null): Body {
  const { model, max_tokens: limit, thinking } = body;
  if (share === null || typeof model !== 'string' || !hasEnding(model)) return body;
  const cut = { ...body, model: model.slice(0, -ending.length) };
  if (thinking !== undefined && thinking !== null) return cut;
  const maxTokens = Math.max(leastMaxTokens, typeof limit === 'number' ? limit : 0);
  const { top_p: _topP, temperature: _temperature, ...rest } = { ...cut, top_p: undefined, temperature: undefined };
  if (refusesBudgets(cut.model)) return { ...rest, max_tokens: maxTokens, thinking: { type: 'adaptive', display: 'summarized' } };
  return { ...rest, max_tokens: maxTokens, temperature: 1, thinking: { type: 'enabled', budget_tokens: Math.floor(maxTokens * share) } };
}

/** Tokens below which a limit of a request for that name is raised on its way to Claude; 0: it is not. */
export function leastLimitOf({ thinking }: Body, model: string): number {
  return hasEnding(model) && (thinking === undefined || thinking === null) ? leastMaxTokens : 0;
}

function hasEnding(model: string): boolean {
  return model.endsWith(ending) && model.length > ending.length;
}
