// Thinking control in OpenAI's fields by model: other models reject the fields.
import { factsOf } from '#server/model-facts/find-facts.ts';
import { efforts } from '#server/model-facts/model-record.ts';
import type { ModelFacts, Thinking } from '#server/model-facts/model-facts.ts';
import type { ReasoningEffort, ReasoningWish } from './parts.ts';
import type { RequestField } from './request-fields.ts';

const ofOpenAiKind: ReadonlySet<string> = new Set(['openai', 'gpt-oss', 'xai']);

/** OpenAI's reasoning models: their token limit includes thinking, and thinking is returned encrypted. */
export function reasons(model: string): boolean {
  const facts = factsOf(model);
  return facts !== undefined && ofOpenAiKind.has(facts.owner) && facts.thinking?.efforts !== undefined;
}

/** Whether hosts of OpenAI's formats accept an effort for the model. */
export function takesEffort(model: string): boolean {
  return factsOf(model)?.thinking?.efforts !== undefined;
}

/**
 * Returns the requested effort or the nearest that the model supports. If undefined, the model's default. If null, the model has no effort
 * setting.
 */
export function effortOf(wish: ReasoningWish, model: string): ReasoningEffort | null | undefined {
  const { isOn, effort, budgetTokens } = wish;
  const { efforts: taken = usual, effortsAs } = factsOf(model)?.thinking ?? {};
  if (!isOn) return taken[0] ?? null;
  if (taken.length === 0) return effort === undefined && budgetTokens === undefined ? undefined : null;
  const intended = effort ?? effortOfBudget(budgetTokens);
  return intended === undefined ? undefined : nearestEffort(intended, taken, effortsAs);
}

/** For unknown models. */
const usual: readonly ReasoningEffort[] = ['minimal', 'low', 'medium', 'high', 'xhigh'];

/** Maps a token budget to an effort. */
export function effortOfBudget(tokens: number | undefined): ReasoningEffort | undefined {
  if (tokens === undefined) return undefined;
  return tokens <= 4096 ? 'low' : tokens <= 16_384 ? 'medium' : 'high';
}

/**
 * Returns the vendor's mapping of an effort, or the highest supported one below it. Requested thinking stays on, at the lowest effort if
 * necessary. If undefined, the model supports none.
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

/** Whether the written effort satisfies the request. A budget mapped to an effort does. */
export function isAsWished({ isOn, effort }: ReasoningWish, written: string | null | undefined): boolean {
  if (written === null) return false;
  if (!isOn) return written === undefined || written === 'none';
  return effort === undefined || written === effort;
}

/** Field that the request used. */
export function fieldOf({ isOn, effort, budgetTokens }: ReasoningWish): RequestField {
  if (effort !== undefined) return 'effort';
  return budgetTokens === undefined && isOn ? 'effort' : 'thinking_budget';
}

/** Whether the model thinks at that upstream effort. If undefined, the request has none. */
export function isThinking(facts: ModelFacts, effort: unknown): boolean {
  const { thinking } = facts;
  if (thinking === null) return false;
  return effort === undefined || effort === null ? !thinking.isOffByDefault : effort !== 'none';
}

/** Whether the model rejects sampling fields at that effort. */
export function refusesSampling(facts: ModelFacts, effort: unknown): boolean {
  return facts.sampling === 'refused' || (facts.sampling === 'idle' && isThinking(facts, effort));
}

/** Returns undefined for an unknown effort. */
export function effortNamed(text: unknown): ReasoningEffort | undefined {
  return efforts.find((one) => one === text);
}
