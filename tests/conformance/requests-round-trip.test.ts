// Request → a provider's body → request, for generated requests of every format that both callers and providers speak: nothing is lost.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ClientDialect } from '#server/formats/client-dialect.ts';
import type { ChatRequest, Message } from '#server/formats/parts.ts';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import type { UpstreamDialect } from '#server/formats/upstream-dialect.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';

const model = 'gemini-3-flash-preview';
const clients: Readonly<Record<string, ClientDialect>> = clientDialects;
const upstreams: Readonly<Record<string, UpstreamDialect>> = upstreamDialects;
const both = Object.keys(clients).filter((name) => name in upstreams);

const text = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }).filter((value) => value.trim() !== '');
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/);
const image = fc.constant({ type: 'image' as const, source: { kind: 'base64' as const, mediaType: 'image/png', data: 'aGk=' } });
const words = text.map((value) => ({ type: 'text' as const, text: value }));
const field = 'messages';

const turn = fc
  .record({
    requested: fc.tuple(words, fc.array(image, { maxLength: 1 })),
    said: fc.array(words, { maxLength: 1 }),
    calls: fc.array(fc.record({ name, input: fc.dictionary(name, text, { maxKeys: 3 }), result: text }), { maxLength: 3 }),
    closing: words,
  })
  .map(({ requested: [requested, images], said, calls, closing }) => ({ requested: [requested, ...images], said, calls, closing }));

/** A conversation as a provider takes it: users and models in turns, every call answered. */
const conversation = fc.tuple(fc.option(text), fc.array(turn, { minLength: 1, maxLength: 3 }), text).map(([system, turns, last]) => {
  const messages: Message[] = system === null ? [] : [{ role: 'system', content: [{ type: 'text', text: system }], field }];
  for (const [index, { requested, said, calls, closing }] of turns.entries()) {
    const ids = calls.map((_, call) => `call_${index}_${call}`);
    messages.push({ role: 'user', content: requested, field });
    if (calls.length > 0) {
      const called = calls.map((call, at) => ({
        type: 'tool_call' as const,
        id: ids[at] ?? '',
        name: call.name,
        arguments: JSON.stringify(call.input),
      }));
      const results = calls.map((call, at) => ({
        type: 'tool_result' as const,
        callId: ids[at] ?? '',
        content: [{ type: 'text' as const, text: call.result }],
        isError: false,
      }));
      messages.push({ role: 'assistant', content: [...said, ...called], field }, { role: 'user', content: results, field });
    }
    messages.push({ role: 'assistant', content: [closing], field });
  }
  messages.push({ role: 'user', content: [{ type: 'text', text: last }], field });
  return messages;
});

const requested = fc.record({
  messages: conversation,
  tools: fc.uniqueArray(fc.record({ name, description: text }), { maxLength: 3, selector: (tool) => tool.name }),
  maxTokens: fc.integer({ min: 16, max: 8000 }),
  temperature: fc.integer({ min: 0, max: 10 }).map((tenth) => tenth / 10),
  isStream: fc.boolean(),
});
type Requested = typeof requested extends fc.Arbitrary<infer Value> ? Value : never;

/** Parts of a generated request. */
function requestOf({ tools, ...rest }: Requested, client: ClientDialect): ChatRequest {
  const parameters = { type: 'object', properties: { port: { type: 'string' } } };
  const withParameters = tools.map((tool) => ({ ...tool, parameters }));
  return { model, ...rest, tools: withParameters, clientFields: client.clientFields, extras: [] };
}

function expectSame(read: ChatRequest, request: ChatRequest): void {
  expect(saidIn(read.messages)).toEqual(saidIn(request.messages));
  const toolsOf = ({ tools }: ChatRequest) => tools.map((tool) => [tool.name, tool.description, tool.parameters]);
  expect(toolsOf(read)).toEqual(toolsOf(request));
  expect([read.maxTokens, read.temperature]).toEqual([request.maxTokens, request.temperature]);
}

/** All that was said, in order, whatever the messages are that it stands in. */
function saidIn(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, content }) =>
    content.map((part): string => {
      if (part.type === 'tool_call') return `call ${part.id} ${part.name} ${JSON.stringify(JSON.parse(part.arguments))}`;
      if (part.type === 'tool_result') return `result ${part.callId} ${JSON.stringify(part.content)}`;
      return `${role} ${JSON.stringify(part)}`;
    }),
  );
}

test('some formats are spoken at both ends', () => expect(both.length).toBeGreaterThan(2));

describe.each(both)('%s', (format) => {
  const client = clients[format];
  const upstream = upstreams[format];

  test('a request comes back as it went', () => {
    if (client === undefined || upstream === undefined) throw new Error('It is not spoken');
    const isStored = fc.property(requested, (generated) => {
      const request = requestOf(generated, client);
      const { body, dropped } = upstream.writeRequest(request, { upstreamModel: model, forceUsage: false, settings: defaultSettings });
      expect(dropped).toEqual([]);
      const read = client.readRequest(JSON.parse(JSON.stringify(body)));
      expectSame(read, request);
      // Some formats have it in their addresses.
      if ('model' in body) expect(read.model).toBe(request.model);
    });
    expect(() => fc.assert(isStored, { numRuns: 60 })).not.toThrow();
  });
});

describe('gemini-interactions, which providers are not asked in', () => {
  const client = clientDialects['gemini-interactions'];

  test.each(both)('a request is read as it was written, and is the same on its way to %s', (format) => {
    const [reader, upstream] = [clients[format], upstreams[format]];
    if (reader === undefined || upstream === undefined) throw new Error('It is not spoken');
    const isStored = fc.property(requested, (generated) => {
      const request = requestOf(generated, client);
      const body = interactionOf(request);
      client.calls.chat.check(body);
      const read = client.readRequest(JSON.parse(JSON.stringify(body)));
      expect(read.extras).toEqual([]);
      expectSame(read, request);
      expect([read.model, read.isStream]).toEqual([request.model, request.isStream]);
      const sent = upstream.writeRequest(read, { upstreamModel: model, forceUsage: false, settings: defaultSettings });
      expect(sent.dropped).toEqual([]);
      expectSame(reader.readRequest(JSON.parse(JSON.stringify(sent.body))), request);
    });
    expect(() => fc.assert(isStored, { numRuns: 60 })).not.toThrow();
  });
});

/** As its callers write it. https://ai.google.dev/api/interactions-api */
function interactionOf({ messages, tools, maxTokens, temperature, isStream }: ChatRequest): Record<string, unknown> {
  const [first] = messages;
  const system = first?.role === 'system' ? first.content.map((part) => part.text).join('') : undefined;
  return {
    model,
    stream: isStream,
    ...(system === undefined ? {} : { system_instruction: system }),
    input: messages.flatMap(({ role, content }) => (role === 'system' ? [] : content.map((part) => stepOf(role, part)))),
    tools: tools.map((tool) => ({ type: 'function', ...tool })),
    generation_config: { max_output_tokens: maxTokens, temperature },
  };
}

function stepOf(role: string, part: Message['content'][number]): object {
  switch (part.type) {
    case 'text':
      return { type: role === 'user' ? 'user_input' : 'model_output', content: [{ type: 'text', text: part.text }] };
    case 'image': {
      if (part.source.kind !== 'base64') throw new Error('None such is generated');
      const { mediaType: mime_type, data } = part.source;
      return { type: 'user_input', content: [{ type: 'image', mime_type, data }] };
    }
    case 'tool_call':
      return { type: 'function_call', id: part.id, name: part.name, arguments: JSON.parse(part.arguments) };
    case 'tool_result':
      return { type: 'function_result', call_id: part.callId, result: part.content };
    default:
      throw new Error(`No ${part.type} is generated`);
  }
}
