import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Log } from '#shared/logs.ts';
import type { LogRecord, UserRecord } from '#server/db/collections.ts';
import { logFilter, timeFilter } from '#server/features/logs/log-filter.ts';
import { newestFirst } from '#server/features/logs/list-logs.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import type { TestApp } from '#tests/support/test-app.ts';

describe.each(engines)('logs on $kind', (engine) => {
  let app: TestApp;
  let admin: TestClient;
  let nextId = 1_000_000;

  beforeAll(async () => {
    app = await createTestApp(engine);
    admin = await app.setup();
  });
  afterAll(() => app.close());

  const now = () => Math.floor(app.clock.now() / 1000);

  /** A user of one test alone, with rows; the first row is the oldest. */
  async function someone(rows: Partial<LogRecord>[] = []): Promise<{ user: UserRecord; client: TestClient; ids: number[] }> {
    const user = await app.createUser();
    return { user, client: await app.as(user), ids: await insertRows(user, rows) };
  }

  async function insertRows(user: UserRecord, rows: Partial<LogRecord>[]): Promise<number[]> {
    const records = rows.map((row) =>
      buildLog({ username: user.username, created_at: now(), ...row, user_id: user.id, id: (nextId += 1) }),
    );
    await app.context.db.write(records.map((insert) => ({ insert, into: 'logs' as const })));
    return records.map(({ id }) => id);
  }

  const idsOf = (items: Log[]) => items.map((item) => item.id);
  const query = (fields: Record<string, string | number>) => {
    const text = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  };
  const listOwn = async (client: TestClient, fields: Record<string, string | number> = {}) => {
    const answer = await client.get(`/api/log/self${query(fields)}`);
    expect(answer).toMatchObject({ status: 200, success: true });
    return answer.data;
  };
  const listAll = async (fields: Record<string, string | number>) => {
    const answer = await admin.get(`/api/log/${query(fields)}`);
    expect(answer).toMatchObject({ status: 200, success: true });
    return answer.data;
  };

  it('needs a session, and an administrator for what is about everybody', async () => {
    const { client } = await someone();
    for (const path of ['/api/log/', '/api/log/stat', '/api/log/self', '/api/log/self/stat']) {
      expect(await app.anonymous().get(path)).toMatchObject({ status: 401, success: false, code: 'not_logged_in' });
    }
    for (const path of ['/api/log/', '/api/log', '/api/log/stat']) {
      expect(await client.get(path)).toMatchObject({ status: 403, success: false, code: 'forbidden' });
    }
  });

  it('shows a user his own rows, newest first, and nobody else’s', async () => {
    const { client, ids, user } = await someone([{ created_at: 100 }, { created_at: 300 }, { created_at: 200 }, { created_at: 300 }]);
    const [first = 0, second = 0, third = 0, fourth = 0] = ids;
    await someone([{ created_at: 250 }]);
    const page = await listOwn(client);
    expect(idsOf(page.items)).toEqual([fourth, second, third, first]);
    expect(page).toMatchObject({ total: 4, page: 1, page_size: 10 });
    expect(page.items.every((item: Log) => item.user_id === user.id)).toBe(true);
    // A filter for another user is no door to his rows.
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
    const content = '模型倍率 0.08，补全倍率 4.00，分组倍率 1.00';
    const { client, user } = await someone([
      { content: `${content}（${problem}）`, other: { ending: 'upstream_error', problem, attempts: [failed] } },
    ]);
    const [own] = (await listOwn(client)).items;
    expect(own.content).toBe(`${content}（可能是上游出错）`);
    expect(JSON.parse(own.other)).toEqual({
      ending: 'upstream_error',
      attempts: [{ channel: 0, status, start_ms: 0, end_ms: 90, error: 'bad_response_status_code' }],
    });
    expect((await client.get(`/api/log/self/${own.id}`)).data).toEqual(own);
    const [whole] = (await listAll({ username: user.username })).items;
    expect(whole.content).toContain(problem);
    expect(JSON.parse(whole.other)).toMatchObject({ problem, attempts: [failed] });
  });

  it('tells a user what an upstream says to his request', async () => {
    const problem = "'max_tokens' is too large: 999999";
    const attempts = [
      { channel: 7, status: 401, start_ms: 0, end_ms: 9, error: 'invalid_api_key' },
      { channel: 8, status: 400, start_ms: 9, end_ms: 20, error: 'invalid_value' },
    ];
    const { client } = await someone([{ content: `模型倍率 1.00（${problem}）`, other: { ending: 'upstream_error', problem, attempts } }]);
    const [own] = (await listOwn(client)).items;
    expect(own.content).toBe(`模型倍率 1.00（${problem}）`);
    const [first, second] = attempts;
    expect(JSON.parse(own.other)).toEqual({
      ending: 'upstream_error',
      problem,
      attempts: [
        { ...first, channel: 0, error: 'bad_response_status_code' },
        { ...second, channel: 0 },
      ],
    });
  });

  it('tells an administrator the channel with its name, all attempts, and who it was', async () => {
    const channel = buildChannel({ id: 771, name: 'main supplier' }, app.context.secrets);
    await app.context.db.collection('channels').insert(channel);
    const { user } = await someone([
      { channel_id: 771, other },
      { channel_id: 99_999, username: '' },
    ]);
    const [gone, row] = (await listAll({ username: user.username })).items;
    expect(row).toMatchObject({ channel: 771, channel_name: 'main supplier', user_id: user.id, username: user.username });
    expect(JSON.parse(row.other)).toEqual(other);
    expect(gone).toMatchObject({ channel: 99_999, channel_name: '', username: user.username, other: '' });
  });

  describe('one row', () => {
    it('is what the list says of it, for its owner and for an administrator', async () => {
      const channel = buildChannel({ id: 772, name: 'spare supplier' }, app.context.secrets);
      await app.context.db.collection('channels').insert(channel);
      const { client, ids, user } = await someone([{ channel_id: 772, other, request_id: 'req-2', quota: 5 }, {}]);
      const [id] = ids;
      const own = await client.get(`/api/log/self/${id}`);
      expect(own).toMatchObject({ status: 200, success: true, data: { id, channel: 0, channel_name: '', quota: 5 } });
      expect(own.data).toEqual((await listOwn(client)).items.find((item: Log) => item.id === id));
      expect(own.data.other).not.toContain('supplier');
      const whole = await admin.get(`/api/log/${id}`);
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
      // An administrator has no other door than his own.
      expect(await admin.get(`/api/log/self/${ids[0]}`)).toMatchObject({ success: false, code: 'log_not_found' });
      expect(await client.get(`/api/log/${ids[0]}`)).toMatchObject({ status: 403, code: 'forbidden' });
    });

    it('needs a session and a number, and is not there when it is kept for the books only', async () => {
      const { client, ids } = await someone([{ hidden: true }]);
      for (const path of [`/api/log/${ids[0]}`, `/api/log/self/${ids[0]}`]) {
        expect(await app.anonymous().get(path)).toMatchObject({ status: 401, code: 'not_logged_in' });
      }
      expect(await client.get(`/api/log/self/${ids[0]}`)).toMatchObject({ success: false, code: 'log_not_found' });
      expect(await admin.get(`/api/log/${ids[0]}`)).toMatchObject({ success: false, code: 'not_found', message: '记录不存在' });
      for (const id of ['x', '1e3', '-1', '%7B%22$gt%22:0%7D', '9'.repeat(16)]) {
        expect(await client.get(`/api/log/self/${id}`)).toMatchObject({ status: 400, code: 'invalid_field', field: 'id' });
      }
    });
  });

  it('says what happened in a form for every language, and in Chinese for old clients', async () => {
    const mei = await app.createUser({ quota: 1_000_000 });
    await admin.put('/api/user/', { id: mei.id, quota_change: 500_000 });
    await admin.post('/api/user/manage', { id: mei.id, action: 'disable' });
    await admin.post('/api/user/manage', { id: mei.id, action: 'enable' });
    await admin.put('/api/option/batch', {
      options: [
        { key: 'SystemName', value: 'Harbour' },
        { key: 'RetryTimes', value: '2' },
      ],
    });
    const told = async (path: string) =>
      (await admin.get(path)).data.items.map((item: Log) => ({ content: item.content, event: JSON.parse(item.other).event }));
    expect(await told(`/api/log/?username=${mei.username}`)).toEqual([
      { content: '管理员启用了用户', event: { code: 'user_enabled' } },
      { content: '管理员封禁了用户', event: { code: 'user_disabled' } },
      {
        content: '管理员将用户额度从 ＄2.000000 额度修改为 ＄3.000000 额度',
        event: { code: 'quota_set', from: 1_000_000, to: 1_500_000 },
      },
    ]);
    expect((await told('/api/log/self?type=3'))[0]).toEqual({
      content: '修改系统设置 SystemName、RetryTimes',
      event: { code: 'settings_changed', keys: 'SystemName, RetryTimes' },
    });
    await admin.put('/api/option/', { key: 'QuotaForNewUser', value: '7000' });
    await app.anonymous().post('/api/user/register', { username: 'newcomer', password: 'long enough' });
    const newcomer = await app.login('newcomer', 'long enough');
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
    await writeLog(app.context, { user_id, username, type: 1, content: '通过兑换码充值' });
    await writeLog(app.context, { user_id, username, type: 3, content: '管理员将用户额度修改' });
    await writeLog(app.context, { user_id, username, type: 4, content: '新用户注册赠送' });
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

  describe('filters', () => {
    let client: TestClient;
    let user: UserRecord;
    const at = 1_700_000_000;

    beforeAll(async () => {
      ({ user, client } = await someone([
        { created_at: at, model_name: 'gpt-4o', token_name: 'work', group: 'vip', channel_id: 31 },
        { created_at: at + 10, model_name: 'gpt-4o-mini', token_name: 'home', group: 'default', channel_id: 32 },
        { created_at: at + 20, model_name: 'GPT-4o', token_name: 'work', group: 'default', channel_id: 31 },
        { created_at: at + 30, model_name: 'o4_mini', token_name: '100%', group: 'default', channel_id: 32 },
        { created_at: at + 40, model_name: 'o4-mini', token_name: 'work', group: 'default', channel_id: 32 },
      ]));
    });

    const models = async (fields: Record<string, string | number>) =>
      (await listOwn(client, fields)).items.map((item: Log) => item.model_name);

    it.each([
      [{ model_name: 'gpt-4o' }, ['gpt-4o']],
      [{ model_name: 'gpt-4o%' }, ['gpt-4o-mini', 'gpt-4o']],
      [{ model_name: '%mini' }, ['o4-mini', 'o4_mini', 'gpt-4o-mini']],
      [{ model_name: 'o4_%' }, ['o4_mini']],
      [{ model_name: 'o4_mini' }, ['o4_mini']],
      [{ model_name: 'gpt%mini' }, ['gpt-4o-mini']],
      [{ model_name: '%' }, ['o4-mini', 'o4_mini', 'GPT-4o', 'gpt-4o-mini', 'gpt-4o']],
      [{ model_name: '.*' }, []],
      [{ token_name: 'work' }, ['o4-mini', 'GPT-4o', 'gpt-4o']],
      [{ token_name: '100%' }, ['o4_mini']],
      [{ token_name: 'wor' }, []],
      [{ group: 'vip' }, ['gpt-4o']],
      [{ group: 'default', token_name: 'work' }, ['o4-mini', 'GPT-4o']],
      [{ start_timestamp: at + 20 }, ['o4-mini', 'o4_mini', 'GPT-4o']],
      [{ end_timestamp: at + 10 }, ['gpt-4o-mini', 'gpt-4o']],
      [{ start_timestamp: at + 10, end_timestamp: at + 20 }, ['GPT-4o', 'gpt-4o-mini']],
      [{ start_timestamp: at + 20, end_timestamp: at + 10 }, []],
      [{ start_timestamp: 0, end_timestamp: 0 }, ['o4-mini', 'o4_mini', 'GPT-4o', 'gpt-4o-mini', 'gpt-4o']],
      [{ start_timestamp: at + 5, token_name: 'work', model_name: 'o4%', group: 'default', type: 2 }, ['o4-mini']],
    ])('%j', async (fields, expected) => {
      expect(await models(fields)).toEqual(expected);
    });

    it('of careless clients count as absent', async () => {
      const answer = await client.get(
        '/api/log/self?p=&page_size=NaN&type=&token_name=&model_name=undefined&start_timestamp=null&end_timestamp=NaN&group=',
      );
      expect(answer.data).toMatchObject({ total: 5, page: 1, page_size: 10 });
    });

    it.each([
      [
        'start_timestamp=abc',
        'start_timestamp',
        '开始时间（start_timestamp）必须是整数',
        'start of the time range (start_timestamp) must be a whole number',
      ],
      [
        'type=2&end_timestamp=1.5',
        'end_timestamp',
        '结束时间（end_timestamp）必须是整数',
        'end of the time range (end_timestamp) must be a whole number',
      ],
      ['type=1e3', 'type', '类型（type）必须是整数', 'type must be a whole number'],
      ['type=-1', 'type', '类型（type）不能小于 0', 'type must be at least 0'],
      ['p[$gt]=1', 'p', '页码（p）只能给出一个值', 'page (p) must be given as one plain value'],
      ['token_name[$ne]=x', 'token_name', '令牌（token_name）只能给出一个值', 'token (token_name) must be given as one plain value'],
      ['type=1&type=2', 'type', '类型（type）只能给出一个值', 'type must be given as one plain value'],
    ])('%s is refused, naming the field', async (asked, field, zh, en) => {
      for (const path of ['/api/log/self', '/api/log/']) {
        const reader = path === '/api/log/' ? admin : client;
        const answer = await reader.get(`${path}?${asked}`);
        expect(answer).toMatchObject({ status: 400, success: false, code: 'invalid_field', field, message: `无效的参数：${zh}` });
        const english = await reader.get(`${path}?${asked}`, { headers: { 'accept-language': 'en' } });
        expect(english).toMatchObject({ status: 400, success: false, message: `Invalid parameter: ${en}` });
      }
    });

    it.each(['p=abc&page_size=ten', 'p=-1&page_size=-5', 'p=1.5&page_size=10.5', 'p=0&page_size=0'])(
      'of pages that are none, %s, give the first page of ten',
      async (asked) => {
        expect((await client.get(`/api/log/self?${asked}`)).data).toMatchObject({ total: 5, page: 1, page_size: 10 });
      },
    );

    it('of sums are refused alike, and of the channel; unknown ones are nobody\u2019s', async () => {
      expect(await client.get('/api/log/self/stat?start_timestamp=abc')).toMatchObject({ status: 400, field: 'start_timestamp' });
      expect(await admin.get('/api/log/stat?channel=x')).toMatchObject({ status: 400, field: 'channel' });
      expect(await client.get('/api/log/self?_=1&_=2&x[$gt]=1')).toMatchObject({ status: 200, success: true, data: { total: 5 } });
      expect(await models({ token_name: '{"$ne":""}' })).toEqual([]);
    });

    it('by user and channel are for administrators', async () => {
      const items = (await listAll({ username: user.username, channel: 31 })).items;
      expect(items.map((item: Log) => item.model_name)).toEqual(['GPT-4o', 'gpt-4o']);
      expect((await listAll({ username: user.username, channel: 31, group: 'vip' })).total).toBe(1);
      expect((await listAll({ username: user.username, channel: 0 })).total).toBe(5);
      expect(await listAll({ username: 'nobody' })).toMatchObject({ items: [], total: 0 });
    });

    it('too long to mean anything are refused', async () => {
      expect(await client.get(`/api/log/self?model_name=${'x'.repeat(1001)}`)).toMatchObject({
        status: 400,
        success: false,
        field: 'model_name',
      });
    });
  });

  describe('pages', () => {
    it('by number: size 10, at most 100, and empty past the end', async () => {
      const { client, ids } = await someone(Array.from({ length: 105 }, (_, index) => ({ created_at: 1000 + index })));
      const newest = ids.toReversed();
      expect(idsOf((await listOwn(client)).items)).toEqual(newest.slice(0, 10));
      expect(idsOf((await listOwn(client, { p: 0 })).items)).toEqual(newest.slice(0, 10));
      expect(idsOf((await listOwn(client, { p: '', page_size: 0 })).items)).toEqual(newest.slice(0, 10));
      expect(idsOf((await listOwn(client, { p: 2, page_size: 100 })).items)).toEqual(newest.slice(100));
      expect(await listOwn(client, { page_size: 1_000_000 })).toMatchObject({ page_size: 100, total: 105 });
      expect(await listOwn(client, { p: 12 })).toMatchObject({ items: [], page: 12, total: 105 });
      expect(await listOwn(client, { p: 999_999_999_999_999, page_size: 100 })).toMatchObject({ items: [], total: 105 });
    });

    it('by cursor meet every row once, while rows arrive', async () => {
      // Several rows of one second, so that the cursor has to cut through it.
      const { client, ids, user } = await someone(
        Array.from({ length: 47 }, (_, index) => ({ created_at: now() - 20 + Math.floor(index / 9) })),
      );
      const seen: number[] = [];
      let cursor: string | undefined;
      do {
        const page = await listOwn(client, cursor === undefined ? { page_size: 10 } : { page_size: 10, cursor });
        seen.push(...idsOf(page.items));
        ({ cursor } = page);
        await insertRows(user, [{}, {}]);
      } while (cursor !== undefined);
      expect(seen).toEqual(ids.toReversed());
    });

    it('have no cursor after the last row', async () => {
      const { client } = await someone(Array.from({ length: 10 }, () => ({})));
      expect((await listOwn(client, { page_size: 10 })).cursor).toBeUndefined();
      expect((await listOwn(client, { page_size: 9 })).cursor).toEqual(expect.any(String));
    });

    it('keep the filters across cursors', async () => {
      const { client, ids } = await someone(Array.from({ length: 12 }, (_, index) => ({ model_name: index % 2 === 0 ? 'even' : 'odd' })));
      const first = await listOwn(client, { model_name: 'even', page_size: 4 });
      const second = await listOwn(client, { model_name: 'even', page_size: 4, cursor: first.cursor });
      expect([...idsOf(first.items), ...idsOf(second.items)]).toEqual(ids.filter((_, index) => index % 2 === 0).toReversed());
    });

    it.each([
      'x',
      '....',
      'MTIz',
      '%00',
      '{"$gt":0}',
      Buffer.from('5.-1').toString('base64url'),
      Buffer.from('1e9.5').toString('base64url'),
    ])('the cursor %j is none of ours and refused', async (cursor) => {
      const { client } = await someone([{}]);
      const zh = await client.get(`/api/log/self${query({ cursor })}`);
      expect(zh).toMatchObject({
        status: 400,
        success: false,
        code: 'invalid_field',
        field: 'cursor',
        message: '无效的参数：分页位置（cursor）格式不正确',
      });
      const en = await client.get(`/api/log/self${query({ cursor })}`, { headers: { 'accept-language': 'en' } });
      expect(en.message).toBe('Invalid parameter: page cursor (cursor) is not in the right form');
    });
  });

  describe('sums', () => {
    it('are what calls cost under the filters, and the rate of the last minute under those but for time', async () => {
      const { client, user } = await someone([
        { created_at: 1000, quota: 10, prompt_tokens: 1, completion_tokens: 2 },
        { created_at: 2000, quota: 20, prompt_tokens: 3, model_name: 'other' },
        { created_at: now() - 61, quota: 40, prompt_tokens: 100 },
        { created_at: now() - 30, quota: 80, prompt_tokens: 7, completion_tokens: 5 },
        { created_at: now(), quota: 160, prompt_tokens: 1, completion_tokens: 1, model_name: 'other' },
      ]);
      await writeLog(app.context, { user_id: user.id, username: user.username, type: 1, content: 'top-up', quota: 9_999 });
      const sum = async (fields: Record<string, string | number> = {}) => (await client.get(`/api/log/self/stat${query(fields)}`)).data;
      expect(await sum()).toEqual({ quota: 310, rpm: 2, tpm: 14 });
      expect(await sum({ type: 1 })).toEqual({ quota: 310, rpm: 2, tpm: 14 });
      expect(await sum({ end_timestamp: 2000 })).toEqual({ quota: 30, rpm: 2, tpm: 14 });
      expect(await sum({ model_name: 'other' })).toEqual({ quota: 180, rpm: 1, tpm: 2 });
      expect(await sum({ token_name: 'nobody’s' })).toEqual({ quota: 0, rpm: 0, tpm: 0 });
      expect((await admin.get(`/api/log/stat${query({ username: user.username, model_name: 'gpt%' })}`)).data).toEqual({
        quota: 130,
        rpm: 1,
        tpm: 12,
      });
      expect((await admin.get(`/api/log/stat${query({ username: 'nobody' })}`)).data).toEqual({ quota: 0, rpm: 0, tpm: 0 });
    });

    it('are exact far above what a 32-bit number holds', async () => {
      const { client } = await someone([{ quota: 4_503_599_627_370_495 }, { quota: 4_503_599_627_370_495 }]);
      expect((await client.get('/api/log/self/stat')).data.quota).toBe(9_007_199_254_740_990);
    });
  });

  it('answers every filter combination of the console from an index, in its order', async () => {
    const { user } = await someone([{}]);
    const choices: Record<string, (string | number)[]> = {
      username: [user.username],
      type: [2, 3],
      token_name: ['key'],
      model_name: ['gpt-4o', '%mini'],
      channel: [7],
      group: ['vip'],
      start_timestamp: [1000],
      end_timestamp: [2000],
    };
    let combinations: Record<string, string | number>[] = [{}];
    for (const [name, values] of Object.entries(choices)) {
      combinations = combinations.flatMap((known) => [known, ...values.map((value) => ({ ...known, [name]: value }))]);
    }
    const leading: Record<string, string> = {
      username: 'user',
      model_name: 'model',
      token_name: 'token',
      channel: 'channel',
      group: 'group',
    };
    const wrong: unknown[] = [];
    for (const own of [undefined, user.id]) {
      for (const given of combinations) {
        const parts = await logFilter(app.context, given, own);
        const plan = await app.context.db.explain(
          'logs',
          { and: [...(parts ?? []), ...timeFilter(given)] },
          { sort: newestFirst, limit: 11 },
        );
        // An engine that cannot tell how it answers is not asked again.
        if (plan === null) return;
        const candidates = Object.entries(given).filter(([, value]) => !String(value).includes('%'));
        const first = own !== undefined || given['username'] !== undefined ? 'user' : given['type'] === 3 ? 'type' : undefined;
        const expected =
          first ?? Object.entries(leading).find(([name]) => candidates.some(([candidate]) => candidate === name))?.[1] ?? 'time';
        if (plan.index !== expected || plan.sorts) wrong.push({ given, own, plan, expected });
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe.each(engines)('long log lists on $kind', (engine) => {
  it('count exactly to 10,000, then say "at least", and go on by cursor only', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser();
    const client = await app.as(user);
    const add = (from: number, to: number) =>
      app.context.db.write(
        Array.from({ length: to - from }, (_, index) => ({
          insert: buildLog({ id: from + index + 1, user_id: user.id, created_at: from + index }),
          into: 'logs' as const,
        })),
      );
    for (let from = 0; from < 10_000; from += 1000) await add(from, from + 1000);
    const exact = (await client.get('/api/log/self?p=100&page_size=100')).data;
    expect(exact.total).toBe(10_000);
    expect(exact.total_is_lower_bound).toBeUndefined();
    expect(idsOf(exact.items).at(-1)).toBe(1);
    await add(10_000, 10_150);
    const bounded = (await client.get('/api/log/self?p=100&page_size=100')).data;
    expect(bounded).toMatchObject({ total: 10_000, total_is_lower_bound: true });
    expect(idsOf(bounded.items).at(-1)).toBe(151);
    expect((await client.get('/api/log/self?p=101&page_size=100')).data.items).toEqual([]);
    const next = (await client.get(`/api/log/self?page_size=100&cursor=${bounded.cursor}`)).data;
    expect(idsOf(next.items)).toEqual(Array.from({ length: 100 }, (_, index) => 150 - index));
  });

  const idsOf = (items: Log[]) => items.map((item) => item.id);
});
