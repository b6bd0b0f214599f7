// Every event that the vendor's library knows, in both directions: it passes as it is, or is withheld for a reason.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { openRealtime, upTo } from '#tests/support/realtime-scene.ts';
import type { Json } from '#tests/support/socket-client.ts';
import { until } from '#tests/support/until.ts';

const library = createRequire(import.meta.url).resolve('openai/resources/realtime/realtime');
const declared = readFileSync(library.replace(/\.js$/, '.d.ts'), 'utf8');

/** Names of the events of a union of the library. */
function eventsOf(union: string): string[] {
  const [, members = ''] = new RegExp(`export type ${union} = ([^;]+);`).exec(declared) ?? [];
  return members.split('|').map((member) => {
    const name = member.trim().split('.').at(-1) ?? '';
    const [, type] = new RegExp(`interface ${name} \\{[^]*?\\n +type: '([^']+)';`).exec(declared) ?? [];
    if (type === undefined) throw new Error(`${name} has no type`);
    return type;
  });
}

const response = { object: 'realtime.response', id: 'resp_1', status: 'in_progress', output: [], conversation_id: 'conv_1' };
const about = { response_id: 'resp_1', item_id: 'item_1', output_index: 0, content_index: 0 };
/** Fields of events in addition to the common ones. */
const server: Record<string, Json> = {
  error: { error: { type: 'invalid_request_error', code: 'odd', message: 'Odd', param: null, event_id: null } },
  'session.created': { session: { type: 'realtime', model: 'gpt-realtime', instructions: 'Speak of tides.' } },
  'session.updated': { session: { type: 'realtime', model: 'gpt-realtime' } },
  'response.created': { response },
  'response.done': { response: { ...response, status: 'completed', usage: { total_tokens: 2, input_tokens: 1, output_tokens: 1 } } },
};
/** Limits of the provider's account, which do not apply to callers. */
const withheld = new Set(['rate_limits.updated']);
const client: Record<string, Json> = {
  'session.update': { session: { type: 'realtime', instructions: 'Speak of tides.' } },
  'conversation.item.create': { item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] } },
  'input_audio_buffer.append': { audio: 'AAAA' },
};

test('what a provider says arrives as it was said, and in order', async () => {
  const types = eventsOf('RealtimeServerEvent');
  expect(types.length).toBeGreaterThan(40);
  await using opened = await openRealtime(embeddedEngine, {});
  // The end of a response comes behind its beginning.
  const inOrder = types.toSorted((a, b) => Number(a === 'response.done') - Number(b === 'response.done'));
  const events = inOrder.map((type) => ({ type, ...about, delta: 'AAAA', later_field: { stored: [1] }, ...server[type] }));
  for (const event of events) opened.peer.emit(event);
  for (const event of events) {
    if (!withheld.has(event.type)) expect(await opened.client.next()).toEqual({ event_id: expect.any(String), ...event });
  }
  expect(await opened.scene.logs(1)).toMatchObject([{ prompt_tokens: 1, completion_tokens: 1 }]);
  await opened.scene.checkBooks();
});

test('what a client says goes on as it was said, and in order', async () => {
  const types = eventsOf('RealtimeClientEvent');
  expect(types.length).toBeGreaterThan(10);
  await using opened = await openRealtime(embeddedEngine, {});
  const events = types.map((type, at) => ({
    type,
    event_id: `mine_${at}`,
    item_id: 'item_1',
    later_field: { stored: [1] },
    ...client[type],
  }));
  for (const event of events) opened.client.send(event);
  await until(() => opened.peer.received.length === events.length);
  expect(opened.peer.received).toEqual(events);
  await upTo(opened.client, 'response.done');
  await opened.scene.checkBooks();
});
