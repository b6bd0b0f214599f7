// Request → a provider's body → request, for generated requests of every format that both callers and providers speak: nothing is lost.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ClientDialect } from '#server/dialects/client-dialect.ts';
import type { ChatRequest, Message } from '#server/dialects/parts.ts';
import { clientDialects, upstreamDialects } from '#server/dialects/registry.ts';
import type { UpstreamDialect } from '#server/dialects/upstream-dialect.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';

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
    asked: fc.tuple(words, fc.array(image, { maxLength: 1 })),
    said: fc.array(words, { maxLength: 1 }),
    calls: fc.array(fc.record({ name, input: fc.dictionary(name, text, { maxKeys: 3 }), result: text }), { maxLength: 3 }),
    closing: words,
  })
  .map(({ asked: [asked, images], said, calls, closing }) => ({ asked: [asked, ...images], said, calls, closing }));

/** A conversation as a provider takes it: users and models in turns, every call answered. */
const conversation = fc.tuple(fc.option(text), fc.array(turn, { minLength: 1, maxLength: 3 }), text).map(([system, turns, last]) => {
  const messages: Message[] = system === null ? [] : [{ role: 'system', content: [{ type: 'text', text: system }], field }];
  for (const [index, { asked, said, calls, closing }] of turns.entries()) {
    const ids = calls.map((_, call) => `call_${index}_${call}`);
    messages.push({ role: 'user', content: asked, field });
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

const asked = fc.record({
  messages: conversation,
  tools: fc.uniqueArray(fc.record({ name, description: text }), { maxLength: 3, selector: (tool) => tool.name }),
  maxTokens: fc.integer({ min: 16, max: 8000 }),
  temperature: fc.integer({ min: 0, max: 10 }).map((tenth) => tenth / 10),
  isStream: fc.boolean(),
});

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
    const isKept = fc.property(asked, ({ tools, ...rest }) => {
      const parameters = { type: 'object', properties: { port: { type: 'string' } } };
      const request: ChatRequest = {
        model: 'gemini-3-flash-preview',
        ...rest,
        tools: tools.map((tool) => ({ ...tool, parameters })),
        saidFields: client.saidFields,
        extras: [],
      };
      const { body, dropped } = upstream.writeRequest(request, {
        upstreamModel: 'gemini-3-flash-preview',
        forceUsage: false,
        settings: defaultSettings,
      });
      expect(dropped).toEqual([]);
      const read = client.readRequest(JSON.parse(JSON.stringify(body)));
      expect(saidIn(read.messages)).toEqual(saidIn(request.messages));
      expect(read.tools.map((tool) => [tool.name, tool.description, tool.parameters])).toEqual(
        request.tools.map((tool) => [tool.name, tool.description, tool.parameters]),
      );
      expect([read.maxTokens, read.temperature]).toEqual([request.maxTokens, request.temperature]);
      // Some formats have it in their addresses.
      if ('model' in body) expect(read.model).toBe(request.model);
    });
    expect(() => fc.assert(isKept, { numRuns: 60 })).not.toThrow();
  });
});
