import { queryOptions } from '@tanstack/react-query';
import { type Token, tokenApi, TokenStatus } from '#shared/tokens.ts';
import { call } from '#pwa/api/call.ts';
import { wholeKey } from '#pwa/api/token-key.ts';

export interface ChatKey {
  /** With `sk-`. */
  key: string;
  /** Of the token. */
  name: string;
}

const most = 100;

/** The key that chat applications are given; null: no token is enabled. Never kept on the device. */
export const chatKeyQuery = (userId: number) =>
  queryOptions({
    queryKey: ['chat-key', userId],
    queryFn: async ({ signal }): Promise<ChatKey | null> =>
      chatKey(await call(tokenApi.list, { query: { p: 0, size: most }, signal }), Date.now()),
    gcTime: 0,
  });

/** The first enabled token; one that is used up or has expired only where there is no other. `now`: milliseconds. */
export function chatKey(tokens: readonly Token[], now: number): ChatKey | null {
  const enabled = tokens.filter((token) => token.status === TokenStatus.enabled && wholeKey(token) !== undefined);
  const token = enabled.find((one) => isUsable(one, now)) ?? enabled[0];
  const key = token === undefined ? undefined : wholeKey(token);
  return token === undefined || key === undefined ? null : { key, name: token.name };
}

function isUsable({ unlimited_quota, remain_quota, expired_time }: Token, now: number): boolean {
  return (unlimited_quota || remain_quota > 0) && (expired_time === -1 || expired_time * 1000 > now);
}
