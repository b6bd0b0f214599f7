import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { useChannelDesk } from '#tests/support/channel-desk.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { startFakeUpstream } from '#tests/support/fake-upstream.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const english = { headers: { 'accept-language': 'en' } };

describe.each(oneEngine)('channels that are not saved yet, on $kind', (engine) => {
  const desk = useChannelDesk(engine);
  const { createOne, stored, count } = desk;
  const form = (fields: Record<string, unknown> = {}) => ({
    type: 1,
    key: 'sk-typed',
    base_url: desk.upstream.url,
    models: 'gpt-4o,gpt-4o-mini',
    ...fields,
  });
  const test = (fields: Record<string, unknown> = {}, client = desk.admin) => client.post('/api/channel/test', form(fields), english);
  const models = (fields: Record<string, unknown> = {}, client = desk.admin) =>
    client.post('/api/channel/fetch_models', form(fields), english);

  it('are tried out by administrators only', async () => {
    const user = await desk.app.as(await desk.app.createUser());
    const id = await createOne({ base_url: desk.upstream.url });
    for (const [method, path] of [
      ['POST', '/api/channel/test'],
      ['POST', '/api/channel/fetch_models'],
      ['GET', `/api/channel/fetch_models/${id}`],
      ['GET', '/api/channel/models'],
    ] as const) {
      const body = method === 'POST' ? form() : undefined;
      expect(await desk.app.anonymous().call(method, path, body)).toMatchObject({ status: 401 });
      expect(await user.call(method, path, body)).toMatchObject({ status: 403, code: 'forbidden' });
    }
    expect(desk.upstream.requests).toEqual([]);
  });

  it('are tested with what the form holds, and nothing is saved', async () => {
    const answer = await test({ test_model: 'gpt-4o-mini', model_mapping: '{"gpt-4o-mini":"small"}', name: '' });
    expect(answer).toMatchObject({ status: 200, success: true, message: '' });
    expect(answer.body).toMatchObject({ time: expect.any(Number) });
    expect(desk.upstream.requests).toMatchObject([{ path: '/v1/chat/completions', key: 'sk-typed', body: { model: 'small' } }]);
    expect(await count()).toBe(0);
    await test({ model: 'gpt-4o' });
    expect(desk.upstream.requests[1]).toMatchObject({ body: { model: 'gpt-4o' } });
  });

  it('begin with the result of their test once they are created as they were tested', async () => {
    // A form proposes a model that it does not save as the test model.
    await test({ test_model: 'gpt-4o-mini', name: 'Unnamed yet' });
    const id = await createOne({ ...form(), name: 'Tested', priority: 3 });
    const channel = await desk.read(id);
    expect(channel).toMatchObject({ tested_model: 'gpt-4o-mini', test_error: '', revision: 1 });
    expect(channel.response_time).toBeGreaterThan(0);
    expect(channel.test_time).toBeGreaterThanOrEqual(channel.created_time - 5);
    expect(desk.upstream.requests).toHaveLength(1);

    desk.upstream.behave({ status: 401, error: { message: 'No such key', type: 'invalid_request_error', code: null } });
    expect(await test({ key: 'sk-second' })).toMatchObject({ success: false });
    expect(await desk.read(await createOne({ ...form({ key: 'sk-second' }), name: 'Failed' }))).toMatchObject({
      tested_model: 'gpt-4o',
      test_error: expect.stringContaining('No such key'),
    });
  });

  it.each([
    ['another key', { key: 'sk-other' }],
    ['another address', { base_url: 'https://elsewhere.example' }],
    ['another mapping', { model_mapping: '{"gpt-4o":"big"}' }],
    ['without the tested model', { models: 'gpt-4o-mini' }],
  ])('are untested when they are created with %s', async (_what, fields) => {
    await test();
    expect(await desk.read(await createOne({ ...form(fields), name: 'Other' }))).toMatchObject({
      test_time: 0,
      response_time: 0,
      tested_model: '',
    });
  });

  it('share no result between administrators, and of several keys only the tested one has it', async () => {
    await test({ key: 'sk-first' });
    const other = await desk.app.as(await desk.app.createUser({ role: 10 }));
    const [foreign] = (await other.post('/api/channel/', { ...form({ key: 'sk-first' }), name: 'Of another' })).data;
    expect(await desk.read(foreign)).toMatchObject({ test_time: 0 });
    const [first, second] = (await desk.create({ ...form({ key: 'sk-first\nsk-second' }), name: 'Two' })).data;
    expect(await desk.read(first)).toMatchObject({ name: 'Two 1', tested_model: 'gpt-4o' });
    expect(await desk.read(second)).toMatchObject({ name: 'Two 2', test_time: 0, tested_model: '' });
  });

  it('are no calls in the log: it says what was tested, by the name of the form', async () => {
    const before = (await desk.admin.get('/api/log/self?type=2')).data.total;
    await test({ name: 'Not saved', model: 'gpt-4o' });
    await test({ name: '', model: 'gpt-4o' });
    expect((await desk.admin.get('/api/log/self?type=2')).data.total).toBe(before);
    const { items } = (await desk.admin.get('/api/log/?type=3')).data;
    const events = items.slice(0, 2).map(({ other }: { other: string }) => JSON.parse(other).event);
    expect(events).toEqual([
      { code: 'channel_draft_tested', name: 'OpenAI', model: 'gpt-4o' },
      { code: 'channel_draft_tested', name: 'Not saved', model: 'gpt-4o' },
    ]);
    expect(items[1]).toMatchObject({ content: '模型测试（渠道未保存）：Not saved，gpt-4o', quota: 0 });
  });

  it('are tested in the format of their provider', async () => {
    expect(await test({ type: 14, models: 'claude-sonnet-4-5' })).toMatchObject({ status: 200, success: true, message: '' });
    expect(desk.upstream.requests).toMatchObject([{ path: '/v1/messages', key: 'sk-typed', body: { model: 'claude-sonnet-4-5' } }]);
  });

  it('of several keys try the first', async () => {
    await test({ key: 'sk-first\nsk-second' });
    await models({ key: 'sk-first\nsk-second' });
    expect(desk.upstream.requests.map(({ key }) => key)).toEqual(['sk-first', 'sk-first']);
  });

  it('tell what the provider said, without the key, and leave the saved channel as it is', async () => {
    const id = await createOne({ base_url: desk.upstream.url });
    const before = await stored(id);
    desk.upstream.behave({ status: 401, error: { message: 'Incorrect API key provided: sk-typed-wrong', type: 'invalid_request_error' } });
    const answer = await test({ id, key: 'sk-typed-wrong' });
    expect(answer).toMatchObject({ success: false, code: 'channel_test_failed' });
    expect(answer.message).toContain('status code 401: Incorrect API key provided');
    expect(JSON.stringify(answer.body)).not.toContain('sk-typed-wrong');
    const listed = await models({ id, key: 'sk-typed-wrong' });
    expect(listed).toMatchObject({ status: 200, success: false, code: 'channel_models_failed' });
    expect(listed.message).toContain('status code 401: Incorrect');
    expect(JSON.stringify(listed.body)).not.toContain('sk-typed-wrong');
    expect(await stored(id)).toEqual(before);
  });

  it('use the saved key of the channel that is edited, where it goes already', async () => {
    const id = await createOne({ base_url: desk.upstream.url, key: 'sk-saved' });
    expect(await test({ id, key: '' })).toMatchObject({ success: true });
    expect(await models({ id, key: undefined })).toMatchObject({ success: true });
    expect(desk.upstream.requests.map(({ key }) => key)).toEqual(['sk-saved', 'sk-saved']);
    expect(await stored(id)).toMatchObject({ test_time: 0, response_time: 0 });
  });

  it('never send a saved key to another address or through another proxy, unless the super admin does it', async () => {
    await using other = await startFakeUpstream();
    const id = await createOne({ base_url: desk.upstream.url, key: 'sk-saved' });
    for (const aim of [{ base_url: other.url }, { setting: JSON.stringify({ proxy: other.url }) }, { base_url: '' }]) {
      expect(await test({ id, key: '', ...aim })).toMatchObject({ success: false, code: 'channel_key_needed', field: 'key' });
      expect(await models({ id, key: '', ...aim })).toMatchObject({ success: false, code: 'channel_key_needed', field: 'key' });
    }
    expect(other.requests).toEqual([]);
    expect(await models({ id, key: 'sk-typed', base_url: other.url })).toMatchObject({ success: true });
    const root = await desk.app.login('root');
    expect(await models({ id, key: '', base_url: other.url }, root)).toMatchObject({ success: true });
    expect(other.requests.map(({ key }) => key)).toEqual(['sk-typed', 'sk-saved']);
  });

  it('are refused where saving would refuse them', async () => {
    expect(await test({ key: '' })).toMatchObject({ success: false, code: 'channel_incomplete', field: 'key' });
    expect(await models({ key: ' ' })).toMatchObject({ success: false, code: 'channel_incomplete', field: 'key' });
    expect(await test({ id: 999_999 })).toMatchObject({ success: false, code: 'channel_not_found' });
    expect(await test({ model_mapping: '[]' })).toMatchObject({ success: false, field: 'model_mapping' });
    expect(await models({ type: 8, base_url: '' })).toMatchObject({ success: false, code: 'channel_base_url_required' });
    expect(await models({ base_url: 'file:///etc/passwd' })).toMatchObject({ success: false, field: 'base_url' });
    expect(desk.upstream.requests).toEqual([]);
  });
});

describe.each(oneEngine)('models of providers on $kind', (engine) => {
  const desk = useChannelDesk(engine);
  const fetchModels = (id: number) => desk.admin.get(`/api/channel/fetch_models/${id}`, english);

  it('are asked for with the saved key, in both forms', async () => {
    const id = await desk.createOne({ base_url: desk.upstream.url, key: 'sk-saved' });
    const names = ['gpt-4o-mini', 'text-embedding-3-small'];
    expect(await fetchModels(id)).toMatchObject({ status: 200, success: true, data: names });
    // What old clients send.
    const old = { base_url: desk.upstream.url, type: 1, key: 'sk-new\nsk-other' };
    expect(await desk.admin.post('/api/channel/fetch_models', old)).toMatchObject({ status: 200, success: true, data: names });
    expect(desk.upstream.requests).toMatchObject([
      { method: 'GET', path: '/v1/models', key: 'sk-saved', text: '' },
      { method: 'GET', path: '/v1/models', key: 'sk-new', text: '' },
    ]);
    expect(await fetchModels(999_999)).toMatchObject({ success: false, code: 'channel_not_found' });
  });

  it('come from where the type has them; types without a list say so', async () => {
    const at = async (type: number, key = 'sk-a') =>
      fetchModels(await desk.createOne({ type, key, base_url: desk.upstream.url, name: `type ${type}` }));
    expect(await at(17)).toMatchObject({ success: true });
    expect(await at(26, 'id.secret')).toMatchObject({ success: true });
    expect(desk.upstream.requests.map(({ path }) => path)).toEqual(['/compatible-mode/v1/models', '/api/paas/v4/models']);
    expect(desk.upstream.requests[1]?.headers.authorization).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/);
    for (const type of [3, 8, 38]) {
      expect(await at(type)).toMatchObject({ status: 200, success: false, code: 'channel_models_unlisted' });
    }
    expect(desk.upstream.requests).toHaveLength(2);
  });

  it('are read loosely and kept within what a channel can hold', async () => {
    const answers: { status: number; headers?: Record<string, string>; body: string }[] = [];
    const server = createServer((request, response) => {
      const next = answers.shift() ?? { status: 404, body: '' };
      response.writeHead(next.status, { 'content-type': 'application/json', ...next.headers });
      response.end(next.body);
      request.resume();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const id = await desk.createOne({ base_url: `http://127.0.0.1:${port}` });
      const list = (data: unknown) => ({ status: 200, body: JSON.stringify({ data }) });
      answers.push(list([{ id: ' a ' }, { id: 'a' }, { id: 'b,c' }, { id: 7 }, null, 'd', { id: 'x'.repeat(256) }, { id: 'e\u0000' }, {}]));
      expect((await fetchModels(id)).data).toEqual(['a']);
      answers.push(list([]));
      expect((await fetchModels(id)).data).toEqual([]);
      answers.push(list(Array.from({ length: 6000 }, (_, index) => ({ id: `m${index}` }))));
      expect((await fetchModels(id)).data).toHaveLength(5000);
      const failures: typeof answers = [
        { status: 200, body: '<html>' },
        { status: 200, body: '{"data":"none"}' },
        { status: 200, body: '[]' },
        { status: 200, headers: { 'content-type': 'text/event-stream' }, body: 'data: {}\n\n' },
        { status: 200, body: `{"data":[{"id":"${'x'.repeat(9 * 1024 * 1024)}"}]}` },
        { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' },
        { status: 500, body: '{"error":{"message":"down"}}' },
      ];
      for (const failure of failures) {
        answers.push(failure);
        expect(await fetchModels(id)).toMatchObject({ status: 200, success: false, code: 'channel_models_failed' });
      }
      expect(answers).toEqual([]);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    const closed = await desk.createOne({ base_url: 'http://127.0.0.1:1' });
    expect(await fetchModels(closed)).toMatchObject({ status: 200, success: false, code: 'channel_models_failed' });
  });

  it('that are built in come once each, by name', async () => {
    const { data } = await desk.admin.get('/api/channel/models');
    const names: string[] = data.map((model: { id: string }) => model.id);
    expect(names).toEqual([...new Set(names)].toSorted());
    expect(data.find((model: { id: string }) => model.id === 'gpt-4o')).toMatchObject({
      object: 'model',
      owned_by: 'openai',
      parent: null,
    });
  });
});

it('keys of drafts stand in no log line and no address', async () => {
  const [engine] = oneEngine;
  if (engine === undefined) throw new Error('No engine to test on');
  await using app = await createTestApp(engine);
  await using upstream = await startFakeUpstream();
  const root = await app.setup();
  const body = { type: 1, key: 'sk-very-secret', base_url: upstream.url, models: 'gpt-4o' };
  await root.post('/api/channel/test', body);
  await root.post('/api/channel/fetch_models', body);
  expect(upstream.requests).toHaveLength(2);
  for (const request of upstream.requests) expect(request.path).not.toContain('sk-very-secret');
  const rows = await app.context.db.collection('logs').find({});
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain('sk-very-secret');
});
