// A stream is complete with its last event, in every format: who hangs up on reading it has not left.
import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const model = 'claude-sonnet-4-5';
const messages = [{ role: 'user', content: 'When is high water?' }];

const clients = [
  { client: 'chat', path: '/v1/chat/completions', body: { messages }, last: 'data: [DONE]' },
  { client: 'Responses', path: '/v1/responses', body: { input: messages }, last: '"type":"response.completed"' },
  { client: 'Claude', path: '/v1/messages', body: { messages, max_tokens: 100 }, last: '"type":"message_stop"' },
  {
    client: 'Gemini',
    path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    body: { contents: [{ role: 'user', parts: [{ text: 'When is high water?' }] }] },
    last: '"finishReason":"STOP"',
  },
];
const upstreams = [
  { upstream: 'chat', type: 1, setting: '' },
  { upstream: 'Claude', type: 14, setting: '' },
  { upstream: 'Gemini', type: 24, setting: '', model_mapping: JSON.stringify({ [model]: 'gemini-3-flash-preview' }) },
  { upstream: 'Responses', type: 1, setting: JSON.stringify({ formats: ['openai-responses'] }) },
];
const cases = clients.flatMap((client) => upstreams.map(({ upstream, ...channel }) => ({ ...client, upstream, channel })));

/** Reads until that has come, and hangs up at once. */
function hangUpAt({ app, key }: RelayScene, { path, body, last }: { path: string; body: object; last: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const request = httpRequest(`${app.origin}${path}`, { method: 'POST', headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
        if (!text.includes(last)) return;
        request.destroy();
        resolve();
      });
      response.on('end', () => reject(new Error(`The last event did not come: ${text}`)));
      response.on('error', () => {});
    });
    request.on('error', () => {});
    request.end(JSON.stringify(body));
  });
}

describe.each(cases)('a client of $client before $upstream', ({ channel, ...client }) => {
  test.each([{}, { chunkDelay: 2 }])(
    'that hangs up with the last event has its whole response, and pays for that: %j',
    async (behaviour) => {
      await using scene = await createScene(embeddedEngine, {
        settings: { SelfUseModeEnabled: 'true' },
        channels: [{ models: model, ...channel }],
      });
      scene.upstream.behave({ text: 'High water is at noon.', ...behaviour });
      const said = 'contents' in client.body ? client.body : { model, stream: true, ...client.body };
      await hangUpAt(scene, { ...client, body: said });
      const [row] = await scene.logs(1);
      expect(row?.other?.['ending']).toBeUndefined();
      expect(row?.other).toMatchObject({ completion_source: 'upstream' });
      expect(row?.completion_tokens).toBeGreaterThan(0);
      expect(await (await scene.upstream.request(0)).closed).toBe('complete');
      await until(async () => (await scene.app.connections()) === 0);
      expect(await scene.logs(1)).toHaveLength(1);
      await scene.checkBooks();
    },
  );
});
