// Days and hours of zones that are not whole hours off UTC, and days of 23 and 25 hours: figures and timelines against the rows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UsageFigures } from '#shared/dashboard.ts';
import type { LogTimeline } from '#shared/logs.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { deleteBefore } from '#server/logs/delete-old-logs.ts';
import { foldLog } from '#server/logs/fold-log.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { createClock } from '#tests/support/clock.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { queryText } from '#tests/support/log-desk.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

type Given = Record<string, string | number>;

const seconds = (text: string) => Date.parse(text) / 1000;
const hour = 3600;
const day = 24 * hour;
const present = '2026-04-10T12:34:00Z';

function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A local day with calls on both sides of its midnights, and the days around it. */
const cases = [
  { zone: 'Asia/Kolkata', from: '2026-04-03T00:00+05:30', days: 4 },
  { zone: 'Asia/Kathmandu', from: '2026-04-03T00:00+05:45', days: 4 },
  { zone: 'Europe/Berlin', from: '2026-03-28T00:00+01:00', days: 3, hours: [24, 23, 24] },
  // Half an hour off, and put forward: 23 hours.
  { zone: 'America/St_Johns', from: '2026-03-07T00:00-03:30', days: 3, hours: [24, 23, 24] },
  // Three quarters off, and put back: 25 hours.
  { zone: 'Pacific/Chatham', from: '2026-04-04T00:00+13:45', days: 3, hours: [24, 25, 24] },
  // By half an hour.
  { zone: 'Australia/Lord_Howe', from: '2026-04-04T00:00+11:00', days: 3, hours: [24, 24.5, 24] },
];

describe.each(engines)('days of every zone on $kind', (engine) => {
  let app: TestApp;
  let admin: TestClient;
  let busy: UserRecord;
  let quiet: UserRecord;
  let rows: LogRecord[];
  const now = () => Math.floor(app.clock.now() / 1000);

  beforeAll(async () => {
    const clock = createClock();
    clock.advance(Date.parse(present) - clock.now());
    app = await createTestApp(engine, { clock });
    admin = await app.setup();
    busy = await app.createUser({ username: 'busy' });
    quiet = await app.createUser({ username: 'quiet' });
    const pick = generator(7);
    let id = 7_000_000;
    const build = (user: UserRecord, created_at: number): LogRecord =>
      buildLog({
        id: (id += 1),
        user_id: user.id,
        username: user.username,
        created_at,
        // Renamed meanwhile, and called as another one is; or none.
        token_id: [0, 101, 102, 103][pick(4)] ?? 0,
        token_name: `key ${pick(3)}`,
        model_name: ['gpt-4o', 'o3', 'claude-4'][pick(3)] ?? '',
        channel_id: 1 + pick(2),
        quota: 1 + pick(1000),
        prompt_tokens: pick(50),
        completion_tokens: pick(50),
        ...(pick(20) === 0 ? { failed: 1 as const, other: { frt: 999 } } : { other: { frt: 10, duration_ms: [21, 4000][pick(2)] ?? 0 } }),
      });
    rows = [];
    for (const { from, days } of cases) {
      for (let index = -1; index <= days; index += 1) {
        // Within the hour that a midnight falls into, and somewhere in the day.
        const around = seconds(from) + index * day - hour;
        for (let count = 0; count < 26; count += 1) rows.push(build(busy, around + pick(2 * hour)));
        for (let count = 0; count < 3; count += 1) rows.push(build(quiet, around + pick(2 * hour)), build(quiet, around + pick(day)));
      }
    }
    for (const age of [1, 600, 1500, 2400, 3300, 4000]) rows.push(build(busy, now() - age), build(quiet, now() - age));
    await app.context.db.write(rows.map((insert) => ({ insert, into: 'logs' as const })));
    await foldAll();
  });
  afterAll(() => app.close());

  async function foldAll(): Promise<void> {
    for (let last = ''; ;) {
      await foldLog(app.context);
      const head = JSON.stringify(await app.context.db.collection('log_folds').get('head'));
      if (head === last) return;
      last = head;
    }
  }

  async function ask(client: TestClient, path: string, given: Given): Promise<unknown> {
    const answer = await client.get(`${path}${queryText(given)}`);
    expect(answer).toMatchObject({ status: 200, success: true });
    return answer.data;
  }
  const figures = async (client: TestClient, path: string, given: Given) => (await ask(client, path, given)) as UsageFigures;

  const sumsOf = (own: readonly LogRecord[]) => {
    const well = own.filter((row) => row.failed !== 1);
    return {
      calls: own.length,
      errors: own.length - well.length,
      quota: own.reduce((sum, row) => sum + row.quota, 0),
      prompt_tokens: own.reduce((sum, row) => sum + row.prompt_tokens, 0),
      completion_tokens: own.reduce((sum, row) => sum + row.completion_tokens, 0),
      first_byte_ms: well.length * 10,
      duration_ms: well.reduce((sum, row) => sum + Number(row.other?.['duration_ms']), 0),
    };
  };
  const stepsOf = ({ steps, end }: { steps: number[]; end: number }) =>
    steps.map((start, index) => ({ start, end: steps[index + 1] ?? end }));
  const within = (own: readonly LogRecord[], { start, end }: { start: number; end: number }) =>
    own.filter((row) => row.created_at >= start && row.created_at < end);

  function expectFigures(found: UsageFigures, own: readonly LogRecord[], nameOf: (row: LogRecord) => string): void {
    const steps = stepsOf(found);
    expect(found.whole).toEqual(steps.map((step) => sumsOf(within(own, step))));
    const inTime = within(own, found);
    const byName = Map.groupBy(inTime, nameOf);
    expect(Object.fromEntries(found.totals.map(({ name, sums }) => [name, sums]))).toEqual(
      Object.fromEntries([...byName].map(([name, part]) => [name, sumsOf(part)])),
    );
    for (const { name, sums } of found.series)
      expect(sums, name).toEqual(steps.map((step) => sumsOf(within(byName.get(name) ?? [], step))));
    expect(found.series).toHaveLength(Math.min(5, byName.size));
    for (const [index, step] of steps.entries()) {
      const times = within(own, step)
        .filter((row) => row.failed !== 1)
        .map((row) => Number(row.other?.['duration_ms']))
        .toSorted((a, b) => a - b);
      const p50 = times[Math.ceil(times.length / 2) - 1];
      const known = found.latency?.steps[index]?.duration?.p50;
      if (p50 === undefined) expect(known).toBeUndefined();
      else expect(Math.abs((known ?? 0) - p50)).toBeLessThanOrEqual(0.12 * p50 + 0.5);
    }
  }

  const nameOf: Record<string, (row: LogRecord) => string> = {
    model: (row) => row.model_name,
    channel: (row) => String(row.channel_id),
    user: (row) => String(row.user_id),
    token: (row) => `${row.user_id}#${row.token_id}${row.token_id === 0 ? `:${row.token_name}` : ''}`,
  };

  async function expectAll({ zone, from, days }: (typeof cases)[number]): Promise<void> {
    const start_timestamp = seconds(from);
    const given = { start_timestamp, end_timestamp: start_timestamp + days * day - 12 * hour, time_zone: zone };
    for (const by of ['model', 'channel', 'user', 'token'])
      expectFigures(await figures(admin, '/api/data/figures', { ...given, step: 'day', by }), rows, nameOf[by] ?? String);
    const hours = { ...given, end_timestamp: start_timestamp + 1.5 * day, step: 'hour' };
    expectFigures(await figures(admin, '/api/data/figures', { ...hours, by: 'model' }), rows, (row) => row.model_name);
    for (const user of [busy, quiet]) {
      const own = rows.filter((row) => row.user_id === user.id);
      const client = await app.as(user);
      for (const by of ['model', 'token'])
        expectFigures(await figures(client, '/api/data/self/figures', { ...given, step: 'day', by }), own, nameOf[by] ?? String);
      expectFigures(await figures(client, '/api/data/self/figures', hours), own, (row) => row.model_name);
    }
  }

  async function expectTimelines({ zone, from, days }: (typeof cases)[number]): Promise<void> {
    const start_timestamp = seconds(from);
    const given = { start_timestamp, end_timestamp: start_timestamp + days * day - 12 * hour, time_zone: zone, type: 2 };
    const filters: [Given, (row: LogRecord) => boolean][] = [
      [{}, () => true],
      [{ model_name: 'o3' }, (row) => row.model_name === 'o3'],
      [{ username: 'quiet' }, (row) => row.user_id === quiet.id],
      [{ token_name: 'key 1' }, (row) => row.token_name === 'key 1'],
    ];
    for (const [filter, matches] of filters) {
      for (const step of ['day', 'hour']) {
        const found = (await ask(admin, '/api/log/timeline', { ...given, ...filter, step })) as LogTimeline;
        const parts = stepsOf(found).map((part) => within(rows.filter(matches), part));
        expect(found.calls).toEqual(parts.map((part) => part.length));
        expect(found.errors).toEqual(parts.map((part) => part.filter((row) => row.failed === 1).length));
      }
    }
  }

  it.each(cases)('$zone from $from', async (one) => {
    await expectAll(one);
    await expectTimelines(one);
  });

  it.each(cases)('$zone: steps and the time before are days of the calendar', async ({ zone, from, days, hours }) => {
    const start_timestamp = seconds(from);
    const given = { start_timestamp, end_timestamp: start_timestamp + days * day - 12 * hour, time_zone: zone, step: 'day' };
    const found = await figures(admin, '/api/data/figures', given);
    expect(found.steps).toHaveLength(days);
    if (hours !== undefined) expect(stepsOf(found).map((step) => (step.end - step.start) / hour)).toEqual(hours);
    // By the dates that the zone's clock shows, whatever the steps are.
    const date = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
    const byDate = Map.groupBy(rows, (row) => date.format(row.created_at * 1000));
    const sumOf = (middle: number) => sumsOf(byDate.get(date.format(middle * 1000)) ?? []);
    expect(found.whole).toEqual(found.steps.map((start) => sumOf(start + 12 * hour)));
    expect(found.previous).toEqual(found.steps.map((start) => sumOf(start + 12 * hour - days * day)));
  });

  it('calls of this hour count to the day that it is where the reader is', async () => {
    // 00:14 in Kolkata: the hour of UTC began yesterday.
    app.clock.advance((18 * hour + 44 * 60 + day - (now() % day)) * 1000);
    const at = now();
    const fresh = [-40 * 60, -20 * 60, -5 * 60].map((age, index) =>
      buildLog({
        id: 7_900_000 + index,
        user_id: quiet.id,
        created_at: at + age,
        quota: 1,
        token_id: 1,
        other: { frt: 10, duration_ms: 21 },
      }),
    );
    rows.push(...fresh);
    await app.context.db.write(fresh.map((insert) => ({ insert, into: 'logs' as const })));
    const given = { start_timestamp: at - day, time_zone: 'Asia/Kolkata' };
    for (const [client, path] of [
      [admin, '/api/data/figures'],
      [await app.as(quiet), '/api/data/self/figures'],
    ] as const) {
      const found = await figures(client, path, { ...given, step: 'day' });
      expect(found.whole.at(-1)?.calls).toBe(1);
      expect(found.whole.at(-2)?.calls).toBe(2);
      const byHour = await figures(client, path, { ...given, step: 'hour' });
      expect(byHour.whole.slice(-2).map(({ calls }) => calls)).toEqual([2, 1]);
    }
    const timeline = (await ask(admin, '/api/log/timeline', { ...given, step: 'day', type: 2 })) as LogTimeline;
    expect(timeline.calls.slice(-2)).toEqual([2, 1]);
  });

  it('a token is one line by its present name, two of one name are two, also with what was summed by names before', async () => {
    const { db } = app.context;
    const [start_timestamp, end_timestamp] = [seconds('2026-04-03T00:00Z'), seconds('2026-04-05T00:00Z')];
    const given = { start_timestamp, end_timestamp, step: 'day', by: 'token' };
    const client = await app.as(busy);
    const created: { id: number; name: string }[] = [];
    for (const name of ['old', 'same', 'same']) {
      await client.post('/api/token/', { name, unlimited_quota: true });
      const token = await db.collection('tokens').first({ user_id: busy.id }, { sort: [['id', -1]] });
      created.push({ id: token?.id ?? 0, name });
    }
    const [renamed, one, two] = created;
    const hourOfCalls = seconds('2026-04-03T20:00Z');
    const calls = created.flatMap(({ id, name }, index) =>
      Array.from({ length: 2 }, (_, nth) =>
        buildLog({
          id: 7_950_000 + 10 * index + nth,
          user_id: busy.id,
          created_at: hourOfCalls + 60 * nth,
          token_id: id,
          token_name: nth === 0 ? name : 'present',
          quota: 5,
        }),
      ),
    );
    await db.write(calls.map((insert) => ({ insert, into: 'logs' as const })));
    await db.collection('log_folds').insert({ id: 'late:test', hour: hourOfCalls, marked_at: 0 });
    await foldAll();
    await db.collection('tokens').patch({ id: renamed?.id ?? 0 }, { set: { name: 'present' } });
    const lines = async () => {
      const own = await figures(client, '/api/data/self/figures', given);
      return own.totals
        .filter(({ label }) => /present|same/.test(label))
        .map(({ label, sums }) => [label, sums.calls] as const)
        .toSorted(([a], [b]) => a.localeCompare(b));
    };
    const expected = [
      ['present', 2],
      [`same #${one?.id}`, 2],
      [`same #${two?.id}`, 2],
    ];
    expect(await lines()).toEqual(expected);
    expect((await figures(admin, '/api/data/figures', given)).totals.map(({ label }) => label)).toContain('busy / present');
    // As an earlier version left it: by the name that the token had.
    for (const name of [`u${busy.id}:token`, `d:u${busy.id}:token`])
      await db.collection('usage_sums').patchAll({ key: name, name: `${busy.id}#${renamed?.id}` }, { set: { name: 'present' } });
    await db.collection('log_folds').patch({ id: 'head' }, { increment: { generation: 1 } });
    expect(await lines()).toEqual(expected);
    await db.collection('logs').remove({ id: { gte: 7_950_000 } });
    await db.collection('log_folds').insert({ id: 'late:test', hour: hourOfCalls, marked_at: 0 });
    await foldAll();
  });

  it('hours that an earlier version has folded count where they begin, until they are folded anew', async () => {
    const { db } = app.context;
    await db.collection('usage_sums').patchAll({}, { unset: ['quarters'] });
    await db.collection('log_sums').patchAll({}, { unset: ['quarters'] });
    await db.collection('log_hours').patchAll({}, { unset: ['quarters'] });
    await db.collection('latency_hours').remove({ key: 'all:quarters' });
    await db.collection('latency_hours').remove({ key: `u${busy.id}:quarters` });
    await db.collection('log_folds').patch({ id: 'head' }, { unset: ['quarters_from'], increment: { generation: 1 } });
    const start_timestamp = seconds('2026-04-03T00:00+05:30');
    const given = { start_timestamp, end_timestamp: start_timestamp + 3 * day, time_zone: 'Asia/Kolkata', step: 'day' };
    const found = await figures(admin, '/api/data/figures', given);
    const hourOf = (row: LogRecord) => ({ ...row, created_at: row.created_at - (row.created_at % hour) });
    expect(found.whole).toEqual(stepsOf(found).map((step) => sumsOf(within(rows.map(hourOf), step))));
    await foldAll();
    expect(await db.collection('log_folds').count({ hour: { gte: 0 } })).toBe(0);
    for (const one of cases) {
      await expectAll(one);
      await expectTimelines(one);
    }
  });

  it('what everybody called stays in its days when the rows are deleted', async () => {
    const start_timestamp = seconds('2026-04-03T00:00+05:45');
    const given = { start_timestamp, end_timestamp: start_timestamp + 3 * day, time_zone: 'Asia/Kathmandu', step: 'day', by: 'token' };
    const ofTime = async () => {
      const { whole, previous, totals, series, latency } = await figures(admin, '/api/data/figures', given);
      return { whole, previous, totals, series, latency };
    };
    const before = await ofTime();
    expect(before.whole.every(({ calls }) => calls > 0)).toBe(true);
    await deleteBefore(app.context, seconds('2026-04-09T00:00Z'), 60_000);
    await foldAll();
    expect(await app.context.db.collection('logs').count({ created_at: { lt: seconds('2026-04-09T00:00Z') } })).toBe(0);
    expect(await ofTime()).toEqual(before);
  });
});
