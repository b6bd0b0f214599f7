// JSON within texts, and schemas, that would be too much once they are read: refused in the caller's format, before anything is sent or paid.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, testModel } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

/** With what they stand in. */
const objects = (count: number) => `{"a":[${'{},'.repeat(count - 4)}{}]}`;
const wide = { type: 'object', properties: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`p${index}`, {}])) };
const english = { 'accept-language': 'en' };
const tooMany = expect.stringContaining('The request body has too many parts');

const chat = (text: string) => ({
  messages: [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: text } }] },
    { role: 'tool', tool_call_id: 'c1', content: 'done' },
  ],
});
const responses = (text: string) => ({
  input: [
    { role: 'user', content: 'Hello' },
    { type: 'function_call', call_id: 'c1', name: 'read', arguments: text },
    { type: 'function_call_output', call_id: 'c1', output: 'done' },
  ],
});
const claude = (text: string) => ({
  max_tokens: 100,
  messages: [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'read', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: text }] },
  ],
});

describe('a body that is more than it seems', () => {
  let scene: RelayScene;
  beforeAll(async () => {
    scene = await createScene(embeddedEngine, {
      channels: [
        { models: testModel, type: 14 },
        { models: 'gemini-2.5-flash', type: 24, setting: '{"formats":["gemini"]}' },
      ],
      settings: { ModelRatio: JSON.stringify({ [testModel]: 1, 'gemini-2.5-flash': 1 }) },
    });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  test.each([
    ['arguments of chat', '/v1/chat/completions', { model: testModel, ...chat(objects(99_990)) }, { code: 'body_too_complex' }],
    [
      'arguments of a stream',
      '/v1/chat/completions',
      { model: testModel, stream: true, ...chat(objects(200_000)) },
      { code: 'body_too_complex' },
    ],
    ['arguments of Responses', '/v1/responses', { model: testModel, ...responses(objects(200_000)) }, { code: 'body_too_complex' }],
    ['results of Claude', '/v1/messages', { model: 'gemini-2.5-flash', ...claude(objects(200_000)) }, { type: 'request_too_large' }],
  ])('%s', async (_about, path, body, error) => {
    const response = await scene.post(path, body, english);
    expect([response.status, await response.json()]).toEqual([
      413,
      expect.objectContaining({ error: expect.objectContaining({ ...error, message: tooMany }) }),
    ]);
    expect(scene.upstream.requests).toEqual([]);
    await until(() => scene.app.context.bodies.bytes === 0);
  });

  test.each([
    [
      'chat',
      '/v1/chat/completions',
      { model: testModel, ...chat('{}'), tools: [{ type: 'function', function: { name: 'read', parameters: wide } }] },
    ],
    ['Responses', '/v1/responses', { model: testModel, ...responses('{}'), tools: [{ type: 'function', name: 'read', parameters: wide }] }],
    [
      'Claude, where it passes as it is',
      '/v1/messages',
      { model: testModel, ...claude('done'), tools: [{ name: 'read', input_schema: wide }] },
    ],
    [
      'Gemini',
      '/v1beta/models/gemini-2.5-flash:generateContent',
      { contents: [{ parts: [{ text: 'Hello' }] }], tools: [{ functionDeclarations: [{ name: 'read', parameters: wide }] }] },
    ],
  ])('a schema of %s', async (_about, path, body) => {
    const response = await scene.post(path, body, english);
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ error: expect.objectContaining({ message: tooMany }) }),
    ]);
    expect(scene.upstream.requests).toEqual([]);
  });
});
