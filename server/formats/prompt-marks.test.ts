// Cache marks for Claude from formats without marks, and cache keys for OpenAI.
import { describe, expect, test } from 'vitest';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { ClientDialect } from './client-dialect.ts';
import { encodeRequest } from './encode-request.ts';
import { clientDialects } from './registry.ts';
import type { DialectSettings } from './upstream-dialect.ts';

type Json = Record<string, unknown>;

const long = 'High water in Brest is at noon. '.repeat(800);
const mark = { cache_control: { type: 'ephemeral' } };
const model = 'claude-sonnet-4-5';
const tool = { name: 'tide', parameters: { type: 'object', properties: {} } };

/** Conversation in the client's format with a tool call, ending with a user message. */
const conversations: Readonly<Record<string, (system: string) => Json>> = {
  'openai-chat': (system) => ({
    model,
    tools: [{ type: 'function', function: tool }],
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: 'When?' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'tide', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'noon' },
    ],
  }),
  'openai-responses': (system) => ({
    model,
    ...(system === '' ? {} : { instructions: system }),
    tools: [{ type: 'function', ...tool }],
    input: [
      { role: 'user', content: 'When?' },
      { type: 'function_call', call_id: 'call_1', name: 'tide', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'noon' },
    ],
  }),
  gemini: (system) => ({
    ...(system === '' ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    tools: [{ functionDeclarations: [{ name: 'tide' }] }],
    contents: [
      { role: 'user', parts: [{ text: 'When?' }] },
      { role: 'model', parts: [{ functionCall: { name: 'tide', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'tide', response: { output: 'noon' } } }] },
    ],
  }),
};
const clients: Readonly<Record<string, ClientDialect>> = clientDialects;

interface Requested {
  from?: string;
  body: Json;
  as?: string;
  channel?: object;
  settings?: DialectSettings;
  conversationKey?: () => string;
}

function sentText({
  from = 'openai-chat',
  body,
  as = model,
  channel = { type: 14 },
  settings = defaultSettings,
  conversationKey,
}: Requested): string {
  const client = clients[from];
  const route = client === undefined ? null : buildPreparedChannel(channel).route(client, 'chat', as);
  if (client === undefined || route === null) throw new Error('There is no such way');
  const input = {
    client,
    route,
    clientHeaders: {},
    body,
    rawText: JSON.stringify(body),
    originModel: as,
    isStream: false,
    forceUsage: true,
    settings,
  };
  return encodeRequest(conversationKey === undefined ? input : { ...input, conversationKey }).body.toString();
}

function sent(requested: Requested): Json {
  const body: unknown = JSON.parse(sentText(requested));
  if (!isObject(body)) throw new Error('The request is no object');
  return { ...body };
}

const marksIn = (body: Json) => JSON.stringify(body).split('"cache_control"').length - 1;
const off: DialectSettings = { get: (key) => (key === 'PromptCachingEnabled' ? JSON.parse('false') : defaultSettings.get(key)) };
const chat = (system = long) => conversations['openai-chat']?.(system) ?? {};

test.each(Object.keys(conversations))(
  'from %s: the end of what stands before the turns and the last two turns of the user are marked',
  (from) => {
    const body = sent({ from, body: conversations[from]?.(long) ?? {} });
    expect(body).toMatchObject({
      system: [{ type: 'text', text: long, ...mark }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'When?', ...mark }] },
        { role: 'assistant' },
        { role: 'user', content: [{ type: 'tool_result', ...mark }] },
      ],
    });
    expect(marksIn(body)).toBe(3);
  },
);

test('without a system prompt, the last tool is marked', () => {
  const tools = ['tide', 'wind'].map((name) => ({ type: 'function', function: { ...tool, name, description: long } }));
  const body = sent({ body: { ...chat(''), tools } });
  expect(body).toMatchObject({ tools: [{ name: 'tide' }, { name: 'wind', ...mark }] });
  expect(marksIn(body)).toBe(3);
});

const question = { role: 'user', content: long };
const unmarked: readonly [why: string, requested: Requested][] = [
  ['it is short', { body: chat('Be brief.') }],
  ['its model keeps nothing so short', { body: chat(long.slice(0, 8000)), as: 'claude-opus-4-5' }],
  [
    'only its picture is long',
    {
      body: {
        ...chat(''),
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(40_000)}` } }] }],
      },
    },
  ],
  ['nothing tells that it goes on', { body: { model, messages: [question] } }],
  ['the option is off', { body: chat(), settings: off }],
  [
    'another vendor answers',
    { body: { ...chat(), model: 'deepseek-chat' }, as: 'deepseek-chat', channel: { type: 43, setting: '{"formats":["claude"]}' } },
  ],
  [
    'its caller speaks the format',
    { from: 'claude', body: { model, max_tokens: 9, system: long, tools: [{ name: 'tide', input_schema: {} }], messages: [question] } },
  ],
];
test.each(unmarked)('nothing is marked if %s', (_why, requested) => expect(marksIn(sent(requested))).toBe(0));

test('marks of the caller are not supplemented', () => {
  const own = { role: 'user', content: [{ type: 'text', text: long, cache_control: { type: 'ephemeral', ttl: '1h' } }] };
  const body = sent({ body: { ...chat(''), messages: [own, { role: 'assistant', content: 'At noon.' }, question] } });
  expect(marksIn(body)).toBe(1);
  expect(body).toMatchObject({ messages: [{ content: [{ cache_control: { ttl: '1h' } }] }, {}, { content: long }] });
});

test('a conversation without tools is marked from its second turn', () => {
  const messages = [question, { role: 'assistant', content: 'At noon.' }, { role: 'user', content: 'And then?' }];
  expect(marksIn(sent({ body: { model, messages } }))).toBe(2);
});

const conversationKey = () => 'k1';
const home = { type: 1, base_url: '' };

test('OpenAI gets a cache key per conversation from every format, and the text of a chat caller stays unchanged', () => {
  const text = sentText({ body: chat(), as: 'gpt-4o', channel: home, conversationKey });
  expect(text).toBe(JSON.stringify({ ...chat(), model: 'gpt-4o', prompt_cache_key: 'k1' }));
  const streamed = { ...chat(), model: 'gpt-4o', prompt_cache_key: null };
  expect(sentText({ body: streamed, as: 'gpt-4o', channel: home, conversationKey }).match(/prompt_cache_key/g)).toHaveLength(1);
  expect(sent({ body: streamed, as: 'gpt-4o', channel: home, conversationKey })).toMatchObject({ prompt_cache_key: 'k1' });
  for (const from of ['openai-responses', 'gemini']) {
    const body = { ...conversations[from]?.(long), ...(from === 'gemini' ? {} : { model: 'gpt-5.5' }) };
    expect(sent({ from, body, as: 'gpt-5.5', channel: home, conversationKey })).toMatchObject({ prompt_cache_key: 'k1' });
  }
});

test.each<[why: string, requested: Requested]>([
  ['its caller has named it', { body: { ...chat(), prompt_cache_key: 'own' } }],
  ['it is short', { body: chat('Be brief.') }],
  ['the option is off', { body: chat(), settings: off }],
  ['another host answers', { body: chat(), channel: { type: 1, base_url: 'https://other.example' } }],
])('no cache key is set if %s', (_why, requested) => {
  const body = { ...requested.body, model: 'gpt-4o' };
  expect(sent({ channel: home, conversationKey, ...requested, body, as: 'gpt-4o' })['prompt_cache_key']).toBe(
    requested.body['prompt_cache_key'],
  );
});

test('an unknown conversation has no cache key', () => {
  expect(sent({ body: { ...chat(), model: 'gpt-4o' }, as: 'gpt-4o', channel: home })).not.toHaveProperty('prompt_cache_key');
});

describe('marks of a Claude caller in chat completions', () => {
  const ephemeral = { type: 'ephemeral' };
  const marked = {
    max_tokens: 50,
    system: [
      { type: 'text', text: 'Rules.' },
      { type: 'text', text: 'More rules.', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ],
    tools: [{ name: 'tide', input_schema: { type: 'object', properties: {} }, cache_control: ephemeral }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'When?', cache_control: ephemeral }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'tide', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'noon', cache_control: ephemeral }] },
    ],
  };
  const ask = (channel: object, as: string) => sent({ from: 'claude', channel, as, body: { model: as, ...marked } });

  test('are sent to OpenRouter, each at its position', () => {
    const { messages, tools } = ask({ type: 20, models: 'anthropic/claude-x' }, 'anthropic/claude-x');
    expect(tools).toMatchObject([{ type: 'function', cache_control: ephemeral }]);
    expect(messages).toMatchObject([
      { role: 'system', content: [{ text: 'Rules.' }, { text: 'More rules.', cache_control: { ttl: '1h' } }] },
      { role: 'user', content: [{ text: 'When?', cache_control: ephemeral }] },
      { role: 'assistant' },
      { role: 'tool', content: [{ type: 'text', text: 'noon', cache_control: ephemeral }] },
    ]);
  });

  test('are sent to Alibaba, without lifetimes and not on tools', () => {
    const body = ask({ type: 17, models: 'qwen3-max', base_url: 'https://ali.example' }, 'qwen3-max');
    expect(marksIn(body)).toBe(3);
    expect(JSON.stringify(body)).not.toContain('ttl');
    expect(JSON.stringify(body['tools'])).not.toContain('cache_control');
  });

  test.each([1, 8])('are sent to Claude behind a gateway of type %i, those of results on the message', (type) => {
    const { messages } = ask({ type, models: 'claude-x', base_url: 'https://gateway.example' }, 'claude-x');
    expect(messages).toMatchObject([
      { role: 'system' },
      { role: 'user' },
      { role: 'assistant' },
      { role: 'tool', content: 'noon', cache_control: ephemeral },
    ]);
  });

  test.each([
    { type: 1, as: 'gpt-4o-mini' },
    { type: 43, as: 'deepseek-chat' },
  ])('are dropped for type $type, which supports none', ({ type, as }) => {
    const body = ask({ type, models: as, base_url: 'https://other.example' }, as);
    expect(marksIn(body)).toBe(0);
    expect(body['messages']).toMatchObject([{ content: 'Rules.\nMore rules.' }, { content: 'When?' }, {}, { content: 'noon' }]);
  });
});
