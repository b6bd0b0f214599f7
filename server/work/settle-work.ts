// Refunds the unused part of a prepayment exactly once. A single write that records the cost ends the work; the refund is
// due until it is confirmed. Retries are harmless: ledger entries, the log row and results have ids derived from the work.
import type { AppContext } from '#server/context.ts';
import type { PrepaidWork } from '#server/db/records/prepaid-work.ts';
import { addChannelUse } from '#server/exchange/deleted-channels.ts';
import { type PaidCharge, resolvedCharge } from '#server/money/recovery/call-charge.ts';
import type { WorkOutcome } from '#server/telemetry/work-observer.ts';
import { findCharge, refundRest, writeRefund } from './refund.ts';
import type { WorkKind } from './work-kind.ts';

/** Delay of a second look for a late charge, whose process may have ended before refunding it. */
const lateChargeMs = 3600 * 1000;
/** Milliseconds for deleting an input at the provider. */
const deletionMs = 5_000;

/** Returns the work with its charge resolved, or still `open`. */
export async function resolveCharge<Work extends PrepaidWork>(
  { db }: Pick<AppContext, 'db'>,
  kind: WorkKind<Work>,
  work: Work,
): Promise<Work> {
  if (work.charge !== 'open') return work;
  const paid = await resolvedCharge(db, work);
  return paid === undefined ? work : noteCharge(db, kind, work, paid);
}

/** @param paid null if it was not charged and never will be */
export async function noteCharge<Work extends PrepaidWork>(
  db: AppContext['db'],
  kind: WorkKind<Work>,
  work: Work,
  paid: PaidCharge | null,
): Promise<Work> {
  const set: Partial<PrepaidWork> =
    paid === null
      ? { charge: 'none', reserved: 0, token_reserved: 0 }
      : { charge: 'done', reserved: paid.quota, token_reserved: paid.token_quota, budgets: paid.budgets };
  const records = kind.records(db);
  return (await records.patch({ id: work.id, charge: 'open' }, { set })) ?? (await records.get(work.id)) ?? work;
}

/** The creator was declared dead and its charge written off, but the charge appeared later: refunds it in full. */
export async function returnLateCharge<Work extends PrepaidWork>(
  context: AppContext,
  kind: WorkKind<Work>,
  { id }: Work,
  paid: PaidCharge,
): Promise<void> {
  const records = kind.records(context.db);
  const charged = {
    charge: 'done' as const,
    reserved: paid.quota,
    token_reserved: paid.token_quota,
    budgets: paid.budgets,
    poll_at: context.now(),
  };
  const set = { ...kind.free, ...charged, cost: 0 };
  // In this order: states only advance.
  const creating = await records.patch({ id, charge: 'none', state: 'creating' }, { set });
  if (creating !== null) return failWork(context, kind, creating);
  const over = await records.patch({ id, charge: 'none', state: { in: ['settling', 'ended'] } }, { set: { ...set, state: 'settling' } });
  if (over !== null) await finishWork(context, kind, over);
}

/** Ends work that failed, at no cost. */
export function failWork<Work extends PrepaidWork>(context: AppContext, kind: WorkKind<Work>, work: Work): Promise<void> {
  return concludeWork(context, kind, work, { cost: 0, set: { ...kind.free, ...kind.failed(Math.floor(context.now() / 1000)) } });
}

/** By the status that a provider reports. */
const outcomes: ReadonlyMap<string, WorkOutcome> = new Map((['failed', 'cancelled', 'expired'] as const).map((status) => [status, status]));

/** Ends work: the first process to do so records the cost; the rest is refunded. */
export async function concludeWork<Work extends PrepaidWork>(
  context: AppContext,
  kind: WorkKind<Work>,
  { id }: Work,
  { cost, set }: { cost: number; set: Partial<Work> },
): Promise<void> {
  const drawn = await context.db.nextId('logs');
  const concluded = await kind
    .records(context.db)
    .patch(
      { id, state: { in: ['creating', 'running'] }, charge: { ne: 'open' } },
      { set: { ...set, cost, state: 'settling', log_id: drawn, poll_at: context.now() } },
    );
  if (concluded === null) return;
  context.workObserver?.ended(kind.name, concluded.model, outcomes.get(concluded.status) ?? 'finished');
  await finishWork(context, kind, concluded);
}

/** Returns false if it must be retried. */
export async function finishWork<Work extends PrepaidWork>(context: AppContext, kind: WorkKind<Work>, work: Work): Promise<boolean> {
  const unused = work.charge === 'done' ? work.reserved - work.cost : 0;
  const due = await refundRest(context, kind, work, unused);
  if (due === null) return false;
  await kind.settleLimits?.(context, work);
  await kind.deliver(context, work);
  if (work.charge === 'done') {
    const end = { id: work.log_id, due, charge: await findCharge(context, work) };
    await writeRefund(context, work, end, (order) => kind.describeEnd(context, work, { due, ...order }));
  }
  // Before the end is stored, so a stopped process leaves nothing. An input that is not deleted now expires at the provider.
  await kind.removeInput({ ...context, answerBy: performance.now() + deletionMs }, work);
  const removalAt = context.now() + (kind.looksOnAfter?.(work) ?? (work.charge === 'none' ? lateChargeMs : kind.retentionMs));
  const ended = await kind
    .records(context.db)
    .patch(
      { id: work.id, state: 'settling', charge: work.charge },
      { set: { ...kind.ended?.(Math.floor(context.now() / 1000)), state: 'ended', poll_at: removalAt }, unset: ['open_user_id'] },
    );
  if (ended === null) return true;
  // A figure for administrators, corrected once, by the process that ends the work.
  if (due !== 0) await addChannelUse(context.db, work.channel_id, -due);
  return true;
}
