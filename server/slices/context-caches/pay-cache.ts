// The charge of a cache: one row of the log for what it is made of and for the time that it is stored, settled once the provider has it. What that
// pays for is written into the record before, so that whoever finds it there knows what became of it.
import { AppError } from '#shared/errors.ts';
import type { LogOther } from '#shared/logs.ts';
import { LogType } from '#shared/logs.ts';
import type { AppContext } from '#server/context.ts';
import type { ContextCacheRecord } from '#server/db/records/context-cache.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';
import type { RelayServices } from '#server/call/services.ts';
import { chargeOf } from '#server/tasks/task-charge.ts';
import { pendingPayer, withPayment } from './cache-payers.ts';
import { pendingSpansOf } from './cache-price.ts';

/** @param quota what is charged, more than `pending_paid` where more than storing is paid for @throws {AppError} where it is charged by nobody */
export async function payPending(
  { context, use }: RelayServices,
  cache: ContextCacheRecord,
  { reservation, quota }: { reservation: Reservation; quota: number },
): Promise<ContextCacheRecord> {
  await context.ledger.settle(reservation, rowOf(context, cache, quota));
  use.add(cache.channel_id, quota);
  const { paid } = await chargeOf(context.db, cache);
  const known = paid === null ? null : await notePaid(context, cache, paid);
  // Its books were closed without it, or it took so long that it was given up.
  if (known === null) throw new AppError('internal_error');
  context.lowBalance.spent(cache.user_id);
  return known;
}

/** Null: somebody else has, and it is over. */
export async function notePaid(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  cache: ContextCacheRecord,
  charged: { quota: number; token_quota: number },
): Promise<ContextCacheRecord | null> {
  const { id, request_id: request, pending_until: until } = cache;
  const storing = Math.min(cache.pending_paid, charged.quota);
  const ofToken = Math.min(storing, charged.token_quota);
  const set = {
    state: 'stored' as const,
    paid: cache.paid + storing,
    token_paid: cache.token_paid + ofToken,
    ...withPayment(cache, { until, paid: storing, token_paid: ofToken }),
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

/** What became of a charge that is on its way. Null: that is not known yet. */
export async function pendingCharge(
  { db }: Pick<AppContext, 'db'>,
  cache: ContextCacheRecord,
): Promise<{ paid: { quota: number; token_quota: number } | null } | null> {
  // In this order: a process that has closed its books in between has written all its rows before.
  const { state } = (await db.collection('processes').get(cache.process)) ?? { state: 'settled' };
  const { paid, isCertain } = await chargeOf(db, cache);
  if (paid === null ? state !== 'settled' : !isCertain) return null;
  return { paid };
}

/** One price, no tokens: they are told by the calls that use it. */
function rowOf({ now, settings }: AppContext, cache: ContextCacheRecord, quota: number) {
  const { id, tokens, pending_until: until, channel_id: channel, first_request_id: first } = cache;
  const terms = pendingSpansOf(cache).at(-1) ?? cache;
  const payer = pendingPayer(cache);
  const isExtension = first !== undefined && first !== cache.request_id;
  const other: LogOther = {
    group_ratio: terms.group_ratio,
    quota_per_unit: terms.quota_per_unit,
    context_cache: { id, tokens, until, price: terms.price, ...(isExtension ? { first_request_id: first } : {}) },
    admin_info: { use_channel: [String(channel)] },
  };
  return {
    user_id: cache.user_id,
    created_at: Math.floor(now() / 1000),
    type: LogType.consumption,
    username: cache.username,
    token_name: payer.token_name,
    model_name: cache.model,
    quota,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 0,
    is_stream: false,
    channel_id: channel,
    token_id: payer.token_id,
    group: terms.group,
    other,
    request_id: cache.request_id,
    ...(settings.get('LogConsumeEnabled') ? {} : { hidden: true }),
  };
}
