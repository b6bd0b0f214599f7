import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, readEvents, testModel, until } from '#tests/support/relay-scene.ts';

const startQuota = 500_000_000;

describe.each(engines)('chat completions on $kind', (engine) => {
  test('a whole answer is passed on, charged and logged', async () => {
    await using scene = await createScene(engine);
    const before = await scene.balance();
    const response = await scene.chat({ temperature: 0.5, some_new_field: { stored: true } });
    expect(response.status).toBe(200);
    const answer = await response.json();
    expect(answer.choices[0].message.content).toBeTypeOf('string');
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ model_name: testModel, quota: expect.any(Number), is_stream: false, channel_id: scene.channelIds[0] });
    expect(row?.prompt_tokens).toBe(answer.usage.prompt_tokens);
    expect(row?.completion_tokens).toBe(answer.usage.completion_tokens);
    expect(row?.request_id).toBe(response.headers.get('x-oneapi-request-id'));
    expect(await scene.balance()).toBe(before - (row?.quota ?? 0));
    expect(scene.upstream.requests[0]?.body).toMatchObject({ temperature: 0.5, some_new_field: { stored: true } });
    await scene.checkBooks();
  });

  test('a stream arrives whole, ends with [DONE] and hides the usage that the client did not ask for', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ text: 'one two three four five' });
    const response = await scene.chat({ stream: true });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = await readEvents(response);
    expect(events.at(-1)).toBe('[DONE]');
    const chunks = events.slice(0, -1).map((data) => JSON.parse(data));
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('one two three four five');
    expect(chunks.every((chunk) => !chunk.usage)).toBe(true);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ is_stream: true });
    expect(row?.other).toMatchObject({ prompt_source: 'upstream', completion_source: 'upstream' });
    await scene.checkBooks();
  });

  test.each([{ bytesPerWrite: 7 }, { lineEnd: '\r\n' as const }, { comments: true }, { withoutDone: true }])(
    'a stream arrives whole however it is written: %j',
    async (behaviour) => {
      await using scene = await createScene(engine);
      scene.upstream.behave({ text: 'einß zwei 三 four', ...behaviour });
      const events = await readEvents(await scene.chat({ stream: true }));
      expect(events.at(-1)).toBe('[DONE]');
      const chunks = events.slice(0, -1).map((data) => JSON.parse(data));
      expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('einß zwei 三 four');
    },
  );

  test('a client that asks for usage gets it', async () => {
    await using scene = await createScene(engine);
    const events = await readEvents(await scene.chat({ stream: true, stream_options: { include_usage: true } }));
    const usage = events
      .slice(0, -1)
      .map((data) => JSON.parse(data).usage)
      .filter(Boolean);
    expect(usage).toHaveLength(1);
  });

  test('usage that the upstream leaves out is counted, and told to clients that asked', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ usage: 'none', text: 'a short answer of some words' });
    const events = await readEvents(await scene.chat({ stream: true, stream_options: { include_usage: true } }));
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ prompt_source: 'counted', completion_source: 'counted' });
    expect(row?.completion_tokens).toBeGreaterThan(3);
    const last = JSON.parse(events.at(-2) ?? '{}');
    expect(last.usage).toMatchObject({ prompt_tokens: row?.prompt_tokens, completion_tokens: row?.completion_tokens });
    await scene.checkBooks();
  });

  test('a usage chunk of ours names the model as the chunks before it do, whatever the provider calls it', async () => {
    const chunk = { id: 'x', model: '@hf/other-name', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] };
    await using upstream = await startRawUpstream((response) => void response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`));
    await using scene = await createScene(engine, { channels: [{ type: 39, other: 'account', base_url: upstream.url }] });
    const events = await readEvents(await scene.chat({ stream: true, stream_options: { include_usage: true } }));
    const chunks = events.slice(0, -1).map((data) => JSON.parse(data));
    expect(chunks.map(({ model }) => model)).toEqual([testModel, testModel]);
    expect(chunks.at(-1).usage.total_tokens).toBeGreaterThan(0);
  });

  test('a temperature that the model does not take is named to its caller, whole and as a stream, and in the log', async () => {
    const models = 'gpt-5.2,gpt-5.6';
    await using scene = await createScene(engine, { channels: [{ models }] });
    for (const stream of [false, true]) {
      const dropped = await scene.chat({ model: 'gpt-5.6', temperature: 0.2, stream });
      expect(dropped.headers.get('x-tidegate-dropped')).toBe('temperature');
      await dropped.text();
      const taken = await scene.chat({ model: 'gpt-5.2', temperature: 0.2, stream });
      expect(taken.headers.get('x-tidegate-dropped')).toBeNull();
      await taken.text();
    }
    expect(scene.upstream.requests.map(({ body }) => Reflect.get(Object(body), 'temperature'))).toEqual([undefined, 0.2, undefined, 0.2]);
    const rows = await scene.logs(4);
    const named = (model: string) => rows.filter((row) => row.model_name === model).map((row) => row.other?.['dropped_fields']);
    expect([named('gpt-5.6'), named('gpt-5.2')]).toEqual([
      [['temperature'], ['temperature']],
      [undefined, undefined],
    ]);
  });

  test('a client that leaves aborts the upstream and pays for what it received', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ repeat: { text: 'word ', times: 1000 }, holdAfter: 20 });
    const client = new AbortController();
    const response = await fetch(`${scene.app.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${scene.key}` },
      body: JSON.stringify({ model: testModel, stream: true, messages: [{ role: 'user', content: 'go' }] }),
      signal: client.signal,
    });
    await response.body?.getReader().read();
    client.abort();
    const request = await scene.upstream.request(0);
    expect(await request.closed).toBe('aborted');
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'client_closed', completion_source: 'counted' });
    expect(row?.quota).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test('an upstream that cuts the stream: the client gets an error event, the log says so, what came is billed', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ text: 'one two three four five six seven', cutAfter: 4, chunkDelay: 20 });
    const events = await readEvents(await scene.chat({ stream: true }));
    expect(JSON.parse(events.at(-1) ?? '{}').error).toMatchObject({ code: 'upstream_truncated' });
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'truncated' });
    expect(row?.quota).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test('an error event in a stream ends it with that error', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ text: 'one two three four five six seven', errorAfter: 4 });
    const events = await readEvents(await scene.chat({ stream: true }));
    expect(JSON.parse(events.at(-1) ?? '{}')).toHaveProperty('error');
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'upstream_error' });
    await scene.checkBooks();
  });

  test("what an upstream says of the channel's account within a stream is not in its user's log", async () => {
    await using scene = await createScene(engine);
    const error = { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota', param: null };
    scene.upstream.behave({ text: 'one two three four five six seven', errorAfter: 4, error });
    await readEvents(await scene.chat({ stream: true }));
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ problem: error.message, attempts: [{ error: 'insufficient_quota' }] });
    const [own] = (await (await scene.app.as(scene.user)).get('/api/log/self')).data.items;
    expect(own.content).toMatch(/^模型倍率 .+（可能是上游出错）$/);
    expect(JSON.stringify(own)).not.toMatch(/insufficient|exceeded/);
    expect(JSON.parse(own.other)).toMatchObject({ ending: 'upstream_error', attempts: [{ error: 'bad_response_status_code' }] });
  });

  test('a failing channel is left for another one, without the client noticing', async () => {
    await using scene = await createScene(engine, { channels: [{ key: 'bad', priority: 5 }, { key: 'good' }] });
    scene.upstream.behave({ status: 500 }, { key: 'bad' });
    const response = await scene.chat({ stream: true });
    expect(response.status).toBe(200);
    expect((await readEvents(response)).at(-1)).toBe('[DONE]');
    const [row] = await scene.logs(1);
    expect(row?.other?.['attempts']).toHaveLength(2);
    await scene.checkBooks();
  });

  test('the last failure is answered in the format of OpenAI when every channel fails', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ status: 500 });
    const response = await scene.chat({}, { 'accept-language': 'en' });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining('request id'), type: expect.any(String) },
    });
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ quota: 0 });
    expect(await scene.balance()).toBe(startQuota);
    await scene.checkBooks();
  });

  test.each([
    'html',
    'text',
    'empty',
    'half json',
    'wrong json',
    'error object',
    'bytes',
    'invalid events',
    'stream to a json call',
  ] as const)('garbage (%s) becomes an error, costs nothing and is logged', async (garbage) => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ garbage });
    for (const stream of [false, true]) {
      if (garbage === 'stream to a json call' && stream) continue;
      const response = await scene.chat({ stream });
      expect(response.status, `stream ${stream}`).toBeGreaterThanOrEqual(500);
      expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } });
    }
    expect(await scene.balance()).toBe(startQuota);
    await scene.checkBooks();
  });

  test('errors are in the language of the caller, all of their sentence; English where none is named', async () => {
    await using scene = await createScene(engine);
    const messageOf = async (answer: Response) => (await answer.json()).error.message.replace(/ \(request id: \w+\)$/, '');
    const chinese = { 'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8' };
    expect(await messageOf(await scene.chat({ messages: 'hi' }, chinese))).toBe('无效的请求：messages 必须是数组');
    expect(await messageOf(await scene.chat({ messages: 'hi' }))).toBe('Invalid request: messages must be a list');
    for (const language of ['*', 'de', 'en'])
      expect(await messageOf(await scene.chat({ messages: 'hi' }, { 'accept-language': language }))).toBe(
        'Invalid request: messages must be a list',
      );
    expect(await messageOf(await scene.chat({ max_tokens: -1 }, chinese))).toBe('无效的请求：max_tokens 必须是 1 到 1073741823 之间的整数');
    for (const [behaviour, zh, en] of [
      [{ usage: { prompt_tokens: -1, completion_tokens: 1, total_tokens: 0 } }, /无法识别/, /cannot be understood/],
      [{ refuse: true }, /上游/, /upstream/i],
    ] as const) {
      scene.upstream.behave(behaviour);
      expect(await messageOf(await scene.chat({}, chinese))).toMatch(zh);
      expect(await messageOf(await scene.chat())).toMatch(en);
    }
  });

  test('a whole answer to a call that asked for a stream is told as a stream', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ garbage: 'json to a stream', text: 'whole' });
    const events = await readEvents(await scene.chat({ stream: true }));
    expect(events.at(-1)).toBe('[DONE]');
    await scene.checkBooks();
  });

  test.each([
    { prompt_tokens: -5, completion_tokens: 3, total_tokens: -2 },
    { prompt_tokens: 1.5, completion_tokens: 3, total_tokens: 4.5 },
    { prompt_tokens: 1e15, completion_tokens: 1e15, total_tokens: 2e15 },
    { prompt_tokens: '-10', completion_tokens: '3', total_tokens: '13' },
    { prompt_tokens: '1e9', completion_tokens: '3', total_tokens: '13' },
    'many',
    7,
    [1],
  ])('absurd usage %j is an error, and nobody is charged nonsense', async (usage) => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ usage });
    const whole = await scene.chat();
    expect(whole.status).toBe(502);
    expect(await scene.balance()).toBe(startQuota);
    const events = await readEvents(await scene.chat({ stream: true }));
    expect(JSON.parse(events.at(-1) ?? '{}')).toHaveProperty('error');
    const rows = await scene.logs(2);
    expect(rows[1]?.other).toMatchObject({ ending: 'invalid_usage' });
    expect(rows[1]?.quota).toBeLessThan(1000);
    await scene.checkBooks();
  });

  test('numbers that are told as texts are numbers, whole and as a stream', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ usage: { prompt_tokens: '10', completion_tokens: '3', total_tokens: '13' } });
    expect((await scene.chat()).status).toBe(200);
    expect((await readEvents(await scene.chat({ stream: true }))).at(-1)).toBe('[DONE]');
    for (const row of await scene.logs(2)) {
      expect(row).toMatchObject({
        prompt_tokens: 10,
        completion_tokens: 3,
        other: { prompt_source: 'upstream', completion_source: 'upstream' },
      });
      expect(row.other).not.toHaveProperty('ending');
    }
    await scene.checkBooks();
  });

  test('a stalled stream ends with an error', async () => {
    await using scene = await createScene(engine, { env: { STREAMING_TIMEOUT: '1' } });
    scene.upstream.behave({ text: 'one two three four', holdAfter: 2 });
    const events = await readEvents(await scene.chat({ stream: true }));
    expect(JSON.parse(events.at(-1) ?? '{}').error).toMatchObject({ code: 'upstream_timeout' });
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'stalled' });
    await scene.checkBooks();
  });

  test('a whole answer that stalls is given up', async () => {
    await using scene = await createScene(engine, { env: { RELAY_TIMEOUT: '1' } });
    scene.upstream.behave({ text: 'one two three four', holdAfter: 20 });
    const response = await scene.chat();
    expect(response.status).toBe(504);
    expect((await response.json()).error).toMatchObject({ message: expect.stringContaining('request id') });
    expect(await scene.balance()).toBe(startQuota);
    await scene.checkBooks();
  });

  test('a slow first token is bridged by comments, and a failure after them is an error event', async () => {
    await using scene = await createScene(engine, { env: { STREAM_KEEPALIVE: '1' } });
    scene.upstream.queue({ firstByteDelay: 2500 }, { firstByteDelay: 1500, status: 400 });
    const slow = await (await scene.chat({ stream: true })).text();
    expect(slow).toContain(': keep-alive');
    expect(slow).toContain('[DONE]');
    const failed = await scene.chat({ stream: true });
    expect(failed.status).toBe(200);
    expect(await failed.text()).toContain('"error"');
  });

  test('embeddings are relayed and charged', async () => {
    await using scene = await createScene(engine, { channels: [{ models: 'text-embedding-3-small' }] });
    const response = await scene.post('/v1/embeddings', { model: 'text-embedding-3-small', input: ['a', 'b'] });
    expect(response.status).toBe(200);
    expect((await response.json()).data).toHaveLength(2);
    const [row] = await scene.logs(1);
    expect(row?.quota).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test('model lists show what the key may use', async () => {
    await using scene = await createScene(engine, { channels: [{ models: 'b-model,a-model' }] });
    const get = (path: string) => fetch(`${scene.app.origin}${path}`, { headers: { authorization: `Bearer ${scene.key}` } });
    const list = await (await get('/v1/models')).json();
    expect(list).toMatchObject({ object: 'list', success: true });
    expect(list.data.map((model: { id: string }) => model.id)).toEqual(['a-model', 'b-model']);
    expect((await get('/v1/models/a-model')).status).toBe(200);
    const missing = await get('/v1/models/nothing');
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ error: { code: 'model_not_found' } });
  });

  test('a model is found by a name with slashes, sent as they are or escaped', async () => {
    const name = 'Qwen/Qwen2.5-72B-Instruct';
    await using scene = await createScene(engine, { channels: [{ models: `${name},a/b/c` }] });
    const get = async (path: string) => {
      const response = await fetch(`${scene.app.origin}${path}`, { headers: { authorization: `Bearer ${scene.key}` } });
      return { status: response.status, body: await response.json() };
    };
    for (const path of [name, `${name}/`, encodeURIComponent(name), `${name}?beta=true`])
      expect(await get(`/v1/models/${path}`), path).toMatchObject({ status: 200, body: { id: name, object: 'model' } });
    expect(await get('/v1/models/a/b%2Fc')).toMatchObject({ status: 200, body: { id: 'a/b/c' } });
    for (const path of ['Qwen', 'Qwen/nothing', 'Qwen/Qwen2.5-72B-Instruct/extra', 'Qwen%2Fnothing']) {
      expect(await get(`/v1/models/${path}`), path).toMatchObject({
        status: 404,
        body: { error: { code: 'model_not_found', type: 'invalid_request_error', param: 'model' } },
      });
    }
    expect(await get('/v1/models/Qwen/%zz')).toMatchObject({ status: 404, body: { error: { code: 'invalid_url' } } });
    for (const path of ['/v1/modelsQwen/x', '/v1/nothing/models/Qwen/x'])
      expect((await get(path)).body, path).toMatchObject({ error: { code: 'invalid_url' } });
    const posted = await scene.post(`/v1/models/${name}`, {});
    expect([posted.status, await posted.json()]).toMatchObject([404, { error: { code: 'invalid_url' } }]);
  });

  test("bad input is refused in the format of OpenAI and in the caller's language, and costs nothing", async () => {
    await using scene = await createScene(engine);
    const message = { role: 'user', content: 'x' };
    const bodies: [unknown, number][] = [
      ['{"model":', 400],
      ['[]', 400],
      ['"text"', 400],
      [{ messages: [] }, 400],
      [{ model: 5, messages: [message] }, 400],
      [{ model: { $ne: '' }, messages: [message] }, 400],
      [{ model: testModel }, 400],
      [{ model: testModel, messages: 'x' }, 400],
      [{ model: testModel, messages: [{ role: 5 }] }, 400],
      [{ model: testModel, messages: [message], max_tokens: -1 }, 400],
      [{ model: testModel, messages: [message], max_tokens: 1.5 }, 400],
      [{ model: testModel, messages: [message], max_tokens: 1e15 }, 400],
      [{ model: testModel, messages: [message], stream: 'yes' }, 400],
      [{ model: 'no-such-model', messages: [message] }, 404],
    ];
    for (const [body, status] of bodies) {
      const response = await scene.post('/v1/chat/completions', body);
      const answer = await response.json();
      expect([response.status, JSON.stringify(body)]).toEqual([status, JSON.stringify(body)]);
      expect(answer.error).toMatchObject({
        message: expect.stringContaining('request id: '),
        type: 'invalid_request_error',
        param: expect.any(String),
      });
    }
    const zh = await (await scene.chat({ messages: 'x' }, { 'accept-language': 'zh' })).json();
    const en = await (await scene.chat({ messages: 'x' }, { 'accept-language': 'en-GB,en' })).json();
    expect(zh.error.message).toContain('无效的请求');
    expect(en.error.message).toContain('Invalid request');
    expect(await scene.balance()).toBe(startQuota);
    expect(scene.upstream.requests).toHaveLength(0);
  });

  test('bodies that are no text or too large are refused', async () => {
    await using scene = await createScene(engine, { env: { MAX_REQUEST_BODY_MB: '1' } });
    const send = (body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
      fetch(`${scene.app.origin}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${scene.key}`, ...headers },
        body,
      });
    expect((await send(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]))).status).toBe(400);
    const large = await send(new Uint8Array(2_000_000).fill(0x20));
    expect(large.status).toBe(413);
    expect((await large.json()).error.code).toBe('body_too_large');
    expect((await send(new Uint8Array([1, 2, 3]), { 'content-encoding': 'gzip' })).status).toBe(400);
    expect((await send(new Uint8Array([1, 2, 3]), { 'content-encoding': 'compress' })).status).toBe(415);
  });

  test('keys: missing, wrong, disabled, expired, exhausted, banned and foreign addresses are told apart', async () => {
    await using scene = await createScene(engine);
    const ask = async (headers: Record<string, string>) => {
      const response = await scene.chat({}, headers);
      return [response.status, (await response.json()).error?.code];
    };
    expect(await ask({ authorization: '' })).toEqual([401, 'key_missing']);
    expect(await ask({ authorization: 'Bearer sk-wrong' })).toEqual([401, 'key_invalid']);
    const use = async (fields: Parameters<typeof scene.addToken>[0]) =>
      ask({ authorization: `Bearer ${(await scene.addToken(fields)).key}` });
    expect(await use({ status: 2 })).toEqual([401, 'key_disabled']);
    expect(await use({ expired_time: 1 })).toEqual([401, 'key_expired']);
    expect(await use({ quota: 0 })).toEqual([401, 'key_exhausted']);
    expect(await use({ model_limits_enabled: true, model_limits: 'other' })).toEqual([403, 'model_denied']);
    expect(await use({ allow_ips: '10.0.0.0/8' })).toEqual([403, 'ip_denied']);
    expect(await use({ group: 'nobody' })).toEqual([403, 'token_group_disabled']);
    expect(await use({ allow_ips: '127.0.0.0/8' })).toEqual([200, undefined]);
    expect(await ask({ authorization: `Bearer ${scene.key}-1` })).toEqual([403, 'channel_pin_denied']);
    await scene.app.context.db.collection('users').patch({ id: scene.user.id }, { set: { status: 2 } });
    await scene.app.context.changes.announce('user', scene.user.id);
    expect(await ask({})).toEqual([403, 'user_banned']);
  });

  test('an upstream error reaches the client with its own status, type and code, and no other channel is asked', async () => {
    await using scene = await createScene(engine, { channels: [{}, {}] });
    const error = { message: 'The prompt is too long', type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' };
    scene.upstream.behave({ status: 400, error });
    const response = await scene.chat();
    expect(response.status).toBe(400);
    expect((await response.json()).error).toMatchObject({ ...error, message: expect.stringContaining(error.message) });
    expect(scene.upstream.requests).toHaveLength(1);
  });

  test('a disabled channel is not used any more, an enabled one at once', async () => {
    await using scene = await createScene(engine);
    const id = scene.channelIds[0] ?? 0;
    const { db, changes } = scene.app.context;
    await db.collection('channels').patch({ id }, { set: { status: 2 } });
    await changes.announce('channel', id);
    expect((await scene.chat()).status).toBe(503);
    await db.collection('channels').patch({ id }, { set: { status: 1 } });
    await changes.announce('channel', id);
    expect((await scene.chat()).status).toBe(200);
    await until(() => (scene.upstream.requests.length === 1 ? true : null));
  });
});
