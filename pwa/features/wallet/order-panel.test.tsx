import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TopUpOrder } from '#shared/wallet.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { buildOrder } from '#tests/support/console-wallet.ts';
import { OrderPanel } from './order-panel.tsx';

let server: FixtureServer;
let screen: DrawnScreen;
let order: TopUpOrder;
let hasPayment: boolean;
let closed: number;

beforeAll(async () => {
  await startScreenTexts('wallet');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requested.length = 0;
  closed = 0;
  hasPayment = true;
  order = buildOrder();
  server.answer(({ url, method }, response) => {
    if (method === 'POST' && url.endsWith('/cancel')) {
      order = { ...order, status: 'cancelled' };
      return sendJson(response, { success: true, message: '', data: order });
    }
    const payment = hasPayment && order.status === 'pending' ? { url: 'https://pay.example/', fields: { pid: '1' } } : null;
    if (url.startsWith('/api/user/topup/orders/')) return sendJson(response, { success: true, message: '', data: { order, payment } });
    return sendJson(response, { success: false, message: 'not here' });
  });
});
afterEach(() => screen.leave());

const open = () => (screen = drawScreen(<OrderPanel tradeNo={order.trade_no} onClose={() => (closed += 1)} />));
const buttons = () => [...document.querySelectorAll('button')].map((button) => button.textContent);

describe('order-panel', () => {
  test('an order that waits says for what, since when, and what can be done', async () => {
    open();
    await shows(() => expect(screen.text()).toContain('Waiting for Alipay to confirm the payment'));
    expect(screen.text()).toMatch(/for 0:4\d/);
    expect(screen.text()).toContain(order.trade_no);
    expect(screen.text()).toMatch(/asked every 3 s, valid until \d\d:\d\d/);
    expect(screen.text()).toContain('seconds after the payment');
    expect(buttons()).toEqual(expect.arrayContaining(['Open the payment page again', 'I have paid, check now', 'Cancel order']));
  });

  test('asked again it shows the money that has come meanwhile', async () => {
    open();
    await shows(() => expect(screen.text()).toContain('Waiting for Alipay'));
    order = { ...order, status: 'success', complete_time: order.create_time + 30 };
    screen.press('I have paid, check now');
    await shows(() => expect(screen.text()).toContain('Topped up: $20.00 credited.'));
    expect(buttons()).not.toContain('Cancel order');
    screen.press('Done');
    expect(closed).toBe(1);
  });

  test('it looks by itself', async () => {
    open();
    await shows(() => expect(screen.text()).toContain('Waiting for Alipay'));
    order = { ...order, status: 'paid' };
    await shows(() => expect(screen.text()).toContain('Paid, being credited'));
    expect(buttons()).not.toContain('Cancel order');
  });

  test('cancelled it says so, and that a payment would count all the same', async () => {
    open();
    await shows(() => screen.press('Cancel order'));
    await shows(() => expect(screen.text()).toContain('The order was cancelled.'));
    expect(screen.text()).toContain('an order is credited all the same');
    expect(server.requested.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('without a page to open there is no button for one', async () => {
    hasPayment = false;
    open();
    await shows(() => expect(screen.text()).toContain('Waiting for Alipay'));
    expect(buttons()).not.toContain('Open the payment page again');
  });

  test('an order that cannot be read says so and can be asked for again', async () => {
    server.answer((_asked, response) => sendJson(response, { success: false, message: '记录不存在', code: 'not_found' }));
    open();
    await shows(() => expect(document.querySelector('[role=alert]')?.textContent).toContain('记录不存在'));
  });
});
