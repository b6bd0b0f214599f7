import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { WalletInfo } from '#shared/wallet.ts';
import { buildConsoleUser } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { buildWalletInfo } from '#tests/support/console-wallet.ts';
import { PayPanel } from './pay-panel.tsx';

let server: FixtureServer;
let screen: DrawnScreen;
let ordered: string[];
let answer: object;
let posted: { action: string; target: string; fields: Record<string, string> }[];

const made = {
  success: true,
  message: 'success',
  data: { pid: '1042', sign: 'abc' },
  url: 'https://pay.example/submit.php',
  trade_no: 'USR7NOx',
};

beforeAll(async () => {
  await startScreenTexts('wallet');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requested.length = 0;
  ordered = [];
  posted = [];
  answer = made;
  server.answer(({ url }, response) => {
    if (url === '/api/user/self') return sendJson(response, { success: true, message: '', data: buildConsoleUser({ quota: 1_000_000 }) });
    return sendJson(response, url === '/api/user/pay' ? answer : { success: false, message: 'not here' });
  });
  vi.spyOn(HTMLFormElement.prototype, 'submit').mockImplementation(function submit(this: HTMLFormElement) {
    const fields = [...this.querySelectorAll('input')].map(({ name, value }) => [name, value] as const);
    posted.push({ action: this.action, target: this.target, fields: Object.fromEntries(fields) });
  });
});
afterEach(() => {
  screen.leave();
  vi.restoreAllMocks();
});

function open(fields: Partial<WalletInfo> = {}, chosen = { amount: 20, money: '146.00' }): void {
  screen = drawScreen(
    <PayPanel chosen={chosen} info={buildWalletInfo(fields)} onClose={() => {}} onOrdered={(tradeNo) => ordered.push(tradeNo)} />,
  );
}
const requested = () => server.requested.filter(({ url }) => url === '/api/user/pay').map(({ body }) => body);

describe('pay-panel', () => {
  test('says what is credited, what is due, and the balance afterwards', async () => {
    open();
    await shows(() => expect(screen.text()).toContain('Balance afterwards $22.00.'));
    expect(screen.text()).toContain('¥146.00');
    expect(screen.text()).toContain('Credited$20.00');
  });

  test('says how long the balance lasts then, by the pace of the last week', async () => {
    const now = Date.now() / 1000;
    server.answer(({ url }, response) => {
      const user = buildConsoleUser({ quota: 1_000_000, created_time: Math.floor(now - 30 * 86_400) });
      if (url === '/api/user/self') return sendJson(response, { success: true, message: '', data: user });
      if (url.startsWith('/api/log/self/stat'))
        return sendJson(response, { success: true, message: '', data: { quota: 7_000_000, rpm: 0, tpm: 0 } });
      return sendJson(response, { success: false, message: 'not here' });
    });
    open();
    await shows(() => expect(screen.text()).toContain('Balance afterwards $22.00: about 11 days left at the pace of the last 7 days.'));
    expect(screen.text()).toContain('× 7.30¥146.00');
  });

  test('pays by the first way that is offered: the form goes to the provider, the order opens', async () => {
    open();
    screen.press('Pay ¥146.00 by Alipay');
    await shows(() => expect(ordered).toEqual(['USR7NOx']));
    expect(requested()).toEqual([{ amount: 20, payment_method: 'alipay' }]);
    expect(posted).toEqual([
      { action: 'https://pay.example/submit.php', target: expect.any(String), fields: { pid: '1042', sign: 'abc' } },
    ]);
    expect(document.querySelector('form[action]')).toBeNull();
  });

  test('by another way when that is chosen', async () => {
    open();
    document.querySelector<HTMLInputElement>('input[value=wxpay]')?.click();
    await shows(() => screen.press('Pay ¥146.00 by WeChat Pay'));
    await shows(() => expect(requested()).toEqual([{ amount: 20, payment_method: 'wxpay' }]));
    // The answer belongs to this test, not to the next one.
    await shows(() => expect(ordered).toEqual(['USR7NOx']));
  });

  test('the factor of a group is a line of its own, and the lines add up', () => {
    open({ group: 'vip', group_ratio: 0.9 }, { amount: 20, money: '131.40' });
    expect(screen.text()).toContain('Group vip × 0.9');
    expect(screen.text()).toContain('−14.60');
    expect(screen.text()).toContain('¥131.40');
  });

  test('prices that have changed meanwhile are not explained with the old ones', () => {
    open({ group: 'vip', group_ratio: 0.9 }, { amount: 20, money: '150.00' });
    expect(screen.text()).not.toContain('Group vip');
    expect(screen.text()).toContain('¥150.00');
  });

  test('a refusal is told where it was pressed; nothing is posted', async () => {
    answer = { success: false, message: 'error', data: '当前管理员未配置支付信息', code: 'payment_unconfigured' };
    open();
    screen.press('Pay ¥146.00 by Alipay');
    await shows(() => expect(document.querySelector('[role=alert]')).not.toBeNull());
    expect(posted).toEqual([]);
    expect(ordered).toEqual([]);
  });

  test('an address that is no web page is not gone to', async () => {
    answer = { ...made, url: 'javascript:alert(1)' };
    open();
    screen.press('Pay ¥146.00 by Alipay');
    await shows(() => expect(ordered).toEqual(['USR7NOx']));
    expect(posted).toEqual([]);
  });

  test('without a way of paying there is nothing to press', () => {
    open({ methods: [] });
    const foot = [...document.querySelectorAll('button')].find((button) => button.textContent?.startsWith('Pay ¥'));
    expect(foot?.disabled).toBe(true);
  });
});
