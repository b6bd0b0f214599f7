// Bills of providers against the log: imports, usage APIs, matches by request and by day, alerts, exports.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BillAccountInput, BillProvider } from '#shared/bill-accounts.ts';
import type { DriftRow } from '#shared/provider-bills.ts';
import { deleteBefore } from '#server/logs/delete-old-logs.ts';
import { foldLog } from '#server/logs/fold-log.ts';
import { tendBills } from '#server/features/provider-bills/tend-bills.ts';
import { buildBillAccount, buildBillImport } from '#tests/support/build-bill.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { engines } from '#tests/support/engines.ts';
import { adminKeys, type FakeUsageApis, startFakeUsageApis } from '#tests/support/fake-usage-apis.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { setOption } from '#tests/support/relay-scene.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/bills/${name}`, import.meta.url), 'utf8');
const time = (text: string) => Date.parse(`2026-01-${text}Z`) / 1000;
/** 2.5 and 10 USD per million tokens: 1,000 in and 500 out cost 0.0075 USD. */
const price = { model_ratio: 1.25, completion_ratio: 4, cache_ratio: 0.5, model_price: -1, group_ratio: 3, quota_per_unit: 500_000 };
const hour = 3_600_000;

describe.each(engines)('provider bills on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;
  let apis: FakeUsageApis;
  let lastChannel = 0;

  beforeAll(async () => {
    [app, apis] = await Promise.all([createTestApp(engine), startFakeUsageApis()]);
    root = await app.setup();
  });
  afterEach(async () => {
    apis.fault = undefined;
    apis.usage = [];
    for (const { id } of (await overview()).accounts) await root.delete(`/api/bill/account/${id}`);
    for (const name of ['logs', 'cost_hours', 'log_folds', 'log_closings', 'bill_mappings', 'notifications'] as const)
      await app.context.db.collection(name).remove({});
  });
  afterAll(async () => {
    await app.close();
    await apis[Symbol.asyncDispose]();
  });

  const overview = async () => (await root.get('/api/bill/')).data;
  const accountInput = (fields: Partial<BillAccountInput> = {}) => buildBillAccount({ channel_ids: [], ...fields });
  const addChannel = async (): Promise<number> => {
    lastChannel += 1;
    await app.context.db.collection('channels').insert(buildChannel({ id: 1000 + lastChannel, name: `channel ${lastChannel}` }));
    return 1000 + lastChannel;
  };
  const addAccount = async (provider: BillProvider, fields: Partial<BillAccountInput> = {}) => {
    const channel = await addChannel();
    const answer = await root.post('/api/bill/account', accountInput({ provider, channel_ids: [channel], ...fields }));
    expect(answer).toMatchObject({ success: true });
    return { id: Number(answer.data.id), channel };
  };
  interface LoggedCall {
    channel: number;
    at: number;
    model?: string;
    upstreamId?: string;
    count?: number;
    other?: object;
  }
  const logCalls = async ({ channel, at, model = 'gpt-4o', upstreamId, count = 1, other = {} }: LoggedCall) => {
    const ids = await app.context.db.nextIds('logs', count);
    const admin_info = upstreamId === undefined ? {} : { admin_info: { upstream_id: upstreamId } };
    const rows = ids.map((id) =>
      buildLog({
        id,
        user_id: 1,
        created_at: at,
        model_name: model,
        channel_id: channel,
        prompt_tokens: 1000,
        completion_tokens: 500,
        quota: 11_250,
        other: { ...price, ...admin_info, ...other },
      }),
    );
    await app.context.db.write(rows.map((insert) => ({ insert, into: 'logs' as const })));
  };
  const upload = async (account: number, body: string | Uint8Array, { query = '' } = {}) => {
    const answer = await root.post(`/api/bill/account/${account}/import?file_name=bill.csv${query}`, undefined, {
      rawBody: body,
      headers: { 'content-type': 'application/octet-stream' },
    });
    if (!answer.success || answer.data.state !== 'matching') return answer.data ?? answer;
    await until(async () => (await app.context.db.collection('bill_imports').get(answer.data.id))?.state !== 'matching');
    return (await overview()).imports.find(({ id }: { id: number }) => id === answer.data.id);
  };
  const rows = async (query = ''): Promise<DriftRow[]> => (await root.get(`/api/bill/rows?page_size=100&by=none${query}`)).data.items;
  const brief = (list: DriftRow[]) =>
    list
      .map(
        ({ day, model, ours, billed, difference, state }) =>
          `${day} ${model} ${ours.amount} ${billed.amount ?? '-'} ${difference ?? '-'} ${state}`,
      )
      .toSorted();
  const fold = () => foldLog(app.context);

  it('days and models of a bill are compared with the cost of calls before factors of groups', async () => {
    const { id, channel } = await addAccount('openai');
    await logCalls({ channel, at: time('12T23:59:59'), count: 20 });
    await logCalls({ channel, at: time('13T00:00:00'), count: 2, model: 'mapped', other: { upstream_model_name: 'gpt-4o' } });
    await logCalls({ channel, at: time('14T10:00:00'), count: 20 });
    await logCalls({ channel: await addChannel(), at: time('14T10:00:00'), count: 20 });
    await fold();
    expect(await upload(id, fixture('openai-costs.csv'))).toMatchObject({
      state: 'done',
      format: 'openai_costs',
      rows: 5,
      faults: 0,
      first_day: '2026-01-12',
      last_day: '2026-01-14',
      amount: '2.95',
    });
    const expected = [
      '2026-01-12 gpt-4o 0.15 0.15 0 even',
      '2026-01-12 web search tool calls 0 2.5 2.5 foreign',
      '2026-01-13 gpt-4o 0.015 0 -0.015 unbilled',
      '2026-01-14 gpt-4o 0.15 0.3 0.15 even',
    ];
    expect(brief(await rows())).toEqual(expected);
    // Differences below a dollar are within the bounds; the bound is a setting.
    await setOption(app, 'BillDriftUsd', '0.1');
    expect(brief(await rows('&state=over'))).toEqual(['2026-01-14 gpt-4o 0.15 0.3 0.15 over']);
    await setOption(app, 'BillDriftUsd', '1');
    const { data: report } = await root.get('/api/bill/drift');
    expect(report).toMatchObject({ ours: '0.315', billed: '2.95', difference: '2.635', states: { even: 2, unbilled: 1, foreign: 1 } });
    expect(report.days.map(({ day, billed }: { day: string; billed: string }) => `${day} ${billed}`)).toEqual([
      '2026-01-12 2.65',
      '2026-01-13 0',
      '2026-01-14 0.3',
    ]);

    // Usage adds calls and tokens and leaves the amounts; the same bill once more counts once.
    expect(await upload(id, fixture('openai-usage.csv'))).toMatchObject({ state: 'done', format: 'openai_usage' });
    await upload(id, fixture('openai-costs.csv'));
    expect(brief(await rows())).toEqual(expected);
    const day = (await rows()).find((row) => row.day === '2026-01-14');
    expect(day).toMatchObject({
      ours: { calls: 20, input_tokens: 20_000 },
      billed: { calls: 21, input_tokens: 21_000, output_tokens: 10_500 },
    });
    const { data: byModel } = await root.get('/api/bill/rows?by=model');
    expect(byModel.items.map((row: DriftRow) => `${row.model} ${row.ours.amount} ${row.billed.amount}`)).toEqual([
      'web search tool calls 0 2.5',
      'gpt-4o 0.315 0.45',
    ]);
  });

  it('sums remain when the rows of the log are deleted, and late rows are added', async () => {
    const { id, channel } = await addAccount('openai');
    await logCalls({ channel, at: time('12T10:00:00'), count: 20 });
    await fold();
    await logCalls({ channel, at: time('12T10:30:00'), count: 20 });
    await app.context.db.collection('log_folds').insert({ id: 'late', hour: time('12T10:00:00'), marked_at: 0 });
    await fold();
    await deleteBefore(app.context, time('13T00:00:00'), 10_000);
    await fold();
    expect(await app.context.db.collection('logs').count({ channel_id: channel })).toBe(0);
    await upload(id, fixture('openai-costs.csv'));
    expect(brief(await rows()).filter((row) => row.includes('gpt-4o'))).toContain('2026-01-12 gpt-4o 0.3 0.15 -0.15 even');
  });

  it('names for people, a factor of the contract, names of the account, and days of another zone', async () => {
    const { id, channel } = await addAccount('anthropic', { factor: '0.5' });
    const haiku = { model_ratio: 0.5, completion_ratio: 5 };
    await logCalls({ channel, at: time('12T10:00:00'), count: 100, model: 'claude-haiku-4-5-20251001', other: haiku });
    await fold();
    await upload(id, fixture('anthropic-costs.csv'));
    expect(brief(await rows(`&account=${id}`))).toEqual([
      '2026-01-12 claude-haiku-4-5-20251001 0.175 0.175 0 even',
      '2026-01-12 web_search 0 0.01 0.01 foreign',
      '2026-01-13 Claude Haiku 4.5 0 -0.02 -0.02 foreign',
    ]);
    const { data: account } = await root.get('/api/bill/').then(({ data }) => ({ data: data.accounts[0] }));
    const { success } = await root.put(`/api/bill/account/${id}`, {
      ...accountInput({ provider: 'anthropic', channel_ids: [channel], models: { web_search: 'claude-haiku-4-5-20251001' } }),
      revision: account.revision,
    });
    expect(success).toBe(true);
    expect(
      await root.put(`/api/bill/account/${id}`, { ...accountInput({ channel_ids: [channel] }), revision: account.revision }),
    ).toMatchObject({
      code: 'revision_conflict',
    });
    await tendBills(app.context);
    expect(brief(await rows(`&account=${id}`))[0]).toBe('2026-01-12 claude-haiku-4-5-20251001 0.35 0.185 -0.165 even');

    // 17:00 of UTC is the next day in Shanghai; in Kolkata days begin at half past.
    for (const [zone, at] of [
      ['Asia/Shanghai', '12T16:00:00'],
      ['Asia/Kolkata', '12T18:30:00'],
    ] as const) {
      const other = await addAccount('other', { name: zone, zone });
      await logCalls({ channel: other.channel, at: time(at) - 1 });
      await logCalls({ channel: other.channel, at: time(at) });
      await app.context.db
        .collection('log_folds')
        .patch({ id: 'head' }, { set: { costs_until: time('01T00:00:00'), costs_from: time('01T00:00:00') } });
      await fold();
      await root.put('/api/bill/mapping', { name: 'plain', columns: { date: 'Day', model: 'Model', amount: 'Cost' }, decimal: '.' });
      await upload(other.id, 'Day,Model,Cost\n2026-01-12,gpt-4o,0.0075\n2026-01-13,gpt-4o,0.0075\n');
      expect(brief(await rows(`&account=${other.id}`)), zone).toEqual([
        '2026-01-12 gpt-4o 0.0075 0.0075 0 even',
        '2026-01-13 gpt-4o 0.0075 0.0075 0 even',
      ]);
    }
  });

  it('a bill with request ids is matched call by call', async () => {
    const { id, channel } = await addAccount('openrouter');
    const at = (text: string, upstreamId: string) => logCalls({ channel, at: time(text), upstreamId });
    await at('12T10:00:00', 'gen-1768212000-a');
    await at('12T11:00:00', 'gen-1768215600-b');
    await at('12T12:00:00', 'gen-lost');
    // After midnight by our clock, before it by theirs.
    await at('13T00:00:01', 'gen-1768262399-c');
    await fold();
    const bill = await upload(id, fixture('openrouter-activity.csv'));
    expect(bill).toMatchObject({ state: 'done', format: 'openrouter', rows: 5, matched: { both: 2, differ: 1, unbilled: 1, foreign: 1 } });
    const listed = async (state: string) =>
      (await root.get(`/api/bill/requests?account=${id}&state=${state}`)).data.items.map(
        ({ request_id, ours, billed }: Record<string, string>) => `${request_id} ${ours ?? '-'} ${billed ?? '-'}`,
      );
    expect(await listed('unbilled')).toEqual(['gen-lost 0.0075 -']);
    expect(await listed('foreign')).toEqual(['gen-1768219200-x - 0.4']);
    expect(await listed('differs')).toEqual(['gen-1768215600-b 0.0075 0.015']);
    // The doubled row counts once, however often the file comes.
    expect(brief(await rows(`&account=${id}`))[0]).toBe('2026-01-12 gpt-4o 0.0225 0.43 0.4075 even');
    expect(await upload(id, fixture('openrouter-activity.csv'))).toMatchObject({
      matched: { both: 2, differ: 1, unbilled: 1, foreign: 1 },
    });
    expect(brief(await rows(`&account=${id}`))[0]).toBe('2026-01-12 gpt-4o 0.0225 0.43 0.4075 even');
    const { body } = await root.get(`/api/bill/requests/export?account=${id}&state=foreign`);
    expect(body).toContain('gen-1768219200-x,openai/gpt-4o-2024-08-06,,0.4,');
  });

  it('a request that a later bill has on another day counts on that day alone', async () => {
    const { id, channel } = await addAccount('other');
    const mapping = { name: 'calls', columns: { date: 'Time', model: 'Model', amount: 'Cost', request_id: 'Id' }, decimal: '.' };
    expect(await root.put('/api/bill/mapping', mapping)).toMatchObject({ success: true });
    const bill = (...lines: string[]) => upload(id, `Time,Model,Cost,Id\n${lines.join('\n')}\n`);
    const billed = async () => (await rows('&from=2026-01-10&to=2026-01-16')).map(({ day, billed: { amount } }) => `${day} ${amount}`);
    await bill('2026-01-12T20:00:00Z,gpt-4o,1.5,req-1', '2026-01-12T21:00:00Z,gpt-4o,0.25,req-2');
    expect(await billed()).toEqual(['2026-01-12 1.75']);
    // The account's days begin elsewhere, and the provider corrects a time.
    const account = accountInput({ provider: 'other', channel_ids: [channel], zone: 'Asia/Shanghai' });
    expect(await root.put(`/api/bill/account/${id}`, account)).toMatchObject({ success: true });
    await bill('2026-01-12T20:00:00Z,gpt-4o,1.5,req-1');
    expect((await billed()).toSorted()).toEqual(['2026-01-12 0.25', '2026-01-13 1.5']);
    await bill('2026-01-14T20:00:00Z,gpt-4o,0.25,req-2');
    expect((await billed()).toSorted()).toEqual(['2026-01-13 1.5', '2026-01-15 0.25']);
  });

  it('exports begin no formula, and quote what they must', async () => {
    const { id } = await addAccount('other', { name: '=HYPERLINK("x")' });
    await root.put('/api/bill/mapping', { name: 'plain', columns: { date: 'Day', model: 'Model', amount: 'Cost' }, decimal: '.' });
    await upload(
      id,
      'Day,Model,Cost\n2026-01-12,"=cmd|\' /C calc\'!A0",-1.5\n2026-01-12,"<img src=x onerror=alert(1)>",2\n2026-01-12,"@a ""b"", c",1\n',
    );
    const { body, headers } = await root.get('/api/bill/rows/export?by=none');
    expect(headers['content-disposition']).toContain('bills-');
    const text = String(body);
    for (const cell of [`'=HYPERLINK`, `'=cmd|`, `"'@a ""b"", c"`, '<img src=x onerror=alert(1)>', ',-1.5,']) expect(text).toContain(cell);
    expect(text.split('\n').some((line) => /(^|,)"?[=@]/.test(line))).toBe(false);
  });

  it('faults of rows are listed by line, and files that are no bill end the import', async () => {
    const { id } = await addAccount('other');
    await root.put('/api/bill/mapping', { name: 'plain', columns: { date: 'Day', model: 'Model', amount: 'Cost' }, decimal: '.' });
    const bill = await upload(id, `Day,Model,Cost\n2026-01-12,m,1\nnever,m,1\n2026-01-12,m,${'x'.repeat(200)}\n`);
    expect(bill).toMatchObject({ state: 'done', rows: 3, faults: 2 });
    expect(
      bill.first_faults.map(({ line, code, text }: { line: number; code: string; text: string }) => [line, code, text.length]),
    ).toEqual([
      [3, 'date', 5],
      [4, 'amount', 80],
    ]);
    expect(await upload(id, 'a,b\n1,2\n')).toMatchObject({ state: 'failed', failure: { code: 'unknown_format', text: 'a, b' } });
    expect(await upload(id, 'Day,Model,Cost\nx,m,1\n')).toMatchObject({ state: 'failed', failure: { code: 'too_many_faults' } });
    expect(await upload(id, fixture('openai-costs.csv'), { query: '&mapping=plain' })).toMatchObject({
      failure: { code: 'unknown_format' },
    });
    expect(await upload(id, fixture('openai-costs.csv'), { query: '&mapping=none' })).toMatchObject({
      code: 'invalid_field',
      field: 'mapping',
    });
    // Nothing of them has replaced the bill.
    expect(brief(await rows(`&account=${id}`))).toEqual(['2026-01-12 m 0 1 1 foreign']);
  });

  it('uploads are bounded and come from the console alone', async () => {
    const { id } = await addAccount('other');
    const path = `/api/bill/account/${id}/import`;
    const send = (headers: Record<string, string>, rawBody = 'x') => root.post(path, undefined, { rawBody, headers });
    expect(await send({ 'content-type': 'text/csv' })).toMatchObject({ status: 415 });
    expect(await send({ 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' })).toMatchObject({ status: 415 });
    // Five gigabytes are refused before they come.
    const headers = {
      'content-type': 'application/octet-stream',
      'content-length': String(5 * 1024 ** 3),
      cookie: root.cookie ?? '',
      'new-api-user': String(root.userId),
    };
    const status = await new Promise((resolve, reject) => {
      const request = http.request(`${app.origin}${path}`, { method: 'POST', headers }, (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on('error', reject);
      request.write('Day,Model,Cost\n');
    });
    expect(status).toBe(413);
    expect((await overview()).imports).toEqual([]);
    const admin = await app.as(await app.createUser({ role: 10 }));
    const member = await app.as(await app.createUser());
    expect(await member.get('/api/bill/')).toMatchObject({ status: 403 });
    expect(await admin.get('/api/bill/')).toMatchObject({ success: true });
    expect(await admin.post('/api/bill/account', accountInput({ channel_ids: [1] }))).toMatchObject({ status: 403 });
  });

  it('one import of an account at a time; one whose process ended gives way', async () => {
    const { id } = await addAccount('other');
    const record = buildBillImport({
      id: await app.context.db.nextId('bill_imports'),
      account_id: id,
      alive_until: app.clock.now() + 30_000,
    });
    await app.context.db.collection('bill_imports').insert(record);
    expect(await upload(id, fixture('openai-costs.csv'))).toMatchObject({ code: 'bill_import_running' });
    await app.context.db.collection('bill_imports').patch({ id: record.id }, { set: { alive_until: app.clock.now() - 1 } });
    expect(await upload(id, fixture('openai-costs.csv'))).toMatchObject({ state: 'done' });
    expect((await overview()).imports.find((one: { id: number }) => one.id === record.id)).toMatchObject({
      failure: { code: 'interrupted' },
    });
  });

  it('accounts share no channel, know their zone and channels, and never show their key', async () => {
    const { id, channel } = await addAccount('openai', { name: 'First', zone: 'Asia/Shanghai', key: adminKeys.openai });
    expect((await overview()).accounts[0]).toMatchObject({ zone: 'UTC', has_key: true, channels: [{ id: channel }] });
    expect(JSON.stringify(await overview())).not.toContain(adminKeys.openai);
    expect(JSON.stringify(await app.context.db.collection('bill_accounts').get(id))).not.toContain(adminKeys.openai);
    const refused = async (fields: Partial<BillAccountInput>) =>
      root.post('/api/bill/account', accountInput({ channel_ids: [channel], ...fields }));
    expect(await refused({})).toMatchObject({ code: 'bill_channel_taken', field: 'channel_ids' });
    const free = await addChannel();
    const both = await Promise.all(['a', 'b'].map((name) => root.post('/api/bill/account', accountInput({ name, channel_ids: [free] }))));
    expect(both.filter(({ success }) => success)).toHaveLength(1);
    expect(await refused({ channel_ids: [99_999] })).toMatchObject({ field: 'channel_ids' });
    expect(await refused({ zone: 'Mars/Base' })).toMatchObject({ field: 'zone' });
    expect(await refused({ rate: '0' })).toMatchObject({ field: 'rate' });
    expect(await refused({ factor: '-1' })).toMatchObject({ field: 'factor' });
    expect(await refused({ base_url: 'javascript:alert(1)' })).toMatchObject({ field: 'base_url' });
    const mapping = (columns: object) => root.put('/api/bill/mapping', { name: 'x', columns, decimal: '.' });
    expect(await mapping({ date: 'Day', model: 'DAY', amount: 'Cost' })).toMatchObject({ field: 'columns.model' });
    expect(await mapping({ date: 'Day', model: 'Model' })).toMatchObject({ field: 'columns.amount' });
  });

  describe.each(['openai', 'anthropic', 'openrouter'] as const)('usage API of %s', (provider) => {
    const addFetched = () => addAccount(provider, { key: adminKeys[provider], base_url: apis.url });
    const state = async () => (await overview()).accounts[0].fetch;
    const settled = () => until(async () => (await app.context.db.collection('bill_imports').count({ running: { exists: true } })) === 0);

    it('is called by the clock, page by page, and its days are compared', async () => {
      apis.usage = [
        { day: '2026-01-12', model: 'gpt-4o', usd: '0.15', calls: 20, input: 20_000, output: 10_000 },
        { day: '2026-01-13', model: 'gpt-4o', usd: '2.5', calls: 1, input: 10, output: 20 },
      ];
      apis.requests.length = 0;
      const { id, channel } = await addFetched();
      await logCalls({ channel, at: time('12T10:00:00'), count: 20 });
      await fold();
      await tendBills(app.context);
      await settled();
      expect((await overview()).imports[0]).toMatchObject({
        source: 'api',
        state: 'done',
        first_day: '2025-12-16',
        last_day: '2026-01-14',
      });
      expect(brief(await rows(`&account=${id}`))).toEqual(['2026-01-12 gpt-4o 0.15 0.15 0 even', '2026-01-13 gpt-4o 0 2.5 2.5 foreign']);
      expect(await state()).toMatchObject({ done_at: expect.any(Number) });
      expect(apis.requests.length).toBeGreaterThan(provider === 'openrouter' ? 29 : 20);
      // Not due before its time; then the last days alone.
      apis.requests.length = 0;
      await tendBills(app.context);
      expect(apis.requests).toEqual([]);
      app.clock.advance(7 * hour);
      await tendBills(app.context);
      await settled();
      expect((await overview()).imports[0]).toMatchObject({ state: 'done', first_day: '2026-01-11' });
      app.clock.advance(-7 * hour);
    });

    it.each([
      ['html', 'bad_answer'],
      ['cut', 'unreachable'],
      [401, 'refused'],
      [429, 'rate_limited'],
      [500, 'refused'],
      ...(provider === 'openrouter'
        ? []
        : ([
            ['endless', 'endless'],
            ['repeats', 'endless'],
          ] as const)),
    ] as const)('%s is a visible failure that is tried again', async (fault, code) => {
      const { id } = await addFetched();
      apis.fault = fault;
      const { data } = await root.post(`/api/bill/account/${id}/fetch`);
      expect(data).toMatchObject({ state: 'failed', failure: { code: 'api' } });
      const { failure, next_at: next } = await state();
      expect(failure).toMatchObject({ code, tries: 1 });
      expect(JSON.stringify(await overview())).not.toContain(adminKeys[provider]);
      expect(next - failure.at).toBe(fault === 429 ? 7_200 : 600);
      expect((await overview()).accounts[0].first_day).toBeUndefined();
      apis.fault = undefined;
      await root.post(`/api/bill/account/${id}/fetch`);
      await settled();
      expect((await state()).failure).toBeUndefined();
    });
  });

  it('days of a request that could not be stored are requested again', async () => {
    const { id } = await addAccount('openai', { key: adminKeys.openai, base_url: apis.url });
    const days = Array.from({ length: 30 }, (_, index) => new Date(Date.UTC(2025, 11, 16 + index)).toISOString().slice(0, 10));
    const tooMany = (day: string) =>
      Array.from({ length: 501 }, (_, index) => ({ day, model: `m${index}`, usd: '1', calls: 1, input: 1, output: 1 }));
    apis.usage = tooMany(days[0] ?? '');
    expect((await root.post(`/api/bill/account/${id}/fetch`)).data).toMatchObject({
      state: 'failed',
      failure: { code: 'too_many_lines' },
    });
    expect((await overview()).accounts[0].fetch).toMatchObject({ failure: { code: 'other', text: 'too_many_lines' } });
    apis.usage = [];
    expect((await root.post(`/api/bill/account/${id}/fetch`)).data).toMatchObject({ state: 'matching', first_day: days[0] });
    await until(async () => (await app.context.db.collection('bill_imports').count({ running: { exists: true } })) === 0);
  });

  it('an alert reports each day beyond both bounds once', async () => {
    const { id } = await addAccount('other');
    const alerts = async () =>
      (await app.context.db.collection('notifications').find({})).flatMap(({ event }) => (event.code === 'bill_drift' ? [event] : []));
    await root.put('/api/bill/mapping', { name: 'plain', columns: { date: 'Day', model: 'Model', amount: 'Cost' }, decimal: '.' });
    await fold();
    await upload(id, 'Day,Model,Cost\n2026-01-12,m,1.5\n2026-01-13,m,0.5\n2026-01-14,m,3\n');
    expect(await alerts()).toEqual([
      { code: 'bill_drift', account_id: id, name: 'Main', from: '2026-01-12', to: '2026-01-14', days: 2, ours: '0.00', billed: '4.50' },
    ]);
    await upload(id, 'Day,Model,Cost\n2026-01-12,m,1.5\n2026-01-14,m,3\n');
    await tendBills(app.context);
    expect(await alerts()).toHaveLength(1);
    await upload(id, 'Day,Model,Cost\n2026-01-11,m,7\n');
    expect(await alerts()).toHaveLength(2);
  });
});
