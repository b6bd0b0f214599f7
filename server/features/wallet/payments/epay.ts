// Epay, the form interface of aggregators for Alipay and WeChat Pay: a form that the browser posts, and a notice by GET or POST,
// both signed by MD5 over the sorted fields and a shared key.
import { createHash, timingSafeEqual } from 'node:crypto';
import { centsOf, centsText } from '#shared/top-up-price.ts';
import type { AppContext } from '#server/context.ts';
import type { OrderRecord } from '#server/db/records/order.ts';
import { callbackSite, canTakePayments, siteAddress, siteAddressOrLocal } from '#server/settings/site-address.ts';
import { withoutTrailing } from '#shared/trailing.ts';
import type { NoticeReading, PaymentNotice, PaymentProvider } from './provider.ts';

const noticePath = '/api/user/epay/notify';

export const epay: PaymentProvider = {
  id: 'epay',
  methods: [
    { id: 'alipay', aliases: ['zfb'] },
    { id: 'wxpay', aliases: ['wx'] },
  ],
  isConfigured: ({ settings }) => canTakePayments(settings),
  start: startForm,
  notice: { path: noticePath, read: readNotice, answers: { accepted: 'success', refused: 'fail' } },
};

function startForm({ settings, env }: AppContext, order: OrderRecord) {
  const url = new URL(settings.get('PayAddress'));
  url.pathname = `${url.pathname.replace(/\/$/, '')}/submit.php`;
  const called = withoutSlash(callbackSite(settings) ?? '');
  const site = siteAddress(settings) ?? (called || siteAddressOrLocal(settings, env));
  const fields = {
    pid: settings.get('EpayId'),
    type: order.method,
    out_trade_no: order.trade_no,
    notify_url: `${called || site}${noticePath}`,
    return_url: `${site}/topup`,
    name: `TUC${order.amount}`,
    money: centsText(order.cents),
    device: 'pc',
    sign_type: 'MD5',
  };
  return { url: url.href, fields: { ...fields, sign: epaySign(fields, settings.get('EpayKey')) } };
}

/** Over all fields but `sign`, `sign_type` and empty ones, sorted by name, as `k=v` joined by `&`, the key right behind. */
export function epaySign(fields: Readonly<Record<string, string>>, key: string): string {
  const text = Object.entries(fields)
    .filter(([name, value]) => value !== '' && name !== 'sign' && name !== 'sign_type')
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return createHash('md5').update(`${text}${key}`).digest('hex');
}

function readNotice({ settings }: AppContext, { method, query, body }: PaymentNotice): NoticeReading {
  const fields = uniqueFields(method === 'POST' && body !== '' ? new URLSearchParams(body) : query);
  const key = settings.get('EpayKey');
  if (fields === null || key === '' || !isSame(epaySign(fields, key), fields['sign'] ?? '')) return { kind: 'forged' };
  if (fields['pid'] !== settings.get('EpayId')) return { kind: 'forged' };
  if (fields['trade_status'] !== 'TRADE_SUCCESS') return { kind: 'other' };
  // No price is no price of any order.
  const cents = centsOf(fields['money'] ?? '') ?? -1;
  return { kind: 'paid', tradeNo: fields['out_trade_no'] ?? '', cents, providerTradeNo: fields['trade_no'] ?? '' };
}

/**
 * Null when a name is there twice, or when a name or value holds what joins them in the signed text: cut at other places, that text
 * would have the same signature and another meaning. None of ours does.
 */
function uniqueFields(given: URLSearchParams): Record<string, string> | null {
  const fields = new Map<string, string>();
  for (const [name, value] of given) {
    if (fields.has(name) || /[&=]/.test(name) || value.includes('&')) return null;
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

function isSame(own: string, given: string): boolean {
  const [one, other] = [Buffer.from(own), Buffer.from(given.toLowerCase())];
  return one.length === other.length && timingSafeEqual(one, other);
}

function withoutSlash(address: string): string {
  return withoutTrailing(address, '/');
}
