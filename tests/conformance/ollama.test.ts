// Ollama's own chat: what is written of every caller's request, and read of every response. The stand-in takes requests strictly.
import { describe, expect, test } from 'vitest';
import { callKinds } from '#server/kinds/registry.ts';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import { authorizeRequest } from '#server/exchange/build-request.ts';
import { routedRequest } from '#tests/support/routed-request.ts';
import { modelListQuestions, readModelList } from '#server/exchange/read-model-list.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { noSender } from '#tests/support/no-sender.ts';
import { chatOf } from '#tests/support/ollama-responses.ts';
import { differences, readVectors } from './provider-vectors.ts';

const { ollama } = upstreamDialects;
const png = 'iVBORw0KGgo=';

type Speaking = keyof typeof clientDialects;

/** What goes to the provider, which takes it. */
function written(client: Speaking, body: Record<string, unknown>, upstreamModel = 'llama3.2') {
  const request = clientDialects[client].readRequest({ model: 'm', ...body });
  const { body: sent, dropped } = ollama.writeRequest(request, { upstreamModel, forceUsage: true, settings: defaultSettings });
  expect(chatOf(JSON.parse(JSON.stringify(sent)))).toHaveProperty('requested');
  return { sent, dropped };
}

const chat = (fields: Record<string, unknown>, model?: string) => written('openai-chat', fields, model);
const user = (content: unknown) => ({ role: 'user', content });
const tool = (name: string) => ({ type: 'function', function: { name, description: 'A tide', parameters: { type: 'object' } } });

function channelOf(fields: Record<string, unknown> = {}) {
  return buildPreparedChannel({ type: 4, key: 'ollama', setting: JSON.stringify({ formats: ['ollama'] }), ...fields });
}

async function requestOf(body: Record<string, unknown>, channel = channelOf(), client: Speaking = 'openai-chat') {
  const request = await routedRequest({
    client: clientDialects[client],
    clientHeaders: {},
    settings: defaultSettings,
    kind: callKinds.chat,
    channel,
    body,
    rawText: JSON.stringify(body),
    originModel: String(body['model']),
    isStream: body['stream'] === true,
    forceUsage: true,
  });
  return authorizeRequest(request, { now: 0, sender: noSender });
}

describe('the vector of its own chat', () => {
  const vector = readVectors('ollama').find(({ name }) => name.startsWith('later: native'));
  if (vector === undefined) throw new Error('There is no such vector');

  test('is written', async () => {
    const { origin, path, headers, body } = await requestOf(vector.request.body);
    expect(`${origin}${path}`).toBe(vector.upstream.url);
    expect(differences(headers, vector.upstream.headers, false)).toEqual([]);
    expect(differences(JSON.parse(body.toString()), vector.upstream.body, true)).toEqual([]);
  });

  test('is read', async () => {
    const { route, upstreamModel } = await requestOf(vector.request.body);
    const decoded = callKinds.chat.decode({
      client: clientDialects['openai-chat'],
      route,
      upstreamModel,
      body: Buffer.from(JSON.stringify(vector.upstream_response.body)),
      responseFields: {},
      writer: { model: upstreamModel, requestId: 'r1', createdAt: 1, wantsUsage: false, promptEstimate: 0 },
    });
    if (decoded.kind !== 'whole') throw new Error('It is no response');
    expect(differences(JSON.parse(decoded.body(null).toString()), vector.response?.body, false)).toEqual([]);
  });
});

test('callers of the format that it takes beside its own keep it; all others are asked in its own', () => {
  const channel = channelOf({ setting: '' });
  const pathOf = (client: Speaking, kind: 'chat' | 'completions' | 'embeddings' = 'chat') =>
    channel.route(clientDialects[client], kind, 'llama3.2')?.path;
  expect(pathOf('openai-chat')).toBe('/v1/chat/completions');
  expect(pathOf('openai-completions', 'completions')).toBe('/v1/completions');
  for (const client of ['claude', 'gemini', 'gemini-interactions', 'openai-responses', 'openai-mixed'] as const)
    expect(pathOf(client)).toBe('/api/chat');
  expect(pathOf('openai-chat', 'embeddings')).toBe('/api/embed');
  expect(pathOf('gemini', 'embeddings')).toBe('/api/embed');
  const compatible = channelOf({ setting: JSON.stringify({ formats: ['openai-chat'] }) });
  expect(compatible.route(clientDialects.claude, 'chat', 'llama3.2')?.path).toBe('/v1/chat/completions');
});

test('tells which models it has', async () => {
  const [question] = modelListQuestions(channelOf(), { now: 0, sender: noSender }) ?? [];
  const request = await question?.request;
  expect(`${request?.origin}${request?.path}`).toBe('http://localhost:11434/api/tags');
  const text = JSON.stringify({ models: [{ name: 'qwen3:8b', model: 'qwen3:8b', size: 5 }] });
  expect(question === undefined ? null : readModelList(text, question.list)).toEqual(['qwen3:8b']);
});

test('a channel says how models are run, and keeps them loaded; callers do not', async () => {
  const channel = channelOf({ param_override: JSON.stringify({ num_ctx: 32768, keep_alive: '30m', temperature: 0.1 }) });
  const requested = {
    model: 'llama3.2',
    max_tokens: 20,
    temperature: 1,
    messages: [user('Hi')],
    keep_alive: -1,
    options: { num_ctx: 1e9 },
  };
  const { body, dropped, sentLimit } = await requestOf(requested, channel);
  expect(JSON.parse(body.toString())).toEqual({
    model: 'llama3.2',
    stream: false,
    messages: [{ role: 'user', content: 'Hi' }],
    keep_alive: '30m',
    options: { num_ctx: 32768, num_predict: 20, temperature: 0.1 },
  });
  expect(dropped).toEqual(['keep_alive', 'options']);
  expect(sentLimit).toBe(20);
});

describe('a request', () => {
  test('has pictures beside the text, and texts of files within it', () => {
    const { sent, dropped } = chat({
      messages: [
        user([
          { type: 'text', text: 'What?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${png}`, detail: 'low' } },
          { type: 'file', file: { filename: 'a.txt', file_data: `data:text/plain;base64,${Buffer.from('潮').toString('base64')}` } },
        ]),
      ],
    });
    expect(sent.messages).toEqual([{ role: 'user', content: 'What?\na.txt\n\n潮', images: [png] }]);
    expect(dropped).toEqual(['image_url.detail']);
    for (const part of [
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    ])
      expect(() => chat({ messages: [user([part])] })).toThrow(expect.objectContaining({ code: 'untranslatable' }));
  });

  test('names what the format cannot say of tools', () => {
    const two = { messages: [user('Hi')], tools: [tool('a'), tool('b')] };
    const names = (sent: Record<string, unknown>) =>
      (Array.isArray(sent['tools']) ? sent['tools'] : []).map((one: unknown) => Object(Object(one).function).name);
    const forced = chat({ ...two, tool_choice: { type: 'function', function: { name: 'b' } }, parallel_tool_calls: false });
    expect(names(forced.sent)).toEqual(['b']);
    expect(forced.dropped).toEqual(['parallel_tool_calls', 'tool_choice']);
    expect(names(chat({ ...two, tool_choice: 'required' }).sent)).toEqual(['a', 'b']);
    expect(chat({ ...two, tool_choice: 'none' })).toMatchObject({ sent: expect.not.objectContaining({ tools: [] }), dropped: [] });
    expect(names(chat({ ...two, tool_choice: 'none' }).sent)).toEqual([]);
  });

  test('keeps its own thoughts, and no other vendor’s', () => {
    const messages = (signature: string) => [
      user('Hi'),
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature },
          { type: 'text', text: 'Ho' },
        ],
      },
      user('Go on'),
    ];
    const [, own] = Object(written('claude', { max_tokens: 9, messages: messages('') }).sent.messages);
    expect(own).toEqual({ role: 'assistant', content: 'Ho', thinking: 'Hm' });
    const foreign = written('claude', { max_tokens: 9, messages: messages('c2lnbmVk') });
    expect(Object(foreign.sent.messages)[1]).toEqual({ role: 'assistant', content: 'Ho' });
    expect(foreign.dropped).toHaveLength(1);
  });

  test('tells no model to think that may refuse to; gpt-oss is told how much', () => {
    const thinks = (reasoning_effort: string, model?: string) => {
      const { sent, dropped } = chat({ messages: [user('Hi')], reasoning_effort }, model);
      return [sent.think, dropped];
    };
    expect(thinks('none')).toEqual([false, []]);
    expect(thinks('high')).toEqual([undefined, ['reasoning_effort']]);
    expect(thinks('high', 'gpt-oss:20b')).toEqual(['high', []]);
    expect(thinks('none', 'gpt-oss:20b')).toEqual(['low', []]);
    const budget = { max_tokens: 4000, messages: [user('Hi')], thinking: { type: 'enabled', budget_tokens: 2048 } };
    expect(written('claude', budget, 'gpt-oss:20b').sent.think).toBe('low');
    expect(written('claude', budget)).toMatchObject({ dropped: ['thinking'] });
  });

  test('holds the model to JSON, or to a schema', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const format = (response_format: object) => chat({ messages: [user('Hi')], response_format }).sent.format;
    expect(format({ type: 'json_object' })).toBe('json');
    expect(format({ type: 'json_schema', json_schema: { name: 'a', schema } })).toEqual(schema);
  });
});

describe('a response', () => {
  const line = (message: object, more: object = {}) => ({
    model: 'm',
    created_at: '2026-11-18T08:40:00.1Z',
    message,
    done: false,
    ...more,
  });
  const read = (...lines: object[]) => {
    const reader = ollama.createStreamReader(null);
    return { parts: lines.flatMap((one) => reader.read({ name: '', data: JSON.stringify(one) })), isComplete: reader.isComplete };
  };

  test('has calls with names of their own, where the provider gives them none', () => {
    const call = { function: { name: 'get', arguments: { port: 'Brest' } } };
    const { parts, isComplete } = read(
      line({ content: '', tool_calls: [call, call] }),
      line({ content: '' }, { done: true, done_reason: 'stop', prompt_eval_count: 5, eval_count: 3 }),
    );
    const calls = parts.filter((part) => part.type === 'tool_call');
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    expect(parts.at(-2)).toEqual({ type: 'finish', reason: 'tool_calls' });
    expect(parts.at(-1)).toEqual({ type: 'usage', usage: { input: 5, output: 3 } });
    expect(isComplete).toBe(true);
    const named = read(line({ tool_calls: [{ id: 'call_x', ...call }] })).parts;
    expect(named).toContainEqual({ type: 'tool_call', index: 0, id: 'call_x', name: 'get' });
  });

  test('tells no usage where the prompt was not told, and none that cannot be true', () => {
    const usage = (counts: object) => read(line({ content: 'a' }, { done: true, done_reason: 'length', ...counts })).parts.slice(3);
    expect(usage({ eval_count: 3 })).toEqual([]);
    expect(usage({ prompt_eval_count: 0, eval_count: 3 })).toEqual([]);
    expect(usage({ prompt_eval_count: -1, eval_count: 3 })).toEqual([{ type: 'invalid_usage', counts: ['input'] }]);
  });

  test('is refused in the midst of it', () => {
    expect(read(line({ content: 'a' }), { error: 'the runner has stopped' }).parts.at(-1)).toMatchObject({
      type: 'error',
      error: { message: 'the runner has stopped' },
    });
    expect(ollama.readError('{"error":"model not found"}', null)?.message).toBe('model not found');
    expect(ollama.isEvent({ name: '', data: '{"a":1}' })).toBe(false);
  });

  test.each(['null', '[]', '1', '{}', '{"message":[]}', '{"message":{"tool_calls":[1,{}],"content":{}},"done":true}', '{"done":"yes"}'])(
    'may be anything: %s',
    (data) => {
      const parts = ollama.createStreamReader(null).read({ name: '', data });
      expect(Array.isArray(parts)).toBe(true);
    },
  );
});
