// Round trips of Gemini through parts: written responses are read back, and any split of a stream yields the same.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventSplitter } from '#server/framing/event-splitter.ts';
import { estimateTextTokens } from '#server/exchange/token-estimate.ts';
import { buildRoute } from '#tests/support/build-channel.ts';
import { dataEvent } from '#tests/support/data-event.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { geminiEvents } from '#tests/support/gemini-responses.ts';
import type { ChatRequest, ResponsePart } from './parts.ts';
import { clientDialects, upstreamDialects } from './registry.ts';
import type { StreamPipe } from './stream-pipe.ts';
import { TextTally } from './text-tally.ts';
import { TranslatedStream } from './translated-stream.ts';

const client = clientDialects.gemini;
const upstream = upstreamDialects.gemini;
const model = 'gemini-3-flash-preview';
const writer = { model, requestId: 'r', createdAt: 1, wantsUsage: true, promptEstimate: 3 };
const list = { ...writer, requested: { isList: true } };
const route = buildRoute({ type: 24 });

const createTally = () => new TextTally({ countText: (text) => Promise.resolve(text.length), estimateText: estimateTextTokens });
function identity(options: typeof writer): StreamPipe {
  const path = upstream.identity;
  if (path === null) throw new Error('No identity path');
  return path.openStream({ client, route, upstreamModel: model, writer: options, tally: createTally() });
}
const pipes: { name: string; create(): StreamPipe }[] = [
  { name: 'identity', create: () => identity(writer) },
  { name: 'identity as a list', create: () => identity(list) },
  ...(['openai-chat', 'claude', 'openai-responses'] as const).map((name) => ({
    name,
    create: () => new TranslatedStream({ client: clientDialects[name], route, writer, tally: createTally() }),
  })),
  { name: 'gemini by way of parts', create: () => new TranslatedStream({ client, route, writer, tally: createTally() }) },
];

const request = { model, stream: true, maxTokens: Infinity, candidates: 1, hasResults: false, promptTokens: 5 };

function streamOf(behaviour: Parameters<typeof geminiEvents>[1]): string {
  return [...geminiEvents(request, behaviour, 'r1')].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

function feed(pipe: StreamPipe, bytes: Buffer, size: number) {
  const splitter = new EventSplitter();
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
  const before = Buffer.concat(out);
  return { before, all: Buffer.concat([before, pipe.ending(usage)]), usage, last, hasFinished: pipe.hasFinished() };
}

const samples = [
  { text: 'High water, 大潮 🌊 "at" noon.', reasoning: 'The moon is full.' },
  { toolCalls: [{ name: 'get_tide', arguments: '{"port":"Brest"}' }], reasoning: '潮' },
  { text: 'No.', finishReason: 'SAFETY' },
];

describe.each(pipes)('a stream of Gemini to $name', ({ name, create }) => {
  test.each(samples)('does not depend on where chunks are split: %j', (behaviour) => {
    const bytes = Buffer.from(streamOf(behaviour));
    const whole = feed(create(), bytes, 1_000_000);
    expect(whole).toMatchObject({ last: '"more"', hasFinished: true });
    expect(whole.usage?.output).toBeGreaterThan(0);
    for (let size = 1; size < 80; size += 1) {
      const { all, usage } = feed(create(), bytes, size);
      expect({ text: all.toString(), usage }).toEqual({ text: whole.all.toString(), usage: whole.usage });
    }
    if (name === 'identity') expect(whole.all).toEqual(bytes);
    if (name === 'identity as a list') expect(JSON.parse(whole.all.toString())).toEqual([...geminiEvents(request, behaviour, 'r1')]);
    // The end waits for settlement.
    if (name.startsWith('identity')) expect(whole.before.toString()).not.toContain('finishReason');
  });

  test.each(samples)('that is cut off anywhere has not finished: %j', (behaviour) => {
    const bytes = Buffer.from(streamOf(behaviour));
    const lastEvent = bytes.lastIndexOf('data: ');
    for (let end = 1; end < bytes.length; end += 1) {
      const pipe = create();
      const { hasFinished, all } = feed(pipe, bytes.subarray(0, end), 1_000_000);
      expect(hasFinished).toBe(false);
      if (end < lastEvent) expect(all.includes('"finishReason":"STOP"') && name.startsWith('identity')).toBe(false);
    }
  });

  test('with invalid UTF-8 is read like any other', () => {
    const [head = '', tail = ''] = streamOf({ text: 'high#water' }).split('#');
    const bytes = Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]), Buffer.from(tail)]);
    const whole = feed(create(), bytes, 1_000_000);
    expect(whole.hasFinished).toBe(true);
    for (const size of [1, 2, 3, 5, 7]) expect(feed(create(), bytes, size).all).toEqual(whole.all);
    if (name === 'identity') expect(whole.all).toEqual(bytes);
  });
});

test('a list has an error as its last item, with or without earlier items', () => {
  const error = { message: 'Broken', type: 'server_error', param: null, code: 'broken', status: 502 };
  for (const parts of [[], [{ type: 'text', text: 'one' }]] satisfies ResponsePart[][]) {
    const stream = client.createStreamWriter(list);
    const written = stream.keepAlive() + parts.map((part) => stream.write(part)).join('') + stream.keepAlive() + stream.fail(error);
    const read = JSON.parse(written);
    expect(read).toHaveLength(parts.length + 1);
    expect(read.at(-1)).toMatchObject({ error: { code: 502, message: 'Broken', status: 'INTERNAL' } });
  }
});

test('a candidate that continues after another has ended is not held back', () => {
  const event = (index: number, rest: object) => `data: ${JSON.stringify({ candidates: [{ index, ...rest }] })}\n\n`;
  const says = (text: string) => ({ content: { role: 'model', parts: [{ text }] } });
  const events = [event(0, { ...says('a'), finishReason: 'STOP' }), event(1, says('b')), event(1, { ...says('c'), finishReason: 'STOP' })];
  const { before, all } = feed(identity(writer), Buffer.from(events.join('')), 10);
  expect(before.toString()).toBe(events.slice(0, 2).join(''));
  expect(all.toString().startsWith(events.join(''))).toBe(true);
});

test.each([
  ['no object', '[1]'],
  ['no JSON', '{"port":'],
  ['too deep', `{"a":${'['.repeat(3000)}${']'.repeat(3000)}}`],
])('arguments that are %s end the response with their own reason', (_, text) => {
  const parts: ResponsePart[] = [
    { type: 'tool_call', index: 0, id: 'c1', name: 'get' },
    { type: 'tool_arguments', index: 0, text },
    { type: 'finish', reason: 'tool_calls' },
  ];
  const candidate = { finishReason: 'MALFORMED_FUNCTION_CALL', content: { parts: [] } };
  expect(client.writeWhole(parts, null, writer)).toMatchObject({ candidates: [candidate] });
  const stream = client.createStreamWriter(list);
  const written = JSON.parse(parts.map((part) => stream.write(part)).join('') + stream.end(null));
  expect(written).toMatchObject([{ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] }]);
});

const anyText = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('"', '\\', '\n', '\u2028', '潮 🌊'));
const own = { origin: 'gemini' as const, data: 'Cg==' };
const foreign = fc.constantFrom({ origin: 'claude' as const, data: 'abc' }, { origin: 'openai' as const, data: '潮' }, own);

test('parts written as a stream or complete are read back', () => {
  const some = fc.oneof(
    fc.record({ type: fc.constant('text' as const), text: anyText }),
    fc.record({ type: fc.constant('reasoning' as const), text: anyText }),
    fc.record({ type: fc.constant('image' as const), mediaType: fc.constant('image/png'), data: fc.constant('AAAA') }),
  );
  const calls = fc.array(fc.record({ input: fc.dictionary(fc.string(), fc.string()), seal: fc.option(foreign) }), { maxLength: 3 });
  fc.assert(
    fc.property(fc.array(some, { maxLength: 6 }), calls, (pieces, called) => {
      const written = called.flatMap(({ input, seal }, index): ResponsePart[] => [
        { type: 'tool_call', index, id: `call_${index}`, name: 'get_tide', ...(seal === null ? {} : { seal }) },
        { type: 'tool_arguments', index, text: JSON.stringify(input) },
      ]);
      const finish: ResponsePart = { type: 'finish', reason: called.length > 0 ? 'tool_calls' : 'stop' };
      const parts: ResponsePart[] = [{ type: 'start', id: '', model: 'm' }, ...pieces, ...written, finish];
      const stream = client.createStreamWriter(writer);
      const text = parts.map((part) => stream.write(part)).join('') + stream.end(null);
      const reader = upstream.createStreamReader(null);
      const read = text.split('\n\n').flatMap((event) => (event === '' ? [] : reader.read(dataEvent(event.slice(6)))));
      expect(plainParts(read)).toEqual(plainParts(parts));
      expect(plainParts(upstream.readWhole(client.writeWhole(parts, null, writer), null) ?? [])).toEqual(plainParts(parts));
    }),
  );
});

/** Joins pieces of a text; foreign signatures are wrapped, and usage is always written. */
function plainParts(parts: readonly ResponsePart[]): unknown[] {
  const all: Record<string, unknown>[] = [];
  for (const part of parts) {
    if (part.type === 'usage') continue;
    const last = all.at(-1);
    if ((part.type === 'text' || part.type === 'reasoning') && last?.['type'] === part.type)
      last['text'] = `${String(last['text'])}${part.text}`;
    else all.push({ ...part, choice: undefined, seal: 'seal' in part && part.seal !== undefined ? 'sealed' : undefined });
  }
  return all;
}

test('signatures of other vendors are restored', () => {
  fc.assert(
    fc.property(foreign, (seal) => {
      const parts: ResponsePart[] = [
        { type: 'reasoning', text: 'Hm' },
        { type: 'reasoning_seal', seal },
        { type: 'text', text: 'Hi' },
        { type: 'sealed', seal },
        { type: 'tool_call', index: 0, id: 'c1', name: 'get', seal },
        { type: 'tool_arguments', index: 0, text: '{}' },
      ];
      const stream = client.createStreamWriter(list);
      const events = JSON.parse(parts.map((part) => stream.write(part)).join('') + stream.end(null));
      const whole = [client.writeWhole(parts, null, writer)];
      for (const responses of [events, whole]) {
        const contents = responses.map(({ candidates }: { candidates: { content: object }[] }) => candidates[0]?.content);
        const [message] = client.readRequest({ contents }).messages;
        expect(message).toMatchObject({
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'Hm', seal },
            { type: 'text', text: 'Hi' },
            { type: 'sealed', seal },
            { type: 'tool_call', id: 'c1', name: 'get', arguments: '{}', seal },
          ],
        });
      }
    }),
  );
});

test('requests lose nothing in a round trip through parts', () => {
  const text = anyText.map((value) => ({ text: value }));
  const user = fc.oneof(
    text,
    fc.constant({ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }),
    fc.constant({ inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }),
    fc.constant({ inlineData: { mimeType: 'application/pdf', data: 'AAAA' } }),
    fc.constant({ fileData: { mimeType: 'image/png', fileUri: 'https://example.com/a.png' } }),
  );
  const called = fc.record({
    parts: fc.array(fc.record({ text: anyText }), { maxLength: 2 }),
    input: fc.dictionary(fc.string(), fc.string()),
    isError: fc.boolean(),
  });
  const round = called.map(({ parts, input, isError }) => [
    { role: 'model', parts: [...parts, { functionCall: { id: 'c1', name: 'get_tide', args: input }, thoughtSignature: 'Cg==' }] },
    { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'get_tide', response: isError ? { error: 'no' } : { height: 4 } } }] },
  ]);
  const config = fc.record(
    {
      maxOutputTokens: fc.integer({ min: 1, max: 100_000 }),
      temperature: fc.constant(0.5),
      topP: fc.constant(0.5),
      topK: fc.constant(40),
      stopSequences: fc.constant(['END']),
      candidateCount: fc.constant(2),
      seed: fc.integer(),
      presencePenalty: fc.constant(0.5),
      frequencyPenalty: fc.constant(0.5),
      thinkingConfig: fc.constantFrom({ includeThoughts: true, thinkingLevel: 'LOW' }, { includeThoughts: true }),
      responseMimeType: fc.constant('application/json'),
      responseJsonSchema: fc.constant({ type: 'object', properties: { a: { type: 'string' } } }),
    },
    { requiredKeys: ['responseMimeType'] },
  );
  const body = fc.record(
    {
      contents: fc
        .tuple(fc.array(user, { minLength: 1, maxLength: 3 }), fc.array(round, { maxLength: 2 }))
        .map(([parts, rounds]) => [
          { role: 'user', parts },
          ...rounds.flat(),
          { role: 'model', parts: [{ text: 'Hi' }] },
          { role: 'user', parts: [{ text: 'Go on' }] },
        ]),
      systemInstruction: text.map((part) => ({ parts: [part] })),
      tools: fc.constant([
        {
          functionDeclarations: [
            { name: 'get_tide', description: 'G', parametersJsonSchema: { type: 'object', properties: { a: { type: 'integer' } } } },
          ],
        },
      ]),
      toolConfig: fc
        .constantFrom({ mode: 'AUTO' }, { mode: 'NONE' }, { mode: 'ANY' }, { mode: 'ANY', allowedFunctionNames: ['get_tide'] })
        .map((functionCallingConfig) => ({ functionCallingConfig })),
      generationConfig: config,
    },
    { requiredKeys: ['contents', 'tools'] },
  );
  const plain = ({ clientFields: _clientFields, extras, messages, ...requested }: ChatRequest) => ({
    ...requested,
    extras: Object.fromEntries(extras.map(({ name, value }) => [name, value])),
    messages: messages.map(({ field: _field, ...message }) => message),
  });
  fc.assert(
    fc.property(body, (requested) => {
      const read = client.readRequest(requested);
      const { body: written, dropped } = upstream.writeRequest(read, {
        upstreamModel: model,
        forceUsage: false,
        settings: defaultSettings,
      });
      expect(dropped).toEqual([]);
      expect(plain(client.readRequest(written))).toEqual(plain(read));
    }),
  );
});

test('names of either spelling are the same request', () => {
  const camel = {
    contents: [
      { role: 'model', parts: [{ functionCall: { name: 'get', args: { snake_case: 1 } }, thoughtSignature: 'Cg==' }] },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'get', response: { snake_case: 1 } } },
          { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
        ],
      },
    ],
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    tools: [{ functionDeclarations: [{ name: 'get', parameters: { type: 'OBJECT', properties: { snake_case: { type: 'STRING' } } } }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['get'] } },
    generationConfig: { maxOutputTokens: 5, thinkingConfig: { includeThoughts: true }, responseMimeType: 'application/json' },
  };
  const snake = {
    contents: [
      { role: 'model', parts: [{ function_call: { name: 'get', args: { snake_case: 1 } }, thought_signature: 'Cg==' }] },
      {
        role: 'user',
        parts: [
          { function_response: { name: 'get', response: { snake_case: 1 } } },
          { inline_data: { mime_type: 'image/png', data: 'AAAA' } },
        ],
      },
    ],
    system_instruction: { parts: { text: 'Be brief.' } },
    tools: { function_declarations: { name: 'get', parameters: { type: 'OBJECT', properties: { snake_case: { type: 'STRING' } } } } },
    tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['get'] } },
    generation_config: { max_output_tokens: 5, thinking_config: { include_thoughts: true }, response_mime_type: 'application/json' },
  };
  const read = client.readRequest(camel);
  expect(client.readRequest(snake)).toEqual(read);
  expect(read).toMatchObject({
    maxTokens: 5,
    toolChoice: { kind: 'tool', name: 'get' },
    tools: [{ name: 'get', parameters: { type: 'object', properties: { snake_case: { type: 'string' } } } }],
    messages: [
      { role: 'system' },
      { role: 'assistant', content: [{ type: 'tool_call', id: 'call_1', arguments: '{"snake_case":1}' }] },
      { role: 'user', content: [{ type: 'tool_result', callId: 'call_1' }, { type: 'image' }] },
    ],
  });
});

test('calls without ids find their results by name, in order', () => {
  const call = (name: string, n: number) => ({ functionCall: { name, args: { n } } });
  const result = (name: string, n: number) => ({ functionResponse: { name, response: { output: `${n}` } } });
  const { messages } = client.readRequest({
    contents: [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [call('a', 1), call('b', 2), call('a', 3)] },
      { role: 'user', parts: [result('a', 1), result('a', 3)] },
      { role: 'function', parts: [result('b', 2)] },
    ],
  });
  const [, requested, reported] = messages;
  const ids = requested?.content.map((part) => (part.type === 'tool_call' ? [part.id, JSON.parse(part.arguments).n] : []));
  expect(ids).toEqual([
    ['call_1', 1],
    ['call_2', 2],
    ['call_3', 3],
  ]);
  expect(reported?.content).toMatchObject([
    { callId: 'call_1', content: [{ text: '1' }] },
    { callId: 'call_3', content: [{ text: '3' }] },
    { callId: 'call_2', content: [{ text: '2' }] },
  ]);
});

test.each([
  [{ type: 'STRING', nullable: true }, { type: ['string', 'null'] }],
  [
    { type: 'STRING', format: 'enum', enum: ['a'], nullable: true },
    { type: ['string', 'null'], enum: ['a', null] },
  ],
  [{ anyOf: [{ type: 'INTEGER' }], nullable: true }, { anyOf: [{ type: 'integer' }, { type: 'null' }] }],
  [
    { type: 'ARRAY', items: { type: 'NUMBER' }, min_items: '2', maxItems: '9007199254740991' },
    { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 9007199254740991 },
  ],
  [{ type: ['integer', 'null'] }, { type: ['integer', 'null'] }],
  [{ type: 'TYPE_UNSPECIFIED', example: 4 }, { examples: [4] }],
])('a schema in OpenAPI’s words keeps its meaning: %j', (written, intended) => {
  const declared = { name: 'f', parameters: { type: 'OBJECT', properties: { z: written, a: written }, propertyOrdering: ['a', 'z'] } };
  const [tool] = client.readRequest({ contents: [], tools: [{ functionDeclarations: [declared] }] }).tools;
  expect(tool?.parameters).toEqual({ type: 'object', properties: { z: intended, a: intended } });
  expect(Object.keys(tool?.parameters['properties'] ?? {})).toEqual(['a', 'z']);
});

test.each([
  { config: { responseModalities: ['TEXT', 'AUDIO'] }, isSpoken: true },
  { config: { response_modalities: 'AUDIO' }, isSpoken: true },
  { config: { responseModalities: [3] }, isSpoken: true },
  { config: { responseModalities: ['Text', 'Audio'] }, isSpoken: true },
  { config: { responseModalities: ['TEXT'] }, isSpoken: false },
  { config: {}, isSpoken: false },
])('a response that may be audio is reserved as audio, however it is requested: $config', ({ config, isSpoken }) => {
  expect(client.calls.chat.promptContent({ contents: [], generation_config: config }).isSpoken).toBe(isSpoken);
});
