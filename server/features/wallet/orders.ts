// Orders of top-ups: created at the current price, read and cancelled by their users.
import { AppError } from '#shared/errors.ts';
import { centsText } from '#shared/top-up-price.ts';
import type { OrderStatus, PaymentForm, TopUpOrder } from '#shared/wallet.ts';
import type { AppContext } from '#server/context.ts';
import { type Filter, UniqueConflict } from '#server/db/collection.ts';
import type { OrderRecord } from '#server/db/records/order.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { enforceLimit } from '#server/http/rate-limit.ts';
import { paymentProviders } from './payments/registry.ts';
import type { PaymentMethod, PaymentProvider } from './payments/provider.ts';
import { quoteTopUp, topUpTerms } from './top-up-terms.ts';

/** Seconds for which an order is expected to be paid. Later payments are credited all the same. */
const orderLife = 900;
/** Orders that a user may create. */
const orderLimit = { count: 30, windowSeconds: 3600 };
const suffixLength = 6;
const numberAttempts = 3;
const mostPending = 5;

export interface StartedOrder {
  order: OrderRecord;
  payment: PaymentForm;
}

/** @throws {AppError} for an amount that is not sold, a method that is not offered, or a payment that cannot be started */
export async function placeOrder(
  context: AppContext,
  user: UserRecord,
  input: { amount: number; payment_method: string },
): Promise<StartedOrder> {
  const quote = quoteTopUp(input.amount, topUpTerms(context, user));
  const chosen = methodOf(input.payment_method);
  if (chosen === null) throw new AppError('payment_method_unknown', {}, { field: 'payment_method' });
  if (!chosen.provider.isConfigured(context)) throw new AppError('payment_unconfigured');
  await enforceLimit(context, { key: `pay:${user.id}`, ...orderLimit });
  const id = await context.db.nextId('orders');
  for (let attempt = 1; ; attempt += 1) {
    const createTime = Math.floor(context.now() / 1000);
    const order: OrderRecord = {
      id,
      user_id: user.id,
      trade_no: `USR${user.id}NO${context.randomText(suffixLength)}${createTime}`,
      provider: chosen.provider.id,
      method: chosen.method.id,
      ...quote,
      status: 'pending',
      create_time: createTime,
      complete_time: 0,
      provider_trade_no: '',
      claims: 0,
    };
    const payment = startPayment(context, chosen.provider, order);
    try {
      await context.db.collection('orders').insert(order);
      return { order, payment };
    } catch (failure) {
      if (!(failure instanceof UniqueConflict)) throw failure;
      if (attempt === numberAttempts) throw new AppError('order_not_created', {}, { cause: failure });
    }
  }
}

/** An own order with the way to pay it, while it can be paid. @throws {AppError} `not_found` */
export async function readOrder(
  context: AppContext,
  userId: number,
  tradeNo: string,
): Promise<{ order: TopUpOrder; payment: PaymentForm | null }> {
  const record = await context.db.collection('orders').first({ trade_no: tradeNo, user_id: userId });
  if (record === null) throw new AppError('not_found');
  const order = presentOrder(context, record);
  const provider = paymentProviders.find(({ id }) => id === record.provider);
  const isPayable = order.status === 'pending' && provider?.isConfigured(context) === true;
  return { order, payment: isPayable ? startPayment(context, provider, record) : null };
}

/** Paid after that, it is credited all the same. @throws {AppError} `not_found`, `order_finished` */
export async function cancelOrder(context: AppContext, userId: number, tradeNo: string): Promise<TopUpOrder> {
  const orders = context.db.collection('orders');
  const own: Filter<OrderRecord> = { trade_no: tradeNo, user_id: userId };
  const cancelled = await orders.patch({ ...own, status: 'pending' }, { set: { status: 'cancelled' } });
  const current = cancelled ?? (await orders.first(own));
  if (current === null) throw new AppError('not_found');
  if (current.status === 'success') throw new AppError('order_finished');
  return presentOrder(context, current);
}

/** Own orders that may still be paid, newest first. */
export async function pendingOrders(context: AppContext, userId: number): Promise<TopUpOrder[]> {
  const since = Math.floor(context.now() / 1000) - orderLife;
  const newest = await context.db.collection('orders').find({ user_id: userId }, { sort: [['id', -1]], limit: mostPending });
  return newest
    .filter(({ status, create_time, credit_due_at }) => credit_due_at !== undefined || (status === 'pending' && create_time > since))
    .map((order) => presentOrder(context, order));
}

function presentOrder(context: Pick<AppContext, 'now'>, record: OrderRecord): TopUpOrder {
  const { trade_no, provider, method, amount, quota, create_time, complete_time } = record;
  return {
    trade_no,
    provider,
    method,
    amount,
    quota,
    create_time,
    complete_time,
    money: centsText(record.cents),
    status: statusOf(context, record),
    expires_at: create_time + orderLife,
  };
}

function statusOf({ now }: Pick<AppContext, 'now'>, { status, create_time, credit_due_at }: OrderRecord): OrderStatus {
  if (status === 'success') return credit_due_at === undefined ? 'success' : 'paid';
  return status === 'pending' && (create_time + orderLife) * 1000 <= now() ? 'expired' : status;
}

function startPayment(context: AppContext, provider: PaymentProvider, order: OrderRecord): PaymentForm {
  try {
    return provider.start(context, order);
  } catch (failure) {
    throw new AppError('payment_not_started', {}, { cause: failure });
  }
}

function methodOf(name: string): { provider: PaymentProvider; method: PaymentMethod } | null {
  for (const provider of paymentProviders) {
    const method = provider.methods.find(({ id, aliases }) => id === name || aliases.includes(name));
    if (method !== undefined) return { provider, method };
  }
  return null;
}
