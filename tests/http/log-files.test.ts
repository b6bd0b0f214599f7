// Logs beyond the list: search, the calls of a key, files.
import { describe, expect, it } from 'vitest';
import { type Log, LogType } from '#shared/logs.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { useLogDesk } from '#tests/support/log-desk.ts';
import { createToken } from '#tests/support/build-token.ts';
import { until } from '#tests/support/until.ts';

describe.each(engines)('log files on $kind', (engine) => {
  const desk = useLogDesk(engine);
  const raw = (
    client: TestClient,
    path: string,
    options: { headers?: Record<string, string>; signal?: AbortSignal; withoutUser?: boolean } = {},
  ) =>
    fetch(`${desk.app.origin}${path}`, {
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      headers: {
        cookie: client.cookie ?? '',
        ...(options.withoutUser === true ? {} : { 'new-api-user': String(client.userId) }),
        ...options.headers,
      },
    });
  const plain = (type: number, content: string) => ({ type, plain_type: type, content });
  const found = async (client: TestClient, path: string): Promise<Log[]> => {
    const answer = await client.get(path);
    expect(answer).toMatchObject({ status: 200, success: true });
    return answer.data;
  };

  it('search: by type or by how the content begins, the newest first, at most 100, own rows only', async () => {
    const { client, ids } = await desk.someone([
      plain(LogType.management, 'Quota raised'),
      plain(LogType.system, 'Quota gift'),
      {},
      plain(LogType.topUp, '100% more'),
      { ...plain(LogType.system, 'Quota hidden'), hidden: true },
    ]);
    const [raised, gift, call, more] = ids;
    const own = async (keyword: string) =>
      (await found(client, `/api/log/self/search?keyword=${encodeURIComponent(keyword)}`)).map(({ id }) => id);
    expect(await own('Quota')).toEqual([gift, raised]);
    expect(await own('4')).toEqual([gift]);
    expect(await own('2')).toEqual([call]);
    expect(await own('1')).toEqual([more]);
    expect(await own('100%')).toEqual([more]);
    expect(await own('%')).toEqual([]);
    expect(await own('')).toEqual([more, call, gift, raised]);
    const all = await found(desk.admin, '/api/log/search?keyword=Quota');
    expect(all.filter(({ id }) => ids.includes(id)).map(({ id }) => id)).toEqual([gift, raised]);
    expect(await client.get('/api/log/search?keyword=Quota')).toMatchObject({ status: 403 });
    const many = await desk.someone(Array.from({ length: 130 }, () => plain(LogType.system, 'many')));
    expect(await found(many.client, '/api/log/self/search?keyword=many')).toHaveLength(100);
    expect((await found(many.client, '/api/log/self/search?keyword=many'))[0]?.id).toBe(many.ids.at(-1));
  });

  it('search: what concerns administrators only is not in the own rows', async () => {
    const { client } = await desk.someone([
      { channel_id: 7, other: { admin_info: { use_channel: ['7'] }, attempts: [{ channel: 7, status: 200, start_ms: 0, end_ms: 1 }] } },
    ]);
    const [row] = await found(client, '/api/log/self/search?keyword=2');
    expect(row).toMatchObject({ channel: 0, channel_name: '' });
    expect(row?.other).not.toContain('admin_info');
  });

  describe('the calls of a key', () => {
    const requested = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${desk.app.origin}${path}`, { headers });
      return { status: response.status, headers: response.headers, body: await response.json() };
    };

    it('are the newest hundred of that key, for whoever has it, in the header or in the address', async () => {
      const { user } = await desk.someone();
      const { token, key } = await createToken(desk.app.context, user.id, { name: 'shown' });
      const ids = await desk.insertRows(user, [
        ...Array.from({ length: 105 }, () => ({ token_id: token.id, token_name: 'shown', channel_id: 3 })),
        { token_id: token.id + 1, token_name: 'shown' },
        { token_id: token.id, token_name: 'shown', hidden: true },
      ]);
      const expected = ids.slice(5, 105).toReversed();
      for (const { body } of [
        await requested('/api/log/token', { authorization: `Bearer ${key}` }),
        await requested('/api/log/token', { authorization: key.replace('sk-', '') }),
        await requested(`/api/log/token?key=${key}`),
        await requested(`/api/log/token?key=${key.replace('sk-', '')}`),
      ]) {
        expect(body).toMatchObject({ success: true });
        expect(body.data.map(({ id }: Log) => id)).toEqual(expected);
        expect(body.data[0]).toMatchObject({ channel: 0 });
      }
      const foreign = await requested('/api/log/token', { authorization: `Bearer ${key}`, origin: 'https://elsewhere.example' });
      expect(foreign.headers.get('access-control-allow-origin')).toBe('*');
    });

    it('a key that nobody has finds nothing, a deleted one and a deleted owner’s are refused', async () => {
      expect((await requested('/api/log/token?key=sk-nothing')).body).toMatchObject({ success: true, data: [] });
      expect((await requested(`/api/log/token?key=${'x'.repeat(900)}`)).body).toMatchObject({ success: true, data: [] });
      expect(await requested('/api/log/token')).toMatchObject({ status: 401, body: { success: false, code: 'key_missing' } });
      const { user } = await desk.someone();
      const { token, key } = await createToken(desk.app.context, user.id, { name: 'gone' });
      const deletedAt = new Date(desk.app.clock.now()).toISOString();
      await desk.app.context.db.collection('tokens').patch({ id: token.id }, { set: { DeletedAt: deletedAt } });
      expect(await requested(`/api/log/token?key=${key}`)).toMatchObject({ status: 401, body: { code: 'key_invalid' } });
      const other = await createToken(desk.app.context, user.id, { name: 'kept' });
      await desk.app.context.db.collection('users').patch({ id: user.id }, { set: { DeletedAt: deletedAt } });
      expect(await requested(`/api/log/token?key=${other.key}`)).toMatchObject({ status: 401, body: { code: 'key_invalid' } });
    });

    it('whoever tries keys out is stopped', async () => {
      let status = 0;
      for (let tries = 0; tries < 80 && status !== 429; tries += 1) status = (await requested(`/api/log/token?key=sk-try${tries}`)).status;
      expect(status).toBe(429);
    });
  });

  describe('export', () => {
    async function file(client: TestClient, path: string): Promise<{ text: string; headers: Headers }> {
      const response = await raw(client, path);
      expect(response.status).toBe(200);
      return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer()), headers: response.headers };
    }
    /** As a spreadsheet reads it. */
    function cells(text: string): string[][] {
      const rows: string[][] = [[]];
      for (const [, quoted, bare = '', end] of text.replace(/^\uFEFF/, '').matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n"]*))(,|\r\n)/g)) {
        rows.at(-1)?.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
        if (end === '\r\n') rows.push([]);
      }
      return rows.slice(0, -1);
    }

    it('is named by the day of the reader', async () => {
      const { client } = await desk.someone([{ quota: 1 }]);
      // At any moment, one of both zones has another day than the other.
      const names: (string | undefined)[] = [];
      for (const zone of ['Pacific/Kiritimati', 'Pacific/Niue', 'Nowhere/Land']) {
        const { headers } = await file(client, `/api/log/self/export?time_zone=${zone}`);
        names.push(/usage-logs-(.*)\.csv/.exec(headers.get('content-disposition') ?? '')?.[1]);
      }
      const days = ['Pacific/Kiritimati', 'Pacific/Niue', 'UTC'].map((timeZone) =>
        new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }).format(desk.now() * 1000),
      );
      expect(names).toEqual(days);
      expect(days[0]).not.toBe(days[1]);
    });

    it('is all that the filters leave, more than a page, newest first, each once', async () => {
      const { user, client, ids } = await desk.someone(
        Array.from({ length: 1203 }, (_, index) => ({
          quota: index,
          created_at: desk.now() - Math.floor(index / 7),
          model_name: index % 3 === 0 ? 'a' : 'b',
        })),
      );
      const { text, headers } = await file(client, '/api/log/self/export');
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(headers.get('content-disposition')).toMatch(/^attachment; filename="usage-logs-\d{4}-\d\d-\d\d\.csv"$/);
      expect(text.startsWith('\uFEFF')).toBe(true);
      const [head = [], ...rows] = cells(text);
      expect(rows).toHaveLength(1203);
      expect(new Set(rows.map((row) => row[0])).size).toBe(1203);
      const times = rows.map((row) => Date.parse(row[head.indexOf('time')] ?? ''));
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(head).not.toContain('channel');
      const lines = (await file(client, '/api/log/self/export?format=jsonl&model_name=a')).text.trimEnd().split('\n');
      const logs = lines.map((line): Log => JSON.parse(line));
      expect(logs).toHaveLength(401);
      expect(logs.every((log) => log.model_name === 'a' && ids.includes(log.id))).toBe(true);
      const all = cells((await file(desk.admin, `/api/log/export?username=${user.username}`)).text);
      expect(all).toHaveLength(1204);
      expect(all[0]).toEqual(expect.arrayContaining(['channel', 'username']));
    });

    it('adds up to what the balance changed by, whatever changed it', async () => {
      const event = (type: number, code: object, more: object = {}) => ({ type, plain_type: type, other: { event: code, ...more } });
      const { user, client } = await desk.someone([
        { quota: 250 },
        event(LogType.topUp, { code: 'topped_up', amount: 5000, money: '7.30' }),
        event(LogType.management, { code: 'quota_set', from: 4750, to: 1000 }, { admin_info: { by: 'keeper' } }),
        event(LogType.system, { code: 'inviter_reward', amount: 900 }),
        event(LogType.system, { code: 'earnings_transferred', amount: 900 }),
      ]);
      const changes = async (path: string, who: TestClient) => {
        const [head = [], ...rows] = cells((await file(who, path)).text);
        return rows.map((row) => [
          row[head.indexOf('event')],
          row[head.indexOf('balance_change')],
          head.includes('by') ? row[head.indexOf('by')] : null,
        ]);
      };
      const own = await changes('/api/log/self/export', client);
      expect(own.toReversed()).toEqual([
        ['', '-250', null],
        ['topped_up', '5000', null],
        ['quota_set', '-3750', null],
        ['inviter_reward', '0', null],
        ['earnings_transferred', '900', null],
      ]);
      const all = await changes(`/api/log/export?username=${user.username}`, desk.admin);
      expect(all.map(([, , by]) => by).toReversed()).toEqual(['', '', 'keeper', '', '']);
    });

    it('is in English words, in dollars, and tells what was rejected from what failed', async () => {
      const reason = { zh: '余额不足', en: 'The balance is too small' };
      const refusal = { code: 'insufficient_user_quota', status: 403, reason, count: 4, last_at: desk.now(), request_ids: [] };
      const { client } = await desk.someone([
        { quota: 250_001, other: { quota_per_unit: 500_000, model_ratio: 1.25, completion_ratio: 4, model_price: -1, group_ratio: 0.5 } },
        {
          quota: 0,
          failed: 1,
          prompt_tokens: 0,
          completion_tokens: 0,
          other: { ending: 'upstream_error', model_price: 0.02, group_ratio: 1, problem: 'overloaded' },
        },
        { type: LogType.refusal, plain_type: LogType.refusal, quota: 0, content: reason.zh, other: { refusal } },
        {
          type: LogType.topUp,
          plain_type: LogType.topUp,
          quota: 0,
          content: '充值',
          other: { event: { code: 'topped_up', amount: 5000, money: '7.30' } },
        },
      ]);
      const [head = [], ...rows] = cells((await file(client, '/api/log/self/export')).text);
      const of = (name: string) => rows.map((row) => row[head.indexOf(name)]).toReversed();
      expect(of('type')).toEqual(['call', 'call', 'refusal', 'top_up']);
      expect(of('usd')).toEqual(['0.500002', '0', '0', '0']);
      expect(of('balance_change_usd')).toEqual(['-0.500002', '0', '0', '0.01']);
      expect(of('ending')).toEqual(['well', 'failed', 'rejected', '']);
      expect(of('rejected_with')).toEqual(['', '', 'insufficient_user_quota', '']);
      expect(of('rejected_count')).toEqual(['', '', '4', '']);
      expect(of('content')).toEqual([
        'model_ratio=1.25 completion_ratio=4 group_ratio=0.5',
        'model_price=0.02 group_ratio=1 problem=overloaded',
        reason.en,
        'topped_up amount=5000 money=7.30',
      ]);
    });

    it('tells what administrators changed in a sentence, with money as money', async () => {
      const event = (code: object) => ({
        type: LogType.management,
        plain_type: LogType.management,
        content: '修改',
        other: { event: code },
      });
      const { client } = await desk.someone([
        event({
          code: 'settings_changed',
          keys: 'QuotaForNewUser, RetryTimes, ModelRatio, SMTPToken, Notice',
          changes: [
            { key: 'QuotaForNewUser', before: '281000', after: '290000' },
            { key: 'RetryTimes', before: '3', after: '2' },
            { key: 'ModelRatio', name: 'gpt-4o', after: '1.25' },
            { key: 'SMTPToken', is_secret: true },
            { key: 'Notice', before: '', after: 'Hello' },
          ],
          more: 2,
        }),
        event({ code: 'settings_changed', keys: 'Chats' }),
        event({ code: 'quota_set', from: 500_000, to: 1_250_000, reason: 'paid by invoice' }),
      ]);
      const [head = [], ...rows] = cells((await file(client, '/api/log/self/export')).text);
      expect(rows.map((row) => row[head.indexOf('content')]).toReversed()).toEqual([
        'Changed settings: QuotaForNewUser from $0.562 to $0.58; RetryTimes from 3 to 2; ModelRatio of gpt-4o from (none) to 1.25; ' +
          'SMTPToken replaced; Notice from (empty) to Hello; 2 more',
        'Changed settings: Chats',
        'Balance changed from $1 to $2.5: paid by invoice',
      ]);
    });

    it.each([
      ['=1+1'],
      ['+1'],
      ['-1'],
      ['@cmd'],
      ['\t=1'],
      [' =1'],
      ['|cmd'],
      ['＝1+1'],
      ['＋1'],
      ['－1'],
      ['＠cmd'],
      ['a "quoted", text\r\nwith lines'],
      ['plain'],
    ])('%j is no formula', async (name) => {
      const { client } = await desk.someone([{ model_name: name }]);
      const [head = [], row = []] = cells((await file(client, '/api/log/self/export')).text);
      const cell = row[head.indexOf('model_name')] ?? '';
      expect(cell.replace(/^'/, '')).toBe(name);
      expect(cell).not.toMatch(/^\s*[=+\-@|＝＋－＠]/);
    });

    it('rights, kinds, and no more than two at once; whoever leaves makes room', async () => {
      const { client } = await desk.someone(Array.from({ length: 3000 }, () => ({ other: { problem: 'x'.repeat(2000) } })));
      expect(await client.get('/api/log/export')).toMatchObject({ status: 403 });
      expect(await desk.app.anonymous().get('/api/log/self/export')).toMatchObject({ status: 401 });
      expect(await client.get('/api/log/self/export?format=xlsx')).toMatchObject({ success: false, code: 'invalid_field' });
      const leave = new AbortController();
      const open = [0, 1].map(() => raw(client, '/api/log/self/export', { signal: leave.signal }));
      const readers = (await Promise.all(open)).map((response) => response.body?.getReader());
      for (const reader of readers) await reader?.read();
      expect(await client.get('/api/log/self/export')).toMatchObject({ status: 429, code: 'exports_running' });
      leave.abort();
      await until(async () => {
        const response = await raw(client, '/api/log/self/export?model_name=none');
        await response.text();
        return response.status === 200;
      });
    });

    it('ends, cut off, when its owner may not read it any more', async () => {
      // More than what is on its way at any moment.
      const { user, client } = await desk.someone(Array.from({ length: 3000 }, () => ({ other: { problem: 'x'.repeat(2000) } })));
      const response = await raw(client, '/api/log/self/export?format=jsonl');
      const reader = response.body?.getReader();
      await reader?.read();
      await desk.app.context.db.collection('sessions').remove({ user_id: user.id });
      const readAll = async () => {
        for (;;) if ((await reader?.read())?.done !== false) return;
      };
      await expect(readAll()).rejects.toThrow();
    });

    it('a link on a foreign page gets nothing', async () => {
      const { client } = await desk.someone([{}]);
      const response = await raw(client, '/api/log/self/export', { withoutUser: true, headers: { 'sec-fetch-site': 'cross-site' } });
      expect(response.status).toBe(401);
      const own = await raw(client, '/api/log/self/export', { withoutUser: true, headers: { 'sec-fetch-site': 'same-origin' } });
      expect(own.status).toBe(200);
      await own.text();
    });
  });
});
