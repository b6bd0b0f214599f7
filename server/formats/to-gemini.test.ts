import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventSplitter } from '#server/framing/event-splitter.ts';
import { framings } from '#server/framing/registry.ts';
import { estimateTextTokens } from '#server/exchange/token-estimate.ts';
import { noTokens } from '#shared/token-usage.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { dataEvent } from '#tests/support/data-event.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { claudeClient } from './claude/client.ts';
import { decodeWhole } from './decode-whole.ts';
import { toJsonSchema } from './gemini/json-schema.ts';
import { toOpenApiSchema } from './gemini/openapi-schema.ts';
import { writeThinking } from './gemini/thinking.ts';
import { geminiUpstream } from './gemini/upstream.ts';
import { geminiClient } from './gemini/client.ts';
import { openaiChatClient } from './openai-chat/client.ts';
import { openaiResponsesClient } from './openai-responses/client.ts';
import type { ResponsePart } from './parts.ts';
import { TextTally } from './text-tally.ts';
import { TranslatedStream } from './translated-stream.ts';

const options = { model: 'm', requestId: 'r1', createdAt: 1_700_000_000, wantsUsage: true, promptEstimate: 7 };
const flash3 = 'gemini-3-flash-preview';

type Json = Record<string, unknown>;

function fromChat(body: Json, upstreamModel = flash3) {
  const request = openaiChatClient.readRequest({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], ...body });
  return geminiUpstream.writeRequest(request, { upstreamModel, forceUsage: false, settings: defaultSettings });
}

function fromClaude(messages: readonly unknown[], body: Json = {}) {
  const request = claudeClient.readRequest({ model: 'm', max_tokens: 100, messages, ...body });
  return geminiUpstream.writeRequest(request, { upstreamModel: flash3, forceUsage: false, settings: defaultSettings });
}

const tool = (parameters: Json, name = 'get') => ({ type: 'function', function: { name, parameters } });

describe('requests to Gemini', () => {
  test('hosted tools under the names of callers, results in the order of their calls', () => {
    const { body } = fromChat({
      tools: [
        tool({ type: 'object', properties: { q: { type: 'string' } } }),
        tool({}, 'googleSearch'),
        tool({ properties: {} }, 'noargs'),
      ],
      tool_choice: 'required',
      messages: [
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get', arguments: '{"q":"Brest"}' } }] },
        { role: 'tool', tool_call_id: 'c1', content: 'rain' },
      ],
    });
    expect(body).toEqual({
      contents: [
        { role: 'user', parts: [{ text: 'Weather?' }] },
        {
          role: 'model',
          parts: [{ functionCall: { id: 'c1', name: 'get', args: { q: 'Brest' } }, thoughtSignature: 'skip_thought_signature_validator' }],
        },
        { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'get', response: { output: 'rain' } } }] },
      ],
      tools: [
        { googleSearch: {} },
        {
          functionDeclarations: [
            { name: 'get', parametersJsonSchema: { type: 'object', properties: { q: { type: 'string' } } } },
            { name: 'noargs' },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    });
  });

  test.each([
    ['auto', { mode: 'AUTO' }],
    ['none', { mode: 'NONE' }],
    [
      { type: 'function', function: { name: 'get' } },
      { mode: 'ANY', allowedFunctionNames: ['get'] },
    ],
  ])('the choice %j', (choice, functionCallingConfig) => {
    expect(fromChat({ tools: [tool({})], tool_choice: choice }).body).toMatchObject({ toolConfig: { functionCallingConfig } });
  });

  test('several fields of the configuration at once, and what is searched', () => {
    const { body, dropped } = fromChat({
      seed: 3,
      n: 2,
      presence_penalty: 0.5,
      max_tokens: 9,
      web_search_options: {},
      logit_bias: { 1: 1 },
    });
    expect(body).toMatchObject({
      generationConfig: { seed: 3, candidateCount: 2, presencePenalty: 0.5, maxOutputTokens: 9 },
      tools: [{ googleSearch: {} }],
    });
    expect(dropped).toEqual(['logit_bias']);
  });

  test('results: an object as it is, a failure, pictures within it or behind it', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
    const turns = [
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: ['a', 'b', 'c'].map((id) => ({ type: 'tool_use', id, name: `tool_${id}`, input: {} })) },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: '{"t":15}' },
          { type: 'tool_result', tool_use_id: 'b', content: 'No such file', is_error: true },
          { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'See' }, image] },
        ],
      },
    ];
    const inlineData = { mimeType: 'image/png', data: 'iVBORw0KGgo=' };
    const { body } = fromClaude(turns);
    expect(body.contents).toMatchObject([
      {},
      {},
      {
        parts: [
          { functionResponse: { id: 'a', name: 'tool_a', response: { t: 15 } } },
          { functionResponse: { id: 'b', name: 'tool_b', response: { error: 'No such file' } } },
          { functionResponse: { id: 'c', name: 'tool_c', response: { output: 'See' }, parts: [{ inlineData }] } },
        ],
      },
    ]);
    const request = claudeClient.readRequest({ model: 'm', max_tokens: 100, messages: turns });
    const older = geminiUpstream.writeRequest(request, { upstreamModel: 'gemini-2.5-pro', forceUsage: false, settings: defaultSettings });
    expect(JSON.stringify(older.body.contents)).toContain(`{"output":"See"}}},{"inlineData":`);
  });

  test('files by URL, not by id', () => {
    const picture = { type: 'image_url', image_url: { url: 'https://example.com/a.PNG?x=1' } };
    const { body } = fromChat({ messages: [{ role: 'user', content: [picture] }] });
    expect(body.contents).toEqual([
      { role: 'user', parts: [{ fileData: { mimeType: 'image/png', fileUri: 'https://example.com/a.PNG?x=1' } }] },
    ]);
    const byId = { type: 'file', file: { file_id: 'file-1' } };
    expect(() => fromChat({ messages: [{ role: 'user', content: [byId] }] })).toThrow(expect.objectContaining({ code: 'untranslatable' }));
  });

  test.each([
    [flash3, { effort: 'medium' }, { includeThoughts: true, thinkingLevel: 'MEDIUM' }],
    ['gemini-3-pro-preview', { effort: 'medium' }, { includeThoughts: true, thinkingLevel: 'HIGH' }],
    ['gemini-3.1-pro-preview', { isOn: false }, { includeThoughts: false, thinkingLevel: 'LOW' }],
    ['gemini-pro-latest', { budgetTokens: 2000 }, { includeThoughts: true, thinkingLevel: 'MEDIUM' }],
    ['gemini-2.5-flash', { budgetTokens: 100_000 }, { includeThoughts: true, thinkingBudget: 24_576 }],
    ['gemini-2.5-flash', { isOn: false }, { includeThoughts: false, thinkingBudget: 0 }],
    ['gemini-2.5-pro', { isOn: false }, { includeThoughts: false, thinkingBudget: 128 }],
    ['gemini-2.5-flash-lite', { budgetTokens: 100 }, { includeThoughts: true, thinkingBudget: 512 }],
    ['gemini-2.0-flash', { effort: 'high' }, null],
    ['gemma-3', { effort: 'high' }, null],
  ] as const)('%s thinks as %j', (model, wish, config) => {
    expect(writeThinking(model, { isOn: true, ...wish })).toEqual(config);
  });
});

describe('signatures', () => {
  const answer = {
    responseId: 'id1',
    candidates: [
      {
        index: 0,
        finishReason: 'STOP',
        content: {
          role: 'model',
          parts: [
            { text: 'Hm', thought: true },
            { text: 'Looking.', thoughtSignature: 'b2Y=' },
            { functionCall: { name: 'get', args: { q: 1 } }, thoughtSignature: 'Y2FsbA==' },
            { functionCall: { name: 'get', args: { q: 2 } } },
          ],
        },
      },
    ],
  };
  const wanted = [
    { text: 'Looking.', thoughtSignature: 'b2Y=' },
    { functionCall: { name: 'get', args: { q: 1 } }, thoughtSignature: 'Y2FsbA==' },
    { functionCall: { name: 'get', args: { q: 2 } } },
  ];
  const parts = geminiUpstream.readWhole(answer, null) ?? [];
  const modelTurn = (body: Json) => Array.isArray(body.contents) && (body.contents[1] as unknown);

  test('are restored from a Claude caller, which preserves its blocks', () => {
    const { content } = claudeClient.writeWhole(parts, null, options);
    const blocks = Array.isArray(content) ? content : [];
    expect(blocks.map(({ type }) => type)).toEqual(['thinking', 'text', 'redacted_thinking', 'redacted_thinking', 'tool_use', 'tool_use']);
    const results = blocks.flatMap((block) =>
      block.type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: block.id, content: 'x' }] : [],
    );
    expect(new Set(results.map((result) => result.tool_use_id)).size).toBe(2);
    const { body } = fromClaude([
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: blocks },
      { role: 'user', content: results },
    ]);
    expect(modelTurn(body)).toMatchObject({ parts: wanted });
  });

  test('are restored from a chat caller, from the details of its message or its calls alone', () => {
    const { choices } = openaiChatClient.writeWhole(parts, null, options);
    const [{ message }] = choices as [{ message: { tool_calls: { id: string; extra_content?: unknown }[] } }];
    const results = message.tool_calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'x' }));
    const again = (turn: object) => modelTurn(fromChat({ messages: [{ role: 'user', content: 'Go' }, turn, ...results] }).body);
    expect(again(message)).toMatchObject({ parts: wanted });
    expect(again({ role: 'assistant', tool_calls: message.tool_calls })).toMatchObject({ parts: wanted.slice(1) });
    const bare = message.tool_calls.map((call) => ({ ...call, extra_content: undefined }));
    expect(again({ ...message, tool_calls: bare })).toMatchObject({ parts: wanted });
  });

  test('streams report the same', () => {
    const chat = openaiChatClient.createStreamWriter(options);
    const claude = claudeClient.createStreamWriter(options);
    const reader = geminiUpstream.createStreamReader(null);
    const read = reader.read(dataEvent(JSON.stringify(answer)));
    const written = read.map((part) => chat.write(part)).join('') + chat.end(null);
    expect(written).toContain('"extra_content":{"google":{"thought_signature":"Y2FsbA=="}}');
    expect(read.map((part) => claude.write(part)).join('') + claude.end(null)).toMatch(
      /"data":"tidegate-seal:gemini@call_[\w-]{24}:Y2FsbA=="/,
    );
  });
});

describe('schemas', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'OBJECT',
    additionalProperties: false,
    properties: {
      kind: { const: 'tide' },
      size: { type: ['integer', 'null'], exclusiveMinimum: 0 },
      either: { type: ['string', 'number'] },
      port: { $ref: '#/definitions/Port', description: 'Where' },
      title: { anyOf: [{ type: 'string' }, { type: 'null' }], title: 'T' },
      all: {
        allOf: [
          { properties: { a: { type: 'string' } }, required: ['a'] },
          { properties: { b: { type: 'string' } }, required: ['b'] },
        ],
      },
    },
    required: ['kind', 'missing'],
    definitions: {
      Port: { type: 'object', properties: { name: { type: 'string', format: 'uri' }, next: { $ref: '#/definitions/Port' } } },
    },
  };

  test('in JSON Schema', () => {
    expect(toJsonSchema(schema)).toEqual({
      type: 'object',
      additionalProperties: false,
      properties: {
        kind: { enum: ['tide'] },
        size: { type: ['integer', 'null'], exclusiveMinimum: 0 },
        either: { type: ['string', 'number'] },
        port: { anyOf: [{ $ref: '#/$defs/Port' }], description: 'Where' },
        title: { anyOf: [{ type: 'string' }, { type: 'null' }], title: 'T' },
        all: { properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a', 'b'] },
      },
      required: ['kind', 'missing'],
      $defs: { Port: { type: 'object', properties: { name: { type: 'string', format: 'uri' }, next: { $ref: '#/$defs/Port' } } } },
    });
  });

  test('in the form of OpenAPI', () => {
    const written = toOpenApiSchema(schema);
    expect(written).toMatchObject({
      type: 'object',
      properties: {
        kind: { type: 'string', enum: ['tide'] },
        size: { type: 'integer', nullable: true },
        either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        port: { type: 'object', description: 'Where', properties: { name: { type: 'string' }, next: { type: 'object' } } },
        title: { type: 'string', nullable: true },
        all: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a', 'b'] },
      },
      required: ['kind'],
    });
    expect(JSON.stringify(written)).not.toMatch(/\$ref|definitions|\$schema|"const"|uri|exclusive|"title":"/);
    expect(toOpenApiSchema({ type: 'array' })).toEqual({ type: 'array', items: { type: 'string' } });
    expect(toOpenApiSchema({ type: 'integer', enum: [1, 2] })).toEqual({ type: 'integer', enum: ['1', '2'], format: 'enum' });
    expect(toOpenApiSchema({ type: 'string', maxLength: 1e300 })).toEqual({ type: 'string' });
  });

  test('recursion is followed a few levels', () => {
    const all = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}`, { $ref: '#' }]));
    expect(JSON.stringify(toOpenApiSchema({ type: 'object', properties: all })).length).toBeLessThan(200_000);
    const knot = { allOf: Array.from({ length: 50 }, () => ({ $ref: '#' })) };
    expect(toOpenApiSchema(knot)).toBeTypeOf('object');
  });

  test('any JSON is accepted as a schema, and the result is JSON', () => {
    const keyword = fc.constantFrom(
      'type',
      'properties',
      'items',
      'anyOf',
      'allOf',
      '$ref',
      'const',
      'enum',
      'required',
      'definitions',
      'x',
    );
    const { schema: any } = fc.letrec((tie) => ({
      schema: fc.dictionary(
        keyword,
        fc.oneof(
          { maxDepth: 4 },
          fc.constantFrom('object', '#', '#/properties/x', null, true, 1),
          tie('schema'),
          fc.array(tie('schema'), { maxLength: 3 }),
        ),
        { maxKeys: 4 },
      ),
    }));
    fc.assert(
      fc.property(any, (value) => {
        const object = value as Json;
        expect(JSON.stringify(toJsonSchema(object))).toBeTypeOf('string');
        expect(JSON.stringify(toOpenApiSchema(object))).not.toMatch(/"\$ref":"/);
      }),
      { numRuns: 300 },
    );
  });
});

describe('responses of Gemini', () => {
  const read = (body: Json) => geminiUpstream.readWhole(body, null) ?? [];
  const usageOf = (usageMetadata: unknown) =>
    read({ candidates: [], usageMetadata }).find(({ type }) => type === 'usage' || type === 'invalid_usage');

  test('usage counts every token once: tool prompts in the input, thinking in the output', () => {
    const reported = {
      promptTokenCount: 50,
      toolUsePromptTokenCount: 10,
      cachedContentTokenCount: 20,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 7,
      totalTokenCount: 72,
      promptTokensDetails: [
        { modality: 'AUDIO', tokenCount: 8 },
        { modality: 'IMAGE', tokenCount: 9 },
      ],
    };
    const media = { audioInput: 8, audioCacheRead: 0, audioOutput: 0, imageInput: 9, imageCacheRead: 0, imageOutput: 0 };
    const usage = { input: 40, cacheRead: 20, output: 12, reasoning: 7, ...media };
    expect(usageOf(reported)).toEqual({ type: 'usage', usage });
    // Thinking that only the total contains, and thinking counted twice.
    expect(usageOf({ ...reported, thoughtsTokenCount: undefined })).toMatchObject({ usage: { output: 12 } });
    expect(usageOf({ ...reported, candidatesTokenCount: 12 })).toMatchObject({ usage: { output: 12, reasoning: 7 } });
    expect(usageOf({ promptTokenCount: 4, totalTokenCount: 4 })).toEqual({
      type: 'usage',
      usage: { input: 4, cacheRead: 0, audioInput: 0, audioCacheRead: 0, imageInput: 0, imageCacheRead: 0 },
    });
    expect(usageOf({ promptTokenCount: -1 })).toEqual({ type: 'invalid_usage', counts: ['input'] });
  });

  test('sources, pictures, several candidates, ends', () => {
    const parts = read({
      candidates: [
        {
          content: { parts: [{ text: 'A' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
          finishReason: 'SAFETY',
          groundingMetadata: {
            groundingChunks: [{ web: { uri: 'https://a.example', title: 'a' } }, { web: { uri: 'https://a.example' } }],
          },
        },
        { index: 1, content: { parts: [{ text: 'B' }] }, finishReason: 'MAX_TOKENS' },
      ],
    });
    expect(parts.slice(1)).toEqual([
      { type: 'text', text: 'A', choice: 0 },
      { type: 'image', mediaType: 'image/png', data: 'AAAA', choice: 0 },
      { type: 'citation', url: 'https://a.example', title: 'a', choice: 0 },
      { type: 'finish', reason: 'content_filter', choice: 0 },
      { type: 'text', text: 'B', choice: 1 },
      { type: 'finish', reason: 'length', choice: 1 },
    ]);
    const chat = openaiChatClient.writeWhole(parts, null, options);
    expect(chat).toMatchObject({ choices: [{ message: { content: 'A![image](data:image/png;base64,AAAA)' } }, { index: 1 }] });
    expect(JSON.stringify(claudeClient.writeWhole(parts, null, options))).toContain('![image](data:image/png;base64,AAAA)');
    expect(JSON.stringify(openaiResponsesClient.writeWhole(parts, null, options))).toContain('![image](data:image/png;base64,AAAA)');
  });

  test.each([
    [
      '{"error":{"code":429,"message":"Slow","status":"RESOURCE_EXHAUSTED"}}',
      { status: 429, message: 'Slow', type: 'rate_limit_error', code: 'RESOURCE_EXHAUSTED' },
    ],
    ['[{"error":{"code":400,"message":"Bad","status":"INVALID_ARGUMENT"}}]', { status: 400, message: 'Bad' }],
    ['{"promptFeedback":{"blockReason":"SAFETY"}}', { status: 400, code: 'content_filter' }],
    ['{"candidates":[{}],"promptFeedback":{"blockReason":"SAFETY"}}', null],
    ['{"candidates":[{"content":{"parts":[{"text":"\\"error\\""}]}}]}', null],
  ])('the error in %s', (text, error) => {
    if (error === null) expect(geminiUpstream.readError(text, null)).toBeNull();
    else expect(geminiUpstream.readError(text, null)).toMatchObject(error);
  });

  test('a prompt blocked by another vendor is reported as blocked, a filtered response as a candidate', () => {
    const parts = [
      { type: 'start' as const, id: '', model: 'm' },
      { type: 'finish' as const, reason: 'content_filter' as const },
    ];
    const whole = geminiClient.writeWhole(parts, null, options);
    expect(whole).toMatchObject({ promptFeedback: { blockReason: 'SAFETY' } });
    expect(whole).not.toHaveProperty('candidates');
    const writer = geminiClient.createStreamWriter(options);
    const stream = parts.map((part) => writer.write(part)).join('') + writer.end(null);
    expect(stream).toContain('"promptFeedback":{"blockReason":"SAFETY"}');
    expect(stream).not.toContain('"candidates"');
    const cut = [...parts.slice(0, 1), { type: 'text' as const, text: 'A' }, ...parts.slice(1)];
    expect(geminiClient.writeWhole(cut, null, options)).toMatchObject({ candidates: [{ finishReason: 'SAFETY' }] });
  });

  test('a body without candidates is not a response', () => {
    expect(geminiUpstream.readWhole({ usageMetadata: { promptTokenCount: 4 } }, null)).toBeNull();
  });

  test('a complete response written as a stream of its own format reads the same', () => {
    const written = [
      { text: 'Hm', thought: true, thoughtSignature: 'aA==' },
      { text: 'One ' },
      { text: 'two', thoughtSignature: 'b2Y=' },
      { functionCall: { id: 'c', name: 'get', args: { q: { a: [1, '}'] } } }, thoughtSignature: 'Y2FsbA==' },
      { functionCall: { id: 'd', name: 'noargs' } },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
    ];
    const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 3, thoughtsTokenCount: 2, totalTokenCount: 14 };
    const body = { responseId: 'x', candidates: [{ content: { parts: written }, finishReason: 'STOP' }], usageMetadata };
    const route = buildPreparedChannel({ type: 24 }).route(geminiClient, 'chat', flash3);
    if (route === null) throw new Error('There is no way');
    const input = {
      client: geminiClient,
      route,
      upstreamModel: flash3,
      responseFields: {},
      writer: options,
    };
    const whole = decodeWhole({ ...input, body: Buffer.from(JSON.stringify(body)) });
    if (whole.kind !== 'whole' || whole.events === undefined) throw new Error('It is none');
    const reader = geminiUpstream.createStreamReader(null);
    const again = [...framings.sse.events(whole.events())].flatMap((event) => reader.read(event));
    const { id: _id, ...chat } = openaiChatClient.writeWhole(again, { ...noTokens }, options);
    const { id: _other, ...direct } = openaiChatClient.writeWhole(read(body), { ...noTokens }, options);
    expect({ ...chat, model: '' }).toEqual({ ...direct, model: '' });
    expect(again.filter(({ type }) => type === 'usage')).toMatchObject([{ usage: { input: 9, output: 5, reasoning: 2 } }]);
  });

  const events = [
    {
      candidates: [{ content: { parts: [{ text: 'Hm 潮', thought: true }] } }],
      usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
    },
    { candidates: [{ content: { parts: [{ text: '大潮 🌊 "quoted"\n' }] } }] },
    { candidates: [{ content: { parts: [{ functionCall: { id: 'c', name: 'get', args: { q: 'ü' } }, thoughtSignature: 'Y2FsbA==' }] } }] },
    {
      candidates: [{ content: { parts: [{ text: '' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 },
    },
  ];
  const stream = Buffer.from(events.map((event) => `data: ${JSON.stringify({ responseId: 'x', ...event })}\r\n\r\n`).join(''));

  function pushed(pieces: readonly Buffer[]) {
    const route = buildPreparedChannel({ type: 24 }).route(openaiChatClient, 'chat', flash3);
    if (route === null) throw new Error('There is no way');
    const tally = new TextTally({ countText: () => Promise.resolve(0), estimateText: estimateTextTokens });
    const pipe = new TranslatedStream({ client: openaiChatClient, route, writer: options, tally });
    const splitter = new EventSplitter();
    const out: Buffer[] = [];
    for (const piece of pieces) {
      const whole = splitter.push(piece);
      if (whole !== null) out.push(...pipe.push(whole).forClient);
    }
    expect(pipe.hasFinished()).toBe(true);
    const { usage } = pipe.reportedUsage();
    return { text: Buffer.concat([...out, pipe.ending(usage)]).toString(), usage };
  }

  test('a stream does not depend on where chunks are split', () => {
    const whole = pushed([stream]);
    expect(whole.usage).toMatchObject({ input: 9, output: 4 });
    expect(whole.text).toContain('"finish_reason":"tool_calls"');
    for (let at = 1; at < stream.length; at += 1) expect(pushed([stream.subarray(0, at), stream.subarray(at)])).toEqual(whole);
  });

  test('arbitrary events are read without an exception', () => {
    const names = [
      'candidates',
      'content',
      'parts',
      'text',
      'functionCall',
      'usageMetadata',
      'promptTokenCount',
      'groundingMetadata',
      'web',
    ];
    const value = fc.jsonValue({ maxDepth: 2 });
    const body = fc.letrec((tie) => ({
      any: fc.dictionary(fc.constantFrom(...names), fc.oneof({ maxDepth: 5 }, value, tie('any'), fc.array(tie('any'), { maxLength: 2 })), {
        maxKeys: 3,
      }),
    })).any;
    fc.assert(
      fc.property(body, (event) => {
        const reader = geminiUpstream.createStreamReader(null);
        const parts: readonly ResponsePart[] = reader.read(dataEvent(JSON.stringify(event)));
        const writer = openaiChatClient.createStreamWriter(options);
        expect(parts.map((part) => writer.write(part)).join('')).toBeTypeOf('string');
      }),
    );
  });
});
