import { describe, expect, it } from 'vitest';
import { finishTransfers } from '#server/accounts/transfer-earnings.ts';
import { audit } from '#server/money/audit.ts';
import { buildUser } from '#tests/support/build.ts';
import { engines } from '#tests/support/engines.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

const unit = 500_000;

describe.each(engines)('invite earnings on $kind', (engine) => {
  const record = async (app: TestApp, id: number) => {
    const found = await app.context.db.collection('users').get(id);
    if (found === null) throw new Error('The user is gone');
    return found;
  };

  it('the invite code is the own one, and is made where an old record has none', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser({ aff_code: 'Qz7K' });
    expect(await (await app.as(user)).get('/api/user/aff')).toMatchObject({ success: true, data: 'Qz7K' });
    const old = await app.createUser();
    await app.context.db.collection('users').patch({ id: old.id }, { set: {}, unset: ['aff_code'] });
    const client = await app.as(old);
    const codes = await Promise.all([client.get('/api/user/aff'), client.get('/api/user/aff')]);
    expect(codes[0]?.data).toMatch(/^[0-9A-Za-z]{8}$/);
    expect(codes[1]?.data).toBe(codes[0]?.data);
    expect((await record(app, old.id)).aff_code).toBe(codes[0]?.data);
    expect(await app.anonymous().get('/api/user/aff')).toMatchObject({ status: 401 });
  });

  it('transfer: earnings become balance, with a ledger entry and a log row', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser({ aff_quota: 3 * unit, aff_history_quota: 5 * unit, quota: 7 });
    const client = await app.as(user);
    expect(await client.post('/api/user/aff_transfer', { quota: 2 * unit })).toMatchObject({
      status: 200,
      success: true,
      message: '划转成功',
      data: { quota: 2 * unit + 7, aff_quota: unit, aff_history_quota: 5 * unit, full_mark: 2 * unit + 7 },
    });
    expect(await app.context.db.collection('ledger').find({ account_id: user.id, kind: 'transfer' })).toMatchObject([
      { amount: 2 * unit, state: 'done', actor_id: user.id },
    ]);
    const logs = await client.get('/api/log/self?type=4');
    expect(logs.data.items).toMatchObject([{ content: '邀请收益划转 ＄2.000000 额度' }]);
    expect((await audit(app.context.db)).findings).toEqual([]);
  });

  it('transfer: refuses too little, too much, and what is no amount; nothing moves', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser({ aff_quota: 2 * unit });
    const client = await app.as(user);
    const cases = [
      [{ quota: unit - 1 }, 'aff_transfer_small', '划转失败 转移额度最小为＄1.000000 额度！'],
      [{ quota: 0 }, 'aff_transfer_small', undefined],
      [{ quota: 2 * unit + 1 }, 'aff_transfer_unfunded', '划转失败 邀请额度不足！'],
      [{ quota: -unit }, 'invalid_field', undefined],
      [{ quota: unit + 0.5 }, 'invalid_field', undefined],
      [{ quota: String(unit) }, 'invalid_field', undefined],
      [{ quota: 1e300 }, 'invalid_field', undefined],
      [{ quota: { $gt: 0 } }, 'invalid_field', undefined],
      [{}, 'invalid_field', undefined],
      [{ quota: unit, ref: 'a.b$c-longer' }, 'invalid_field', undefined],
    ] as const;
    for (const [body, code, message] of cases) {
      const refused = await client.post('/api/user/aff_transfer', body);
      expect(refused, JSON.stringify(body)).toMatchObject({ status: 200, success: false, code });
      if (message !== undefined) expect(refused.message).toBe(message);
    }
    expect(await app.anonymous().post('/api/user/aff_transfer', { quota: unit })).toMatchObject({ status: 401 });
    expect(await record(app, user.id)).toMatchObject({ quota: 0, aff_quota: 2 * unit });
  });

  it('transfer: under one name it is made once, however often and from wherever it is sent', async () => {
    await using app = await createTestApp(engine);
    await using other = await createTestApp(engine, { database: app.database, clock: app.clock });
    const user = await app.createUser({ aff_quota: 10 * unit });
    const clients = [await app.as(user), await other.as(user)];
    const body = { quota: unit, ref: 'one-transfer' };
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => clients[index % 2]?.post('/api/user/aff_transfer', body)));
    for (const answer of answers) expect(answer).toMatchObject({ success: true });
    expect(await clients[0]?.post('/api/user/aff_transfer', body)).toMatchObject({ success: true });
    // Also when the account has forgotten the name.
    app.clock.advance(25 * 3600 * 1000);
    const later = await app.as(user);
    expect(await later.post('/api/user/aff_transfer', { quota: unit, ref: 'another-one' })).toMatchObject({ success: true });
    expect((await record(app, user.id)).transfers).toEqual({ 'another-one': expect.any(Number) });
    expect(await later.post('/api/user/aff_transfer', body)).toMatchObject({ success: true });
    expect(await record(app, user.id)).toMatchObject({ quota: 2 * unit, aff_quota: 8 * unit });
    await other.stop();
  });

  it.each(['constructor', '__proto__', 'hasOwnProperty'])('transfer: one that is called %s is made once like any other', async (ref) => {
    await using app = await createTestApp(engine);
    const user = await app.createUser({ aff_quota: 3 * unit });
    const client = await app.as(user);
    for (let time = 0; time < 2; time += 1) {
      const answer = await client.post('/api/user/aff_transfer', { quota: unit, ref });
      expect(answer).toMatchObject({ success: true, data: { quota: unit, aff_quota: 2 * unit } });
    }
    expect((await audit(app.context.db)).findings).toEqual([]);
  });

  it('transfer: many at once move no more than there is', async () => {
    await using app = await createTestApp(engine);
    await using other = await createTestApp(engine, { database: app.database, clock: app.clock });
    const user = await app.createUser({ aff_quota: 3 * unit + 5 });
    const clients = [await app.as(user), await other.as(user)];
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => clients[index % 2]?.post('/api/user/aff_transfer', { quota: unit })),
    );
    expect(answers.filter((answer) => answer?.success)).toHaveLength(3);
    for (const answer of answers) if (answer?.success !== true) expect(answer).toMatchObject({ code: 'aff_transfer_unfunded' });
    expect(await record(app, user.id)).toMatchObject({ quota: 3 * unit, aff_quota: 5 });
    expect((await audit(app.context.db)).findings).toEqual([]);
    await other.stop();
  });

  it('transfer: one that a crash has left on its way arrives, once', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser({ aff_quota: 4 * unit });
    const onItsWay = { transfer_ref: 'left-behind', transfer_amount: unit, transfer_at: app.clock.now() };
    const users = app.context.db.collection('users');
    // Before the credit.
    await users.patch({ id: user.id }, { set: onItsWay, increment: { aff_quota: -unit } });
    await finishTransfers(app.context);
    await finishTransfers(app.context);
    expect(await record(app, user.id)).toMatchObject({ quota: unit, aff_quota: 3 * unit });
    expect(await record(app, user.id)).not.toHaveProperty('transfer_at');
    // After it.
    await users.patch({ id: user.id }, { set: onItsWay });
    await finishTransfers(app.context);
    expect(await record(app, user.id)).toMatchObject({ quota: unit, aff_quota: 3 * unit });
    // The next one of the same user takes it along.
    await users.patch({ id: user.id }, { set: { ...onItsWay, transfer_ref: 'left-again' }, increment: { aff_quota: -unit } });
    expect(await (await app.as(user)).post('/api/user/aff_transfer', { quota: unit })).toMatchObject({
      data: { quota: 3 * unit, aff_quota: unit },
    });
    expect((await audit(app.context.db)).findings).toEqual([]);
  });

  it('transfer: however many others are still on their way, one that was left behind gets its turn', async () => {
    await using app = await createTestApp(engine);
    const { context } = app;
    const users = context.db.collection('users');
    const leave = async (name: string, at: number) => {
      const left = { transfer_ref: name, transfer_amount: unit, transfer_at: at };
      const user = { ...(await buildUser(context)), ...left };
      await users.insert(user);
      return user.id;
    };
    // Another process holds these.
    const entry = { account: 'user', amount: unit, kind: 'transfer', created_at: 0, process: 'p-other', state: 'open' } as const;
    for (let count = 0; count < 100; count += 1) {
      const id = await leave('held', 1);
      const names = { id: await context.db.nextId('ledger'), ref: `transfer:${id}:held`, account_id: id, actor_id: id };
      await context.db.collection('ledger').insert({ ...entry, ...names });
    }
    const id = await leave('left', 2);
    await finishTransfers(context);
    await finishTransfers(context);
    expect(await record(app, id)).toMatchObject({ quota: unit });
    expect(await record(app, id)).not.toHaveProperty('transfer_at');
    expect(await users.count({ transfer_ref: 'held' })).toBe(100);
  });

  it('transfer: one whose process ended right after the credit is told of in the log, once', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser({ aff_quota: unit });
    const onItsWay = { transfer_ref: 'not-told', transfer_amount: unit, transfer_at: app.clock.now() };
    await app.context.db.collection('users').patch({ id: user.id }, { set: onItsWay });
    const credit = { account: 'user', id: user.id, amount: unit, kind: 'transfer', actorId: user.id } as const;
    await app.context.ledger.change({ ...credit, ref: `transfer:${user.id}:not-told` });
    await Promise.all([finishTransfers(app.context), finishTransfers(app.context)]);
    await finishTransfers(app.context);
    expect(await record(app, user.id)).toMatchObject({ quota: unit });
    const rows = await app.context.db.collection('logs').find({ user_id: user.id });
    expect(rows.map(({ other }) => other?.['event'])).toEqual([{ code: 'earnings_transferred', amount: unit }]);
  });

  it('transfer: what the balance cannot take stays with the earnings', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser({ aff_quota: 2 * unit, quota: Number.MAX_SAFE_INTEGER - unit });
    const client = await app.as(user);
    const body = { quota: 2 * unit, ref: 'far-too-much' };
    expect(await client.post('/api/user/aff_transfer', body)).toMatchObject({ success: false, code: 'balance_too_large' });
    expect(await client.post('/api/user/aff_transfer', body)).toMatchObject({ success: false, code: 'balance_too_large' });
    expect(await record(app, user.id)).toMatchObject({ quota: Number.MAX_SAFE_INTEGER - unit, aff_quota: 2 * unit });
    expect(await record(app, user.id)).not.toHaveProperty('transfer_ref');
  });

  it('transfer: a deleted account moves nothing', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser({ aff_quota: 2 * unit });
    const client = await app.as(user);
    expect(await client.delete('/api/user/self')).toMatchObject({ success: true });
    expect(await client.post('/api/user/aff_transfer', { quota: unit })).toMatchObject({ status: 401 });
    expect(await record(app, user.id)).toMatchObject({ quota: 0, aff_quota: 2 * unit });
  });
});
