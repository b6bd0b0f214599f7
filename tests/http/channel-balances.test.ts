import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { balanceAnswers, subscriptionPath as subscription, usagePath as usage } from '#tests/support/balance-answers.ts';
import { type BillingUpstream, startBillingUpstream } from '#tests/support/billing-upstream.ts';
import { useChannelDesk } from '#tests/support/channel-desk.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { setOption } from '#tests/support/relay-scene.ts';

describe.each(oneEngine)('balances of channels on $kind', (engine) => {
  const desk = useChannelDesk(engine);
  const { createOne, stored, read } = desk;
  let provider: BillingUpstream;
  beforeAll(async () => {
    provider = await startBillingUpstream();
  });
  beforeEach(() => {
    provider.at = {};
    provider.requested = [];
    provider.before = undefined;
  });
  afterAll(() => provider[Symbol.asyncDispose]());

  const update = (id: number) => desk.admin.get(`/api/channel/update_balance/${id}/`);
  const balanceOf = async (type: number, fields: object = {}) => {
    const id = await createOne({ type, base_url: provider.url, ...fields });
    const answer = await update(id);
    return { id, answer, balance: Object(answer.body).balance as unknown };
  };

  it.each(balanceAnswers)('type $type: reads what the provider says, in dollars', async ({ type, at, dollars: expected }) => {
    provider.at = { ...at };
    const { id, answer, balance } = await balanceOf(type);
    expect(answer).toMatchObject({ status: 200, success: true, message: '' });
    expect(balance).toBe(expected);
    expect(await read(id)).toMatchObject({ balance: expected, balance_full: expected, balance_error: '', revision: 1 });
    expect((await read(id)).balance_updated_time).toBeGreaterThan(0);
    for (const { headers } of provider.requested) {
      if (type === 10) expect(headers).toMatchObject({ 'api-key': 'sk-secret-one' });
      else expect(headers.authorization).toBe('Bearer sk-secret-one');
      expect(Object.values(headers).filter((value) => String(value).includes('sk-secret-one'))).toHaveLength(1);
    }
  });

  it('a custom channel is asked at the root of its own host, with the dates of the period', async () => {
    provider.at = { [subscription]: { hard_limit_usd: 5, has_payment_method: false }, [usage]: { total_usage: 100 } };
    const { balance } = await balanceOf(8, { base_url: `${provider.url}/deep/{model}/chat` });
    expect(balance).toBe(4);
    const query = new URLSearchParams(provider.requested[1]?.path.split('?')[1]);
    const [start, end] = [query.get('start_date') ?? '', query.get('end_date') ?? ''];
    expect((Date.parse(end) - Date.parse(start)) / 86_400_000).toBe(100);
    provider.at = { [subscription]: { hard_limit_usd: 5, has_payment_method: true }, [usage]: { total_usage: 100 } };
    await balanceOf(1);
    expect(provider.requested.at(-1)?.path).toMatch(/start_date=\d{4}-\d\d-01&/);
  });

  it('tells why there is none, and keeps the balance that was known', async () => {
    provider.at = { '/user/balance': { balance_infos: [{ currency: 'CNY', total_balance: '7.3' }] } };
    const { id } = await balanceOf(43);
    for (const [at, message] of [
      [{ '/user/balance': 402 }, 'status code: 402'],
      [{ '/user/balance': { balance_infos: [{ currency: 'EUR', total_balance: '1' }] } }, 'currency CNY not found'],
      [{ '/user/balance': { balance_infos: [{ currency: 'CNY', total_balance: 'many' }] } }, 'the balance is not a number'],
      [{ '/user/balance': { balance_infos: [{ currency: 'CNY', total_balance: '' }] } }, 'the balance is not a number'],
    ] as const) {
      provider.at = at;
      expect(await update(id)).toMatchObject({ status: 200, success: false, code: 'channel_balance_failed', message });
      expect(await read(id)).toMatchObject({ balance: 1, balance_error: message });
    }
    provider.at = { '/user/balance': '<html>' };
    expect(await update(id)).toMatchObject({ success: false, code: 'channel_balance_failed' });
    const silicon = await balanceOf(40);
    expect(silicon.answer.message).toBe('status code: 404');
    provider.at = { '/v1/user/info': { code: 30001, message: 'key sk-secret-one is unknown' } };
    expect((await update(silicon.id)).message).toBe('code: 30001, message: key *** is unknown');
    expect(await stored(silicon.id)).toMatchObject({ balance: 0, balance_updated_time: 0 });
  });

  it('types that do not tell say so, and unknown channels too', async () => {
    const { answer } = await balanceOf(3);
    expect(answer).toMatchObject({ status: 200, success: false, code: 'channel_balance_unsupported', message: '尚未实现' });
    expect(provider.requested).toEqual([]);
    expect(await update(999_999)).toMatchObject({ code: 'channel_not_found' });
    const user = await desk.app.as(await desk.app.createUser());
    expect(await user.get('/api/channel/update_balance/1')).toMatchObject({ status: 403 });
    expect(await desk.app.anonymous().get('/api/channel/update_balance/1')).toMatchObject({ status: 401 });
  });

  it('remembers the last rise as the full mark', async () => {
    const grants = '/dashboard/billing/credit_grants';
    provider.at = { [grants]: { total_remaining: 10 } };
    const { id } = await balanceOf(12);
    for (const [left, full] of [
      [4, 10],
      [6, 6],
      [5, 6],
    ] as const) {
      provider.at = { [grants]: { total_remaining: left } };
      await update(id);
      expect(await read(id)).toMatchObject({ balance: left, balance_full: full });
    }
  });

  it('one that is used up takes the channel out of use where that is on, for the channel too', async () => {
    const grants = '/dashboard/billing/credit_grants';
    provider.at = { [grants]: { total_remaining: 0 } };
    const off = await balanceOf(12);
    expect(await stored(off.id)).toMatchObject({ status: 1 });
    await setOption(desk.app, 'AutomaticDisableChannelEnabled', 'true');
    await update(off.id);
    expect(await stored(off.id)).toMatchObject({ status: 3 });
    expect(JSON.parse((await stored(off.id)).other_info)).toMatchObject({ status_fact: { code: 'balance_used_up' } });
    const spared = await balanceOf(12, { auto_ban: 0 });
    expect(await stored(spared.id)).toMatchObject({ status: 1, balance_updated_time: expect.any(Number) });
    await setOption(desk.app, 'AutomaticDisableChannelEnabled', 'false');
  });

  it('of a channel that got another key meanwhile nothing is kept', async () => {
    const id = await createOne({ type: 12, base_url: provider.url });
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    provider.at = { '/dashboard/billing/credit_grants': { total_remaining: 8 } };
    provider.before = async () => {
      await desk.app.context.db.collection('channels').patch({ id }, { set: { key_hash: 'another' } });
      resolve();
    };
    const answer = await update(id);
    await changed;
    expect(answer).toMatchObject({ success: true });
    expect(await stored(id)).toMatchObject({ balance: 0, balance_updated_time: 0, key_hash: 'another' });
  });
});
