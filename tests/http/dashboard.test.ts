import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Role } from '#shared/roles.ts';
import type { NamedSums, UsageFigures, UsageHour } from '#shared/dashboard.ts';
import { LogType } from '#shared/logs.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { foldLog } from '#server/logs/fold-log.ts';
import { manyInHour } from '#server/logs/fold-usage.ts';
import { lateMarks } from '#server/money/settlement/late-rows.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { buildTokenRecord } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { queryText } from '#tests/support/log-desk.ts';
import { setOption } from '#tests/support/relay-scene.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

type Given = Record<string, string | number>;

const hour = 3600;
const day = 24 * hour;

function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe.each(engines)('dashboard on $kind', (engine) => {
  let app: TestApp;
  let admin: TestClient;
  let busy: UserRecord;
  let quiet: UserRecord;
  let rows: LogRecord[];
  let begin: number;
  const now = () => Math.floor(app.clock.now() / 1000);

  beforeAll(async () => {
    app = await createTestApp(engine);
    admin = await app.setup();
    busy = await app.createUser({ username: 'busy' });
    quiet = await app.createUser({ username: 'quiet' });
    for (const [id, name] of [
      [3, 'key 2'],
      [4, 'key 3'],
      [5, 'key 3'],
    ] as const) {
      await app.context.db.collection('tokens').insert(buildTokenRecord({ id, user_id: busy.id, name }));
    }
    const pick = generator(5);
    const end = now();
    begin = Math.floor((end - 3.2 * day) / day) * day + 5 * hour;
    // One who has sums of their own in many hours, and one who has none.
    rows = Array.from({ length: 75 * manyInHour * 2 }, (_, index) => {
      const isBusy = pick(12) > 0;
      const user = isBusy ? busy : quiet;
      const token = pick(isBusy ? 12 : 2);
      return buildLog({
        id: 2_000_000 + index,
        user_id: user.id,
        username: user.username,
        created_at: begin + pick(end - begin),
        token_id: token + 1,
        token_name: token === 0 ? 'default' : `key ${token}`,
        model_name: ['gpt-4o', 'o3', 'claude-4', 'rare:model'][pick(4)] ?? '',
        channel_id: 1 + pick(7),
        quota: 1 + pick(1000),
        prompt_tokens: pick(50),
        completion_tokens: pick(50),
        ...(pick(25) === 0 ? { hidden: true } : {}),
        ...(pick(20) === 0 ? { failed: 1 as const, other: { ending: 'truncated', frt: 999 } } : { other: { frt: 10, duration_ms: 21 } }),
        ...(pick(30) === 0 ? { type: LogType.topUp, plain_type: LogType.topUp } : {}),
      });
    });
    await app.context.db.write(rows.map((insert) => ({ insert, into: 'logs' as const })));
    for (let last = ''; ;) {
      await foldLog(app.context);
      const head = JSON.stringify(await app.context.db.collection('log_folds').get('head'));
      if (head === last) break;
      last = head;
    }
  });
  afterAll(() => app.close());

  const listed = () => rows.filter((row) => row.type === LogType.consumption && row.hidden !== true);
  const within = (row: LogRecord, from: number, to: number) => row.created_at >= from && row.created_at < to;
  const sumsOf = (own: readonly LogRecord[]) => ({
    calls: own.length,
    errors: own.filter((row) => row.failed === 1).length,
    quota: own.reduce((sum, row) => sum + row.quota, 0),
    prompt_tokens: own.reduce((sum, row) => sum + row.prompt_tokens, 0),
    completion_tokens: own.reduce((sum, row) => sum + row.completion_tokens, 0),
    first_byte_ms: own.filter((row) => row.failed !== 1).length * 10,
    duration_ms: own.filter((row) => row.failed !== 1).length * 21,
  });

  async function figures(client: TestClient, path: string, given: Given): Promise<UsageFigures> {
    const answer = await client.get(`${path}${queryText(given)}`);
    expect(answer).toMatchObject({ status: 200, success: true });
    return answer.data;
  }

  function expectFigures(found: UsageFigures, own: readonly LogRecord[], nameOf: (row: LogRecord) => string): void {
    const length = found.end - found.start;
    const steps = found.steps.map((start, index) => ({ start, end: found.steps[index + 1] ?? found.end }));
    expect(found.whole).toEqual(steps.map(({ start, end }) => sumsOf(own.filter((row) => within(row, start, end)))));
    expect(found.previous).toEqual(steps.map(({ start, end }) => sumsOf(own.filter((row) => within(row, start - length, end - length)))));
    // The time before until the same moment: hours whole, the one that it falls into in its part.
    const then = found.at - length;
    const cut = Math.floor(then / hour) * hour;
    const whole = sumsOf(own.filter((row) => within(row, found.start - length, Math.min(cut, found.start))));
    const part = sumsOf(own.filter((row) => within(row, Math.max(cut, found.start - length), Math.min(cut + hour, found.start))));
    const share = (then - cut) / hour;
    const shares = new Map(Object.entries(part).map(([field, sum]) => [field, Math.round(sum * share)]));
    expect(found.previous_so_far).toEqual(
      Object.fromEntries(Object.entries(whole).map(([field, sum]) => [field, sum + (shares.get(field) ?? 0)])),
    );
    const inTime = own.filter((row) => within(row, found.start, found.end));
    const byName = Map.groupBy(inTime, nameOf);
    expect(found.totals.map(({ name }) => name).toSorted()).toEqual([...byName.keys()].toSorted());
    for (const { name, sums } of found.totals) expect(sums, name).toEqual(sumsOf(byName.get(name) ?? []));
    expect(found.totals.map(({ sums }) => sums.quota)).toEqual(found.totals.map(({ sums }) => sums.quota).toSorted((a, b) => b - a));
    expect(found.series.map(({ name }) => name)).toEqual(found.totals.slice(0, 5).map(({ name }) => name));
    for (const { name, sums } of found.series)
      expect(sums, name).toEqual(steps.map(({ start, end }) => sumsOf((byName.get(name) ?? []).filter((row) => within(row, start, end)))));
    expect(found.complete_from).toBeNull();
  }

  const nameOf: Record<string, (row: LogRecord) => string> = {
    model: (row) => row.model_name,
    channel: (row) => String(row.channel_id),
    user: (row) => String(row.user_id),
    token: (row) => `${row.user_id}#${row.token_id}`,
  };

  it.each(['model', 'channel', 'user', 'token'])('everybody by %s agrees with the rows, by the hour, day and week', async (by) => {
    const questions: Given[] = [
      { step: 'hour', start_timestamp: now() - day },
      { step: 'hour', start_timestamp: begin - 1000, end_timestamp: begin + 2 * day },
      { step: 'day', start_timestamp: now() - 2 * day, utc_offset: 480 },
      { step: 'day', start_timestamp: begin, utc_offset: -300 },
      { step: 'week', start_timestamp: now() - 7 * day },
    ];
    for (const given of questions) {
      expectFigures(await figures(admin, '/api/data/figures', { ...given, by }), listed(), nameOf[by] ?? String);
    }
  });

  it('until a midnight is without the day that begins then, as the log has it', async () => {
    const midnight = Math.floor((now() - day) / day) * day - 8 * hour;
    const given = { start_timestamp: midnight - 2 * day, end_timestamp: midnight };
    const found = await figures(admin, '/api/data/figures', { ...given, step: 'day', by: 'user', utc_offset: 480 });
    expect(found.steps).toEqual([midnight - 2 * day, midnight - day]);
    const own = listed().filter((row) => within(row, midnight - 2 * day, midnight));
    expect(own.length).toBeGreaterThan(0);
    expectFigures(found, listed(), (row) => String(row.user_id));
    for (const user of [busy, quiet]) {
      const spent = own.filter((row) => row.user_id === user.id).reduce((sum, row) => sum + row.quota, 0);
      const stat = await admin.get(
        `/api/log/stat${queryText({ ...given, end_timestamp: midnight - 1, type: 2, username: user.username })}`,
      );
      expect(found.totals.find(({ name }) => name === String(user.id))?.sums.quota ?? 0).toBe(spent);
      expect(stat.data.quota).toBe(spent);
    }
  });

  it('days and weeks are those of the zone, and a zone that is none is refused where no offset stands in for it', async () => {
    const given = { start_timestamp: now() - 2 * day, step: 'day', by: 'user' };
    const inZone = await figures(admin, '/api/data/figures', { ...given, time_zone: 'Asia/Shanghai' });
    const byOffset = await figures(admin, '/api/data/figures', { ...given, utc_offset: 480 });
    // Both were requested one after the other.
    const anyTime = { at: 0, previous_so_far: null };
    expect({ ...inZone, ...anyTime }).toEqual({ ...byOffset, ...anyTime });
    expectFigures(inZone, listed(), (row) => String(row.user_id));
    // Browsers may know zones that this server does not: then their present offset counts.
    for (const time_zone of ['Etc/Unknown', 'Nowhere/None', '']) {
      const known = await figures(admin, '/api/data/figures', { ...given, utc_offset: 480, time_zone });
      expect({ ...known, ...anyTime }).toEqual({ ...byOffset, ...anyTime });
    }
    for (const time_zone of ['Nowhere/None', '', 'x'.repeat(65)])
      expect(await admin.get(`/api/data/figures${queryText({ ...given, time_zone })}`)).toMatchObject({
        code: 'invalid_field',
        field: 'time_zone',
      });
  });

  it.each(['busy', 'quiet'])('the calls of %s agree with the rows, for themselves and for an administrator', async (who) => {
    const user = who === 'busy' ? busy : quiet;
    const client = await app.as(user);
    const own = listed().filter((row) => row.user_id === user.id);
    for (const by of ['model', 'token']) {
      const name = (row: LogRecord) => (by === 'token' ? `${row.user_id}#${row.token_id}` : row.model_name);
      const given = { by, step: 'day', start_timestamp: begin - day, utc_offset: 60 };
      expectFigures(await figures(client, '/api/data/self/figures', given), own, name);
      expectFigures(await figures(admin, '/api/data/figures', { ...given, username: user.username }), own, name);
    }
    const channels = { by: 'channel', step: 'hour', start_timestamp: begin, username: user.username };
    expectFigures(await figures(admin, '/api/data/figures', channels), own, (row) => String(row.channel_id));
  });

  it('what is called is shown at once, and what comes late is not lost', async () => {
    const client = await app.as(quiet);
    for (const age of [0, 40 * 60, 2.5 * day]) {
      const row = buildLog({
        id: 3_000_000 + age,
        user_id: quiet.id,
        created_at: Math.floor(now() - age),
        quota: 7,
        other: { frt: 10, duration_ms: 21 },
      });
      rows.push(row);
      await app.context.db.write([...lateMarks([row], { now: app.clock.now(), by: 'test' }), { insert: row, into: 'logs' }]);
    }
    const check = async () => {
      const own = listed().filter((row) => row.user_id === quiet.id);
      const given = { step: 'day', start_timestamp: begin };
      expectFigures(await figures(client, '/api/data/self/figures', given), own, (row) => row.model_name);
      expectFigures(await figures(admin, '/api/data/figures', given), listed(), (row) => row.model_name);
    };
    await check();
    // Folded again with the late row.
    app.clock.advance(800_000);
    await foldLog(app.context);
    expect(await app.context.db.collection('log_folds').count({ hour: { gte: 0 } })).toBe(0);
    await check();
  });

  it('labels: channels and users have their names, tokens of everybody their owner', async () => {
    const labels = async (by: string) =>
      (await figures(admin, '/api/data/figures', { by, start_timestamp: begin, step: 'day' })).totals.map((one: NamedSums) => one.label);
    expect(await labels('user')).toContain('busy');
    expect(await labels('token')).toEqual(expect.arrayContaining(['busy / key 2', 'busy / key 3 #4', 'busy / key 3 #5', 'busy / #6']));
    expect(await labels('channel')).toContain('#3');
  });

  it('figures: rights, bounds and wrong kinds are refused', async () => {
    const client = await app.as(quiet);
    expect(await client.get('/api/data/figures')).toMatchObject({ status: 403, code: 'forbidden' });
    expect(await app.anonymous().get('/api/data/self/figures')).toMatchObject({ status: 401 });
    for (const by of ['channel', 'user']) expect(await client.get(`/api/data/self/figures?by=${by}`)).toMatchObject({ code: 'forbidden' });
    for (const wrong of ['by=secret', 'step=year', 'utc_offset=9999', 'start_timestamp=-1', 'start_timestamp=1', 'utc_offset=1e3'])
      expect(await admin.get(`/api/data/figures?${wrong}`), wrong).toMatchObject({ status: 200, success: false, code: 'invalid_field' });
    const backwards = queryText({ start_timestamp: now(), end_timestamp: now() - 10 });
    expect(await admin.get(`/api/data/figures${backwards}`)).toMatchObject({ code: 'invalid_field', field: 'start_timestamp' });
    const tooFine = queryText({ start_timestamp: now() - 40 * day, step: 'hour' });
    expect(await admin.get(`/api/data/figures${tooFine}`)).toMatchObject({ code: 'invalid_field', field: 'step' });
    expect(await admin.get('/api/data/figures?username=nobody')).toMatchObject({ code: 'user_not_found' });
    // A user cannot read another user's figures by naming them.
    const own = await figures(client, '/api/data/self/figures', { username: 'busy', start_timestamp: begin, step: 'day' });
    expect(own.whole.reduce((sum, one) => sum + one.calls, 0)).toBe(listed().filter((row) => row.user_id === quiet.id).length);
  });

  it('desk: what needs an operator, and only what does', async () => {
    const desk = async () => {
      const answer = await admin.get('/api/data/desk');
      expect(answer).toMatchObject({ status: 200, success: true });
      return answer.data;
    };
    expect(await (await app.as(quiet)).get('/api/data/desk')).toMatchObject({ status: 403 });
    // Both called in the last day, and neither has ever had credit.
    expect(await desk()).toMatchObject({
      channels: [],
      unpriced: [],
      is_stuck: false,
      low_users: [{ quota: 0 }, { quota: 0 }],
      low_user_count: 2,
    });
    for (const user of [busy, quiet]) {
      const credit = { account: 'user', id: user.id, ref: `desk:${user.id}`, kind: 'edit', actorId: 1, amount: 1_000_000 } as const;
      await app.context.ledger.change(credit);
    }
    expect((await desk()).low_users).toEqual([]);
    const { db, secrets } = app.context;
    const since = now() - 60;
    for (const [id, info] of [
      [71, JSON.stringify({ status_reason: '401 invalid key', status_time: since })],
      [72, 'no JSON'],
      [73, JSON.stringify({ status_time: 'long ago', status_reason: 7 })],
    ] as const) {
      await db.collection('channels').insert(buildChannel({ id, name: `off ${id}`, status: 3, other_info: info }, secrets));
    }
    await db.collection('channels').insert(buildChannel({ id: 74, name: 'by hand', status: 2 }, secrets));
    const refusal = (code: string, count: number) => ({
      refusal: { code, status: 400, reason: { zh: '', en: '' }, count, last_at: now(), request_ids: [] },
    });
    for (const [id, model, code, count, age] of [
      [1, 'unknown-1', 'model_price_error', 4, 10],
      [2, 'unknown-1', 'model_price_error_admin', 2, 20],
      [3, 'known', 'token_exhausted', 9, 20],
      [4, 'long ago', 'model_price_error', 9, 2 * day],
    ] as const) {
      const plain = { type: LogType.refusal, plain_type: LogType.refusal, model_name: model, other: refusal(code, count) };
      await db.collection('logs').insert(buildLog({ id: 4_000_000 + id, user_id: busy.id, created_at: now() - age, ...plain }));
    }
    const found = await desk();
    expect(found.channels).toEqual([
      { id: 71, name: 'off 71', reason: '401 invalid key', since },
      { id: 72, name: 'off 72', reason: '', since: 0 },
      { id: 73, name: 'off 73', reason: '', since: 0 },
    ]);
    // Further ones are counted.
    for (const id of [75, 76, 77]) await db.collection('channels').insert(buildChannel({ id, name: `off ${id}`, status: 3 }, secrets));
    const counted = await desk();
    expect([counted.channels.length, counted.channel_counts]).toEqual([5, { disabled: 6, failing: 0 }]);
    expect(found.unpriced).toEqual([{ model: 'unknown-1', count: 6 }]);
    // An enabled channel's models are listed before the first request for them, without those that have a price by now.
    await admin.post('/api/channel/', { name: 'on', key: 'sk-up', models: 'gpt-4o,unknown-1,unknown-2', base_url: 'http://127.0.0.1:9' });
    expect((await desk()).unpriced).toEqual([
      { model: 'unknown-1', count: 6 },
      { model: 'unknown-2', count: 0 },
    ]);
    await setOption(app, 'ModelPrice', '{"unknown-1":0.1}');
    expect((await desk()).unpriced).toEqual([{ model: 'unknown-2', count: 0 }]);
    await setOption(app, 'SelfUseModeEnabled', 'true');
    // Calls are charged at a default price instead of being refused.
    expect(await desk()).toMatchObject({ unpriced: [{ model: 'unknown-2', count: 0 }], unpriced_ratio: 37.5 });
    await setOption(app, 'SelfUseModeEnabled', 'false');
    expect((await desk()).unpriced_ratio).toBeUndefined();
  });

  it('desk: mails without a server address are told to whoever may set it', async () => {
    await using site = await createTestApp(engine);
    const root = await site.setup();
    const plain = await site.as(await site.createUser({ role: Role.admin }));
    const lacksAddress = async (client: TestClient) => (await client.get('/api/data/desk')).data.lacks_address;
    expect(await lacksAddress(root)).toBe(false);
    await root.put('/api/option/', { key: 'SMTPServer', value: 'mail.example' });
    await root.put('/api/option/', { key: 'SMTPFrom', value: 'post@mail.example' });
    expect([await lacksAddress(root), await lacksAddress(plain)]).toEqual([true, false]);
    await root.put('/api/option/', { key: 'ServerAddress', value: 'https://gate.example' });
    expect(await lacksAddress(root)).toBe(false);
  });

  describe('the calls of existing clients', () => {
    async function hours(client: TestClient, path: string): Promise<UsageHour[]> {
      const answer = await client.get(path);
      expect(answer).toMatchObject({ status: 200, success: true });
      return answer.data;
    }
    const sum = (found: readonly UsageHour[]) => found.reduce((total, one) => total + one.quota, 0);

    it('sums by model and hour, of everybody, of one user and of oneself', async () => {
      const bounds = { start_timestamp: Math.ceil(begin / hour) * hour, end_timestamp: now() + hour };
      const inTime = listed().filter((row) => row.created_at >= bounds.start_timestamp);
      const all = await hours(admin, `/api/data/${queryText({ ...bounds, username: '', default_time: 'hour' })}`);
      expect(sum(all)).toBe(sumsOf(inTime).quota);
      expect(all.every((one) => one.id === 0 && one.user_id === 0 && one.username === '' && one.created_at % hour === 0)).toBe(true);
      expect(new Set(all.map((one) => `${one.created_at} ${one.model_name}`)).size).toBe(all.length);
      const ofBusy = inTime.filter((row) => row.user_id === busy.id);
      const named = await hours(admin, `/api/data${queryText({ ...bounds, username: 'busy' })}`);
      const own = await hours(await app.as(busy), `/api/data/self/${queryText(bounds)}`);
      for (const found of [named, own]) {
        expect(sum(found)).toBe(sumsOf(ofBusy).quota);
        expect(found.reduce((total, one) => total + one.count, 0)).toBe(ofBusy.length);
        const tokens = sumsOf(ofBusy);
        expect(found.reduce((total, one) => total + one.token_used, 0)).toBe(tokens.prompt_tokens + tokens.completion_tokens);
        expect(found[0]).toMatchObject({ user_id: busy.id, username: 'busy' });
      }
    });

    it('both bounds are of the hours, and without an end there is nothing', async () => {
      const at = Math.floor(now() / hour) * hour - day;
      const one = await hours(admin, `/api/data/${queryText({ start_timestamp: at, end_timestamp: at })}`);
      expect(sum(one)).toBe(sumsOf(listed().filter((row) => within(row, at, at + hour))).quota);
      expect(await hours(admin, '/api/data/')).toEqual([]);
      expect(await hours(admin, `/api/data/${queryText({ start_timestamp: at, end_timestamp: at, username: 'nobody' })}`)).toEqual([]);
    });

    it('own figures span a month at most, and others’ are for administrators', async () => {
      const client = await app.as(quiet);
      const month = { start_timestamp: now() - 30 * day, end_timestamp: now() };
      expect(await client.get(`/api/data/self${queryText(month)}`)).toMatchObject({ success: true });
      expect(await client.get(`/api/data/self${queryText({ ...month, end_timestamp: now() + 1 })}`)).toMatchObject({
        status: 200,
        success: false,
        code: 'data_span_too_long',
        message: '时间跨度不能超过 1 个月',
      });
      expect(await client.get('/api/data/')).toMatchObject({ status: 403 });
    });

    it('DataExportEnabled off: nothing is told, and the status says so', async () => {
      const bounds = queryText({ start_timestamp: begin, end_timestamp: now() });
      expect((await app.anonymous().get('/api/status')).data).toMatchObject({ enable_data_export: true, data_export_interval: 5 });
      await admin.put('/api/option/', { key: 'DataExportEnabled', value: 'false' });
      try {
        expect(await hours(admin, `/api/data/${bounds}`)).toEqual([]);
        expect((await app.anonymous().get('/api/status')).data).toMatchObject({ enable_data_export: false });
      } finally {
        await admin.put('/api/option/', { key: 'DataExportEnabled', value: 'true' });
      }
      expect(await hours(admin, `/api/data/${bounds}`)).not.toEqual([]);
    });
  });

  it('desk: of many users who are low the lowest are listed, and all are counted', async () => {
    const created: UserRecord[] = [];
    for (let index = 0; index < 6; index += 1) created.push(await app.createUser({ username: `low-${index}` }));
    const { db } = app.context;
    const calls = created.map((user, index) =>
      buildLog({ id: 5_000_000 + index, user_id: user.id, username: user.username, created_at: now() - 60, quota: 5 }),
    );
    await db.write(calls.map((insert) => ({ insert, into: 'logs' as const })));
    await foldLog(app.context);
    const { low_users: listedUsers, low_user_count: count } = (await admin.get('/api/data/desk')).data;
    expect([listedUsers.length, count]).toEqual([5, 6]);
  });
});
