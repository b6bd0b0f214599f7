// Reading one's own tokens. The owner is always in the filter: a foreign token does not exist.
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { TokenRecord } from '#server/db/collections.ts';
import { readKey } from './present-token.ts';
import { exactTotal } from '#server/http/paging.ts';

const searchLimit = 100;
const searchStep = 200;

export function ownToken(userId: number, id: number): Filter {
  return { id, user_id: userId, DeletedAt: null };
}

export async function listTokens(
  { db }: AppContext,
  userId: number,
  { skip, limit }: { skip: number; limit: number },
): Promise<{ tokens: TokenRecord[]; total: number }> {
  const filter = { user_id: userId, DeletedAt: null };
  const total = await db.collection('tokens').count(filter, exactTotal);
  const tokens = skip >= total ? [] : await db.collection('tokens').find(filter, { sort: [['id', -1]], skip, limit });
  return { tokens, total };
}

export async function findToken({ db }: AppContext, userId: number, id: number): Promise<TokenRecord | null> {
  return db.collection('tokens').first(ownToken(userId, id));
}

/** Newest first, at most 100. Keys are stored encrypted, so a part of a key is looked for in the owner's decrypted ones. */
export async function searchTokens(
  context: AppContext,
  userId: number,
  { keyword, key }: { keyword: string | undefined; key: string | undefined },
): Promise<TokenRecord[]> {
  const wanted = (key ?? '').replace(/^sk-/, '').toLowerCase();
  const filter: Filter = { user_id: userId, DeletedAt: null, ...(keyword === undefined ? {} : { name: { contains: keyword } }) };
  const found: TokenRecord[] = [];
  let before: number | undefined;
  while (found.length < searchLimit) {
    const step: Filter = before === undefined ? filter : { ...filter, id: { lt: before } };
    const page = await context.db.collection('tokens').find(step, { sort: [['id', -1]], limit: searchStep });
    found.push(...page.filter((token) => wanted === '' || readKey(context, token).toLowerCase().includes(wanted)));
    before = page.at(-1)?.id;
    if (page.length < searchStep) break;
  }
  return found.slice(0, searchLimit);
}
