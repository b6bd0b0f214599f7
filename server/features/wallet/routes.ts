import { centsText, smallestTopUp, topUpCents, topUpQuota, type TopUpTerms } from '#shared/top-up-price.ts';
import { walletApi, type WalletInfo } from '#shared/wallet.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { respond, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { cancelOrder, pendingOrders, placeOrder, readOrder } from './orders.ts';
import { paymentProviders } from './payments/registry.ts';
import { readHistory } from './read-history.ts';
import { mountPaymentNotices } from './receive-payment-notice.ts';
import { quoteTopUp, topUpTerms } from './top-up-terms.ts';

/** Dollars that are offered. */
const presets = [5, 10, 20, 50, 100];

/** Everything is about the caller's own money, whatever their role. */
export function mountWallet(host: RouteHost): void {
  mount(host, walletApi.info, (call) => walletInfo(call.context, signedIn(call).user));
  mount(host, walletApi.amount, (call) => {
    const { cents } = quoteTopUp(call.body.amount, topUpTerms(call.context, signedIn(call).user));
    return centsText(cents);
  });
  mount(host, walletApi.pay, async (call) => {
    const { order, payment } = await placeOrder(call.context, signedIn(call).user, call.body);
    return respond(payment.fields, { extra: { url: payment.url, trade_no: order.trade_no } });
  });
  mount(host, walletApi.order, (call) => readOrder(call.context, signedIn(call).user.id, call.params.trade_no));
  mount(host, walletApi.cancel, (call) => cancelOrder(call.context, signedIn(call).user.id, call.params.trade_no));
  mount(host, walletApi.history, (call) => readHistory(call.context, signedIn(call).user.id, call.query));
  for (const provider of paymentProviders) mountPaymentNotices(host, provider);
}

async function walletInfo(context: AppContext, user: UserRecord): Promise<WalletInfo> {
  const terms = topUpTerms(context, user);
  const open = paymentProviders.filter((provider) => provider.isConfigured(context));
  return {
    is_online: open.length > 0,
    methods: open.flatMap(({ methods }) => methods.map(({ id }) => id)),
    price: terms.price,
    group: user.group,
    group_ratio: terms.ratio,
    in_currency: terms.inCurrency,
    min_amount: smallestTopUp(terms),
    presets: presetsOf(terms),
    pending: await pendingOrders(context, user.id),
  };
}

/** What of the usual amounts is sold. */
function presetsOf(terms: TopUpTerms): WalletInfo['presets'] {
  return presets.flatMap((dollars) => {
    const amount = terms.inCurrency ? dollars : Math.round(dollars * terms.quotaPerUnit);
    const cents = topUpCents(amount, terms);
    if (amount < smallestTopUp(terms) || cents === null || cents < 1) return [];
    return [{ amount, quota: topUpQuota(amount, terms), money: centsText(cents) }];
  });
}
