import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { balance, codeRecord, creditRows, expectBalancedBooks, makeCode, makeCodes } from '#tests/support/redemption-desk.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

describe.each(engines)('redeem-code on $kind', (engine) => {
  let app: TestApp;
  /** A second server process on the same database. */
  let second: TestApp;
  let admin: TestClient;
  beforeAll(async () => {
    app = await createTestApp(engine);
    admin = await app.setup();
    second = await createTestApp(engine, { database: app.database, clock: app.clock });
  });
  afterAll(async () => {
    await second.close();
    await app.close();
  });
  const someone = async (quota = 0) => app.as(await app.createUser({ quota }));

  it('needs a session', async () => {
    expect(await app.anonymous().post('/api/user/topup', { key: 'x' })).toMatchObject({ status: 401, code: 'not_logged_in' });
  });

  it('adds the quota once, through the ledger, with a row in the log', async () => {
    const user = await someone(100);
    const key = await makeCode(admin, { quota: 250_000 });
    const seconds = () => Math.floor(app.clock.now() / 1000);
    const before = seconds();
    expect(await user.post('/api/user/topup', { key: ` ${key}\n` })).toMatchObject({ status: 200, success: true, data: 250_000 });
    const after = seconds();
    expect(await balance(app, user.userId)).toBe(250_100);
    const record = await codeRecord(app, key);
    expect(record).toMatchObject({ status: 3, used_user_id: user.userId, claims: 1 });
    expect(record.redeemed_time).toBeGreaterThanOrEqual(before);
    expect(record.redeemed_time).toBeLessThanOrEqual(after);
    expect(record).not.toHaveProperty('credit_due_at');
    const rows = await creditRows(app, user.userId);
    expect(rows).toMatchObject([
      {
        content: `通过兑换码充值 ＄0.500000 额度，兑换码ID ${record.id}`,
        other: { event: { code: 'code_redeemed', amount: 250_000, redemption_id: record.id } },
      },
    ]);
    const entries = await app.context.db.collection('ledger').find({ account: 'user', account_id: user.userId ?? 0, kind: 'redemption' });
    expect(entries).toMatchObject([{ ref: `redemption:${record.id}:1`, amount: 250_000, state: 'done', actor_id: user.userId }]);
    await expectBalancedBooks(app);
  });

  it('a used code is refused and the balance does not move', async () => {
    const [first, other] = [await someone(), await someone()];
    const key = await makeCode(admin);
    await first.post('/api/user/topup', { key });
    for (const client of [first, other]) {
      expect(await client.post('/api/user/topup', { key })).toMatchObject({
        status: 200,
        success: false,
        code: 'redeem_used',
        message: '兑换失败，该兑换码已被使用',
        field: 'key',
      });
    }
    expect(await balance(app, first.userId)).toBe(500_000);
    expect(await balance(app, other.userId)).toBe(0);
  });

  it.each([
    [{}, 'redeem_key_missing', '未提供兑换码'],
    [{ key: '  ' }, 'redeem_key_missing', '未提供兑换码'],
    [{ key: 'f'.repeat(32) }, 'redeem_invalid', '兑换失败，无效的兑换码'],
    [{ key: { $ne: '' } }, 'invalid_field', expect.any(String)],
    [{ key: 'x'.repeat(201) }, 'invalid_field', expect.any(String)],
    [{ key: 7 }, 'invalid_field', expect.any(String)],
  ])('%j is refused with %s', async (body, code, message) => {
    const user = await someone();
    expect(await user.post('/api/user/topup', body)).toMatchObject({ status: 200, success: false, code, message });
    expect(await balance(app, user.userId)).toBe(0);
  });

  it('a disabled code counts as used, an expired one says so', async () => {
    const user = await someone();
    const key = await makeCode(admin, { expired_time: Math.floor(app.clock.now() / 1000) + 60 });
    const { id } = await codeRecord(app, key);
    await admin.put('/api/redemption/?status_only=true', { id, status: 2 });
    expect(await user.post('/api/user/topup', { key })).toMatchObject({ code: 'redeem_used' });
    await admin.put('/api/redemption/?status_only=true', { id, status: 1 });
    app.clock.advance(61_000);
    expect(await user.post('/api/user/topup', { key })).toMatchObject({ code: 'redeem_expired', message: '兑换失败，该兑换码已过期' });
    expect(await balance(app, user.userId)).toBe(0);
  });

  it('a credit that would burst the account gives the code back', async () => {
    const rich = await someone(Number.MAX_SAFE_INTEGER - 10);
    const key = await makeCode(admin, { quota: 11 });
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      expect(await rich.post('/api/user/topup', { key })).toMatchObject({ success: false, code: 'balance_too_large' });
      expect(await codeRecord(app, key)).toMatchObject({ status: 1, used_user_id: 0, redeemed_time: 0, claims: attempt });
    }
    const other = await someone();
    expect(await other.post('/api/user/topup', { key })).toMatchObject({ success: true, data: 11 });
    expect(await balance(app, other.userId)).toBe(11);
    await expectBalancedBooks(app);
  });

  it('of a thousand at once, by fifty users through two processes, each code goes to one', async () => {
    const users = await Promise.all(Array.from({ length: 50 }, () => app.createUser()));
    const keys = await makeCodes(admin, { quota: 100, count: 5 });
    const clients = await Promise.all(users.map((user, index) => (index % 2 === 0 ? app : second).as(user)));
    const calls = clients.flatMap((client) =>
      keys.flatMap((key) => Array.from({ length: 4 }, () => client.post('/api/user/topup', { key }))),
    );
    const answers = await Promise.all(calls);
    expect(answers).toHaveLength(1000);
    expect(answers.filter(({ success }) => success)).toHaveLength(5);
    for (const answer of answers.filter(({ success }) => !success)) expect(answer.code).toBe('redeem_used');
    const balances = await Promise.all(users.map((user) => balance(app, user.id)));
    expect(balances.reduce((sum, value) => sum + value, 0)).toBe(500);
    const rows = await Promise.all(users.map((user) => creditRows(app, user.id)));
    expect(rows.flat()).toHaveLength(5);
    await expectBalancedBooks(app);
  });

  it('meets edits, disabling and deletion: what is credited is what the code was worth when it was claimed', async () => {
    const user = await someone();
    const keys = await makeCodes(admin, { quota: 1000, count: 12 });
    const ids = await Promise.all(keys.map(async (key) => (await codeRecord(app, key)).id));
    const answers = await Promise.all(
      keys.flatMap((key, index) => {
        const id = ids[index];
        const rival = [
          () => admin.put('/api/redemption/', { id, quota: 3 }),
          () => admin.put('/api/redemption/?status_only=1', { id, status: 2 }),
          () => admin.delete(`/api/redemption/${id}`),
        ][index % 3];
        const redeem = () => user.post('/api/user/topup', { key });
        return index % 2 === 0 ? [redeem(), rival?.()] : [rival?.(), redeem()];
      }),
    );
    const credited = answers.reduce((sum, answer) => sum + (typeof answer?.data === 'number' ? answer.data : 0), 0);
    expect(await balance(app, user.userId)).toBe(credited);
    const records = await app.context.db.collection('redemptions').find({ id: { in: ids }, status: 3 });
    expect(records.reduce((sum, { quota }) => sum + quota, 0)).toBe(credited);
    await expectBalancedBooks(app);
  });

  it('wrong codes are limited, and do not lock out others', async () => {
    const [guesser, other] = [await someone(), await someone()];
    for (let guess = 0; guess < 30; guess += 1) {
      expect((await guesser.post('/api/user/topup', { key: `${guess}` })).code).toBe('redeem_invalid');
    }
    const key = await makeCode(admin);
    expect(await guesser.post('/api/user/topup', { key })).toMatchObject({ status: 429, code: 'rate_limited' });
    expect((await other.post('/api/user/topup', { key })).success).toBe(true);
    app.clock.advance(601_000);
    expect((await guesser.post('/api/user/topup', { key })).code).toBe('redeem_used');
  });
});
