// Reading one's own tokens. The owner is always in the filter: a foreign token does not exist.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import { createFairQueue, QueueFull } from '#server/queues/fair-queue.ts';
import { sha256HashOfKey } from '#server/tokens/imported-keys.ts';
import { readKey } from './present-token.ts';
import { exactTotal, isBehind } from '#server/http/paging.ts';

const searchLimit = 100;
/** Tokens that are read and looked at in one go; the event loop runs between. */
const searchStep = 50;
/** If a user has more, only the newest are searched. */
const mostSearched = 20_000;
/** Searches are work for the event loop: a few at a time, each user in turn. */
const searches = createFairQueue({ atOnce: 4, places: 60, placesPerSource: 4 });
/** Seconds. */
const retryAfter = 2;

export function ownToken(userId: number, id: number): Filter<TokenRecord> {
  return { id, user_id: userId, DeletedAt: null };
}

/** `total` may be a count that stopped at `exactTotal + 1`. */
export async function listTokens(
  { db }: AppContext,
  userId: number,
  { skip, limit, where }: { skip: number; limit: number; where: Filter<TokenRecord> },
): Promise<{ tokens: TokenRecord[]; total: number }> {
  const filter: Filter<TokenRecord> = { ...where, user_id: userId, DeletedAt: null };
  const total = await db.collection('tokens').count(filter, exactTotal + 1);
  const tokens = isBehind(skip, total) ? [] : await db.collection('tokens').find(filter, { sort: [['id', -1]], skip, limit });
  return { tokens, total };
}

export async function findToken({ db }: AppContext, userId: number, id: number): Promise<TokenRecord | null> {
  return db.collection('tokens').first(ownToken(userId, id));
}

export interface TokenSearch {
  keyword: string | undefined;
  key: string | undefined;
  /** Tokens that the caller reaches. */
  where: Filter<TokenRecord>;
}

/**
 * Newest first, at most 100. Keys are stored encrypted, so a part of a key is looked for in the owner's decrypted ones.
 * @throws {AppError} `rate_limited` when too many wait
 */
export async function searchTokens(context: AppContext, userId: number, search: TokenSearch): Promise<TokenRecord[]> {
  try {
    return await searches.run(`user:${userId}`, () => lookThrough(context, userId, search));
  } catch (failure) {
    if (failure instanceof QueueFull) throw new AppError('rate_limited', {}, { cause: failure, retryAfter });
    throw failure;
  }
}

async function lookThrough(context: AppContext, userId: number, { keyword, key, where }: TokenSearch): Promise<TokenRecord[]> {
  const bare = (key ?? '').replace(/^sk-/, '');
  const wanted = bare.toLowerCase();
  const isWanted = (token: TokenRecord) =>
    token.key_ending === undefined
      ? readKey(context, token).toLowerCase().includes(wanted)
      : token.key_ending.toLowerCase().includes(wanted) || token.key_hash === sha256HashOfKey(bare);
  const filter: Filter<TokenRecord> = {
    ...where,
    user_id: userId,
    DeletedAt: null,
    ...(keyword === undefined ? {} : { name: { contains: keyword } }),
  };
  const found: TokenRecord[] = [];
  let before: number | undefined;
  for (let seen = 0; found.length < searchLimit && seen < mostSearched; seen += searchStep) {
    const step: Filter<TokenRecord> = before === undefined ? filter : { ...filter, id: { lt: before } };
    const page = await context.db.collection('tokens').find(step, { sort: [['id', -1]], limit: searchStep });
    found.push(...page.filter((token) => wanted === '' || isWanted(token)));
    before = page.at(-1)?.id;
    if (page.length < searchStep) break;
    await nextTurn();
  }
  return found.slice(0, searchLimit);
}
