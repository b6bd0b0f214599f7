// An account that cannot cover a model's largest answer: what it has is the limit, and nothing ends in debt.
import { describe, expect, test, vi } from 'vitest';
import { countMessages } from '#tests/support/count-prompt.ts';
import { leasedOf } from '#server/money/account.ts';
import { Leases } from '#server/money/leases/leases.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { embeddedEngine, oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, until } from '#tests/support/relay-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';

/** Priced by nothing but the settings below: one token of either kind costs 10. */
const model = 'sea-1';
const settingsOf = (name: string) => ({ ModelRatio: JSON.stringify({ [name]: 10 }), CompletionRatio: JSON.stringify({ [name]: 1 }) });
const settings = settingsOf(model);
const channels = [{ models: model }];
const messages = [{ role: 'user', content: 'Say hello' }];
const promptTokens = await countMessages(messages, model);
const longText = 'word '.repeat(3_000);

async function inParallel(scene: RelayScene, origins: readonly string[], count: number, fields: Record<string, unknown>) {
  const one = async (index: number) => {
    const response = await fetch(`${origins[index % origins.length] ?? scene.app.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${scene.key}` },
      body: JSON.stringify({ model, messages, ...fields }),
    });
    await response.text();
    return response.status;
  };
  return Promise.all(Array.from({ length: count }, (_, index) => one(index)));
}

describe.each(oneEngine)('what a call may answer on $kind', (engine) => {
  test.each([
    ['a whole answer', { stream: false }],
    ['a stream', { stream: true }],
    ['a larger limit of the client', { stream: false, max_completion_tokens: 2_500 }],
  ])('%s is limited to what the account pays for, ends with `length`, and leaves no debt', async (_name, fields) => {
    const quota = 10 * (promptTokens + 700) + 5;
    await using scene = await createScene(engine, { settings, channels, quota });
    scene.upstream.behave({ text: longText });
    const text = await (await scene.chat({ model, ...fields })).text();
    expect(text).toContain('"finish_reason":"length"');
    const sent = scene.upstream.requests[0]?.body;
    expect(sent).toMatchObject('max_completion_tokens' in fields ? { max_completion_tokens: 700 } : { max_tokens: 700 });
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ completion_tokens: 700, quota: 10 * (promptTokens + 700), other: { output_bound: 700 } });
    expect(await scene.balance()).toBe(5);
    await scene.checkBooks();
  });

  describe('a model that draws, whose pictures cost twelve times what it writes', () => {
    const name = 'gemini-2.5-flash-image';
    const ofPicture = 15;
    const contents = [{ role: 'user', parts: [{ text: 'Draw a tide' }] }];
    const drawing = [{ role: 'user', content: 'Draw a tide' }];
    const routes = [
      { route: 'chat', path: '/v1/chat/completions', body: { model: name, messages: drawing }, limit: { max_tokens: 50 } },
      {
        route: 'generateContent',
        path: `/v1beta/models/${name}:generateContent`,
        body: { contents },
        limit: { generationConfig: { maxOutputTokens: 50 } },
      },
    ];
    const open = (quota: number) => createScene(engine, { channels: [{ type: 24, models: name }], quota });
    const reported = (tokens: number) => ({
      promptTokenCount: 8,
      candidatesTokenCount: tokens,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: tokens }],
      totalTokenCount: tokens + 8,
    });

    test.each(routes)('$way: who cannot pay for a picture is refused before it is asked, whatever limit is named', async (requested) => {
      for (const quota of [3_000, 1_290 * ofPicture]) {
        await using scene = await open(quota);
        scene.upstream.behave({ usage: reported(1_290) });
        for (const body of [requested.body, { ...requested.body, ...requested.limit }])
          expect((await scene.post(requested.path, body)).status).toBe(403);
        expect(scene.upstream.requests).toEqual([]);
        expect(await scene.balance()).toBe(quota);
        await scene.checkBooks();
      }
    });

    test.each(routes)('$way: all that it may write is paid for as pictures', async ({ path, body }) => {
      const quota = 2_000 * ofPicture;
      await using scene = await open(quota);
      scene.upstream.behave({ usage: reported(1_290) });
      expect((await scene.post(path, body)).status).toBe(200);
      const sent = scene.upstream.requests[0]?.body as { generationConfig: { maxOutputTokens: number } } | undefined;
      const bound = sent?.generationConfig.maxOutputTokens;
      expect(bound).toBeLessThan(2_000);
      expect(bound).toBeGreaterThan(1_950);
      const [row] = await scene.logs(1);
      expect(row).toMatchObject({ completion_tokens: 1_290, other: { image_output: 1_290, output_bound: bound } });
      expect(await scene.balance()).toBe(quota - (row?.quota ?? 0));
      expect(row?.quota).toBeGreaterThan(1_290 * ofPicture);
      await scene.checkBooks();
    });

    test('a limit below a picture: one is reserved for, and the limit stays', async () => {
      await using scene = await open(1_700 * ofPicture);
      const reserve = vi.spyOn(scene.app.context.ledger, 'reserve');
      expect((await scene.chat({ model: name, max_tokens: 50 })).status).toBe(200);
      expect(reserve.mock.calls[0]?.[0].amount).toBeGreaterThanOrEqual(1_590 * ofPicture);
      expect(scene.upstream.requests[0]?.body).toMatchObject({ generationConfig: { maxOutputTokens: 50 } });
      await scene.checkBooks();
    });
  });

  test('every choice gets its share, and a reasoning model is told by the name that it knows', async () => {
    const name = 'o3-sea';
    await using scene = await createScene(engine, {
      settings: settingsOf(name),
      channels: [{ models: name }],
      quota: 10 * (promptTokens + 4 * 1_801),
    });
    await scene.chat({ model: name, n: 3 });
    expect(scene.upstream.requests[0]?.body).toMatchObject({ max_completion_tokens: 600 });
    expect(scene.upstream.requests[0]?.body).not.toHaveProperty('max_tokens');
  });

  test('who pays for fewer tokens than the provider takes as a limit is refused before it is asked, and who pays for those is served', async () => {
    const responses = [{ models: model, setting: JSON.stringify({ formats: ['openai-responses'] }) }];
    const small = { ...settings, PreConsumedQuota: '1' };
    const calls = [
      { path: '/v1/chat/completions', body: { model, messages, max_tokens: 300 } },
      { path: '/v1/responses', body: { model, input: messages, max_output_tokens: 300 } },
      { path: '/v1/completions', body: { model, prompt: 'Say hello', max_tokens: 300 } },
    ];
    for (const { path, body } of calls) {
      await using poor = await createScene(engine, { settings: small, channels: responses, quota: 10 * (promptTokens + 10) - 100 });
      const refused = await poor.post(path, body);
      expect([refused.status, await refused.json()]).toMatchObject([403, { error: { code: 'insufficient_user_quota' } }]);
      expect(poor.upstream.requests).toEqual([]);
      await using other = await createScene(engine, { settings: small, channels: responses, quota: 10 * (promptTokens + 16) });
      const answered = await other.post(path, body);
      expect(answered.status).toBe(200);
      const sent = (other.upstream.requests[0]?.body as { max_output_tokens: number } | undefined)?.max_output_tokens;
      expect(sent).toBeGreaterThanOrEqual(16);
      expect(sent).toBeLessThan(32);
      await other.checkBooks();
    }
  });

  test("a channel's overrides do not lift the limit", async () => {
    const overriding = [{ models: model, param_override: '{"max_tokens":100000}' }];
    await using scene = await createScene(engine, { settings, channels: overriding, quota: 10 * (promptTokens + 600) });
    await scene.chat({ model });
    expect(scene.upstream.requests[0]?.body).toMatchObject({ max_tokens: 600 });
  });

  test.each([{ n: 1.000_01 }, { n: 1e6 }, { n: -3 }, { max_completion_tokens: 1e15 }, { max_completion_tokens: 0.5 }])(
    'what Messages has no field for says nothing of the money: %j',
    async (fields) => {
      await using scene = await createScene(engine, { settings, channels, quota: 10 * (promptTokens + 120) });
      const response = await scene.post('/v1/messages', { model, messages, max_tokens: 50, ...fields });
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"type":"message"')]);
      expect(scene.upstream.requests[0]?.body).toMatchObject({ max_tokens: 50 });
      const [row] = await scene.logs(1);
      expect(row?.other).not.toHaveProperty('output_bound');
      await scene.checkBooks();
    },
  );

  test.each([
    ['an effort', 'claude-3-7-sonnet', { reasoning_effort: 'high' }, { type: 14 }, 16],
    ['an override', 'claude-3-7-sonnet', {}, { type: 14, param_override: '{"max_tokens":4000}' }, 16],
    ['an override in the format of the client', model, {}, { param_override: '{"max_tokens":4000}' }, 16],
    ['a name that is told to think', 'claude-3-7-sonnet-thinking', {}, { type: 14 }, 1_280],
    [
      'a name of ours for one that is told to think',
      model,
      {},
      { type: 14, model_mapping: `{"${model}":"claude-3-7-sonnet-thinking"}` },
      1_280,
    ],
    ['a name that only Claude would be told to think by', 'claude-3-7-sonnet-thinking', {}, { type: 1 }, 16],
  ])(
    '%s sends no larger limit than was reserved for, and what was sent is what was ignored',
    async (_name, name, fields, channel, limit) => {
      const adapting = { ...settingsOf(name), 'claude.thinking_adapter_enabled': 'true' };
      await using scene = await createScene(engine, { settings: adapting, channels: [{ ...channel, models: name }] });
      const reserve = vi.spyOn(scene.app.context.ledger, 'reserve');
      const usage = { prompt_tokens: promptTokens, completion_tokens: limit, total_tokens: promptTokens + limit };
      scene.upstream.behave({ usage });
      const ask = async () => (await scene.chat({ model: name, max_tokens: 16, ...fields })).status;
      expect([await ask(), await ask()]).toEqual([200, 200]);
      const amounts = reserve.mock.calls.map(([{ amount }]) => amount);
      // The second as the first: the model has ignored nothing. What Claude writes costs five times as much as what it reads.
      expect(amounts).toEqual([amounts[0], amounts[0]]);
      expect(amounts[0]).toBeGreaterThanOrEqual(10 * limit);
      expect(amounts[0]).toBeLessThan(50 * (limit + 100));
      for (const { body } of scene.upstream.requests) {
        expect(body).toMatchObject({ max_tokens: limit });
        if (limit < 1_280) expect(body).not.toHaveProperty('thinking.budget_tokens');
        else expect(body).toHaveProperty('thinking.budget_tokens', 1_024);
      }
      await scene.checkBooks();
    },
  );

  test('an ample account sends what its client wrote', async () => {
    await using scene = await createScene(engine, { settings, channels });
    scene.upstream.behave({ text: longText });
    await scene.chat({ model });
    expect(scene.upstream.requests[0]?.body).not.toHaveProperty('max_tokens');
    const [row] = await scene.logs(1);
    expect(row?.other).not.toHaveProperty('output_bound');
  });

  test('a charge that cannot be covered for another reason than the database is settled with what is there', async () => {
    await using scene = await createScene(engine, { quota: 1_000 });
    const { ledger } = scene.app.context;
    const reserved = await ledger.reserve({ userId: scene.user.id, token: null, amount: 100 });
    if (!('reservation' in reserved)) throw new Error('refused');
    vi.spyOn(Leases.prototype, 'overdraw').mockRejectedValueOnce(new Error('A fault that a test has made'));
    const { id: _id, ...row } = buildLog({ id: 0, user_id: scene.user.id, quota: 5_000 });
    await ledger.settle(reserved.reservation, row);
    const [stored] = await scene.logs(1);
    expect(stored).toMatchObject({ quota: 1_000, other: { uncharged_quota: 4_000 } });
    expect(await scene.balance()).toBe(0);
    await ledger.idle(1_000);
    await scene.checkBooks();
  });

  test('less than most answers need is refused, with the texts that clients know', async () => {
    const quota = 10 * (promptTokens + 499);
    await using scene = await createScene(engine, { settings: { ...settings, DisplayInCurrencyEnabled: 'false' }, channels, quota });
    const refused = async () => {
      const response = await scene.chat({ model });
      const { error } = await response.json();
      return [response.status, error.code, error.message.replace(/ \(request id.*/, '')];
    };
    expect(await refused()).toEqual([
      403,
      'insufficient_user_quota',
      `chat pre-consumed quota failed, user quota: ${quota}, need quota: ${quota + 10}`,
    ]);
    expect(scene.upstream.requests).toHaveLength(0);
    // A limit of the client's that it can pay for passes.
    expect((await scene.chat({ model, max_tokens: 499 })).status).toBe(200);
    await scene.app.context.ledger.setBalance({ account: 'user', id: scene.user.id, balance: 0, ref: 'empty', kind: 'test', actorId: 0 });
    expect(await refused()).toEqual([403, 'insufficient_user_quota', 'user quota is not enough']);
  });

  test("a token's limit is told in its own words", async () => {
    await using scene = await createScene(engine, {
      settings: { ...settings, DisplayInCurrencyEnabled: 'false' },
      channels,
      tokenQuota: 1_000,
    });
    const response = await scene.chat({ model });
    expect(await response.json()).toMatchObject({
      error: {
        code: 'pre_consume_token_quota_failed',
        message: expect.stringContaining(`token quota is not enough, token remain quota: 1000, need quota: ${10 * (promptTokens + 500)}`),
      },
    });
  });

  test('`hi` reserves what it is counted as: ten calls of ten that are paid for pass', async () => {
    const body = [{ role: 'user', content: 'hi' }];
    const cost = 10 * ((await countMessages(body, model)) + 3);
    await using scene = await createScene(engine, { settings, channels, quota: 10 * cost });
    scene.upstream.behave({ usage: { prompt_tokens: cost / 10 - 3, completion_tokens: 3, total_tokens: cost / 10 } });
    const statuses = await inParallel(scene, [], 10, { messages: body, max_tokens: 3 });
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 200));
    expect(await scene.balance()).toBe(0);
    await scene.checkBooks();
  });
});

test('an ample account reserves its largest answers in memory, and its lease holds no more than its calls do, and as much again', async () => {
  await using scene = await createScene(embeddedEngine, { quota: 500_000_000 });
  const { db, ledger } = scene.app.context;
  const amount = 480_000;
  const reserve = () => ledger.reserve({ userId: scene.user.id, token: null, amount, least: 1 });
  // The first two determine the amount.
  const [first, second] = [await reserve(), await reserve()];
  if (!('reservation' in first && 'reservation' in second)) throw new Error('refused');
  const leased = async () => leasedOf((await db.collection('users').get(scene.user.id)) ?? scene.user);
  await until(async () => ((await leased()) >= 3 * amount ? true : null));
  for (let turn = 0; turn < 200; turn += 1) {
    const result = reserve();
    if (result instanceof Promise || !('reservation' in result)) throw new Error('The database was asked');
    ledger.release(result.reservation);
  }
  expect(await leased()).toBeLessThanOrEqual(6 * amount);
  ledger.release(first.reservation);
  ledger.release(second.reservation);
});

describe.each(oneEngine)('an upstream that ignores limits, and many calls at once on $kind', (engine) => {
  const outgrowth = 10 * (promptTokens + 16_384);

  async function withThree(quota: number, use: (scene: RelayScene, origins: string[]) => Promise<void>) {
    await using scene = await createScene(engine, { settings, channels, quota });
    const usage = { prompt_tokens: promptTokens, completion_tokens: 16_384, total_tokens: promptTokens + 16_384 };
    scene.upstream.behave({ usage });
    const others = [];
    for (let index = 0; index < 2; index += 1) {
      others.push(await createTestApp(engine, { database: scene.app.database, clock: scene.app.clock }));
    }
    try {
      await use(scene, [scene.app.origin, ...others.map((app) => app.origin)]);
    } finally {
      for (const app of others) await app.close();
    }
  }

  test('without a limit: one goes, the account owes what that one outgrew', async () => {
    await withThree(6_000, async (scene, origins) => {
      const statuses = await inParallel(scene, origins, 60, {});
      expect(new Set(statuses)).toEqual(new Set([200, 403]));
      expect(scene.upstream.requests.length).toBeLessThanOrEqual(3);
      expect(await scene.balance()).toBeGreaterThanOrEqual(-outgrowth);
      await scene.checkBooks();
    });
  });

  test('with small limits: one debt, what the others outgrew is not charged, and the next ones are let through one by one', async () => {
    await withThree(6_000, async (scene, origins) => {
      // Each is quoted at one token.
      await inParallel(scene, origins, 30, { max_tokens: 1 });
      const balance = await scene.balance();
      expect(balance).toBeGreaterThanOrEqual(-outgrowth);
      const rows = await scene.logs(2);
      expect(rows.some((row) => Number(row.other?.['uncharged_quota']) > 0)).toBe(true);
      await scene.checkBooks();
      await scene.app.context.ledger.change({
        account: 'user',
        id: scene.user.id,
        amount: 6_000 - balance,
        ref: 'again',
        kind: 'test',
        actorId: 0,
      });
      const before = scene.upstream.requests.length;
      await inParallel(scene, origins.slice(0, 1), 30, { max_tokens: 1 });
      expect(scene.upstream.requests.length - before).toBe(1);
      expect(await scene.balance()).toBeGreaterThanOrEqual(-outgrowth);
      await scene.checkBooks();
    });
  });
});
