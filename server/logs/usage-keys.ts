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

interface TokenCalls {
  userId: number;
  /** 0: calls without a token, such as those of the playground. */
  tokenId: number;
  tokenName: string;
}

/** Tokens are told apart by their ids, whatever they are called; calls without one by the name that they have instead. */
export function tokenUsageName({ userId, tokenId, tokenName }: TokenCalls): string {
  return tokenId === 0 ? `${userId}#0:${tokenName}` : `${userId}#${tokenId}`;
}

/** `tokenId` is absent in what earlier versions have summed, which goes by the names of tokens: of everybody's with the owner ahead, `7:key`. */
export function readTokenUsageName(name: string, ownerId: number | undefined): Partial<TokenCalls> & Pick<TokenCalls, 'userId'> {
  const [, userId, tokenId, tokenName] = /^(\d+)#(\d+)(?::([^]*))?$/.exec(name) ?? [];
  if (userId !== undefined) return { userId: Number(userId), tokenId: Number(tokenId), ...(tokenName === undefined ? {} : { tokenName }) };
  if (ownerId !== undefined) return { userId: ownerId, tokenName: name };
  const [owner = ''] = name.split(':', 1);
  return { userId: Number(owner), tokenName: name.slice(owner.length + 1) };
}
