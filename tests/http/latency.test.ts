import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UsageFigures } from '#shared/dashboard.ts';
import { LogType } from '#shared/logs.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { manyCalls } from '#server/logs/fold-latency.ts';
import { foldLog } from '#server/logs/fold-log.ts';
import { deleteBefore } from '#server/logs/delete-old-logs.ts';
import { lateMarks } from '#server/money/settlement/late-rows.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { oneEngine } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { queryText } from '#tests/support/log-desk.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

const hour = 3600;
const day = 24 * hour;

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe.each(oneEngine)('latency on $kind', (engine) => {
  let app: TestApp;
  let admin: TestClient;
  let busy: UserRecord;
  let quiet: UserRecord;
  let rows: LogRecord[];
  let begin: number;
  const random = generator(3);
  const now = () => Math.floor(app.clock.now() / 1000);
  let id = 5_000_000;

  function build(user: UserRecord, at: number): LogRecord {
    const duration = 10 ** (1.2 + 4 * random());
    const frt = Math.round(duration * random());
    const isFailed = random() < 0.1;
    return buildLog({
      id: (id += 1),
      user_id: user.id,
      username: user.username,
      created_at: at,
      model_name: `model ${Math.floor(3 * random())}`,
      quota: 1,
      // Calls that failed took long, and are not counted.
      other: { duration_ms: isFailed ? 600_000 : duration, ...(random() < 0.3 ? {} : { frt }) },
      ...(isFailed ? { failed: 1 as const } : {}),
      ...(random() < 0.05 ? { hidden: true } : {}),
      ...(random() < 0.05 ? { type: LogType.system, plain_type: LogType.system } : {}),
    });
  }

  beforeAll(async () => {
    app = await createTestApp(engine);
    admin = await app.setup();
    busy = await app.createUser({ username: 'busy' });
    quiet = await app.createUser({ username: 'quiet' });
    begin = Math.floor((now() - 2 * day) / day) * day + 3 * hour;
    const span = now() - begin;
    rows = [
      ...Array.from({ length: 60 * manyCalls }, () => build(busy, begin + Math.floor(random() * span))),
      ...Array.from({ length: 90 }, () => build(quiet, begin + Math.floor(random() * span))),
    ];
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

  async function latency(client: TestClient, path: string, given: Record<string, string | number>): Promise<UsageFigures> {
    const answer = await client.get(`${path}${queryText(given)}`);
    expect(answer).toMatchObject({ status: 200, success: true });
    return answer.data;
  }

  function expectClose(found: { p50: number; p95: number } | null | undefined, times: readonly number[], place: string): void {
    if (times.length === 0) {
      expect(found, place).toBeNull();
      return;
    }
    const inOrder = times.toSorted((a, b) => a - b);
    for (const [name, share] of [
      ['p50', 0.5],
      ['p95', 0.95],
    ] as const) {
      const exact = Math.max(10, inOrder[Math.ceil(inOrder.length * share) - 1] ?? 0);
      expect(Math.abs((found?.[name] ?? 0) - exact), `${place} ${name}`).toBeLessThanOrEqual(0.12 * exact + 0.5);
    }
  }

  const timed = (own: readonly LogRecord[]) =>
    own.filter((row) => row.type === LogType.consumption && row.hidden !== true && row.failed !== 1);

  function expectLatency(found: UsageFigures, own: readonly LogRecord[]): void {
    const spans = [
      { start: found.start, end: found.end, latency: found.latency?.whole },
      ...found.steps.map((start, index) => ({
        start,
        end: found.steps[index + 1] ?? found.end,
        latency: found.latency?.steps[index],
      })),
    ];
    for (const span of spans) {
      const inTime = timed(own).filter((row) => row.created_at >= span.start && row.created_at < span.end);
      const times = (name: 'duration_ms' | 'frt') =>
        inTime.flatMap((row) => (typeof row.other?.[name] === 'number' ? [row.other[name]] : []));
      expectClose(span.latency?.duration, times('duration_ms'), `${span.start} duration`);
      expectClose(span.latency?.first_byte, times('frt'), `${span.start} first byte`);
    }
  }

  async function expectAll(): Promise<void> {
    const questions: Record<string, string | number>[] = [
      { step: 'hour', start_timestamp: begin - 5 * hour },
      { step: 'day', start_timestamp: begin, utc_offset: 480 },
    ];
    for (const given of questions) {
      expectLatency(await latency(admin, '/api/data/figures', given), rows);
      for (const user of [busy, quiet]) {
        const own = rows.filter((row) => row.user_id === user.id);
        expectLatency(await latency(admin, '/api/data/figures', { ...given, username: user.username }), own);
        expectLatency(await latency(await app.as(user), '/api/data/self/figures', given), own);
      }
    }
  }

  it('percentiles agree with the rows: of everybody, of who calls much and of who calls little', async () => {
    const hours = await app.context.db.collection('latency_hours').group({ by: ['key'] });
    const count = (key: string) => hours.find((row) => row['key'] === key)?.count ?? 0;
    // Most hours of one have records of their own, and none of the other's.
    expect(count('all')).toBeGreaterThan(45);
    expect(count(`u${busy.id}`)).toBeGreaterThan(10);
    expect(count(`u${busy.id}`)).toBeLessThan(count('all'));
    expect(count(`u${quiet.id}`)).toBe(0);
    await expectAll();
  });

  it('calls of this hour are in it at once, and late ones before and after their hour is folded anew', async () => {
    for (const age of [0, 5 * hour, 30 * hour]) {
      const late = Array.from({ length: 9 }, () => build(age === 0 ? quiet : busy, now() - age));
      rows.push(...late);
      const inserts = late.map((insert) => ({ insert, into: 'logs' as const }));
      await app.context.db.write([...lateMarks(late, { now: app.clock.now(), by: 'test' }), ...inserts]);
    }
    await expectAll();
    app.clock.advance(800_000);
    await foldAll();
    expect(await app.context.db.collection('log_folds').count({ hour: { gte: 0 } })).toBe(0);
    await expectAll();
  });

  it('hours that an earlier version has folded say nothing, until they are folded for it', async () => {
    const { db } = app.context;
    await db.collection('latency_hours').remove({});
    await db.collection('log_folds').patch({ id: 'head' }, { unset: ['latency_until'] });
    const before = await latency(admin, '/api/data/figures', { step: 'day', start_timestamp: begin });
    expect(before.latency?.steps[0]).toEqual({ duration: null, first_byte: null });
    expect(before.whole[0]?.calls).toBeGreaterThan(0);
    // The newest hour is read from its rows all the same.
    const live = await latency(admin, '/api/data/figures', { step: 'hour', start_timestamp: now() - hour });
    expect(live.latency?.steps.at(-1)?.duration).not.toBeNull();
    await foldAll();
    await expectAll();
  });

  it('what rows took that are deleted is still known of everybody and of who called much', async () => {
    const given = { step: 'hour', start_timestamp: begin, end_timestamp: begin + day };
    const before = await latency(admin, '/api/data/figures', given);
    const ofBusy = await latency(admin, '/api/data/figures', { ...given, username: 'busy' });
    await deleteBefore(app.context, begin + day + 2 * hour, 60_000);
    app.clock.advance(800_000);
    await foldAll();
    expect(await app.context.db.collection('logs').count({ created_at: { lt: begin + day } })).toBe(0);
    expect((await latency(admin, '/api/data/figures', given)).latency).toEqual(before.latency);
    const after = await latency(admin, '/api/data/figures', { ...given, username: 'busy' });
    const isLight = (index: number) => after.latency?.steps[index]?.duration === null;
    const stored = ofBusy.latency?.steps.filter((_, index) => !isLight(index));
    expect(stored?.length).toBeGreaterThan(5);
    expect(after.latency?.steps.filter((_, index) => !isLight(index))).toEqual(stored);
  });
});
