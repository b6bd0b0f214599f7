// What the next question may cost, before it is sent.
import { quotaOf, type Price } from '#shared/pricing.ts';
import type { Conversation } from '#pwa/offline/conversation.ts';
import { wordsOf } from './request-body.ts';
import { roughTokens } from './rough-cost.ts';

interface PricedModel {
  price: Price | undefined;
  /** Of the group that pays. */
  groupRatio: number | undefined;
}

export interface CostBefore {
  /** Quota of what is sent, about. */
  question: number;
  /** Quota of a thousand tokens of each answer. */
  perThousand: number;
  /** Quota at most, where the length of answers is limited; undefined: it is not. */
  most: number | undefined;
}

/** Undefined: the price of a chosen model is unknown here. */
export function costBefore(
  { turns, settings }: Pick<Conversation, 'turns' | 'settings'>,
  typed: string,
  models: readonly PricedModel[],
  quotaPerUnit: number,
): CostBefore | undefined {
  const limit = settings.max_tokens;
  let sum: CostBefore | undefined;
  for (const [column, { price, groupRatio }] of models.entries()) {
    if (price === undefined || groupRatio === undefined) return undefined;
    const words = turns.flatMap((turn) => [wordsOf(turn), turn.answers[column]?.text ?? '']);
    const promptTokens = roughTokens([settings.system, ...words, typed].join('\n'));
    const of = (completionTokens: number): number => quotaOf({ promptTokens, completionTokens }, price, groupRatio, quotaPerUnit);
    const question = of(0);
    sum = {
      question: (sum?.question ?? 0) + question,
      perThousand: (sum?.perThousand ?? 0) + of(1000) - question,
      most: limit === null ? undefined : (sum?.most ?? 0) + of(limit),
    };
  }
  return sum;
}
