// What Gemini signs calls with, for callers whose packages send back only the fields that they know: it goes up with their calls as it
// came down, byte for byte.
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { createToken } from '#tests/support/build-token.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { signatureOfCall } from '#tests/support/gemini-responses.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

const model = 'gemini-3-flash-preview';
const options = { settings: { SelfUseModeEnabled: 'true' }, channels: [{ type: 24, models: model }] };
const toolCalls = [
  { name: 'get_tide', arguments: '{"port":"Brest"}' },
  { name: 'get_tide', arguments: '{"port":"Dover"}' },
];
const parameters = { type: 'object', properties: { port: { type: 'string' } } };
type Json = Record<string, unknown>;

interface SentCall {
  functionCall: { id: string };
  thoughtSignature?: string;
}

/** Calls in what went upstream last. */
function sentCalls(scene: RelayScene): SentCall[] {
  const body = scene.upstream.requests.at(-1)?.body;
  const { contents } = body as { contents: { parts: (SentCall | { functionCall?: undefined })[] }[] };
  return contents.flatMap(({ parts }) => parts).filter((part): part is SentCall => part.functionCall !== undefined);
}

/** As the fake signs them: the first of each step. */
function asSigned(calls: readonly SentCall[]): (string | undefined)[] {
  return calls.map(({ functionCall: { id } }, index) => (index % toolCalls.length === 0 ? signatureOfCall(id) : undefined));
}

const signatures = (calls: readonly SentCall[]) => calls.map(({ thoughtSignature }) => thoughtSignature);

async function answer(response: Response): Promise<Json> {
  const body = (await response.json()) as Json;
  expect([response.status, body['error'] ?? null]).toEqual([200, null]);
  return body;
}

describe.each(oneEngine)('signatures of calls that do not come back, on $kind', (engine) => {
  test.each([false, true])('runTools of the openai package, two rounds of two calls (stream: %s)', async (stream) => {
    await using scene = await createScene(engine, options);
    scene.upstream.behave({ reasoning: 'Ask the harbours.', toolCalls, text: 'At noon.' });
    const client = new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 });
    const ports: string[] = [];
    const getTide = {
      name: 'get_tide',
      description: 'Time of high water',
      parameters,
      parse: (text: string) => JSON.parse(text) as { port: string },
      function: ({ port }: { port: string }) => {
        ports.push(port);
        return 'Noon';
      },
    };
    const tools = [{ type: 'function' as const, function: getTide }];
    const ask = async (messages: OpenAI.ChatCompletionMessageParam[]) => {
      const body = { model, messages, tools };
      const runner = stream ? client.chat.completions.runTools({ ...body, stream: true }) : client.chat.completions.runTools(body);
      expect(await runner.finalContent()).toBe('At noon.');
      return runner.messages;
    };
    const first = await ask([{ role: 'user', content: 'When is high water?' }]);
    expect(sentCalls(scene)).toHaveLength(2);
    // What the model has said, in the fields that every package knows.
    const known = first.map((message) =>
      message.role === 'assistant' && message.tool_calls !== undefined
        ? {
            role: message.role,
            tool_calls: message.tool_calls.flatMap((call) =>
              call.type === 'function'
                ? [{ id: call.id, type: call.type, function: { name: call.function.name, arguments: call.function.arguments } }]
                : [],
            ),
          }
        : message,
    );
    expect(signatures(sentCalls(scene))).toEqual(asSigned(sentCalls(scene)));
    await ask([...known, { role: 'user', content: 'And tomorrow?' }]);
    expect(sentCalls(scene)).toHaveLength(4);
    expect(signatures(sentCalls(scene))).toEqual(asSigned(sentCalls(scene)));
    expect(ports).toEqual(['Brest', 'Dover', 'Brest', 'Dover']);
    await scene.logs(4);
    await scene.checkBooks();
  });

  test('a caller of Claude who leaves thoughts out, whole and as a stream', async () => {
    await using scene = await createScene(engine, options);
    scene.upstream.behave({ toolCalls, text: 'At noon.' });
    const question = { role: 'user', content: 'When is high water?' };
    const fields = { model, max_tokens: 3000, tools: [{ name: 'get_tide', input_schema: parameters }] };
    const { content } = await answer(await scene.post('/v1/messages', { ...fields, messages: [question] }));
    const streamed = await (await scene.post('/v1/messages', { ...fields, stream: true, messages: [question] })).text();
    const blocks = streamed.split('\n').flatMap((line) => {
      const event = line.startsWith('data: ') ? (JSON.parse(line.slice(6)) as { type: string; content_block?: Json }) : undefined;
      return event?.type === 'content_block_start' && event.content_block !== undefined ? [event.content_block] : [];
    });
    for (const reported of [
      content as Json[],
      blocks.map((block) => (block['type'] === 'tool_use' ? { ...block, input: { port: 'Brest' } } : block)),
    ]) {
      expect(reported.map(({ type }) => type)).toEqual(['redacted_thinking', 'tool_use', 'tool_use']);
      const calls = reported.filter(({ type }) => type === 'tool_use');
      const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'Noon' }));
      const messages = [question, { role: 'assistant', content: calls }, { role: 'user', content: results }];
      const response = await scene.post('/v1/messages', { ...fields, messages });
      expect(response.headers.get('x-tidegate-dropped')).toBeNull();
      await answer(response);
      expect(sentCalls(scene)).toHaveLength(2);
      expect(signatures(sentCalls(scene))).toEqual(asSigned(sentCalls(scene)));
    }
    await scene.logs(4);
    await scene.checkBooks();
  });

  test('a caller of Responses who sends back calls alone', async () => {
    await using scene = await createScene(engine, options);
    scene.upstream.behave({ toolCalls, text: 'At noon.' });
    const question = { role: 'user', content: 'When is high water?' };
    const fields = { model, store: false, tools: [{ type: 'function', name: 'get_tide', parameters, strict: false }] };
    const { output } = await answer(await scene.post('/v1/responses', { ...fields, input: [question] }));
    const items = output as Json[];
    expect(items.map(({ type }) => type)).toEqual(['reasoning', 'function_call', 'function_call']);
    const calls = items.slice(1);
    const results = calls.map((call) => ({ type: 'function_call_output', call_id: call['call_id'], output: 'Noon' }));
    await answer(await scene.post('/v1/responses', { ...fields, input: [question, ...calls, ...results] }));
    expect(sentCalls(scene)).toHaveLength(2);
    expect(signatures(sentCalls(scene))).toEqual(asSigned(sentCalls(scene)));
    await scene.logs(2);
    await scene.checkBooks();
  });

  const question = { role: 'user', content: 'When is high water?' };
  const callOf = (id: string, fields: object = {}) => ({
    id,
    type: 'function',
    function: { name: 'get_tide', arguments: '{"port":"Brest"}' },
    ...fields,
  });
  const goOn = (calls: readonly { id: string }[]) => ({
    model,
    tools: [{ type: 'function', function: { name: 'get_tide', parameters } }],
    messages: [
      question,
      ...calls.flatMap((call) => [
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: 'Noon' },
      ]),
    ],
  });
  /** A call that this key's user gets, with its id. */
  const begin = async (scene: RelayScene, id: string, headers = {}) => {
    scene.upstream.behave({ toolCalls: [{ id, name: 'get_tide', arguments: '{"port":"Brest"}' }], text: 'At noon.' });
    await answer(await scene.post('/v1/chat/completions', { model, messages: [question], tools: goOn([]).tools }, headers));
  };
  const unsigned = 'skip_thought_signature_validator';

  test('an id that another user got finds nothing, and both go on with their own', async () => {
    await using scene = await createScene(engine, options);
    const other = await scene.app.createUser({ quota: 500_000_000 });
    const { key } = await createToken(scene.app.context, other.id);
    const asOther = { authorization: `Bearer ${key}` };
    await begin(scene, 'call_shared');
    await answer(await scene.post('/v1/chat/completions', goOn([callOf('call_shared')]), asOther));
    expect(signatures(sentCalls(scene))).toEqual([unsigned]);
    await begin(scene, 'call_shared', asOther);
    for (const headers of [{}, asOther]) {
      await answer(await scene.post('/v1/chat/completions', goOn([callOf('call_shared')]), headers));
      expect(signatures(sentCalls(scene))).toEqual([signatureOfCall('call_shared')]);
    }
    await scene.checkBooks();
  });

  test('a signature that comes back counts before the one that is known, and a call that is repeated has it once', async () => {
    await using scene = await createScene(engine, options);
    await begin(scene, 'call_one');
    const own = Buffer.from('its own').toString('base64');
    const field = { extra_content: { google: { thought_signature: own } } };
    // The provider refuses this signature: the test concerns the request as sent.
    await (await scene.post('/v1/chat/completions', goOn([callOf('call_one', field)]))).text();
    expect(signatures(sentCalls(scene))).toEqual([own]);
    await answer(await scene.post('/v1/chat/completions', goOn([callOf('call_one'), callOf('call_one'), callOf('call_one')])));
    expect(signatures(sentCalls(scene))).toEqual([signatureOfCall('call_one'), unsigned, unsigned]);
  });

  test('a process that knows nothing of a call goes on without its signature', async () => {
    await using scene = await createScene(engine, options);
    await answer(await scene.post('/v1/chat/completions', goOn([callOf('call_elsewhere')])));
    expect(signatures(sentCalls(scene))).toEqual([unsigned]);
  });
});
