import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WalletInfo } from '#shared/wallet.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { buildWalletInfo } from '#tests/support/console-wallet.ts';
import { type ChosenAmount, TopUpBlock } from './top-up-block.tsx';

let server: FixtureServer;
let screen: DrawnScreen;
let paid: ChosenAmount[];
let refusal: object | undefined;

beforeAll(async () => {
  await startScreenTexts('wallet');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requested.length = 0;
  paid = [];
  refusal = undefined;
  server.answer(({ url, body }, response) => {
    if (url !== '/api/user/amount') return sendJson(response, { success: false, message: 'not here' });
    if (refusal !== undefined) return sendJson(response, refusal);
    const { amount } = body as { amount: number };
    return sendJson(response, { success: true, message: 'success', data: (amount * 7.3).toFixed(2) });
  });
});
afterEach(() => screen.leave());

function open(fields: Partial<WalletInfo> = {}): void {
  const query = { data: buildWalletInfo(fields), error: null, fetchStatus: 'idle' as const, dataUpdatedAt: Date.now(), refetch: () => {} };
  screen = drawScreen(<TopUpBlock query={query} hasFilled onPay={(chosen) => paid.push(chosen)} />);
}
const requested = () => server.requested.filter(({ url }) => url === '/api/user/amount').map(({ body }) => body);
const tile = (words: string) => screen.button(words);

describe('top-up-block', () => {
  test('the amount in the middle is chosen, and paid for what its tile says', () => {
    open();
    expect(tile('$20¥146.00').getAttribute('aria-pressed')).toBe('true');
    screen.press('Top up $20.00, pay ¥146.00');
    expect(paid).toEqual([{ amount: 20, money: '146.00' }]);
    expect(requested()).toEqual([]);
  });

  test('another tile is another amount', () => {
    open();
    screen.press('$5¥36.50');
    expect(tile('$20¥146.00').getAttribute('aria-pressed')).toBe('false');
    screen.press('Top up $5.00, pay ¥36.50');
    expect(paid).toEqual([{ amount: 5, money: '36.50' }]);
  });

  test('an amount of one’s own costs what the server says, and cannot be paid before', async () => {
    open();
    screen.press('OtherAt least $5.00');
    expect(screen.button('Enter an amount').disabled).toBe(true);
    screen.type('Amount', '33');
    await shows(() => screen.press('Top up $33.00, pay ¥240.90'));
    expect(requested()).toEqual([{ amount: 33 }]);
    expect(paid).toEqual([{ amount: 33, money: '240.90' }]);
  });

  test('below the least amount nothing is asked, and the field says why', async () => {
    open();
    screen.press('OtherAt least $5.00');
    screen.type('Amount', '4');
    await shows(() => expect(screen.problem('Amount')).toBe('The amount must not be below $5.00'));
    expect(screen.button('Enter an amount').disabled).toBe(true);
    expect(requested()).toEqual([]);
  });

  test('what the server refuses stands at the field', async () => {
    refusal = { success: false, message: 'error', data: '充值金额过低', code: 'topup_price_low' };
    open();
    screen.press('OtherAt least $5.00');
    screen.type('Amount', '6');
    await shows(() => expect(screen.problem('Amount')).not.toBe(''));
    expect(screen.button('Enter an amount').disabled).toBe(true);
  });

  test('where amounts are quota, tiles and least amount are too', () => {
    open({ in_currency: false, min_amount: 500_000, presets: [{ amount: 500_000, quota: 500_000, money: '7.30' }] });
    expect(tile('500,000¥7.30').getAttribute('aria-pressed')).toBe('true');
    screen.press('Top up $1.00, pay ¥7.30');
    expect(paid).toEqual([{ amount: 500_000, money: '7.30' }]);
  });

  test('a group with a price of its own says so; a site without payment has no tiles', () => {
    open({ group: 'vip', group_ratio: 0.95 });
    expect(screen.text()).toContain('$1 = ¥7.30, vip × 0.95');
    screen.leave();
    open({ is_online: false });
    expect(screen.text()).toContain('The administrator has not enabled online top-up.');
    expect(document.querySelector('[aria-pressed]')).toBeNull();
  });
});
