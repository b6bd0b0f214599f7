import { hashKey, queryOptions } from '@tanstack/react-query';
import { z } from 'zod/mini';
import { type Token, tokenApi, TokenStatus } from '#shared/tokens.ts';
import { call } from '#pwa/api/call.ts';
import { wholeKey } from '#pwa/api/token-key.ts';
import { readAnswers, writeAnswer } from '#pwa/offline/database.ts';

export interface ChatKey {
  /** Of the token. */
  id: number;
  name: string;
  /** With `sk-`. */
  key: string;
}

const most = 100;

/** Keys that chat applications may receive. Never stored on the device. */
export const chatKeysQuery = (userId: number) =>
  queryOptions({
    queryKey: ['chat-keys', userId],
    queryFn: async ({ signal }): Promise<ChatKey[]> =>
      chatKeys(await call(tokenApi.list, { query: { p: 0, size: most }, signal }), Date.now()),
    gcTime: 0,
  });

/** Of the enabled tokens; those that are used up or have expired come last. `now`: milliseconds. */
export function chatKeys(tokens: readonly Token[], now: number): ChatKey[] {
  const enabled = tokens.filter((token) => token.status === TokenStatus.enabled && wholeKey(token) !== undefined);
  return [...enabled.filter((one) => isUsable(one, now)), ...enabled.filter((one) => !isUsable(one, now))].flatMap(chatKeyOf);
}

export function chatKeyOf(token: Token): ChatKey[] {
  const key = wholeKey(token);
  return key === undefined ? [] : [{ id: token.id, name: token.name, key }];
}

function isUsable({ unlimited_quota, remain_quota, expired_time }: Token, now: number): boolean {
  return (unlimited_quota || remain_quota > 0) && (expired_time === -1 || expired_time * 1000 > now);
}

/** Token id that each link received on this device, by the link's address at that time: another address needs a new consent. */
const Consents = z.record(z.string(), z.int());
export type Consents = z.infer<typeof Consents>;

/** Stored among the responses of this device, so that sign-out wipes it. Without a database every page load requests consent. */
export const consentsQuery = (userId: number) =>
  queryOptions({
    queryKey: ['chat-consents', userId],
    queryFn: async (): Promise<Consents> => {
      const answers = await readAnswers(userId).catch(() => []);
      const stored = Consents.safeParse(answers.find(({ hash }) => hash === hashKey(consentsKey))?.data);
      return stored.success ? stored.data : {};
    },
    staleTime: Infinity,
    networkMode: 'always',
  });

export async function storeConsents(userId: number, data: Consents): Promise<void> {
  await writeAnswer({ userId, hash: hashKey(consentsKey), queryKey: consentsKey, data, updatedAt: Date.now() }).catch(() => undefined);
}

const consentsKey = ['chat-consents'] as const;
