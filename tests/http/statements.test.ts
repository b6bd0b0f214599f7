import { describe, expect, it } from 'vitest';
import type { Statement } from '#shared/statement.ts';
import { foldLog } from '#server/logs/fold-log.ts';
import { engines } from '#tests/support/engines.ts';
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

const own = '/api/user/self/statement';

function expectAddsUp({ opening, closing, entries, more_entries: more, calls, more_calls: others }: Statement): void {
  const credits = entries.reduce((sum, { amount }) => sum + amount, more.amount);
  const charges = calls.reduce((sum, { amount }) => sum + amount, others.amount);
  expect(opening + credits - charges).toBe(closing);
}

describe.each(engines)('statements on $kind', { concurrent: true }, (engine) => {
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

  it('begin where rows of the log that are deleted end, and still add up', async () => {
    await using scene = await createScene(engine);
    const { app, user } = scene;
    const root = await app.setup();
    const client = await app.as(user);
    await call(scene, 3);
    app.clock.advance(5 * hour * 1000);
    await call(scene, 2);
    await scene.logs(5);
    const before = nowOf(scene) - hour;
    await until(async () => (await root.delete(`/api/log/?target_timestamp=${before}`)).data > 0);
    const statement = await read(client, own);
    expectAddsUp(statement);
    expect(statement.from).toBe(before);
    expect(statement.closing).toBe(await scene.balance());
    await call(scene, 1);
    const next = await read(client, own);
    expect(next.opening).toBe(statement.opening);
    expect(next.closing).toBe(await scene.balance());
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
