import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import type { FakeEpay } from '#tests/support/fake-epay.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { makeCode } from '#tests/support/redemption-desk.ts';
import { setOption } from '#tests/support/relay-scene.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { openPayment, placeOrder, startFakeEpay } from '#tests/support/wallet-desk.ts';

describe.each(engines)('wallet on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;
  let epay: FakeEpay;
  beforeAll(async () => {
    app = await createTestApp(engine);
    root = await app.setup();
    epay = await startFakeEpay();
    await openPayment(app, root, epay);
  });
  afterAll(async () => {
    await epay.close();
    await app.close();
  });
  const someone = async (fields: { group?: string } = {}) => app.as(await app.createUser(fields));
  const option = async (key: string, value: unknown) => {
    expect(await root.put('/api/option/', { key, value: String(value) })).toMatchObject({ success: true });
  };

  it('needs a session', async () => {
    const guest = app.anonymous();
    for (const answer of [
      await guest.get('/api/user/topup/info'),
      await guest.get('/api/user/topup/history'),
      await guest.get('/api/user/topup/orders/x'),
      await guest.post('/api/user/topup/orders/x/cancel'),
      await guest.post('/api/user/amount', { amount: 1 }),
      await guest.post('/api/user/pay', { amount: 1, payment_method: 'zfb' }),
    ]) {
      expect(answer).toMatchObject({ status: 401, success: false, code: 'not_logged_in' });
    }
  });

  it('tells what topping up costs whom', async () => {
    const vip = await someone({ group: 'vip' });
    expect((await vip.get('/api/user/topup/info')).data).toEqual({
      is_online: true,
      methods: ['alipay', 'wxpay'],
      price: 7.3,
      group: 'vip',
      group_ratio: 0.95,
      in_currency: true,
      min_amount: 1,
      presets: [
        { amount: 5, quota: 2_500_000, money: '34.68' },
        { amount: 10, quota: 5_000_000, money: '69.35' },
        { amount: 20, quota: 10_000_000, money: '138.70' },
        { amount: 50, quota: 25_000_000, money: '346.75' },
        { amount: 100, quota: 50_000_000, money: '693.50' },
      ],
      pending: [],
    });
  });

  it('prices an amount as old clients read it', async () => {
    const user = await someone({ group: 'vip' });
    expect((await user.post('/api/user/amount', { amount: 20, top_up_code: '' })).body).toEqual({
      success: true,
      message: 'success',
      data: '138.70',
    });
  });

  it.each([
    [{ amount: 0 }, 'topup_below_minimum', '充值数量不能小于 1'],
    [{ amount: -5 }, 'topup_below_minimum', '充值数量不能小于 1'],
    [{ amount: 1.5 }, 'payment_input', '参数错误'],
    [{ amount: '10' }, 'payment_input', '参数错误'],
    [{ amount: { $gt: 0 } }, 'payment_input', '参数错误'],
    [{ amount: 1e15 }, 'payment_input', '参数错误'],
    [{ amount: 1e300 }, 'payment_input', '参数错误'],
    [{}, 'payment_input', '参数错误'],
  ])('%j is refused with %s, the text in data', async (body, code, text) => {
    const user = await someone();
    const refused = { status: 200, success: false, message: 'error', code, data: text, field: 'amount' };
    expect(await user.post('/api/user/amount', body)).toMatchObject(refused);
    expect(await user.post('/api/user/pay', { payment_method: 'wx', ...body })).toMatchObject(refused);
    const english = await user.post('/api/user/amount', body, { headers: { 'accept-language': 'en' } });
    expect(english.data).not.toMatch(/\p{Script=Han}/u);
    expect(await app.context.db.collection('orders').count({ user_id: user.userId ?? 0 })).toBe(0);
  });

  it('keeps to the minimum and to prices of at least a cent, in dollars and in quota', async () => {
    const user = await someone();
    const price = async (amount: number) => (await user.post('/api/user/amount', { amount })).data;
    await option('MinTopUp', 10);
    expect(await price(9)).toBe('充值数量不能小于 10');
    await option('DisplayInCurrencyEnabled', false);
    expect(await price(10)).toBe('充值数量不能小于 5000000');
    expect(await price(5_250_000)).toBe('76.65');
    await option('MinTopUp', 1);
    await option('Price', 0.001);
    expect(await price(500_000)).toBe('充值金额过低');
    expect((await user.post('/api/user/pay', { amount: 500_000, payment_method: 'zfb' })).code).toBe('topup_price_low');
    await option('DisplayInCurrencyEnabled', true);
    await option('Price', 7.3);
    expect(await price(1)).toBe('7.30');
  });

  it('orders: a signed form for the provider, and an order with the price of the moment', async () => {
    const user = await someone({ group: 'vip' });
    const answer = await user.post('/api/user/pay', { amount: 20, payment_method: 'wx', top_up_code: '' });
    const tradeNo = answer.data.out_trade_no;
    expect(tradeNo).toMatch(new RegExp(`^USR${user.userId}NO[0-9a-zA-Z]{6}\\d{10}$`));
    expect(answer.body).toEqual({
      success: true,
      message: 'success',
      url: `${epay.url}submit.php`,
      trade_no: tradeNo,
      data: {
        pid: '1042',
        type: 'wxpay',
        out_trade_no: tradeNo,
        notify_url: `${app.origin}/api/user/epay/notify`,
        return_url: `${app.origin}/topup`,
        name: 'TUC20',
        money: '138.70',
        device: 'pc',
        sign_type: 'MD5',
        sign: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    });
    expect(await epay.submit({ url: `${epay.url}submit.php`, fields: answer.data })).toBe(200);
    await option('Price', 9);
    const { data } = await user.get(`/api/user/topup/orders/${tradeNo}`);
    expect(data).toMatchObject({
      order: {
        trade_no: tradeNo,
        provider: 'epay',
        method: 'wxpay',
        amount: 20,
        quota: 10_000_000,
        money: '138.70',
        status: 'pending',
        complete_time: 0,
      },
      payment: { url: `${epay.url}submit.php`, fields: answer.data },
    });
    expect(data.order.expires_at - data.order.create_time).toBe(900);
    expect((await user.get('/api/user/topup/info')).data.pending).toMatchObject([{ trade_no: tradeNo, status: 'pending' }]);
    await option('Price', 7.3);
  });

  it('sends notices to another address where one is set', async () => {
    await option('CustomCallbackAddress', 'https://callback.example/');
    const user = await someone();
    const answer = await user.post('/api/user/pay', { amount: 1, payment_method: 'alipay' });
    expect(answer.data).toMatchObject({ notify_url: 'https://callback.example/api/user/epay/notify', return_url: `${app.origin}/topup` });
    await option('CustomCallbackAddress', '');
  });

  it('orders nothing while the notice of a payment could not come back', async () => {
    const user = await someone();
    // No setting is saved so any more; a database may hold it from before.
    await setOption(app, 'ServerAddress', '');
    expect(await user.post('/api/user/pay', { amount: 1, payment_method: 'zfb' })).toMatchObject({ code: 'payment_unconfigured' });
    expect((await app.anonymous().get('/api/status')).data.enable_online_topup).toBe(false);
    await option('CustomCallbackAddress', app.origin);
    expect((await app.anonymous().get('/api/status')).data.enable_online_topup).toBe(true);
    expect(await epay.notify(await placeOrder(user, epay, 1))).toBe('success');
    await option('CustomCallbackAddress', '');
    await option('ServerAddress', app.origin);
  });

  it('orders nothing by a way that is not offered, or while payment is not configured', async () => {
    const user = await someone();
    expect(await user.post('/api/user/pay', { amount: 1, payment_method: 'bitcoin' })).toMatchObject({
      code: 'payment_method_unknown',
      field: 'payment_method',
      message: 'error',
      data: '不支持的支付方式',
    });
    await option('EpayKey', '');
    expect(await user.post('/api/user/pay', { amount: 1, payment_method: 'zfb' })).toMatchObject({
      code: 'payment_unconfigured',
      message: 'error',
      data: '当前管理员未配置支付信息',
    });
    expect((await user.get('/api/user/topup/info')).data).toMatchObject({ is_online: false, methods: [] });
    expect((await app.anonymous().get('/api/status')).data.enable_online_topup).toBe(false);
    await option('EpayKey', epay.merchant.key);
    expect(await app.context.db.collection('orders').count({ user_id: user.userId ?? 0 })).toBe(0);
  });

  it('orders are their owner’s alone', async () => {
    const [owner, other] = [await someone(), await someone()];
    const tradeNo = await placeOrder(owner, epay);
    for (const client of [other, root]) {
      expect(await client.get(`/api/user/topup/orders/${tradeNo}`)).toMatchObject({ success: false, code: 'not_found' });
      expect(await client.post(`/api/user/topup/orders/${tradeNo}/cancel`)).toMatchObject({ success: false, code: 'not_found' });
    }
    expect((await owner.get(`/api/user/topup/orders/${tradeNo}`)).data.order.status).toBe('pending');
  });

  it('an order is given up, or expires; a paid one is not given up', async () => {
    const user = await someone();
    const [first, second, third] = [await placeOrder(user, epay), await placeOrder(user, epay), await placeOrder(user, epay)];
    expect((await user.post(`/api/user/topup/orders/${first}/cancel`)).data).toMatchObject({ status: 'cancelled' });
    expect((await user.get(`/api/user/topup/orders/${first}`)).data).toMatchObject({ order: { status: 'cancelled' }, payment: null });
    expect(await epay.notify(second)).toBe('success');
    expect(await user.post(`/api/user/topup/orders/${second}/cancel`)).toMatchObject({ code: 'order_finished', message: '该订单已支付' });
    app.clock.advance(900_000);
    expect((await user.get(`/api/user/topup/orders/${third}`)).data).toMatchObject({ order: { status: 'expired' }, payment: null });
    expect((await user.get('/api/user/topup/info')).data.pending).toEqual([]);
  });

  it('one account orders no more than thirty times an hour', async () => {
    const user = await someone();
    for (let count = 0; count < 30; count += 1) {
      expect((await user.post('/api/user/pay', { amount: 1, payment_method: 'zfb' })).success).toBe(true);
    }
    expect(await user.post('/api/user/pay', { amount: 1, payment_method: 'zfb' })).toMatchObject({ status: 429, code: 'rate_limited' });
  });

  it('shows what changed the balance, newest first, one’s own only, by kind', async () => {
    const user = await someone();
    const key = await makeCode(root, { quota: 1_000_000 });
    await user.post('/api/user/topup', { key });
    const tradeNo = await placeOrder(user, epay, 5);
    await epay.notify(tradeNo);
    await root.put('/api/user/', { id: user.userId, quota: 9_000_000 });
    const { data } = await user.get('/api/user/topup/history');
    expect(data).toMatchObject({
      total: 3,
      page: 1,
      items: [
        { kind: 'edit', amount: 5_500_000 },
        { kind: 'order', amount: 2_500_000, order: { trade_no: tradeNo, method: 'alipay', money: '36.50' } },
        { kind: 'redemption', amount: 1_000_000, code: key.slice(0, 4) },
      ],
    });
    // No more of a code than its beginning, and no other user's name.
    expect(JSON.stringify(data)).not.toContain(key);
    for (const [kind, count] of [
      ['order', 1],
      ['redemption', 1],
      ['edit', 1],
      ['transfer', 0],
      ['refund', 0],
      ['bonus', 0],
      ['setup', 0],
      ['other', 0],
    ] as const) {
      expect((await user.get(`/api/user/topup/history?kind=${kind}`)).data.items, kind).toHaveLength(count);
    }
    expect(await user.get('/api/user/topup/history?kind=all')).toMatchObject({ success: false, field: 'kind' });
    expect((await user.get('/api/user/topup/history?p=2&page_size=2')).data.items).toMatchObject([{ kind: 'redemption' }]);
    expect((await (await someone()).get('/api/user/topup/history')).data).toMatchObject({ total: 0, items: [] });
  });

  it('the balance that the super administrator begins with has a kind of its own', async () => {
    const opening = [{ kind: 'setup', amount: 100_000_000 }];
    const all = await root.get('/api/user/topup/history?page_size=100');
    expect(all.data.items.slice(-1)).toMatchObject(opening);
    expect((await root.get('/api/user/topup/history?kind=setup')).data.items).toMatchObject(opening);
    expect((await root.get('/api/user/topup/history?kind=other')).data.items).toEqual([]);
  });
});
