// Thoughts of earlier turns at providers that want them back, whatever their callers speak, and what stands where a caller sends none.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

type Json = Record<string, unknown>;

const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.map((one: unknown) => Object(one) as Json) : []);
const user = (content: unknown) => ({ role: 'user', content });
const toolCalls = [{ name: 'ls', arguments: '{}' }];
const thought = 'I think.';
const schema = { type: 'object', properties: {} };

/** What a stream of that format ends up as, put together by the events that hold whole items. */
async function answer(scene: RelayScene, path: string, body: Json): Promise<Json> {
  const response = await scene.post(path, body);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.not.stringContaining('"error":{')]);
  if (body['stream'] !== true) return JSON.parse(text) as Json;
  const events = text.split('\n\n').flatMap((event) => /^data: (\{.*)$/m.exec(event)?.[1] ?? []);
  return { events: events.map((event) => JSON.parse(event) as Json) };
}

function claudeContent({ content, events }: Json): Json[] {
  if (content !== undefined) return objects(content);
  const blocks: Json[] = [];
  for (const { type, index, content_block: block, delta } of objects(events)) {
    if (type === 'content_block_start') blocks[Number(index)] = { ...Object(block) };
    const reported = blocks[Number(index)];
    if (type === 'content_block_delta' && Object(delta).type === 'thinking_delta' && reported !== undefined)
      reported['thinking'] = `${String(reported['thinking'])}${String(Object(delta).thinking)}`;
    if (type === 'content_block_delta' && Object(delta).type === 'signature_delta' && reported !== undefined)
      reported['signature'] = Object(delta).signature;
  }
  return blocks;
}

function responsesAnswer(reported: Json): Json {
  const last = objects(reported['events']).at(-1);
  return last === undefined ? reported : (Object(last['response']) as Json);
}

/** One turn that calls a tool, and the next one. */
const callers: Record<string, (scene: RelayScene, model: string, stream: boolean) => Promise<unknown>> = {
  async claude(scene, model, stream) {
    const shared = { model, max_tokens: 3000, stream, tools: [{ name: 'ls', input_schema: schema }], thinking: { type: 'adaptive' } };
    const content = claudeContent(await answer(scene, '/v1/messages', { ...shared, messages: [user('go')] }));
    const id = content.find(({ type }) => type === 'tool_use')?.['id'];
    const result = user([{ type: 'tool_result', tool_use_id: id, content: 'x' }]);
    return answer(scene, '/v1/messages', { ...shared, messages: [user('go'), { role: 'assistant', content }, result] });
  },
  async responses(scene, model, stream) {
    const shared = { model, stream, store: false, tools: [{ type: 'function', name: 'ls', parameters: schema, strict: false }] };
    const { output } = responsesAnswer(await answer(scene, '/v1/responses', { ...shared, input: [user('go')] }));
    const id = objects(output).find(({ type }) => type === 'function_call')?.['call_id'];
    const result = { type: 'function_call_output', call_id: id, output: 'x' };
    return answer(scene, '/v1/responses', { ...shared, input: [user('go'), ...objects(output), result] });
  },
  async 'previous responses'(scene, model, stream) {
    const shared = { model, stream, tools: [{ type: 'function', name: 'ls', parameters: schema, strict: false }] };
    const reported = responsesAnswer(await answer(scene, '/v1/responses', { ...shared, input: 'go' }));
    const id = objects(reported['output']).find(({ type }) => type === 'function_call')?.['call_id'];
    const result = { type: 'function_call_output', call_id: id, output: 'x' };
    return answer(scene, '/v1/responses', { ...shared, previous_response_id: reported['id'], input: [result] });
  },
  async gemini(scene, model, stream) {
    const path = `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
    const shared = { tools: [{ functionDeclarations: [{ name: 'ls' }] }], generationConfig: { thinkingConfig: { includeThoughts: true } } };
    const requested = { role: 'user', parts: [{ text: 'go' }] };
    const response = await scene.post(path, { ...shared, contents: [requested] });
    const text = await response.text();
    const reported = stream ? text.split(/\r?\n\r?\n/).flatMap((event) => /^data: (\{.*)$/m.exec(event)?.[1] ?? []) : [text];
    const parts = reported.flatMap((one) =>
      objects(Object(objects((JSON.parse(one) as Json)['candidates']).map(({ content }) => content)[0])['parts']),
    );
    const result = { role: 'user', parts: [{ functionResponse: { name: 'ls', response: { output: 'x' } } }] };
    const second = await scene.post(path, { ...shared, contents: [requested, { role: 'model', parts }, result] });
    expect([second.status, await second.text()]).toEqual([200, expect.any(String)]);
    return undefined;
  },
  async interactions(scene, model, stream) {
    const tools = [{ type: 'function', name: 'ls', parameters: schema }];
    const shared = { model, stream, store: false, tools, generation_config: { thinking_level: 'high', thinking_summaries: 'auto' } };
    const question = { type: 'user_input', content: [{ type: 'text', text: 'go' }] };
    const steps = stepsOf(await answer(scene, '/v1beta/interactions', { ...shared, input: [question] }));
    const id = steps.find(({ type }) => type === 'function_call')?.['id'];
    const result = { type: 'function_result', call_id: id, name: 'ls', result: 'x' };
    return answer(scene, '/v1beta/interactions', { ...shared, input: [question, ...steps, result] });
  },
  async 'previous interactions'(scene, model, stream) {
    const shared = { model, stream, tools: [{ type: 'function', name: 'ls', parameters: schema }] };
    const reported = await answer(scene, '/v1beta/interactions', { ...shared, input: 'go' });
    const last = objects(reported['events']).findLast(({ interaction }) => interaction !== undefined);
    const { id } = Object(last?.['interaction'] ?? reported);
    const call = stepsOf(reported).find(({ type }) => type === 'function_call')?.['id'];
    const result = { type: 'function_result', call_id: call, name: 'ls', result: 'x' };
    return answer(scene, '/v1beta/interactions', { ...shared, previous_interaction_id: id, input: [result] });
  },
};

/** Steps of an interaction, of a stream put together from their beginnings and deltas. */
function stepsOf({ steps, events }: Json): Json[] {
  if (steps !== undefined) return objects(steps);
  const reported: Json[] = [];
  for (const { event_type: type, index, step, delta } of objects(events)) {
    if (type === 'step.start') reported[Number(index)] = { ...Object(step) };
    const open = reported[Number(index)];
    if (type !== 'step.delta' || open === undefined) continue;
    const { type: kind, content, arguments: partial, signature } = Object(delta);
    if (kind === 'thought_summary') open['summary'] = [...objects(open['summary']), Object(content)];
    if (kind === 'thought_signature') open['signature'] = signature;
    if (kind === 'arguments_delta') open['arguments'] = { ...Object(open['arguments']), ...JSON.parse(String(partial)) };
  }
  return reported;
}

const turnsSent = (scene: RelayScene): Json[] =>
  objects(Object(scene.upstream.requests.at(-1)?.body)['messages']).filter(({ role }) => role === 'assistant');

const providers: Record<string, { type: number; model: string; fields: Json }> = {
  DeepSeek: { type: 43, model: 'deepseek-v4-pro', fields: { reasoning_content: thought } },
  Kimi: { type: 25, model: 'kimi-k2.5', fields: { reasoning_content: thought } },
  GLM: { type: 26, model: 'glm-5', fields: { reasoning_content: thought } },
  MiniMax: {
    type: 35,
    model: 'MiniMax-M2.5',
    fields: { reasoning_content: thought, reasoning_details: [{ type: 'reasoning.text', text: thought }] },
  },
  Qwen: { type: 17, model: 'qwen3.5-plus', fields: { reasoning_content: thought } },
  OpenRouter: {
    type: 20,
    model: 'z-ai/glm-5',
    fields: { reasoning: thought, reasoning_details: [{ type: 'reasoning.text', text: thought }] },
  },
  'any host': { type: 1, model: 'own-model', fields: { reasoning_content: thought } },
};

describe.each(oneEngine)('thoughts of earlier turns, on $kind', (engine) => {
  const settings = { SelfUseModeEnabled: 'true' };
  const tools = [{ type: 'function', function: { name: 'ls', parameters: schema } }];

  describe.each(Object.entries(providers))('at %s', (_name, { type, model, fields }) => {
    test.each(Object.keys(callers))('go back from a caller of %s, whole and streamed', async (caller) => {
      await using scene = await createScene(engine, {
        settings,
        channels: [{ type, models: model, ...(type === 26 ? { key: 'id.secret' } : {}) }],
      });
      scene.upstream.behave({ reasoning: thought, toolCalls, text: 'done' });
      for (const stream of [false, true]) {
        // Addresses hold the names of this format's models.
        if (caller === 'gemini' && model.includes('/')) continue;
        await callers[caller]?.(scene, model, stream);
        expect(turnsSent(scene)).toMatchObject([{ ...fields, tool_calls: [{ function: { name: 'ls' } }] }]);
      }
      await scene.checkBooks();
    });
  });

  describe.each([
    ['DeepSeek', 43, 'deepseek-v4-pro'],
    ['Kimi', 25, 'kimi-k2.5'],
    ['GLM', 26, 'glm-5'],
    ['MiniMax', 35, 'MiniMax-M2.5'],
    ['Qwen', 17, 'qwen3.5-plus'],
  ] as const)("in Claude's format at %s", (_name, type, model) => {
    const setting = JSON.stringify({ formats: ['claude'] });
    test.each(Object.keys(callers))('go back from a caller of %s, whole and streamed', async (caller) => {
      await using scene = await createScene(engine, {
        settings,
        channels: [{ type, models: model, setting, ...(type === 26 ? { key: 'id.secret' } : {}) }],
      });
      scene.upstream.behave({ reasoning: thought, toolCalls, text: 'done' });
      for (const stream of [false, true]) {
        await callers[caller]?.(scene, model, stream);
        const content = [
          { type: 'thinking', thinking: thought },
          { type: 'tool_use', name: 'ls' },
        ];
        expect(turnsSent(scene)).toMatchObject([{ content }]);
      }
      await scene.checkBooks();
    });
  });

  test.each([
    ['DeepSeek', 43, 'deepseek-v4-pro', ''],
    ['Kimi', 25, 'kimi-k2.5', '.'],
    ['a host of DeepSeek', 17, 'deepseek-v4-pro', ''],
  ] as const)("%s gets a placeholder in Claude's format before calls whose thoughts are lost", async (_name, type, model, placeholder) => {
    const setting = JSON.stringify({ formats: ['claude'] });
    await using scene = await createScene(engine, { settings, channels: [{ type, models: model, setting }] });
    const call = { type: 'tool_use', id: 'toolu_1', name: 'ls', input: {} };
    const foreign = { type: 'thinking', thinking: 'Of another.', signature: 'tidegate-seal:openai:abc' };
    const block = { type: 'thinking', thinking: placeholder, signature: '' };
    const result = user([{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }]);
    const ask = async (content: readonly Json[], more: Json = {}) => {
      const messages = [user('go'), { role: 'assistant', content }, result, { role: 'assistant', content: 'Done.' }, user('again')];
      const requested = { model, max_tokens: 3000, tools: [{ name: 'ls', input_schema: schema }], messages, ...more };
      const response = await scene.post('/v1/messages', requested);
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
      return turnsSent(scene).map(({ content: sent }) => sent);
    };
    for (const more of [{}, { thinking: { type: 'enabled', budget_tokens: 2000 } }, { thinking: { type: 'adaptive' }, stream: true }]) {
      expect(await ask([call], more)).toEqual([[block, call], 'Done.']);
      expect(await ask([foreign, call], more)).toEqual([[block, call], 'Done.']);
      expect(scene.upstream.requests.at(-1)?.body).toMatchObject('thinking' in more ? { thinking: more.thinking } : {});
    }
    const own = { type: 'thinking', thinking: thought, signature: 'of-the-vendor' };
    expect(await ask([own, call])).toEqual([[own, call], 'Done.']);
    expect(await ask([call], { thinking: { type: 'disabled' } })).toEqual([[call], 'Done.']);
    const calls = [{ id: 'a', type: 'function', function: { name: 'ls', arguments: '{}' } }];
    const messages = [
      user('go'),
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
    ];
    const response = await scene.post('/v1/chat/completions', { model, tools, messages });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
    expect(turnsSent(scene)).toMatchObject([{ content: [block, { type: 'tool_use', name: 'ls' }] }]);
    await scene.checkBooks();
  });

  const history = (more: Json = {}) => [
    user('go'),
    { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'ls', arguments: '{}' } }], ...more },
    { role: 'tool', tool_call_id: 'a', content: 'x' },
    { role: 'assistant', content: 'Done.' },
    user('again'),
  ];
  test.each([
    ['DeepSeek', 43, 'deepseek-v4-pro', 'reasoning_content', ''],
    ['Kimi', 25, 'kimi-k2.5', 'reasoning_content', '.'],
    ['a host of DeepSeek', 1, 'deepseek-v4-flash', 'reasoning_content', ''],
    ['a host of Kimi', 40, 'moonshotai/Kimi-K2.5', 'reasoning_content', '.'],
    ['OpenRouter, of DeepSeek', 20, 'deepseek/deepseek-v4-pro', 'reasoning', '.'],
  ] as const)('%s gets a placeholder from callers that send none', async (_name, type, model, field, placeholder) => {
    await using scene = await createScene(engine, { settings, channels: [{ type, models: model }] });
    for (const stream of [false, true]) {
      await (await scene.post('/v1/chat/completions', { model, stream, tools, messages: history() })).text();
      expect(turnsSent(scene).map((turn) => turn[field])).toEqual([placeholder, placeholder]);
    }
    const content = [{ type: 'tool_use', id: 'toolu_1', name: 'ls', input: {} }];
    const messages = [user('go'), { role: 'assistant', content }, user([{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }])];
    const response = await scene.post('/v1/messages', { model, max_tokens: 50, tools: [{ name: 'ls', input_schema: schema }], messages });
    expect(response.status).toBe(200);
    await response.text();
    expect(turnsSent(scene).map((turn) => turn[field])).toEqual([placeholder]);
    // What a client has elsewhere is taken from there, and what is there stays.
    for (const said of [{ reasoning: thought }, { reasoning_details: [{ type: 'reasoning.text', text: thought }] }, { [field]: thought }]) {
      await (await scene.post('/v1/chat/completions', { model, tools, messages: history(said) })).text();
      expect(turnsSent(scene).map((turn) => turn[field])).toEqual([thought, placeholder]);
    }
  });

  test('providers that know no such field get none', async () => {
    await using scene = await createScene(engine, { settings, channels: [{ type: 42, models: 'mistral-large' }] });
    const content = [
      { type: 'thinking', thinking: thought, signature: '' },
      { type: 'text', text: 'Done.' },
    ];
    const messages = [user('go'), { role: 'assistant', content }, user('again')];
    const response = await scene.post('/v1/messages', { model: 'mistral-large', max_tokens: 50, messages });
    expect([response.status, response.headers.get('x-tidegate-dropped')]).toEqual([200, expect.stringMatching(/./)]);
    await response.text();
    expect(turnsSent(scene)).toEqual([{ role: 'assistant', content: 'Done.' }]);
  });

  test('a host that refuses the field is sent the same without it', async () => {
    await using scene = await createScene(engine, { settings, channels: [{ type: 8, models: 'own-model' }] });
    const error = { message: "'messages.2' : property 'reasoning_content' is unsupported", type: 'invalid_request_error' };
    scene.upstream.queue({ status: 400, error }, { text: 'fine' });
    const content = [
      { type: 'thinking', thinking: thought, signature: '' },
      { type: 'text', text: 'Done.' },
    ];
    const messages = [user('go'), { role: 'assistant', content }, user('again')];
    const response = await scene.post('/v1/messages', { model: 'own-model', max_tokens: 50, messages });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('fine')]);
    expect(scene.upstream.requests).toHaveLength(2);
    expect(turnsSent(scene)).toEqual([{ role: 'assistant', content: 'Done.' }]);
    await scene.checkBooks();
  });
});
