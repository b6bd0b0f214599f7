import { beforeAll, describe, expect, it } from 'vitest';
import type { Log } from '#shared/logs.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { logFilter, timeFilter } from '#server/features/logs/log-filter.ts';
import { newestFirst } from '#server/features/logs/list-logs.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { idsOf, queryText, useLogDesk } from '#tests/support/log-desk.ts';
import { createTestApp } from '#tests/support/test-app.ts';

describe.each(engines)('lists of logs on $kind', (engine) => {
  const desk = useLogDesk(engine);
  const { now, insertRows, someone, listOwn, listAll } = desk;

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
    ])('%s is refused, naming the field', async (requested, field, zh, en) => {
      for (const path of ['/api/log/self', '/api/log/']) {
        const reader = path === '/api/log/' ? desk.admin : client;
        const answer = await reader.get(`${path}?${requested}`);
        expect(answer).toMatchObject({ status: 200, success: false, code: 'invalid_field', field, message: `无效的参数：${zh}` });
        const english = await reader.get(`${path}?${requested}`, { headers: { 'accept-language': 'en' } });
        expect(english).toMatchObject({ status: 200, success: false, message: `Invalid parameter: ${en}` });
      }
    });

    it.each(['p=abc&page_size=ten', 'p=-1&page_size=-5', 'p=1.5&page_size=10.5', 'p=0&page_size=0'])(
      'of pages that are none, %s, give the first page of ten',
      async (requested) => {
        expect((await client.get(`/api/log/self?${requested}`)).data).toMatchObject({ total: 5, page: 1, page_size: 10 });
      },
    );

    it('of sums are refused alike, and of the channel; unknown ones are nobody\u2019s', async () => {
      expect(await client.get('/api/log/self/stat?start_timestamp=abc')).toMatchObject({ status: 200, field: 'start_timestamp' });
      expect(await desk.admin.get('/api/log/stat?channel=x')).toMatchObject({ status: 200, field: 'channel' });
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
        status: 200,
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
      const zh = await client.get(`/api/log/self${queryText({ cursor })}`);
      expect(zh).toMatchObject({
        status: 200,
        success: false,
        code: 'invalid_field',
        field: 'cursor',
        message: '无效的参数：分页位置（cursor）格式不正确',
      });
      const en = await client.get(`/api/log/self${queryText({ cursor })}`, { headers: { 'accept-language': 'en' } });
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
      await writeLog(desk.app.context, { user_id: user.id, username: user.username, type: 1, content: 'top-up', quota: 9_999 });
      const sum = async (fields: Record<string, string | number> = {}) => (await client.get(`/api/log/self/stat${queryText(fields)}`)).data;
      expect(await sum()).toEqual({ quota: 310, rpm: 2, tpm: 14 });
      expect(await sum({ type: 1 })).toEqual({ quota: 310, rpm: 2, tpm: 14 });
      expect(await sum({ end_timestamp: 2000 })).toEqual({ quota: 30, rpm: 2, tpm: 14 });
      expect(await sum({ model_name: 'other' })).toEqual({ quota: 180, rpm: 1, tpm: 2 });
      expect(await sum({ token_name: 'nobody’s' })).toEqual({ quota: 0, rpm: 0, tpm: 0 });
      expect((await desk.admin.get(`/api/log/stat${queryText({ username: user.username, model_name: 'gpt%' })}`)).data).toEqual({
        quota: 130,
        rpm: 1,
        tpm: 12,
      });
      expect((await desk.admin.get(`/api/log/stat${queryText({ username: 'nobody' })}`)).data).toEqual({ quota: 0, rpm: 0, tpm: 0 });
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
      type: [2, 3, 5],
      result: ['success', 'failed', 'refused'],
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
        const parts = await logFilter(desk.app.context, given, own);
        const plan = await desk.app.context.db.explain(
          'logs',
          { and: [...(parts ?? []), ...timeFilter(given)] },
          { sort: newestFirst, limit: 11 },
        );
        // An engine without query plans is skipped.
        if (plan === null) return;
        const candidates = Object.entries(given).filter(([, value]) => !String(value).includes('%'));
        const ofUser = own !== undefined || given['username'] !== undefined;
        const isPlain = given['type'] === 3 || given['type'] === 5 || given['result'] === 'refused';
        const rare = isPlain ? 'plain' : given['result'] === 'failed' ? 'failed' : undefined;
        // Two of them at once match nothing, and any index finds that out.
        if (given['result'] !== undefined && given['type'] !== undefined) continue;
        const usual = given['token_name'] === undefined ? 'user' : 'user_token';
        const first = rare === undefined ? (ofUser ? usual : undefined) : ofUser ? `${rare}_user` : rare;
        const expected =
          first ?? Object.entries(leading).find(([name]) => candidates.some(([candidate]) => candidate === name))?.[1] ?? 'time';
        if (plan.index !== expected || plan.sorts) wrong.push({ given, own, plan, expected });
      }
    }
    expect(wrong).toEqual([]);
  });

  let reseller: Promise<string> | undefined;
  it.each([
    [{ model_name: 'gpt-4o' }, 'user'],
    [{ model_name: 'rare' }, 'model'],
    [{ model_name: 'gpt-4o', channel: 9 }, 'channel'],
    [{ model_name: 'gpt-4o', channel: 9, start_timestamp: 90_001 }, 'user'],
    [{ model_name: 'gpt-4o', token_name: 'few' }, 'user_token'],
    [{ model_name: 'gpt%' }, 'user'],
    [{ username: '', model_name: 'gpt%', start_timestamp: 100_000 }, 'time'],
  ])('%j is looked up where the fewest rows are: %s', async (given, index) => {
    const { app } = desk;
    reseller ??= (async () => {
      const { user } = await someone();
      const row = { created_at: 90_000, model_name: 'gpt-4o', token_name: 'many', channel_id: 8, group: 'default' };
      await insertRows(user, [
        ...Array.from({ length: 1_200 }, () => row),
        { ...row, model_name: 'rare' },
        { ...row, channel_id: 9 },
        { ...row, token_name: 'few' },
      ]);
      return user.username;
    })();
    const query: Record<string, string | number> = { username: await reseller, ...given };
    if (query['username'] === '') delete query['username'];
    const parts = await logFilter(app.context, query);
    const plan = await app.context.db.explain('logs', { and: [...(parts ?? []), ...timeFilter(query)] }, { sort: newestFirst, limit: 11 });
    if (plan !== null) expect(plan).toEqual({ index, scans: false, sorts: false });
    // However they are looked up, the same rows are found.
    const rows = await app.context.db.collection('logs').find({ and: [...(parts ?? []), ...timeFilter(query)] });
    const isIntended = ({ username, model_name, channel_id, token_name, created_at }: LogRecord) =>
      (query['username'] === undefined || username === query['username']) &&
      (query['model_name'] === 'gpt%' ? model_name.startsWith('gpt') : model_name === query['model_name']) &&
      (query['channel'] === undefined || channel_id === query['channel']) &&
      (query['token_name'] === undefined || token_name === query['token_name']) &&
      created_at >= Number(query['start_timestamp'] ?? 0);
    const all = (await app.context.db.collection('logs').find({})).filter(isIntended);
    expect(rows.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
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
});
