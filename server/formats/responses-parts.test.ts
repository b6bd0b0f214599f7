// Round trips of OpenAI's Responses through parts: written responses are read back, and any split of a stream yields the same.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventSplitter } from '#server/framing/event-splitter.ts';
import { estimateTextTokens } from '#server/exchange/token-estimate.ts';
import { namedEvents } from '#server/framing/sse.ts';
import { buildRoute } from '#tests/support/build-channel.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { readResponses, responseEvents } from '#tests/support/openai-responses.ts';
import type { ChatRequest, ResponsePart } from './parts.ts';
import { clientDialects, upstreamDialects } from './registry.ts';
import type { StreamPipe } from './stream-pipe.ts';
import { TextTally } from './text-tally.ts';
import { TranslatedStream } from './translated-stream.ts';

const client = clientDialects['openai-responses'];
const upstream = upstreamDialects['openai-responses'];
const writer = { model: 'gpt-5.5', requestId: 'r', createdAt: 1, wantsUsage: true, promptEstimate: 3 };
const route = buildRoute({ type: 1, setting: '{"formats":["openai-responses"]}' });

const createTally = () => new TextTally({ countText: (text) => Promise.resolve(text.length), estimateText: estimateTextTokens });
function identity(): StreamPipe {
  const path = upstream.identity;
  if (path === null) throw new Error('No identity path');
  return path.openStream({ client, route, upstreamModel: 'gpt-5.5', writer, tally: createTally() });
}
const pipes: { name: string; create(): StreamPipe }[] = [
  { name: 'identity', create: identity },
  ...(['openai-chat', 'claude'] as const).map((name) => ({
    name,
    create: () => new TranslatedStream({ client: clientDialects[name], route, writer, tally: createTally() }),
  })),
];

function streamOf(behaviour: Parameters<typeof responseEvents>[1]): string {
  const tools = [{ type: 'function', name: 'get_tide', parameters: {} }];
  const request = readResponses({ model: 'gpt-5.5', input: 'Hi', tools, include: ['reasoning.encrypted_content'] });
  if (!('inputTokens' in request)) throw new Error('The request is refused');
  return [...responseEvents(request, behaviour, 'resp_1')]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

function feed(pipe: StreamPipe, text: string, size: number) {
  const splitter = new EventSplitter();
  const bytes = Buffer.from(text);
  const out: Buffer[] = [];
  let last = '';
  for (let at = 0; at < bytes.length; at += size) {
    const events = splitter.push(bytes.subarray(at, at + size));
    if (events === null) continue;
    const { forClient, next } = pipe.push(events, false);
    out.push(...forClient.map((piece) => Buffer.from(piece)));
    last = JSON.stringify(next);
  }
  const { usage } = pipe.reportedUsage();
  return { text: Buffer.concat([...out, pipe.ending(usage)]).toString(), usage, last };
}

describe.each(pipes)('a stream of Responses to $name', ({ name, create }) => {
  test.each([
    { text: 'High water, 大潮 🌊 "at" noon.', reasoning: 'The moon is full.' },
    { toolCalls: [{ name: 'get_tide', arguments: '{"port":"Brest"}' }], reasoning: '潮' },
    { text: 'No.', finishReason: 'content_filter' },
  ])('does not depend on where chunks are split: %j', (behaviour) => {
    const events = streamOf(behaviour);
    const whole = feed(create(), events, 1_000_000);
    expect(whole.last).toBe('"complete"');
    expect(whole.usage?.output).toBeGreaterThan(0);
    for (let size = 1; size < 80; size += 1) expect(feed(create(), events, size)).toEqual(whole);
    if (name === 'identity') expect(whole.text).toBe(events);
  });
});

test('a stream that is cut off ends with an error with the next sequence number', () => {
  const error = { message: 'Broken', type: 'server_error', param: null, code: 'broken', status: 502 };
  const events = streamOf({ text: 'one two three' });
  const head = events.slice(0, events.indexOf('event: response.output_text.done'));
  const reported = [...head.matchAll(/"sequence_number":(\d+)/g)].length;
  for (const { name, create } of pipes.slice(0, 1)) {
    const pipe = create();
    feed(pipe, head, 7);
    expect(pipe.fail(error), name).toContain(`"sequence_number":${reported}`);
  }
  const stream = client.createStreamWriter(writer);
  const written = stream.write({ type: 'start', id: '', model: '' }) + stream.write({ type: 'text', text: 'one' }) + stream.fail(error);
  const read = [...namedEvents(Buffer.from(written))].map(({ name, data }): Record<string, unknown> => ({ name, ...JSON.parse(data) }));
  expect(read.map((event) => event['sequence_number'])).toEqual(read.map((_, index) => index));
  expect(read.slice(-2)).toMatchObject([
    { name: 'error', code: 'broken', message: 'Broken', param: null },
    { name: 'response.failed', response: { status: 'failed', error: { code: 'server_error' }, output: [] } },
  ]);
});

const anyText = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('"', '\\', '\n', '\u2028', '潮 🌊'));
const seal = { origin: 'openai' as const, data: 'abc' };

test('parts written as a stream or complete are read back', () => {
  const some = fc.oneof(
    fc.record({ type: fc.constant('text' as const), text: anyText }),
    fc.record({ type: fc.constant('refusal' as const), text: anyText }),
    fc.record({ type: fc.constant('reasoning' as const), text: anyText }),
    fc.constant({ type: 'sealed' as const, seal }),
  );
  fc.assert(
    fc.property(fc.array(some, { maxLength: 6 }), fc.array(fc.dictionary(fc.string(), fc.string()), { maxLength: 3 }), (pieces, calls) => {
      const called = calls.flatMap((input, index): ResponsePart[] => [
        { type: 'tool_call', index, id: `call_${index}`, name: 'get_tide' },
        { type: 'tool_arguments', index, text: JSON.stringify(input) },
      ]);
      const finish: ResponsePart = { type: 'finish', reason: calls.length > 0 ? 'tool_calls' : 'stop' };
      const parts: ResponsePart[] = [{ type: 'start', id: 'resp_1', model: 'm', createdAt: 5 }, ...pieces, ...called, finish];
      const stream = client.createStreamWriter(writer);
      const written = parts.map((part) => stream.write(part)).join('') + stream.end(null);
      const reader = upstream.createStreamReader(null);
      const read = [...namedEvents(Buffer.from(written))].flatMap((event) => reader.read(event));
      expect(reader.isComplete).toBe(true);
      expect(joined(read)).toEqual(joined(parts));
      expect(joined(upstream.readWhole(client.writeWhole(parts, null, writer), null) ?? [])).toEqual(joined(parts));
    }),
  );
});

/** Joins pieces of a text. */
function joined(parts: readonly ResponsePart[]): ResponsePart[] {
  const all: ResponsePart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (
      last !== undefined &&
      'text' in last &&
      'text' in part &&
      last.type === part.type &&
      last.text !== undefined &&
      part.text !== undefined &&
      last.type !== 'citation'
    )
      last.text += part.text;
    else all.push({ ...part });
  }
  return all;
}

test('requests lose nothing in a round trip through parts', () => {
  const text = anyText;
  const item = fc.oneof(
    fc.record({ role: fc.constant('user'), content: text }),
    fc.record({ role: fc.constant('system'), content: text }),
    fc.record({ role: fc.constant('assistant'), content: text.map((value) => [{ type: 'output_text', text: value }]) }),
    fc.record({
      role: fc.constant('user'),
      content: text.map((value) => [
        { type: 'input_text', text: value },
        { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
        { type: 'input_file', file_url: 'https://example.com/a.pdf', filename: 'a.pdf' },
        { type: 'input_file', file_data: 'data:application/pdf;base64,AAAA', filename: 'b.pdf' },
      ]),
    }),
    text.map((value) => ({ type: 'reasoning', summary: [{ type: 'summary_text', text: value }], encrypted_content: 'abc' })),
    fc.constant({ type: 'reasoning', summary: [], encrypted_content: 'abc' }),
    fc.record({
      type: fc.constant('function_call'),
      call_id: fc.constantFrom('c1', 'c2'),
      name: fc.constant('f'),
      arguments: fc.constant('{"a":1}'),
    }),
    fc.record({ type: fc.constant('custom_tool_call'), call_id: fc.constant('c3'), name: fc.constant('g'), input: text }),
    fc.record({ type: fc.constant('function_call_output'), call_id: fc.constantFrom('c1', 'c2'), output: text }),
  );
  const body = fc.record(
    {
      model: fc.constant('gpt-5.5'),
      instructions: text,
      input: fc.array(item, { maxLength: 6 }).map((items) => [{ role: 'user', content: 'Hi' }, ...items]),
      tools: fc.constant([{ type: 'function', name: 'f', description: 'F', parameters: { type: 'object', properties: {} }, strict: true }]),
      tool_choice: fc.constantFrom('auto', 'none', 'required', { type: 'function', name: 'f' }),
      parallel_tool_calls: fc.boolean(),
      max_output_tokens: fc.integer({ min: 16, max: 100_000 }),
      temperature: fc.constant(0.5),
      top_p: fc.constant(0.5),
      text: fc.constantFrom(
        { format: { type: 'json_object' }, verbosity: 'low' },
        { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true, description: 'd' } },
      ),
      reasoning: fc.constantFrom({ effort: 'low' }, { effort: 'xhigh' }),
      metadata: fc.constant({ run: '1' }),
      prompt_cache_key: fc.constant('k'),
      user: fc.constant('u'),
      stream: fc.boolean(),
    },
    { requiredKeys: ['model', 'input', 'tools'] },
  );
  const plain = ({ clientFields: _clientFields, extras, messages, ...request }: ChatRequest) => ({
    ...request,
    extras: Object.fromEntries(extras.map(({ name, value }) => [name, value])),
    // Ignores paths of items, and how many formed a turn.
    messages: messages.map(({ field: _field, ...message }) => message),
  });
  fc.assert(
    fc.property(body, (requested) => {
      const read = client.readRequest(requested);
      const { body: written, dropped } = upstream.writeRequest(read, {
        upstreamModel: 'gpt-5.5',
        forceUsage: false,
        settings: defaultSettings,
      });
      expect(dropped).toEqual([]);
      expect(plain(client.readRequest(written))).toEqual(plain(read));
    }),
  );
});
