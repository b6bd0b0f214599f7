// The table of all accounts over a month: every line and the sums add up to the ledger, on the screen and in the file.
import { describe, expect, it } from 'vitest';
import type { AccountBalance, BalanceSums } from '#shared/statement.ts';
import { foldLog } from '#server/logs/fold-log.ts';
import { audit } from '#server/money/audit.ts';
import { balanceOf } from '#server/money/account.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createScene, type RelayScene, setOption } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const hour = 3600;
const nowOf = ({ app }: RelayScene) => Math.floor(app.clock.now() / 1000);
const parts = ['opening', 'top_ups', 'adjustments', 'refunds', 'spent', 'closing'] as const;

interface Span {
  from: number;
  to?: number;
}

const queryOf = ({ from, to }: Span) => `start_timestamp=${from}${to === undefined ? '' : `&end_timestamp=${to}`}`;

async function rowsOf(client: TestClient, span: Span): Promise<AccountBalance[]> {
  const rows: AccountBalance[] = [];
  for (let page = 1; ; page += 1) {
    const answer = await client.get(`/api/statement/accounts?${queryOf(span)}&p=${page}&page_size=2`);
    expect(answer).toMatchObject({ success: true });
    rows.push(...answer.data.items);
    if (rows.length >= answer.data.total) return rows;
  }
}

async function sumsOf(client: TestClient, span: Span): Promise<BalanceSums> {
  const answer = await client.get(`/api/statement/accounts/sum?${queryOf(span)}`);
  expect(answer).toMatchObject({ success: true });
  return answer.data;
}

async function fileOf(client: TestClient, span: Span): Promise<string[][]> {
  const answer = await client.get(`/api/statement/accounts/export?${queryOf(span)}`);
  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="accounts-\d{4}-\d\d(-\d\d)?\.csv"$/);
  return String(answer.body)
    .replace('\uFEFF', '')
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
}

/** Every line adds up, and all lines to the sums. */
function expectAddsUp(rows: readonly AccountBalance[], sums: BalanceSums): void {
  for (const row of [...rows, sums]) expect(row.opening + row.top_ups + row.adjustments + row.refunds - row.spent).toBe(row.closing);
  for (const part of parts) expect([part, rows.reduce((sum, row) => sum + row[part], 0)]).toEqual([part, sums[part]]);
  expect(sums.accounts).toBe(rows.length);
}

async function call(scene: RelayScene, count: number, key = scene.key): Promise<void> {
  const { db } = scene.app.context;
  const before = await db.collection('logs').count({ type: 2 });
  for (let index = 0; index < count; index += 1) await (await scene.chat({}, { authorization: `Bearer ${key}` })).text();
  await until(async () => (await db.collection('logs').count({ type: 2 })) >= before + count);
}

/** The balances as the accounts have them, once nothing is under way. */
async function balances({ app }: RelayScene): Promise<Map<number, number>> {
  expect((await audit(app.context.db)).findings).toEqual([]);
  return new Map((await app.context.db.collection('users').find({})).map((user) => [user.id, balanceOf(user)]));
}

describe.each(engines)('the balances of all accounts on $kind', { concurrent: true }, (engine) => {
  it('add up to the ledger, line by line and together, month after month', async () => {
    await using scene = await createScene(engine);
    const { app, user } = scene;
    const root = await app.setup();
    const other = await app.createUser({ quota: 5_000_000 });
    const { key } = await createToken(app.context, other.id);
    app.clock.advance(hour * 1000);
    const start = nowOf(scene);
    await call(scene, 2);
    await call(scene, 1, key);
    // A gift, a code, storage and a refund; a change that takes.
    await root.put('/api/user/', { id: user.id, quota_change: 7_000 });
    await root.put('/api/user/', { id: other.id, quota_change: -300 });
    const code = (await root.post('/api/redemption/', { name: 'Tide', quota: 11_000, count: 1 })).data[0];
    expect(await (await app.as(other)).post('/api/user/topup', { key: code })).toMatchObject({ success: true });
    await app.context.ledger.change({ account: 'user', id: other.id, amount: -40, kind: 'store_day', ref: 'day-of-a-store', actorId: 0 });
    const [listed] = (await root.get(`/api/log/?type=2&username=${user.username}`)).data.items;
    expect(await root.post(`/api/log/${listed.id}/refund`, { amount: 1, reason: 'empty', ref: 'refund-of-a-test' })).toMatchObject({
      success: true,
    });
    app.clock.advance(3 * hour * 1000);
    const middle = nowOf(scene);
    // Not listed, and charged all the same.
    await setOption(app, 'LogConsumeEnabled', 'false');
    await call(scene, 2, key);
    await setOption(app, 'LogConsumeEnabled', 'true');
    const late = await app.createUser({ quota: 900 });
    expect(await root.post('/api/user/manage', { id: late.id, action: 'delete' })).toMatchObject({ success: true });

    const seen: AccountBalance[][] = [];
    for (const isFolded of [false, true]) {
      if (isFolded) {
        app.clock.advance(3 * hour * 1000);
        await foldLog(app.context);
      }
      const [first, second, whole] = [{ from: start, to: middle }, { from: middle }, { from: start }];
      const rows = { first: await rowsOf(root, first), second: await rowsOf(root, second), whole: await rowsOf(root, whole) };
      expectAddsUp(rows.first, await sumsOf(root, first));
      expectAddsUp(rows.second, await sumsOf(root, second));
      expectAddsUp(rows.whole, await sumsOf(root, whole));
      expect(new Map(rows.whole.map((row) => [row.user_id, row.closing]))).toEqual(await balances(scene));
      for (const row of rows.first) expect(rows.second.find(({ user_id }) => user_id === row.user_id)?.opening).toBe(row.closing);
      const ofOther = rows.first.find(({ user_id }) => user_id === other.id);
      expect(ofOther).toMatchObject({ opening: 5_000_000, top_ups: 11_000, adjustments: -300, refunds: 0, is_deleted: false });
      expect(rows.first.find(({ user_id }) => user_id === user.id)).toMatchObject({ adjustments: 7_000, refunds: 1 });
      // A user who joined later is in no earlier month.
      expect(rows.first.some(({ user_id }) => user_id === late.id)).toBe(false);
      expect(rows.second.find(({ user_id }) => user_id === late.id)).toMatchObject({ is_deleted: true, closing: 900 });
      // As in the statement of one of them.
      const statement = (await root.get(`/api/user/${other.id}/statement?${queryOf(first)}`)).data;
      expect(ofOther).toMatchObject({ opening: statement.opening, closing: statement.closing });
      seen.push(rows.whole);
    }
    expect(seen[1]).toEqual(seen[0]);

    const [head, ...lines] = await fileOf(root, { from: start });
    const last = lines.pop();
    expect(head).toEqual([
      'id',
      'username',
      'display_name',
      ...parts.map((name) => `${name}_usd`),
      ...parts.map((name) => `${name}_quota`),
      'imported_usd',
      'imported_quota',
    ]);
    expect(lines.map((line) => [Number(line[0]), ...line.slice(-8, -2).map(Number)])).toEqual(
      seen[1]?.map((row) => [row.user_id, ...parts.map((part) => row[part])]),
    );
    const sums = await sumsOf(root, { from: start });
    expect(last?.slice(0, 3)).toEqual(['', 'sum', '']);
    expect(last?.slice(-8, -2).map(Number)).toEqual(parts.map((part) => sums[part]));
  });

  it('have the sums of deleted rows, and still add up', async () => {
    await using scene = await createScene(engine);
    const { app } = scene;
    const root = await app.setup();
    await call(scene, 3);
    app.clock.advance(5 * hour * 1000);
    await call(scene, 2);
    await scene.logs(5);
    const before = nowOf(scene) - hour;
    await until(async () => (await root.delete(`/api/log/?target_timestamp=${before}`)).data > 0);
    const [rows, sums] = [await rowsOf(root, { from: 0 }), await sumsOf(root, { from: 0 })];
    expectAddsUp(rows, sums);
    expect(sums.from).toBeLessThan(before);
    expect(sums.rows_from).toBe(before);
    expect(sums.spent).toBeGreaterThan(0);
    expect(new Map(rows.map((row) => [row.user_id, row.closing]))).toEqual(await balances(scene));
    // Of the time before nothing is known but what it came to.
    const gone = await sumsOf(root, { from: before - 2 * hour, to: before - hour });
    expect([gone.from, gone.spent]).toEqual([gone.to, 0]);
    expect((await fileOf(root, { from: 0 })).at(-1)?.at(-3)).toBe(String(sums.closing));
  });

  it('make a file that is named for its month, wherever that begins', async () => {
    await using scene = await createScene(engine);
    const root = await scene.app.setup();
    const nameOf = async (from: number, to: number) => {
      const { headers } = await root.get(`/api/statement/accounts/export?${queryOf({ from, to })}`);
      return /filename="(.*)"/.exec(String(headers['content-disposition']))?.[1];
    };
    for (const hours of [-11, 0, 8, 14]) {
      const [from, to] = [0, 1].map((month) => Date.UTC(2026, month, 1) / 1000 - hours * hour);
      // The month is not over.
      expect([hours, await nameOf(from ?? 0, to ?? 0)]).toEqual([hours, 'accounts-2026-01.csv']);
    }
    expect(await nameOf(Date.UTC(2025, 10, 3) / 1000, Date.UTC(2025, 10, 9) / 1000)).toBe('accounts-2025-11-03.csv');
  });

  it('are for administrators, a bounded time, and two files at a time', async () => {
    await using scene = await createScene(engine);
    const { app, user } = scene;
    const root = await app.setup();
    const own = await app.as(user);
    for (const path of ['', '/sum', '/export']) {
      const address = `/api/statement/accounts${path}`;
      expect(await own.get(`${address}?start_timestamp=0`)).toMatchObject({ success: false });
      expect(await app.anonymous().get(`${address}?start_timestamp=0`)).toMatchObject({ status: 401 });
      expect(await root.get(address)).toMatchObject({ success: false, code: 'invalid_field', field: 'start_timestamp' });
    }
    const { from, to } = await sumsOf(root, { from: 0 });
    expect(to - from).toBe(366 * 86_400);
  });
});
