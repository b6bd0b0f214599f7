// Responses of the wallet's endpoints, for tests in the console's folders.
import type { TopUpOrder, WalletInfo } from '#shared/wallet.ts';

export function buildWalletInfo(fields: Partial<WalletInfo> = {}): WalletInfo {
  return {
    is_online: true,
    methods: ['alipay', 'wxpay'],
    price: 7.3,
    group: 'default',
    group_ratio: 1,
    in_currency: true,
    min_amount: 5,
    presets: [5, 10, 20].map((amount) => ({ amount, quota: amount * 500_000, money: (amount * 7.3).toFixed(2) })),
    pending: [],
    ...fields,
  };
}

export function buildOrder(fields: Partial<TopUpOrder> = {}): TopUpOrder {
  return {
    trade_no: 'USR7NOabc1231770000000',
    provider: 'epay',
    method: 'alipay',
    amount: 20,
    quota: 10_000_000,
    money: '146.00',
    status: 'pending',
    create_time: Math.floor(Date.now() / 1000) - 42,
    complete_time: 0,
    expires_at: Math.floor(Date.now() / 1000) + 800,
    ...fields,
  };
}
