// Fields that vendors have added: each goes up, is done here, or is named as dropped; none is lost unnamed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

type Body = Record<string, unknown>;

const channels = [
  { type: 1, models: 'gpt-4.1,gpt-4o,gpt-5.5,gpt-5.1,gpt-6.1-sol' },
  {
    type: 1,
    models: 'at-responses,gpt-4.1-responses',
    setting: JSON.stringify({ formats: ['openai-responses'] }),
    model_mapping: '{"gpt-4.1-responses":"gpt-4.1"}',
  },
  { type: 24, models: 'gemini-3.8-flash,gemini-3-pro-image' },
  { type: 14, models: 'claude-opus-5-5' },
];
const messages = [{ role: 'user', content: 'When is high water?' }];

describe('new fields', () => {
  let open: RelayScene | undefined;
  const scene = () => {
    if (open === undefined) throw new Error('There is no scene outside a test');
    return open;
  };
  beforeAll(async () => {
    open = await createScene(embeddedEngine, { settings: { SelfUseModeEnabled: 'true', RetryTimes: '0' }, channels });
  });
  afterAll(async () => {
    await scene().checkBooks();
    await scene()[Symbol.asyncDispose]();
  });

  async function ask(path: string, body: Body): Promise<{ sent: Body; dropped: string[]; reported: Body }> {
    const before = scene().upstream.requests.length;
    const response = await scene().post(path, body);
    const reported = (await response.json()) as Body;
    expect([response.status, reported['error'] ?? null]).toEqual([200, null]);
    const sent = scene().upstream.requests.slice(before).at(-1)?.body as Body;
    return { sent, reported, dropped: response.headers.get('x-tidegate-dropped')?.split(', ') ?? [] };
  }
  const gemini = (model: string, fields: Body) =>
    ask(`/v1beta/models/${model}:generateContent`, { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }], ...fields });
  const interact = (model: string, fields: Body) => ask('/v1beta/interactions', { model, input: 'Hello', ...fields });

  describe('service tiers of Google', () => {
    test.each(['flex', 'priority'])('%s is named where it is lost', async (tier) => {
      expect((await gemini('gpt-4.1', { serviceTier: tier })).dropped).toEqual(['serviceTier']);
      expect((await interact('gpt-4.1', { service_tier: tier })).dropped).toEqual(['service_tier']);
    });
    test('the usual one is what they are anyway', async () => {
      expect((await gemini('gpt-4.1', { serviceTier: 'standard' })).dropped).toEqual([]);
      expect((await interact('gpt-4.1', { service_tier: 'standard' })).dropped).toEqual([]);
    });
    test('the cheap one goes to Gemini by Interactions, the dear one is named', async () => {
      const flex = await interact('gemini-3.8-flash', { service_tier: 'flex' });
      expect([flex.sent['serviceTier'], flex.dropped]).toEqual(['flex', []]);
      const priority = await interact('gemini-3.8-flash', { service_tier: 'priority' });
      expect([priority.sent['serviceTier'], priority.dropped]).toEqual([undefined, ['service_tier']]);
    });
  });

  describe('Interactions', () => {
    test('pictures are asked for, and their thresholds are told', async () => {
      const { sent, dropped } = await interact('gemini-3-pro-image', {
        response_modalities: ['text', 'image'],
        safety_settings: [{ type: 'harassment', threshold: 'block_none' }],
      });
      expect(dropped).toEqual([]);
      expect(sent).toMatchObject({
        generationConfig: { responseModalities: ['TEXT', 'IMAGE'] },
        safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      });
    });
    test('nobody else draws for them', async () => {
      const requested = { model: 'gpt-4.1', input: 'Hello', response_modalities: ['image'] };
      const response = await scene().post('/v1beta/interactions', requested);
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('response_modalities')]);
    });
    test('sound without a voice is refused', async () => {
      const requested = { model: 'gemini-3.8-flash', input: 'Hello', response_modalities: ['audio'] };
      const response = await scene().post('/v1beta/interactions', requested);
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('response_modalities')]);
    });
  });

  describe('tools of Responses', () => {
    const tool = { type: 'function', name: 'get_tide', parameters: { type: 'object', properties: {} } };
    const respond = (model: string, fields: Body) => ask('/v1/responses', { model, input: 'Hello', ...fields });
    test('what they say of their callers is named where it is lost', async () => {
      const tools = [{ type: 'programmatic_tool_calling' }, { ...tool, allowed_callers: ['programmatic'], async: true }];
      const { sent, dropped } = await respond('claude-opus-5-5', { tools });
      expect(dropped).toEqual(expect.arrayContaining(['tools.0', 'tools.1.allowed_callers', 'tools.1.async']));
      expect(sent['tools']).toMatchObject([{ name: 'get_tide' }]);
    });
    test('what is so anyway is not', async () => {
      expect((await respond('claude-opus-5-5', { tools: [{ ...tool, allowed_callers: ['direct'], async: false }] })).dropped).toEqual([]);
    });
    test('all of it goes to who speaks the format', async () => {
      const tools = [{ type: 'programmatic_tool_calling' }, { ...tool, allowed_callers: ['programmatic'], async: true }];
      const { sent, dropped } = await respond('at-responses', { tools });
      expect([sent['tools'], dropped]).toEqual([tools, []]);
    });
    test('options of the background stay here', async () => {
      const { sent, dropped } = await respond('at-responses', { background_options: { webhook: 'x' } });
      expect([sent['background_options'], dropped]).toEqual([undefined, ['background_options']]);
      expect((await respond('claude-opus-5-5', { background_options: { webhook: 'x' } })).dropped).toEqual(['background_options']);
    });
  });

  describe('prompt_cache_retention', () => {
    test.each([
      ['gpt-4.1', '24h', true],
      ['gpt-5.1', 'in_memory', true],
      ['gpt-5.5', '24h', true],
      ['gpt-5.5', 'in_memory', false],
      ['gpt-4o', '24h', false],
      ['gpt-6.1-sol', '24h', false],
    ])('%s takes %s: %s', async (model, prompt_cache_retention, isTaken) => {
      const { sent, dropped } = await ask('/v1/chat/completions', { model, messages, prompt_cache_retention });
      const expected = isTaken ? [prompt_cache_retention, []] : [undefined, ['prompt_cache_retention']];
      expect([sent['prompt_cache_retention'], dropped]).toEqual(expected);
    });
    test.each([
      ['gpt-4.1-responses', true],
      ['at-responses', false],
    ])('from chat, before %s: %s', async (model, isTaken) => {
      const { sent, dropped } = await ask('/v1/chat/completions', { model, messages, prompt_cache_retention: '24h' });
      expect([sent['prompt_cache_retention'], dropped]).toEqual(isTaken ? ['24h', []] : [undefined, ['prompt_cache_retention']]);
    });
  });

  test('functions without parameters are objects without properties', async () => {
    const parameters = { type: 'object', properties: {} };
    const declared = { tools: [{ functionDeclarations: [{ name: 'get_tide' }] }] };
    expect((await gemini('gpt-4.1', declared)).sent['tools']).toMatchObject([{ function: { name: 'get_tide', parameters } }]);
    expect((await gemini('at-responses', declared)).sent['tools']).toMatchObject([{ name: 'get_tide', parameters }]);
    const bare = { model: 'gpt-4.1', max_tokens: 99, messages, tools: [{ name: 'get_tide', input_schema: { type: 'object' } }] };
    expect((await ask('/v1/messages', bare)).sent['tools']).toMatchObject([{ function: { name: 'get_tide', parameters } }]);
  });

  describe('pictures that a tool of a chat caller answers with', () => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const called = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'see', arguments: '{}' } }],
    };
    const content = [
      { type: 'text', text: 'The harbour' },
      { type: 'image_url', image_url: { url } },
    ];
    const tools = [{ type: 'function', function: { name: 'see', parameters: { type: 'object', properties: {} } } }];
    const body = (model: string) => ({ model, tools, messages: [...messages, called, { role: 'tool', tool_call_id: 'c1', content }] });

    test('go to Claude', async () => {
      const { sent } = await ask('/v1/chat/completions', body('claude-opus-5-5'));
      const result = {
        type: 'tool_result',
        tool_use_id: 'c1',
        content: [{ type: 'text' }, { type: 'image', source: { media_type: 'image/png' } }],
      };
      expect(sent['messages']).toMatchObject([{}, {}, { role: 'user', content: [result] }]);
    });
    test('go to Responses', async () => {
      const { sent } = await ask('/v1/chat/completions', body('at-responses'));
      const output = [
        { type: 'input_text', text: 'The harbour' },
        { type: 'input_image', image_url: url },
      ];
      expect(sent['input']).toMatchObject([{}, {}, { type: 'function_call_output', output }]);
    });
    test('go to Gemini', async () => {
      const { sent } = await ask('/v1/chat/completions', body('gemini-3.8-flash'));
      expect(JSON.stringify(sent['contents'])).toContain('"mimeType":"image/png"');
    });
  });

  test('a usage of zeros is counted, and told as it was counted', async () => {
    scene().upstream.behave({ usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } });
    const before = (await scene().logs(0)).length;
    const { reported } = await ask('/v1/messages', { model: 'gpt-4.1', max_tokens: 99, messages });
    const { input_tokens, output_tokens } = reported['usage'] as Body;
    expect([input_tokens, output_tokens]).not.toContain(0);
    const streamed = await scene().post('/v1/messages', { model: 'gpt-4.1', max_tokens: 99, messages, stream: true });
    const events = await streamed.text();
    expect(/"output_tokens":(\d+)/.exec(events.slice(events.lastIndexOf('message_delta')))?.[1]).toMatch(/^[1-9]/);
    await ask('/v1/chat/completions', { model: 'gpt-4.1', messages });
    const rows = (await scene().logs(before + 3)).slice(-3);
    for (const { prompt_tokens, completion_tokens, quota } of rows)
      expect([prompt_tokens > 0, completion_tokens > 0, quota > 0]).toEqual([true, true, true]);
    scene().upstream.behave({});
  });
});
