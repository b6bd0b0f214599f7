// What the console does to a token, as the calls that use it feel it.
import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createScene, type RelayScene, testModel } from '#tests/support/relay-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const body = JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'Say hello' }] });

const ask = async (origin: string, key: string): Promise<{ status: number; code: string | undefined }> => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const response = await fetch(`${origin}/v1/chat/completions`, { method: 'POST', headers, body });
  const answer = await response.json();
  return { status: response.status, code: answer.error?.code };
};

async function createToken(client: TestClient, fields: Record<string, unknown>): Promise<{ id: number; key: string }> {
  const answer = await client.post('/api/token/', { name: 'key', ...fields });
  return { id: answer.data[0].id, key: `sk-${answer.data[0].key}` };
}

describe.each(engines)('tokens in use on $kind', (engine) => {
  test('a new token works at once, by what it allows', async () => {
    await using scene = await createScene(engine);
    const client = await scene.app.as(scene.user);
    const use = async (fields: Record<string, unknown>) => ask(scene.app.origin, (await createToken(client, fields)).key);
    expect(await use({ unlimited_quota: true })).toMatchObject({ status: 200 });
    expect(await use({ remain_quota: 500_000 })).toMatchObject({ status: 200 });
    expect(await use({ remain_quota: 0 })).toMatchObject({ status: 401, code: 'key_exhausted' });
    expect(await use({ remain_quota: 1 })).toMatchObject({ status: 403, code: 'pre_consume_token_quota_failed' });
    expect(await use({ unlimited_quota: true, expired_time: 1 })).toMatchObject({ status: 401, code: 'key_expired' });
    expect(await use({ unlimited_quota: true, allow_ips: '10.0.0.0/8\n127.0.0.1' })).toMatchObject({ status: 200 });
    expect(await use({ unlimited_quota: true, allow_ips: '10.0.0.0/8\n::1' })).toMatchObject({ status: 403, code: 'ip_denied' });
    expect(await use({ unlimited_quota: true, model_limits_enabled: true, model_limits: `other,${testModel}` })).toMatchObject({
      status: 200,
    });
    expect(await use({ unlimited_quota: true, model_limits_enabled: true, model_limits: '' })).toMatchObject({
      status: 403,
      code: 'model_denied',
    });
  });

  test('an edit revives an expired and an exhausted token at once', async () => {
    await using scene = await createScene(engine);
    const client = await scene.app.as(scene.user);
    const { id, key } = await createToken(client, { remain_quota: 0, expired_time: 1 });
    expect(await ask(scene.app.origin, key)).toMatchObject({ code: 'key_expired' });
    await client.put('/api/token/', { id, expired_time: -1 });
    expect(await ask(scene.app.origin, key)).toMatchObject({ code: 'key_exhausted' });
    await client.put('/api/token/', { id, remain_quota: 500_000 });
    expect(await ask(scene.app.origin, key)).toMatchObject({ status: 200 });
    await client.put('/api/token/?status_only=true', { id, status: 2 });
    expect(await ask(scene.app.origin, key)).toMatchObject({ code: 'key_disabled' });
    await client.put('/api/token/?status_only=true', { id, status: 1 });
    expect(await ask(scene.app.origin, key)).toMatchObject({ status: 200 });
    await scene.checkBooks();
  });

  test('a deleted token is refused within a second by every process', async () => {
    await using scene = await createScene(engine);
    await using other = await createTestApp(engine, { database: scene.app.database, clock: scene.app.clock });
    const client = await scene.app.as(scene.user);
    const { id, key } = await createToken(client, { unlimited_quota: true });
    await until(async () => (await ask(other.origin, key)).status === 200);
    expect(await client.delete(`/api/token/${id}`)).toMatchObject({ success: true });
    expect(await ask(scene.app.origin, key)).toMatchObject({ status: 401, code: 'key_invalid' });
    expect(await until(async () => (await ask(other.origin, key)).code === 'key_invalid')).toBeLessThan(1000);
  });

  test('edits while calls run lose no unit and give none back', async () => {
    await using scene = await createScene(engine);
    const client = await scene.app.as(scene.user);
    const start = 5_000_000;
    const { id, key } = await createToken(client, { remain_quota: start });
    const read = async () => (await client.get(`/api/token/${id}`)).data;

    /** Like a form: read, change, send everything back; retry after a conflict. */
    const raise = async () => {
      for (;;) {
        const seen = await read();
        const answer = await client.put('/api/token/', { ...seen, remain_quota: seen.remain_quota + 1000 });
        if (answer.success) return;
        expect(answer.code).toBe('revision_conflict');
      }
    };
    const rename = async (index: number) =>
      expect(await client.put('/api/token/', { id, name: `name ${index}` })).toMatchObject({ success: true });
    const calls = Array.from({ length: 8 }, async () => {
      for (let index = 0; index < 10; index += 1) expect(await ask(scene.app.origin, key)).toMatchObject({ status: 200 });
    });
    const raises = Array.from({ length: 4 }, async () => {
      for (let index = 0; index < 5; index += 1) await raise();
    });
    const renames = Array.from({ length: 5 }, (_, index) => rename(index));
    await Promise.all([...calls, ...raises, ...renames]);
    const rows = await scene.logs(80);
    const spent = rows.reduce((sum, row) => sum + row.quota, 0);
    expect(spent).toBeGreaterThan(0);
    expect(await read()).toMatchObject({ remain_quota: start + 20_000 - spent, used_quota: spent });
    await scene.checkBooks();
  });

  test('calls at once on a token that pays for some of them succeed that often', async () => {
    await using scene = await createScene(engine);
    const { key, id } = await tokenFor(scene, 10);
    const answers = await Promise.all(Array.from({ length: 60 }, () => ask(scene.app.origin, key)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(10);
    for (const answer of answers) expect([undefined, 'key_exhausted', 'pre_consume_token_quota_failed']).toContain(answer.code);
    const client = await scene.app.as(scene.user);
    expect((await client.get(`/api/token/${id}`)).data).toMatchObject({ remain_quota: 0, status: 4 });
    await scene.checkBooks();
  });

  test('the log has the calls of a token under its name', async () => {
    await using scene = await createScene(engine);
    const client = await scene.app.as(scene.user);
    const { key } = await createToken(client, { name: 'mine', unlimited_quota: true });
    await ask(scene.app.origin, key);
    await ask(scene.app.origin, scene.key);
    await scene.logs(2);
    const page = (await client.get('/api/log/self?token_name=mine')).data;
    expect(page).toMatchObject({ total: 1, items: [{ token_name: 'mine', model_name: testModel, channel: 0, channel_name: '' }] });
    expect(page.items[0].other).not.toContain('admin_info');
    expect(page.items[0].content).toBe('模型倍率 0.075，补全倍率 4.00，分组倍率 1.00');
    const sums = (await client.get('/api/log/self/stat?token_name=mine')).data;
    expect(sums).toEqual({ quota: page.items[0].quota, rpm: 1, tpm: page.items[0].prompt_tokens + page.items[0].completion_tokens });
  });
});

/** A token with exactly what that many calls reserve and cost: a price per call, known beforehand. */
async function tokenFor(scene: RelayScene, calls: number): Promise<{ id: number; key: string }> {
  const root = await scene.app.createUser({ role: 100 });
  const admin = await scene.app.as(root);
  expect(await admin.put('/api/option/', { key: 'ModelPrice', value: JSON.stringify({ [testModel]: 0.01 }) })).toMatchObject({
    success: true,
  });
  const client = await scene.app.as(scene.user);
  return createToken(client, { remain_quota: calls * 0.01 * 500_000 });
}
