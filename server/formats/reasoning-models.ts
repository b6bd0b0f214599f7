// Decides by model which of OpenAI's thinking fields are sent: models without them reject the fields.
import { factsOf } from '#server/model-facts/find-facts.ts';
import { efforts } from '#server/model-facts/model-record.ts';
import type { ModelFacts, Thinking } from '#server/model-facts/model-facts.ts';
import type { ReasoningEffort, ReasoningWish } from './parts.ts';
import type { RequestField } from './request-fields.ts';

const ofOpenAiKind: ReadonlySet<string> = new Set(['openai', 'gpt-oss', 'xai']);

/** Reports whether the model is one of OpenAI's reasoning models. Their token limit includes thinking, which is encrypted. */
export function reasons(model: string): boolean {
  const facts = factsOf(model);
  return facts !== undefined && ofOpenAiKind.has(facts.owner) && facts.thinking?.efforts !== undefined;
}

/** Reports whether hosts of OpenAI's formats accept an effort for the model. */
export function takesEffort(model: string): boolean {
  return factsOf(model)?.thinking?.efforts !== undefined;
}

/**
 * Returns the requested effort or the nearest that the model supports; undefined for the model's default, null if the model
 * has no efforts.
 */
export function effortOf(wish: ReasoningWish, model: string): ReasoningEffort | null | undefined {
  const { isOn, effort, budgetTokens } = wish;
  const { efforts: taken = usual, effortsAs } = factsOf(model)?.thinking ?? {};
  if (!isOn) return taken[0] ?? null;
  if (taken.length === 0) return effort === undefined && budgetTokens === undefined ? undefined : null;
  const intended = effort ?? effortOfBudget(budgetTokens);
  return intended === undefined ? undefined : nearestEffort(intended, taken, effortsAs);
}

/** Efforts of unknown models. */
const usual: readonly ReasoningEffort[] = ['minimal', 'low', 'medium', 'high', 'xhigh'];

/** Maps a token budget to an effort. */
export function effortOfBudget(tokens: number | undefined): ReasoningEffort | undefined {
  if (tokens === undefined) return undefined;
  return tokens <= 4096 ? 'low' : tokens <= 16_384 ? 'medium' : 'high';
}

/**
 * Returns the vendor's mapping of an effort, or the highest supported one below it. Requested thinking remains on, at the
 * lowest effort if necessary. Returns undefined if the model supports none.
 */
export function nearestEffort(
  intended: ReasoningEffort,
  taken: readonly ReasoningEffort[],
  takenAs: Thinking['effortsAs'] = {},
): ReasoningEffort | undefined {
  if (taken.includes(intended)) return intended;
  const other = takenAs[intended];
  if (other !== undefined) return other;
  const thinking = taken.filter((one) => one !== 'none');
  return thinking.findLast((one) => efforts.indexOf(one) <= efforts.indexOf(intended)) ?? thinking[0];
}

/** Reports whether the written effort satisfies the request; a budget mapped to an effort does. */
export function isAsWished({ isOn, effort }: ReasoningWish, written: string | null | undefined): boolean {
  if (written === null) return false;
  if (!isOn) return written === undefined || written === 'none';
  return effort === undefined || written === effort;
}

/** Returns the field that requested the thinking. */
export function fieldOf({ isOn, effort, budgetTokens }: ReasoningWish): RequestField {
  if (effort !== undefined) return 'effort';
  return budgetTokens === undefined && isOn ? 'effort' : 'thinking_budget';
}

/** Reports whether the model thinks at the effort that is sent; undefined for none. */
export function isThinking(facts: ModelFacts, effort: unknown): boolean {
  const { thinking } = facts;
  if (thinking === null) return false;
  return effort === undefined || effort === null ? !thinking.isOffByDefault : effort !== 'none';
}

/** Reports whether the model rejects sampling fields at that effort. */
export function refusesSampling(facts: ModelFacts, effort: unknown): boolean {
  return facts.sampling === 'refused' || (facts.sampling === 'idle' && isThinking(facts, effort));
}

/** Returns undefined for an unknown effort. */
export function effortNamed(text: unknown): ReasoningEffort | undefined {
  return efforts.find((one) => one === text);
}
