// How the dashboard's sums are named. They go further back than the rows of the log, which may be deleted.
/** What calls are told apart by. */
export type UsageSplit = 'model' | 'channel' | 'user' | 'token';
/** `all`: one sum of everything. Of one user that is the sum over the models. */
export type UsageKind = UsageSplit | 'all';

/** The key of the hours of everybody, or of one user who called much in that hour. */
export function usageKey(kind: UsageKind, userId?: number): string {
  return userId === undefined ? kind : `u${userId}:${kind}`;
}

/** The key of days: of what tells calls apart. */
export function usageDayKey(key: string): string | undefined {
  return key === usageKey('all') ? undefined : `d:${key}`;
}

/** Names of tokens are their owner's affair: of everybody's tokens the owner is a part of the name. */
export function ownedTokenName(userId: number, tokenName: string): string {
  return `${userId}:${tokenName}`;
}
