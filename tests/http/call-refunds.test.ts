// Refunds of a call's cost, as an administrator's console requests them. Failures midway: `tests/faults/call-refunds.test.ts`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogRecord } from '#server/db/records/log.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

describe.each(engines)('refunds of calls on $kind', (engine) => {
  let scene: RelayScene;
  let root: TestClient;
  let admin: TestClient;
  let owner: TestClient;
  let names = 0;
  beforeAll(async () => {
    // A call costs some hundred units.
    scene = await createScene(engine, { settings: { ModelRatio: '{"gpt-4o-mini":50}' }, tokenQuota: 1_000_000 });
    root = await scene.app.setup();
    admin = await scene.app.as(await scene.app.createUser({ role: 10 }));
    owner = await scene.app.as(scene.user);
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  async function call(): Promise<LogRecord> {
    const known = await scene.app.context.db.collection('logs').count({ type: 2 });
    await (await scene.chat()).text();
    const row = (await scene.logs(known + 1)).at(-1);
    if (row === undefined) throw new Error('no row');
    expect(row.quota).toBeGreaterThan(100);
    return row;
  }
  const refund = (who: TestClient, id: number, fields: object = {}) =>
    who.post(`/api/log/${id}/refund`, { amount: 60, reason: 'the answer was empty', ref: `refund-${(names += 1)}`, ...fields });

  it('goes back to the user and the token, is told on the receipt, and has a row of its own', async () => {
    const row = await call();
    const before = await scene.balance();
    const token = async () => (await owner.get(`/api/token/${scene.token.id}`)).data.remain_quota;
    const tokenBefore = await token();
    const answer = await refund(admin, row.id);
    expect(answer).toMatchObject({ success: true, data: { id: row.id } });
    const [reported] = JSON.parse(answer.data.other).refunds;
    expect(reported).toMatchObject({ amount: 60, reason: 'the answer was empty', by: expect.any(String) });
    expect(await scene.balance()).toBe(before + 60);
    expect(await token()).toBe(tokenBefore + 60);
    // The receipt and the row lead to each other.
    const entry = (await admin.get(`/api/log/${reported.row}`)).data;
    expect(JSON.parse(entry.other).event).toMatchObject({
      code: 'call_refunded',
      amount: 60,
      call: row.id,
      reason: 'the answer was empty',
    });
    // The owner does not see who did it.
    const own = JSON.parse((await owner.get(`/api/log/self/${row.id}`)).data.other).refunds;
    expect(own).toEqual([{ amount: 60, reason: 'the answer was empty', at: reported.at, row: reported.row }]);
    await scene.checkBooks();
  });

  it('is given once under one name, and never more than the call cost, however many ask at once', async () => {
    const row = await call();
    const before = await scene.balance();
    const same = await Promise.all(Array.from({ length: 5 }, () => refund(admin, row.id, { ref: 'same-name' })));
    expect(same.every(({ success }) => success)).toBe(true);
    expect(await scene.balance()).toBe(before + 60);
    const piece = Math.floor((row.quota - 60) / 4);
    const others = await Promise.all(Array.from({ length: 12 }, () => refund(admin, row.id, { amount: piece })));
    const given = others.filter(({ success }) => success).length;
    expect(given).toBe(4);
    expect(others.filter(({ success }) => !success).every(({ code }) => code === 'refund_too_large')).toBe(true);
    const left = row.quota - 60 - given * piece;
    if (left > 0) expect(await refund(admin, row.id, { amount: left })).toMatchObject({ success: true });
    expect(await scene.balance()).toBe(before + row.quota);
    await scene.checkBooks();
  });

  it.each([
    [{ amount: 0 }, 'amount'],
    [{ amount: -5 }, 'amount'],
    [{ amount: 1.5 }, 'amount'],
    [{ amount: '7' }, 'amount'],
    [{ reason: '' }, 'reason'],
    [{ reason: 'a\u0000b' }, 'reason'],
    [{ reason: 'x'.repeat(1001) }, 'reason'],
    [{ ref: '' }, 'ref'],
  ])('%j is refused by its field, and nothing moves', async (fields, field) => {
    const row = await call();
    const before = await scene.balance();
    expect(await refund(admin, row.id, fields)).toMatchObject({ success: false, body: { field } });
    expect(await scene.balance()).toBe(before);
  });

  it('is for those above the account, and for the super administrator', async () => {
    const row = await call();
    expect(await refund(owner, row.id)).toMatchObject({ success: false });
    expect(await refund(scene.app.anonymous(), row.id)).toMatchObject({ status: 401 });
    const peer = await scene.app.createUser({ role: 10, quota: 1_000_000 });
    await scene.app.context.db.collection('logs').patch({ id: row.id }, { set: { user_id: peer.id } });
    expect(await refund(admin, row.id)).toMatchObject({ success: false, code: 'user_edit_denied' });
    expect(await refund(root, row.id)).not.toMatchObject({ code: 'user_edit_denied' });
    expect(await refund(root, 99_999_999)).toMatchObject({ success: false, code: 'log_not_found' });
  });
});
