// Claude's Messages as its clients speak it in November 2026, before upstreams of every format.
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { allCases, channelOf, model, question } from './shared-cases.ts';

const today = '2026-10-21';
const messages = [...question];

function clientOf(scene: RelayScene, options: ConstructorParameters<typeof Anthropic>[0] = {}): Anthropic {
  return new Anthropic({ baseURL: scene.app.origin, apiKey: scene.key, maxRetries: 0, ...options });
}

const bodyOf = (scene: RelayScene, index = 0): Record<string, unknown> => scene.upstream.requests[index]?.body as Record<string, unknown>;

describe.each(allCases)('Claude of today on $kind, before $format', ({ engine, type, setting, format }) => {
  const open = (options: SceneOptions = {}) =>
    createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ ...channelOf(type), setting }], ...options });
  const sentText = (scene: RelayScene) => scene.upstream.requests[0]?.text ?? '';

  test('both key headers, any version and any beta', async () => {
    await using scene = await open();
    const beta = `${Array.from({ length: 60 }, (_none, index) => `beta-nobody-knows-${index}-2026-11-01`).join(',')}, spaced-2026-01-01`;
    const headers = { 'anthropic-beta': beta, 'anthropic-version': today };
    for (const auth of [{ apiKey: scene.key }, { apiKey: null, authToken: scene.key }]) {
      const { content } = await clientOf(scene, { ...auth, defaultHeaders: headers }).messages.create({ model, max_tokens: 50, messages });
      expect(content[0]).toMatchObject({ type: 'text' });
    }
    const isClaude = format === 'Claude';
    expect(scene.upstream.requests[0]?.headers['anthropic-beta']).toBe(isClaude ? beta : undefined);
    expect(scene.upstream.requests[0]?.headers['anthropic-version']).toBe(isClaude ? today : undefined);
  });

  test('a version that refuses sampling and documents in turns of the assistant is fitted to, and it is said what that took', async () => {
    await using scene = await open();
    const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Tables' } };
    const turns = [
      ...messages,
      { role: 'assistant', content: [document, { type: 'text', text: 'Noon.' }] },
      { role: 'user', content: 'Sure?' },
    ];
    const headers = { 'anthropic-version': today, 'x-api-key': scene.key };
    if (format !== 'Claude') {
      // Other formats know no documents there at all.
      expect((await scene.post('/v1/messages', { model, max_tokens: 50, messages: turns }, headers)).status).toBe(400);
      return;
    }
    const answer = await scene.post('/v1/messages', { model, max_tokens: 50, temperature: 1, top_k: 5, messages: turns }, headers);
    expect([answer.status, answer.headers.get('x-tidegate-dropped')]).toEqual([200, 'messages.1.content, temperature, top_k']);
    expect(bodyOf(scene)).toMatchObject({ messages: [{}, { content: [{ text: 'Noon.' }] }, {}] });
    expect(sentText(scene)).not.toMatch(/temperature|top_k|Tables/);
    await scene.post(
      '/v1/messages',
      { model, max_tokens: 50, temperature: 1, messages },
      { ...headers, 'anthropic-version': '2023-06-01' },
    );
    expect(bodyOf(scene, 1)).toMatchObject({ temperature: 1 });
  });

  test('a schema by its old name, an effort in the middle, and what only Anthropic can do with a call is named', async () => {
    await using scene = await open();
    const schema = { type: 'object', properties: { noon: { type: 'boolean' } }, required: ['noon'], additionalProperties: false };
    const body = {
      model,
      max_tokens: 2000,
      messages: [messages[0], { role: 'system', content: 'Be brief.', output_config: { effort: 'low' } }],
      output_format: { type: 'json_schema', schema },
      safeguards: [{ type: 'dangerous_tool_use', classifier_context: 'secret path' }],
      context_management: {
        edits: [{ type: 'clear_thinking_20251015', keep: 'all' }, { type: 'compact_20260112' }, { type: 'clear_images' }],
      },
      thinking: { type: 'enabled', budget_tokens: 1024, display: 'omitted' },
      tools: [
        { name: 'Later', description: 'Deferred', input_schema: { type: 'object' }, defer_loading: true, eager_input_streaming: true },
      ],
    };
    const answer = await scene.post('/v1/messages', body);
    if (format === 'Claude') {
      // Between the caller and its provider.
      expect(bodyOf(scene)).toEqual(body);
      return;
    }
    expect(answer.status).toBe(200);
    expect(sentText(scene)).toContain('"noon"');
    expect(sentText(scene)).toContain('Later');
    expect(sentText(scene)).not.toContain('secret path');
    expect(answer.headers.get('x-tidegate-dropped')).toMatch(/context_management.*safeguards|safeguards.*context_management/);
  });

  test('documents and search results reach every format, or are named', async () => {
    await using scene = await open();
    const content: Anthropic.Messages.ContentBlockParam[] = [
      {
        type: 'document',
        source: { type: 'text', media_type: 'text/plain', data: 'High water: noon' },
        title: 'Tables',
        context: 'Of 2026',
        citations: { enabled: true },
      },
      { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Neaps follow' }] } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQ=' }, title: 'chart.pdf' },
      { type: 'search_result', source: 'https://tides.example', title: 'Tides', content: [{ type: 'text', text: 'Springs on Monday' }] },
      { type: 'text', text: 'When?' },
    ];
    const requested = { model, max_tokens: 50, messages: [{ role: 'user' as const, content }] };
    const { response } = await clientOf(scene).messages.create(requested).withResponse();
    for (const text of ['High water: noon', 'Neaps follow', 'JVBERi0xLjQ=', 'Springs on Monday', 'https://tides.example']) {
      expect(sentText(scene)).toContain(text);
    }
    if (format !== 'Claude') expect(response.headers.get('x-tidegate-dropped')).toBe('citations');
    else expect(bodyOf(scene)).toMatchObject({ messages: requested.messages });
  });

  test('a prompt is counted on every upstream, and it is said who has counted', async () => {
    await using scene = await open();
    const { data, response } = await clientOf(scene).messages.countTokens({ model, messages }).withResponse();
    expect(data.input_tokens).toBeGreaterThan(3);
    expect(response.headers.get('x-tidegate-token-count')).toBe(format === 'OpenAI' ? 'own' : 'upstream');
  });

  test('27 counts at once leave the connections of the channel to others', async () => {
    await using scene = await open();
    const client = clientOf(scene);
    // Long enough for all of them to have come.
    scene.upstream.behave({ firstByteDelay: 3_000 });
    const counts = Array.from({ length: 27 }, () => client.messages.countTokens({ model, messages }).withResponse());
    const sources = (await Promise.all(counts)).map(({ response }) => response.headers.get('x-tidegate-token-count'));
    expect(sources).toHaveLength(27);
    expect(scene.upstream.requests.length).toBeLessThanOrEqual(4);
    expect(sources.filter((source) => source === 'upstream')).toHaveLength(scene.upstream.requests.length);
  });

  test('a conversation that is held between turns is held here, and the model hears all of it', async () => {
    await using scene = await open();
    scene.upstream.behave({ toolCalls: [{ name: 'get_tide', arguments: '{"port":"Brest"}' }], text: 'At noon.' });
    const ports: unknown[] = [];
    const input_schema = { type: 'object' as const, properties: { port: { type: 'string' } } };
    const run = (given: unknown) => {
      ports.push(given);
      return 'Noon';
    };
    const tool = {
      type: 'custom' as const,
      name: 'get_tide',
      description: 'High water',
      input_schema,
      run,
      parse: (given: unknown) => given,
    };
    const runner = clientOf(scene).beta.messages.toolRunner({ model, max_tokens: 50, messages: [...question], tools: [tool] });
    expect((await runner).content).toMatchObject([{ type: 'text', text: 'At noon.' }]);
    expect(ports).toEqual([{ port: 'Brest' }]);
    expect(scene.upstream.requests.map(({ text }) => /When is high water/.test(text))).toEqual([true, true]);

    const thread = { type: 'continue', previous_message_id: 'msg_1' };
    const refused = await scene.post('/v1/messages', { model, max_tokens: 50, messages, thread }, { 'accept-language': 'en' });
    expect([refused.status, await refused.json()]).toMatchObject([
      404,
      { error: { type: 'not_found_error', message: expect.stringContaining('msg_1'), details: { error_code: 'thread_not_found' } } },
    ]);
    expect(scene.upstream.requests).toHaveLength(2);
    await scene.checkBooks();
  });

  test('whether to try again is said with each error', async () => {
    await using scene = await open();
    scene.upstream.queue({ status: 429, retryAfter: 1.5 }, { status: 400 });
    const ask = () => scene.post('/v1/messages', { model, max_tokens: 50, messages });
    const busy = await ask();
    expect([busy.status, busy.headers.get('x-should-retry'), busy.headers.get('retry-after')]).toEqual([429, 'true', '2']);
    const bad = await ask();
    expect([bad.status, bad.headers.get('x-should-retry')]).toEqual([400, 'false']);
  });
});

describe.each(oneEngine)('what Claude Code looks for on $kind', (engine) => {
  test('somebody is there, without a key', async () => {
    await using scene = await createScene(engine);
    const answer = await fetch(`${scene.app.origin}/api/hello`, { method: 'HEAD' });
    expect(answer.ok).toBe(true);
  });

  test('models, page by page in either direction', async () => {
    const names = ['claude-a', 'claude-b', 'claude-c', 'claude-d', 'claude-e'];
    await using scene = await createScene(engine, { channels: [{ type: 14, models: names.join(',') }] });
    const client = clientOf(scene, { apiKey: null, authToken: scene.key });
    const listed: string[] = [];
    for await (const { id } of client.models.list({ limit: 2 })) listed.push(id);
    expect(listed).toEqual(names);
    const before = await client.models.list({ before_id: 'claude-d', limit: 2 });
    expect([before.data.map(({ id }) => id), before.has_more]).toEqual([['claude-b', 'claude-c'], true]);
    expect((await client.models.list({ limit: 1000 })).data).toHaveLength(5);
  });
});
