import { describe, expect, it } from 'vitest';
import type { Log } from '#shared/logs.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { engines } from '#tests/support/engines.ts';
import { idsOf, useLogDesk } from '#tests/support/log-desk.ts';

describe.each(engines)('logs on $kind', (engine) => {
  const desk = useLogDesk(engine);
  const { someone, listOwn, listAll } = desk;

  it('needs a session, and an administrator for what is about everybody', async () => {
    const { client } = await someone();
    for (const path of ['/api/log/', '/api/log/stat', '/api/log/self', '/api/log/self/stat']) {
      expect(await desk.app.anonymous().get(path)).toMatchObject({ status: 401, success: false, code: 'not_logged_in' });
    }
    for (const path of ['/api/log/', '/api/log', '/api/log/stat']) {
      expect(await client.get(path)).toMatchObject({ status: 403, success: false, code: 'forbidden' });
    }
  });

  it('shows users their own rows, newest first, and nobody else’s', async () => {
    const { client, ids, user } = await someone([{ created_at: 100 }, { created_at: 300 }, { created_at: 200 }, { created_at: 300 }]);
    const [first = 0, second = 0, third = 0, fourth = 0] = ids;
    await someone([{ created_at: 250 }]);
    const page = await listOwn(client);
    expect(idsOf(page.items)).toEqual([fourth, second, third, first]);
    expect(page).toMatchObject({ total: 4, page: 1, page_size: 10 });
    expect(page.items.every((item: Log) => item.user_id === user.id)).toBe(true);
    // A filter for another user is no door to that user's rows.
    expect(idsOf((await listOwn(client, { username: 'root', channel: 5 })).items)).toHaveLength(4);
  });

  const other = {
    model_ratio: 0.075,
    frt: 320,
    admin_info: { use_channel: ['7'] },
    attempts: [
      { channel: 7, channel_name: 'secret supplier', status: 500, start_ms: 0, end_ms: 90, error: 'bad_response_status_code' },
      { channel: 8, channel_name: 'other supplier', status: 200, start_ms: 91, end_ms: 300 },
    ],
  };

  it('tells a user nothing about channels', async () => {
    const { client } = await someone([{ channel_id: 7, other, request_id: 'req-1', quota: 12, prompt_tokens: 3, is_stream: true }]);
    const [row] = (await listOwn(client)).items;
    expect(row).toMatchObject({ channel: 0, channel_name: '', request_id: 'req-1', quota: 12, prompt_tokens: 3, is_stream: true });
    expect(row).not.toHaveProperty('channel_id');
    expect(JSON.parse(row.other)).toEqual({
      model_ratio: 0.075,
      frt: 320,
      attempts: [
        { channel: 0, status: 500, start_ms: 0, end_ms: 90, error: 'bad_response_status_code' },
        { channel: 0, status: 200, start_ms: 91, end_ms: 300 },
      ],
    });
  });

  it.each([
    [401, 'invalid_api_key', 'Incorrect API key provided: sk-ab***yz'],
    [402, 'bad_response_status_code', 'Insufficient Balance'],
    [403, 'permission_error', 'Your organization must be verified'],
    [429, 'rate_limit_exceeded', 'Rate limit reached for gpt-4o in organization org-1'],
    [200, 'insufficient_quota', 'You exceeded your current quota, please check your plan and billing details'],
  ])('tells a user nothing of what an upstream says to the account of a channel: %d %s', async (status, error, problem) => {
    const failed = { channel: 7, channel_name: 'secret supplier', status, start_ms: 0, end_ms: 90, error };
    const factors = { model_ratio: 0.075, completion_ratio: 4, group_ratio: 1, model_price: -1 };
    const { client, user } = await someone([{ other: { ...factors, ending: 'upstream_error', problem, attempts: [failed] } }]);
    const [own] = (await listOwn(client)).items;
    expect(own.content).toBe('模型倍率 0.075，补全倍率 4.00，分组倍率 1.00（可能是上游出错）');
    expect(JSON.parse(own.other)).toEqual({
      ...factors,
      ending: 'upstream_error',
      attempts: [{ channel: 0, status, start_ms: 0, end_ms: 90, error: 'bad_response_status_code' }],
    });
    expect((await client.get(`/api/log/self/${own.id}`)).data).toEqual(own);
    const [whole] = (await listAll({ username: user.username })).items;
    expect(whole.content).toBe(`模型倍率 0.075，补全倍率 4.00，分组倍率 1.00（${problem}）`);
    expect(JSON.parse(whole.other)).toMatchObject({ problem, attempts: [failed] });
  });

  it('tells users what an upstream says to their request', async () => {
    const problem = "'max_tokens' is too large: 999999";
    const attempts = [
      { channel: 7, status: 401, start_ms: 0, end_ms: 9, error: 'invalid_api_key' },
      { channel: 8, status: 400, start_ms: 9, end_ms: 20, error: 'invalid_value' },
    ];
    const price = { model_price: 0.5, group_ratio: 2 };
    const { client } = await someone([{ other: { ...price, ending: 'upstream_error', problem, attempts } }]);
    const [own] = (await listOwn(client)).items;
    expect(own.content).toBe(`模型价格 0.50，分组倍率 2.00（${problem}）`);
    const [first, second] = attempts;
    expect(JSON.parse(own.other)).toEqual({
      ...price,
      ending: 'upstream_error',
      problem,
      attempts: [
        { ...first, channel: 0, error: 'bad_response_status_code' },
        { ...second, channel: 0 },
      ],
    });
  });

  it('tells an administrator the channel with its name, all attempts, and who it was', async () => {
    const channel = buildChannel({ id: 771, name: 'main supplier' }, desk.app.context.secrets);
    await desk.app.context.db.collection('channels').insert(channel);
    const { user } = await someone([
      { channel_id: 771, other },
      { channel_id: 99_999, username: '' },
    ]);
    const [gone, row] = (await listAll({ username: user.username })).items;
    expect(row).toMatchObject({ channel: 771, channel_name: 'main supplier', user_id: user.id, username: user.username });
    expect(JSON.parse(row.other)).toEqual(other);
    expect(gone).toMatchObject({ channel: 99_999, channel_name: '', username: user.username, other: '' });
  });

  it('finds calls by the beginning of a request id, from the minute on', async () => {
    const [early, late, later] = ['20261128140501123456AbCdEfGh', '20261128140559987654IjKlMnOp', '20261128141501123456QrStUvWx'];
    const { client, ids } = await someone([{ request_id: early }, { request_id: late }, { request_id: later }]);
    await someone([{ request_id: '20261128140530123456YzAbCdEf' }]);
    const found = async (request: string) => idsOf((await listOwn(client, { request_id: request })).items).toReversed();
    expect(await found('202611281405')).toEqual([ids[0], ids[1]]);
    expect(await found('20261128140501123')).toEqual([ids[0]]);
    expect(await found(late)).toEqual([ids[1]]);
    // A shorter text is a whole id: a beginning of a day would be everything.
    expect(await found('20261128')).toEqual([]);
    expect((await listAll({ request_id: '202611281405' })).total).toBe(3);
  });

  it('finds refused calls by the beginning of the id of any of them', async () => {
    const { client, ids, user } = await someone([{ type: 5, request_id: '20261127090000222222bbbbbbbb', quota: 0 }]);
    const [row = 0] = ids;
    const refused = desk.app.context.db.collection('refused_requests');
    await refused.insert({ id: '20261127090000111111aaaaaaaa', log_id: row });
    await refused.insert({ id: '20261127090000222222bbbbbbbb', log_id: row });
    for (const request of ['20261127090000111111aaaaaaaa', '20261127090000111', '202611270900'])
      expect(idsOf((await listOwn(client, { request_id: request })).items), request).toEqual([row]);
    expect((await listAll({ request_id: '202611270900', username: user.username })).total).toBe(1);
  });

  describe('one row', () => {
    it('is what the list says of it, for its owner and for an administrator', async () => {
      const channel = buildChannel({ id: 772, name: 'spare supplier' }, desk.app.context.secrets);
      await desk.app.context.db.collection('channels').insert(channel);
      const { client, ids, user } = await someone([{ channel_id: 772, other, request_id: 'req-2', quota: 5 }, {}]);
      const [id] = ids;
      const own = await client.get(`/api/log/self/${id}`);
      expect(own).toMatchObject({ status: 200, success: true, data: { id, channel: 0, channel_name: '', quota: 5 } });
      expect(own.data).toEqual((await listOwn(client)).items.find((item: Log) => item.id === id));
      expect(own.data.other).not.toContain('supplier');
      const whole = await desk.admin.get(`/api/log/${id}`);
      expect(whole.data).toMatchObject({ id, channel: 772, channel_name: 'spare supplier', username: user.username });
      expect(JSON.parse(whole.data.other)).toEqual(other);
    });

    it('of somebody else is as if it were not there', async () => {
      const { ids } = await someone([{ quota: 5 }]);
      const { client } = await someone();
      const english = { headers: { 'accept-language': 'en' } };
      const foreign = await client.get(`/api/log/self/${ids[0]}`, english);
      const missing = await client.get('/api/log/self/999999999', english);
      expect(foreign).toMatchObject({ status: 200, success: false, code: 'log_not_found', message: expect.stringContaining('not yours') });
      expect(missing.body).toEqual(foreign.body);
      // An administrator has no other door than their own.
      expect(await desk.admin.get(`/api/log/self/${ids[0]}`)).toMatchObject({ success: false, code: 'log_not_found' });
      expect(await client.get(`/api/log/${ids[0]}`)).toMatchObject({ status: 403, code: 'forbidden' });
    });

    it('needs a session and a number, and is not there when it is kept for the books only', async () => {
      const { client, ids } = await someone([{ hidden: true }]);
      for (const path of [`/api/log/${ids[0]}`, `/api/log/self/${ids[0]}`]) {
        expect(await desk.app.anonymous().get(path)).toMatchObject({ status: 401, code: 'not_logged_in' });
      }
      expect(await client.get(`/api/log/self/${ids[0]}`)).toMatchObject({ success: false, code: 'log_not_found' });
      expect(await desk.admin.get(`/api/log/${ids[0]}`)).toMatchObject({ success: false, code: 'not_found', message: '记录不存在' });
      for (const id of ['x', '1e3', '-1', '%7B%22$gt%22:0%7D', '9'.repeat(16)]) {
        expect(await client.get(`/api/log/self/${id}`)).toMatchObject({ status: 404, code: 'invalid_url' });
      }
    });
  });

  it('says what happened in a form for every language, and in Chinese for old clients', async () => {
    const mei = await desk.app.createUser({ quota: 1_000_000 });
    await desk.admin.put('/api/user/', { id: mei.id, quota_change: 500_000 });
    await desk.admin.post('/api/user/manage', { id: mei.id, action: 'disable' });
    await desk.admin.post('/api/user/manage', { id: mei.id, action: 'enable' });
    await desk.admin.put('/api/option/batch', {
      options: [
        { key: 'SystemName', value: 'Harbour' },
        { key: 'RetryTimes', value: '2' },
      ],
    });
    const reported = async (path: string) =>
      (await desk.admin.get(path)).data.items.map((item: Log) => ({ content: item.content, event: JSON.parse(item.other).event }));
    expect(await reported(`/api/log/?username=${mei.username}`)).toEqual([
      { content: '管理员启用了用户', event: { code: 'user_enabled' } },
      { content: '管理员封禁了用户', event: { code: 'user_disabled' } },
      {
        content: '管理员将用户额度从 ＄2.000000 额度修改为 ＄3.000000 额度',
        event: { code: 'quota_set', from: 1_000_000, to: 1_500_000 },
      },
    ]);
    expect((await reported('/api/log/self?type=3'))[0]).toEqual({
      content: '修改系统设置 SystemName、RetryTimes',
      event: {
        code: 'settings_changed',
        keys: 'SystemName, RetryTimes',
        changes: [
          { key: 'SystemName', before: 'Tidegate', after: 'Harbour' },
          { key: 'RetryTimes', before: '3', after: '2' },
        ],
      },
    });
    await desk.admin.put('/api/option/', { key: 'QuotaForNewUser', value: '7000' });
    await desk.app.anonymous().post('/api/user/register', { username: 'newcomer', password: 'long enough' });
    const newcomer = await desk.app.login('newcomer', 'long enough');
    const [row] = (await listOwn(newcomer)).items;
    expect(JSON.parse(row.other)).toEqual({ event: { code: 'signup_bonus', amount: 7000 } });
  });

  it('leaves out rows that are only kept for the books', async () => {
    const { client, ids, user } = await someone([{ quota: 5, hidden: true }, { quota: 7 }]);
    expect(await listOwn(client)).toMatchObject({ total: 1, items: [{ id: ids[1] }] });
    expect(await listAll({ username: user.username })).toMatchObject({ total: 1 });
    expect((await client.get('/api/log/self/stat')).data.quota).toBe(7);
  });

  it('has rows that are no calls, by their type', async () => {
    const { user, client } = await someone([{}]);
    const { id: user_id, username } = user;
    await writeLog(desk.app.context, { user_id, username, type: 1, content: '通过兑换码充值' });
    await writeLog(desk.app.context, { user_id, username, type: 3, content: '管理员将用户额度修改' });
    await writeLog(desk.app.context, { user_id, username, type: 4, content: '新用户注册赠送' });
    expect((await listOwn(client)).total).toBe(4);
    expect((await listOwn(client, { type: 0 })).total).toBe(4);
    for (const type of [1, 2, 3, 4]) {
      const page = await listOwn(client, { type });
      expect(page.items.map((item: Log) => item.type)).toEqual([type]);
    }
    const [row] = (await listOwn(client, { type: 3 })).items;
    expect(row).toMatchObject({ content: '管理员将用户额度修改', other: '', quota: 0, model_name: '', request_id: '' });
    expect(row).not.toHaveProperty('plain_type');
    expect((await listOwn(client, { type: 9 })).items).toEqual([]);
  });
});
