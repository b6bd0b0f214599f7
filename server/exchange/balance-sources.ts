// Readers of account balances. A channel with its own base URL is queried there; the key is sent nowhere else.
import { isObject } from '#server/framing/loose-json.ts';

export interface Balance {
  amount: number;
  currency: 'USD' | 'CNY';
}

export interface BalanceQuestion {
  /**
   * Sends a `GET` request and returns its JSON object; `path` is a template over the base URL, as for calls, and `{origin}` is the base URL without its
   * path.
   * @param header header that carries the key instead of the usual one
   */
  ask(path: string, header?: string): Promise<Record<string, unknown>>;
  /** The channel uses the provider's default URL, so the key may be sent to the provider's other hosts. */
  isDefaultAddress: boolean;
  /** Base URL of the channel. */
  base: string;
  /** Milliseconds since the epoch. */
  now: number;
}

export type BalanceSource = (question: BalanceQuestion) => Promise<Balance>;

/** Response without a balance, described for administrators. */
export class BalanceProblem extends Error {}

/** Date as `YYYY-MM-DD`. */
function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

const dayMs = 86_400_000;

/** Purchased minus used in the period: this month, or the hundred days of a trial. */
function openaiBilling(root: string): BalanceSource {
  return async ({ ask, now }) => {
    const subscription = await ask(`${root}/v1/dashboard/billing/subscription`);
    const today = dayOf(now);
    const start = subscription['has_payment_method'] === false ? dayOf(now - 100 * dayMs) : `${today.slice(0, 8)}01`;
    const usage = await ask(`${root}/v1/dashboard/billing/usage?start_date=${start}&end_date=${today}`);
    return usd(amountOf(subscription['hard_limit_usd']) - amountOf(usage['total_usage']) / 100);
  };
}

export const openaiBalance = openaiBilling('{base}');
/** The base URL of such a channel is that of its chat path, so the origin is used. */
export const customBalance = openaiBilling('{origin}');

export const aiProxyBalance: BalanceSource = async ({ ask, isDefaultAddress }) => {
  const site = isDefaultAddress ? 'https://aiproxy.io' : '{base}';
  const answer = await ask(`${site}/api/report/getUserOverview`, 'api-key');
  if (answer['success'] === false) throw new BalanceProblem(`code: ${textOf(answer['error_code'])}, message: ${textOf(answer['message'])}`);
  return usd(amountOf(objectIn(answer, 'data')['totalPoints']));
};

export const creditGrants =
  (field: 'total_remaining' | 'total_available'): BalanceSource =>
  async ({ ask }) =>
    usd(amountOf((await ask('{base}/dashboard/billing/credit_grants'))[field]));

/** https://docs.siliconflow.cn/cn/api-reference/userinfo/get-user-info */
export const siliconFlowBalance: BalanceSource = async ({ ask }) => {
  const answer = await ask('{base}/v1/user/info');
  if (answer['code'] !== 20_000) throw new BalanceProblem(`code: ${textOf(answer['code'])}, message: ${textOf(answer['message'])}`);
  return { amount: amountOf(objectIn(answer, 'data')['totalBalance']), currency: 'CNY' };
};

/** https://api-docs.deepseek.com/api/get-user-balance */
export const deepSeekBalance: BalanceSource = async ({ ask }) => {
  const infos = (await ask('{base}/user/balance'))['balance_infos'];
  const entries = Array.isArray(infos) ? infos.filter(isObject) : [];
  for (const currency of ['CNY', 'USD'] as const) {
    const entry = entries.find((one) => one['currency'] === currency);
    if (entry !== undefined) return { amount: amountOf(entry['total_balance']), currency };
  }
  throw new BalanceProblem('currency CNY not found');
};

/** https://openrouter.ai/docs/api-reference/credits/get-credits */
export const openRouterBalance: BalanceSource = async ({ ask }) => {
  const data = objectIn(await ask('{base}/v1/credits'), 'data');
  return usd(amountOf(data['total_credits']) - amountOf(data['total_usage']));
};

/**
 * Currency of the site that owns the account; the response does not name it.
 * https://platform.moonshot.cn/docs/api/balance
 * https://platform.kimi.ai/docs/api/balance
 */
export const moonshotBalance: BalanceSource = async ({ ask, base }) => {
  const answer = await ask('{base}/v1/users/me/balance');
  if (answer['status'] === false || (answer['code'] !== undefined && answer['code'] !== 0)) {
    throw new BalanceProblem(`code: ${textOf(answer['code'])}, message: ${textOf(answer['scode'])}`);
  }
  return { amount: amountOf(objectIn(answer, 'data')['available_balance']), currency: isAbroad(base) ? 'USD' : 'CNY' };
};

function isAbroad(base: string): boolean {
  return URL.canParse(base) && new URL(base).hostname === 'api.moonshot.ai';
}

function usd(amount: number): Balance {
  return { amount, currency: 'USD' };
}

/** @throws {BalanceProblem} if the value is no amount: an unknown balance is not zero */
function amountOf(value: unknown): number {
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof amount !== 'number' || !Number.isFinite(amount) || Math.abs(amount) > 1e15)
    throw new BalanceProblem('the balance is not a number');
  return amount;
}

function objectIn(answer: Record<string, unknown>, field: string): Record<string, unknown> {
  const value = answer[field];
  if (!isObject(value)) throw new BalanceProblem(`${field} is missing`);
  return value;
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 300) : '';
}
