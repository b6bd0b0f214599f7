// Model of the first call: one that can be called and has a price.
import type { PricingEntry } from '#shared/models.ts';
import { type CallableKind, callableKind, isSmall } from '#pwa/api/chat-models.ts';

export interface CallableModels {
  /** The first is what the guide proposes. */
  names: string[];
  /** Offered to the group, but without a price: calls are refused. */
  unpriced: string[];
}

interface Wanted {
  group: string;
  /** Models without a price may be called too. */
  allowsUnpriced: boolean;
  /** In the order in which the channels have them; empty where the reader does not see channels. */
  ofChannels: readonly string[];
}

/** What is the simplest to see an answer of comes first, what takes minutes last. */
export const kindOrder: readonly CallableKind[] = [
  'chat',
  'completion',
  'embedding',
  'rerank',
  'moderation',
  'transcript',
  'speech',
  'picture',
  'video',
  'drawing',
  'music',
];

export function callableModels(entries: readonly PricingEntry[], { group, allowsUnpriced, ofChannels }: Wanted): CallableModels {
  const offered = entries.filter((entry) => entry.enable_groups.includes(group));
  const known = offered.filter((entry) => callableKind(entry.model_name) !== undefined);
  const unpriced = known.filter((entry) => !entry.has_price).map((entry) => entry.model_name);
  const callable = known.filter((entry) => entry.has_price || allowsUnpriced);
  const place = new Map(ofChannels.map((model, index) => [model, index]));
  const rank = ({ model_name: name, model_ratio: ratio, quota_type: kind }: PricingEntry): number[] => [
    kindOrder.indexOf(callableKind(name) ?? 'chat'),
    kind,
    isSmall(name) ? 0 : 1,
    ratio,
    place.get(name) ?? ofChannels.length,
  ];
  const sorted = callable.map((entry) => ({ name: entry.model_name, rank: rank(entry) })).toSorted((a, b) => compare(a.rank, b.rank));
  return { names: sorted.map(({ name }) => name), unpriced };
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
