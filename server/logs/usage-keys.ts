// Keys of the dashboard's sums, which go further back than the log's rows.
/** Dimension of the sums. */
export type UsageSplit = 'model' | 'channel' | 'user' | 'token';
/** `all`: a total. For one user, the sum over models. */
export type UsageKind = UsageSplit | 'all';

/** Key of hourly sums of all users, or of one with many calls in that hour. */
export function usageKey(kind: UsageKind, userId?: number): string {
  return userId === undefined ? kind : `u${userId}:${kind}`;
}

/** Key of daily sums, for keys with a dimension. */
export function usageDayKey(key: string): string | undefined {
  return key === usageKey('all') ? undefined : `d:${key}`;
}

interface TokenCalls {
  userId: number;
  /** 0 for calls without a token, such as the playground's. */
  tokenId: number;
  tokenName: string;
}

/** Identifies tokens by id, regardless of their name; calls without one by their replacement name. */
export function tokenUsageName({ userId, tokenId, tokenName }: TokenCalls): string {
  return tokenId === 0 ? `${userId}#0:${tokenName}` : `${userId}#${tokenId}`;
}

/**
 * `tokenId` is undefined in sums of earlier versions, which use token names, with the owner's id before it in sums of
 * all users: `7:key`.
 */
export function readTokenUsageName(name: string, ownerId: number | undefined): Partial<TokenCalls> & Pick<TokenCalls, 'userId'> {
  const [, userId, tokenId, tokenName] = /^(\d+)#(\d+)(?::([^]*))?$/.exec(name) ?? [];
  if (userId !== undefined) return { userId: Number(userId), tokenId: Number(tokenId), tokenName };
  if (ownerId !== undefined) return { userId: ownerId, tokenName: name };
  const [owner = ''] = name.split(':', 1);
  return { userId: Number(owner), tokenName: name.slice(owner.length + 1) };
}
