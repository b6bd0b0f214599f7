// Which models are told in OpenAI's words how much to think, and by which of them: others refuse it.
import { factsOf } from '#server/model-facts/find-facts.ts';
import { efforts } from '#server/model-facts/model-record.ts';
import type { ModelFacts, Thinking } from '#server/model-facts/model-facts.ts';
import type { ReasoningEffort, ReasoningWish } from './parts.ts';
import type { RequestField } from './request-fields.ts';

const ofOpenAiKind: ReadonlySet<string> = new Set(['openai', 'gpt-oss', 'xai']);

/** Models of OpenAI's kind: their limit counts what they think, and they hand out their thoughts encrypted. */
export function reasons(model: string): boolean {
  const facts = factsOf(model);
  return facts !== undefined && ofOpenAiKind.has(facts.owner) && facts.thinking?.efforts !== undefined;
}

/** Whether hosts of any vendor's models in OpenAI's formats can tell it how much to think. */
export function takesEffort(model: string): boolean {
  return factsOf(model)?.thinking?.efforts !== undefined;
}

/**
 * The effort that is meant, in OpenAI's words, or the nearest that the model takes; undefined: as much as the model does by itself.
 * Null: the model cannot be told.
 */
export function effortOf(wish: ReasoningWish, model: string): ReasoningEffort | null | undefined {
  const { isOn, effort, budgetTokens } = wish;
  const { efforts: taken = usual, effortsAs } = factsOf(model)?.thinking ?? {};
  if (!isOn) return taken[0] ?? null;
  if (taken.length === 0) return effort === undefined && budgetTokens === undefined ? undefined : null;
  const intended = effort ?? effortOfBudget(budgetTokens);
  return intended === undefined ? undefined : nearestEffort(intended, taken, effortsAs);
}

/** Of models of which nothing is known. */
const usual: readonly ReasoningEffort[] = ['minimal', 'low', 'medium', 'high', 'xhigh'];

/** What a number of tokens to think comes to as an effort. */
export function effortOfBudget(tokens: number | undefined): ReasoningEffort | undefined {
  if (tokens === undefined) return undefined;
  return tokens <= 4096 ? 'low' : tokens <= 16_384 ? 'medium' : 'high';
}

/**
 * What its vendor takes an effort for, or the most that is not above what is meant. Who wants thoughts gets some, and who wants none gets the fewest.
 * Undefined: the model takes none.
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

/** Whether the model thinks as its caller has said. A budget that becomes an effort is the same wish in other words. */
export function isAsWished({ isOn, effort }: ReasoningWish, written: string | null | undefined): boolean {
  if (written === null) return false;
  if (!isOn) return written === undefined || written === 'none';
  return effort === undefined || written === effort;
}

/** By which field a wish is said. */
export function fieldOf({ isOn, effort, budgetTokens }: ReasoningWish): RequestField {
  if (effort !== undefined) return 'effort';
  return budgetTokens === undefined && isOn ? 'effort' : 'thinking_budget';
}

/** By an effort as it goes upstream; undefined: the request names none. */
export function isThinking(facts: ModelFacts, effort: unknown): boolean {
  const { thinking } = facts;
  if (thinking === null) return false;
  return effort === undefined || effort === null ? !thinking.isOffByDefault : effort !== 'none';
}

/** Whether fields of sampling are refused beside that effort. */
export function refusesSampling(facts: ModelFacts, effort: unknown): boolean {
  return facts.sampling === 'refused' || (facts.sampling === 'idle' && isThinking(facts, effort));
}

/** Undefined: no format knows such an effort. */
export function effortNamed(text: unknown): ReasoningEffort | undefined {
  return efforts.find((one) => one === text);
}
