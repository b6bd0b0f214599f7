import { pino } from 'pino';
import { expect, it } from 'vitest';
import { LogType } from '#shared/logs.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { Database } from '#server/db/database.ts';
import { callsOfUser, type RowCell, type RowHour, RowSumsCache } from '#server/logs/row-sums-cache.ts';
import { closeRows } from '#server/money/log-closing.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { onEachEngine } from '#tests/support/engines.ts';
import { watchGroups } from '#tests/support/watched-database.ts';

const hour = 1_768_464_000 - (1_768_464_000 % 3600);

function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Rows of one hour as several processes write them: ids in no order of time, some hidden, some failed, some no calls. */
function source(seed: number) {
  const pick = generator(seed);
  let id = 1_000 * seed;
  return (at = hour + pick(3600)): LogRecord =>
    buildLog({
      id: (id += 1),
      user_id: 1 + pick(3),
      created_at: at,
      token_id: pick(3),
      model_name: ['gpt-4o', 'o3'][pick(2)] ?? '',
      channel_id: pick(3),
      quota: 1 + pick(100),
      prompt_tokens: pick(50),
      completion_tokens: pick(50),
      ...(pick(9) === 0 ? { hidden: true } : {}),
      ...(pick(9) === 0 ? { failed: 1 as const, other: { frt: 999 } } : { other: { frt: 10, duration_ms: 21 } }),
      ...(pick(12) === 0 ? { type: LogType.topUp, plain_type: LogType.topUp } : {}),
    });
}

/** By everything, from the rows one by one. */
function expected(rows: readonly LogRecord[]): unknown[] {
  const listed = rows.filter((row) => row.type === LogType.consumption && row.hidden !== true && row.created_at >= hour);
  return comparable(
    listed
      .filter((row) => row.created_at < hour + 3600)
      .map((row) => ({
        userId: row.user_id,
        tokenId: row.token_id,
        tokenName: row.token_name,
        modelName: row.model_name,
        channelId: row.channel_id,
        sums: {
          calls: 1,
          errors: row.failed ?? 0,
          quota: row.quota,
          prompt_tokens: row.prompt_tokens,
          completion_tokens: row.completion_tokens,
          first_byte_ms: row.failed === 1 ? 0 : 10,
          duration_ms: row.failed === 1 ? 0 : 21,
        },
      })),
  );
}

function found(read: RowHour | null): unknown[] {
  return comparable((read ?? []).flatMap((part) => part.cells));
}

function comparable(cells: readonly RowCell[]): unknown[] {
  const sums = new Map<string, Record<string, number>>();
  for (const { sums: added, ...cell } of cells) {
    const key = JSON.stringify([cell.userId, cell.tokenId, cell.modelName, cell.channelId]);
    const known = sums.get(key) ?? {};
    for (const [name, value] of Object.entries(added)) known[name] = (known[name] ?? 0) + value;
    sums.set(key, known);
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

const add = (db: Database, rows: readonly LogRecord[]) => db.write(rows.map((insert) => ({ insert, into: 'logs' as const })));
const close = (db: Database, until: number) =>
  closeRows({ db, now: () => (hour + 7200) * 1000, log: pino({ level: 'silent' }) }, until, () => false);

onEachEngine('the rows of an hour', (current) => {
  it('agree with the rows whatever is added and removed, for two processes', async () => {
    const { db, open } = current();
    const other = await open();
    const [first, second] = [new RowSumsCache(db), new RowSumsCache(other)];
    const pick = generator(11);
    const row = source(3);
    let rows: LogRecord[] = [];
    let until = hour - 3600;
    for (let round = 0; round < 40; round += 1) {
      const fresh = Array.from({ length: pick(30) }, () => row());
      await add(pick(2) === 0 ? db : other, fresh);
      rows.push(...fresh);
      if (pick(6) === 0) {
        until += pick(1_800);
        await close(pick(2) === 0 ? db : other, until);
        rows = rows.filter((one) => one.created_at >= until);
      }
      for (const hours of pick(2) === 0 ? [first, second] : [second]) {
        expect(found(await hours.read(hour)), `round ${round}`).toEqual(expected(rows));
      }
    }
    expect(rows.length).toBeGreaterThan(100);
    for (const userId of [1, 2, 3]) {
      const own = rows.filter((one) => one.user_id === userId);
      for (const isCut of [false, true]) expect(found(await callsOfUser(db, hour, { userId, isCut }))).toEqual(expected(own));
    }
    for (const part of (await first.read(hour)) ?? []) {
      const inPart = rows.filter((one) => one.created_at >= part.start && one.created_at < part.start + part.seconds);
      expect(inPart.length).toBeGreaterThan(0);
      expect(comparable(part.cells)).toEqual(expected(inPart));
    }
    const empty = { seconds: 900, cells: [], latency: { duration: [], first_byte: [] } };
    const before = hour - 7200;
    expect(await first.read(before)).toEqual([0, 900, 1800, 2700].map((after) => ({ start: before + after, ...empty })));
  });

  it('are all there for whoever asks after they were written, though a reading is under way', async () => {
    const { db } = current();
    const row = source(5);
    const rows = Array.from({ length: 50 }, () => row());
    await add(db, rows);
    let requested: Promise<RowHour | null>[] = [];
    const hours: RowSumsCache = new RowSumsCache(
      watchGroups(db, async (name, request) => {
        // Behind the place where the reading is.
        if (name !== 'logs' || request.by.length === 0 || requested.length > 0) return;
        const late = row(hour + 1);
        rows.push(late);
        await add(db, [late]);
        requested = [hours.read(hour), hours.read(hour)];
      }),
    );
    await hours.read(hour);
    expect(requested).toHaveLength(2);
    for (const one of await Promise.all(requested)) expect(found(one)).toEqual(expected(rows));
  });

  it('as many rows removed as added while they are read: it is noticed', async () => {
    const { db } = current();
    const row = source(7);
    let rows = Array.from({ length: 60 }, () => row());
    await add(db, rows);
    let isRacing = false;
    const hours = new RowSumsCache(
      watchGroups(db, async (name) => {
        if (!isRacing || name !== 'logs') return;
        isRacing = false;
        // The query ran with this count; now other rows replace the deleted ones.
        const gone = rows.filter((one) => one.created_at < hour + 1_800);
        const fresh = gone.map(() => row(hour + 1_800 + 5));
        await close(db, hour + 1_800);
        await add(db, fresh);
        rows = [...rows.filter((one) => !gone.includes(one)), ...fresh];
      }),
    );
    expect(found(await hours.read(hour))).toEqual(expected(rows));
    isRacing = true;
    expect(found(await hours.read(hour))).toEqual(expected(rows));
    expect(found(await hours.read(hour))).toEqual(expected(rows));
  });

  it('only what was added is read once more', async () => {
    const { db } = current();
    const row = source(9);
    const rows = Array.from({ length: 300 }, () => row());
    await add(db, rows);
    let read = 0;
    const hours = new RowSumsCache(
      watchGroups(db, async (name, request, answer) => {
        if (name === 'logs' && request.by.length > 0) read += answer.reduce((sum, group) => sum + group.count, 0);
      }),
    );
    await hours.read(hour);
    expect(read).toBe(300);
    await hours.read(hour);
    expect(read).toBe(300);
    const late = row(hour + 3_599);
    await add(db, [late]);
    expect(found(await hours.read(hour))).toEqual(expected([...rows, late]));
    // The last 90 seconds.
    expect(read).toBe(300 + [...rows, late].filter((one) => one.created_at >= hour + 3_510).length);
  });

  it('a closing that is under way: nothing is kept meanwhile', async () => {
    const { db } = current();
    const row = source(13);
    const rows = Array.from({ length: 40 }, () => row());
    await add(db, rows);
    const hours = new RowSumsCache(db);
    await hours.read(hour);
    const [gone, ...left] = rows;
    await db.collection('log_closings').insert({ id: 'head', last: 1, batch: { ids: [gone?.id ?? 0], hours: [hour], sums: [] } });
    expect(found(await hours.read(hour))).toEqual(expected(rows));
    await db.collection('logs').remove({ id: gone?.id ?? 0 });
    const instead = row();
    await add(db, [instead]);
    expect(found(await hours.read(hour))).toEqual(expected([...left, instead]));
  });
});
