import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import type { FakeEpay } from '#tests/support/fake-epay.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { balance, creditRows, expectBalancedBooks } from '#tests/support/redemption-desk.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { openPayment, placeOrder, startFakeEpay } from '#tests/support/wallet-desk.ts';

const worth = 5_000_000;

describe.each(engines)('notices of payments on $kind', (engine) => {
  let app: TestApp;
  /** A second server process on the same database. */
  let second: TestApp;
  let root: TestClient;
  let epay: FakeEpay;
  beforeAll(async () => {
    app = await createTestApp(engine);
    root = await app.setup();
    epay = await startFakeEpay();
    await openPayment(app, root, epay);
    second = await createTestApp(engine, { database: app.database, clock: app.clock });
  });
  afterAll(async () => {
    await epay.close();
    await second.close();
    await app.close();
  });
  const someone = async (fields: { quota?: number } = {}) => app.as(await app.createUser(fields));
  const send = async (query: URLSearchParams | string, to = app) => (await to.anonymous().get(`/api/user/epay/notify?${query}`)).body;

  it.each(['GET', 'POST'] as const)('a paid order becomes balance, by %s, with a row in the log', async (method) => {
    const user = await someone({ quota: 100 });
    const tradeNo = await placeOrder(user, epay);
    expect(await epay.notify(tradeNo, {}, method)).toBe('success');
    expect(await balance(app, user.userId)).toBe(worth + 100);
    expect((await user.get(`/api/user/topup/orders/${tradeNo}`)).data).toMatchObject({
      order: { status: 'success', complete_time: expect.any(Number) },
      payment: null,
    });
    expect(await creditRows(app, user.userId)).toMatchObject([
      {
        content: '使用在线充值成功，充值金额: ＄10.000000 额度，支付金额：73.000000',
        other: { event: { code: 'topped_up', amount: worth, money: '73.00' } },
      },
    ]);
    const order = await app.context.db.collection('orders').first({ trade_no: tradeNo });
    expect(order).toMatchObject({ status: 'success', provider_trade_no: `2026${tradeNo}` });
    const entries = await app.context.db.collection('ledger').find({ account: 'user', account_id: user.userId ?? 0, kind: 'topup' });
    expect(entries).toMatchObject([{ ref: `topup:${order?.id}:1`, amount: worth, state: 'done' }]);
    await expectBalancedBooks(app);
  });

  it('the answer is plain text that nobody keeps', async () => {
    const { headers, body } = await app.anonymous().get('/api/user/epay/notify');
    expect(body).toBe('fail');
    expect(headers).toMatchObject({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  });

  it('a thousand times at once, through two processes: credited once', async () => {
    const user = await someone();
    const tradeNo = await placeOrder(user, epay);
    const query = epay.notice(tradeNo);
    const answers = await Promise.all(Array.from({ length: 1000 }, (_, index) => send(query, index % 2 === 0 ? app : second)));
    expect(answers).toContain('success');
    expect(new Set(answers)).not.toContain('');
    expect(await send(query)).toBe('success');
    expect(await balance(app, user.userId)).toBe(worth);
    expect(await creditRows(app, user.userId)).toHaveLength(1);
    await expectBalancedBooks(app);
  });

  it('an order that was given up or has expired is credited all the same', async () => {
    const user = await someone();
    const [cancelled, expired] = [await placeOrder(user, epay), await placeOrder(user, epay)];
    await user.post(`/api/user/topup/orders/${cancelled}/cancel`);
    expect(await epay.notify(cancelled)).toBe('success');
    app.clock.advance(3 * 86_400_000);
    expect(await epay.notify(expired)).toBe('success');
    expect(await balance(app, user.userId)).toBe(2 * worth);
  });

  it('what was frozen counts: prices, units and groups may have changed since', async () => {
    const user = await someone();
    const tradeNo = await placeOrder(user, epay);
    await root.put('/api/option/', { key: 'Price', value: '1' });
    await root.put('/api/option/', { key: 'QuotaPerUnit', value: '1000' });
    expect(await epay.notify(tradeNo)).toBe('success');
    await root.put('/api/option/', { key: 'Price', value: '7.3' });
    await root.put('/api/option/', { key: 'QuotaPerUnit', value: '500000' });
    expect(await balance(app, user.userId)).toBe(worth);
  });

  it.each<[string, Record<string, string>, string]>([
    ['another price', { money: '0.01' }, 'fail'],
    ['a higher price', { money: '73.01' }, 'fail'],
    ['no price', { money: '' }, 'fail'],
    ['a price that is none', { money: '7.3e1' }, 'fail'],
    ['an unknown order', { out_trade_no: 'USR1NOabcdef1795334400' }, 'fail'],
    ['no order', { out_trade_no: '' }, 'fail'],
    ['another merchant', { pid: '1043' }, 'fail'],
    ['no payment yet', { trade_status: 'WAIT_BUYER_PAY' }, 'success'],
    ['a payment that was closed', { trade_status: 'TRADE_CLOSED' }, 'success'],
  ])('properly signed, but of %s: nothing is credited', async (_what, changes, answer) => {
    const user = await someone();
    const tradeNo = await placeOrder(user, epay);
    expect(await epay.notify(tradeNo, changes)).toBe(answer);
    expect(await balance(app, user.userId)).toBe(0);
    expect((await user.get(`/api/user/topup/orders/${tradeNo}`)).data.order.status).toBe('pending');
    // The true one is not spoilt by it.
    expect(await epay.notify(tradeNo, { money: '73.0' })).toBe('success');
    expect(await balance(app, user.userId)).toBe(worth);
  });

  it('forged ones are refused: no signature, another key, a changed field, a field twice, the signature of our own form', async () => {
    const user = await someone();
    const answer = await user.post('/api/user/pay', { amount: 10, payment_method: 'zfb' });
    const tradeNo = answer.data.out_trade_no;
    const form = new URLSearchParams({ ...answer.data, trade_status: 'TRADE_SUCCESS' });
    expect(await epay.submit({ url: `${epay.url}submit.php`, fields: answer.data })).toBe(200);
    const changed = (change: (query: URLSearchParams) => void) => {
      const query = epay.notice(tradeNo);
      change(query);
      return query;
    };
    const forged = [
      form,
      changed((query) => query.delete('sign')),
      changed((query) => query.set('sign', '')),
      changed((query) => query.set('sign', 'f'.repeat(32))),
      changed((query) => query.set('money', '73.00 ')),
      changed((query) => query.set('extra', '1')),
      changed((query) => query.append('money', '73.00')),
      changed((query) => query.append('sign', query.get('sign') ?? '')),
      // The same signed text, cut at other places.
      changed((query) => {
        query.delete('name');
        query.set('money', `73.00&name=TUC10`);
      }),
    ];
    for (const query of forged) expect(await send(query), String(query)).toBe('fail');
    const fields = Object.fromEntries(epay.notice(tradeNo));
    const text = Object.keys(fields)
      .filter((name) => !['sign', 'sign_type'].includes(name) && fields[name] !== '')
      .sort()
      .map((name) => `${name}=${fields[name]}`)
      .join('&');
    const otherKey = createHash('md5').update(`${text}another key`).digest('hex');
    expect(await send(new URLSearchParams({ ...fields, sign: otherKey }))).toBe('fail');
    expect(await balance(app, user.userId)).toBe(0);
    expect(await send(epay.notice(tradeNo))).toBe('success');
  });

  it('an order of another provider is not paid by this one', async () => {
    const user = await someone();
    const tradeNo = await placeOrder(user, epay);
    await app.context.db.collection('orders').patch({ trade_no: tradeNo }, { set: { provider: 'stripe' } });
    expect(await epay.notify(tradeNo)).toBe('fail');
    expect(await balance(app, user.userId)).toBe(0);
  });

  it('while payment is not configured nothing is believed, not even what is signed with an empty key', async () => {
    const user = await someone();
    const tradeNo = await placeOrder(user, epay);
    await root.put('/api/option/', { key: 'EpayKey', value: '' });
    const fields: Record<string, string> = { money: '73.00', out_trade_no: tradeNo, pid: '1042', trade_status: 'TRADE_SUCCESS' };
    const text = Object.entries(fields)
      .map(([name, value]) => `${name}=${value}`)
      .join('&');
    const sign = createHash('md5').update(text).digest('hex');
    expect(await send(new URLSearchParams({ ...fields, sign }))).toBe('fail');
    await root.put('/api/option/', { key: 'EpayKey', value: epay.merchant.key });
    expect(await balance(app, user.userId)).toBe(0);
  });

  it('a credit that would burst the account leaves the order unpaid until there is room', async () => {
    const user = await someone({ quota: Number.MAX_SAFE_INTEGER - 5 });
    const tradeNo = await placeOrder(user, epay);
    for (let attempt = 0; attempt < 2; attempt += 1) expect(await epay.notify(tradeNo)).toBe('fail');
    expect(await root.put('/api/user/', { id: user.userId, quota: 0 })).toMatchObject({ success: true });
    expect(await epay.notify(tradeNo)).toBe('success');
    expect(await balance(app, user.userId)).toBe(worth);
    await expectBalancedBooks(app);
  });

  it('a banned and a deleted account get what they have paid for', async () => {
    const user = await someone();
    const tradeNo = await placeOrder(user, epay);
    await root.post('/api/user/manage', { id: user.userId, action: 'delete' });
    expect(await epay.notify(tradeNo)).toBe('success');
    expect(await balance(app, user.userId)).toBe(worth);
  });

  it('odd bodies are refused without a fault', async () => {
    for (const rawBody of ['', '{"a":1}', '%', '&&&=', 'a=%ff', new Uint8Array([0xff, 0xfe]), 'x'.repeat(70_000)]) {
      const answer = await app.anonymous().post('/api/user/epay/notify', undefined, {
        rawBody,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect(answer.body).toBe('fail');
      expect(answer.status).toBeLessThan(500);
    }
  });
});
