import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LogType } from '#shared/logs.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { Database, Write } from '#server/db/database.ts';
import { sumLogs } from '#server/features/logs/log-stat.ts';
import { readLogTimeline } from '#server/features/logs/log-timeline.ts';
import { checkFolds, foldLog } from '#server/logs/fold-log.ts';
import { manyRecords } from '#server/logs/fold-day.ts';
import { lateMarks } from '#server/money/settlement/late-rows.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { engines } from '#tests/support/engines.ts';
import { queryText } from '#tests/support/log-desk.ts';
import { failingWrites, watchGroups } from '#tests/support/watched-database.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

type Given = Record<string, string | number>;

const hour = 3600;
const day = 24 * hour;
const models = ['gpt-4o', 'gpt-4o-mini', 'o3', 'claude-4'];
const groups = ['default', 'vip'];

/** The same numbers in every run. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function isIn(row: LogRecord, given: Given, userIds: ReadonlyMap<string, number>): boolean {
  const { username, token_name, model_name = '', channel, group, result, start_timestamp = 0, end_timestamp = Infinity } = given;
  const model = String(model_name);
  return (
    row.type === LogType.consumption &&
    row.hidden !== true &&
    (username === undefined || row.user_id === userIds.get(String(username))) &&
    (token_name === undefined || row.token_name === token_name) &&
    (model === '' || (model.endsWith('%') ? row.model_name.startsWith(model.slice(0, -1)) : row.model_name === model)) &&
    (channel === undefined || row.channel_id === channel) &&
    (group === undefined || row.group === group) &&
    (result === undefined || (result === 'failed') === (row.other?.['ending'] !== undefined)) &&
    row.created_at >= Number(start_timestamp) &&
    row.created_at <= Number(end_timestamp)
  );
}

describe.each(engines)('sums of the log on $kind', (engine) => {
  let app: TestApp;
  let rows: LogRecord[];
  let begin: number;
  let end: number;
  const userIds = new Map<string, number>();
  let nextId = 5_000_000;

  const quota = async (given: Given, db: Database = app.context.db) => (await sumLogs({ db, now: app.clock.now }, given)).quota;
  const expected = (given: Given) => rows.filter((row) => isIn(row, given, userIds)).reduce((sum, row) => sum + row.quota, 0);
  const head = () => app.context.db.collection('log_folds').get('head');

  /** As the job does, until hours and days are folded: on a busy machine a run ends between the two. */
  async function foldAll(): Promise<void> {
    for (let last = -1; ;) {
      await foldLog(app.context);
      const { until = 0, days_until: daysUntil = 0 } = (await head()) ?? {};
      if (until === last && daysUntil + day > until) return;
      last = until;
    }
  }

  async function add(fields: Partial<LogRecord>): Promise<LogRecord> {
    const row = buildLog({ user_id: userIds.get('busy') ?? 0, id: (nextId += 1), quota: 1_000_000, ...fields });
    rows.push(row);
    const writes: Write[] = [...lateMarks([row], { now: app.clock.now(), by: 'test' }), { insert: row, into: 'logs' }];
    await app.context.db.write(writes);
    return row;
  }

  beforeAll(async () => {
    app = await createTestApp(engine);
    for (const username of ['busy', 'quiet', 'other']) userIds.set(username, (await app.createUser({ username })).id);
    const pick = generator(3);
    end = Math.floor(app.clock.now() / 1000);
    begin = Math.floor((end - 3.4 * day) / day) * day + 7 * hour;
    // One user with many tokens, so that its days are summed; the others stay below that.
    rows = Array.from({ length: 5 * manyRecords }, (_, index) => {
      const isBusy = pick(10) > 0;
      const at = begin + pick(end - begin);
      return buildLog({
        id: 1_000_000 + index,
        user_id: userIds.get(isBusy ? 'busy' : pick(2) === 0 ? 'quiet' : 'other') ?? 0,
        created_at: at,
        token_id: pick(9),
        token_name: pick(3) === 0 ? 'default' : `key ${pick(12)}`,
        model_name: models[pick(4)] ?? '',
        channel_id: 1 + pick(3),
        group: groups[pick(2)] ?? '',
        quota: 1 + pick(1000),
        prompt_tokens: 3,
        ...(pick(20) === 0 ? { hidden: true } : {}),
        ...(pick(20) === 0
          ? { other: { ending: 'truncated', frt: 999 }, ...(at < begin + 2 * day ? {} : { failed: 1 as const }) }
          : { other: { frt: 10, duration_ms: 20.4 } }),
        ...(pick(30) === 0 ? { type: LogType.topUp, plain_type: LogType.topUp } : {}),
      });
    });
    await app.context.db.write(rows.map((insert) => ({ insert, into: 'logs' as const })));
    app.clock.advance((hour + 700) * 1000);
    await foldAll();
  });
  afterAll(() => app.close());

  function* questions(): Generator<Given> {
    const pick = generator(11);
    for (let mask = 0; mask < 64; mask += 1) {
      for (const round of [0, 2]) {
        const given: Given = {};
        if ((mask & 1) > 0) given['username'] = ['busy', 'quiet'][pick(2)] ?? '';
        if ((mask & 2) > 0) given['token_name'] = ['default', `key ${pick(12)}`][pick(2)] ?? '';
        if ((mask & 4) > 0) given['model_name'] = ['gpt-4o', 'gpt%', 'o3'][pick(3)] ?? '';
        if ((mask & 8) > 0) given['channel'] = 1 + pick(3);
        if ((mask & 16) > 0) given['group'] = groups[pick(2)] ?? '';
        if ((mask & 32) > 0) given['result'] = ['success', 'failed'][pick(2)] ?? '';
        if (round > 0) given['start_timestamp'] = begin - 5000 + pick(2 * day);
        if (round > 1) given['end_timestamp'] = Number(given['start_timestamp']) + pick(3 * day);
        yield given;
      }
    }
  }

  it('are exact for every combination of filters, at both ends to the second', async () => {
    for (const given of questions()) expect({ given, quota: await quota(given) }).toEqual({ given, quota: expected(given) });
    const row = rows[77];
    if (row === undefined) throw new Error('There is no such row');
    for (const edge of [row.created_at, Math.floor(row.created_at / hour) * hour]) {
      for (const [start, stop] of [
        [edge, edge + 1],
        [edge - 1, edge],
        [edge - hour, edge],
        [edge, edge + hour - 1],
        [edge + 1, edge + day],
      ] as const) {
        const given = { start_timestamp: start, end_timestamp: stop };
        expect({ given, quota: await quota(given) }).toEqual({ given, quota: expected(given) });
      }
    }
  });

  it('have a picture by the hour, exact for every combination of filters', async () => {
    const { context } = app;
    const span = { start_timestamp: begin - (begin % hour), end_timestamp: end };
    for (const given of questions()) {
      const requested = { ...given, ...span };
      const picture = await readLogTimeline({ db: context.db, now: app.clock.now }, requested);
      const intended = rows.filter((row) => isIn(row, requested, userIds));
      const counts = picture.steps.map((start) => intended.filter(({ created_at: at }) => at >= start && at < start + hour).length);
      expect({ given, calls: picture.calls }).toEqual({ given, calls: counts });
      const failed = intended.filter((row) => row.other?.['ending'] !== undefined).length;
      expect({ given, failed: picture.errors.reduce((sum, one) => sum + one, 0) }).toEqual({ given, failed });
    }
    const topUps = await readLogTimeline({ db: context.db, now: app.clock.now }, { ...span, type: LogType.topUp, step: 'day' });
    const listed = rows.filter((row) => row.type === LogType.topUp && row.hidden !== true);
    expect(topUps.calls.reduce((sum, one) => sum + one, 0)).toBe(listed.length);
    expect(topUps.steps).toHaveLength(5);
  });

  it('are read from indexes alone', async () => {
    const seen: unknown[] = [];
    const { db } = app.context;
    const watching = watchGroups(db, async (name, request) => {
      const plan = await db.explainGroup(name, request);
      if (plan !== null && (plan.scans || plan.index === undefined)) seen.push({ name, request, plan });
    });
    for (const given of questions()) await quota(given, watching);
    expect(seen).toEqual([]);
  });

  it('read no rows of hours that are folded, and few days need more than their sums', async () => {
    const requested: string[] = [];
    const watching = watchGroups(app.context.db, async (name, _request, answer) => void requested.push(`${name} ${answer[0]?.count ?? 0}`));
    const until = (await head())?.until ?? 0;
    await quota({ username: 'busy', start_timestamp: begin - (begin % day), end_timestamp: until - 1 }, watching);
    // The last minute is queried as well.
    expect(requested.filter((text) => text.startsWith('logs ')).every((text) => text === 'logs 0')).toBe(true);
    expect(requested.some((text) => text.startsWith('log_sums ') && text !== 'log_sums 0')).toBe(true);
  });

  it('keep calls, failures, tokens and times of everything that tells calls apart', async () => {
    const { db } = app.context;
    const until = (await head())?.until ?? 0;
    const [sum] = await db.collection('log_hours').group({
      filter: { user_id: userIds.get('busy') ?? 0, hidden: false },
      by: [],
      sum: {
        calls: 'calls',
        errors: 'errors',
        quota: 'quota',
        prompt_tokens: 'prompt_tokens',
        first_byte_ms: 'first_byte_ms',
        duration_ms: 'duration_ms',
      },
    });
    const counted = rows.filter((row) => isIn(row, { username: 'busy', end_timestamp: until - 1 }, userIds));
    const well = counted.filter((row) => row.other?.['ending'] === undefined);
    expect(sum).toMatchObject({
      calls: counted.length,
      errors: counted.length - well.length,
      quota: counted.reduce((total, row) => total + row.quota, 0),
      prompt_tokens: 3 * counted.length,
      first_byte_ms: 10 * well.length,
    });
    // Rounded once per group of rows.
    expect(Math.abs(Number(sum?.['duration_ms']) - 20.4 * well.length)).toBeLessThanOrEqual(well.length);
    // Those of earlier versions did not say so.
    const hasEnded = (row: LogRecord) => row.type === LogType.consumption && row.other?.['ending'] !== undefined && row.created_at < until;
    expect(await db.collection('logs').count({ type: LogType.consumption, failed: 1, created_at: { lt: until } })).toBe(
      rows.filter(hasEnded).length,
    );
  });

  it('stay exact when a row comes late, before and after its hour is folded anew', async () => {
    const at = begin + day + 12_345;
    const given = { start_timestamp: at - 5 * hour, end_timestamp: at + 30 * hour };
    await add({ created_at: at });
    expect(await quota(given)).toBe(expected(given));
    await foldAll();
    expect(await quota(given)).toBe(expected(given));
    app.clock.advance(700_000);
    await foldAll();
    expect(await app.context.db.collection('log_folds').count({ hour: { gte: 0 } })).toBe(0);
    const narrower: Given[] = [{}, { username: 'busy' }, { token_name: 'key' }, { username: 'busy', token_name: 'key' }];
    for (const more of narrower) expect(await quota({ ...given, ...more })).toBe(expected({ ...given, ...more }));
  });

  it('are made anew where rows changed without a word', async () => {
    const { db } = app.context;
    const row = rows.find((one) => isIn(one, { username: 'busy', end_timestamp: begin + day }, userIds));
    if (row === undefined) throw new Error('There is no such row');
    await db.collection('logs').remove({ id: row.id });
    rows = rows.filter((one) => one !== row);
    // Some hours at a time, until it has been everywhere.
    let wrong = 0;
    for (let round = 0; round < 4; round += 1) wrong += await checkFolds(app.context);
    expect(wrong).toBeGreaterThan(0);
    expect(await quota({})).toBe(expected({}));
    await foldAll();
    expect(await quota({})).toBe(expected({}));
    expect(await checkFolds(app.context)).toBe(0);
  });

  it('are complete after a run that was cut off anywhere, and after two at once', async () => {
    const { db } = app.context;
    for (const name of ['log_hours', 'log_sums', 'log_folds'] as const) await db.collection(name).remove({});
    for (let allowed = 0; ; allowed = 2 * allowed + 1) {
      const failing = failingWrites(db, allowed);
      const isDone = await foldLog({ ...app.context, db: failing }).then(
        () => true,
        () => false,
      );
      expect(await quota({})).toBe(expected({}));
      expect(await quota({ username: 'busy', start_timestamp: begin })).toBe(expected({ username: 'busy' }));
      if (isDone) break;
    }
    for (const name of ['log_hours', 'log_sums', 'log_folds'] as const) await db.collection(name).remove({});
    await Promise.all([foldAll(), foldAll()]);
    await foldAll();
    const requested: Given[] = [{}, { username: 'busy' }, { channel: 2, model_name: 'gpt%' }];
    for (const given of requested) expect(await quota(given)).toBe(expected(given));
    expect(await checkFolds(app.context)).toBe(0);
  });

  it('begin again when the hour they were reading is written anew', async () => {
    const { db } = app.context;
    const given = { start_timestamp: begin - (begin % day) };
    let isFirst = true;
    const racing = watchGroups(db, async (name) => {
      if (!isFirst || name !== 'log_sums') return;
      isFirst = false;
      await add({ created_at: begin + 2 * day + 99 });
      app.clock.advance(700_000);
      await foldAll();
    });
    const sum = await quota(given, racing);
    expect(sum).toBe(expected(given));
  });

  it('of a call that ended hours after it began are in the statistics at once', async () => {
    const user = await app.createUser({ quota: 50_000 });
    const client = await app.as(user);
    const at = Math.floor(app.clock.now() / 1000) - 5 * hour;
    const result = await app.context.ledger.reserve({ userId: user.id, token: null, amount: 100 });
    if (!('reservation' in result)) throw new Error('Refused');
    const { id: _id, ...row } = buildLog({ id: 0, user_id: user.id, created_at: at, quota: 70, prompt_tokens: 1 });
    await app.context.ledger.settle(result.reservation, row);
    const ask = async () => (await client.get(`/api/log/self/stat${queryText({ start_timestamp: at - 9 * hour })}`)).data.quota;
    expect(await ask()).toBe(70);
    app.clock.advance(700_000);
    await foldAll();
    expect(await ask()).toBe(70);
    expect(await app.context.db.collection('log_hours').count({ user_id: user.id })).toBe(1);
  });
});
