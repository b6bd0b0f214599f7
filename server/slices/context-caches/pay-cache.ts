// Charges a cache: one log row for reading its contents and for storage, settled once the provider has stored it. The
// record is updated first, so that after a crash the charge can be resolved.
import { AppError } from '#shared/errors.ts';
import type { LogOther } from '#shared/logs.ts';
import type { AppContext } from '#server/context.ts';
import type { ContextCacheRecord } from '#server/db/records/context-cache.ts';
import { type BudgetPart, withBudgetPart } from '#server/money/budget-parts.ts';
import type { PaidCharge } from '#server/money/recovery/call-charge.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';
import type { RelayServices } from '#server/call/services.ts';
import { chargeRow, settleCharge } from '#server/work/pay.ts';
import { pendingPayer, withPayment } from './cache-payers.ts';
import { pendingSpansOf } from './cache-price.ts';

/**
 * @param quota amount to charge; exceeds `pending_paid` if it pays for more than storage
 * @throws {AppError} if it cannot be charged
 */
export async function payPending(
  services: RelayServices,
  cache: ContextCacheRecord,
  { reservation, quota }: { reservation: Reservation; quota: number },
): Promise<ContextCacheRecord> {
  const { context } = services;
  const known = await notePaid(context, cache, await settleCharge(services, reservation, rowOf(context, cache, quota)));
  // It timed out and was given up.
  if (known === null) throw new AppError('internal_error');
  context.lowBalance.spent(cache.user_id);
  return known;
}

/** Returns null if another process has recorded it, and the cache has ended. */
export async function notePaid(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  cache: ContextCacheRecord,
  charged: Pick<PaidCharge, 'quota' | 'token_quota' | 'budgets'>,
): Promise<ContextCacheRecord | null> {
  const { id, request_id: request, pending_until: until } = cache;
  const storing = Math.min(cache.pending_paid, charged.quota);
  const ofToken = Math.min(storing, charged.token_quota);
  const set = {
    state: 'stored' as const,
    paid: cache.paid + storing,
    token_paid: cache.token_paid + ofToken,
    ...withPayment(cache, { until, paid: storing, token_paid: ofToken }),
    ...paidBy(cache, { budgets: charged.budgets, paid: storing }),
    expires_at: until,
    updated_at: Math.floor(now() / 1000),
    pending_paid: 0,
    pending_until: 0,
    poll_at: until * 1000,
    ...(cache.pending_spans === undefined || cache.pending_spans === '' ? {} : { spans: cache.pending_spans, pending_spans: '' }),
  };
  const caches = db.collection('context_caches');
  const isOpen = { id, request_id: request, pending_until: until, state: { in: ['paying' as const, 'stored' as const] } };
  const noted = await caches.patch(isOpen, { set });
  if (noted !== null) return noted;
  const known = await caches.get(id);
  return known?.state === 'stored' && known.request_id === request ? known : null;
}

/** Without budgets, a cache has no such field. */
function paidBy({ paid_by: before, paid }: ContextCacheRecord, part: BudgetPart): Pick<ContextCacheRecord, 'paid_by'> {
  if (before === undefined && part.budgets === '') return {};
  return { paid_by: withBudgetPart(before ?? (paid > 0 ? JSON.stringify([{ budgets: '', paid }]) : undefined), part) };
}

/** Log row with one price and no tokens: the calls that use the cache report them. */
function rowOf(context: AppContext, cache: ContextCacheRecord, quota: number) {
  const { id, tokens, pending_until: until, first_request_id: first } = cache;
  const terms = pendingSpansOf(cache).at(-1) ?? cache;
  const payer = pendingPayer(cache);
  const isExtension = first !== undefined && first !== cache.request_id;
  const other: LogOther = {
    group_ratio: terms.group_ratio,
    quota_per_unit: terms.quota_per_unit,
    context_cache: { id, tokens, until, price: terms.price, ...(isExtension ? { first_request_id: first } : {}) },
  };
  return chargeRow(context, { ...cache, ...payer, group: terms.group }, { quota, other });
}
