// Cursor's requests to /v1/chat/completions, whose responses it reads as a chat's: bodies of Responses for models that it takes for OpenAI's, and
// chat completions with its patch tool in the form of Responses. The bodies are as its servers send them, shortened.
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { embeddedEngine, engines } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

const model = 'gpt-5.1-codex';
const patch = '*** Begin Patch\n*** Update File: a.py\n@@\n-print("a")\n+print("b\\n")\n*** End Patch';
const upstreams = [
  { format: 'chat', path: '/v1/chat/completions', channel: { type: 1, setting: '{"formats":["openai-chat"]}' } },
  { format: 'Responses', path: '/v1/responses', channel: { type: 1, setting: '{"formats":["openai-responses"]}' } },
  { format: 'Claude', path: '/v1/messages', channel: { type: 14, model_mapping: JSON.stringify({ [model]: 'claude-sonnet-4-5' }) } },
  { format: 'Gemini', path: '/v1beta/', channel: { type: 24, model_mapping: JSON.stringify({ [model]: 'gemini-2.5-flash' }) } },
];

const readFile = {
  type: 'function',
  name: 'read_file',
  description: 'Read a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  strict: false,
};
const applyPatch = {
  type: 'custom',
  name: 'ApplyPatch',
  description: 'Edit files. Do not wrap the patch in JSON.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch" LF hunk "*** End Patch" LF?' },
};
const { type: _type, ...readFunction } = readFile;
const metadata = { cursorConversationId: '6e0b5c0e-3f3c-4d11-9e51-1a4f6c0f7a11', cursorRequestId: 'f2f1a8e2-0000-4000-8000-000000000001' };

const ofResponses = {
  user: 'google-oauth2|user_01',
  model,
  input: [
    { role: 'system', content: 'You are an AI coding assistant, powered by GPT-5.1 Codex.' },
    { role: 'user', content: [{ type: 'input_text', text: '<user_query>\nFix a.py\n</user_query>' }] },
  ],
  tools: [readFile, applyPatch],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  store: false,
  include: ['reasoning.encrypted_content'],
  reasoning: { effort: 'medium', summary: 'auto' },
  text: { verbosity: 'medium' },
  truncation: 'auto',
  metadata,
  prompt_cache_key: 'cursor-6e0b5c0e',
  prompt_cache_retention: '24h',
  stream_options: { include_usage: true },
};

const ofChat = {
  user: 'google-oauth2|user_01',
  model,
  messages: [
    { role: 'system', content: 'You are an AI coding assistant.' },
    { role: 'user', content: [{ type: 'text', text: 'Fix a.py' }] },
  ],
  tools: [{ type: 'function', function: readFunction }, applyPatch],
  metadata,
  stream_options: { include_usage: true },
};

interface ReportedCall {
  id: string;
  type: string;
  function: { name: string; arguments: string };
}

interface Reported {
  text: string;
  calls: ReportedCall[];
  finish: string;
  usage: unknown;
}

/** What an answer or the chunks of a stream say, put together as Cursor does. */
async function reportedIn(response: Response, isStream: boolean): Promise<Reported> {
  expect(response.status).toBe(200);
  const text = await response.text();
  const reported: Reported = { text: '', calls: [], finish: '', usage: undefined };
  if (!isStream) {
    const whole = JSON.parse(text);
    expect(whole).toMatchObject({ object: 'chat.completion', id: expect.stringMatching(/^chatcmpl-/) });
    const [choice] = whole.choices;
    return { text: choice.message.content ?? '', calls: choice.message.tool_calls ?? [], finish: choice.finish_reason, usage: whole.usage };
  }
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  for (const event of text.split('\n\n').filter((line) => line.startsWith('data: {'))) {
    const chunk = JSON.parse(event.slice('data: '.length));
    expect(chunk.object).toBe('chat.completion.chunk');
    reported.usage = chunk.usage ?? reported.usage;
    const [choice] = chunk.choices;
    if (choice === undefined) continue;
    reported.text += choice.delta.content ?? '';
    reported.finish = choice.finish_reason ?? reported.finish;
    for (const call of choice.delta.tool_calls ?? []) {
      const known = reported.calls[call.index];
      if (known === undefined) reported.calls[call.index] = structuredClone({ id: call.id, type: call.type, function: call.function });
      else known.function.arguments += call.function.arguments;
    }
  }
  return reported;
}

const bodies: readonly [about: string, body: Record<string, unknown>][] = [
  ['a body of Responses', ofResponses],
  ['a chat completion with a flat tool', ofChat],
];

describe.each(upstreams)('Cursor before $format', ({ format, path, channel }) => {
  let scene: RelayScene;
  beforeAll(async () => {
    scene = await createScene(embeddedEngine, { channels: [{ models: model, ...channel }], settings: { SelfUseModeEnabled: 'true' } });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const sent = () => scene.upstream.requests.at(-1);
  const ask = (body: object, stream: boolean) => scene.post('/v1/chat/completions', { ...body, stream });

  describe.each(bodies)('%s', (_about, body) => {
    test.each([false, true])('is answered as a chat (stream: %s)', async (stream) => {
      scene.upstream.queue({ text: 'Done.' });
      const reported = await reportedIn(await ask(body, stream), stream);
      expect(reported).toMatchObject({ text: 'Done.', calls: [], finish: 'stop', usage: { prompt_tokens: expect.any(Number) } });
      expect(sent()?.path).toContain(path);
      expect(sent()?.text).toContain('Fix a.py');
      await scene.checkBooks();
    });

    test.each([false, true])('has its tools called, by JSON and by a free text, in functions (stream: %s)', async (stream) => {
      const json = format === 'Responses' ? patch : JSON.stringify({ input: patch });
      scene.upstream.queue({
        toolCalls: [
          { name: 'read_file', arguments: '{"path":"a.py"}' },
          { name: 'ApplyPatch', arguments: json },
        ],
      });
      const { calls, finish } = await reportedIn(await ask(body, stream), stream);
      expect(finish).toBe('tool_calls');
      expect(calls).toMatchObject([
        { type: 'function', function: { name: 'read_file', arguments: '{"path":"a.py"}' } },
        { type: 'function', function: { name: 'ApplyPatch', arguments: patch } },
      ]);
      const definition = applyPatch.format.definition.replaceAll('"', String.raw`\"`);
      expect(sent()?.text).toContain(definition);
    });
  });

  test('goes on with what its tools have answered, in either form', async () => {
    const called = [
      { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.py"}' } },
      { id: 'call_2', type: 'function', function: { name: 'ApplyPatch', arguments: patch } },
    ];
    const messages = [
      ...ofChat.messages,
      // Its form of a turn that only calls tools.
      { role: 'assistant', content: [], tool_calls: called },
      { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'print("a")' }] },
      { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'Patched.' }] },
    ];
    const items = [
      ...ofResponses.input,
      { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{"path":"a.py"}' },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'ApplyPatch', input: patch },
      { type: 'function_call_output', call_id: 'call_1', output: 'print("a")' },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'Patched.' }] },
    ];
    const mixed = [...ofResponses.input, ...messages.slice(2)];
    for (const body of [
      { ...ofChat, messages },
      { ...ofResponses, input: items },
      { ...ofResponses, input: mixed },
    ]) {
      scene.upstream.queue({ text: 'Fixed.' });
      expect(await reportedIn(await ask(body, true), true)).toMatchObject({ text: 'Fixed.' });
      const text = sent()?.text ?? '';
      expect(text).toContain('Patched.');
      // The patch is in it once, as a text or within JSON.
      expect(text.match(/Begin Patch(?:\\)+n/g)).toHaveLength(1);
      if (format === 'Responses')
        expect(sent()?.body).toMatchObject({
          input: expect.arrayContaining([{ type: 'custom_tool_call', call_id: 'call_2', name: 'ApplyPatch', input: patch }]),
        });
    }
    const one = { role: 'assistant', content: [], tool_calls: called.slice(0, 1) };
    const plain = { ...ofChat, tools: ofChat.tools.slice(0, 1), messages: [...ofChat.messages, one, ...messages.slice(3, 4)] };
    scene.upstream.queue({ text: 'Read.' });
    expect(await reportedIn(await ask(plain, true), true)).toMatchObject({ text: 'Read.' });
    if (format === 'chat') expect(sent()?.body).toMatchObject({ messages: [{}, {}, { role: 'assistant', content: null }, {}] });
  });
});

describe.each(engines)('what a body of Cursor costs on $kind', (engine) => {
  const tooMuch = 1_000_000;
  let scene: RelayScene;
  beforeAll(async () => {
    scene = await createScene(engine, {
      channels: [{ models: model, ...upstreams[0]?.channel }],
      settings: { ModelRatio: JSON.stringify({ [model]: 1 }) },
    });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const input = '"input":[{"role":"user","content":"Say hello"}]';
  const messages = '"messages":[{"role":"user","content":"Say hello"}]';
  const flat = `"tools":[${JSON.stringify(applyPatch)}]`;
  test.each([
    ['both', `${input},${messages}`, 'input'],
    ['both, one of them empty', `"input":[],${messages}`, 'input'],
    ['both, with a flat tool', `${input},${messages},${flat}`, 'input'],
    ['neither', '"input":null', 'messages'],
    ['no input', '"input":[]', 'input'],
    ['a limit twice', `${input},"max_output_tokens":1,"max_output_tokens":9000`, 'max_output_tokens'],
    ['a limit in capitals', `${input},"MAX_TOKENS":9000`, 'MAX_TOKENS'],
    ["a chat's limit in capitals", `${input},"Max_Completion_Tokens":9000`, 'Max_Completion_Tokens'],
    ["Responses' limit in capitals, in a chat", `${messages},${flat},"Max_Output_Tokens":9000`, 'Max_Output_Tokens'],
    ['what is asked twice', `${input},${input}`, 'input'],
    ['what is asked in capitals', `${input},"INPUT":"long"`, 'INPUT'],
    ['what is asked in capitals, deeper', '"input":[{"role":"user","content":"short","Content":"long"}]', 'Content'],
    ['a limit that is none', `${input},"max_tokens":"9"`, 'max_tokens'],
    ['several choices', `${input},"n":2`, 'n'],
    ['what is kept', `${input},"previous_response_id":"resp_1"`, 'previous_response_id'],
    ['a conversation that is kept', `${input},"conversation":"conv_1"`, 'conversation'],
  ])('is refused with %s', async (_about, fields, name) => {
    const before = scene.upstream.requests.length;
    const response = await scene.post('/v1/chat/completions', `{"model":"${model}",${fields}}`, { 'accept-language': 'en' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining(name), type: expect.any(String) } });
    expect(scene.upstream.requests).toHaveLength(before);
    await scene.checkBooks();
  });

  test.each([
    { max_output_tokens: 20, max_tokens: 30, max_completion_tokens: 40 },
    { max_output_tokens: 40, max_tokens: 20 },
    { max_tokens: 40 },
  ])('has one limit, the largest of its names: %o', async (limits) => {
    for (const body of [ofResponses, ofChat]) {
      scene.upstream.queue({ text: 'word '.repeat(60) });
      const reported = await reportedIn(await scene.post('/v1/chat/completions', { ...body, ...limits }), false);
      expect(reported.finish).toBe('length');
      expect(scene.upstream.requests.at(-1)?.body).toMatchObject({ max_completion_tokens: 40 });
    }
    await scene.checkBooks();
  });

  test('is bounded by what its account can pay for', async () => {
    const { key } = await scene.addToken({ quota: 20_000 });
    const poor = { authorization: `Bearer ${key}` };
    for (const body of [ofResponses, ofChat]) {
      const response = await scene.post('/v1/chat/completions', { ...body, max_tokens: tooMuch }, poor);
      expect(response.status).toBe(200);
      await response.text();
      const { max_completion_tokens: limit } = JSON.parse(scene.upstream.requests.at(-1)?.text ?? '{}');
      expect(limit).toBeLessThan(20_000);
    }
  });

  test('is one call of its conversation, whichever way it is told', async () => {
    const count = (await scene.logs(0)).length;
    await reportedIn(await scene.post('/v1/chat/completions', ofResponses), false);
    await reportedIn(await scene.post('/v1/chat/completions', ofChat), false);
    const rows = (await scene.logs(count + 2)).slice(count);
    for (const row of rows) expect(JSON.stringify(row)).toContain(metadata.cursorConversationId);
  });
});

test("OpenAI's own way of calling a tool with a free text is told in its own form, whatever the provider speaks", async () => {
  const tools = [
    {
      type: 'custom' as const,
      custom: { name: 'ApplyPatch', format: { type: 'grammar' as const, grammar: { syntax: 'lark' as const, definition: 'start: "a"' } } },
    },
  ];
  for (const { format, channel } of upstreams.slice(1)) {
    await using scene = await createScene(embeddedEngine, {
      channels: [{ models: model, ...channel }],
      settings: { SelfUseModeEnabled: 'true' },
    });
    const client = new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 });
    const question = [{ role: 'user' as const, content: 'Fix a.py' }];
    const called = { toolCalls: [{ name: 'ApplyPatch', arguments: format === 'Responses' ? patch : JSON.stringify({ input: patch }) }] };
    scene.upstream.queue(called, called);
    const whole = await client.chat.completions.create({ model, messages: question, tools });
    expect(whole.choices[0]?.message.tool_calls).toMatchObject([{ type: 'custom', custom: { name: 'ApplyPatch', input: patch } }]);
    const stream = await client.chat.completions.create({ model, messages: question, tools, stream: true });
    let text = '';
    for await (const chunk of stream) {
      const [call] = chunk.choices[0]?.delta.tool_calls ?? [];
      if (call !== undefined) text += call.custom?.input ?? '';
    }
    expect(text).toBe(patch);
    const [reported] = whole.choices;
    if (reported === undefined) throw new Error('No answer came');
    const [call] = reported.message.tool_calls ?? [];
    scene.upstream.queue({ text: 'Fixed.' });
    const goneOn = await client.chat.completions.create({
      model,
      tools,
      messages: [...question, reported.message, { role: 'tool', tool_call_id: call?.id ?? '', content: 'Patched.' }],
    });
    expect(goneOn.choices[0]?.message.content).toBe('Fixed.');
    expect(scene.upstream.requests.at(-1)?.text).toContain('Begin Patch');
  }
});
