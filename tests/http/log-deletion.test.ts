import { describe, expect, it } from 'vitest';
import { LogType } from '#shared/logs.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { sumLogs } from '#server/features/logs/log-stat.ts';
import { foldLog } from '#server/logs/fold-log.ts';
import { deleteOldLogs } from '#server/logs/delete-old-logs.ts';
import { audit } from '#server/money/audit.ts';
import { closeRows, holdClosings } from '#server/money/log-closing.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { engines } from '#tests/support/engines.ts';
import { makeFreezable } from '#tests/support/freezable-database.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';
import { failingWrites } from '#tests/support/watched-database.ts';

const hour = 3600;
const never = () => false;
const nowOf = ({ app }: RelayScene) => Math.floor(app.clock.now() / 1000);
const rowsOf = ({ app }: RelayScene) => app.context.db.collection('logs').count({});

async function call(scene: RelayScene, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await (await scene.chat()).text();
}

/** Until the heartbeat has said that everything is settled. */
async function settled({ app }: RelayScene): Promise<void> {
  const { db, ledger } = app.context;
  await until(async () => {
    const [newest] = await db.collection('logs').find({ process: ledger.processId }, { sort: [['seq', -1]], limit: 1 });
    const process = await db.collection('processes').get(ledger.processId);
    return (process?.settled_seq ?? 0) >= (newest?.seq ?? 0);
  });
}

describe.each(engines)('deleting logs on $kind', { concurrent: true }, (engine) => {
  it('the rows are gone, the balance does not move, and the books are provable as before', async () => {
    await using scene = await createScene(engine, { tokenQuota: 1_000_000 });
    const { app } = scene;
    const admin = await app.setup();
    await call(scene, 4);
    app.clock.advance(2 * hour * 1000);
    await call(scene, 3);
    await scene.logs(7);
    const balance = await scene.balance();
    const before = nowOf(scene) - hour;
    const old = await app.context.db.collection('logs').count({ created_at: { lt: before } });
    expect(old).toBeGreaterThanOrEqual(4);
    const deleted = await admin.delete(`/api/log/?target_timestamp=${before}`);
    expect(deleted).toMatchObject({ status: 200, success: true, data: old });
    expect(await app.context.db.collection('logs').count({ created_at: { lt: before } })).toBe(0);
    expect(await app.context.db.collection('logs').count({ type: LogType.consumption })).toBe(3);
    expect(await scene.balance()).toBe(balance);
    await scene.checkBooks();
    // Everything up to now, with what has only just ended.
    expect((await admin.delete(`/api/log/?target_timestamp=${nowOf(scene) + 999_999}`)).success).toBe(true);
    expect(await app.context.db.collection('logs').count({ type: LogType.consumption })).toBe(0);
    await scene.checkBooks();
    // No balance changed, so no history mentions it.
    const owner = await app.as(scene.user);
    for (const query of ['', '?kind=other']) {
      const { data } = await owner.get(`/api/user/topup/history${query}`);
      expect(data.items.filter(({ amount }: { amount: number }) => amount < 0)).toEqual([]);
    }
    // The account works as before.
    await call(scene, 2);
    await scene.logs(2);
    await scene.checkBooks();
    const entries = await app.context.db.collection('ledger').find({ kind: 'log_closing' });
    expect(entries.map(({ account }) => account).toSorted()).toEqual(['token', 'user']);
    expect(entries.every(({ amount, used = 0 }) => amount === -used && amount < 0)).toBe(true);
    // It appears in no history.
    const history = await admin.get(`/api/user/${scene.user.id}/balance_history`);
    if (history.success === true) expect(JSON.stringify(history.data)).not.toContain('log_closing');
    const [said] = (await admin.get('/api/log/?type=3')).data.items;
    expect(JSON.parse(said.other).event).toMatchObject({ code: 'logs_deleted' });
  });

  it('an unlimited token keeps what it used apart from what it was charged', async () => {
    await using scene = await createScene(engine);
    await call(scene, 3);
    await settled(scene);
    expect((await closeRows(scene.app.context, nowOf(scene) + 1, never)).isDone).toBe(true);
    const entry = await scene.app.context.db.collection('ledger').first({ kind: 'log_closing', account: 'token' });
    expect(entry).toMatchObject({ amount: 0 });
    expect(entry?.used).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  it('a crash after any write leaves books that balance, and the next run goes on', async () => {
    await using scene = await createScene(engine, { tokenQuota: 1_000_000 });
    const { context } = scene.app;
    await call(scene, 3);
    await settled(scene);
    let crashes = 0;
    for (let allowed = 0; ; allowed += 1) {
      const failing = { ...context, db: failingWrites(context.db, allowed), log: context.log, now: context.now };
      const closed = await closeRows(failing, nowOf(scene) + 1, never).catch(() => null);
      expect((await audit(context.db)).findings, `after ${allowed} writes`).toEqual([]);
      if (closed?.isDone === true) break;
      crashes += 1;
      // A row of every turn, so that there is always something to close.
      await call(scene, 1);
      await settled(scene);
    }
    expect(crashes).toBeGreaterThan(5);
    expect(await closeRows(context, nowOf(scene) + 1, never)).toMatchObject({ isDone: true });
    expect(await rowsOf(scene)).toBe(0);
    // The sums of the month have each call once.
    const entry = await context.db.collection('ledger').first({ kind: 'log_closing', account: 'user' });
    const usage = await context.db.collection('closed_usage').group({ by: ['user_id'], sum: { quota: 'quota', calls: 'calls' } });
    const expected = { quota: -(entry?.amount ?? 0), calls: crashes + 3 };
    expect(usage.toSorted((a, b) => Number(a['user_id']) - Number(b['user_id']))).toMatchObject([
      { user_id: 0, ...expected },
      { user_id: scene.user.id, ...expected },
    ]);
    await scene.checkBooks();
  });

  it('two at once remove every row once', async () => {
    await using scene = await createScene(engine, { tokenQuota: 1_000_000 });
    const { context } = scene.app;
    await call(scene, 2);
    const { db } = context;
    await settled(scene);
    const plain = Array.from({ length: 900 }, (_, index): LogRecord =>
      buildLog({
        id: 9_000_000 + index,
        user_id: scene.user.id,
        created_at: nowOf(scene) - index,
        type: LogType.system,
        plain_type: LogType.system,
      }),
    );
    await db.write(plain.map((insert) => ({ insert, into: 'logs' as const })));
    const total = await rowsOf(scene);
    const closed = await Promise.all([0, 1, 2].map(() => closeRows(context, nowOf(scene) + 1, never)));
    expect(await rowsOf(scene)).toBe(0);
    expect(closed.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(total);
    expect((await db.collection('log_closings').get('head'))?.batch).toBeUndefined();
    await scene.checkBooks();
  });

  it('what is not settled yet stays, and what a dead process was never paid for is not entered', async () => {
    await using scene = await createScene(engine);
    const { db } = scene.app.context;
    const at = nowOf(scene) - 10;
    const process = { host: 'elsewhere', pid: 1, started_at: 0, heartbeat_at: scene.app.clock.now() };
    await db.collection('processes').insert({ ...process, id: 'palive', state: 'alive', settled_seq: 1 });
    await db
      .collection('processes')
      .insert({ ...process, id: 'pdead', state: 'settled', settled_seq: 1, closed_seq: 2, missing_seqs: [1] });
    const row = (id: number, name: string, seq: number) =>
      buildLog({ id, user_id: 77, created_at: at, quota: 5, process: name, seq, token_quota: 0 });
    const rows = [
      row(9_100_001, 'palive', 1),
      row(9_100_002, 'palive', 2),
      row(9_100_003, 'pdead', 1),
      row(9_100_004, 'pdead', 2),
      row(9_100_005, 'pdead', 3),
    ];
    await db.write(rows.map((insert) => ({ insert, into: 'logs' as const })));
    expect(await closeRows(scene.app.context, at + 1, never)).toEqual({ count: 2, isDone: false });
    const left = await db.collection('logs').find({ user_id: 77 });
    expect(left.map(({ id }) => id)).toEqual([9_100_002, 9_100_003, 9_100_005]);
    expect(await db.collection('ledger').first({ ref: 'log-closing:user:77' })).toMatchObject({ amount: -10, used: 10 });
  });

  it.each([
    ['the first ever', false],
    ['a later one', true],
  ])('while the books are being proved no batch begins, %s', async (_which, isLater) => {
    await using scene = await createScene(engine);
    const { context } = scene.app;
    await call(scene, 1);
    await settled(scene);
    if (isLater) await closeRows(context, 1, never);
    const release = await holdClosings(context.db, context.now());
    expect(await closeRows(context, nowOf(scene) + 1, never)).toEqual({ count: 0, isDone: false });
    await release();
    expect(await closeRows(context, nowOf(scene) + 1, never)).toMatchObject({ isDone: true });
    expect(await rowsOf(scene)).toBe(0);
  });

  it('a batch does not begin either when its rows were read before the books are being proved', async () => {
    await using scene = await createScene(engine);
    const { app } = scene;
    await call(scene, 1);
    await settled(scene);
    const db = makeFreezable(await app.database.open());
    // Its writes: the record of deletions, then the batch.
    db.freezeAt(2, 'before');
    const closing = closeRows({ ...app.context, db }, nowOf(scene) + 1, never);
    await db.frozen;
    const release = await holdClosings(app.context.db, app.context.now());
    db.thaw();
    expect(await closing).toEqual({ count: 0, isDone: false });
    expect(await rowsOf(scene)).toBe(1);
    await release();
    await db.close();
  });

  it('the dashboard keeps what the log no longer has; statistics say what is listed', async () => {
    await using scene = await createScene(engine);
    const { app } = scene;
    const { context } = app;
    const admin = await app.setup();
    await call(scene, 3);
    await scene.logs(3);
    const start = nowOf(scene) - hour;
    app.clock.advance(3 * hour * 1000);
    await foldLog(context);
    const used = async () => {
      const { data } = await admin.get(`/api/data/figures?start_timestamp=${start}`);
      return data.whole.reduce((sum: number, one: { quota: number }) => sum + one.quota, 0);
    };
    const quota = await used();
    expect(quota).toBeGreaterThan(0);
    expect((await sumLogs(context, {})).quota).toBe(quota);
    await admin.delete(`/api/log/?target_timestamp=${nowOf(scene)}`);
    expect((await sumLogs(context, {})).quota).toBe(0);
    expect(await used()).toBe(quota);
    app.clock.advance(hour * 1000);
    await foldLog(context);
    expect((await sumLogs(context, {})).quota).toBe(0);
    expect(await used()).toBe(quota);
  });

  it('LogRetentionDays: older rows go by the job, newer ones stay; 0 keeps everything', async () => {
    await using scene = await createScene(engine);
    const { app } = scene;
    const { db } = app.context;
    const day = 24 * hour;
    const ages = [1, 9, 11, 400];
    await db.write(
      ages.map((age, index) => ({
        insert: buildLog({ id: 9_200_000 + index, user_id: 5, created_at: nowOf(scene) - age * day }),
        into: 'logs' as const,
      })),
    );
    await deleteOldLogs(app.context);
    expect(await rowsOf(scene)).toBe(4);
    const admin = await app.setup();
    expect((await admin.put('/api/option/', { key: 'LogRetentionDays', value: '10' })).success).toBe(true);
    await deleteOldLogs(app.context);
    expect((await db.collection('logs').find({ user_id: 5 })).map(({ id }) => id)).toEqual([9_200_000, 9_200_001]);
    for (const wrong of ['-1', '1.5', 'ten', '99999']) {
      expect(await admin.put('/api/option/', { key: 'LogRetentionDays', value: wrong }), wrong).toMatchObject({ success: false });
    }
  });

  it('what an administrator named goes on after the process that began it is gone', async () => {
    await using scene = await createScene(engine);
    const { db } = scene.app.context;
    await db.write([{ insert: buildLog({ id: 9_300_000, user_id: 5, created_at: nowOf(scene) - 50 }), into: 'logs' }]);
    await db
      .collection('log_closings')
      .insert({ id: 'head', last: 3, until: nowOf(scene) - 10, batch: { ids: [9_300_000], hours: [], sums: [] } });
    await deleteOldLogs(scene.app.context);
    expect(await rowsOf(scene)).toBe(0);
    expect(await db.collection('log_closings').get('head')).toEqual({ id: 'head', last: 3 });
  });

  it('without a moment nothing is deleted, and only administrators delete', async () => {
    await using scene = await createScene(engine);
    const { app } = scene;
    const admin = await app.setup();
    await call(scene, 1);
    await scene.logs(1);
    for (const query of ['', '?target_timestamp=', '?target_timestamp=0']) {
      expect(await admin.delete(`/api/log/${query}`)).toMatchObject({
        status: 200,
        success: false,
        message: 'target timestamp is required',
      });
    }
    for (const query of ['?target_timestamp=soon', '?target_timestamp=-5', '?target_timestamp[$gt]=1']) {
      expect(await admin.delete(`/api/log/${query}`), query).toMatchObject({ success: false });
    }
    expect(await (await app.as(scene.user)).delete('/api/log/?target_timestamp=9999999999')).toMatchObject({ status: 403 });
    expect(await app.anonymous().delete('/api/log/?target_timestamp=9999999999')).toMatchObject({ status: 401 });
    expect(await app.context.db.collection('logs').count({ type: LogType.consumption })).toBe(1);
  });
});
