// What a channel makes of a request: its system prompt in each format, edits by path, and bodies that go through unchanged.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, testModel } from '#tests/support/relay-scene.ts';

const chat = { model: testModel, messages: [{ role: 'user', content: 'Hi' }] };
const operations = [
  { mode: 'set', path: 'temperature', value: 0.1, conditions: [{ path: 'model', mode: 'prefix', value: 'gpt' }] },
  { mode: 'set', path: 'stream', value: true },
  { mode: 'set', path: 'max_tokens', value: 900_000 },
  { mode: 'move', from: 'user', to: 'metadata.user' },
  { mode: 'append', path: 'messages.-1.content', value: ' (from the harbour)' },
];

async function sentBody({ upstream }: RelayScene): Promise<Record<string, unknown>> {
  return z.record(z.string(), z.unknown()).parse((await upstream.request(0)).body);
}

describe.each(oneEngine)('edits of a channel on $kind', (engine) => {
  test('operations change what the provider gets, but not whether it streams nor how much is reserved', async () => {
    await using scene = await createScene(engine, { channels: [{ param_override: JSON.stringify({ operations }) }] });
    const answer = await scene.chat({ messages: chat.messages, user: 'anna', max_tokens: 50 });
    expect(answer.headers.get('content-type')).toContain('application/json');
    const body = await sentBody(scene);
    expect(body).toMatchObject({ temperature: 0.1, metadata: { user: 'anna' }, messages: [{ content: 'Hi (from the harbour)' }] });
    expect(body).not.toHaveProperty('user');
    expect(body['stream'] ?? false).toBe(false);
    expect(body['max_tokens']).toBeLessThanOrEqual(50);
    await scene.checkBooks();
  });

  test.each([
    [
      '/v1/chat/completions',
      chat,
      1,
      (body: Record<string, unknown>) => body['messages'],
      [{ role: 'system', content: 'Answer briefly.' }, ...chat.messages],
    ],
    [
      '/v1/messages',
      { model: testModel, max_tokens: 9, messages: chat.messages },
      14,
      (body: Record<string, unknown>) => body['system'],
      'Answer briefly.',
    ],
  ] as const)('the system prompt is added to %s where there is none', async (path, request, type, promptIn, expected) => {
    await using scene = await createScene(engine, { channels: [{ type, setting: '{"system_prompt":"Answer briefly."}' }] });
    await (await scene.post(path, request)).text();
    expect(promptIn(await sentBody(scene))).toEqual(expected);
  });

  test('a request has its own system prompt unless the channel overrides it', async () => {
    const setting = { system_prompt: 'Answer briefly.' };
    await using scene = await createScene(engine, { channels: [{ setting: JSON.stringify(setting) }] });
    const messages = [{ role: 'system', content: 'Sing.' }, ...chat.messages];
    await (await scene.chat({ messages })).text();
    expect((await sentBody(scene))['messages']).toEqual(messages);
    await using other = await createScene(engine, {
      channels: [{ setting: JSON.stringify({ ...setting, system_prompt_override: true }) }],
    });
    await (await other.chat({ messages })).text();
    expect((await sentBody(other))['messages']).toEqual([{ role: 'system', content: 'Answer briefly.\nSing.' }, ...chat.messages]);
  });

  test('a channel may pass bodies through, whatever else it would change', async () => {
    const setting = '{"pass_through_body_enabled":true}';
    await using scene = await createScene(engine, { channels: [{ setting, param_override: '{"temperature":0}' }] });
    await (await scene.chat({ odd: 1 })).text();
    const body = await sentBody(scene);
    expect(body).toMatchObject({ odd: 1 });
    expect(body).not.toHaveProperty('temperature');
  });
});
