// An administrator gives back what a call cost, or a part of it. The claim is one conditional change of the call's own record of
// refunds, which bounds their sum; from then on the refund is due until it is known to be done. Trying again is harmless: ledger
// entries and the log row have names that the claim gives them.
import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { type CallRefund, type Log, LogType, type RefundInput } from '#shared/logs.ts';
import { mayActOn } from '#shared/roles.ts';
import { quotaText } from '#server/accounts/quota-text.ts';
import type { AppContext } from '#server/context.ts';
import { type Filter, UniqueConflict } from '#server/db/collection.ts';
import { eachDue } from '#server/db/each-due.ts';
import type { CallRefundAct, CallRefundRecord } from '#server/db/records/call-refund.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { type AccountKind, idsIn } from '#server/money/account.ts';
import { changeBudget } from '#server/money/change-budget.ts';
import { changeOnce, type ChangeOutcome } from '#server/money/change-once.ts';
import { isCharged } from '#server/money/recovery/call-charge.ts';
import { addChannelUse } from '#server/exchange/deleted-channels.ts';
import { readLog } from './list-logs.ts';

/** Others may claim or finish refunds of the same call meanwhile. */
const tries = 20;
/** Of one call: its record stays small. */
const mostActs = 50;
/** Milliseconds after which a refund that is still due counts as abandoned by its process. */
const abandonedAfter = 10_000;
const finishedAtOnce = 200;

/** @throws {AppError} `log_not_found`, `user_edit_denied`, `refund_not_charged`, `refund_of_task`, `refund_of_batch`, `refund_of_tuning`, `refund_of_cache`, `refund_too_large`, `balance_too_large` */
export async function refundCall(context: AppContext, actor: UserRecord, id: number, input: RefundInput): Promise<Log> {
  if (/\p{Cc}/u.test(input.reason) || !input.reason.isWellFormed()) throw invalidField('reason', fieldRules.characters);
  const call = await readCharged(context, actor, id);
  const record = await claim(context, actor, call, input);
  const ended = await finishRefund(context, record);
  const act = ended.acts.find(({ ref }) => ref === input.ref);
  if (act?.state === 'refused') throw new AppError('balance_too_large');
  // Another process is at it, and comes to its end sooner or later.
  return readLog(context, id);
}

/** Completes abandoned refunds. */
export async function finishCallRefunds(context: AppContext): Promise<number> {
  const refunds = context.db.collection('call_refunds');
  const before = context.now() - abandonedAfter;
  const items = await refunds.find({ due_at: { lt: before } }, { sort: [['due_at', 1]], limit: finishedAtOnce });
  await eachDue({
    items,
    work: async (record) => (await finishRefund(context, record)).due_at === undefined,
    postpone: ({ id }) => refunds.patch({ id, due_at: { exists: true } }, { set: { due_at: context.now() } }),
  });
  return items.length;
}

async function readCharged({ db }: AppContext, actor: UserRecord, id: number): Promise<LogRecord> {
  const call = await db.collection('logs').first({ and: [{ id }, { hidden: { exists: false } }] });
  if (call === null) throw new AppError('log_not_found');
  const user = await db.collection('users').get(call.user_id);
  if (user === null) throw new AppError('user_not_found');
  if (!mayActOn(actor.role, user.role)) throw new AppError('user_edit_denied');
  if (call.type !== LogType.consumption || call.quota <= 0 || call.process === undefined) throw new AppError('refund_not_charged');
  // Their own refund knows nothing of this one.
  if (call.other?.['task'] !== undefined) throw new AppError('refund_of_task');
  if (call.other?.['batch'] !== undefined) throw new AppError('refund_of_batch');
  if (call.other?.['tuning'] !== undefined) throw new AppError('refund_of_tuning');
  if (call.other?.['context_cache'] !== undefined) throw new AppError('refund_of_cache');
  // A running process notes now and then how far it has settled; the account says it at once.
  const isApplied = (user.applied[call.process] ?? 0) >= (call.seq ?? 0);
  const counts = isApplied ? true : await isCharged(db, call);
  if (counts === null) throw new AppError('database_unavailable', {}, { retryAfter: 1 });
  if (!counts) throw new AppError('refund_not_charged');
  return call;
}

async function claim(
  context: AppContext,
  actor: UserRecord,
  call: LogRecord,
  { amount, reason, ref }: RefundInput,
): Promise<CallRefundRecord> {
  const refunds = context.db.collection('call_refunds');
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const current = (await refunds.get(call.id)) ?? newRecord(call);
    const known = current.acts.find((act) => act.ref === ref);
    if (known !== undefined) return current;
    const given = current.acts.filter(({ state }) => state !== 'refused');
    const left = current.quota - sumOf(given, 'amount');
    if (amount > left || current.acts.length >= mostActs) {
      throw new AppError('refund_too_large', { quota: String(Math.max(0, left)) }, { field: 'amount' });
    }
    const act: CallRefundAct = {
      ref,
      amount,
      token_amount: Math.min(amount, current.token_quota - sumOf(given, 'token_amount')),
      reason,
      actor_id: actor.id,
      actor_name: actor.username,
      at: Math.floor(context.now() / 1000),
      log_id: await context.db.nextId('logs'),
      state: 'due',
    };
    const claimed = { ...current, version: current.version + 1, acts: [...current.acts, act], due_at: context.now() };
    if (await store(context, current, claimed)) return claimed;
  }
  throw new AppError('rate_limited', {}, { retryAfter: 1 });
}

/** Ends all of a call's refunds that are due, as far as they can be ended now. */
async function finishRefund(context: AppContext, record: CallRefundRecord): Promise<CallRefundRecord> {
  let current = record;
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const index = current.acts.findIndex(({ state }) => state === 'due');
    const act = current.acts[index];
    if (act === undefined) return current;
    const outcome = await giveBack(context, current, act);
    if (outcome === 'open') return current;
    const { due_at: dueAt, ...rest } = current;
    const acts = current.acts.with(index, { ...act, state: outcome });
    const hasDue = acts.some(({ state }) => state === 'due');
    if (outcome === 'done') await reportOf(context, { ...current, acts }, act);
    const ended = { ...rest, version: current.version + 1, acts, ...(hasDue && dueAt !== undefined ? { due_at: dueAt } : {}) };
    if (await store(context, current, ended)) {
      // A figure for administrators; the process that completes the refund corrects it.
      if (outcome === 'done') await addChannelUse(context.db, current.channel_id, -act.amount);
      current = ended;
    } else current = (await context.db.collection('call_refunds').get(record.id)) ?? current;
  }
  return current;
}

/** False: the record was changed meanwhile. */
async function store({ db }: AppContext, before: CallRefundRecord, after: CallRefundRecord): Promise<boolean> {
  const refunds = db.collection('call_refunds');
  if (before.version === 0) {
    try {
      await refunds.insert(after);
      return true;
    } catch (failure) {
      if (failure instanceof UniqueConflict) return false;
      throw failure;
    }
  }
  const { version, acts, due_at: dueAt } = after;
  const patch = dueAt === undefined ? { set: { version, acts }, unset: ['due_at'] as const } : { set: { version, acts, due_at: dueAt } };
  return (await refunds.patch({ id: before.id, version: before.version }, patch)) !== null;
}

async function giveBack(context: AppContext, call: CallRefundRecord, act: CallRefundAct): Promise<ChangeOutcome['state']> {
  const outcome = await change(context, act, { account: 'user', id: call.user_id, amount: act.amount });
  if (outcome !== 'done') return outcome;
  // A deleted token or period does not stop the refund.
  for (const id of idsIn(call.budgets)) {
    const ref = `call:${act.log_id}:refund:budget:${id}`;
    if ((await changeBudget(context, { id, amount: act.amount, ref, kind: 'call_refund' })) === 'open') return 'open';
  }
  if (call.token_id === 0) return outcome;
  const ofToken = await change(context, act, { account: 'token', id: call.token_id, amount: act.token_amount });
  return ofToken === 'open' ? 'open' : 'done';
}

async function change(
  context: AppContext,
  { log_id: logId, amount: unused, actor_id: actorId, reason }: CallRefundAct,
  account: { account: AccountKind; id: number; amount: number },
): Promise<ChangeOutcome['state']> {
  const ref = `call:${logId}:refund:${account.account}`;
  return (await changeOnce(context, { ...account, unused, ref, kind: 'call_refund', actorId, reason })).state;
}

async function reportOf(context: AppContext, record: CallRefundRecord, act: CallRefundAct): Promise<void> {
  const call = await context.db.collection('logs').get(record.id);
  const [user, actor] = await Promise.all([
    context.db.collection('users').get(record.user_id),
    context.db.collection('users').get(act.actor_id),
  ]);
  await writeLog(context, {
    id: act.log_id,
    user_id: record.user_id,
    username: user?.username ?? '',
    type: LogType.system,
    token_id: record.token_id,
    token_name: call?.token_name ?? '',
    model_name: call?.model_name ?? '',
    channel_id: record.channel_id,
    group: call?.group ?? '',
    refunded: act.amount,
    ...(call?.session_key === undefined ? {} : { refunded_session: call.session_key, other: { session: call.other?.['session'] } }),
    content: `管理员退回了调用 #${record.id} 的费用 ${quotaText(context, act.amount)}，原因：${act.reason}`,
    event: { code: 'call_refunded', amount: act.amount, call: record.id, model: call?.model_name ?? '', reason: act.reason },
    ...(actor === null ? {} : { by: actor }),
  });
  if (call === null) return;
  if (call.session_key !== undefined) await noteOnSession(context, call.session_key);
  await noteOnCall(context, call, record);
}

/** The refunded sum only grows, so the order of concurrent writers does not matter. */
async function noteOnSession({ db }: AppContext, id: string): Promise<void> {
  const [sums] = await db.collection('logs').group({ filter: { refunded_session: id }, by: [], sum: { refunded: 'refunded' } });
  const refunded = Number(sums?.['refunded'] ?? 0);
  await db.collection('call_sessions').patch({ id }, { max: { refunded } });
}

/** The receipt says what was given back; the row may be gone by then. */
async function noteOnCall({ db }: AppContext, call: LogRecord, record: CallRefundRecord): Promise<void> {
  const refunds = record.acts
    .filter(({ state }) => state === 'done')
    .map(({ amount, reason, at, log_id: row, actor_name: by }): CallRefund => ({ amount, reason, at, row, by }));
  // What a slow process knows must not stand over what came later.
  const isOlder: Filter<LogRecord> = { or: [{ refund_version: { exists: false } }, { refund_version: { lt: record.version } }] };
  await db
    .collection('logs')
    .patch({ and: [{ id: call.id }, isOlder] }, { set: { other: { ...call.other, refunds }, refund_version: record.version } });
}

function newRecord({ id, user_id, token_id, channel_id, quota, token_quota = 0, budgets }: LogRecord): CallRefundRecord {
  return { id, version: 0, user_id, token_id, channel_id, quota, token_quota, ...(budgets === undefined ? {} : { budgets }), acts: [] };
}

function sumOf(acts: readonly CallRefundAct[], field: 'amount' | 'token_amount'): number {
  return acts.reduce((total, act) => total + act[field], 0);
}
