// Responses of providers to a balance request, and the result in dollars at a rate of 7.3 yuan.

export interface BalanceAnswer {
  type: number;
  /** By path. */
  at: Readonly<Record<string, object>>;
  dollars: number;
}

export const subscriptionPath = '/v1/dashboard/billing/subscription';
export const usagePath = '/v1/dashboard/billing/usage';
const openai = { [subscriptionPath]: { hard_limit_usd: 120, has_payment_method: true }, [usagePath]: { total_usage: 2050 } };
const grants = { '/dashboard/billing/credit_grants': { total_remaining: 3.25, total_available: 9 } };

export const balanceAnswers: readonly BalanceAnswer[] = [
  { type: 1, at: openai, dollars: 99.5 },
  { type: 8, at: openai, dollars: 99.5 },
  { type: 10, at: { '/api/report/getUserOverview': { success: true, data: { totalPoints: 7 } } }, dollars: 7 },
  { type: 12, at: grants, dollars: 3.25 },
  { type: 13, at: grants, dollars: 9 },
  { type: 20, at: { '/v1/credits': { data: { total_credits: 100, total_usage: 40.5 } } }, dollars: 59.5 },
  { type: 25, at: { '/v1/users/me/balance': { code: 0, status: true, data: { available_balance: 73 } } }, dollars: 10 },
  { type: 40, at: { '/v1/user/info': { code: 20000, data: { totalBalance: '14.6' } } }, dollars: 2 },
  { type: 43, at: { '/user/balance': { balance_infos: [{ currency: 'CNY', total_balance: '36.5' }] } }, dollars: 5 },
  { type: 43, at: { '/user/balance': { balance_infos: [{ currency: 'USD', total_balance: '4.20' }] } }, dollars: 4.2 },
];
