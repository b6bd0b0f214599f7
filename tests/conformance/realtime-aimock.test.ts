// Realtime sessions against an independent implementation. https://github.com/CopilotKit/aimock
import { LLMock } from '@copilotkit/aimock';
import { expect, test } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { connectSocket, type SocketClient } from '#tests/support/socket-client.ts';

const model = 'gpt-realtime';

async function upTo(client: SocketClient, type: string): Promise<unknown[]> {
  const types: unknown[] = [];
  for (;;) {
    const message = await client.next();
    types.push(message['type']);
    if (message['type'] === type) return types;
    if (message['type'] === 'error') throw new Error(JSON.stringify(message));
  }
}

async function openScene() {
  const mock = new LLMock({ port: 0, logLevel: 'silent' });
  mock.onMessage(/./, { content: 'At noon in Brest, 潮.' });
  await mock.start();
  const scene = await createScene(embeddedEngine, {
    settings: { ModelRatio: JSON.stringify({ [model]: 2 }) },
    channels: [{ base_url: mock.url, models: model }],
  });
  return { mock, scene };
}

const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'When is high water?' }] };

test('a session goes through, and its turns are charged', async () => {
  const { mock, scene } = await openScene();
  try {
    await using _scene = scene;
    const headers = { authorization: `Bearer ${scene.key}` };
    using client = await connectSocket(`${scene.app.origin}/v1/realtime?model=${model}`, { headers });
    await upTo(client, 'session.created');
    client.send({ type: 'session.update', session: { type: 'realtime', instructions: 'Speak of tides.' } });
    await upTo(client, 'session.updated');
    client.send({ type: 'conversation.item.create', item });
    client.send({ type: 'response.create' });
    expect(await upTo(client, 'response.done')).toContain('response.created');
    const [row] = await scene.logs(1);
    expect(row?.quota).toBeGreaterThan(0);
    await scene.checkBooks();
  } finally {
    await mock.stop();
  }
});

test('the shape of the beta is refused there as at the vendor, and its word and its code come through', async () => {
  const { mock, scene } = await openScene();
  try {
    await using _scene = scene;
    const headers = { authorization: `Bearer ${scene.key}`, 'openai-beta': 'realtime=v1' };
    using client = await connectSocket(`${scene.app.origin}/v1/realtime?model=${model}`, { headers });
    expect(await client.next()).toMatchObject({ type: 'error', error: { code: 'beta_api_shape_disabled' } });
    expect(await client.closed).toMatchObject({ code: 4000, reason: 'invalid_request_error.beta_api_shape_disabled' });
    expect(await scene.balance()).toBe(500_000_000);
    await scene.checkBooks();
  } finally {
    await mock.stop();
  }
});
