// Credits a payment: the notice claims the order (one atomic change), the ledger credits the order's amount, the claim is closed. Only then is the
// notice accepted, so that the provider repeats it until the money is credited. A crash in between leaves a claim that is due; the next notice, or
// `finishOrders`, completes it.
import { centsText } from '#shared/top-up-price.ts';
import { creditOnce } from '#server/accounts/credit-once.ts';
import { quotaText } from '#server/accounts/quota-text.ts';
import type { AppContext } from '#server/context.ts';
import { eachDue } from '#server/db/each-due.ts';
import type { OrderRecord } from '#server/db/records/order.ts';
import type { NoticeReading, PaymentProvider } from './payments/provider.ts';

/** Milliseconds after which a claim that is still due counts as abandoned by its process. */
const abandonedAfter = 10_000;
const finishedAtOnce = 100;
const longestTradeNo = 200;

type Paid = Extract<NoticeReading, { kind: 'paid' }>;

/** True when the order has been credited, by this notice or before; false when the provider should send it again. */
export async function creditOrder(context: AppContext, provider: PaymentProvider, paid: Paid): Promise<boolean> {
  const order = await context.db.collection('orders').first({ trade_no: paid.tradeNo });
  if (order === null || order.provider !== provider.id) {
    context.log.error({ provider: provider.id, trade: paid.tradeNo }, 'a payment was reported for an order that there is not');
    return false;
  }
  if (order.cents !== paid.cents) {
    const { trade_no: trade, cents } = order;
    context.log.error({ provider: provider.id, trade, expected: cents, paid: paid.cents }, 'a payment differs from the price of its order');
    return false;
  }
  const claimed = await claim(context, order, paid);
  return claimed === null || (await credit(context, claimed));
}

/** Completes abandoned claims. */
export async function finishOrders(context: AppContext): Promise<number> {
  const before = context.now() - abandonedAfter;
  const orders = context.db.collection('orders');
  const items = await orders.find({ credit_due_at: { lt: before } }, { sort: [['credit_due_at', 1]], limit: finishedAtOnce });
  await eachDue({
    items,
    work: (order) => credit(context, order),
    postpone: ({ id }) => orders.patch({ id, credit_due_at: { exists: true } }, { set: { credit_due_at: context.now() } }),
  });
  return items.length;
}

/** The order as it is to be credited; null when that is done. */
async function claim(context: AppContext, order: OrderRecord, paid: Paid): Promise<OrderRecord | null> {
  const orders = context.db.collection('orders');
  const now = context.now();
  const claimed = await orders.patch(
    { id: order.id, status: { in: ['pending', 'cancelled'] } },
    {
      set: {
        status: 'success',
        complete_time: Math.floor(now / 1000),
        provider_trade_no: paid.providerTradeNo.slice(0, longestTradeNo),
        credit_due_at: now,
        log_id: await context.db.nextId('logs'),
      },
      increment: { claims: 1 },
    },
  );
  if (claimed !== null) return claimed;
  // The process that claimed it may have stopped there: repeating the credit is harmless.
  const current = await orders.get(order.id);
  return current?.credit_due_at === undefined ? null : current;
}

async function credit(context: AppContext, order: OrderRecord): Promise<boolean> {
  const { state } = await creditOnce(context, {
    userId: order.user_id,
    amount: order.quota,
    ref: `topup:${order.id}:${order.claims}`,
    kind: 'topup',
    logId: order.log_id ?? (await context.db.nextId('logs')),
    content: `使用在线充值成功，充值金额: ${quotaText(context, order.quota)}，支付金额：${(order.cents / 100).toFixed(6)}`,
    event: { code: 'topped_up', amount: order.quota, money: centsText(order.cents) },
  });
  if (state === 'open') return false;
  const due = { id: order.id, claims: order.claims, credit_due_at: { exists: true } };
  const orders = context.db.collection('orders');
  if (state === 'done') {
    await orders.patch(due, { unset: ['credit_due_at', 'log_id'] });
    return true;
  }
  context.log.error({ order: order.id }, 'a paid order could not be credited: the balance would exceed what an account can hold');
  await orders.patch(due, { set: { status: 'pending', complete_time: 0 }, unset: ['credit_due_at', 'log_id'] });
  return false;
}
