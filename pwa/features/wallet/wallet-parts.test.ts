import { describe, expect, it } from 'vitest';
import type { WalletInfo } from '#shared/wallet.ts';
import { priceLines } from './price-lines.ts';
import { pollInterval } from './queries.ts';
import { WalletSearch } from './wallet-search.ts';

const info: WalletInfo = {
  is_online: true,
  methods: ['alipay'],
  price: 7.3,
  group: 'vip',
  group_ratio: 0.95,
  in_currency: true,
  min_amount: 1,
  presets: [],
  pending: [],
};

describe('the lines of a price', () => {
  it('add up to what is asked for', () => {
    expect(priceLines(20, '138.70', info, 500_000)).toEqual({ base: '146.00', group: '−7.30' });
    expect(priceLines(20, '175.20', { ...info, group_ratio: 1.2 }, 500_000)).toEqual({ base: '146.00', group: '+29.20' });
    expect(priceLines(20, '146.00', { ...info, group_ratio: 1 }, 500_000)).toEqual({ base: '146.00' });
    expect(priceLines(750_000, '10.40', { ...info, in_currency: false }, 500_000)).toEqual({ base: '10.95', group: '−0.55' });
  });

  it('are left out when they would not', () => {
    expect(priceLines(20, '140.00', info, 500_000)).toBeNull();
    expect(priceLines(20, 'free', info, 500_000)).toBeNull();
  });
});

describe('an order', () => {
  it('is looked at until it is settled', () => {
    expect(pollInterval('pending')).toBe(3000);
    expect(pollInterval('paid')).toBe(1000);
    for (const status of ['success', 'cancelled', 'expired', undefined] as const) expect(pollInterval(status)).toBe(false);
  });

  it('is found in the address that the payment provider sends people back to', () => {
    const search = Object.fromEntries(new URLSearchParams('pid=1042&trade_no=2026&out_trade_no=USR7NOab&type=alipay&money=1.00&sign=x'));
    expect(WalletSearch.parse(search)).toEqual({ out_trade_no: 'USR7NOab' });
    expect(WalletSearch.parse({ p: 'x', kind: 7, order: '' })).toEqual({ kind: '7' });
  });
});
