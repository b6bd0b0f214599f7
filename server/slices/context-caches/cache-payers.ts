// Records which keys paid for a cache's time. Any key of the owner may extend it; each is refunded the unused part of
// its payment.
import type { ContextCacheRecord } from '#server/db/records/context-cache.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { spansOf } from './cache-price.ts';

/** Time that one key paid for, without a gap. Unix seconds and quota. */
export interface CachePayer {
  token_id: number;
  token_name: string;
  from: number;
  until: number;
  paid: number;
  /** Part of `paid` that counts against the key's own quota. */
  token_paid: number;
}

const mostPayers = 100;
const tooManyPayers = {
  zh: `不能再延长：密钥已轮流付费 ${mostPayers} 次`,
  en: `cannot be extended: its keys have paid in turn ${mostPayers} times`,
};

/** Returns the payers in the order of the time that they paid for. */
export function payersOf(cache: ContextCacheRecord): readonly CachePayer[] {
  const { payers = '', token_id, token_name, created_at: from, paid, token_paid } = cache;
  if (payers === '') return [{ token_id, token_name, from, until: paidUntil(cache), paid, token_paid }];
  const known: readonly CachePayer[] = JSON.parse(payers);
  return known;
}

export function paidUntil(cache: ContextCacheRecord): number {
  return spansOf(cache).at(-1)?.until ?? cache.expires_at;
}

/** Returns the payer of the pending charge. */
export function pendingPayer(cache: ContextCacheRecord): Pick<CachePayer, 'token_id' | 'token_name'> {
  const { pending_token_id: id = cache.token_id, pending_token_name: name = cache.token_name } = cache;
  return { token_id: id, token_name: name };
}

/** @throws {AppError} `invalid_request` if the key would be one payer too many */
export function checkPayers(cache: ContextCacheRecord, tokenId: number): void {
  const payers = payersOf(cache);
  if (payers.length >= mostPayers && payers.at(-1)?.token_id !== tokenId) throw badField('ttl', tooManyPayers);
}

/** Returns the fields that record the pending charge; none while the creating key has paid for everything. */
export function withPayment(
  cache: ContextCacheRecord,
  { until, paid, token_paid }: Pick<CachePayer, 'until' | 'paid' | 'token_paid'>,
): Pick<ContextCacheRecord, 'payers'> {
  const { payers = '', state } = cache;
  const payer = pendingPayer(cache);
  if (state === 'paying' || (payers === '' && payer.token_id === cache.token_id)) return {};
  const known = payersOf(cache);
  const last = known.at(-1);
  const isSame = last !== undefined && last.token_id === payer.token_id;
  const added = isSame
    ? { ...last, until, paid: last.paid + paid, token_paid: last.token_paid + token_paid }
    : { ...payer, from: paidUntil(cache), until, paid, token_paid };
  return { payers: JSON.stringify([...(isSame ? known.slice(0, -1) : known), added]) };
}

/** Divides the unused amount among the payers: time paid last is unused first. */
export function sharesOf(payers: readonly CachePayer[], rest: number): readonly number[] {
  let left = rest;
  const shares = payers.toReversed().map(({ paid }) => {
    const share = Math.min(paid, left);
    left -= share;
    return share;
  });
  return shares.toReversed();
}
