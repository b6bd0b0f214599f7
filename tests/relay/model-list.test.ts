// The list of models requires a valid key: a disabled one shows nothing.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';

describe.each(oneEngine)('the list of models on $kind', (engine) => {
  test.each([
    { what: 'from another address', fields: { allow_ips: '10.9.9.9' }, code: 'ip_denied' },
    { what: 'of a group that nobody may choose', fields: { group: 'closed' }, code: 'token_group_disabled' },
    { what: 'of a group without a ratio', fields: { group: 'old' }, code: 'group_deprecated' },
  ])('is refused to a key $what, as its calls are', async ({ fields, code }) => {
    await using scene = await createScene(engine, {
      settings: {
        UserUsableGroups: JSON.stringify({ default: 'all', old: 'gone' }),
        GroupRatio: JSON.stringify({ default: 1, closed: 1 }),
      },
      channels: [{ group: 'default,closed,old' }],
    });
    const authorization = `Bearer ${(await scene.addToken(fields)).key}`;
    for (const path of ['/v1/models', `/v1/models/${testModel}`]) {
      const response = await fetch(`${scene.app.origin}${path}`, { headers: { authorization } });
      expect([response.status, (await response.json()).error?.code], path).toEqual([403, code]);
    }
    expect((await (await scene.chat({}, { authorization })).json()).error.code).toBe(code);
    const own = await fetch(`${scene.app.origin}/v1/models/${testModel}`, { headers: { authorization: `Bearer ${scene.key}` } });
    expect(own.status).toBe(200);
  });

  test('is in the format that the headers tell, errors too', async () => {
    await using scene = await createScene(engine);
    const get = async (path: string, headers: Record<string, string>) => {
      const response = await fetch(`${scene.app.origin}${path}`, { headers });
      return { status: response.status, headers: response.headers, body: await response.json() };
    };
    const openai = await get('/v1/models', { authorization: `Bearer ${scene.key}` });
    expect(openai.body).toMatchObject({ object: 'list', success: true });
    expect(openai.body.data).toContainEqual(expect.objectContaining({ id: testModel, object: 'model' }));
    expect(openai.headers.get('x-request-id')).toMatch(/\d/);
    const asClaude: Record<string, string>[] = [
      { 'x-api-key': scene.key },
      { authorization: `Bearer ${scene.key}`, 'anthropic-version': '2023-06-01' },
    ];
    for (const headers of asClaude) {
      const claude = await get('/v1/models?limit=1000', headers);
      expect(claude.body).not.toHaveProperty('object');
      expect(claude.body.data).toContainEqual(
        expect.objectContaining({
          type: 'model',
          id: testModel,
          display_name: testModel,
          created_at: expect.any(String),
          max_tokens: 16_384,
        }),
      );
      expect(claude.headers.get('request-id')).toMatch(/\d/);
      expect(await get(`/v1/models/${testModel}`, headers)).toMatchObject({ status: 200, body: { type: 'model', id: testModel } });
      expect(await get('/v1/models/nothing-such', headers)).toMatchObject({
        status: 404,
        body: { type: 'error', error: { type: 'not_found_error' } },
      });
      expect(await get('/v1/models?limit=0', headers)).toMatchObject({ status: 400, body: { error: { type: 'invalid_request_error' } } });
    }
    // Parameters of the other format mean nothing to this one.
    expect((await get('/v1/models?limit=0', { authorization: `Bearer ${scene.key}` })).status).toBe(200);
    expect(await get('/v1/models', { 'x-api-key': 'sk-nobody' })).toMatchObject({
      status: 401,
      body: { type: 'error', error: { type: 'authentication_error' } },
    });
  });

  test("is Codex's where it says its version, with a tag that its responses repeat until the list changes", async () => {
    const models = 'claude-sonnet-4-5,deepseek-chat,gpt-4.1,gpt-5.5,house-model,text-embedding-3-small,tts-1';
    await using scene = await createScene(engine, { channels: [{ models }], settings: { SelfUseModeEnabled: 'true' } });
    const list = (headers: Record<string, string> = {}) =>
      fetch(`${scene.app.origin}/v1/models?client_version=0.169.0`, { headers: { authorization: `Bearer ${scene.key}`, ...headers } });
    const reported = await list();
    const tag = reported.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    const body = await reported.json();
    // What Codex has an entry of its own for, and what holds no conversation, is not in it.
    expect(body.models.map(({ slug }: { slug: string }) => slug)).toEqual(['claude-sonnet-4-5', 'deepseek-chat', 'gpt-4.1', 'house-model']);
    expect(body.models[0]).toMatchObject({
      context_window: 200_000,
      default_reasoning_level: 'medium',
      input_modalities: ['text', 'image'],
    });
    expect(body.models[1]).toMatchObject({ context_window: 1_000_000, supported_reasoning_levels: [], input_modalities: ['text'] });
    expect(body.models[3]).not.toHaveProperty('context_window');
    const again = await list({ 'if-none-match': tag });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);

    const ask = async (headers: Record<string, string>, key = scene.key) => {
      const requested = { model: 'house-model', input: 'Hi', stream: true };
      const response = await scene.post('/v1/responses', requested, { authorization: `Bearer ${key}`, ...headers });
      expect(await response.text()).toContain('response.completed');
      return response.headers.get('x-models-etag');
    };
    const ofCodex = { 'session-id': '5f1c9a52-0000-4000-8000-000000000001' };
    expect(await ask(ofCodex)).toBe(tag);
    expect(await ask({})).toBeNull();
    const narrow = await scene.addToken({ model_limits_enabled: true, model_limits: 'house-model' });
    const ofNarrow = await ask(ofCodex, narrow.key);
    expect(ofNarrow).toMatch(/^"/);
    expect(ofNarrow).not.toBe(tag);
    await scene.addChannel({ models: 'grok-4' });
    await expect.poll(() => ask(ofCodex)).not.toBe(tag);
    expect(await ask(ofCodex)).toBe((await list()).headers.get('etag'));
  });
});
