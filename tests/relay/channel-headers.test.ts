// Headers that an operator sets for a channel, and what callers' own headers may not do.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';

const setting = JSON.stringify({
  header_override: {
    'X-Team': 'tide',
    Authorization: 'Token {api_key}',
    'User-Agent': 'ours/1',
    'anthropic-beta': 'ours',
    'x-twice': '{api_key}+{api_key}',
  },
});
const claude = { model: 'claude-3-5-haiku', max_tokens: 20, messages: [{ role: 'user', content: 'Say hello' }] };

describe.each(oneEngine)('headers of a channel on $kind', (engine) => {
  test.each([false, true])('are sent with every call, the key in its place (stream: %s)', async (stream) => {
    await using scene = await createScene(engine, { channels: [{ setting, key: 'sk-upstream' }] });
    expect((await scene.chat({ stream })).status).toBe(200);
    const { headers } = await scene.upstream.request(0);
    expect(headers).toMatchObject({
      'x-team': 'tide',
      authorization: 'Token sk-upstream',
      'user-agent': 'ours/1',
      'x-twice': 'sk-upstream+sk-upstream',
      'content-type': 'application/json',
    });
  });

  test('count before those of a caller who speaks the format of the provider', async () => {
    await using scene = await createScene(engine, {
      channels: [{ type: 14, setting, models: 'claude-3-5-haiku', key: 'sk-upstream' }],
      settings: { ModelRatio: '{"claude-3-5-haiku":1}' },
    });
    const reported = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'theirs', 'x-team': 'theirs', 'x-forwarded-for': '10.0.0.1' };
    expect((await scene.post('/v1/messages', claude, reported)).status).toBe(200);
    const { headers } = await scene.upstream.request(0);
    expect(headers).toMatchObject({ 'anthropic-beta': 'ours', 'x-team': 'tide', 'x-api-key': 'sk-upstream' });
    expect(headers['x-forwarded-for']).toBeUndefined();
    expect(JSON.stringify(headers)).not.toContain(scene.key);
  });

  test('no caller puts the key anywhere by writing its placeholder', async () => {
    await using scene = await createScene(engine, {
      channels: [{ type: 14, models: 'claude-3-5-haiku', key: 'sk-upstream' }],
      settings: { ModelRatio: '{"claude-3-5-haiku":1}' },
    });
    expect((await scene.post('/v1/messages', claude, { 'anthropic-beta': '{api_key}' })).status).toBe(200);
    expect((await scene.upstream.request(0)).headers['anthropic-beta'] ?? '').not.toContain('sk-upstream');
  });
});
