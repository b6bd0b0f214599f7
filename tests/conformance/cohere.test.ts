// Cohere's chat and embeddings: what is written of every caller's request, and read of every response. The stand-in takes requests strictly.
import { describe, expect, test } from 'vitest';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import { modelListQuestions, readModelList } from '#server/exchange/read-model-list.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { chatOf } from '#tests/support/cohere-responses.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { startFakeCohere } from '#tests/support/fake-cohere.ts';
import { noSender } from '#tests/support/no-sender.ts';
import { createScene } from '#tests/support/relay-scene.ts';

const { cohere } = upstreamDialects;
const plain = 'command-a-03-2025';
const reasoning = 'command-a-reasoning-08-2025';
const png = 'iVBORw0KGgo=';

type Speaking = keyof typeof clientDialects;

/** What goes to the provider, which takes it. */
function written(client: Speaking, body: Record<string, unknown>, upstreamModel = plain) {
  const request = clientDialects[client].readRequest({ model: 'm', ...body });
  const { body: sent, dropped } = cohere.writeRequest(request, { upstreamModel, forceUsage: true, settings: defaultSettings });
  expect(chatOf(JSON.parse(JSON.stringify(sent)))).toHaveProperty('requested');
  return { sent, dropped };
}

const chat = (fields: Record<string, unknown>, model?: string) => written('openai-chat', fields, model);
const user = (content: unknown) => ({ role: 'user', content });
const tool = (name: string) => ({ type: 'function', function: { name, description: 'A tide', parameters: {} } });
const call = { id: 'call_1', type: 'function', function: { name: 'get_tide', arguments: '{"port":"Brest"}' } };

describe('a request', () => {
  // The vector of the older version's chat, in the words of the one that has taken its place. https://docs.cohere.com/v2/docs/migrating-v1-to-v2
  test('has every turn, and fields by names of its own', () => {
    const messages = [{ role: 'system', content: 'Be brief.' }, user('Hello'), { role: 'assistant', content: 'Hi' }, user('Bye')];
    const sampling = { temperature: 1.7, top_p: 1, stop: 'END', seed: 3, frequency_penalty: 1.5, presence_penalty: -1, max_tokens: 9 };
    expect(chat({ messages, ...sampling, user: 'u' })).toEqual({
      sent: {
        model: plain,
        stream: false,
        messages,
        temperature: 1,
        p: 0.99,
        stop_sequences: ['END'],
        seed: 3,
        frequency_penalty: 1,
        presence_penalty: 0,
        max_tokens: 9,
      },
      dropped: ['user'],
    });
  });

  test('has tools, their calls and their results', () => {
    const messages = [
      user('Tide?'),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: '12' },
    ];
    const { sent, dropped } = chat({ messages, tools: [tool('get_tide')], parallel_tool_calls: false });
    expect(sent.messages).toEqual([
      user('Tide?'),
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: '12' },
    ]);
    expect(sent.tools).toEqual([
      { type: 'function', function: { name: 'get_tide', description: 'A tide', parameters: { type: 'object', properties: {} } } },
    ]);
    expect(dropped).toEqual(['parallel_tool_calls']);
  });

  test('has the choices that there are among tools', () => {
    const choice = (tool_choice: unknown) => {
      const { sent } = chat({ messages: [user('Hi')], tools: [tool('a'), tool('b')], tool_choice });
      return [sent.tool_choice, (sent.tools as object[]).length];
    };
    expect(choice('auto')).toEqual([undefined, 2]);
    expect(choice('none')).toEqual(['NONE', 2]);
    expect(choice('required')).toEqual(['REQUIRED', 2]);
    expect(choice({ type: 'function', function: { name: 'b' } })).toEqual(['REQUIRED', 1]);
  });

  test('has pictures and texts of files, and nothing else', () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}`, detail: 'low' } };
    const remote = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    expect(Object(chat({ messages: [user([{ type: 'text', text: 'What?' }, image, remote])] }).sent.messages)[0].content).toEqual([
      { type: 'text', text: 'What?' },
      image,
      remote,
    ]);
    const pdf = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } };
    expect(() => chat({ messages: [user([pdf])] })).toThrow(expect.objectContaining({ code: 'untranslatable' }));
  });

  test('tells models that think how long, and others nothing', () => {
    const budget = { max_tokens: 4000, messages: [user('Hi')], thinking: { type: 'enabled', budget_tokens: 2048 } };
    expect(written('claude', budget, reasoning)).toMatchObject({
      sent: { thinking: { type: 'enabled', token_budget: 2048 } },
      dropped: [],
    });
    expect(written('claude', budget)).toMatchObject({
      sent: expect.not.objectContaining({ thinking: expect.anything() }),
      dropped: ['thinking'],
    });
    expect(chat({ messages: [user('Hi')], reasoning_effort: 'none' }, reasoning).sent.thinking).toEqual({ type: 'disabled' });
    expect(chat({ messages: [user('Hi')], reasoning_effort: 'none' })).toMatchObject({ dropped: [] });
    expect(chat({ messages: [user('Hi')], reasoning_effort: 'high' }, reasoning)).toMatchObject({
      sent: { thinking: { type: 'enabled' } },
      dropped: ['reasoning_effort'],
    });
  });

  test('keeps its own thoughts: beside the text, or as the plan behind which tools were called', () => {
    const said = (fields: object, model: string) => {
      const { sent, dropped } = chat(
        { messages: [user('Hi'), { role: 'assistant', reasoning_content: 'Hm', ...fields }, user('Go on')] },
        model,
      );
      return { message: Object(sent.messages)[1], dropped };
    };
    expect(said({ content: 'Ho' }, reasoning).message.content).toEqual([
      { type: 'thinking', thinking: 'Hm' },
      { type: 'text', text: 'Ho' },
    ]);
    expect(said({ content: 'Ho' }, plain)).toEqual({ message: { role: 'assistant', content: 'Ho' }, dropped: ['reasoning_content'] });
    const messages = [
      user('Hi'),
      { role: 'assistant', content: null, reasoning_content: 'Hm', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: '12' },
    ];
    expect(Object(chat({ messages }).sent.messages)[1]).toEqual({ role: 'assistant', tool_calls: [call], tool_plan: 'Hm' });
  });

  test('holds the model to JSON, or to a schema', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const format = (response_format: object) => chat({ messages: [user('Hi')], response_format }).sent.response_format;
    expect(format({ type: 'json_object' })).toEqual({ type: 'json_object' });
    expect(format({ type: 'json_schema', json_schema: { name: 'a', schema } })).toEqual({ type: 'json_object', json_schema: schema });
  });
});

const whole = {
  id: 'c14c80c3',
  finish_reason: 'TOOL_CALL',
  message: {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm' },
      { type: 'text', text: 'See Brest.' },
    ],
    citations: [
      {
        start: 4,
        end: 9,
        text: 'Brest',
        sources: [{ type: 'document', id: 'd1', document: { url: 'https://example.com/b', title: 'Brest', snippet: 'A port' } }],
      },
      { start: 0, end: 3, sources: [{ type: 'tool', id: 't1', tool_output: { height: '6' } }] },
    ],
    tool_calls: [call],
  },
  usage: { billed_units: { input_tokens: 5, output_tokens: 418 }, tokens: { input_tokens: 71, output_tokens: 418 } },
};

describe('a response', () => {
  test('is read whole, with what is billed', () => {
    expect(cohere.readWhole(whole, null)).toEqual([
      { type: 'start', id: 'c14c80c3', model: '' },
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'See Brest.' },
      { type: 'citation', url: 'https://example.com/b', title: 'Brest', text: 'A port', start: 4, end: 9 },
      { type: 'tool_call', index: 0, id: 'call_1', name: 'get_tide' },
      { type: 'tool_arguments', index: 0, text: '{"port":"Brest"}' },
      { type: 'finish', reason: 'tool_calls' },
      { type: 'usage', usage: { input: 5, output: 418 } },
    ]);
  });

  const read = (...events: object[]) => {
    const reader = cohere.createStreamReader(null);
    return events.flatMap((event) => reader.read({ name: '', data: JSON.stringify(event) }));
  };

  test('has plans among its thoughts, and calls without arguments as ones with an empty object', () => {
    expect(
      read(
        { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I look.' } } },
        { type: 'tool-call-start', index: 0, delta: { message: { tool_calls: { id: 'a', function: { name: 'now', arguments: '' } } } } },
        { type: 'tool-call-end', index: 0 },
      ),
    ).toEqual([
      { type: 'reasoning', text: 'I look.' },
      { type: 'tool_call', index: 0, id: 'a', name: 'now' },
      { type: 'tool_arguments', index: 0, text: '{}' },
    ]);
  });

  test('that has failed is an error, whole or at the end of a stream', () => {
    const failed = { finish_reason: 'ERROR', error: 'out of memory' };
    const error = { status: 502, code: 'ERROR', message: expect.stringContaining('out of memory') };
    expect(read({ type: 'message-end', delta: failed })).toMatchObject([{ type: 'error', error }]);
    expect(cohere.readWhole({ id: 'a', ...failed }, null)).toMatchObject([{ type: 'error', error }]);
    expect(cohere.readWhole({ ...whole, ...failed }, null)).toContainEqual({ type: 'error', error: expect.objectContaining(error) });
  });

  test('tells why it ended', () => {
    const reason = (finish_reason: string) => read({ type: 'message-end', delta: { finish_reason } });
    expect(reason('MAX_TOKENS')).toEqual([{ type: 'finish', reason: 'length' }]);
    expect(reason('STOP_SEQUENCE')).toEqual([{ type: 'finish', reason: 'stop_sequence' }]);
    expect(reason('LATER')).toEqual([{ type: 'finish', reason: 'stop', unknown: 'LATER' }]);
  });

  test.each([
    {},
    { type: 'content-delta', delta: [] },
    { type: 'tool-call-delta', index: {}, delta: { message: { tool_calls: 1 } } },
    { type: 'citation-start', delta: { message: { citations: { sources: [1, {}], start: -1 } } } },
  ])('may be anything: %j', (event) => expect(read(event)).toEqual([]));
});

test('tells which models it has', async () => {
  const [question] = modelListQuestions(buildPreparedChannel({ type: 34, key: 'k' }), { now: 0, sender: noSender }) ?? [];
  const request = await question?.request;
  expect(`${request?.origin}${request?.path}`).toBe('https://api.cohere.ai/v1/models?page_size=1000');
  const text = JSON.stringify({
    models: [
      { name: plain, endpoints: ['chat'] },
      { name: 'embed-v4.0', endpoints: ['embed'] },
    ],
  });
  expect(question === undefined ? null : readModelList(text, question.list)).toEqual([plain, 'embed-v4.0']);
});

describe.each(oneEngine.map((engine) => ({ engine, kind: engine.kind })))('embeddings on $kind', ({ engine }) => {
  test('are asked for in its words, and charged by what it bills', async () => {
    let taken: readonly Record<string, unknown>[] = [];
    const front = async (url: string) => {
      const fake = await startFakeCohere(url);
      taken = fake.taken;
      return fake;
    };
    const channels = [{ models: 'embed-v4.0' }];
    await using scene = await createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels, front });
    const ask = (fields: object) => scene.post('/v1/embeddings', { model: 'embed-v4.0', input: ['ebb', 'flood'], ...fields });
    const response = await ask({ dimensions: 256, input_type: 'search_query', weight: 2 });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-tidegate-dropped')).toBe('weight');
    expect(await response.json()).toMatchObject({
      data: [
        { index: 0, embedding: [3, 0] },
        { index: 1, embedding: [5, 1] },
      ],
      usage: { prompt_tokens: 7, total_tokens: 7 },
    });
    expect(taken[0]).toEqual({
      input_type: 'search_query',
      model: 'embed-v4.0',
      texts: ['ebb', 'flood'],
      embedding_types: ['float'],
      output_dimension: 256,
    });
    expect((await ask({ input: Array.from({ length: 97 }, () => 'a') })).status).toBe(400);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: 7, completion_tokens: 0 });
    await scene.checkBooks();
  });
});
