// Limits of requests, tokens and parallel calls: exactly what they allow passes, in each format with the vendor's headers.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { describe, expect, it } from 'vitest';
import type { RateLimit, SiteRateLimit } from '#shared/rate-limits.ts';
import { pollBatches } from '#server/slices/batches/poll-batches.ts';
import { batchWork } from '#server/slices/batches/batch-work.ts';
import { finishWork } from '#server/work/settle-work.ts';
import { callsOfEveryClient } from '#tests/support/client-calls.ts';
import { engines, oneEngine } from '#tests/support/engines.ts';
import { type FakeBatches, startFakeBatches } from '#tests/support/fake-batches.ts';
import { createScene, type RelayScene, type SceneOptions, setOption, testModel } from '#tests/support/relay-scene.ts';
import { openRealtime, upTo } from '#tests/support/realtime-scene.ts';
import { connectSocket } from '#tests/support/socket-client.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const claudeModel = 'claude-sonnet-4-5';
const geminiModel = 'gemini-2.0-flash';
const options: SceneOptions = {
  channels: [{}, { type: 14, models: claudeModel }, { type: 24, models: geminiModel }],
  settings: { SelfUseModeEnabled: 'true' },
};

async function limitedKey(scene: RelayScene, ...limits: RateLimit[]) {
  const { key, token } = await scene.addToken({ rate_limits: JSON.stringify(limits) });
  const headers = { authorization: `Bearer ${key}`, 'accept-language': 'en' };
  return { key, token, headers, chat: (fields = {}) => scene.chat(fields, headers) };
}

const siteLimits = (...limits: SiteRateLimit[]) => ({ SiteRateLimits: JSON.stringify(limits) });

/** Statuses of calls that are made at once. */
async function statuses(calls: number, call: (index: number) => Promise<Response>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  await Promise.all(
    Array.from({ length: calls }, async (_, index) => {
      const response = await call(index);
      await response.text();
      counts[response.status] = (counts[response.status] ?? 0) + 1;
    }),
  );
  return counts;
}

describe.each(engines)('rate limits on $kind', (engine) => {
  it('200 calls at once on two servers with a limit of 10: 10 pass, and 10 again in the next window', async () => {
    await using scene = await createScene(engine, options);
    await using second = await createTestApp(engine, { database: scene.app.database, clock: scene.app.clock });
    const { headers } = await limitedKey(scene, { meter: 'requests', per: 'minute', amount: 10 });
    const body = JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'Say hello' }] });
    const call = (index: number) =>
      fetch(`${[scene.app, second][index % 2]?.origin}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
    expect(await statuses(200, call)).toEqual({ 200: 10, 429: 190 });
    scene.app.clock.advance(60_000);
    expect(await statuses(40, call)).toEqual({ 200: 10, 429: 30 });
    await scene.checkBooks();
  });

  it('parallel calls: never more than the limit run on two servers, and each end lets another begin', async () => {
    await using scene = await createScene(engine, options);
    await using second = await createTestApp(engine, { database: scene.app.database, clock: scene.app.clock });
    const { headers } = await limitedKey(scene, { meter: 'parallel', amount: 4 });
    const stream = (index: number) =>
      fetch(`${[scene.app, second][index % 2]?.origin}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'x' }], stream: true }),
      });
    scene.upstream.behave({ holdAfter: 1 });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => stream(index)));
    const running = answers.filter(({ status }) => status === 200);
    expect(running).toHaveLength(4);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers.get('retry-after')).toBe('2');
    expect((await refused?.json())?.error).toMatchObject({ code: 'parallel_limit_exceeded' });
    expect(scene.upstream.requests).toHaveLength(4);
    for (const request of scene.upstream.requests) request.release();
    await Promise.all(running.map((response) => response.text()));
    // Places that one server has no use for are free for the other.
    scene.upstream.behave({});
    await until(async () => (await stream(1)).status === 200);
    expect(await statuses(4, () => stream(1))).toEqual({ 200: 4 });
    const { db } = scene.app.context;
    await until(async () => (await db.collection('limits').find({})).every(({ count }) => count === 0));
  });

  it('tokens are reserved at the estimate and settled by the usage', async () => {
    await using scene = await createScene(engine, options);
    const { chat } = await limitedKey(scene, { meter: 'tokens', per: 'minute', amount: 1_000 });
    scene.upstream.behave({ usage: { prompt_tokens: 200, completion_tokens: 50, total_tokens: 250 } });
    const remaining = (response: Response) => Number(response.headers.get('x-ratelimit-remaining-tokens'));
    // The headers of a stream leave before its usage is known: an answer of 50 tokens is expected.
    const stream = await chat({ max_tokens: 50, stream: true });
    expect([900, 750]).toContain(Math.floor(remaining(stream) / 50) * 50);
    await stream.text();
    await scene.logs(1);
    // What the provider reports counts.
    const passed: number[] = [];
    for (let call = 0; call < 3; call += 1) passed.push(remaining(await chat({ max_tokens: 50 })));
    expect(passed).toEqual([500, 250, 0]);
    const refused = await chat({ max_tokens: 50 });
    expect([refused.status, remaining(refused)]).toEqual([429, 0]);
    // A call that fails has used none.
    scene.app.clock.advance(60_000);
    scene.upstream.behave({ status: 400 });
    expect((await chat({ max_tokens: 50 })).status).toBe(400);
    scene.upstream.behave({ usage: { prompt_tokens: 200, completion_tokens: 50, total_tokens: 250 } });
    expect(remaining(await chat({ max_tokens: 50 }))).toBe(750);
  });

  it('a server that ends returns what it has not used', async () => {
    await using scene = await createScene(engine, options);
    const { headers } = await limitedKey(scene, { meter: 'requests', per: 'day', amount: 1_000 }, { meter: 'parallel', amount: 100 });
    const second = await createTestApp(engine, { database: scene.app.database, clock: scene.app.clock });
    for (let call = 0; call < 30; call += 1) {
      await (
        await fetch(`${second.origin}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'x' }] }),
        })
      ).text();
    }
    await second.close();
    const counts = (await scene.app.context.db.collection('limits').find({})).map(({ count }) => count);
    expect(counts.toSorted((a, b) => a - b)).toEqual([0, 30]);
  });
});

describe.each(oneEngine)('rate limits on $kind', (engine) => {
  const limits: RateLimit[] = [
    { meter: 'requests', per: 'minute', amount: 3 },
    { meter: 'tokens', per: 'hour', amount: 900_000 },
  ];
  const errorsOf: Record<string, object> = {
    claude: { type: 'error', error: { type: 'rate_limit_error' } },
    gemini: { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } },
    'gemini-interactions': { error: { code: 'rate_limit_exceeded' } },
  };

  it.each([false, true])('each format has its headers and its error, streamed: %s', async (isStream) => {
    await using scene = await createScene(engine, options);
    scene.app.clock.freeze();
    scene.app.clock.advance(1_500);
    for (const { client, path, body } of callsOfEveryClient(testModel, 'Say hello', isStream)) {
      const { headers } = await limitedKey(scene, ...limits);
      const passed = await scene.post(path, body, headers);
      expect([client, passed.status]).toEqual([client, 200]);
      await passed.text();
      for (let call = 0; call < 2; call += 1) await (await scene.post(path, body, headers)).text();
      const refused = await scene.post(path, body, headers);
      expect([client, refused.status, refused.headers.get('retry-after'), refused.headers.get('x-should-retry')]).toEqual([
        client,
        429,
        '59',
        'true',
      ]);
      const error = await refused.json();
      expect(error).toMatchObject(errorsOf[client] ?? { error: { code: 'rate_limit_exceeded' } });
      expect(error.error.message).toMatch(/^Rate limit reached for this key: at most 3 requests per minute\. It resets in 59 s/);
      const prefix = client === 'claude' ? 'anthropic-ratelimit' : 'x-ratelimit';
      const seen = (response: Response) => Object.fromEntries([...response.headers].filter(([name]) => name.startsWith(prefix)));
      if (client === 'claude') {
        expect(seen(passed)).toMatchObject({
          'anthropic-ratelimit-requests-limit': '3',
          'anthropic-ratelimit-requests-remaining': '2',
          'anthropic-ratelimit-requests-reset': '2026-01-15T08:01:00Z',
          'anthropic-ratelimit-tokens-limit': '900000',
          'anthropic-ratelimit-input-tokens-reset': '2026-01-15T09:00:00Z',
          'anthropic-ratelimit-output-tokens-limit': '900000',
        });
        expect(seen(refused)['anthropic-ratelimit-requests-remaining']).toBe('0');
      } else {
        expect(seen(passed)).toMatchObject({
          'x-ratelimit-limit-requests': '3',
          'x-ratelimit-remaining-requests': '2',
          'x-ratelimit-reset-requests': '59s',
          'x-ratelimit-limit-tokens': '900000',
          'x-ratelimit-reset-tokens': '59m59s',
        });
        expect(seen(refused)['x-ratelimit-remaining-requests']).toBe('0');
      }
      if (client === 'gemini')
        expect(error.error.details).toContainEqual({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '59s' });
    }
  });

  it('the official clients see a rate limit, and repeat the call when Retry-After says so', async () => {
    await using scene = await createScene(engine, options);
    scene.app.clock.freeze();
    scene.app.clock.advance(59_500);
    const { key } = await limitedKey(scene, { meter: 'requests', per: 'minute', amount: 1 });
    const openai = new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: key, maxRetries: 0 });
    const anthropic = new Anthropic({ baseURL: scene.app.origin, apiKey: key, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Say hello' }];
    await openai.chat.completions.create({ model: testModel, messages });
    await expect(openai.chat.completions.create({ model: testModel, messages })).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    const claude = anthropic.messages.create({ model: claudeModel, max_tokens: 9, messages });
    await expect(claude).rejects.toBeInstanceOf(Anthropic.RateLimitError);
    // When the client repeats the call, a second later, the window is another one.
    const statusesSeen: number[] = [];
    const patient = new OpenAI({
      baseURL: `${scene.app.origin}/v1`,
      apiKey: key,
      maxRetries: 1,
      async fetch(url, init) {
        const response = await fetch(url, init);
        statusesSeen.push(response.status);
        if (response.status === 429) scene.app.clock.advance(1_000 * Number(response.headers.get('retry-after')));
        return response;
      },
    });
    const repeated = await patient.chat.completions.create({ model: testModel, messages });
    expect(repeated.choices).toHaveLength(1);
    expect(statusesSeen).toEqual([429, 200]);
  });

  it('limits of users bind all of their keys and the playground, limits of the site the groups and models that they name', async () => {
    await using scene = await createScene(engine, {
      ...options,
      settings: {
        ...options.settings,
        ...siteLimits(
          { meter: 'requests', per: 'minute', amount: 4, counted: 'user', models: ['gpt-*'] },
          { meter: 'requests', per: 'minute', amount: 1, counted: 'all', groups: ['vip'] },
        ),
      },
    });
    const { db, changes } = scene.app.context;
    const { key: second } = await scene.addToken();
    const of = (key: string) => ({ authorization: `Bearer ${key}` });
    expect(await statuses(12, (index) => scene.chat({}, of(index % 2 === 0 ? scene.key : second)))).toEqual({ 200: 4, 429: 8 });
    const body = { model: claudeModel, max_tokens: 9, messages: [{ role: 'user', content: 'x' }] };
    expect(await statuses(6, () => scene.post('/v1/messages', body))).toEqual({ 200: 6 });
    // The setting changes while calls are made.
    await setOption(scene.app, 'SiteRateLimits', '[]');
    expect(await statuses(6, () => scene.chat())).toEqual({ 200: 6 });
    const user = { rate_limits: JSON.stringify([{ meter: 'requests', per: 'day', amount: 2 }]) };
    await db.collection('users').patch({ id: scene.user.id }, { set: user });
    await changes.announce('user', scene.user.id);
    expect(await statuses(6, (index) => scene.chat({}, of(index % 2 === 0 ? scene.key : second)))).toEqual({ 200: 2, 429: 4 });
    const visitor = await scene.app.as(scene.user);
    const ofConsole = await visitor.post('/pg/chat/completions', { model: testModel, messages: [{ role: 'user', content: 'x' }] });
    expect([ofConsole.status, ofConsole.headers['x-ratelimit-remaining-requests']]).toEqual([429, '0']);
  });

  it('a new amount counts on from what was used', async () => {
    await using scene = await createScene(engine, options);
    const { token, chat } = await limitedKey(scene, { meter: 'requests', per: 'hour', amount: 3 });
    expect(await statuses(5, () => chat())).toEqual({ 200: 3, 429: 2 });
    const { db, changes } = scene.app.context;
    const edit = async (amount: number) => {
      const text = JSON.stringify([{ meter: 'requests', per: 'hour', amount }]);
      await db.collection('tokens').patch({ id: token.id }, { set: { rate_limits: text } });
      await changes.announce('token', token.id);
    };
    await edit(5);
    expect(await statuses(5, () => chat())).toEqual({ 200: 2, 429: 3 });
    await edit(4);
    expect(await statuses(3, () => chat())).toEqual({ 429: 3 });
  });

  it('the largest prompt and the longest answer bind each call', async () => {
    await using scene = await createScene(engine, options);
    const { headers, chat } = await limitedKey(scene, { meter: 'input_tokens', amount: 300 }, { meter: 'output_tokens', amount: 40 });
    const text = 'tide and moon '.repeat(200);
    const long = { model: testModel, stream: true, messages: [{ role: 'user', content: text }] };
    const ofClaude = { model: claudeModel, max_tokens: 9, messages: [{ role: 'user', content: text }] };
    const reports: string[] = [];
    for (const [path, body] of [
      ['/v1/chat/completions', long],
      ['/v1/messages', ofClaude],
      [`/v1beta/models/${geminiModel}:generateContent`, { contents: [{ role: 'user', parts: [{ text }] }] }],
    ] as const) {
      const refused = await scene.post(path, body, headers);
      expect(refused.status).toBe(400);
      reports.push((await refused.text()).replace(/\b60\d\b/g, 'N'));
    }
    expect(reports[0]).toMatch(/has N tokens, more than the limit of 300 tokens for this key.*"code":"context_length_exceeded"/);
    expect(reports[1]).toContain('prompt is too long: N tokens > 300 maximum');
    expect(reports[2]).toContain('The input token count (N) exceeds the maximum number of tokens allowed (300)');
    expect(scene.upstream.requests).toHaveLength(0);
    for (const fields of [{}, { max_tokens: 500 }, { max_tokens: 20 }, { max_tokens: 500, n: 4 }]) await chat(fields);
    const sent = scene.upstream.requests.map(({ body }) => (body as { max_tokens?: number }).max_tokens);
    expect(sent).toEqual([40, 40, 20, 10]);
    await scene.checkBooks();
  });

  it('callers who leave, providers that fail and absurd usage take what they used, and free their places', async () => {
    await using scene = await createScene(engine, { ...options, settings: { ...options.settings, RetryTimes: '0' } });
    const { chat, headers } = await limitedKey(
      scene,
      { meter: 'parallel', amount: 1 },
      { meter: 'requests', per: 'minute', amount: 5 },
      { meter: 'tokens', per: 'minute', amount: 5_000 },
    );
    const freed = async () => {
      const { db } = scene.app.context;
      await until(async () => (await db.collection('limits').find({})).every(({ places, count }) => places === undefined || count === 0));
    };
    const leaving = new AbortController();
    scene.upstream.behave({ holdAfter: 1 });
    const body = { model: testModel, messages: [{ role: 'user', content: 'x' }], stream: true };
    const stream = await scene.post('/v1/chat/completions', body, headers, leaving.signal);
    leaving.abort();
    await stream.text().catch(() => '');
    await freed();
    scene.upstream.behave({ usage: { prompt_tokens: -5_000, completion_tokens: -9_000, total_tokens: -14_000 } });
    await (await chat()).text();
    await freed();
    scene.upstream.behave({ cutAfter: 2 });
    await (await chat({ stream: true })).text().catch(() => '');
    await freed();
    scene.upstream.behave({});
    // An answer that may be longer than the window allows waits for all of it.
    expect((await chat({ max_tokens: 10_000_000 })).status).toBeLessThan(500);
    await freed();
    const last = await chat({ max_tokens: 5 });
    expect(last.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(Number(last.headers.get('x-ratelimit-remaining-tokens'))).toBeLessThan(5_000);
    expect((await chat({ max_tokens: 5 })).status).toBe(429);
    await scene.checkBooks();
  });

  it('calls that no channel takes, and that nobody can pay for, count nothing', async () => {
    await using scene = await createScene(engine, { ...options, quota: 1 });
    const { chat } = await limitedKey(scene, { meter: 'requests', per: 'minute', amount: 2 });
    const calls = await Promise.all(Array.from({ length: 6 }, () => chat({ max_tokens: 100 })));
    expect(calls.map(({ status }) => status).every((status) => status === 403)).toBe(true);
    // The format of the channel cannot express the request.
    await using other = await createScene(engine, options);
    const { headers } = await limitedKey(other, { meter: 'requests', per: 'minute', amount: 1 });
    const body = { model: claudeModel, n: 2, messages: [{ role: 'user', content: 'x' }] };
    for (let call = 0; call < 3; call += 1) expect((await other.post('/v1/chat/completions', body, headers)).status).toBe(400);
    expect((await other.chat({}, headers)).status).toBe(200);
  });

  it('lines of a batch count in hours and days, and fit the largest prompt and the longest answer', async () => {
    const batches: FakeBatches[] = [];
    const front = async (url: string) => {
      const made = await startFakeBatches(url);
      batches.push(made);
      return made;
    };
    const settings = { ...options.settings, FilesPerUser: '20', BatchesPerUser: '5' };
    await using scene = await createScene(engine, { settings, front });
    const { key, chat } = await limitedKey(
      scene,
      { meter: 'requests', per: 'minute', amount: 1 },
      { meter: 'requests', per: 'day', amount: 5 },
      { meter: 'output_tokens', amount: 30 },
      { meter: 'input_tokens', amount: 300 },
    );
    const client = new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: key, maxRetries: 0 });
    const create = async (lines: number, content = 'Say hello') => {
      const body = { model: testModel, messages: [{ role: 'user', content }], max_tokens: 500 };
      const text = Array.from({ length: lines }, (_, index) =>
        JSON.stringify({ custom_id: `l${index}`, method: 'POST', url: '/v1/chat/completions', body }),
      ).join('\n');
      const { id } = await client.files.create({ file: await toFile(Buffer.from(text), 'in.jsonl'), purpose: 'batch' });
      return client.batches.create({ input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' });
    };
    await expect(create(6)).rejects.toMatchObject({ status: 400, code: 'rate_limit_too_small' });
    await expect(create(1, 'tide and moon '.repeat(200))).rejects.toMatchObject({ status: 400 });
    await create(4);
    await expect(create(2)).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    expect([(await chat()).status, (await chat()).status]).toEqual([200, 429]);
    const [provider] = batches;
    const sent = Array.from(provider?.batches.values() ?? [], (batch) => provider?.requestsOf(batch) ?? []).flat();
    expect(sent.map((request) => JSON.stringify(request)).filter((text) => text.includes('"max_tokens":30'))).toHaveLength(4);
    await scene.checkBooks();
  });

  it('the results of a batch replace its estimate in the windows that still run, once', async () => {
    const batches: FakeBatches[] = [];
    const front = async (url: string) => {
      const made = await startFakeBatches(url);
      batches.push(made);
      return made;
    };
    const settings = { ...options.settings, FilesPerUser: '20', BatchesPerUser: '5' };
    await using scene = await createScene(engine, { settings, front });
    const { context, clock } = scene.app;
    const { key, token } = await limitedKey(
      scene,
      { meter: 'tokens', per: 'hour', amount: 10_000 },
      { meter: 'tokens', per: 'day', amount: 20_000 },
    );
    const client = new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: key, maxRetries: 0 });
    const create = async () => {
      const body = { model: testModel, messages: [{ role: 'user', content: 'Say hello' }], max_tokens: 500 };
      const line = (id: number) => JSON.stringify({ custom_id: `l${id}`, method: 'POST', url: '/v1/chat/completions', body });
      const { id } = await client.files.create({ file: await toFile(Buffer.from(`${line(1)}\n${line(2)}`), 'in.jsonl'), purpose: 'batch' });
      return client.batches.create({ input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' });
    };
    const counted = async () => {
      const rows = await context.db.collection('limits').find({});
      const own = rows.filter(({ id }) => id.startsWith(`rate:token:${token.id}:`));
      return own.toSorted((a, b) => a.reset_at - b.reset_at).map(({ count }) => count);
    };
    const end = async (prompt: number, answer: number) => {
      scene.upstream.behave({ usage: { prompt_tokens: prompt, completion_tokens: answer, total_tokens: prompt + answer } });
      await batches[0]?.run();
      await until(async () => {
        clock.advance(30_000);
        await pollBatches(context);
        return (await context.db.collection('batches').count({ state: { ne: 'ended' } })) === 0;
      });
    };
    await create();
    const spares = async () =>
      (await context.db.collection('limits').find({})).some(({ spare = {} }) => Object.values(spare).some((one) => one > 0));
    await until(async () => !(await spares()));
    const [estimate = 0, ofDay] = await counted();
    expect([estimate > 1_000, ofDay]).toEqual([true, estimate]);
    await end(30, 20);
    expect(await counted()).toEqual([100, 100]);
    // What a finished batch leaves is not settled a second time.
    const [batch] = await context.db.collection('batches').find({});
    if (batch === undefined) throw new Error('There is no batch');
    await finishWork(context, batchWork, batch);
    expect(await counted()).toEqual([100, 100]);
    // More than was expected counts, in the hour in which it is known.
    await create();
    await until(async () => !(await spares()));
    clock.advance(3_600_000);
    await end(900, 600);
    expect(await counted()).toEqual([100 + estimate, 3_000 - estimate, 3_100]);
    await scene.checkBooks();
  });

  it('turns of a realtime session count when they begin, and the session goes on', async () => {
    const settings = siteLimits(
      { meter: 'requests', per: 'day', amount: 2, counted: 'user' },
      { meter: 'tokens', per: 'day', amount: 1_000_000, counted: 'token' },
      { meter: 'parallel', amount: 1, counted: 'token' },
    );
    await using opened = await openRealtime(engine, { settings });
    const { client, peer, scene } = opened;
    for (let turn = 0; turn < 2; turn += 1) {
      client.send({ type: 'response.create' });
      await upTo(client, 'response.done');
    }
    await scene.logs(2);
    client.send({ type: 'response.create' });
    expect(await upTo(client, 'error')).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    const visitor = await scene.app.as(scene.user);
    const used = async () => {
      const states = (await visitor.get(`/api/rate_limit/?token_id=${scene.token.id}`)).data as { limit: SiteRateLimit; left: number }[];
      return states.map(({ limit, left }) => [limit.meter, limit.amount - left]);
    };
    const usedAfter = async (turns: number) => {
      const tokens = (await scene.logs(turns)).reduce((sum, row) => sum + row.prompt_tokens + row.completion_tokens, 0);
      return [
        ['requests', 2],
        ['tokens', tokens],
        ['parallel', 0],
      ];
    };
    expect(await used()).toEqual(await usedAfter(2));
    // One that the provider begins by itself is stopped; what it has read counts.
    peer.answer({});
    expect(await upTo(client, 'error')).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    const expected = await usedAfter(3);
    await until(async () => JSON.stringify(await used()) === JSON.stringify(expected));
    await scene.checkBooks();
  });

  it('a turn of a socket is refused with the headers in its message, and the next one passes', async () => {
    await using scene = await createScene(engine, options);
    const { headers } = await limitedKey(scene, { meter: 'requests', per: 'minute', amount: 1 });
    using client = await connectSocket(`${scene.app.origin}/v1/responses`, { headers });
    const ask = async () => {
      client.send({ type: 'response.create', model: testModel, input: 'x', store: false });
      return (await client.response()).at(-1);
    };
    expect(await ask()).toMatchObject({ type: 'response.completed' });
    expect(await ask()).toMatchObject({
      type: 'error',
      status: 429,
      error: { code: 'rate_limit_exceeded' },
      headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-limit-requests': '1' },
    });
    scene.app.clock.advance(60_000);
    expect(await ask()).toMatchObject({ type: 'response.completed' });
  });

  it('nobody learns what others use', async () => {
    await using scene = await createScene(engine, {
      ...options,
      settings: { ...options.settings, ...siteLimits({ meter: 'requests', per: 'minute', amount: 5, counted: 'all' }) },
    });
    const first = await scene.chat();
    expect([...first.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
    const { token } = await limitedKey(scene, { meter: 'requests', per: 'day', amount: 7 }, { meter: 'input_tokens', amount: 900 });
    const [owner, other, admin] = [
      await scene.app.as(scene.user),
      await scene.app.as(await scene.app.createUser()),
      await scene.app.as(await scene.app.createUser({ role: 10 })),
    ];
    const ofToken = `/api/rate_limit/?token_id=${token.id}`;
    const day = Date.UTC(2026, 0, 16) / 1000;
    const own = [
      { scope: 'token', limit: { meter: 'requests', per: 'day', amount: 7 }, left: 7, full_at: day },
      { scope: 'token', limit: { meter: 'input_tokens', amount: 900 }, left: 900, full_at: 0 },
    ];
    expect((await owner.get(ofToken)).data).toEqual(own);
    expect((await owner.get('/api/rate_limit/')).data).toEqual([]);
    expect(await other.get(ofToken)).toMatchObject({ success: false, code: 'not_found' });
    expect(await other.get(`/api/rate_limit/?user_id=${scene.user.id}`)).toMatchObject({ success: false, code: 'not_found' });
    expect(await other.get('/api/rate_limit/?token_id=x')).toMatchObject({ success: false, code: 'invalid_field' });
    expect((await admin.get(ofToken)).data).toContainEqual(expect.objectContaining({ scope: 'site', left: 4 }));
    expect((await admin.get(`/api/rate_limit/?user_id=${scene.user.id}`)).data).toHaveLength(1);
  });

  it('counters are dropped, and their records expire', async () => {
    await using scene = await createScene(engine, options);
    const { rateLimits } = scene.app.context;
    for (let key = 0; key < 5; key += 1)
      await (await limitedKey(scene, { meter: 'parallel', amount: 9 }, { meter: 'requests', per: 'minute', amount: 9 })).chat();
    expect(rateLimits.size).toBe(10);
    const { db } = scene.app.context;
    scene.app.clock.advance(26 * 3_600_000);
    const { sweepLimits } = await import('#server/http/rate-limit.ts');
    await sweepLimits(scene.app.context);
    expect(await db.collection('limits').count({})).toBe(0);
  });
});
