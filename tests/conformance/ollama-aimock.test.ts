// Ollama against an independent implementation. https://github.com/CopilotKit/aimock
import { LLMock } from '@copilotkit/aimock';
import { describe, expect, test } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';

const parameters = { type: 'object', properties: { port: { type: 'string' } } };
const model = 'llama3.2';
const callers = [
  { path: '/v1/messages', setting: '', tools: [{ name: 'get_tide', input_schema: parameters }] },
  {
    path: '/v1/chat/completions',
    setting: JSON.stringify({ formats: ['ollama'] }),
    tools: [{ type: 'function', function: { name: 'get_tide', parameters } }],
  },
];

async function openScene(setting: string) {
  const mock = new LLMock({ port: 0, logLevel: 'silent' });
  mock.onMessage(/call/, { toolCalls: [{ name: 'get_tide', arguments: '{"port":"Brest"}' }] });
  mock.onMessage(/./, { content: 'At noon in Brest, 潮.' });
  await mock.start();
  const channels = [{ type: 4, key: 'ollama', base_url: mock.url, models: model, setting }];
  const scene = await createScene(embeddedEngine, { settings: { SelfUseModeEnabled: 'true' }, channels });
  return { mock, scene };
}

describe.each(callers)('Ollama from $path', ({ path, setting, tools }) => {
  test.each([false, true])('writes and calls (stream: %s)', async (stream) => {
    const { mock, scene } = await openScene(setting);
    try {
      await using _scene = scene;
      const ask = async (content: string) => {
        const response = await scene.post(path, { model, max_tokens: 50, stream, tools, messages: [{ role: 'user', content }] });
        expect(response.status).toBe(200);
        return response.text();
      };
      const text = await ask('Tide?');
      for (const word of ['noon', 'Brest', '潮']) expect(text).toContain(word);
      const called = await ask('Now call');
      expect(called).toContain('"get_tide"');
      expect(called).toContain('Brest');
      const rows = await scene.logs(2);
      expect(rows.every(({ completion_tokens, quota }) => completion_tokens > 0 && quota > 0)).toBe(true);
      expect(mock.getRequests().map((request) => request.path)).toEqual(['/api/chat', '/api/chat']);
      await scene.checkBooks();
    } finally {
      await mock.stop();
    }
  });

  test('is refused', async () => {
    const { mock, scene } = await openScene(setting);
    try {
      await using _scene = scene;
      mock.nextRequestError(429, { message: 'Too many requests', type: 'rate_limit_error' });
      const response = await scene.post(path, { model, max_tokens: 50, messages: [{ role: 'user', content: 'Tide?' }] });
      expect(response.status).toBe(429);
      expect(await scene.balance()).toBe(500_000_000);
      await scene.checkBooks();
    } finally {
      await mock.stop();
    }
  });
});
