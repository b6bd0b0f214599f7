import { describe, expect, it } from 'vitest';
import { useChannelDesk } from '#tests/support/channel-desk.ts';
import { startFakeCodex } from '#tests/support/fake-codex.ts';
import { startFakeRealtime } from '#tests/support/fake-realtime.ts';
import { startFakeVertex } from '#tests/support/fake-vertex.ts';
import { oneEngine } from '#tests/support/engines.ts';
import type { TestResponse } from '#tests/support/http-client.ts';

const english = { headers: { 'accept-language': 'en' } };

describe.each(oneEngine)('testing channels on $kind', (engine) => {
  const desk = useChannelDesk(engine);
  const { createOne, read } = desk;

  const test = (id: number, query = '', client = desk.admin) => client.get(`/api/channel/test/${id}${query}`);
  const time = (answer: TestResponse) => Object.entries(answer.body ?? {}).find(([key]) => key === 'time')?.[1];
  const createHere = (fields: Record<string, unknown> = {}) =>
    createOne({ base_url: desk.upstream.url, models: 'gpt-4o,o3-mini', ...fields });
  const lastLog = async () => (await desk.app.context.db.collection('logs').find({ type: 6 }, { sort: [['id', -1]], limit: 1 }))[0];

  it('sends a small request and remembers how long it took', async () => {
    const id = await createHere();
    const answer = await test(id);
    expect(answer).toMatchObject({ status: 200, success: true, message: '' });
    expect(time(answer)).toEqual(expect.any(Number));
    const [request] = desk.upstream.requests;
    expect(request).toMatchObject({ path: '/v1/chat/completions', key: 'sk-secret-one' });
    expect(request?.body).toEqual({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], max_tokens: 10 });
    const channel = await read(id);
    expect(channel.response_time).toBe(Math.round(Number(time(answer)) * 1000));
    expect(channel.test_time).toBeGreaterThan(0);
    expect(channel.revision).toBe(1);
  });

  it('asks a reranker for an order', async () => {
    const id = await createHere({ type: 34, models: 'cohere-rerank-v3.0' });
    expect(await test(id)).toMatchObject({ success: true });
    expect(desk.upstream.requests.at(-1)).toMatchObject({ path: '/v1/rerank', body: { query: 'hello', documents: ['hello world'] } });
  });

  it('tests a channel whose key is a file of credentials, pasted with its lines', async () => {
    const vertex = await startFakeVertex(desk.upstream.url);
    try {
      const { key, ...there } = vertex.channel;
      const pasted = `${JSON.stringify(JSON.parse(key), null, 2)}\n`;
      const id = await createOne({ ...there, key: pasted, base_url: vertex.url, models: 'claude-sonnet-4-5' });
      expect(await test(id)).toMatchObject({ success: true, message: '' });
      expect(vertex.given.count).toBe(1);
      vertex.refuse();
      const edited = JSON.stringify({ ...JSON.parse(key), client_id: 'another' }, null, 2);
      expect(await desk.admin.put('/api/channel/', { id, key: edited })).toMatchObject({ success: true });
      const refused = await test(id);
      expect(refused.success).toBe(false);
      expect(refused.message).toContain('invalid_grant');
    } finally {
      await vertex.close();
    }
  });

  it('tests an account that only streams, by a sign-in that was pasted with its lines', async () => {
    await using account = await startFakeCodex(desk.upstream.url);
    const { key, type } = account.channel;
    const pasted = `${JSON.stringify({ OPENAI_API_KEY: null, tokens: JSON.parse(key) }, null, 2)}\n`;
    const id = await createOne({ type, key: pasted, base_url: account.url, models: 'gpt-5.6-sol' });
    expect(await test(id)).toMatchObject({ success: true, message: '' });
    expect(account.taken).toMatchObject([{ model: 'gpt-5.6-sol', stream: true, store: false }]);
    expect(account.taken[0]).not.toHaveProperty('max_output_tokens');
    const edited = JSON.stringify({ access_token: 'token-2', account_id: 'acc-1' });
    expect(await desk.admin.put('/api/channel/', { id, key: edited })).toMatchObject({ success: true });
    expect(await test(id)).toMatchObject({ success: false });
  });

  it('opens a session with a model that is only spoken with so, and asks for nothing in it', async () => {
    await using upstream = await startFakeRealtime();
    const id = await createHere({ base_url: upstream.url, models: 'gpt-realtime' });
    expect(await test(id)).toMatchObject({ success: true, message: '' });
    const peer = await upstream.peer(0);
    expect(await peer.closed).toMatchObject({ code: 1000 });
    expect(peer.received).toEqual([]);
    upstream.behave({ refuse: { status: 404, body: { error: { message: 'No such model' } } } });
    expect(await test(id)).toMatchObject({ success: false, message: expect.stringContaining('No such model') });
  });

  it('asks a model that hears to write a silence down', async () => {
    const id = await createHere({ models: 'whisper-1' });
    expect(await test(id)).toMatchObject({ success: true });
    expect(desk.upstream.requests.at(-1)).toMatchObject({
      path: '/v1/audio/transcriptions',
      body: { model: 'whisper-1' },
      files: [{ name: 'file', type: 'audio/wav' }],
    });
  });

  it('asks a model that speaks for a sound', async () => {
    const id = await createHere({ models: 'tts-1' });
    expect(await test(id)).toMatchObject({ success: true, message: '' });
    expect(desk.upstream.requests.at(-1)).toMatchObject({ path: '/v1/audio/speech', body: { model: 'tts-1', input: 'Hi' } });
  });

  it('asks a model that makes pictures for one, in the words of its provider', async () => {
    const id = await createHere({ type: 26, key: 'id1.secret1', models: 'cogview-4' });
    expect(await test(id)).toMatchObject({ success: true, message: '' });
    expect(desk.upstream.requests.at(-1)).toMatchObject({ path: '/api/paas/v4/images/generations' });
    expect(desk.upstream.requests.at(-1)?.body).toEqual({ model: 'cogview-4', prompt: 'A blue circle' });
  });

  it('says in the language of who asks that a key of before is none of its new type', async () => {
    const id = await createHere();
    expect(await desk.admin.put('/api/channel/', { id, type: 26 })).toMatchObject({ success: true });
    const expected = { zh: '渠道密钥的格式必须是 id.secret', en: 'The key must have the form id.secret' };
    expect(await test(id)).toMatchObject({ success: false, message: expected.zh });
    expect(await desk.admin.get(`/api/channel/test/${id}`, english)).toMatchObject({ success: false, message: expected.en });
    expect(await desk.admin.get(`/api/channel/fetch_models/${id}`, english)).toMatchObject({ success: false, message: expected.en });
    expect(desk.upstream.requests).toEqual([]);
  });

  it('asks a model of moderations for one', async () => {
    const id = await createHere({ models: 'omni-moderation-latest' });
    expect(await test(id)).toMatchObject({ success: true });
    expect(desk.upstream.requests.at(-1)).toMatchObject({
      path: '/v1/moderations',
      body: { model: 'omni-moderation-latest', input: 'hello world' },
    });
  });

  it('charges nobody, and logs what it would have cost', async () => {
    const id = await createHere();
    const quotaBefore = (await desk.admin.get('/api/user/self')).data.quota;
    desk.upstream.behave({ usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } });
    await test(id);
    expect(await lastLog()).toMatchObject({
      username: 'keeper',
      content: '模型测试',
      token_name: '模型测试',
      token_id: 0,
      model_name: 'gpt-4o',
      channel_id: id,
      quota: 0,
      prompt_tokens: 100,
      completion_tokens: 10,
      other: { test_quota: 175, model_ratio: 1.25, completion_ratio: 4 },
    });
    expect((await desk.admin.get('/api/user/self')).data.quota).toBe(quotaBefore);
    expect(await read(id)).toMatchObject({ used_quota: 0 });
  });

  it('is no call: not in the list unless it is asked for, nor in any sum', async () => {
    const id = await createHere();
    await test(id);
    const rows = async (query: string) => (await desk.admin.get(`/api/log/?page_size=100${query}`)).data.items;
    const tests = await rows('&type=6');
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.every((row: { content: string }) => row.content === '模型测试')).toBe(true);
    const listed: { content: string }[] = await rows('');
    expect(listed.filter(({ content }) => content === '模型测试')).toEqual([]);
    expect(await rows('&type=2')).toEqual([]);
    expect((await desk.admin.get('/api/log/stat')).data).toMatchObject({ quota: 0, rpm: 0, tpm: 0 });
    const { data: figures } = await desk.admin.get('/api/data/figures');
    expect(figures.whole.every((sums: { calls: number }) => sums.calls === 0)).toBe(true);
  });

  it('asks the named model, else the test model, else the first, and maps it', async () => {
    const id = await createHere({ test_model: 'gpt-4o-mini', model_mapping: '{"gpt-4o-mini":"small","gpt-4o":"big"}' });
    await test(id);
    await test(id, '?model=gpt-4o');
    await test(id, '?model=');
    const requested = desk.upstream.requests.map(({ body }) => JSON.parse(JSON.stringify(body)).model);
    expect(requested).toEqual(['small', 'big', 'small']);
  });

  it('limits reasoning models in their own way', async () => {
    await test(await createHere(), '?model=o3-mini');
    expect(desk.upstream.requests[0]?.body).toEqual({
      model: 'o3-mini',
      messages: [{ role: 'user', content: 'hi' }],
      max_completion_tokens: 10,
    });
  });

  it('tests embedding models with an embedding', async () => {
    await test(await createHere({ models: 'text-embedding-3-small' }));
    expect(desk.upstream.requests[0]).toMatchObject({
      path: '/v1/embeddings',
      body: { model: 'text-embedding-3-small', input: ['hello world'] },
    });
  });

  it('tells what the upstream said, without the key, and remembers the time too', async () => {
    const id = await createHere();
    desk.upstream.behave({
      status: 401,
      error: { message: 'Incorrect API key provided: sk-secret-one', type: 'invalid_request_error', code: 'invalid_api_key' },
    });
    const answer = await test(id);
    expect(answer).toMatchObject({ status: 200, success: false, code: 'channel_test_failed' });
    expect(answer.message).toContain('status code 401: Incorrect API key provided');
    expect(JSON.stringify(answer.body)).not.toContain('sk-secret-one');
    expect(time(answer)).toEqual(expect.any(Number));
    expect(await read(id)).toMatchObject({ status: 1, test_time: expect.any(Number) });
    expect((await read(id)).test_time).toBeGreaterThan(0);
    expect((await read(id)).test_error).toBe(answer.message);
    desk.upstream.reset();
    await test(id);
    expect(await read(id)).toMatchObject({ test_error: '' });
  });

  it.each(['html', 'text', 'empty', 'half json', 'wrong json', 'error object', 'bytes', 'stream to a json call'] as const)(
    'fails on garbage: %s',
    async (garbage) => {
      const id = await createHere();
      desk.upstream.behave({ garbage });
      const answer = await test(id);
      expect(answer).toMatchObject({ status: 200, success: false, code: 'channel_test_failed' });
      expect(answer.message).not.toBe('');
    },
  );

  it('fails in the caller’s language when nobody answers', async () => {
    const id = await createHere();
    desk.upstream.behave({ refuse: true });
    expect((await test(id)).message).toContain('请求上游地址失败');
    expect((await desk.admin.get(`/api/channel/test/${id}`, english)).message).toContain('The request to the upstream address failed');
  });

  // The test concerns the provider: a missing price is reported by the list of prices, and to callers.
  it('asks for a model without a price as for any other, and says of it that it would have cost nothing', async () => {
    const id = await createHere({ models: 'unheard-of' });
    expect(await test(id)).toMatchObject({ status: 200, success: true, message: '' });
    expect(desk.upstream.requests).toHaveLength(1);
    expect(await read(id)).toMatchObject({ test_error: '' });
    expect(await lastLog()).toMatchObject({
      quota: 0,
      model_name: 'unheard-of',
      other: { test_quota: 0, model_ratio: 0, model_price: -1 },
    });
  });

  it('orders no video: what else the channel has is asked, and a model of videos is refused with the reason', async () => {
    const id = await createHere({ models: 'sora-2,gpt-4o' });
    expect(await test(id)).toMatchObject({ success: true });
    expect(desk.upstream.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions']);
    const refused = await desk.admin.get(`/api/channel/test/${id}?model=sora-2`, english);
    expect(refused).toMatchObject({
      success: false,
      code: 'channel_test_orders',
      message: expect.stringMatching(/^sora-2 only takes orders/),
    });
    expect(desk.upstream.requests).toHaveLength(1);
    expect(await read(id)).toMatchObject({ test_error: '' });
  });

  it('works on a disabled channel, and says so for one that does not exist', async () => {
    const id = await createHere({ status: 2 });
    expect(await test(id)).toMatchObject({ success: true });
    expect(await test(4711)).toMatchObject({ success: false, code: 'channel_not_found' });
  });

  it('asks a channel of Claude’s format in that format', async () => {
    const id = await createHere({ type: 14, models: 'claude-sonnet-4-5,claude-sonnet-4-5-thinking' });
    desk.upstream.behave({ text: 'Hello.', usage: { input_tokens: 9, output_tokens: 4 } });
    expect(await test(id)).toMatchObject({ status: 200, success: true, message: '' });
    expect(desk.upstream.requests[0]).toMatchObject({
      path: '/v1/messages',
      key: 'sk-secret-one',
      body: { model: 'claude-sonnet-4-5', max_tokens: 10, messages: [{ role: 'user' }] },
    });
    expect(await lastLog()).toMatchObject({ quota: 0, prompt_tokens: 9, completion_tokens: 4 });
    expect(await test(id, '?model=claude-sonnet-4-5-thinking')).toMatchObject({ success: true });
    expect(desk.upstream.requests[1]?.body).toMatchObject({ max_tokens: expect.any(Number) });
    desk.upstream.behave({ status: 401 });
    expect((await test(id)).message).toContain('status code 401: invalid x-api-key');
    desk.upstream.behave({ garbage: 'wrong json' });
    expect(await test(id)).toMatchObject({ success: false, code: 'channel_test_failed' });
  });

  it.each([1, 14])('fails where a caller would fail: at a usage that cannot be true (type %d)', async (type) => {
    const id = await createHere({ type });
    desk.upstream.behave({ usage: { prompt_tokens: -5, completion_tokens: 1e15, total_tokens: 1, input_tokens: -5, output_tokens: 1 } });
    expect(await test(id)).toMatchObject({ success: false, code: 'channel_test_failed' });
  });
});
