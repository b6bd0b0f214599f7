// Records of session minutes in progress, so that a minute is charged if its process dies: for the time until the process's last
// heartbeat. The minute's request id identifies its charge.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogOther } from '#shared/logs.ts';
import { quotaOf } from '#shared/pricing.ts';
import { sessionMinutes } from '#server/kinds/realtime/realtime-client.ts';
import type { AppContext } from '#server/context.ts';
import { DatabaseClosed, DatabaseUnavailable } from '#server/db/collection.ts';
import { eachDue } from '#server/db/each-due.ts';
import type { SessionMinuteRecord } from '#server/db/records/session-minute.ts';
import { addChannelUse } from '#server/exchange/deleted-channels.ts';
import type { ChargeRow } from '#server/money/settlement/settled-call.ts';
import { chargeRow } from '#server/call/settlement/log-row.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import { idsIn } from '#server/money/account.ts';
import { budgetsOf } from '#server/money/leases/reservation.ts';
import { chargeOf } from '#server/money/recovery/call-charge.ts';

type Stores = Pick<AppContext, 'db'>;

/** Milliseconds after the end of a minute within which its process must have charged it. */
const chargeMs = 60_000;
const retryMs = 1_000;
const mostAtOnce = 200;
/** Milliseconds to wait for an account that has another debt. */
const mostWaiting = 24 * 3600 * 1000;

interface Starting {
  startsAt: number;
  seconds: number;
  /** End with which the whole minute would be charged. */
  end: Omit<Parameters<typeof chargeRow>[1], 'afterDisconnect'>;
}

export async function storeMinute(call: RunningCall, { startsAt, seconds, end }: Starting): Promise<void> {
  const { services, admission, requestId } = call;
  const { db, ledger } = services.context;
  const row: ChargeRow = { ...chargeRow(call, { ...end, afterDisconnect: undefined }), created_at: Math.floor(startsAt / 1000) };
  const record: SessionMinuteRecord = {
    id: requestId,
    user_id: admission.user.id,
    token_id: admission.token?.id ?? 0,
    is_token_limited: admission.token !== null && !admission.token.unlimited_quota,
    budgets: budgetsOf(call.reserved.reservation),
    starts_at: startsAt,
    seconds,
    row: JSON.stringify(row),
    process: ledger.processId,
    check_at: startsAt + seconds * 1000 + chargeMs,
  };
  await db.collection('session_minutes').insert(record);
}

/**
 * Claims the charge of a minute; returns false if another process declared this one dead and charges the minute. Returns true
 * while the database is unavailable, because the settlement waits for it.
 */
export async function isMinuteOurs({ db, ledger }: Pick<AppContext, 'db' | 'ledger'>, id: string): Promise<boolean> {
  try {
    // Written because this process may have a new identity.
    const set = { process: ledger.processId };
    return (await db.collection('session_minutes').patch({ id, used: { exists: false } }, { set })) !== null;
  } catch (failure) {
    if (failure instanceof DatabaseUnavailable) return true;
    throw failure;
  }
}

/** Removes the record of a minute; waits while the database is unavailable. Never rejects. */
export async function removeMinute({ db }: Stores, id: string): Promise<void> {
  for (;;) {
    try {
      await db.collection('session_minutes').remove({ id });
      return;
    } catch (failure) {
      if (failure instanceof DatabaseClosed || !(failure instanceof DatabaseUnavailable)) return;
      await sleep(retryMs);
    }
  }
}

/** Job: charges minutes whose process died. Returns the number examined. */
export async function chargeLostMinutes(context: AppContext): Promise<number> {
  const minutes = context.db.collection('session_minutes');
  const due = await minutes.find({ check_at: { lt: context.now() } }, { sort: [['check_at', 1]], limit: mostAtOnce });
  await eachDue({
    items: due,
    work: (minute) => chargeLost(context, minute),
    postpone: ({ id }) => minutes.patch({ id }, { set: { check_at: context.now() + chargeMs } }),
  });
  return due.length;
}

/** Charges one minute; returns false while its outcome is undecided. */
async function chargeLost(context: AppContext, minute: SessionMinuteRecord): Promise<boolean> {
  const { db, ledger, now } = context;
  // In this order: a process whose books are closed has written all its rows before.
  const process = await db.collection('processes').get(minute.process);
  if (process !== null && process.state !== 'settled') return false;
  const { paid, isCertain } = await chargeOf(db, { request_id: minute.id });
  if (paid !== null && !isCertain) return false;
  if (paid === null) {
    const { used = secondsUntil(process?.ended_at ?? process?.heartbeat_at, minute) } = minute;
    const claimed = await db
      .collection('session_minutes')
      .patch({ id: minute.id, process: minute.process }, { set: { process: ledger.processId, used } });
    if (claimed === null) return true;
    const isCharged = used === 0 || (await charge(context, claimed, used));
    if (!isCharged && now() - minute.starts_at < mostWaiting) return false;
  }
  await db.collection('session_minutes').remove({ id: minute.id });
  return true;
}

/**
 * Returns the seconds of a minute to charge.
 * @param endedAt last time, in milliseconds, at which the process was alive; undefined if unknown
 */
function secondsUntil(endedAt = Infinity, { starts_at: start, seconds }: SessionMinuteRecord): number {
  return Math.min(seconds, Math.max(0, Math.ceil((endedAt - start) / 1000)));
}

/** Charges the minute; returns false if the account does not exist or has another debt. */
async function charge({ db, ledger }: AppContext, minute: SessionMinuteRecord, seconds: number): Promise<boolean> {
  const row: ChargeRow = JSON.parse(minute.row);
  const written: LogOther = row.other ?? {};
  const { model_price: modelPrice = 0, group_ratio: groupRatio = 1, quota_per_unit: quotaPerUnit, units } = written;
  const used = { ...units, ...sessionMinutes(seconds) };
  const quota = quotaOf(
    { promptTokens: used.count, completionTokens: 0, units: used },
    { kind: 'call', modelPrice },
    groupRatio,
    quotaPerUnit,
  );
  const { token_id: tokenId, is_token_limited: isLimited } = minute;
  const token = tokenId === 0 ? null : { id: tokenId, isLimited };
  const budgets = idsIn(minute.budgets).map((budget) => ({ id: budget, isHard: false }));
  const reserved = await ledger.reserve({ userId: minute.user_id, token, budgets, amount: 0 });
  if ('refusal' in reserved) return false;
  const other = { ...written, units: used, duration_ms: seconds * 1000 };
  await ledger.settle(reserved.reservation, { ...row, quota, prompt_tokens: used.count, use_time: seconds, other });
  await addChannelUse(db, row.channel_id, quota);
  return true;
}
