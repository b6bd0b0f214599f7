import { describe, expect, it } from 'vitest';
import { createToken } from '#tests/support/build-token.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { startFakeUpstream } from '#tests/support/fake-upstream.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const messages = [{ role: 'user', content: 'Say hello.' }];

async function ask(app: TestApp, key: string, body: Record<string, unknown> = {}): Promise<number> {
  const response = await fetch(`${app.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages, ...body }),
  });
  await response.text();
  return response.status;
}

describe.each(oneEngine)('the first call on $kind', (engine) => {
  const scene = async (fields: { role?: number; quota?: number } = {}) => {
    const app = await createTestApp(engine);
    const upstream = await startFakeUpstream();
    await app.setup();
    const root = await app.login('root');
    await root.post('/api/channel/', { name: 'main', key: 'sk-up', models: 'gpt-4o-mini,unpriced-x', base_url: upstream.url });
    const user = await app.createUser({ role: fields.role ?? 10, quota: fields.quota ?? 1_000_000 });
    const client = await app.as(user);
    const { key, token } = await createToken(app.context, user.id);
    const state = async () => (await client.get('/api/first-call')).data;
    /** What the guide shows as soon as it has come there. */
    const refusal = async (code: string) => {
      await until(async () => (await state()).refusal?.code === code);
      return (await state()).refusal;
    };
    const close = async () => {
      await app.close();
      await upstream.close();
    };
    return { app, upstream, root, user, client, key, token, state, refusal, [Symbol.asyncDispose]: close };
  };

  it('is told to whoever made it, with the channel for administrators only', async () => {
    await using the = await scene();
    const { app, key, token, state, user } = the;
    expect(await state()).toEqual({ time: expect.any(Number), call: null, refusal: null });
    expect(await ask(app, key)).toBe(200);
    const { call } = await state();
    expect(call).toMatchObject({ model: 'gpt-4o-mini', token_name: token.name, is_answered: true, status: 200, channel: { name: 'main' } });
    expect(call.quota).toBeGreaterThan(0);
    expect(call.first_byte_ms).toEqual(expect.any(Number));
    expect((await app.context.db.collection('logs').get(call.log_id))?.user_id).toBe(user.id);

    const other = await app.createUser({ quota: 1_000_000 });
    const otherClient = await app.as(other);
    expect((await otherClient.get('/api/first-call')).data).toMatchObject({ call: null, refusal: null });
    await ask(app, (await createToken(app.context, other.id)).key);
    expect((await otherClient.get('/api/first-call')).data.call).toMatchObject({ is_answered: true, channel: null, problem: '' });
  });

  it('of another token says nothing about a program that is set up with this one', async () => {
    await using the = await scene();
    const { app, client, key, token, user, state } = the;
    const other = await createToken(app.context, user.id, { name: 'another program' });
    const of = async (id: number) => (await client.get(`/api/first-call?token=${id}`)).data;
    await of(token.id);
    for (let time = 0; time < 31; time += 1) await ask(app, other.key);
    expect(await of(token.id)).toMatchObject({ call: null, refusal: null });
    expect((await of(other.token.id)).call).toMatchObject({ token_name: other.token.name });
    await ask(app, other.key, { model: 'nobody-has-it' });
    await until(async () => (await state()).refusal?.code === 'model_not_found');
    expect((await of(token.id)).refusal).toBeNull();
    expect((await of(other.token.id)).refusal).toMatchObject({ code: 'model_not_found' });
    await ask(app, key);
    await ask(app, other.key);
    expect((await of(token.id)).call).toMatchObject({ token_name: token.name, is_answered: true });
    // A wrong copy of the key belongs to no token, and may be of this one.
    await ask(app, key.slice(0, -1));
    await until(async () => (await of(token.id)).refusal?.code === 'key_invalid');
    const stranger = await createToken(app.context, (await app.createUser({ quota: 1_000_000 })).id);
    await ask(app, stranger.key);
    expect((await of(stranger.token.id)).call).toBeNull();
  });

  it('that a provider refuses says so, in its words for administrators', async () => {
    await using the = await scene();
    const { app, upstream, key, state } = the;
    upstream.behave({
      status: 401,
      error: { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' },
    });
    expect(await ask(app, key)).not.toBe(200);
    await until(async () => (await state()).call !== null);
    expect((await state()).call).toMatchObject({ is_answered: false, status: 401, quota: 0, channel: { name: 'main' } });
    expect((await state()).call.problem).toContain('Incorrect API key');
  });

  it('that is refused before a channel is asked says why', async () => {
    await using the = await scene({ quota: 0 });
    const { app, user, key, state, refusal } = the;
    await state();
    await ask(app, key);
    expect(await refusal('insufficient_user_quota')).toMatchObject({ status: 403, key_tail: '', key_length: 0, ip: '127.0.0.1' });
    await ask(app, key, { model: 'unpriced-x' });
    expect(await refusal('model_price_error_admin')).toMatchObject({ model: 'unpriced-x' });
    await ask(app, key, { model: 'nobody-has-it' });
    expect(await refusal('model_not_found')).toMatchObject({ status: 404, model: 'nobody-has-it' });
    const { key: off, token } = await createToken(app.context, user.id, { status: 2, name: 'switched off' });
    await ask(app, off);
    expect(await refusal('key_disabled')).toMatchObject({ token_name: token.name });
  });

  it('with an unknown key is shown by its tail, to administrators at the same address while they look', async () => {
    await using the = await scene();
    const { app, key, state, refusal } = the;
    // No watch is open yet.
    await ask(app, key.slice(0, -1));
    expect((await state()).refusal).toBeNull();
    await ask(app, key.slice(0, -1));
    const seen = await refusal('key_invalid');
    expect(seen).toMatchObject({ status: 401, token_name: null, key_tail: key.slice(-4, -1), key_length: 47 });
    expect(JSON.stringify(await app.context.db.collection('watches').find({}))).not.toContain(key.slice(5, 15));
    await ask(app, 'sk-short');
    await until(async () => (await state()).refusal?.key_length === 5);
    expect((await state()).refusal.key_tail).toBe('');

    const user = await app.as(await app.createUser());
    await user.get('/api/first-call');
    await ask(app, 'sk-unknown-to-everybody-here');
    await refusal('key_invalid');
    expect((await user.get('/api/first-call')).data.refusal).toBeNull();
  });

  it('from another address with an unknown key is nobody’s business', async () => {
    await using app = await createTestApp(engine, { env: { TRUSTED_PROXIES: '127.0.0.1' } });
    await app.setup();
    const admin = await app.as(await app.createUser({ role: 10 }));
    const look = async () => (await admin.get('/api/first-call', { headers: { 'x-forwarded-for': '203.0.113.7' } })).data.refusal;
    const from = async (address: string, key: string) => {
      const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': address };
      const answer = await fetch(`${app.origin}/v1/chat/completions`, { method: 'POST', headers, body: '{}' });
      await answer.text();
    };
    await look();
    await from('203.0.113.8', 'sk-of-a-stranger-somewhere');
    await from('203.0.113.7', 'sk-abcdefghijklmnopqrstuvw');
    await until(async () => (await look()) !== null);
    expect(await look()).toMatchObject({ ip: '203.0.113.7', key_tail: 'uvw' });
  });

  it('is watched for on every process, and only as long as somebody looks', async () => {
    await using the = await scene();
    const { app, key, state, refusal, user } = the;
    await using other = await createTestApp(engine, { database: app.database, clock: app.clock });
    await state();
    await until(async () => {
      await ask(other, key.slice(0, -2));
      return (await state()).refusal !== null;
    });
    await refusal('key_invalid');
    const before = await app.context.db.collection('watches').get(user.id);
    app.clock.advance(100_000);
    await ask(app, key, { model: 'nobody-has-it' });
    await ask(other, key, { model: 'nobody-has-it' });
    expect(await app.context.db.collection('watches').get(user.id)).toEqual(before);
    app.clock.advance(600_000);
    expect((await state()).refusal).toBeNull();
  });

  it('costs one record, however many refusals come', async () => {
    await using the = await scene();
    const { app, key, state, refusal } = the;
    await state();
    await Promise.all(Array.from({ length: 60 }, (_, index) => ask(app, key, { model: `none-${index}` })));
    await refusal('model_not_found');
    expect(await app.context.db.collection('watches').count({})).toBe(1);
    expect(await app.context.db.collection('logs').count({ type: 2 })).toBe(0);
  });
});
