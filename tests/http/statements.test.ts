import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Statement } from '#shared/statement.ts';
import { balanceOf } from '#server/money/account.ts';
import { foldLog } from '#server/logs/fold-log.ts';
import { engines } from '#tests/support/engines.ts';
import { importFrom, sourceCopy } from '#tests/support/import-desk.ts';
import { createToken } from '#tests/support/build-token.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createScene, type RelayScene, setOption } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const hour = 3600;
const nowOf = ({ app }: RelayScene) => Math.floor(app.clock.now() / 1000);

async function call(scene: RelayScene, count: number): Promise<void> {
  const { db } = scene.app.context;
  const before = await db.collection('logs').count({ type: 2 });
  for (let index = 0; index < count; index += 1) await (await scene.chat()).text();
  await until(async () => (await db.collection('logs').count({ type: 2 })) >= before + count);
}

async function read(client: TestClient, path: string, span: { from?: number; to?: number } = {}): Promise<Statement> {
  const query = `start_timestamp=${span.from ?? 0}${span.to === undefined ? '' : `&end_timestamp=${span.to}`}`;
  const answer = await client.get(`${path}?${query}`);
  expect(answer).toMatchObject({ success: true });
  return answer.data;
}

async function deleteUntil(root: TestClient, { app }: RelayScene, before: number): Promise<void> {
  await until(async () => {
    await root.delete(`/api/log/?target_timestamp=${before}`);
    return (await app.context.db.collection('logs').count({ created_at: { lt: before } })) === 0;
  });
}

const own = '/api/user/self/statement';

function expectAddsUp({ opening, closing, entries, more_entries: more, calls, more_calls: others }: Statement): void {
  const credits = entries.reduce((sum, { amount }) => sum + amount, more.amount);
  const charges = calls.reduce((sum, { amount }) => sum + amount, others.amount);
  expect(opening + credits - charges).toBe(closing);
}

describe.each(engines)('statements on $kind', { concurrent: true }, (engine) => {
  it('of a past time have the quota of a dollar of that time', async () => {
    await using scene = await createScene(engine);
    const { app, user } = scene;
    const root = await app.setup();
    const client = await app.as(user);
    app.clock.advance(hour * 1000);
    const middle = nowOf(scene);
    app.clock.advance(hour * 1000);
    expect(await root.put('/api/option/', { key: 'QuotaPerUnit', value: '1000000' })).toMatchObject({ success: true });
    expect(await read(client, own, { from: middle - hour, to: middle })).toMatchObject({ quota_per_unit: 500_000 });
    expect(await read(client, own, { from: middle })).toMatchObject({ quota_per_unit: 1_000_000 });
    const table = await root.get(`/api/statement/accounts/sum?start_timestamp=${middle - hour}&end_timestamp=${middle}`);
    expect(table.data).toMatchObject({ quota_per_unit: 500_000 });
  });

  it('add up to the ledger, follow each other without a gap, and name what came and what went', async () => {
    await using scene = await createScene(engine);
    const { app, user } = scene;
    const root = await app.setup();
    const client = await app.as(user);
    const start = nowOf(scene) - 10;
    await call(scene, 3);
    app.clock.advance(3 * hour * 1000);
    // Not listed, and charged all the same.
    await setOption(app, 'LogConsumeEnabled', 'false');
    await call(scene, 2);
    await setOption(app, 'LogConsumeEnabled', 'true');
    const middle = nowOf(scene) + 1;
    app.clock.advance(3 * hour * 1000);
    await call(scene, 1);
    const listed = (await client.get('/api/log/self?type=2')).data.items;
    const refund = { amount: 1, reason: 'the answer was empty', ref: 'refund-of-a-test' };
    expect((await root.post(`/api/log/${listed[0].id}/refund`, refund)).body).toMatchObject({ success: true });
    await foldLog(app.context);
    const whole = await read(client, own, { from: start });
    expectAddsUp(whole);
    expect(whole.closing).toBe(await scene.balance());
    expect(whole.calls).toMatchObject([{ model_name: 'gpt-4o-mini', calls: 6 }]);
    expect(whole.entries.map(({ kind, amount }) => [kind, amount])).toContainEqual(['refund', 1]);
    // Once hours are sums, and by an administrator, it is the same.
    app.clock.advance(3 * hour * 1000);
    await foldLog(app.context);
    const later = await read(root, `/api/user/${user.id}/statement`, { from: start, to: whole.to });
    expect(later).toEqual(whole);
    const first = await read(client, own, { from: start, to: middle });
    const second = await read(client, own, { from: middle });
    for (const part of [first, second]) expectAddsUp(part);
    expect(first.closing).toBe(second.opening);
    expect(first.calls).toMatchObject([{ calls: 5 }]);
    expect(second.closing).toBe(await scene.balance());
  });

  it('stay equal to the unit when rows of the log are deleted, for months of every time zone', async () => {
    await using scene = await createScene(engine);
    const { app, user } = scene;
    const callAt = async (time: string, count: number): Promise<void> => {
      app.clock.advance(Date.parse(time) - app.clock.now());
      await call(scene, count);
    };
    await call(scene, 3);
    // February in Shanghai and Kolkata, January in London and west of it.
    await callAt('2026-01-31T18:40:00Z', 2);
    await callAt('2026-02-01T06:00:00Z', 1);
    await callAt('2026-02-10T00:00:00Z', 2);
    await callAt('2026-02-20T00:00:00Z', 1);
    await callAt('2026-03-02T00:00:00Z', 1);
    await foldLog(app.context);
    const client = await app.as(user);
    const root = await app.as(await app.createUser({ role: 100 }));
    const january = [14, 8, 5.5, 0, -4, -12].map((zone) => ({
      from: Date.UTC(2026, 0, 1) / 1000 - zone * hour,
      to: Date.UTC(2026, 1, 1) / 1000 - zone * hour,
    }));
    const spans = [
      ...january,
      { to: Date.UTC(2026, 1, 1) / 1000 },
      { from: Date.UTC(2026, 1, 1) / 1000, to: Date.UTC(2026, 2, 1) / 1000 },
      { from: Date.UTC(2026, 1, 20) / 1000 },
      {},
    ];
    const readAll = async () => {
      const statements: Statement[] = [];
      for (const span of spans) statements.push(await read(client, own, span));
      const tables: unknown[] = [];
      for (const { from, to } of january) {
        const query = `start_timestamp=${from}&end_timestamp=${to}`;
        const list = await root.get(`/api/statement/accounts?${query}`);
        const sums = await root.get(`/api/statement/accounts/sum?${query}`);
        tables.push({ items: list.data.items, sums: { ...sums.data, rows_from: 0 } });
      }
      // The time of an open end is that of the request.
      return { statements: statements.map((statement) => ({ ...statement, to: 0, rows_from: 0 })), tables };
    };
    const whole = await readAll();
    expect(whole.statements.map(({ calls }) => calls[0]?.calls)).toEqual([3, 3, 3, 5, 5, 6, 5, 4, 2, 10]);
    // Amid February, then up to an hour ago.
    const amid = Date.UTC(2026, 1, 15) / 1000;
    await deleteUntil(root, scene, amid);
    expect(await readAll()).toEqual(whole);
    expect((await read(client, own)).rows_from).toBe(amid);
    await foldLog(app.context);
    expect(await readAll()).toEqual(whole);
    // Within a month, single rows are not known any more.
    const week = { from: Date.UTC(2026, 1, 8) / 1000, to: Date.UTC(2026, 1, 11) / 1000 };
    const gone = await read(client, own, week);
    expect([gone.from, gone.calls]).toEqual([gone.to, []]);
    const late = await read(client, own, { from: week.from });
    expect(late).toMatchObject({ from: amid, calls: [{ calls: 2 }], closing: await scene.balance() });
    expectAddsUp(late);
    await deleteUntil(root, scene, nowOf(scene) - hour);
    const after = await readAll();
    const isWithin = (_: unknown, index: number) => index !== 8;
    expect({ ...after, statements: after.statements.filter(isWithin) }).toEqual({
      ...whole,
      statements: whole.statements.filter(isWithin),
    });
    // New calls continue from there.
    await call(scene, 1);
    expect(await read(client, own)).toMatchObject({ calls: [{ calls: 11 }], closing: await scene.balance() });
  });

  it('are for their owner, and for who may look after that account', async () => {
    await using scene = await createScene(engine);
    const { app, user } = scene;
    const root = await app.setup();
    const admin = await app.as(await app.createUser({ role: 10 }));
    const other = await app.createUser({ role: 10 });
    const ofUser = (id: number) => `/api/user/${id}/statement?start_timestamp=0`;
    expect(await (await app.as(user)).get(ofUser(user.id))).toMatchObject({ success: false });
    expect(await admin.get(ofUser(user.id))).toMatchObject({ success: true, data: { username: user.username } });
    expect(await admin.get(ofUser(other.id))).toMatchObject({ success: false, code: 'user_read_denied' });
    expect(await root.get(ofUser(other.id))).toMatchObject({ success: true });
    expect(await root.get(ofUser(999_999))).toMatchObject({ success: false, code: 'user_not_found' });
    expect(await app.anonymous().get(`${own}?start_timestamp=0`)).toMatchObject({ status: 401 });
    expect(await root.get(own)).toMatchObject({ success: false, code: 'invalid_field', field: 'start_timestamp' });
    const future = nowOf(scene) + 999;
    expect(await root.get(`${own}?start_timestamp=${future}`)).toMatchObject({ success: false, field: 'start_timestamp' });
  });
});

describe.each(engines)('statements of imported accounts on $kind', { concurrent: true }, (engine) => {
  it('add up to the ledger: calls of the other gateway stand apart, also once hours are sums and rows are deleted', async () => {
    await using scene = await createScene(engine);
    const { app } = scene;
    const { db, changes } = app.context;
    using source = sourceCopy('new-api-2026');
    const moved = nowOf(scene);
    const day = 24 * hour;
    {
      // Two months of calls before the move, with refunds.
      using database = new DatabaseSync(source.file);
      database.exec(`UPDATE users SET created_at = ${moved - 90 * day}; UPDATE logs SET created_at = ${moved - 40 * day} + id * 3600`);
      database.exec(
        `INSERT INTO logs (id, user_id, created_at, type, quota, model_name) SELECT 9000 + id, user_id, created_at + 60, 6, 5, model_name FROM logs WHERE type = 2`,
      );
    }
    await importFrom(app, source.file);
    for (const { id } of await db.collection('channels').find({ id: { ne: scene.channelIds[0] ?? 0 } })) {
      await db.collection('channels').patch({ id }, { set: { status: 2 } });
      await changes.announce('channel', id);
    }
    const anna = await db.collection('users').first({ username: 'anna' });
    if (anna === null) throw new Error('anna was not imported');
    const { key } = await createToken(app.context, anna.id);
    const callAsAnna = async (count: number): Promise<void> => {
      const before = await db.collection('logs').count({ type: 2 });
      for (let index = 0; index < count; index += 1) await (await scene.chat({}, { authorization: `Bearer ${key}` })).text();
      await until(async () => (await db.collection('logs').count({ type: 2 })) >= before + count);
    };
    await callAsAnna(2);
    const root = await app.as(await app.createUser({ role: 100 }));
    const path = `/api/user/${anna.id}/statement`;
    const month = (from: number, to: number) => ({ from: Date.UTC(2025, from - 1) / 1000, to: Date.UTC(2025, to - 1) / 1000 });
    const spans: { from?: number; to?: number }[] = [month(12, 13), month(13, 14), {}];
    const readAll = async () => {
      const statements: Statement[] = [];
      const tables: unknown[] = [];
      for (const span of spans) {
        const statement = await read(root, path, span);
        expectAddsUp(statement);
        statements.push({ ...statement, to: 0, rows_from: 0 });
        const query = `start_timestamp=${span.from ?? 0}&end_timestamp=${span.to ?? moved + day}`;
        const { items } = (await root.get(`/api/statement/accounts?${query}&page_size=100`)).data;
        const sums: Record<string, number> = (await root.get(`/api/statement/accounts/sum?${query}`)).data;
        for (const part of ['opening', 'spent', 'closing', 'imported'] as const)
          expect(items.reduce((sum: number, row: Record<string, number>) => sum + (row[part] ?? 0), 0)).toBe(sums[part]);
        const row = items.find(({ user_id: id }: { user_id: number }) => id === anna.id);
        expect(row).toMatchObject({
          opening: statement.opening,
          closing: statement.closing,
          imported: statement.imported_calls?.amount ?? 0,
        });
        const file = String((await root.get(`/api/statement/accounts/export?${query}`)).body)
          .trimEnd()
          .split('\r\n');
        expect(file[0]).toMatch(/imported_quota$/);
        expect(file.find((line) => line.startsWith(`${anna.id},`))).toMatch(new RegExp(`,${row.imported}$`));
        expect(file.at(-1)).toMatch(new RegExp(`,${sums['imported']}$`));
        tables.push({ items, spent: sums['spent'] });
      }
      return { statements, tables };
    };
    const whole = await readAll();
    const [december, january, all] = whole.statements;
    expect(december).toMatchObject({ opening: 0, closing: 0, calls: [], entries: [] });
    expect(december?.imported_calls?.calls).toBeGreaterThan(10);
    expect(january?.calls).toMatchObject([{ model_name: 'gpt-4o-mini', calls: 2 }]);
    expect(january?.entries).toMatchObject([{ kind: 'import', amount: 20_260_395 }]);
    expect(all?.imported_calls).toEqual({ calls: 30, amount: 207_965 });
    const balance = async () => {
      const record = await db.collection('users').get(anna.id);
      return record === null ? 0 : balanceOf(record);
    };
    expect(all?.closing).toBe(await balance());
    // Hours and days as sums; the dashboard counts imported calls as usage.
    app.clock.advance(3 * hour * 1000);
    await foldLog(app.context);
    expect(await readAll()).toEqual(whole);
    // The month before the move is deleted, then everything up to the move.
    await deleteUntil(root, scene, Date.UTC(2026, 0, 1) / 1000);
    expect(await readAll()).toEqual(whole);
    await foldLog(app.context);
    expect(await readAll()).toEqual(whole);
    await deleteUntil(root, scene, nowOf(scene) - hour);
    const after = await readAll();
    expect(after.statements[0]).toEqual(december);
    expect(after.statements[2]).toMatchObject({ closing: await balance(), imported_calls: { calls: 30, amount: 207_965 } });
    await scene.checkBooks();
  });
});
