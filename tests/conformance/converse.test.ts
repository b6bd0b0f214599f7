// Bedrock's Converse: what is written of every caller's request, and read of every response. The stand-in takes requests strictly.
import { describe, expect, test } from 'vitest';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import { framings } from '#server/framing/registry.ts';
import { eventFrame, exceptionFrame } from '#tests/support/aws-oracle.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { messagesOf } from '#tests/support/converse-responses.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { bedrockApiKey } from '#tests/support/fake-bedrock.ts';

const { converse } = upstreamDialects;
const nova = 'us.amazon.nova-pro-v1:0';
const llama = 'meta.llama3-3-70b-instruct-v1:0';
const png = 'iVBORw0KGgo=';

type Speaking = keyof typeof clientDialects;

/** What goes to the provider, which takes it. */
function written(client: Speaking, body: Record<string, unknown>, upstreamModel = nova) {
  const request = clientDialects[client].readRequest({ model: 'm', ...body });
  const { body: sent, dropped } = converse.writeRequest(request, { upstreamModel, forceUsage: true, settings: defaultSettings });
  expect(messagesOf(JSON.parse(JSON.stringify(sent)), upstreamModel, false)).toHaveProperty('requested');
  return { sent, dropped };
}

const chat = (fields: Record<string, unknown>, model?: string) => written('openai-chat', fields, model);
const user = (content: unknown) => ({ role: 'user', content });
const tool = (name: string) => ({
  type: 'function',
  function: { name, description: 'A tide', parameters: { type: 'object', properties: {} } },
});
const call = { id: 'call_1', type: 'function', function: { name: 'get_tide', arguments: '{"port":"Brest"}' } };
const called = [
  user('Tide?'),
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'call_1', content: '12' },
];

describe('a request', () => {
  test('has what all families know in places of its own', () => {
    const fields = { max_tokens: 50, temperature: 1.7, top_p: 0.5, stop: ['END'] };
    expect(chat({ ...fields, messages: [{ role: 'system', content: 'Be brief.' }, user('Hi')] })).toEqual({
      sent: {
        system: [{ text: 'Be brief.' }],
        messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
        inferenceConfig: { maxTokens: 50, temperature: 1, topP: 0.5, stopSequences: ['END'] },
      },
      dropped: [],
    });
  });

  test('has tools, their calls and their results', () => {
    const { sent, dropped } = chat({ messages: called, tools: [tool('get_tide')], tool_choice: 'required', parallel_tool_calls: false });
    expect(sent).toEqual({
      messages: [
        { role: 'user', content: [{ text: 'Tide?' }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 'call_1', name: 'get_tide', input: { port: 'Brest' } } }] },
        { role: 'user', content: [{ toolResult: { toolUseId: 'call_1', content: [{ text: '12' }] } }] },
      ],
      toolConfig: {
        tools: [{ toolSpec: { name: 'get_tide', description: 'A tide', inputSchema: { json: { type: 'object', properties: {} } } } }],
        toolChoice: { any: {} },
      },
    });
    expect(dropped).toEqual(['parallel_tool_calls']);
  });

  test('names one tool, or leaves the choice to the model', () => {
    const choice = (tool_choice: unknown) => Object(chat({ messages: [user('Hi')], tools: [tool('a')], tool_choice }).sent.toolConfig);
    expect(choice({ type: 'function', function: { name: 'a' } }).toolChoice).toEqual({ tool: { name: 'a' } });
    expect(choice('auto').toolChoice).toBeUndefined();
    expect(chat({ messages: [user('Hi')], tools: [tool('a')], tool_choice: 'none' }).sent.toolConfig).toBeUndefined();
  });

  test('names the tools of earlier turns where no others are', () => {
    const { toolConfig } = chat({ messages: called }).sent;
    expect(Object(toolConfig).tools).toMatchObject([{ toolSpec: { name: 'get_tide' } }]);
  });

  test('has ids that the format takes, the same for a call and its result', () => {
    const id = `toolu_${'x'.repeat(90)}`;
    const { sent } = written('claude', {
      max_tokens: 9,
      messages: [
        user('Tide?'),
        { role: 'assistant', content: [{ type: 'tool_use', id, name: 'get', input: {} }] },
        user([{ type: 'tool_result', tool_use_id: id, content: 'No such port', is_error: true }]),
      ],
    });
    const [, requested, answered] = Object(sent).messages;
    const { toolUseId } = requested.content[0].toolUse;
    expect(toolUseId).toMatch(/^call_[a-zA-Z0-9]{24}$/);
    expect(answered.content).toEqual([{ toolResult: { toolUseId, content: [{ text: 'No such port' }], status: 'error' } }]);
  });

  test('has pictures, sound and documents as bytes', () => {
    const pdf = Buffer.from('%PDF').toString('base64');
    const file = { type: 'file', file: { filename: 'Tide_table: Brest.pdf', file_data: `data:application/pdf;base64,${pdf}` } };
    const content = [{ type: 'image_url', image_url: { url: `data:image/jpeg;base64,${png}` } }, file, file];
    expect(Object(chat({ messages: [user(content)] }).sent).messages[0].content).toEqual([
      { image: { format: 'png', source: { bytes: png } } },
      { document: { format: 'pdf', name: 'Tide-table- Brest-pdf', source: { bytes: pdf } } },
      { document: { format: 'pdf', name: 'Tide-table- Brest-pdf 2', source: { bytes: pdf } } },
      { text: '...' },
    ]);
    const request = clientDialects['openai-chat'].readRequest({
      model: 'm',
      messages: [user([{ type: 'input_audio', input_audio: { data: png, format: 'mp3' } }])],
    });
    const { body } = converse.writeRequest(request, { upstreamModel: nova, forceUsage: true, settings: defaultSettings });
    expect(Object(body).messages[0].content).toEqual([{ audio: { format: 'mp3', source: { bytes: png } } }]);
  });

  test('refuses what it has no place for', () => {
    for (const part of [
      { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
      { type: 'image_url', image_url: { url: `data:image/tiff;base64,SUkqAA==` } },
      { type: 'file', file: { filename: 'a.zip', file_data: 'data:application/zip;base64,UEsDBA==' } },
    ]) {
      const field = expect.objectContaining({ code: 'untranslatable', field: 'messages.0.content' });
      expect(() => chat({ messages: [user([part])] }), JSON.stringify(part)).toThrow(field);
    }
  });

  test('marks what the provider shall keep for models that do', () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const body = {
      max_tokens: 9,
      system: [{ type: 'text', text: 'Be brief.', ...mark }],
      messages: [user([{ type: 'text', text: 'Hi', ...mark }])],
    };
    const point = { cachePoint: { type: 'default' } };
    expect(written('claude', body)).toMatchObject({
      sent: { system: [{ text: 'Be brief.' }, point], messages: [{ content: [{ text: 'Hi' }, point] }] },
      dropped: [],
    });
    const plain = written('claude', body, llama);
    expect(JSON.stringify(plain.sent)).not.toContain('cachePoint');
    expect(plain.dropped).toEqual(['cache_control']);
  });

  test('says how much to think where a family knows it', () => {
    const thinks = (model: string, fields: object) => chat({ messages: [user('Hi')], ...fields }, model);
    const further = (model: string, fields: object) => thinks(model, fields).sent.additionalModelRequestFields;
    const second = 'us.amazon.nova-2-lite-v1:0';
    expect(further(second, { reasoning_effort: 'high' })).toEqual({ reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } });
    expect(further(second, { reasoning_effort: 'none' })).toEqual({ reasoningConfig: { type: 'disabled' } });
    expect(further('openai.gpt-oss-20b-1:0', { reasoning_effort: 'minimal' })).toEqual({ reasoning_effort: 'low' });
    expect(thinks(llama, { reasoning_effort: 'high' }).dropped).toEqual(['reasoning_effort']);
    const { sent, dropped } = written('claude', { max_tokens: 9, top_k: 5, messages: [user('Hi')] });
    expect([sent.additionalModelRequestFields, dropped]).toEqual([{ inferenceConfig: { topK: 5 } }, []]);
  });

  test('demands JSON of a shape', () => {
    const schema = { type: 'object', properties: { hour: { type: 'integer' } }, additionalProperties: false, required: ['hour'] };
    const { sent } = chat({ messages: [user('Hi')], response_format: { type: 'json_schema', json_schema: { name: 'tide', schema } } });
    const jsonSchema = { schema: JSON.stringify(schema), name: 'tide' };
    expect(sent.outputConfig).toEqual({ textFormat: { type: 'json_schema', structure: { jsonSchema } } });
  });

  test('gives thoughts back to where they come from, and to nobody else', () => {
    const thought = { type: 'reasoning.text', text: 'Hm', signature: 'c2ln' };
    const turns = (format: string) => ({
      messages: [user('Hi'), { role: 'assistant', content: 'Yes', reasoning_details: [{ ...thought, format }] }, user('And?')],
    });
    const own = chat(turns('amazon-bedrock-v1'));
    expect(Object(own.sent).messages[1].content).toEqual([
      { reasoningContent: { reasoningText: { text: 'Hm', signature: 'c2ln' } } },
      { text: 'Yes' },
    ]);
    expect(own.dropped).toEqual([]);
    const foreign = chat(turns('anthropic-claude-v1'));
    expect(Object(foreign.sent).messages[1].content).toEqual([{ text: 'Yes' }]);
    expect(foreign.dropped).toEqual(['reasoning_details']);
  });

  test('is bounded within, and has no name of the model and no stream flag', () => {
    expect(converse.limits.bound({ messages: [] }, 7)).toEqual({ messages: [], inferenceConfig: { maxTokens: 7 } });
    expect(converse.limits.read({ inferenceConfig: { maxTokens: 7 } })).toBe(7);
  });
});

const usage = {
  inputTokens: 10,
  outputTokens: 5,
  totalTokens: 50,
  cacheReadInputTokens: 20,
  cacheWriteInputTokens: 15,
  cacheDetails: [
    { ttl: '1h', inputTokens: 4 },
    { ttl: '5m', inputTokens: 11 },
  ],
};
const counted = { input: 10, output: 5, cacheRead: 20, cacheWrite5m: 11, cacheWrite1h: 4 };

describe('a response', () => {
  const whole = (content: unknown[], fields: object = {}) =>
    converse.readWhole({ output: { message: { role: 'assistant', content } }, stopReason: 'end_turn', usage, ...fields }, null);

  test('is read with its thoughts, calls and usage', () => {
    const toolUse = { toolUseId: 'tooluse_1', name: 'get', input: { port: 'Brest' } };
    const content = [
      { reasoningContent: { reasoningText: { text: 'Hm', signature: 'c2ln' } } },
      { reasoningContent: { redactedContent: 'eA==' } },
      { text: 'Noon' },
      { toolUse },
    ];
    expect(whole(content, { stopReason: 'tool_use' })).toEqual([
      { type: 'start', id: '', model: '' },
      { type: 'reasoning', text: 'Hm' },
      { type: 'reasoning_seal', seal: { origin: 'bedrock', data: 'c2ln' } },
      { type: 'sealed', seal: { origin: 'bedrock', data: 'eA==' } },
      { type: 'text', text: 'Noon' },
      { type: 'tool_call', index: 0, id: 'tooluse_1', name: 'get' },
      { type: 'tool_arguments', index: 0, text: '{"port":"Brest"}' },
      { type: 'finish', reason: 'tool_calls' },
      { type: 'usage', usage: counted },
    ]);
    expect(converse.readWhole({ message: 'none' }, null)).toBeNull();
  });

  test.each([
    ['end_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['stop_sequence', 'stop_sequence'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
  ])('that ends by %s ends by %s', (stopReason, reason) => {
    expect(whole([{ text: 'a' }], { stopReason })).toContainEqual({ type: 'finish', reason });
  });

  test('comes in frames, and is complete with its usage', () => {
    const reader = converse.createStreamReader(null);
    const delta = (contentBlockIndex: number, piece: object) =>
      eventFrame('contentBlockDelta', { contentBlockIndex, delta: piece, p: 'ab' });
    const frames = [
      eventFrame('messageStart', { role: 'assistant', p: 'a' }),
      delta(0, { reasoningContent: { text: 'Hm' } }),
      delta(0, { reasoningContent: { signature: 'c2ln' } }),
      eventFrame('contentBlockStop', { contentBlockIndex: 0 }),
      delta(1, { text: 'Noon 潮' }),
      eventFrame('contentBlockStart', { contentBlockIndex: 2, start: { toolUse: { toolUseId: 't1', name: 'get' } } }),
      delta(2, { toolUse: { input: '{"a"' } }),
      delta(2, { toolUse: { input: ':1}' } }),
      eventFrame('contentBlockStop', { contentBlockIndex: 2 }),
      eventFrame('contentBlockStart', { contentBlockIndex: 3, start: { toolUse: { toolUseId: 't2', name: 'now' } } }),
      eventFrame('contentBlockStop', { contentBlockIndex: 3 }),
      eventFrame('later', { anything: true }),
      eventFrame('messageStop', { stopReason: 'tool_use' }),
      eventFrame('metadata', { usage, metrics: { latencyMs: 7 } }),
    ];
    const { 'aws-events': framing } = framings;
    const events = [...framing.events(framing.createSplitter().push(Buffer.concat(frames)) ?? Buffer.alloc(0))];
    expect(events.slice(0, -1).flatMap((event) => [...reader.read(event)])).toEqual([
      { type: 'start', id: '', model: '' },
      { type: 'reasoning', text: 'Hm' },
      { type: 'reasoning_seal', seal: { origin: 'bedrock', data: 'c2ln' } },
      { type: 'text', text: 'Noon 潮' },
      { type: 'tool_call', index: 0, id: 't1', name: 'get' },
      { type: 'tool_arguments', index: 0, text: '{"a"' },
      { type: 'tool_arguments', index: 0, text: ':1}' },
      { type: 'tool_call', index: 1, id: 't2', name: 'now' },
      { type: 'tool_arguments', index: 1, text: '{}' },
      { type: 'finish', reason: 'tool_calls' },
    ]);
    expect(reader.isComplete).toBe(false);
    expect(reader.read(events.at(-1) ?? { name: '', data: '' })).toEqual([{ type: 'usage', usage: counted }]);
    expect(reader.isComplete).toBe(true);
  });

  test('may be an exception', () => {
    const { 'aws-events': framing } = framings;
    const [event] = framing.events(framing.createSplitter().push(exceptionFrame('throttlingException', 'Slowly')) ?? Buffer.alloc(0));
    const error = { message: 'Slowly', type: 'throttlingException', status: 429 };
    expect(converse.createStreamReader(null).read(event ?? { name: '', data: '' })).toEqual([{ type: 'error', error }]);
    expect(converse.readError(event?.data ?? '', null)).toMatchObject(error);
  });
});

test('every family but Claude is asked so, at the id of the model', () => {
  const pathOf = (model: string, key = bedrockApiKey) => {
    const route = buildPreparedChannel({ type: 33, key }).route(clientDialects['openai-chat'], 'chat', model);
    return [route?.path, route?.streamPath];
  };
  const at = (id: string) => [`/model/${id}/converse`, `/model/${id}/converse-stream`];
  expect(pathOf('nova-lite-v1:0')).toEqual(at('us.amazon.nova-lite-v1%3A0'));
  expect(pathOf('nova-lite-v1:0', 'ABSK|ap-south-1')).toEqual(at('apac.amazon.nova-lite-v1%3A0'));
  expect(pathOf('openai.gpt-oss-120b-1:0')).toEqual(at('openai.gpt-oss-120b-1%3A0'));
  const profile = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1';
  expect(pathOf(profile)).toEqual(at(encodeURIComponent(profile)));
  expect(pathOf('claude-sonnet-4-5')[0]).toMatch(/\/invoke$/);
});

test.each([
  ['priority', 'priority'],
  ['flex', 'flex'],
  ['default', 'standard'],
])('the lane %s is told beside the usage', (type, tier) => {
  const reported = { inputTokens: 5, outputTokens: 3, totalTokens: 8 };
  const output = { message: { role: 'assistant', content: [{ text: 'Noon' }] } };
  const whole = upstreamDialects.converse.readWhole({ output, stopReason: 'end_turn', usage: reported, serviceTier: { type } }, null);
  expect(whole?.at(-1)).toMatchObject({ type: 'usage', usage: { tier } });
  const reader = upstreamDialects.converse.createStreamReader(null);
  const parts = reader.read({ name: 'metadata', data: JSON.stringify({ usage: reported, serviceTier: { type } }) });
  expect(parts).toMatchObject([{ type: 'usage', usage: { input: 5, output: 3, tier } }]);
});
