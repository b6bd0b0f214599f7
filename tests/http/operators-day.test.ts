// A day of an operator who still uses the console and the scripts of an earlier system of this family: only calls and fields of those, whole records
// sent back as they were read, ids in the header, and an access token in the scripts. And a day of one of the operator's customers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { type FakeEpay, startFakeEpay } from '#tests/support/fake-epay.ts';
import { type FakeUpstream, startFakeUpstream } from '#tests/support/fake-upstream.ts';
import { createClient, type TestClient } from '#tests/support/http-client.ts';
import { createMailDesk, type MailDesk } from '#tests/support/mail-desk.ts';
import { expectBalancedBooks } from '#tests/support/redemption-desk.ts';
import { until } from '#tests/support/relay-scene.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';
import { openPayment, placeOrder } from '#tests/support/wallet-desk.ts';

afterAll(trustLocalhost());

interface Row {
  id: number;
  [field: string]: unknown;
}

describe.each(oneEngine)('a day with clients of an earlier system on $kind', (engine) => {
  let desk: MailDesk;
  let upstream: FakeUpstream;
  let spare: FakeUpstream;
  let epay: FakeEpay;
  /** The operator's console. */
  let root: TestClient;
  /** The customer, in a browser. */
  let customer: TestClient;
  let key = '';
  let firstChannel: Row;

  beforeAll(async () => {
    desk = await createMailDesk(engine);
    root = desk.root;
    [upstream, spare, epay] = await Promise.all([startFakeUpstream(), startFakeUpstream(), startFakeEpay()]);
    await openPayment(desk.app, root, epay);
  });
  afterAll(async () => {
    await Promise.all([upstream.close(), spare.close(), epay.close()]);
    await desk[Symbol.asyncDispose]();
  });

  const chat = (fields: Record<string, unknown> = {}) =>
    fetch(`${desk.app.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Say hello' }], ...fields }),
    });
  const rowsOf = async (client: TestClient, path: string): Promise<Row[]> => {
    const { success, data } = await client.get(path);
    expect(success).toBe(true);
    return Array.isArray(data) ? data : data.items;
  };
  const self = async () => (await customer.get('/api/user/self')).data;

  it('morning: a channel, as the old form sends it', async () => {
    const form = {
      name: 'first',
      type: 1,
      key: 'sk-upstream',
      openai_organization: '',
      max_input_tokens: 0,
      base_url: upstream.url,
      other: '',
      model_mapping: '',
      status_code_mapping: '',
      models: 'gpt-4o-mini,gpt-4o',
      auto_ban: 1,
      test_model: '',
      groups: ['default'],
      group: 'default',
      priority: 10,
      weight: 0,
      tag: '',
      setting: '',
      param_override: '',
    };
    expect(await root.post('/api/channel/', form)).toMatchObject({ success: true, message: '' });
    expect(await root.post('/api/channel/', { ...form, name: 'spare', base_url: spare.url, priority: 0 })).toMatchObject({ success: true });
    const rows = await rowsOf(root, '/api/channel/?p=0&page_size=10&id_sort=true&tag_mode=false');
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['first', 'spare']));
    firstChannel = (await root.get(`/api/channel/${rows.find(({ name }) => name === 'first')?.id}`)).data;
    expect(firstChannel).toMatchObject({ key: '', models: 'gpt-4o-mini,gpt-4o' });
    expect(await root.get(`/api/channel/test/${firstChannel.id}?model=`)).toMatchObject({ success: true });
  });

  it('a customer registers, pays the first bill, makes a key and calls', async () => {
    const anonymous = desk.app.anonymous();
    const form = { username: 'mei', password: 'eight or more', password2: 'eight or more', email: '', verification_code: '', aff_code: '' };
    expect(await anonymous.post('/api/user/register?turnstile=', form)).toMatchObject({ success: true });
    customer = createClient(desk.app.origin);
    const entered = await customer.post('/api/user/login?turnstile=', { username: 'mei', password: 'eight or more' });
    expect(entered).toMatchObject({ success: true, data: { username: 'mei', role: 1, status: 1 } });
    customer.setUser(entered.data.id);

    expect(await customer.post('/api/user/amount', { amount: 10, top_up_code: '' })).toMatchObject({ message: 'success', data: '73.00' });
    expect(await epay.notify(await placeOrder(customer, epay))).toBe('success');
    expect((await self()).quota).toBe(5_000_000);

    const made = await customer.post('/api/token/', {
      name: 'phone',
      remain_quota: 500000,
      expired_time: -1,
      unlimited_quota: false,
      model_limits_enabled: false,
      model_limits: '',
      allow_ips: '',
      group: '',
    });
    expect(made).toMatchObject({ success: true, message: '' });
    const [token] = await rowsOf(customer, '/api/token/?p=0&size=10');
    key = `sk-${String(token?.['key'])}`;
    expect((await chat()).status).toBe(200);
    const used = await until(async () => {
      const [row] = await rowsOf(customer, '/api/log/self?p=1&page_size=10&type=2');
      return row ?? null;
    });
    expect(used).toMatchObject({ model_name: 'gpt-4o-mini', token_name: 'phone' });
    expect(used['quota']).toBeGreaterThan(0);
  });

  it('a lost password: the mailed link ends in a new one, and the old one is gone', async () => {
    const mailTo = (index: number) => until(() => desk.smtp.mails[index] ?? null);
    const mail = encodeURIComponent('mei@example.org');
    expect(await customer.get(`/api/verification?email=${mail}&turnstile=`)).toMatchObject({ success: true, message: '' });
    const code = /\b[0-9a-f]{6}\b/.exec((await mailTo(0)).text)?.[0] ?? '';
    expect(await customer.get(`/api/oauth/email/bind?email=${mail}&code=${code}`)).toMatchObject({
      success: true,
    });

    desk.app.clock.advance(120_000);
    const stranger = desk.app.anonymous();
    expect(await stranger.get(`/api/reset_password?email=${mail}&turnstile=`)).toMatchObject({
      success: true,
    });
    const link = new URL(/https?:\S+\/user\/reset\?\S+/.exec((await mailTo(1)).text)?.[0] ?? '');
    const reset = await stranger.post('/api/user/reset', { email: link.searchParams.get('email'), token: link.searchParams.get('token') });
    expect(reset).toMatchObject({ success: true, data: expect.any(String) });
    expect((await customer.get('/api/user/self')).status).toBe(401);
    expect(await stranger.post('/api/user/login', { username: 'mei', password: 'eight or more' })).toMatchObject({ success: false });
    const back = await stranger.post('/api/user/login', { username: 'mei@example.org', password: reset.data });
    expect(back.success).toBe(true);
    customer = stranger;
    customer.setUser(back.data.id);
    // The key still works: it is no session.
    expect((await chat()).status).toBe(200);
  });

  it('noon: a sick channel is out of use by itself, calls go on, and a passed test brings it back', async () => {
    for (const [option, value] of [
      ['AutomaticDisableChannelEnabled', 'true'],
      ['AutomaticEnableChannelEnabled', 'true'],
    ]) {
      expect(await root.put('/api/option/', { key: option, value })).toMatchObject({ success: true });
    }
    upstream.behave({
      status: 401,
      error: { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' },
    });
    expect((await chat()).status).toBe(200);
    const sick = await until(async () => {
      const channel = (await root.get(`/api/channel/${firstChannel.id}`)).data;
      return channel.status === 3 ? channel : null;
    });
    expect(JSON.parse(sick.other_info)).toMatchObject({
      status_reason: expect.stringContaining('Incorrect API key'),
      status_time: expect.any(Number),
    });
    expect((await chat()).status).toBe(200);
    // The operator enters a new key: the whole record goes back with it.
    expect(await root.put('/api/channel/', { ...sick, key: 'sk-new', groups: ['default'] })).toMatchObject({ success: true });
    upstream.reset();
    expect(await root.get('/api/channel/test')).toMatchObject({ success: true });
    await until(async () => ((await root.get(`/api/channel/${firstChannel.id}`)).data.status === 1 ? true : null));
  });

  it('a price change counts from the next call on, and no row before it changes', async () => {
    const price = async () => {
      const before = (await rowsOf(customer, '/api/log/self?p=1&page_size=100&type=2')).length;
      expect((await chat()).status).toBe(200);
      const rows = await until(async () => {
        const found = await rowsOf(customer, '/api/log/self?p=1&page_size=100&type=2');
        return found.length > before ? found : null;
      });
      return rows[0] ?? { id: 0 };
    };
    const before = await price();
    const options = await rowsOf(root, '/api/option/');
    const ratios = JSON.parse(String(options.find((option) => option['key'] === 'ModelRatio')?.['value']));
    const value = JSON.stringify({ ...ratios, 'gpt-4o-mini': ratios['gpt-4o-mini'] * 10 }, null, 2);
    expect(await root.put('/api/option/', { key: 'ModelRatio', value })).toMatchObject({ success: true });
    const after = await price();
    // A call is rounded up to a whole quota once.
    expect(after['quota']).toBeGreaterThan((Number(before['quota']) - 1) * 10);
    expect(after['quota']).toBeLessThanOrEqual(Number(before['quota']) * 10);
    const again = (await rowsOf(customer, '/api/log/self?p=1&page_size=100&type=2')).find(({ id }) => id === before.id);
    expect(again).toEqual(before);
    expect(await root.post('/api/option/rest_model_ratio')).toMatchObject({ success: true, message: '重置模型倍率成功' });
    expect((await price())['quota']).toBe(before['quota']);
  });

  it('a refund: the operator sends the whole user back with more quota; what is spent meanwhile stays spent', async () => {
    const { id, quota } = await self();
    const record = (await root.get(`/api/user/${id}`)).data;
    expect((await chat()).status).toBe(200);
    expect(await root.put('/api/user/', { ...record, quota: Number(record.quota) + 1_000_000, password: '' })).toMatchObject({
      success: true,
    });
    const now = await self();
    expect(now.quota).toBeGreaterThan(quota);
    expect(now.quota).toBeLessThan(quota + 1_000_000);
    const managed = await rowsOf(customer, '/api/log/self?p=1&page_size=10&type=3');
    expect(managed[0]?.['content']).toContain('管理员将用户额度从');
    await expectBalancedBooks(desk.app);
  });

  it("a new colleague: made, promoted, does an administrator's work and nothing above it", async () => {
    expect(await root.post('/api/user/', { username: 'jun', display_name: 'Jun', password: 'nine or more' })).toMatchObject({
      success: true,
    });
    const [found] = await rowsOf(root, '/api/user/search?keyword=jun&group=&p=1&page_size=10');
    expect(await root.post('/api/user/manage', { id: found?.id, action: 'promote' })).toMatchObject({ success: true, data: { role: 10 } });
    const colleague = createClient(desk.app.origin);
    const entered = await colleague.post('/api/user/login', { username: 'jun', password: 'nine or more' });
    colleague.setUser(entered.data.id);
    // Their scripts use a token of the console.
    const { data: accessToken } = await colleague.get('/api/user/token');
    const script = createClient(desk.app.origin);
    script.setUser(entered.data.id);
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await script.get('/api/channel/?p=0&page_size=10', { headers })).data.length).toBe(2);
    expect(await script.put('/api/channel/', { id: firstChannel.id, weight: 5 }, { headers })).toMatchObject({ success: true });
    const codes = await script.post('/api/redemption/', { name: 'gift', quota: 500000, count: 3 }, { headers });
    expect(codes).toMatchObject({ success: true, data: [expect.any(String), expect.any(String), expect.any(String)] });
    expect(await customer.post('/api/user/topup', { key: codes.data[0] })).toMatchObject({ success: true, data: 500000 });
    expect(await script.post('/api/user/manage', { id: customer.userId, action: 'promote' }, { headers })).toMatchObject({
      success: false,
    });
    expect(await script.post('/api/user/manage', { id: 1, action: 'disable' }, { headers })).toMatchObject({ success: false });
  });

  it("the month's end: sums, the customer's own figures, old rows deleted, and the books balance", async () => {
    const day = Math.floor(desk.app.clock.now() / 1000);
    const range = `start_timestamp=${day - 86400}&end_timestamp=${day + 3600}`;
    const rows = await rowsOf(root, `/api/log/?p=1&page_size=100&type=2&username=mei&${range}`);
    const spent = rows.reduce((sum, row) => sum + Number(row['quota']), 0);
    expect((await root.get(`/api/log/stat?type=2&username=mei&${range}`)).data.quota).toBe(spent);
    expect((await self()).used_quota).toBe(spent);
    const hours = await rowsOf(root, `/api/data/?username=mei&${range}&default_time=hour`);
    expect(hours.reduce((sum, hour) => sum + Number(hour['quota']), 0)).toBe(spent);
    const usage = await fetch(`${desk.app.origin}/v1/dashboard/billing/usage`, { headers: { authorization: `Bearer ${key}` } });
    expect(await usage.json()).toEqual({ object: 'list', total_usage: (spent / 500_000) * 100 });
    expect(await root.delete(`/api/log/?target_timestamp=${day + 3600}`)).toMatchObject({ success: true, data: expect.any(Number) });
    expect(await rowsOf(root, `/api/log/?p=1&page_size=10&type=2&username=mei&${range}`)).toEqual([]);
    expect((await self()).used_quota).toBe(spent);
    await expectBalancedBooks(desk.app);
  });
});
