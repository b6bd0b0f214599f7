// Arguments from upstreams are JSON texts, which some client formats parse.
import { expect, test } from 'vitest';
import { mostParts } from '#server/framing/part-budget.ts';
import { clientDialects } from './registry.ts';
import { decodeWhole } from './decode-whole.ts';
import type { ClientDialect } from './client-dialect.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';

const writer = { model: 'm', requestId: 'r1', createdAt: 1_700_000_000, wantsUsage: true, promptEstimate: 7 };
/** Parts of the text, including the enclosing object. */
const objects = (count: number) => `{"a":[${'{},'.repeat(count - 4)}{}]}`;
const clients = Object.values<ClientDialect>(clientDialects).filter(
  ({ calls, name }) => calls.chat !== undefined && name !== 'openai-chat',
);

function routeOf(client: ClientDialect) {
  const route = buildPreparedChannel({ base_url: 'https://up.example', type: 1, setting: '{"formats":["openai-chat"]}' }).route(
    client,
    'chat',
    'gpt-4o',
  );
  if (route === null) throw new Error('There is no such way');
  return route;
}

test.each(clients)('reported arguments: a complete response to a caller of $title is limited to the parts of a body', (client) => {
  const kindOf = (...texts: string[]) => {
    const tool_calls = texts.map((text, index) => ({
      id: `c${index}`,
      index,
      type: 'function',
      function: { name: 'read', arguments: text },
    }));
    const message = { role: 'assistant', content: null, tool_calls };
    const body = {
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    };
    const route = routeOf(client);
    return decodeWhole({ client, route, writer, upstreamModel: 'gpt-4o', responseFields: {}, body: Buffer.from(JSON.stringify(body)) })
      .kind;
  };
  expect(kindOf(objects(mostParts / 2), objects(mostParts / 2))).toBe('whole');
  expect(kindOf(objects(mostParts / 2), objects(mostParts / 2 + 1))).toBe('too_deep');
});

test.each([clientDialects.gemini, clientDialects['gemini-interactions']])(
  'reported arguments: a stream to a caller of $title reads no more of them',
  (client) => {
    const stream = client.createStreamWriter(writer);
    const written = (index: number, text: string) =>
      stream.write({ type: 'tool_call', index, id: `c${index}`, name: 'read' }) + stream.write({ type: 'tool_arguments', index, text });
    const first = written(0, objects(mostParts / 2));
    const second = written(1, objects(mostParts / 2 + 1));
    const end = stream.write({ type: 'finish', reason: 'tool_calls' }) + stream.end(null);
    expect(`${first}${second}${end}`).toMatch(/MALFORMED_FUNCTION_CALL|failed|incomplete/);
  },
);
