// What other prices would have made of the last days' calls.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PriceEffect } from '#shared/options.ts';
import { readPriceEffect } from '#server/features/options/price-effect.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { oneEngine } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { setOption } from '#tests/support/relay-scene.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

const ratios = { cheap: 1, dear: 10, many: 1 };
const manyCalls = 2_500;

describe.each(oneEngine)('the effect of prices on $kind', (engine) => {
  let app: TestApp;
  let admin: TestClient;

  beforeAll(async () => {
    app = await createTestApp(engine);
    admin = await app.setup();
    await setOption(app, 'ModelRatio', JSON.stringify(ratios));
    const [ann, ben] = [await app.createUser({ username: 'ann' }), await app.createUser({ username: 'ben' })];
    const now = Math.floor(app.clock.now() / 1000);
    let id = 1_000;
    const call = (user: typeof ann, model: keyof typeof ratios, tokens: number, ago: number) => {
      id += 1;
      const price = { model_ratio: ratios[model], completion_ratio: 1, cache_ratio: 1, model_price: -1, group_ratio: 2 };
      const quota = tokens * ratios[model] * 2;
      const more = { token_id: user.id * 10, quota, prompt_tokens: tokens, other: price };
      return buildLog({ id, user_id: user.id, username: user.username, created_at: now - ago, model_name: model, ...more });
    };
    const rows = [
      call(ann, 'cheap', 1_000, 60),
      call(ben, 'cheap', 3_000, 3_000),
      call(ann, 'dear', 500, 120),
      // Too long ago.
      call(ann, 'cheap', 50_000, 9 * 86_400),
      ...Array.from({ length: manyCalls }, (_, index) => call(ben, 'many', 10, 200 + index)),
    ];
    for (const row of rows) await app.context.db.collection('logs').insert(row);
  });
  afterAll(() => app.close());

  const ask = async (body: Record<string, string>): Promise<PriceEffect> => {
    const answer = await admin.post('/api/option/price_effect', body);
    expect(answer.success).toBe(true);
    return answer.data;
  };
  const cost = 2_000 + 6_000 + 10_000 + manyCalls * 20;

  it('looks at a share of every model, however many calls one of them had', async () => {
    const doubled = { ...app.context.settings.get('ModelRatio'), cheap: 2, dear: 20, many: 2 };
    const effect = await readPriceEffect(app.context, { modelRatio: doubled }, { ofModel: 100, ofAll: 6 });
    expect(effect).toMatchObject({ before: cost, after: 2 * cost, calls: manyCalls + 3, counted: 6 });
  });

  it('is that of the models whose prices change, and of nobody else', async () => {
    expect(await ask({ ModelRatio: JSON.stringify({ ...ratios, cheap: 1.5 }) })).toEqual({
      days: 7,
      before: cost,
      after: cost + 4_000,
      calls: 2,
      counted: 2,
      user: { username: 'ben', difference: 3_000 },
      tokens: 2,
    });
  });

  it('is none of the same prices, of which nothing is looked at', async () => {
    expect(await ask({ ModelRatio: JSON.stringify(ratios) })).toEqual({
      days: 7,
      before: cost,
      after: cost,
      calls: 0,
      counted: 0,
      tokens: 0,
    });
  });

  it('knows a price per call, and a model whose price is gone', async () => {
    const { dear, ...others } = ratios;
    const effect = await ask({ ModelPrice: JSON.stringify({ cheap: 0.01 }), ModelRatio: JSON.stringify(others) });
    expect(dear).toBe(10);
    // 0.01 USD at the group's factor of 2, twice; nothing for what would have been refused.
    expect(effect).toMatchObject({ after: cost - 8_000 + 2 * 10_000 - 10_000, calls: 3 });
  });

  it('knows what tools at the provider cost, and would cost', async () => {
    const { clock, context } = app;
    const price = { model_ratio: 1, completion_ratio: 1, cache_ratio: 1, model_price: -1, group_ratio: 2 };
    // 100 tokens and three searches of 25 USD a thousand, at a factor of 2.
    const other = { ...price, hosted_calls: [{ kind: 'web_search', calls: 3, price: 25 }] };
    const fields = { model_name: 'cheap', prompt_tokens: 100, quota: 75_200, created_at: Math.floor(clock.now() / 1000) - 30, other };
    await context.db.collection('logs').insert(buildLog({ id: 999_999, user_id: 1, ...fields }));
    const prices = context.settings.get('ToolPrice');
    try {
      const same = await readPriceEffect(context, { modelRatio: { ...ratios, cheap: 2 } });
      // web_search has a price of 10 now.
      expect(same.after - same.before).toBe(8_000 + 200 - 45_000);
      const raised = await readPriceEffect(context, { tools: { ...prices, 'web_search:cheap*': 50 } });
      expect(raised).toMatchObject({ after: raised.before + 75_000, calls: 3 });
      expect(await ask({ ToolPrice: JSON.stringify({ ...prices, 'web_search:cheap*': 50 }) })).toEqual(raised);
      const none = await readPriceEffect(context, { tools: {} });
      expect(none.after).toBe(none.before - 75_000);
      expect(await readPriceEffect(context, { tools: { ...prices, 'web_search:other*': 50 } })).toMatchObject({ calls: 0 });
    } finally {
      await context.db.collection('logs').remove({ id: 999_999 });
    }
  });

  it('leaves what another model has advised at what that cost', async () => {
    const { clock, context } = app;
    const price = { model_ratio: 1, completion_ratio: 1, cache_ratio: 1, model_price: -1, group_ratio: 2 };
    const before = await readPriceEffect(context, { modelRatio: { ...ratios, cheap: 2 } });
    // 100 tokens, and advice for 0.01 USD, at a factor of 2.
    const other = { ...price, advice: [{ model: 'adviser', prompt_tokens: 900, completion_tokens: 90, price: 10 }] };
    const fields = { model_name: 'cheap', prompt_tokens: 100, quota: 10_200, created_at: Math.floor(clock.now() / 1000) - 30, other };
    await context.db.collection('logs').insert(buildLog({ id: 999_998, user_id: 1, ...fields }));
    try {
      const after = await readPriceEffect(context, { modelRatio: { ...ratios, cheap: 2 } });
      expect(after.before - before.before).toBe(10_200);
      expect(after.after - before.after).toBe(10_400);
    } finally {
      await context.db.collection('logs').remove({ id: 999_998 });
    }
  });

  it('leaves what is taken ahead of batches, trainings and caches, and knows what trained models would cost', async () => {
    const { clock, context } = app;
    const now = Math.floor(clock.now() / 1000);
    const logs = context.db.collection('logs');
    const before = await readPriceEffect(context, { modelRatio: { ...ratios, cheap: 2 } });
    const trained = { model_name: 'ft:cheap:own:AbCdEf012345', prompt_tokens: 1_000, other: { group_ratio: 2 } };
    const rows = [
      { model_name: 'cheap', quota: 700, other: { group_ratio: 1, batch: { id: 'batch_1', requests: 3 } } },
      {
        model_name: 'cheap',
        quota: 900,
        other: { group_ratio: 1, tuning: { id: 'ftjob-1', examples: 10, epochs: 3, tokens: 5, price: 25 } },
      },
      { model_name: 'cheap', quota: 50, other: { group_ratio: 1, context_cache: { id: 'c1', tokens: 9_000, until: now } } },
      // 3 USD per million at a factor of 2.
      { ...trained, quota: 3_000 },
    ];
    for (const [index, row] of rows.entries())
      await logs.insert(buildLog({ id: 999_000 + index, user_id: 1, created_at: now - 30, ...row }));
    const saved = context.settings.get('FineTuningPrice');
    const prices = (input: number) => JSON.stringify({ 'training:cheap': 25, 'input:cheap': input, 'output:cheap': 9 });
    try {
      await setOption(app, 'FineTuningPrice', prices(3));
      const after = await readPriceEffect(context, { modelRatio: { ...ratios, cheap: 2 } });
      expect(after.before - before.before).toBe(4_650);
      expect(after.after - before.after).toBe(4_650);
      expect(await ask({ FineTuningPrice: prices(6) })).toMatchObject({ before: after.before, after: after.before + 3_000, calls: 1 });
      expect(await ask({ FineTuningPrice: prices(3) })).toMatchObject({ after: after.before, calls: 0 });
      // Without a price it would have been refused.
      expect(await ask({ FineTuningPrice: '{}' })).toMatchObject({ after: after.before - 3_000, calls: 1 });
    } finally {
      await setOption(app, 'FineTuningPrice', JSON.stringify(saved));
      for (const index of rows.keys()) await logs.remove({ id: 999_000 + index });
    }
  });

  it('knows what long prompts would cost', async () => {
    const saved = app.context.settings.get('LongInputPrice');
    const raised = await ask({ LongInputPrice: JSON.stringify({ ...saved, 'input>1:many*': 3 }) });
    expect(raised.calls).toBe(manyCalls);
    expect(raised.after).toBeGreaterThan(raised.before);
    expect(await ask({ LongInputPrice: JSON.stringify({ ...saved, 'input>100000:many*': 3 }) })).toMatchObject({ after: raised.before });
    expect(await ask({ LongInputPrice: JSON.stringify({ ...saved, 'input>1:nobody*': 3 }) })).toMatchObject({ calls: 0 });
  });

  it('knows what changed tiers change: nothing of calls in the usual one', async () => {
    const saved = app.context.settings.get('TierPrice');
    const same = await ask({ TierPrice: JSON.stringify({ ...saved, 'priority:many*': 3 }) });
    expect(same).toMatchObject({ calls: manyCalls, after: same.before });
    expect(await ask({ TierPrice: JSON.stringify({ ...saved, 'priority:nobody*': 3 }) })).toMatchObject({ calls: 0 });
    const videos = app.context.settings.get('VideoPrice');
    expect(await ask({ VideoPrice: JSON.stringify({ ...videos, '720p:nobody*': 3 }) })).toMatchObject({ calls: 0 });
  });

  it('of many calls is inferred from the newest', async () => {
    const effect = await ask({ ModelRatio: JSON.stringify({ ...ratios, many: 3 }) });
    expect(effect).toMatchObject({ calls: manyCalls, counted: 2_000, after: cost + manyCalls * 40 });
  });

  it('refuses what is no map, and changes nothing', async () => {
    const answer = await admin.post('/api/option/price_effect', { ModelRatio: '{"a": -1}' });
    expect(answer).toMatchObject({ success: false, field: 'ModelRatio' });
    expect(app.context.settings.get('ModelRatio')).toEqual(ratios);
  });

  it('is asked for by one administrator only so often at once', async () => {
    const body = { ModelRatio: JSON.stringify({ ...ratios, many: 2 }) };
    const answers = await Promise.all(Array.from({ length: 200 }, () => admin.post('/api/option/price_effect', body)));
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([undefined, 'rate_limited']));
  });
});
