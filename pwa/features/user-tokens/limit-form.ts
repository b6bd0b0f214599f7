// What the form of a user's token holds, what is wrong with it, and what it sends: only what was changed.
import { type HeldLimit, heldLimits } from '#shared/tokens.ts';
import type { UserToken, UserTokenEdit } from '#shared/user-tokens.ts';
import { isLimitChanged, limitEdits, limitsOf, type TokenLimits } from '#pwa/records/tokens/token-limits.ts';

export interface LimitValues extends TokenLimits {
  held: HeldLimit[];
}

export function limitValuesOf(token: UserToken): LimitValues {
  return { ...limitsOf(token), held: [...(token.held ?? [])] };
}

/** The charged quota accompanies a new balance: together they identify the intended edit, however much calls have used since. */
export function limitBody(values: LimitValues, before: UserToken, revision: number): UserTokenEdit & { id: number; revision: number } {
  const held = heldLimits.filter((limit) => values.held.includes(limit));
  const { remain_quota: quota } = values;
  return {
    id: before.id,
    ...limitEdits(values, before),
    ...(quota === '' || quota === before.remain_quota ? {} : { remain_quota: quota, charged_quota: before.charged_quota ?? 0 }),
    ...(held.join(',') === (before.held ?? []).join(',') ? {} : { held }),
    revision,
  };
}

const compared = [
  'status',
  'remain_quota',
  'unlimited_quota',
  'expired_time',
  'model_limits_enabled',
  'model_limits',
  'allow_ips',
  'rate_limits',
  'budgets',
  'held',
] as const;
export type ComparedLimit = (typeof compared)[number];

/** Changes that others made while the form was open; a balance that only calls have moved is none. */
export function limitChanges(before: UserToken, now: UserToken): ComparedLimit[] {
  return compared.filter((field) => {
    if (field === 'remain_quota' || field === 'rate_limits' || field === 'budgets') return isLimitChanged(field, before, now);
    if (field === 'held') return (before.held ?? []).join(',') !== (now.held ?? []).join(',');
    return before[field] !== now[field];
  });
}
