// Ends a cache: refunds the unused time once, writes the row that reports it, and deletes the cache at the provider.
// Retries are harmless: ledger entries have ids derived from the record, and the row has its id.
import { quotaLogText } from '#shared/quota.ts';
import type { AppContext } from '#server/context.ts';
import type { ContextCacheRecord } from '#server/db/records/context-cache.ts';
import type { Requesting } from '#server/objects/upstream-files.ts';
import { adjusted } from '#server/money/charge-lines.ts';
import { budgetParts, unusedOfBudgets } from '#server/money/budget-parts.ts';
import { changeBudget } from '#server/money/change-budget.ts';
import { changeOnce } from '#server/money/change-once.ts';
import { addChannelUse } from '#server/exchange/deleted-channels.ts';
import { findCharge, refundRest, writeRefund } from '#server/work/refund.ts';
import { type CachePayer, payersOf, sharesOf } from './cache-payers.ts';
import { spansCost, spansOf } from './cache-price.ts';
import { deleteThere } from './upstream-caches.ts';

const retryMs = 60_000;
/** Seconds after its end at which no provider stores it any more. */
const givenUpAfter = 7 * 24 * 3600;

/**
 * Returns null if it has ended already, or its charge is pending.
 * @param upstreamId id of a cache found only now
 */
export async function leaveCache(
  context: AppContext & Requesting,
  { id, state }: ContextCacheRecord,
  { at, upstreamId }: { at: number; upstreamId?: string },
): Promise<ContextCacheRecord | null> {
  const set = {
    state: 'leaving' as const,
    left_at: at,
    log_id: await context.db.nextId('logs'),
    poll_at: context.now() + retryMs,
    ...(upstreamId === undefined ? {} : { upstream_id: upstreamId }),
  };
  const left = await context.db.collection('context_caches').patch({ id, state, pending_until: 0 }, { set });
  if (left !== null) await finishLeaving(context, left);
  return left;
}

export async function finishLeaving(context: AppContext & Requesting, leaving: ContextCacheRecord): Promise<void> {
  const caches = context.db.collection('context_caches');
  const cache = await withRowIds(context, leaving);
  const again = () => caches.patch({ id: cache.id, state: 'leaving' }, { set: { poll_at: context.now() + retryMs } });
  const rest = restOf(cache);
  const payers = payersOf(cache);
  const returned = await refund(context, cache, { rest, payers });
  if (returned === null) return void (await again());
  const shares = sharesOf(payers, returned);
  const rowIds = [cache.log_id, ...moreRowIds(cache)];
  for (const [index, payer] of payers.entries()) {
    await reportEnd(context, cache, { rowId: rowIds[index], payer, returned: shares[index] ?? 0 });
  }
  const isGone = cache.expires_at + givenUpAfter < context.now() / 1000 || (await deleteThere(context, cache));
  if (!isGone) return void (await again());
  const removed = await caches.remove({ id: cache.id, state: 'leaving' });
  // A figure for administrators, corrected once, by the process that ends the cache.
  if (removed > 0 && returned > 0) await addChannelUse(context.db, cache.channel_id, -returned);
}

/** Generates an id for the row of each further payer; an ended cache gets no more payers. */
async function withRowIds({ db }: AppContext, cache: ContextCacheRecord): Promise<ContextCacheRecord> {
  const more = payersOf(cache).length - 1;
  if (more === 0 || moreRowIds(cache).length > 0) return cache;
  const ids: number[] = [];
  while (ids.length < more) ids.push(await db.nextId('logs'));
  const open = { id: cache.id, state: 'leaving' as const, more_log_ids: { exists: false } };
  const caches = db.collection('context_caches');
  return (await caches.patch(open, { set: { more_log_ids: JSON.stringify(ids) } })) ?? (await caches.get(cache.id)) ?? cache;
}

function moreRowIds({ more_log_ids: json = '[]' }: ContextCacheRecord): readonly number[] {
  const ids: readonly number[] = JSON.parse(json);
  return ids;
}

/** Refunds the rest to the user, and to each key its share. Returns what was refunded; null if unknown. */
async function refund(
  context: AppContext,
  cache: ContextCacheRecord,
  { rest, payers }: { rest: number; payers: readonly CachePayer[] },
): Promise<number | null> {
  const shares = sharesOf(payers, rest);
  const ofToken = payers.map(({ token_paid }, index) => Math.min(token_paid, shares[index] ?? 0));
  const kind = 'cache_refund';
  const returned = await refundRest(context, { name: 'cache', refundKind: kind }, { ...cache, token_reserved: ofToken[0] ?? 0 }, rest);
  if (returned !== rest) return returned;
  for (const [id, amount] of unusedOfBudgets(budgetParts(cache.paid_by), rest)) {
    const ref = `cache:${cache.id}:refund:budget:${id}`;
    if ((await changeBudget(context, { id, amount, ref, kind })) === 'open') return null;
  }
  for (const [index, { token_id: id }] of payers.entries()) {
    const amount = ofToken[index] ?? 0;
    if (index === 0 || amount === 0) continue;
    const ref = `cache:${cache.id}:refund:token:${index}`;
    const change = await changeOnce(context, { account: 'token', id, amount, unused: shares[index] ?? 0, ref, kind, actorId: 0 });
    if (change.state === 'open') return null;
  }
  return returned;
}

/** Returns the quota paid in advance for time that was not used. */
function restOf(cache: ContextCacheRecord): number {
  return Math.max(0, cache.paid - spansCost(spansOf(cache), cache.tokens, endOf(cache)));
}

function endOf(cache: ContextCacheRecord): number {
  return Math.max(cache.created_at, Math.min(cache.left_at, cache.expires_at));
}

interface EndRow {
  rowId: number | undefined;
  payer: CachePayer;
  returned: number;
}

/**
 * Writes the row of one payer: the time it paid for, its cost, and the refund. A creation that was never charged has
 * none.
 */
async function reportEnd(context: AppContext, cache: ContextCacheRecord, { rowId, payer, returned }: EndRow): Promise<void> {
  const { id, model, tokens, first_request_id: request = cache.request_id } = cache;
  if (rowId === undefined) return;
  const charge = await findCharge(context, { request_id: request });
  if (charge === null) return;
  const { settings } = context;
  const display = { inCurrency: settings.get('DisplayInCurrencyEnabled'), quotaPerUnit: settings.get('QuotaPerUnit') };
  const [from, cost] = [payer.from, payer.paid - returned];
  const until = Math.max(from, Math.min(endOf(cache), payer.until));
  const row = { ...cache, token_id: payer.token_id, token_name: payer.token_name, request_id: request };
  await writeRefund(context, row, { id: rowId, due: returned, charge }, (order) => ({
    content: `上下文缓存 ${id} 已结束：存储 ${tokens} 个 token，共 ${until - from} 秒，计费 ${quotaLogText(cost, display)}，退回 ${quotaLogText(returned, display)}`,
    event: {
      code: 'cache_ended',
      cache: id,
      model,
      tokens,
      from,
      until,
      cost,
      amount: returned,
      ...order,
      ...linesOf(cache, { from, until, cost }),
    },
  }));
}

/**
 * Returns a line for each price that the cache was stored at: token-hours at USD per million. Different group ratios
 * are included in the prices.
 */
function linesOf(cache: ContextCacheRecord, { from, until, cost }: { from: number; until: number; cost: number }) {
  const spans = spansOf(cache).filter((span) => span.from < until && span.until > from);
  const [first = cache] = spans;
  const isOneRatio = spans.every((span) => span.group_ratio === first.group_ratio);
  const { quota_per_unit: quotaPerUnit } = first;
  const lines = spans.map((span) => ({
    part: 'cache_storage',
    quantity: (cache.tokens * (Math.min(span.until, until) - Math.max(span.from, from))) / 3600,
    price: (span.price * (isOneRatio ? 1 : span.group_ratio) * span.quota_per_unit) / quotaPerUnit,
    per: 'million' as const,
    source: 'upstream' as const,
  }));
  const groupRatio = isOneRatio ? first.group_ratio : 1;
  return { lines: adjusted(lines, cost, { groupRatio, quotaPerUnit }), group_ratio: groupRatio, quota_per_unit: quotaPerUnit };
}
