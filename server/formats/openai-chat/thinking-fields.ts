// Thinking fields of a provider: a switch, a budget, an effort, or those that the model supports.
import type { ModelFacts, Thinking } from '#server/model-facts/model-facts.ts';
import type { ReasoningEffort, ReasoningWish } from '../parts.ts';
import type { ThinkingWords } from '../provider-traits.ts';
import { effortOfBudget, nearestEffort } from '../reasoning-models.ts';

export interface WrittenThinking {
  fields: Readonly<Record<string, unknown>>;
  /** Whether the fields satisfy the request, possibly by equivalent fields. */
  isAsWished: boolean;
}

export function writeThinkingFields(wish: ReasoningWish, { thinking }: ModelFacts, words: ThinkingWords): WrittenThinking {
  if (thinking === null) return { fields: {}, isAsWished: !wish.isOn };
  return wish.isOn ? fieldsOn(wish, thinking, words) : fieldsOff(thinking, words);
}

function fieldsOff(thinking: Thinking, words: ThinkingWords): WrittenThinking {
  const efforts = words.efforts ?? thinking.efforts ?? [];
  if (!thinking.isAlwaysOn) {
    const off = switched(words, false);
    if (off !== null) return { fields: off, isAsWished: true };
    if (efforts.includes('none')) return { fields: { reasoning_effort: 'none' }, isAsWished: true };
  }
  const least = efforts.find((one) => one !== 'none');
  return { fields: least === undefined ? {} : { reasoning_effort: least }, isAsWished: false };
}

function fieldsOn({ effort, budgetTokens }: ReasoningWish, thinking: Thinking, words: ThinkingWords): WrittenThinking {
  const efforts = words.efforts ?? thinking.efforts ?? [];
  const on = thinking.isAlwaysOn ? {} : (switched(words, true) ?? {});
  const tokens = effort === undefined || efforts.length === 0 ? (budgetTokens ?? tokensOf(effort)) : undefined;
  if (words.budget !== undefined && thinking.budget !== undefined && tokens !== undefined) {
    const { least, most } = thinking.budget;
    return { fields: { ...on, [words.budget]: Math.min(most, Math.max(least, tokens)) }, isAsWished: true };
  }
  const intended = effort ?? effortOfBudget(budgetTokens);
  const written =
    intended === undefined ? undefined : nearestEffort(intended, efforts, words.efforts === undefined ? thinking.effortsAs : {});
  const said = written === undefined ? {} : { reasoning_effort: written };
  // Without a budget, a model with one thinks at its maximum.
  const isMost = words.budget !== undefined && thinking.budget !== undefined && efforts.length === 0;
  return {
    fields: { ...on, ...said },
    isAsWished: intended === undefined || isMost || (written !== undefined && (effort === undefined || written === effort)),
  };
}

/** Returns null if the provider has no switch. */
function switched({ toggle }: ThinkingWords, isOn: boolean): Record<string, unknown> | null {
  if (toggle === undefined) return null;
  if (toggle.field === 'enable_thinking') return { enable_thinking: isOn };
  return { thinking: { type: isOn ? toggle.on : 'disabled' } };
}

const shares: Readonly<Partial<Record<ReasoningEffort, number>>> = { minimal: 1024, low: 4096, medium: 16_384, high: 32_768 };

/** Returns the token budget of an effort; undefined for no limit. */
function tokensOf(effort: ReasoningEffort | undefined): number | undefined {
  return effort === undefined ? undefined : shares[effort];
}
