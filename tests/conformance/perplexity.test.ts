// Perplexity's Agent API: requests of every client format, also by former model names, and search results.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { type FakePerplexity, startFakePerplexity } from '#tests/support/fake-perplexity.ts';
import { pages } from '#tests/support/perplexity-responses.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

const earlier = ['sonar', 'sonar-pro', 'sonar-reasoning-pro', 'sonar-deep-research'];
const models = [...earlier, 'perplexity/sonar', 'low', 'anthropic/claude-sonnet-5', 'openai/gpt-6-luna', 'my-search'];
const ratios = Object.fromEntries(models.map((model) => [model, 1]));
const settings = {
  ModelRatio: JSON.stringify(ratios),
  CompletionRatio: JSON.stringify(Object.fromEntries(models.map((model) => [model, 1]))),
  ToolPrice: JSON.stringify({ web_search: 5, web_fetch: 0.5 }),
  ToolCallsPerRequest: '7',
  RetryTimes: '0',
};
const question = { role: 'user', content: 'When is high water?' };
const urls = pages.map(({ url }) => url);

let scene: RelayScene;
let agent: FakePerplexity;

beforeAll(async () => {
  const mapping = JSON.stringify({ 'my-search': 'sonar-pro' });
  scene = await createScene(embeddedEngine, {
    settings,
    channels: [{ models: models.join(','), model_mapping: mapping }],
    front: async (url) => (agent = await startFakePerplexity(url)),
  });
});
afterAll(async () => {
  await scene.checkBooks();
  await scene[Symbol.asyncDispose]();
});

async function requested(path: string, body: object): Promise<{ sent: Record<string, unknown>; response: Response }> {
  const response = await scene.post(path, body);
  expect(response.status, await response.clone().text()).toBe(200);
  return { sent: agent.taken.at(-1) ?? {}, response };
}

const chat = (model: string, fields: object = {}) => requested('/v1/chat/completions', { model, messages: [question], ...fields });

describe('a model', () => {
  const own = 'perplexity/sonar';
  test.each([
    ['sonar', { model: own, preset: 'fast', max_tool_calls: 1 }],
    ['sonar-pro', { model: own, preset: 'low', max_tool_calls: 7 }],
    ['my-search', { model: own, preset: 'low', max_tool_calls: 7 }],
    ['sonar-reasoning-pro', { model: own, preset: 'medium', max_tool_calls: 7 }],
    ['sonar-deep-research', { model: own, preset: 'high', max_tool_calls: 7 }],
    [own, { model: own, tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' }, max_tool_calls: 1 }],
    ['low', { preset: 'low', max_tool_calls: 7 }],
    ['openai/gpt-6-luna', { model: 'openai/gpt-6-luna' }],
    ['anthropic/claude-sonnet-5', { model: 'anthropic/claude-sonnet-5', max_output_tokens: 8192 }],
  ])('%s is asked for', async (model, expected) => {
    const { sent, response } = await chat(model);
    expect(sent).toEqual({ ...expected, input: [{ type: 'message', role: 'user', content: question.content }], store: false });
    // Not the one that a preset comes to.
    expect(await response.json()).toMatchObject({ model: expect.stringMatching(model === 'my-search' ? /my-search|sonar-pro/ : model) });
  });

  test('searches for nothing where its caller says so', async () => {
    expect((await chat('sonar-pro', { disable_search: true })).sent).toEqual({
      model: own,
      input: [{ type: 'message', role: 'user', content: question.content }],
      store: false,
    });
    expect((await chat('low', { disable_search: true })).sent).toMatchObject({ preset: 'low', max_tool_calls: 0 });
  });
});

describe('how often tools may run', () => {
  const calls = async (model: string, fields: object) =>
    (await requested('/v1/responses', { model, input: 'When?', ...fields })).sent['max_tool_calls'];

  test('is what was reserved for, whatever the caller of a preset says', async () => {
    expect(await calls('sonar-pro', { max_tool_calls: 100 })).toBe(7);
    expect(await calls('low', { max_tool_calls: 100 })).toBe(7);
    expect(await calls('sonar', { max_tool_calls: 100 })).toBe(1);
  });

  test('is what its caller says, where that is less or was reserved for', async () => {
    expect(await calls('sonar-pro', { max_tool_calls: 3 })).toBe(3);
    expect(await calls('openai/gpt-6-luna', { max_tool_calls: 20, tools: [{ type: 'web_search' }] })).toBe(20);
  });
});

describe('a request', () => {
  test('says of its search what the earlier chat completions said', async () => {
    const { sent, response } = await chat('sonar', {
      search_domain_filter: ['tides.example', '-moon.example'],
      search_recency_filter: 'week',
      last_updated_after_filter: '11/01/2026',
      num_search_results: 5,
      language_preference: 'de',
      web_search_options: { search_context_size: 'high', user_location: { country: 'FR', latitude: 48.4, longitude: -4.5 } },
      return_images: true,
      search_mode: 'academic',
      presence_penalty: 1,
      stop: 'x',
      top_p: 1,
    });
    expect(sent).toMatchObject({ model: 'perplexity/sonar', preset: 'fast', language_preference: 'de', top_p: 1 });
    expect(sent['tools']).toEqual([
      {
        type: 'web_search',
        search_context_size: 'high',
        max_results: 5,
        filters: {
          search_domain_filter: ['tides.example', '-moon.example'],
          search_recency_filter: 'week',
          last_updated_after_filter: '11/01/2026',
        },
        user_location: { latitude: 48.4, longitude: -4.5, country: 'FR' },
      },
    ]);
    const dropped = response.headers.get('x-tidegate-dropped')?.split(/,\s*/) ?? [];
    expect(dropped.toSorted()).toEqual(['presence_penalty', 'return_images', 'search_mode', 'stop']);
  });

  test.each([
    [
      'claude',
      '/v1/messages',
      { max_tokens: 50, tools: [{ type: 'web_search_20250305', name: 'web_search', blocked_domains: ['moon.example'] }] },
      '-moon.example',
    ],
    [
      'responses',
      '/v1/responses',
      { tools: [{ type: 'web_search', filters: { allowed_domains: ['tides.example'] } }], store: false },
      'tides.example',
    ],
    [
      'their own',
      '/v1/responses',
      { tools: [{ type: 'web_search', filters: { search_domain_filter: ['tides.example'] } }] },
      'tides.example',
    ],
  ])('has the search of callers of %s', async (_who, path, fields, domain) => {
    const said = path === '/v1/responses' ? { input: 'When?' } : { messages: [question] };
    const { sent } = await requested(path, { model: 'openai/gpt-6-luna', ...said, ...fields });
    expect(sent['tools']).toEqual([{ type: 'web_search', filters: { search_domain_filter: [domain] } }]);
    expect(sent['max_tool_calls']).toBe(7);
  });

  test('has functions, efforts, schemas and pictures as they are there', async () => {
    const parameters = { type: 'object', properties: { port: { type: 'string' } } };
    const schema = { type: 'object', properties: { hour: { type: 'integer' } } };
    const { sent } = await chat('openai/gpt-6-luna', {
      tools: [{ type: 'function', function: { name: 'tide', parameters } }],
      tool_choice: { type: 'function', function: { name: 'tide' } },
      reasoning_effort: 'high',
      response_format: { type: 'json_schema', json_schema: { name: 'hours', schema } },
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'assistant',
          content: 'Where?',
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'tide', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'noon' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'And?' },
            { type: 'image_url', image_url: { url: 'https://tides.example/a.png' } },
          ],
        },
      ],
    });
    expect(sent).toMatchObject({
      tools: [{ type: 'function', name: 'tide', parameters }],
      tool_choice: { name: 'tide' },
      reasoning: { effort: 'high' },
      response_format: { type: 'json_schema', json_schema: { name: 'hours', schema } },
      input: [
        { type: 'message', role: 'system', content: 'Be brief.' },
        { type: 'message', role: 'assistant', content: 'Where?' },
        { type: 'function_call', call_id: 'call_1', name: 'tide', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', name: 'tide', output: 'noon' },
        {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text' }, { type: 'input_image', image_url: 'https://tides.example/a.png' }],
        },
      ],
    });
    expect(sent).not.toHaveProperty('instructions');
  });
});

describe('what it has found', () => {
  const text = 'At noon in Brest.';
  const start = text.length;
  beforeAll(() => {
    agent.mark = '[1][2]';
    scene.upstream.behave({
      text,
      usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, cost: { total_cost: 0.0123, currency: 'USD' } },
    });
  });
  afterAll(() => {
    agent.mark = '';
    scene.upstream.behave({});
  });
  const ask = async (path: string, body: object) => (await requested(path, { model: 'sonar', ...body })).response;
  const eventsOf = async (response: Response) =>
    (await response.text()).split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []));

  test('stands in chat completions as it did, and as annotations', async () => {
    const whole = await (await ask('/v1/chat/completions', { messages: [question] })).json();
    expect(whole).toMatchObject({ citations: urls, search_results: pages.map(({ id: _id, ...page }) => page) });
    const [{ message }] = whole.choices;
    expect(message.content).toBe(`${text}[1][2]`);
    const cited = (index: number) => ({
      type: 'url_citation',
      url_citation: { url: urls[index], title: pages[index]?.title, start_index: start + 3 * index, end_index: start + 3 * index + 3 },
    });
    expect(message.annotations).toEqual([cited(0), cited(1)]);

    const chunks = await eventsOf(await ask('/v1/chat/completions', { messages: [question], stream: true }));
    expect(chunks.find(({ citations }) => citations !== undefined)).toMatchObject({ citations: urls, choices: [{ index: 0, delta: {} }] });
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }: { delta: Record<string, unknown> }) => delta));
    expect(deltas.map(({ content = '' }) => content).join('')).toBe(`${text}[1][2]`);
    expect(deltas.flatMap(({ annotations = [] }) => annotations)).toEqual([cited(0), cited(1)]);
    expect(deltas.some((delta) => delta['tool_calls'] !== undefined)).toBe(false);
  });

  test('stands in Responses as a search and annotations', async () => {
    const output = [
      {
        type: 'web_search_call',
        status: 'completed',
        action: { type: 'search', query: 'tides at Brest', sources: urls.map((url) => ({ url })) },
      },
      {
        type: 'message',
        content: [{ type: 'output_text', text: `${text}[1][2]`, annotations: [{ url: urls[0], start_index: start }, { url: urls[1] }] }],
      },
    ];
    expect(await (await ask('/v1/responses', { input: 'When?' })).json()).toMatchObject({ status: 'completed', output });
    const events = await eventsOf(await ask('/v1/responses', { input: 'When?', stream: true }));
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { output } });
    // SDKs need the start of a part, which Perplexity does not send.
    expect(events.some(({ type }) => type === 'response.content_part.added')).toBe(true);
  });

  test('stands in Claude Messages and Gemini', async () => {
    const { content, usage } = await (await ask('/v1/messages', { max_tokens: 50, messages: [question] })).json();
    expect(content.map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(['server_tool_use', 'web_search_tool_result', 'text']),
    );
    expect(JSON.stringify(content)).toContain('web_search_result_location');
    expect(usage).toMatchObject({ server_tool_use: { web_search_requests: 1 } });
    const streamed = await (await ask('/v1/messages', { max_tokens: 50, messages: [question], stream: true })).text();
    expect(streamed).toContain('citations_delta');
    const response = await scene.post('/v1beta/models/sonar:generateContent', { contents: [{ parts: [{ text: 'When?' }] }] });
    expect(JSON.stringify(await response.json())).toContain(urls[0]);
  });

  test('is charged as it is told, beside what Perplexity says that it costs', async () => {
    for (const stream of [false, true]) {
      const before = (await scene.logs(0)).length;
      const balance = await scene.balance();
      await (await ask('/v1/chat/completions', { messages: [question], stream })).text();
      const log = (await scene.logs(before + 1)).at(-1);
      // 120 tokens at 1, and one search at $5 for 1,000.
      expect(log).toMatchObject({ quota: 120 + 2500, prompt_tokens: 100, completion_tokens: 20 });
      expect(balance - (await scene.balance())).toBe(2620);
      expect(log?.other).toMatchObject({
        hosted_calls: [{ kind: 'web_search', calls: 1, price: 5 }],
        admin_info: { cost: { reported: 0.0123 } },
      });
    }
  });

  test('is not, where nothing was searched', async () => {
    const before = (await scene.logs(0)).length;
    await (await ask('/v1/chat/completions', { messages: [question], disable_search: true })).text();
    expect((await scene.logs(before + 1)).at(-1)).toMatchObject({ quota: 120 });
  });

  test('an account that cannot pay for a search is refused before anything is sent', async () => {
    const { key } = await scene.addToken({ quota: 1000 });
    const sent = agent.taken.length;
    const headers = { authorization: `Bearer ${key}` };
    const response = await scene.post('/v1/chat/completions', { model: 'sonar-pro', messages: [question], max_tokens: 20 }, headers);
    expect(response.status).toBe(403);
    expect(agent.taken.length).toBe(sent);
  });
});

test('a channel may go on with chat completions', () => {
  const route = (setting: string) =>
    buildPreparedChannel({ type: 27, base_url: 'https://proxy.example', setting }).route(clientDialects['openai-chat'], 'chat', 'sonar');
  expect(`${route('')?.origin}${route('')?.path}`).toBe('https://proxy.example/v1/responses');
  const before = route(JSON.stringify({ formats: ['openai-chat'] }));
  expect(`${before?.origin}${before?.path}`).toBe('https://proxy.example/chat/completions');
});

describe('its responses', () => {
  const dialect = upstreamDialects['perplexity-agent'];
  const read = (events: readonly object[]) => {
    const reader = dialect.createStreamReader(null);
    return { parts: events.flatMap((event) => reader.read({ name: '', data: JSON.stringify(event) })), isComplete: reader.isComplete };
  };
  const message = (text: string, annotations: object[] = []) => ({
    type: 'message',
    id: 'm1',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations }],
  });
  // https://github.com/vercel/ai/blob/main/packages/perplexity/src/__fixtures__/agent-web-search.json
  const usage = {
    input_tokens: 3007,
    input_tokens_details: { cache_creation_input_tokens: 1224, cache_read_input_tokens: 1780, cached_tokens: 1780 },
    output_tokens: 36,
    output_tokens_details: { reasoning_tokens: 0 },
    tool_calls_details: { search_web: { cost_usd: 0.002, invocation: 2 }, fetch_url: { invocation: 1 }, finance_search: { invocation: 3 } },
    cost: { currency: 'USD', input_cost: 0, total_cost: 0.00119 },
    total_tokens: 3043,
  };
  const reported = { input: 3, cacheRead: 1780, cacheWrite5m: 1224, output: 36, cost: 0.00119 };
  const runs = { type: 'hosted_usage', calls: { web_search: 2, web_fetch: 1, other: 3 } };

  test('tell tokens of the cache, runs and the cost, and no lane that nobody has asked for', () => {
    const parts = dialect.readWhole(
      { id: 'r1', model: 'openai/gpt-6-luna', status: 'completed', service_tier: 'priority', output: [], usage },
      null,
    );
    expect(parts).toContainEqual({ type: 'usage', usage: expect.objectContaining(reported) });
    expect(parts).toContainEqual(runs);
    expect(JSON.stringify(parts)).not.toContain('tier');
    const streamed = read([{ type: 'response.completed', response: { status: 'completed', service_tier: 'priority', output: [], usage } }]);
    expect(streamed.isComplete).toBe(true);
    expect(streamed.parts).toContainEqual(runs);
    expect(JSON.stringify(streamed.parts)).not.toContain('tier');
  });

  test('tell a search that has run, though the end never comes', () => {
    const item = { type: 'search_results', queries: ['a', 'b'], results: [{ id: 7, url: 'https://a.example', title: 'A' }] };
    const call = { type: 'function_call', name: 'search_web', call_id: 'c1', arguments: '{}' };
    const { parts, isComplete } = read([
      { type: 'response.output_item.added', output_index: 0, item: call },
      { type: 'response.output_item.done', output_index: 0, item },
    ]);
    expect(isComplete).toBe(false);
    expect(parts.map(({ type }) => type)).toEqual(['hosted_call', 'hosted_result', 'found_pages', 'hosted_usage']);
    expect(parts[0]).toMatchObject({ input: { query: 'a b' } });
    expect(parts.at(-1)).toEqual({ type: 'hosted_usage', calls: { web_search: 1 } });
  });

  test('call functions of their callers, with what signs the call', () => {
    const item = { type: 'function_call', name: 'tide', call_id: 'c1', arguments: '{"port":"Brest"}', thought_signature: 'c2ln' };
    const expected = [
      { type: 'tool_call', index: 0, id: 'c1', name: 'tide', seal: { origin: 'gemini', data: 'c2ln' } },
      { type: 'tool_arguments', index: 0, text: '{"port":"Brest"}' },
    ];
    const added = { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } };
    expect(read([added, { type: 'response.output_item.done', output_index: 0, item }]).parts).toEqual(expected);
    const own = { type: 'function_call', name: 'search_web', call_id: 'c0', arguments: '{}' };
    const whole = dialect.readWhole({ status: 'completed', output: [own, item] }, null);
    expect(whole?.slice(1, 3)).toEqual(expected);
    expect(whole).toContainEqual({ type: 'finish', reason: 'tool_calls' });
  });

  test.each([1, 2, 5, 100])('are marked where they rest on a page, in pieces of %i', (size) => {
    const text = 'Noon [12] and x[9], not [1 2] or [3';
    const results = [1, 12].map((id) => ({ id, url: `https://${id}.example` }));
    const search = { type: 'response.output_item.done', output_index: 0, item: { type: 'search_results', results } };
    const deltas =
      text.match(new RegExp(`.{1,${size}}`, 'gu'))?.map((delta) => ({ type: 'response.output_text.delta', output_index: 1, delta })) ?? [];
    const end = {
      type: 'response.output_item.done',
      output_index: 1,
      item: message(text, [{ type: 'url_citation', url: 'https://1.example', start_index: 0, end_index: 4 }]),
    };
    const { parts } = read([search, ...deltas, end]);
    expect(parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')).toBe(text);
    expect(parts.filter(({ type }) => type === 'citation')).toEqual([
      { type: 'citation', url: 'https://12.example', start: 5, end: 9 },
      { type: 'citation', url: 'https://1.example', start: 0, end: 4 },
    ]);
  });

  test('hold at their end what was not told before', () => {
    const output = [{ type: 'search_results', results: [{ id: 1, url: 'https://a.example' }] }, message('Noon.[1]')];
    const { parts } = read([{ type: 'response.completed', response: { status: 'completed', output, usage } }]);
    expect(parts).toContainEqual({ type: 'text', text: 'Noon.[1]' });
    expect(parts).toContainEqual({ type: 'citation', url: 'https://a.example', start: 5, end: 8 });
    expect(parts.findIndex(({ type }) => type === 'text')).toBeLessThan(parts.findIndex(({ type }) => type === 'finish'));
  });

  test('fail in an event, and within a status of 200', () => {
    expect(read([{ type: 'response.failed', error: { message: 'No tide', type: 'internal_error' } }]).parts).toMatchObject([
      { type: 'error', error: { message: 'No tide' } },
    ]);
    expect(dialect.readError('{"status":"failed","output":[],"error":{"message":"No tide","type":"bad_gateway"}}', null)).toMatchObject({
      message: 'No tide',
    });
    expect(dialect.readError('{"error":null,"status":"completed","output":[]}', null)).toBeNull();
  });
});
