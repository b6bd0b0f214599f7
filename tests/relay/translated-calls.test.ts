// What happens to a call on its way to another format: seen by its caller, and by the provider.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, testModel } from '#tests/support/relay-scene.ts';

const own = 'house-model';
const search = { type: 'web_search_20250305', name: 'web_search' };
const read = { name: 'read', input_schema: { type: 'object', properties: {} } };

describe('a Claude caller whose model is served in another format', () => {
  let scene: RelayScene;
  beforeAll(async () => {
    scene = await createScene(embeddedEngine, {
      channels: [{ models: `${testModel},${own},deployed,thinker`, model_mapping: '{"deployed":"gpt-4o","thinker":"gpt-5.1"}' }],
      settings: { ModelRatio: JSON.stringify({ [own]: 1, deployed: 1, thinker: 1, [testModel]: 1 }) },
    });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const messages = [{ role: 'user', content: 'Say hello' }];
  const ask = (fields: object, headers: Record<string, string> = {}) =>
    scene.post('/v1/messages', { model: testModel, max_tokens: 100, messages, ...fields }, headers);
  const sent = () => scene.upstream.requests.at(-1)?.body;

  test.each([
    ['beyond the model', { model: testModel, max_tokens: 128_000 }, 16_384],
    ['beyond the model behind another name', { model: 'deployed', max_tokens: 32_000 }, 16_384],
    ['within it', { model: testModel, max_tokens: 16_000 }, 16_000],
    ['of a model that nobody knows', { model: own, max_tokens: 128_000 }, 128_000],
  ])('has its limit lowered to what the model can write: %s', async (_about, fields, limit) => {
    expect((await ask(fields)).status).toBe(200);
    expect(sent()).toMatchObject({ max_tokens: limit });
  });

  test.each([
    [{ thinking: { type: 'disabled' } }, 'none'],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }, 'high'],
    [{ thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2048 }, 'low'],
  ])('thinks as much as the model behind the name can be told: %j', async (fields, effort) => {
    expect((await ask({ model: 'thinker', ...fields })).status).toBe(200);
    expect(sent()).toMatchObject({ reasoning_effort: effort });
  });

  test('keeps sampling to itself where the model would refuse it', async () => {
    const sampling = { temperature: 0.3, top_p: 0.9 };
    expect((await ask({ model: 'thinker', ...sampling })).headers.get('x-tidegate-dropped')).toBeNull();
    expect(sent()).toMatchObject(sampling);
    const thinks = await ask({ model: 'thinker', ...sampling, thinking: { type: 'adaptive' }, output_config: { effort: 'high' } });
    expect(thinks.headers.get('x-tidegate-dropped')).toBe('temperature, top_p');
    expect(Object.keys(sent() ?? {})).not.toContain('top_p');
  });

  test('has tools left out that run at Claude, and hears which', async () => {
    const response = await ask({ tools: [search, read], tool_choice: { type: 'auto' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-tidegate-dropped')).toBe('tools.0');
    expect(sent()).toMatchObject({ tools: [{ type: 'function', function: { name: 'read' } }], tool_choice: 'auto' });
    const alone = await ask({ tools: [search], tool_choice: { type: 'auto' } });
    expect(alone.status).toBe(200);
    expect(Object.keys(sent() ?? {})).not.toContain('tools');
    expect(Object.keys(sent() ?? {})).not.toContain('tool_choice');
  });

  test('has pictures within a document go along, in their order', async () => {
    const data = 'iVBORw0KGgo=';
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
    const source = { type: 'content', content: [{ type: 'text', text: 'Before' }, picture, { type: 'text', text: 'After' }] };
    const document = { type: 'document', title: 'Tides', context: 'Of May', source, cache_control: { type: 'ephemeral' } };
    for (const content of [[document], [{ type: 'tool_result', tool_use_id: 't1', content: [document] }]]) {
      expect((await ask({ messages: [{ role: 'user', content }] })).status).toBe(200);
      const sentMessages = JSON.stringify(sent());
      const places = ['Tides', 'Of May', 'Before', data, 'After'].map((text) => sentMessages.indexOf(text));
      expect(places).toEqual(places.toSorted((one, other) => one - other));
      expect(places).not.toContain(-1);
    }
  });

  test('is refused in one language where only Claude can do it', async () => {
    const before = scene.upstream.requests.length;
    const fields = { tools: [{ type: 'bash_20250124', name: 'bash' }] };
    const chinese: unknown = await (await ask(fields, { 'accept-language': 'zh' })).json();
    expect(chinese).toMatchObject({ error: { message: expect.stringContaining('参数 tools.0.type 无法转换为 其他提供商 的格式') } });
    const english: unknown = await (await ask(fields)).json();
    expect(english).toMatchObject({ error: { message: expect.stringContaining('cannot be carried over to other providers') } });
    const forced = await ask({ tools: [search, read], tool_choice: { type: 'tool', name: 'web_search' } });
    expect(forced.status).toBe(400);
    expect(await forced.text()).toContain('tool_choice');
    expect(scene.upstream.requests).toHaveLength(before);
  });
});

test('a Gemini caller, whose program sends every field of sampling, is served by Claude', async () => {
  const models = 'claude-sonnet-4-5,claude-opus-5';
  await using scene = await createScene(embeddedEngine, { channels: [{ type: 14, models }] });
  const generationConfig = { temperature: 1, topP: 0.95, topK: 64 };
  const ask = (model: string) =>
    scene.post(`/v1beta/models/${model}:generateContent`, {
      contents: [{ role: 'user', parts: [{ text: 'Say hello' }] }],
      generationConfig,
    });
  expect((await ask('claude-sonnet-4-5')).headers.get('x-tidegate-dropped')).toBeNull();
  expect(scene.upstream.requests[0]?.body).not.toHaveProperty('temperature');
  expect(scene.upstream.requests[0]?.body).toMatchObject({ top_p: 0.95, top_k: 64 });
  const newest = await ask('claude-opus-5');
  expect(newest.headers.get('x-tidegate-dropped')).toBe('generationConfig.topK, generationConfig.topP');
  for (const name of ['temperature', 'top_p', 'top_k']) expect(scene.upstream.requests[1]?.body).not.toHaveProperty(name);
});

test('a Gemini caller hears by its own names which sampling a model that thinks does not take', async () => {
  const channels = [{ models: 'gpt-5' }, { models: 'o3', setting: '{"formats":["openai-responses"]}' }];
  await using scene = await createScene(embeddedEngine, { channels });
  for (const model of ['gpt-5', 'o3']) {
    const response = await scene.post(`/v1beta/models/${model}:generateContent`, {
      contents: [{ role: 'user', parts: [{ text: 'Say hello' }] }],
      generation_config: { temperature: 0.2, top_p: 0.9, presencePenalty: 0 },
    });
    expect(response.headers.get('x-tidegate-dropped')).toBe('generationConfig.temperature, generationConfig.topP');
    expect(scene.upstream.requests.at(-1)?.body).not.toHaveProperty('top_p');
  }
});

test('a chat caller hears that a model of Claude takes no temperature, however high it was', async () => {
  const model = 'claude-opus-5';
  await using scene = await createScene(embeddedEngine, { channels: [{ type: 14, models: model }] });
  for (const temperature of [2, 0.4]) {
    const response = await scene.post('/v1/chat/completions', { model, temperature, messages: [{ role: 'user', content: 'Say hello' }] });
    expect(response.headers.get('x-tidegate-dropped')).toBe('temperature');
    expect(scene.upstream.requests.at(-1)?.body).not.toHaveProperty('temperature');
  }
});

describe('a field of nothing is neither refused nor missed', () => {
  const models = ['claude-sonnet-4-5', 'gemini-2.5-flash'];
  const hello = { role: 'user', content: 'Say hello' };
  let scene: RelayScene;
  beforeAll(async () => {
    scene = await createScene(embeddedEngine, {
      channels: [{ models: testModel }, { type: 14, models: 'claude-sonnet-4-5' }, { type: 24, models: 'gemini-2.5-flash' }],
      settings: { ModelRatio: JSON.stringify(Object.fromEntries([testModel, ...models].map((model) => [model, 1]))) },
    });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  test.each([
    ['/v1/messages', { max_tokens: 9, messages: [hello], mcp_servers: [], metadata: {}, stop_sequences: [], tools: [], system: [] }],
    ['/v1/messages', { max_tokens: 9, messages: [hello], context_management: {}, safeguards: [] }],
    ['/v1/chat/completions', { messages: [hello], tools: [], stop: [], metadata: {}, logit_bias: {}, audio: {}, functions: [] }],
    ['/v1/responses', { input: [hello], tools: [], include: [], metadata: {}, client_metadata: {}, context_management: [], text: {} }],
  ])('%s %j', async (path, body) => {
    // What a provider thinks of its own format is its own business.
    for (const model of path === '/v1/messages' ? [testModel, 'gemini-2.5-flash'] : models) {
      const response = await scene.post(path, { ...body, model });
      expect([model, response.ok || (await response.text()), response.headers.get('x-tidegate-dropped')]).toEqual([model, true, null]);
    }
  });

  test('of a Gemini caller', async () => {
    const contents = [{ role: 'user', parts: [{ text: 'Say hello' }] }];
    const generationConfig = { stopSequences: [], responseModalities: [], speechConfig: {}, thinkingConfig: {} };
    for (const model of [testModel, 'claude-sonnet-4-5']) {
      const body = { contents, tools: [], toolConfig: {}, safetySettings: [], labels: {}, generationConfig };
      const response = await scene.post(`/v1beta/models/${model}:generateContent`, body);
      expect([model, response.ok || (await response.text()), response.headers.get('x-tidegate-dropped')]).toEqual([model, true, null]);
    }
  });
});

describe('a model that is asked in Responses by callers of other formats', () => {
  const model = 'gpt-5.5';
  const setting = '{"formats":["openai-chat","openai-responses"]}';
  let scene: RelayScene;
  beforeAll(async () => {
    const settings = { ModelRatio: JSON.stringify({ [model]: 1 }) };
    scene = await createScene(embeddedEngine, { channels: [{ models: model, setting }], settings });
  });
  afterAll(() => scene[Symbol.asyncDispose]());
  const sent = () => scene.upstream.requests.at(-1);

  test.each([false, true])('thinks, and takes no texts that end the response; its caller hears of it (stream: %s)', async (stream) => {
    const body = { model, stream, max_tokens: 50, stop_sequences: ['END'], messages: [{ role: 'user', content: 'Say hello' }] };
    const response = await scene.post('/v1/messages', body);
    expect([response.status, response.headers.get('x-tidegate-dropped')]).toEqual([200, 'stop_sequences']);
    expect(sent()?.path).toBe('/v1/responses');
    await response.text();
  });

  test('is asked in chat completions for what Responses cannot carry', async () => {
    const response = await scene.post(`/v1beta/models/${model}:generateContent`, {
      contents: [{ role: 'user', parts: [{ text: 'Say hello' }] }],
      generationConfig: { candidateCount: 2 },
    });
    expect(response.status).toBe(200);
    expect(sent()).toMatchObject({ path: '/v1/chat/completions', body: { model, n: 2 } });
  });

  test('tells what it refuses in words of the format that was tried first, where neither can carry it', async () => {
    const response = await scene.post('/v1/messages', {
      model,
      max_tokens: 50,
      container: 'c1',
      messages: [{ role: 'user', content: 'Say hello' }],
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('container cannot be carried over to OpenAI Responses');
  });
});

test("a Responses caller's own notes are told in its response, and not as left out", async () => {
  await using scene = await createScene(embeddedEngine);
  const body = { model: testModel, input: 'Say hello', metadata: { run: '7' }, client_metadata: { note: 'a' } };
  const response = await scene.post('/v1/responses', body);
  expect(response.headers.get('x-tidegate-dropped')).toBe('client_metadata');
  expect(await response.json()).toMatchObject({ metadata: { run: '7' } });
  // Within chat completions there is no place for them.
  const within = await scene.post('/v1/chat/completions', { model: testModel, input: 'Say hello', metadata: { run: '7' } });
  expect([within.status, within.headers.get('x-tidegate-dropped')]).toEqual([200, 'metadata']);
});

test.each([
  ['gpt-5-mini', false],
  ['o4-mini', false],
  ['o3-mini', true],
  ['gpt-5.1-chat-latest', true],
  ['gpt-4o', true],
])('texts that end the response, to %s: they go along: %s; otherwise callers hear that they did not', async (model, isTaken) => {
  await using scene = await createScene(embeddedEngine, { channels: [{ models: model }], settings: { SelfUseModeEnabled: 'true' } });
  const messages = [{ role: 'user', content: 'Say hello' }];
  const contents = [{ role: 'user', parts: [{ text: 'Say hello' }] }];
  for (const [path, name, body] of [
    ['/v1/chat/completions', 'stop', { model, messages, stop: 'END' }],
    ['/v1/messages', 'stop_sequences', { model, messages, max_tokens: 99, stop_sequences: ['END'] }],
    [
      `/v1beta/models/${model}:generateContent`,
      'generationConfig.stopSequences',
      { contents, generationConfig: { stopSequences: ['END'] } },
    ],
  ] as const) {
    const response = await scene.post(path, body);
    expect([path, response.status, response.headers.get('x-tidegate-dropped')]).toEqual([path, 200, isTaken ? null : name]);
    expect(Object.keys(scene.upstream.requests.at(-1)?.body ?? {}).includes('stop')).toBe(isTaken);
  }
});
