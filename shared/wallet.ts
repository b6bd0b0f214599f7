// The wallet: what a top-up costs, orders, and what has changed the balance.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { PageQuery, pageOf } from '#shared/paging.ts';
import { QueryText } from '#shared/query-values.ts';

/** `paid`: it is being credited. `expired`: no payment is expected any more; a late one is still credited. */
export const OrderStatus = z.enum(['pending', 'paid', 'success', 'cancelled', 'expired']);
export type OrderStatus = z.infer<typeof OrderStatus>;

/** A form that the browser posts to the payment provider. */
export const PaymentForm = z.object({ url: z.string(), fields: z.record(z.string(), z.string()) });
export type PaymentForm = z.infer<typeof PaymentForm>;

export const TopUpOrder = z.object({
  trade_no: z.string(),
  provider: z.string(),
  method: z.string(),
  /** In the unit that it was ordered in. */
  amount: z.int(),
  /** What is added to the balance. */
  quota: z.int(),
  /** What is paid, with two decimals. */
  money: z.string(),
  status: OrderStatus,
  create_time: z.int(),
  /** 0: not yet. */
  complete_time: z.int(),
  /** Until then it is expected to be paid. */
  expires_at: z.int(),
});
export type TopUpOrder = z.infer<typeof TopUpOrder>;

export const WalletInfo = z.object({
  is_online: z.boolean(),
  methods: z.array(z.string()),
  /** Of one dollar. */
  price: z.number(),
  group: z.string(),
  group_ratio: z.number(),
  /** Amounts are whole dollars; otherwise quota units. */
  in_currency: z.boolean(),
  /** In that unit. */
  min_amount: z.int(),
  presets: z.array(z.object({ amount: z.int(), quota: z.int(), money: z.string() })),
  /** Orders that may still be paid, newest first. */
  pending: z.array(TopUpOrder),
});
export type WalletInfo = z.infer<typeof WalletInfo>;

export const EntryKind = z.enum([
  'order',
  'redemption',
  'transfer',
  'organisation',
  'refund',
  'storage',
  'bonus',
  'setup',
  'import',
  'edit',
  'other',
]);
export type EntryKind = z.infer<typeof EntryKind>;

/** One change of the balance that was no relayed call. */
export const WalletEntry = z.object({
  id: z.int(),
  created_at: z.int(),
  /** One of `EntryKind`, or of a newer server. */
  kind: z.string(),
  /** Quota, signed. */
  amount: z.int(),
  order: z.optional(z.pick(TopUpOrder, { trade_no: true, method: true, money: true })),
  /** How the redeemed code begins. */
  code: z.optional(z.string()),
});
export type WalletEntry = z.infer<typeof WalletEntry>;

const AmountInput = z.object({ amount: z.int(), top_up_code: z.optional(z.string().check(z.maxLength(200))) });
const TradeParam = z.object({ trade_no: z.string().check(z.maxLength(64)) });

export const walletApi = {
  info: endpoint('GET', '/api/user/topup/info', {
    access: 'user',
    organisation: 'billing',
    reply: WalletInfo,
    summary: 'What topping up costs the caller',
  }),
  /** Old clients compare the message and show the text of a failure from `data`. */
  amount: endpoint('POST', '/api/user/amount', {
    access: 'user',
    organisation: 'billing',
    audit: { exempt: 'reads' },
    body: AmountInput,
    reply: z.string(),
    isMarked: true,
    summary: 'The price of an amount',
  }),
  /** `data` and `url`: the form that the browser posts. */
  pay: endpoint('POST', '/api/user/pay', {
    access: 'user',
    organisation: 'billing',
    audit: { exempt: 'books' },
    body: z.extend(AmountInput, { payment_method: z.string().check(z.maxLength(50)) }),
    reply: z.record(z.string(), z.string()),
    extra: z.object({ url: z.string(), trade_no: z.string() }),
    isMarked: true,
    summary: 'Order a top-up',
  }),
  order: endpoint('GET', '/api/user/topup/orders/:trade_no', {
    access: 'user',
    organisation: 'billing',
    params: TradeParam,
    reply: z.object({ order: TopUpOrder, payment: z.nullable(PaymentForm) }),
    summary: 'How an order of the caller stands, and the form to pay it',
  }),
  cancel: endpoint('POST', '/api/user/topup/orders/:trade_no/cancel', {
    access: 'user',
    organisation: 'billing',
    audit: { exempt: 'books' },
    params: TradeParam,
    reply: TopUpOrder,
    summary: 'Give up an order; paid all the same, it is credited',
  }),
  history: endpoint('GET', '/api/user/topup/history', {
    access: 'user',
    organisation: 'billing',
    query: z.extend(PageQuery, { kind: z.pipe(QueryText, z.optional(EntryKind)) }),
    reply: pageOf(WalletEntry),
    summary: 'What changed the balance of the caller, besides calls, newest first',
  }),
};
