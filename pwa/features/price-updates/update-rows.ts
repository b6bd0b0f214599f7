import type { PriceGuard, PriceLine, PricePlan, PriceSyncOverview } from '#shared/price-sync.ts';

/** A change that waits for a person, or for its time. */
export interface UpdateRow {
  /** Unique among both. */
  key: string;
  model: string;
  lines: readonly PriceLine[];
  guards: readonly PriceGuard[];
  unplaced: readonly string[];
  provider: string;
  isNew: boolean;
  /** When it was found, or will be applied: unix seconds. */
  at: number;
  /** Absent: it is planned. */
  revision?: string;
  plan?: Pick<PricePlan, 'id' | 'state' | 'username'>;
}

/** Reviews first: those that a guard holds back, then the others; plans by their time. */
export function updateRows({ reviews, plans }: Pick<PriceSyncOverview, 'reviews' | 'plans'>): UpdateRow[] {
  const waiting = reviews.map(({ found_at: at, is_new: isNew, ...review }): UpdateRow => ({
    ...review,
    key: `model:${review.model}`,
    at,
    isNew,
  }));
  const planned = plans.map(({ id, model, lines, at, state, username, source }): UpdateRow => {
    const plan = { id, state, username };
    return { key: `plan:${id}`, model, lines, guards: [], unplaced: [], provider: source, isNew: false, at, plan };
  });
  const rank = ({ guards }: UpdateRow): number => (guards.length > 0 ? 0 : 1);
  return [...waiting.toSorted((one, other) => rank(one) - rank(other)), ...planned];
}
