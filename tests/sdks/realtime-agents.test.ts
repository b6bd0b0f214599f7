// OpenAI's voice agents, as applications use them, through our sessions: their settings, audio in and out, and calls.
import { RealtimeAgent, RealtimeSession, tool } from '@openai/agents/realtime';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { embeddedEngine } from '../support/engines.ts';
import { cheap, openRealtime, realtimeModel } from '../support/realtime-scene.ts';
import { until } from '../support/until.ts';

const highWater = tool({
  name: 'high_water',
  description: 'When high water is',
  parameters: z.object({ place: z.string() }),
  execute: ({ place }) => Promise.resolve(`at noon in ${place}`),
});
const call = {
  type: 'function_call',
  id: 'item_call',
  call_id: 'call_1',
  name: 'high_water',
  arguments: '{"place":"Brest"}',
  status: 'completed',
};

test('an agent asks, hears the answer, runs its tool, and each of its turns is charged', async () => {
  await using opened = await openRealtime(embeddedEngine, {});
  const { scene, upstream, client } = opened;
  client.socket.close(1000);
  const agent = new RealtimeAgent({ name: 'Tides', instructions: 'Speak of tides.', tools: [highWater] });
  const session = new RealtimeSession(agent, { transport: 'websocket', model: realtimeModel });
  const failures: unknown[] = [];
  let received = 0;
  session.on('error', (failure) => failures.push(failure));
  session.on('audio', ({ data }) => (received += data.byteLength));
  await session.connect({ apiKey: scene.key, url: `${scene.app.origin.replace('http', 'ws')}/v1/realtime?model=${realtimeModel}` });
  const peer = await upstream.peer(1);
  await until(() => peer.ofType('session.update').length > 0);
  // It requests transcription of the input by default.
  expect(JSON.stringify(peer.ofType('session.update'))).toContain(cheap);
  session.sendMessage('When is high water?');
  await until(() => received > 0);
  expect(await scene.logs(1)).toHaveLength(1);

  const response = { object: 'realtime.response', id: 'resp_call', conversation_id: 'conv_1', output: [] };
  peer.emit({ type: 'response.created', response: { ...response, status: 'in_progress' } });
  peer.emit({ type: 'response.output_item.done', response_id: 'resp_call', output_index: 0, item: call });
  const usage = { total_tokens: 30, input_tokens: 20, output_tokens: 10 };
  peer.emit({ type: 'response.done', response: { ...response, status: 'completed', output: [call], usage } });
  await until(() => peer.ofType('conversation.item.create').some(({ item }) => item.type === 'function_call_output'));
  expect(peer.ofType('conversation.item.create').at(-1)).toMatchObject({
    item: { call_id: 'call_1', output: expect.stringContaining('at noon in Brest') },
  });
  // And lets the model continue with it.
  expect(await scene.logs(3)).toHaveLength(3);
  expect(session.usage.totalTokens).toBeGreaterThan(253);
  session.close();
  await peer.closed;
  expect(failures).toEqual([]);
  await scene.checkBooks();
});
