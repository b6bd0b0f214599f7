// Tools that run at the provider: counted, priced, reserved ahead, on the receipt; removed and listed if they have no price.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, type SceneOptions, testModel } from '#tests/support/relay-scene.ts';

const messages = [{ role: 'user', content: 'When is high water in Brest?' }];
const search = { type: 'web_search_20250305', name: 'web_search' };
const responses = { type: 1, setting: '{"formats":["openai-responses"]}' };

interface Case {
  path: string;
  channel: { type: number; setting?: string; base_url?: string };
  fields: Record<string, unknown>;
  replay: string;
  calls: object[];
}

const claude = { path: '/v1/messages', channel: { type: 14 }, fields: { max_tokens: 50, messages, tools: [search] } };
const ofResponses = {
  path: '/v1/responses',
  channel: responses,
  fields: {
    input: 'When is high water in Brest?',
    tools: [{ type: 'web_search' }, { type: 'code_interpreter', container: { type: 'auto' } }],
  },
};

/** USD per 1,000 runs, as the vendor lists them for that model. */
const cases: Case[] = [
  {
    ...ofResponses,
    fields: { ...ofResponses.fields, tools: [{ type: 'web_search_preview' }, { type: 'code_interpreter', container: { type: 'auto' } }] },
    replay: 'hosted/responses',
    calls: [
      { kind: 'web_search_preview', calls: 1, price: 25 },
      { kind: 'code_execution', calls: 1, price: 30 },
    ],
  },
  { ...claude, replay: 'hosted/claude', calls: [{ kind: 'web_search', calls: 2, price: 10 }] },
  {
    ...ofResponses,
    replay: 'hosted/responses',
    // A page that was opened is no search.
    calls: [
      { kind: 'web_search', calls: 1, price: 10 },
      { kind: 'code_execution', calls: 1, price: 30 },
    ],
  },
  {
    ...claude,
    channel: responses,
    replay: 'hosted/responses',
    calls: expect.arrayContaining([{ kind: 'web_search', calls: 1, price: 10 }]),
  },
  { ...ofResponses, channel: { type: 14 }, replay: 'hosted/claude', calls: [{ kind: 'web_search', calls: 2, price: 10 }] },
  {
    ...claude,
    channel: { type: 24 },
    replay: 'hosted/gemini',
    calls: expect.arrayContaining([{ kind: 'web_search', calls: 2, price: 10 }]),
  },
];

describe.each(oneEngine)('tools at the provider, on $kind', (engine) => {
  const open = (channel: Case['channel'], options: SceneOptions = {}) => createScene(engine, { channels: [channel], ...options });

  describe.each([false, true])('stream: %s', (stream) => {
    test.each(cases)('$path by channel $channel.type: runs are charged beside the tokens', async (one) => {
      await using scene = await open(one.channel);
      scene.upstream.behave({ replay: `${one.replay}.${stream ? 'sse' : 'json'}` });
      const answer = await scene.post(one.path, { model: testModel, stream, ...one.fields });
      const text = await answer.text();
      expect([answer.status, text]).toEqual([200, expect.stringContaining('tides.example')]);
      const [row] = await scene.logs(1);
      expect(row?.other?.['hosted_calls']).toEqual(one.calls);
      const runs = (row?.other?.['hosted_calls'] ?? []) as { calls: number; price: number }[];
      const paid = runs.reduce((sum, { calls, price }) => sum + calls * price * 500, 0);
      expect(row?.quota).toBeGreaterThan(paid);
      expect((row?.quota ?? 0) - paid).toBeLessThan(5000);
      await scene.checkBooks();
    });
  });

  test.each([
    { verb: 'generateContent', replay: 'hosted/gemini.json' },
    { verb: 'streamGenerateContent?alt=sse', replay: 'hosted/gemini.sse' },
  ])("Gemini's callers pay for searches, too: $verb", async ({ verb, replay }) => {
    await using scene = await open({ type: 24 });
    scene.upstream.behave({ replay });
    const contents = [{ role: 'user', parts: [{ text: 'When is high water in Brest?' }] }];
    const answer = await scene.post(`/v1beta/models/${testModel}:${verb}`, { contents, tools: [{ googleSearch: {} }, { googleMaps: {} }] });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('tides.example')]);
    const [row] = await scene.logs(1);
    expect(row?.other?.['hosted_calls']).toEqual(expect.arrayContaining([{ kind: 'web_search', calls: 2, price: 10 }]));
    await scene.checkBooks();
    await using unpaid = await open({ type: 24 }, { settings: { ToolPrice: '{"maps":25}' } });
    const named = await unpaid.post(`/v1beta/models/${testModel}:generateContent`, {
      contents,
      tools: [{ googleSearch: {} }, { googleMaps: {} }],
    });
    expect(named.headers.get('x-tidegate-dropped')).toBe('tools.0.googleSearch');
    expect(unpaid.upstream.requests[0]?.body).toMatchObject({ tools: [{ googleMaps: {} }] });
  });

  test('a tool of Gemini that stands without a list is no free one', async () => {
    await using scene = await open({ type: 24 }, { settings: { ToolPrice: '{}' } });
    const contents = [{ role: 'user', parts: [{ text: 'When is high water in Brest?' }] }];
    const answer = await scene.post(`/v1beta/models/${testModel}:generateContent`, { contents, tools: { google_search: {} } });
    expect([answer.status, answer.headers.get('x-tidegate-dropped')]).toEqual([200, 'tools.0.google_search']);
    expect(scene.upstream.requests[0]?.body).not.toHaveProperty('tools');
  });

  test.each([
    { ...claude, replay: 'hosted/claude-cut.sse', kind: 'web_search' },
    { ...ofResponses, replay: 'hosted/responses-cut.sse', kind: 'web_search' },
  ])('$path: runs that were seen are charged where the stream breaks off', async ({ path, channel, fields, replay, kind }) => {
    await using scene = await open(channel);
    scene.upstream.behave({ replay });
    await (await scene.post(path, { model: testModel, stream: true, ...fields })).text();
    const [row] = await scene.logs(1);
    expect(row?.other?.['hosted_calls']).toEqual([{ kind, calls: 1, price: 10 }]);
    await scene.checkBooks();
  });

  describe('Gemini tells of its searches with its last chunk', () => {
    const contents = [{ role: 'user', parts: [{ text: 'When is high water in Brest?' }] }];
    const tools = [{ googleSearch: {} }, { functionDeclarations: [{ name: 'get' }] }];
    const callers = [
      { path: `/v1beta/models/${testModel}:streamGenerateContent?alt=sse`, fields: { contents, tools } },
      { path: '/v1/messages', fields: { ...claude.fields, stream: true } },
    ];
    const chunk = (fields: object, candidate: object) =>
      `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text: 'At noon, or at ' }] }, index: 0, ...candidate }], usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 4, totalTokenCount: 104 }, ...fields })}\n\n`;
    const begun = chunk({}, {});

    test.each(callers)('$path: one is charged where the caller leaves before it', async ({ path, fields }) => {
      await using upstream = await startRawUpstream((response) => void response.write(begun));
      await using scene = await open({ type: 24, base_url: upstream.url });
      const client = new AbortController();
      const answer = await scene.post(path, { model: testModel, ...fields }, {}, client.signal);
      await answer.body?.getReader().read();
      client.abort();
      const [row] = await scene.logs(1);
      expect(row?.other).toMatchObject({ ending: 'client_closed', hosted_calls: [{ kind: 'web_search', calls: 1, price: 10 }] });
      await scene.checkBooks();
    });

    test.each(callers)('$path: one is charged where the stream breaks off', async ({ path, fields }) => {
      await using upstream = await startRawUpstream((response) => void response.end(begun));
      await using scene = await open({ type: 24, base_url: upstream.url });
      await (await scene.post(path, { model: testModel, ...fields })).text();
      const [row] = await scene.logs(1);
      expect(row?.other).toMatchObject({ ending: 'truncated', hosted_calls: [{ kind: 'web_search', calls: 1, price: 10 }] });
      await scene.checkBooks();
    });

    test.each(callers)('$path: none is charged where its end tells of none, and none where no tool was sent', async ({ path, fields }) => {
      let text = begun + chunk({}, { finishReason: 'STOP' });
      await using upstream = await startRawUpstream((response) => void response.end(text));
      await using scene = await open({ type: 24, base_url: upstream.url });
      await (await scene.post(path, { model: testModel, ...fields })).text();
      text = begun;
      const { tools: _tools, ...plain } = fields;
      await (await scene.post(path, { model: testModel, ...plain })).text();
      const rows = await scene.logs(2);
      expect(rows.map(({ other }) => [other?.['ending'], other?.['hosted_calls']])).toEqual([
        [undefined, undefined],
        ['truncated', undefined],
      ]);
      await scene.checkBooks();
    });

    test.each([
      { what: 'is read on tells all of them', setting: '{}', runs: 2 },
      { what: 'is given up is charged one', setting: '{"on_client_gone":"abort"}', runs: 1 },
    ])('a whole response whose caller has left and that $what', async ({ setting, runs }) => {
      await using scene = await open({ type: 24, setting });
      // Long after the server has noticed.
      scene.upstream.behave({ replay: 'hosted/gemini.json', firstByteDelay: 1_000 });
      const client = new AbortController();
      const requested = scene.post(`/v1beta/models/${testModel}:generateContent`, { contents, tools }, {}, client.signal).catch(() => null);
      await scene.upstream.request(0);
      client.abort();
      await requested;
      const [row] = await scene.logs(1);
      expect(row?.other?.['ending']).toBe('client_closed');
      expect(row?.other?.['hosted_calls']).toEqual(expect.arrayContaining([{ kind: 'web_search', calls: runs, price: 10 }]));
      await scene.checkBooks();
    });
  });

  test('a search that Claude has not told of is not charged where its stream breaks off', async () => {
    const started = {
      type: 'message_start',
      message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'c', content: [], usage: { input_tokens: 9, output_tokens: 1 } },
    };
    await using upstream = await startRawUpstream(
      (response) => void response.end(`event: message_start\ndata: ${JSON.stringify(started)}\n\n`),
    );
    await using scene = await open({ ...claude.channel, base_url: upstream.url });
    await (await scene.post(claude.path, { model: testModel, stream: true, ...claude.fields })).text();
    const [row] = await scene.logs(1);
    expect([row?.other?.['ending'], row?.other?.['hosted_calls']]).toEqual(['upstream_error', undefined]);
  });

  test('as many runs as are reserved for go upstream as the bound', async () => {
    await using scene = await open(claude.channel, { settings: { ToolCallsPerRequest: '3' } });
    await scene.post(claude.path, { model: testModel, ...claude.fields });
    expect(scene.upstream.requests[0]?.body).toMatchObject({ tools: [{ ...search, max_uses: 3 }] });
    await scene.post(claude.path, { model: testModel, ...claude.fields, tools: [{ ...search, max_uses: 2 }] });
    expect(scene.upstream.requests[1]?.body).toMatchObject({ tools: [{ ...search, max_uses: 2 }] });
    await scene.post(ofResponses.path, { model: testModel, ...ofResponses.fields });
    // Another format on the way to Claude: the same bound.
    expect(scene.upstream.requests[2]?.body).toMatchObject({ tools: [expect.objectContaining({ type: search.type, max_uses: 3 }), {}] });
  });

  test('a tool without a price is left out and named, unless the channel allows it; one that has to be used is refused', async () => {
    const drawing = { type: 'image_generation' };
    const own = { type: 'function', name: 'get', parameters: {}, strict: false };
    const ask = async (fields: object, setting: object = {}) => {
      await using scene = await open({ type: 1, setting: JSON.stringify({ formats: ['openai-responses'], ...setting }) });
      const answer = await scene.post('/v1/responses', { model: testModel, input: 'Draw', tools: [own, drawing], ...fields });
      const body = await answer.json();
      const sent = scene.upstream.requests.at(-1)?.body;
      return { status: answer.status, field: body.error?.param, dropped: answer.headers.get('x-tidegate-dropped'), sent };
    };
    expect(await ask({})).toMatchObject({ status: 200, dropped: 'tools.1', sent: { tools: [own] } });
    expect(await ask({}, { allow_surcharges: true })).toMatchObject({ sent: { tools: [own, drawing] } });
    expect(await ask({ tool_choice: drawing })).toMatchObject({ status: 400, field: 'tools.1', sent: undefined });
  });

  test('tools of a gateway, which may run models that a key lacks access to, are left out of chat completions', async () => {
    const own = { type: 'function', function: { name: 'get', parameters: {} } };
    const time = { type: 'openrouter:datetime' };
    const others = ['advisor', 'fusion', 'image_generation', 'experimental__search_models'].map((name) => ({
      type: `openrouter:${name}`,
      parameters: { model: 'gpt-4o' },
    }));
    await using scene = await open({ type: 20 });
    const ask = (fields: object) => scene.post('/v1/chat/completions', { model: testModel, messages, ...fields });
    const answer = await ask({ tools: [own, ...others, time] });
    expect([answer.status, answer.headers.get('x-tidegate-dropped')]).toEqual([200, 'tools.1, tools.2, tools.3, tools.4']);
    expect(scene.upstream.requests.at(-1)?.body).toMatchObject({ tools: [own, time] });
    const forced = await ask({ tools: others, tool_choice: 'required' });
    expect([forced.status, (await forced.json()).error.param]).toEqual([400, 'tools.0']);
    expect(scene.upstream.requests).toHaveLength(1);
  });

  test('an account that cannot pay for searches is answered without them', async () => {
    await using scene = await open(claude.channel, { quota: 4000 });
    const answer = await scene.post(claude.path, { model: testModel, ...claude.fields });
    expect([answer.status, answer.headers.get('x-tidegate-dropped')]).toEqual([200, 'tools.0']);
    expect(scene.upstream.requests[0]?.body).not.toHaveProperty('tools');
    await scene.checkBooks();
  });

  test('a search by a field of a chat completion is one run, and refused where no price is set', async () => {
    const body = { model: testModel, messages, web_search_options: {} };
    await using scene = await open({ type: 1 });
    expect((await scene.post('/v1/chat/completions', body)).status).toBe(200);
    const [row] = await scene.logs(1);
    expect(row?.other?.['hosted_calls']).toEqual([{ kind: 'web_search_preview', calls: 1, price: 25 }]);
    await scene.checkBooks();
    await using free = await open({ type: 1 }, { settings: { ToolPrice: '{}' } });
    expect((await free.post('/v1/chat/completions', body)).status).toBe(400);
    expect(free.upstream.requests).toEqual([]);
  });

  // Quota of a run in addition to a response's minimum: the earlier tool's, and its reservation.
  test.each<{ tool: string; price: number; settings: Record<string, string> }>([
    { tool: 'web_search', price: 10, settings: {} },
    { tool: 'web_search_preview_2025_03_11', price: 25, settings: {} },
    // Settings saved before the tools had separate prices apply to both.
    { tool: 'web_search', price: 25, settings: { ToolPrice: '{"web_search:gpt-4o*":25}' } },
    { tool: 'web_search_preview', price: 25, settings: { ToolPrice: '{"web_search:gpt-4o*":25}' } },
  ])('$tool is reserved for, and settled, at $price by $settings', async ({ tool, price, settings }) => {
    const ask = async (quota: number) => {
      await using scene = await open(responses, { quota, settings: { ...settings, ToolCallsPerRequest: '1', PreConsumedQuota: '1' } });
      scene.upstream.behave({ replay: 'hosted/responses.json' });
      const fields = { model: testModel, input: 'Hi', tools: [{ type: tool }], max_output_tokens: 16 };
      const answer = await scene.post('/v1/responses', fields);
      await answer.text();
      const [row] = await scene.logs(1);
      await scene.checkBooks();
      return [answer.headers.get('x-tidegate-dropped'), row?.other?.['hosted_calls']];
    };
    // A prompt and sixteen tokens are a few quota.
    expect(await ask(price * 500 + 100)).toEqual([null, expect.arrayContaining([expect.objectContaining({ calls: 1, price })])]);
    expect((await ask(price * 500 - 1))[0]).toBe('tools.0');
  });

  describe('Perplexity takes a fee for each call', () => {
    // The request format until September 2026, which proxies of other vendors still use.
    const setting = '{"formats":["openai-chat"]}';
    const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30, num_search_queries: 7 };
    const ToolPrice = JSON.stringify({
      'web_search:sonar*': 5,
      'web_search:sonar-pro*': 6,
      'web_search:sonar-reasoning-pro*': 6,
      'web_search_medium:sonar*': 8,
      'web_search_medium:sonar-pro*': 10,
      'web_search_medium:sonar-reasoning-pro*': 10,
      'web_search_high:sonar*': 12,
      'web_search_high:sonar-pro*': 14,
      'web_search_high:sonar-reasoning-pro*': 14,
      'web_search_pro:sonar-pro*': 14,
      'web_search_pro_medium:sonar-pro*': 18,
      'web_search_pro_high:sonar-pro*': 22,
    });
    // USD per 1,000 calls: https://docs.perplexity.ai/getting-started/pricing
    test.each([
      { model: 'sonar', fields: {}, kind: 'web_search', price: 5, quota: 2_500 },
      { model: 'sonar', fields: { web_search_options: { search_context_size: 'low' } }, kind: 'web_search', price: 5, quota: 2_500 },
      { model: 'sonar', fields: { web_search_options: { search_context_size: 'high' } }, kind: 'web_search_high', price: 12, quota: 6_000 },
      {
        model: 'sonar-pro',
        fields: { web_search_options: { search_context_size: 'medium' } },
        kind: 'web_search_medium',
        price: 10,
        quota: 5_000,
      },
      // In several steps it searches in streams alone.
      { model: 'sonar-pro', fields: { web_search_options: { search_type: 'pro' } }, kind: 'web_search', price: 6, quota: 3_000 },
      {
        model: 'sonar-reasoning-pro',
        fields: { web_search_options: { search_context_size: 'high' } },
        kind: 'web_search_high',
        price: 14,
        quota: 7_000,
      },
      {
        model: 'sonar-deep-research',
        fields: { web_search_options: { search_context_size: 'high' } },
        kind: 'web_search',
        price: 5,
        calls: 7,
        quota: 17_500,
      },
    ])('$model, $fields: $price', async ({ model, fields, kind, price, calls = 1, quota }) => {
      const settings = {
        ModelRatio: JSON.stringify({ [model]: 0.5 }),
        CompletionRatio: JSON.stringify({ [model]: 1 }),
        ToolPrice,
        RetryTimes: '0',
      };
      await using scene = await createScene(engine, { channels: [{ type: 27, models: model, setting }], settings });
      scene.upstream.behave({ usage });
      expect((await scene.post('/v1/chat/completions', { model, messages, ...fields })).status).toBe(200);
      const [row] = await scene.logs(1);
      expect(row?.other?.['hosted_calls']).toEqual([{ kind, calls, price }]);
      expect(row?.quota).toBe(quota + 15);
      await scene.checkBooks();
    });

    test('the fee is reserved as it is settled, also under another name', async () => {
      const channel = { type: 27, models: 'finder', model_mapping: '{"finder":"sonar"}', setting };
      const settings = {
        ModelRatio: '{"finder":0.5}',
        ToolPrice: '{"web_search:finder*":5,"web_search_high:finder*":12,"web_search_preview:finder*":90}',
        PreConsumedQuota: '1',
        RetryTimes: '0',
      };
      const ask = async (quota: number, size: string) => {
        await using scene = await createScene(engine, { channels: [channel], settings, quota });
        scene.upstream.behave({ usage });
        const fields = {
          model: 'finder',
          messages,
          max_tokens: 20,
          ...(size === '' ? {} : { web_search_options: { search_context_size: size } }),
        };
        const { status } = await scene.post('/v1/chat/completions', fields);
        const [row] = status === 200 ? await scene.logs(1) : [];
        await scene.checkBooks();
        return [status, row?.other?.['hosted_calls']];
      };
      expect(await ask(6_100, 'high')).toEqual([200, [{ kind: 'web_search_high', calls: 1, price: 12 }]]);
      expect((await ask(5_900, 'high'))[0]).toBe(403);
      // It searches even without a request for it.
      expect(await ask(2_600, '')).toEqual([200, [{ kind: 'web_search', calls: 1, price: 5 }]]);
      expect((await ask(2_400, ''))[0]).toBe(403);
    });
  });

  test.each([
    { fields: { reasoning: { mode: 'pro', effort: 'low' } }, dropped: 'reasoning.mode', sent: { reasoning: { effort: 'low' } } },
    { fields: { prompt_cache_options: { mode: 'explicit', ttl: '12h' } }, dropped: 'prompt_cache_options.ttl', sent: {} },
    {
      fields: {
        input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } }] }],
      },
      dropped: 'prompt_cache_breakpoint.ttl',
      sent: { input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit' } }] }] },
    },
  ])('$dropped costs more and is left out and named', async ({ fields, dropped, sent }) => {
    await using scene = await open(responses);
    const answer = await scene.post('/v1/responses', { model: testModel, input: 'Hi', ...fields });
    expect([answer.status, answer.headers.get('x-tidegate-dropped')]).toEqual([200, dropped]);
    expect(scene.upstream.requests[0]?.body).toMatchObject(sent);
    expect(scene.upstream.requests[0]?.text).not.toMatch(/"pro"|"12h"/);
  });
});
