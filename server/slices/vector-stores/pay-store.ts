// Bills stores: each day is prepaid by the maximum bytes, and the unused part refunded at its end. Every step is
// recorded before money moves, under a reference from the record, so that any process can continue it exactly once.
import { isAutoGroup } from '#server/settings/usable-groups.ts';
import type { AppContext } from '#server/context.ts';
import { readStanding } from '#server/accounts/memberships.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { type AccountKind, budgetList, idsIn } from '#server/money/account.ts';
import { type BudgetPart, budgetParts, unusedOfBudgets, withBudgetPart } from '#server/money/budget-parts.ts';
import { changeOnce, type ChangeOutcome } from '#server/money/change-once.ts';
import { addChannelUse } from '#server/exchange/deleted-channels.ts';
import { reportDay } from './report-day.ts';
import { daySeconds, storingCost, termsOf } from './store-price.ts';
import { changeStore } from './store-records.ts';

/** Time until an unfinished payment is looked at. */
const openMs = 60_000;
/** Maximum concurrent changes to wait for. */
const mostTries = 100;

/**
 * Prepays this many bytes for the day, unless the store has ended; `leaving`: because it has. Returns false if the
 * account or the token cannot pay; nothing is charged then.
 */
export async function coverBytes(context: AppContext, id: string, wanted: number, when: 'living' | 'leaving' = 'living'): Promise<boolean> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const store = await settledStore(context, id);
    if (store === null || store.state === 'expired' || (store.state === 'leaving') !== (when === 'leaving')) return false;
    const bytes = Math.max(wanted, store.covered_bytes);
    const amount = storingCost(store, bytes, daySeconds) - store.reserved;
    if (amount <= 0 && bytes === store.covered_bytes) return true;
    const ofToken = amount <= 0 ? 0 : await tokenPart(context, store, amount);
    const payment = {
      ...(amount <= 0 ? {} : await budgetsOf(context, store)),
      payments: store.payments + 1,
      pending_amount: amount,
      pending_token: ofToken,
      pending_bytes: bytes,
      poll_at: Math.min(store.poll_at, context.now() + openMs),
    };
    const begun = await changeStore(context, id, ({ version }) => {
      if (version !== store.version) return null;
      return amount <= 0 ? { covered_bytes: bytes } : payment;
    });
    if (begun === null) continue;
    return amount <= 0 || finishPayment(context, begun);
  }
  throw new DatabaseUnavailable('A vector store is being paid all the time');
}

/** Amount that a limited token pays; -1 if it is deleted and pays nothing. */
async function tokenPart({ db }: AppContext, { token_id: id }: VectorStoreRecord, amount: number): Promise<number> {
  const token = await db.collection('tokens').get(id);
  if (token === null || token.DeletedAt !== null) return -1;
  return token.unlimited_quota ? 0 : amount;
}

/** Model name by which budgets of models concern stores. */
const storeModel = 'vector-store';

/** Budgets that pay for the store; none once its owner or token is deleted. */
async function budgetsOf(
  { db, budgets }: AppContext,
  { token_id: tokenId, user_id: userId, group }: VectorStoreRecord,
): Promise<Pick<VectorStoreRecord, 'pending_budgets' | 'pending_hard'>> {
  const [token, user] = await Promise.all([db.collection('tokens').get(tokenId), db.collection('users').get(userId)]);
  if (token === null || token.DeletedAt !== null || user === null) return {};
  const standing = user.kind === 'organisation' ? ((await readStanding(db, token)) ?? undefined) : undefined;
  const accounts = await budgets.of({ token, user, group, standing }, storeModel);
  if (accounts.length === 0) return {};
  const hard = accounts.filter(({ isHard }) => isHard);
  return { pending_budgets: budgetList(accounts.map(({ id }) => id)), pending_hard: budgetList(hard.map(({ id }) => id)) };
}

/**
 * Returns the record once no payment is pending; null if it is deleted.
 * @throws {DatabaseUnavailable} if that is unknown
 */
export async function settledStore(context: AppContext, id: string): Promise<VectorStoreRecord | null> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const store = await context.db.collection('vector_stores').get(id);
    if (store === null) return null;
    if (store.pending_amount > 0) await finishPayment(context, store);
    else if (store.closing_until > 0) await finishDay(context, store);
    else return store;
  }
  throw new DatabaseUnavailable('A vector store is being paid all the time');
}

/** Returns false if it was refused. */
async function finishPayment(context: AppContext, store: VectorStoreRecord): Promise<boolean> {
  const { id, payments, pending_amount: amount, pending_token: ofToken, pending_bytes: bytes } = store;
  const name = `store:${id}:${payments}`;
  const token =
    ofToken < 0 ? 'done' : await move(context, store, { account: 'token', ref: `${name}:token`, amount: 0 - ofToken, unused: -amount });
  const hard = idsIn(store.pending_hard);
  const charged: number[] = [];
  let isPaid = token === 'done';
  for (const budget of idsIn(store.pending_budgets)) {
    if (!isPaid) break;
    const charge = { account: 'budget' as const, budget, ref: `${name}:budget:${budget}`, amount: -amount, unused: -amount };
    isPaid = (await move(context, store, { ...charge, isBounded: hard.includes(budget) })) === 'done';
    if (isPaid) charged.push(budget);
  }
  isPaid &&= (await move(context, store, { account: 'user', ref: `${name}:user`, amount: -amount, unused: -amount })) === 'done';
  if (!isPaid) {
    if (token === 'done' && ofToken >= 0)
      await move(context, store, { account: 'token', ref: `${name}:back`, amount: ofToken, unused: amount });
    for (const budget of charged)
      await move(context, store, { account: 'budget', budget, ref: `${name}:budget:${budget}:back`, amount, unused: amount });
  }
  const ended = { pending_amount: 0, pending_token: 0, pending_bytes: 0, ...withoutBudgets(store) };
  await changeStore(context, id, (now) => {
    if (now.payments !== payments || now.pending_amount === 0) return null;
    if (!isPaid) return ended;
    const reserved = {
      reserved: now.reserved + amount,
      token_reserved: now.token_reserved + Math.max(0, ofToken),
      token_used: now.token_used + (ofToken < 0 ? 0 : amount),
      ...(charged.length === 0 && now.paid_by === undefined
        ? {}
        : { paid_by: paidBy(now, { budgets: budgetList(charged), paid: amount }) }),
    };
    return { ...ended, ...reserved, covered_bytes: Math.max(now.covered_bytes, bytes) };
  });
  if (isPaid) context.lowBalance.spent(store.user_id);
  return isPaid;
}

function withoutBudgets({ pending_budgets: budgets }: VectorStoreRecord): Partial<VectorStoreRecord> {
  return budgets === undefined ? {} : { pending_budgets: '', pending_hard: '' };
}

/** Earlier payments of the day that no budget was charged for count as well: the latest payment is refunded first. */
function paidBy({ paid_by: before, reserved }: VectorStoreRecord, part: BudgetPart): string {
  return withBudgetPart(before ?? (reserved > 0 ? JSON.stringify([{ budgets: '', paid: reserved }]) : undefined), part);
}

interface Move {
  account: AccountKind;
  /** Period of a budget. */
  budget?: number;
  isBounded?: boolean;
  ref: string;
  amount: number;
  unused: number;
}

/** @throws {DatabaseUnavailable} if the outcome is unknown */
async function move(
  context: AppContext,
  store: VectorStoreRecord,
  { account, budget = 0, ref, amount, unused, isBounded = true }: Move,
): Promise<'done' | 'refused'> {
  const id = account === 'user' ? store.user_id : account === 'token' ? store.token_id : budget;
  const request = { account, id, amount, unused, isBounded, ref, kind: unused < 0 ? 'store_day' : 'store_refund', actorId: 0 };
  const { state }: { state: ChangeOutcome['state'] } = await changeOnce(context, request);
  if (state === 'open') throw new DatabaseUnavailable('A payment of a vector store is under way');
  return state;
}

/** Ends the day at `until` (unix seconds, at most its regular end) and charges the stored bytes for that time. */
export async function closeDay(context: AppContext, id: string, until: number): Promise<VectorStoreRecord | null> {
  const store = await settledStore(context, id);
  if (store === null) return null;
  const logId = await context.db.nextId('logs');
  const closing = await changeStore(context, id, (now) => {
    if (now.period !== store.period || now.pending_amount > 0 || now.closing_until > 0) return null;
    const end = Math.min(Math.max(until, now.period_from), now.period_from + daySeconds);
    // Bytes that the provider never had are free, and the cost never exceeds the payment.
    const bytes = now.upstream_id === '' ? 0 : Math.min(now.day_bytes, now.covered_bytes);
    const cost = Math.min(now.reserved, storingCost(now, bytes, end - now.period_from));
    return {
      closing_until: end,
      closing_cost: cost,
      log_id: logId,
      day_bytes: bytes,
      poll_at: Math.min(now.poll_at, context.now() + openMs),
    };
  });
  if (closing !== null) await finishDay(context, closing);
  return settledStore(context, id);
}

async function finishDay(context: AppContext, store: VectorStoreRecord): Promise<void> {
  const { id, period, closing_until: until, closing_cost: cost, reserved } = store;
  const rest = reserved - cost;
  if (rest > 0) {
    const name = `store:${id}:day:${period}`;
    const user = await move(context, store, { account: 'user', ref: `${name}:user`, amount: rest, unused: rest });
    // A deleted token does not block the refund.
    const [amount, unused] = [Math.min(rest, store.token_reserved), Math.min(rest, store.token_used)];
    if (unused > 0) await move(context, store, { account: 'token', ref: `${name}:token`, amount, unused });
    for (const [budget, share] of unusedOfBudgets(budgetParts(store.paid_by), rest))
      await move(context, store, { account: 'budget', budget, ref: `${name}:budget:${budget}`, amount: share, unused: share });
    if (user === 'refused') context.log.error({ store: id, quota: rest }, 'what a vector store did not use could not be given back');
  }
  if (cost > 0) await reportDay(context, store);
  const groups = await groupsNow(context, store);
  const ended = await changeStore(context, id, (now) => {
    if (now.period !== period || now.closing_until === 0) return null;
    return {
      period: period + 1,
      period_from: until,
      day_bytes: now.usage_bytes,
      covered_bytes: 0,
      reserved: 0,
      token_reserved: 0,
      token_used: 0,
      ...(now.paid_by === undefined ? {} : { paid_by: '' }),
      closing_until: 0,
      closing_cost: 0,
      log_id: 0,
      group: groups.group,
      ...termsOf(context, groups),
    };
  });
  // A figure for administrators, corrected once, by the process that ends the day.
  if (ended !== null && cost > 0) await addChannelUse(context.db, store.channel_id, cost);
}

/** Current group of calls with its key, and its owner's: both may have changed. With group `auto`, that of the creation. */
async function groupsNow(
  { db, settings }: AppContext,
  { token_id: tokenId, user_id: userId, group }: VectorStoreRecord,
): Promise<{ group: string; userGroup: string | undefined }> {
  const [token, user] = await Promise.all([db.collection('tokens').get(tokenId), db.collection('users').get(userId)]);
  const chosen = token === null || token.DeletedAt !== null ? '' : token.group;
  const current = chosen === '' ? (user?.group ?? group) : isAutoGroup(settings, chosen) ? group : chosen;
  return { group: current, userGroup: user?.group };
}
