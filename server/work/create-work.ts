// Creates prepaid work whose input is checked: reserves its largest cost, hands the input to the provider, settles the
// charge, and only then lets the provider begin. `docs/work.md` lists the effect of a crash between any two writes.
import { AppError } from '#shared/errors.ts';
import type { LogOther } from '#shared/logs.ts';
import type { AppContext } from '#server/context.ts';
import type { PrepaidWork } from '#server/db/records/prepaid-work.ts';
import { budgetsOf, type Reservation } from '#server/money/leases/reservation.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import { reserveQuota } from '#server/call/admission/reserve-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import { errorOf } from '#server/objects/upstream-files.ts';
import { chargeRow, settleCharge } from './pay.ts';
import { failWork, noteCharge, returnLateCharge } from './settle-work.ts';
import { creationMs, firstPollMs, type ReportedWork, type Requested, type WorkKind } from './work-kind.ts';

/** Checked work, and what its provider does for it. */
export interface WorkToCreate<Work extends PrepaidWork> {
  /** In state `checking`. */
  begun: Work;
  /** The caller's name of its model. */
  model: string;
  /** Largest cost, which is charged until the end. */
  amount: number;
  /** Ratios and amounts for the log row, which has one price and no tokens; the final cost is in another row. */
  other: LogOther;
  /**
   * Hands the input to the provider. Returns the fields to store, with model, price and channel.
   * @throws {AppError}
   */
  handIn(): Promise<Partial<Work>>;
  create(paid: Work): Promise<Requested<ReportedWork<Work>>>;
  /** Cancels work that is created and no longer wanted. */
  cancel(upstreamId: string): Promise<unknown>;
}

/** @throws {AppError} for the balance and the provider */
export async function createWork<Work extends PrepaidWork>(
  services: RelayServices,
  admission: Admission,
  kind: WorkKind<Work>,
  toCreate: WorkToCreate<Work>,
): Promise<Work> {
  const { context } = services;
  const { model, amount } = toCreate;
  const reservation = await reserveQuota(services, admission, { model, amount, least: amount });
  let paid: Work;
  try {
    const creating = await handIn(context, kind, toCreate, reservation);
    const charged = await settleCharge(services, reservation, chargeRow(context, creating, { quota: amount, other: toCreate.other }));
    paid = await noteCharge(context.db, kind, creating, charged);
    if (paid.charge === 'none') {
      await returnLateCharge(context, kind, paid, charged);
      throw new AppError('upstream_timeout');
    }
  } finally {
    // Has no effect after settlement.
    context.ledger.release(reservation);
  }
  context.lowBalance.spent(paid.user_id);
  if (paid.charge !== 'done' || paid.reserved < amount)
    return giveUp(context, kind, paid, new AppError('insufficient_user_quota', { detail: '' }));
  return createAtProvider(context, kind, toCreate, paid);
}

/**
 * Hands the input in and records that a charge is pending.
 * @throws {AppError}
 */
async function handIn<Work extends PrepaidWork>(
  context: AppContext,
  kind: WorkKind<Work>,
  toCreate: WorkToCreate<Work>,
  reservation: Reservation,
): Promise<Work> {
  const { begun } = toCreate;
  const handedIn = await toCreate.handIn();
  const set = {
    ...handedIn,
    reserved: reservation.amount,
    token_reserved: reservation.isTokenLimited ? reservation.amount : 0,
    budgets: budgetsOf(reservation),
    charge: 'open' as const,
    process: context.ledger.processId,
    state: 'creating' as const,
    asked_at: Math.floor(context.now() / 1000),
    poll_at: context.now() + creationMs,
  };
  try {
    const creating = await kind.records(context.db).patch({ id: begun.id, state: 'checking' }, { set });
    if (creating !== null) {
      context.workObserver?.started(kind.name, creating.model);
      return creating;
    }
  } catch (failure) {
    context.waitUntil(kind.removeInput(context, { ...begun, ...handedIn }));
    throw failure;
  }
  // The work timed out and was removed meanwhile.
  context.waitUntil(kind.removeInput(context, { ...begun, ...handedIn }));
  throw new AppError('upstream_timeout');
}

async function createAtProvider<Work extends PrepaidWork>(
  context: AppContext,
  kind: WorkKind<Work>,
  toCreate: WorkToCreate<Work>,
  paid: Work,
): Promise<Work> {
  const records = kind.records(context.db);
  const answer = await toCreate.create(paid);
  if ('failure' in answer) {
    if (!answer.isUnknown) return giveUp(context, kind, paid, errorOf(context, answer.failure));
    // The polling job resolves it.
    const requested: Partial<PrepaidWork> = { asked_at: Math.floor(context.now() / 1000), poll_at: context.now() + firstPollMs };
    return (await records.patch({ id: paid.id, state: 'creating' }, { set: requested })) ?? paid;
  }
  const { id, set } = answer.reported;
  const running = { ...set, upstream_id: id, state: 'running' as const, poll_at: context.now() + firstPollMs };
  const record = await records.patch({ id: paid.id, state: 'creating' }, { set: running });
  if (record !== null) return record;
  const known = await records.get(paid.id);
  if (known?.upstream_id === id) return known;
  // The work timed out and was refunded meanwhile.
  context.waitUntil(toCreate.cancel(id));
  throw new AppError('upstream_timeout');
}

/**
 * Ends the work and refunds it in full.
 * @throws {AppError} always
 */
async function giveUp<Work extends PrepaidWork>(context: AppContext, kind: WorkKind<Work>, work: Work, error: AppError): Promise<never> {
  await failWork(context, kind, work);
  throw error;
}
