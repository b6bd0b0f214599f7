// The official client of OpenAI's Responses against a running server, before upstreams of every format.
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { signatureOf } from '#tests/support/claude-responses.ts';
import { encryptedOf } from '#tests/support/openai-responses.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { allCases, channelOf, describeSharedCases, model, question as input } from './shared-cases.ts';

type Item = OpenAI.Responses.ResponseInputItem;

const tools: OpenAI.Responses.Tool[] = [
  {
    type: 'function',
    name: 'get_tide',
    description: 'Time of high water',
    parameters: { type: 'object', properties: { port: { type: 'string' } } },
    strict: false,
  },
];

function clientOf(scene: RelayScene, options: { apiKey?: string; maxRetries?: number } = {}): OpenAI {
  return new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0, ...options });
}

type Called<Type> = Extract<OpenAI.Responses.ResponseOutputItem, { type: Type }>;

function callsIn<Type extends 'function_call' | 'custom_tool_call'>({ output }: OpenAI.Responses.Response, type: Type): Called<Type>[] {
  return output.filter((item): item is Called<Type> => item.type === type);
}

/** What a response has said goes back as it came. */
function itemsOf({ output }: OpenAI.Responses.Response): Item[] {
  return output as Item[];
}

describeSharedCases({
  name: "OpenAI's Responses",
  errors: OpenAI,
  badLimit: { type: 'invalid_request_error', param: 'max_output_tokens', requestID: expect.stringMatching(/./) },
  clientOf(scene, options) {
    const { responses } = clientOf(scene, options);
    return {
      async ask({ max_tokens, ...fields } = {}) {
        const limit = max_tokens === undefined ? {} : { max_output_tokens: max_tokens };
        const response = await responses.create({ model, input, ...limit, ...fields });
        return { text: response.output_text, isCut: response.incomplete_details?.reason === 'max_output_tokens' };
      },
      async stream() {
        let text = '';
        for await (const event of await responses.create({ model, input, stream: true })) {
          if (event.type === 'response.output_text.delta') text += event.delta;
        }
        return text;
      },
      async abortAfter(characters) {
        const stream = await responses.create({ model, input, stream: true });
        let received = '';
        for await (const event of stream) {
          if (event.type === 'response.output_text.delta') received += event.delta;
          if (received.length >= characters) stream.controller.abort();
        }
      },
      async callTools(stream) {
        const ask = (items: Item[]) => {
          const body = { model, input: items, tools, tool_choice: 'auto' as const, parallel_tool_calls: true };
          return stream ? responses.stream(body).finalResponse() : responses.create(body);
        };
        const first = await ask(input);
        const calls = callsIn(first, 'function_call');
        const results = calls.map(({ call_id }) => ({ type: 'function_call_output' as const, call_id, output: 'noon' }));
        const second = await ask([...input, ...itemsOf(first), ...results]);
        expect([first.status, second.status]).toEqual(['completed', 'completed']);
        return { calledWith: calls.map((call) => JSON.parse(call.arguments)), text: second.output_text };
      },
    };
  },
});

/** Every field that the vendor's type requires, and those that its own responses always have. */
const required = {
  id: expect.stringMatching(/^resp_/),
  object: 'response',
  created_at: expect.any(Number),
  access_programs: null,
  error: null,
  incomplete_details: null,
  instructions: 'Be brief.',
  metadata: { run: '1' },
  model,
  parallel_tool_calls: true,
  temperature: expect.any(Number),
  tool_choice: 'auto',
  tools: expect.any(Array),
  top_p: expect.any(Number),
  status: 'completed',
  completed_at: expect.any(Number),
  store: true,
};

describe.each(allCases)("the package of OpenAI's Responses on $kind, before $format", ({ engine, type, setting, format }) => {
  const open = (options: SceneOptions = {}) =>
    createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ ...channelOf(type), setting }], ...options });
  const isIdentity = format === 'Responses';

  test('gets a whole response with every field, and its usage as the log has it', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'High water is at noon.' });
    const requested = {
      model,
      input: 'When is high water in Brest?',
      instructions: 'Be brief.',
      metadata: { run: '1' },
      max_output_tokens: 50,
    };
    const response = await clientOf(scene).responses.create(requested);
    expect(response.output_text).toBe('High water is at noon.');
    const named = format === 'Gemini' ? { model: 'gemini-3-flash-preview' } : {};
    if (!isIdentity) expect(response).toMatchObject({ ...required, ...named });
    const [message] = response.output;
    expect(message).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'High water is at noon.', annotations: [], logprobs: [] }],
    });
    const [row] = await scene.logs(1);
    const { usage } = response;
    expect(usage).toMatchObject({
      input_tokens: row?.prompt_tokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: row?.completion_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: (row?.prompt_tokens ?? 0) + (row?.completion_tokens ?? 0),
    });
    const sent = JSON.stringify(scene.upstream.requests[0]?.body);
    expect(sent).toContain('Be brief.');
    // Nothing is stored at the provider.
    if (isIdentity) expect(scene.upstream.requests[0]?.body).toMatchObject({ store: false, metadata: { run: '1' } });
    await scene.checkBooks();
  });

  test('reads every event of a stream by its number, cut anywhere', async () => {
    await using scene = await open();
    const text = 'Springs come at new and full moon. 大潮 🌊';
    scene.upstream.behave({ text, reasoning: 'The moon is full.', bytesPerWrite: 13 });
    const requested = { model, input, reasoning: { effort: 'low' as const }, max_output_tokens: 4096, stream: true as const };
    const events = await Array.fromAsync(await clientOf(scene).responses.create(requested));
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    const names = events.map((event) => event.type.replace('response.', ''));
    expect(names.filter((name, index) => name !== names[index - 1]).join(' ')).toBe(
      'created in_progress output_item.added reasoning_summary_part.added reasoning_summary_text.delta reasoning_summary_text.done ' +
        'reasoning_summary_part.done output_item.done output_item.added content_part.added output_text.delta output_text.done ' +
        'content_part.done output_item.done completed',
    );
    const last = events.at(-1);
    if (last?.type !== 'response.completed') throw new Error('The stream has no end');
    expect(last.response.output).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'The moon is full.' }] },
      { type: 'message', content: [{ type: 'output_text', text }] },
    ]);
    const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item] : []));
    expect(last.response.output).toEqual(done);
    const [row] = await scene.logs(1);
    expect(last.response.usage).toMatchObject({ input_tokens: row?.prompt_tokens, output_tokens: row?.completion_tokens });
    expect(row?.other).not.toHaveProperty('ending');
    await scene.checkBooks();
  });

  test.each([false, true])('sends thoughts back as they came (stream: %s)', async (stream) => {
    await using scene = await open();
    scene.upstream.behave({
      reasoning: 'The moon is full.',
      text: 'At noon.',
      toolCalls: [{ name: 'get_tide', arguments: '{"port":"Brest"}' }],
    });
    const { responses } = clientOf(scene);
    const ask = (items: Item[]) => {
      const body = {
        model,
        input: items,
        tools,
        store: false,
        include: ['reasoning.encrypted_content' as const],
        reasoning: { effort: 'low' as const },
        max_output_tokens: 4096,
      };
      return stream ? responses.stream(body).finalResponse() : responses.create(body);
    };
    const first = await ask(input);
    // The signature of a call of Gemini's stands in the thoughts before it.
    expect(first.output.map((item) => item.type)).toEqual(['reasoning', 'function_call']);
    const [call] = callsIn(first, 'function_call');
    const result = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'noon' };
    // The upstream refuses thoughts that are not its own.
    const second = await ask([...input, ...itemsOf(first), result]);
    expect(second.output_text).toBe('At noon.');
    const sent = JSON.stringify(scene.upstream.requests[1]?.body);
    if (format === 'Claude') expect(sent).toContain(signatureOf('The moon is full.'));
    if (isIdentity) expect(sent).toContain(encryptedOf('The moon is full.'));
    await scene.logs(2);
    await scene.checkBooks();
  });

  test.each([false, true])('has its free-form tool called with text, and answers it (stream: %s)', async (stream) => {
    await using scene = await open();
    const patch = '*** Begin Patch\n*** Add File: "a".txt\n+Zeile – 行 🌊\\n\n*** End Patch';
    scene.upstream.behave({
      toolCalls: [{ name: 'apply_patch', arguments: isIdentity ? patch : JSON.stringify({ input: patch }) }],
      text: 'Done.',
      bytesPerWrite: 11,
    });
    const { responses } = clientOf(scene);
    const format_ = { type: 'grammar' as const, syntax: 'lark' as const, definition: 'start: "*** Begin Patch"' };
    const custom: OpenAI.Responses.Tool = { type: 'custom', name: 'apply_patch', description: 'Edits files', format: format_ };
    let streamed = '';
    const ask = async (items: Item[]) => {
      const body = { model, input: items, tools: [custom, ...tools] };
      if (!stream) return responses.create(body);
      const events = responses.stream(body);
      events.on('event', (event) => {
        if (event.type === 'response.custom_tool_call_input.delta') streamed += event.delta;
      });
      return events.finalResponse();
    };
    const first = await ask(input);
    expect(first.output.filter(({ type: kind }) => kind !== 'reasoning')).toMatchObject([
      { type: 'custom_tool_call', name: 'apply_patch', input: patch, id: expect.stringMatching(/^ctc_/) },
    ]);
    if (stream) expect(streamed).toBe(patch);
    const callId = callsIn(first, 'custom_tool_call')[0]?.call_id ?? '';
    const second = await ask([...input, ...itemsOf(first), { type: 'custom_tool_call_output', call_id: callId, output: 'Success' }]);
    expect(second.output_text).toBe('Done.');
    if (!isIdentity) expect(JSON.stringify(scene.upstream.requests[0]?.body)).toContain(JSON.stringify(format_.definition).slice(1, -1));
    await scene.logs(2);
  });

  test('asks for JSON by a schema', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: '{"hour":12}' });
    // In the order in which a writer that goes through schemas puts the members.
    const schema = { type: 'object', properties: { hour: { type: 'integer' } }, additionalProperties: false, required: ['hour'] };
    const body = { model, input, text: { format: { type: 'json_schema' as const, name: 'tide', schema, strict: true } } };
    const response = await clientOf(scene).responses.parse(body);
    expect(response.output_parsed).toEqual({ hour: 12 });
    expect(JSON.stringify(scene.upstream.requests[0]?.body)).toContain(JSON.stringify(schema));
  });

  test('sends images', async () => {
    await using scene = await open();
    const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk';
    const image = { type: 'input_image' as const, image_url: `data:image/png;base64,${data}`, detail: 'auto' as const };
    const content = [image, { type: 'input_text' as const, text: 'What is this?' }];
    const response = await clientOf(scene).responses.create({ model, input: [{ role: 'user', content }] });
    expect(response.status).toBe('completed');
    expect(JSON.stringify(scene.upstream.requests[0]?.body)).toContain(data);
  });
});

describe.each(oneEngine)("what OpenAI's Responses refuses and leaves out on $kind", (engine) => {
  const open = () => createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ models: model }] });
  const forgetful = () => createScene(engine, { settings: { ResponseStoreEnabled: 'false' }, channels: [{ models: model }] });

  test.each([
    [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt'],
    [{ background: true }, 'background'],
    [{ input: [{ type: 'item_reference' as const, id: 'msg_1' }] }, 'input.0.type'],
  ])('what speaks of something that was kept, where nothing is: %j', async (fields, param) => {
    await using scene = await forgetful();
    const failure = await failureOf(clientOf(scene).responses.create({ model, input, ...fields }));
    expect(failure).toBeInstanceOf(OpenAI.BadRequestError);
    expect(failure).toMatchObject({ status: 400, code: 'responses_not_kept', param });
    expect(scene.upstream.requests).toHaveLength(0);
  });

  test('tools that run at the provider are left out where they are only offered', async () => {
    await using scene = await open();
    const offered = [{ type: 'web_search' as const }, ...tools];
    const response = await clientOf(scene).responses.create({ model, input, tools: offered, truncation: 'auto' }).asResponse();
    expect(response.headers.get('x-tidegate-dropped')).toBe('truncation, tools.0');
    expect(scene.upstream.requests[0]?.body).toMatchObject({ tools: [{ function: { name: 'get_tide' } }] });
    const forced = { model, input, tools: offered, tool_choice: { type: 'web_search_preview' as const } };
    expect(await failureOf(clientOf(scene).responses.create(forced))).toMatchObject({ status: 400, param: 'tool_choice' });
  });

  test('who asks for a socket without an upgrade goes on without one', async () => {
    await using scene = await open();
    const plain = await fetch(`${scene.app.origin}/v1/responses`);
    expect(await plain.json()).toMatchObject({ error: { code: 'websocket_missing', type: 'invalid_request_error' } });
  });

  test('Codex finds its tools: in namespaces, by a search, and told with the conversation', async () => {
    await using scene = await open();
    const wait = { type: 'function', name: 'wait', description: 'Waits', strict: false, parameters: { type: 'object', properties: {} } };
    const functions = {
      type: 'namespace',
      name: 'functions',
      description: 'Own',
      tools: [{ type: 'custom', name: 'exec', description: 'Runs' }, wait],
    };
    const search = { type: 'tool_search', execution: 'client', description: 'Finds tools', parameters: { type: 'object', properties: {} } };
    const body = {
      model,
      stream: true,
      input: [
        { type: 'additional_tools', id: 'at_1', role: 'developer', tools: [functions] },
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'You are Codex.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go on.' }] },
      ],
      tools: [search],
      tool_choice: 'auto',
      parallel_tool_calls: false,
      reasoning: { effort: 'low', context: 'all_turns' },
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'k1',
      text: { verbosity: 'low' },
      client_metadata: { session_id: 's1' },
    };
    scene.upstream.behave({
      toolCalls: [
        { name: 'functions__exec', arguments: '{"input":"const a = 1;\\n"}', id: 'call_1' },
        { name: 'functions__wait', arguments: '{}', id: 'call_2' },
        { name: 'tool_search', arguments: '{"query":"clock"}', id: 'call_3' },
      ],
      text: 'Found.',
    });
    const streamed = await (await scene.post('/v1/responses', body)).text();
    const events = [...streamed.matchAll(/^data: (.*)$/gm)].map(([, data = '']): unknown => JSON.parse(data));
    const output = [
      { type: 'custom_tool_call', call_id: 'call_1', name: 'exec', namespace: 'functions', input: 'const a = 1;\n' },
      { type: 'function_call', call_id: 'call_2', name: 'wait', namespace: 'functions', arguments: '{}' },
      { type: 'tool_search_call', call_id: 'call_3', execution: 'client', arguments: { query: 'clock' } },
    ];
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { output } });
    const clock = { type: 'namespace', name: 'clock', description: 'Time', tools: [{ ...wait, name: 'sleep' }] };
    const results = [
      { type: 'custom_tool_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'Script completed' }] },
      { type: 'function_call_output', call_id: 'call_2', output: 'ok' },
      { type: 'tool_search_output', call_id: 'call_3', execution: 'client', status: 'completed', tools: [clock] },
    ];
    const next = await scene.post('/v1/responses', { ...body, stream: false, input: [...body.input, ...output, ...results] });
    expect(await next.json()).toMatchObject({ output: [{ type: 'message', content: [{ text: 'Found.' }] }] });
    expect(next.headers.get('x-tidegate-dropped')).toBe('client_metadata, reasoning.context, reasoning.effort');
    const sent = scene.upstream.requests[1]?.body as { tools: { function: { name: string } }[] };
    expect(sent.tools.map((tool) => tool.function.name)).toEqual(['tool_search', 'functions__exec', 'functions__wait', 'clock__sleep']);
    await scene.logs(2);
    await scene.checkBooks();
  });
});
