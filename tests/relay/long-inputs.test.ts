// Models whose provider charges more for long prompts.
import { describe, expect, test } from 'vitest';
import type { LogOther } from '#shared/logs.ts';
import { priceOfLog, usageOfLog } from '#shared/price-display.ts';
import { quotaOf } from '#shared/pricing.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';

const model = 'tide-long';
const settings = {
  ModelRatio: JSON.stringify({ [model]: 1 }),
  CompletionRatio: JSON.stringify({ [model]: 4 }),
  CacheRatio: JSON.stringify({ [model]: 0.1 }),
  LongInputPrice: '{"input>200000:tide-*":2,"output>200000:tide-*":1.5}',
};
const usageOf = (prompt: number, cached: number) => ({
  prompt_tokens: prompt,
  completion_tokens: 10,
  total_tokens: prompt + 10,
  prompt_tokens_details: { cached_tokens: cached },
});
const requested = { model, max_tokens: 50, messages: [{ role: 'user', content: 'All that I wrote' }] };

describe.each(oneEngine)('long prompts on $kind', (engine) => {
  test('cost more once they are longer than the bound, and the receipt says so', async () => {
    await using scene = await createScene(engine, { channels: [{ models: model }], settings });
    for (const stream of [false, true]) {
      scene.upstream.behave({ usage: usageOf(200_000, 150_000) });
      await (await scene.chat({ ...requested, stream })).text();
      scene.upstream.behave({ usage: usageOf(200_001, 150_000) });
      await (await scene.chat({ ...requested, stream })).text();
    }
    const rows = await scene.logs(4);
    const usual = 50_000 + 15_000 + 40;
    const long = 2 * 50_001 + 2 * 15_000 + 60;
    expect(rows.map((row) => row.quota).toSorted((a, b) => a - b)).toEqual([usual, usual, long, long]);
    for (const row of rows) {
      const other = row.other as LogOther;
      expect(other.input_ratio).toBe(row.quota === long ? 2 : undefined);
      const price = priceOfLog(other);
      if (price === null) throw new Error('There is no receipt');
      expect(quotaOf(usageOfLog(row, other), price, 1)).toBe(row.quota);
    }
    await scene.checkBooks();
  });

  test('are reserved for at that price, also where they may be counted too short', async () => {
    const near = { ...settings, LongInputPrice: '{"input>1:tide-*":10000}' };
    await using scene = await createScene(engine, { channels: [{ models: model }], settings: near, quota: 20_000 });
    expect((await scene.chat(requested)).status).toBe(403);
    expect(scene.upstream.requests).toHaveLength(0);
    await scene.checkBooks();
    const { quotes } = scene.app.context;
    const quoted = quotes.knownPriceOf('tide-long', 'default', scene.user);
    if (quoted === null) throw new Error('There is no price');
    const price = { ...quoted, price: { ...quoted.price, longInputs: [{ above: 1000, price: { ...longPrice, inputRatio: 2 } }] } };
    const reserve = (tokens: number) => quotes.reserveFor(price, { tokens, cacheWrite: null, audio: 0, isSpoken: false }, 0);
    expect([900, 950].map(reserve)).toEqual([900, 1900]);
  });
});

const longPrice = {
  kind: 'usage' as const,
  modelRatio: 1,
  completionRatio: 1,
  cacheRatio: 1,
  cacheCreationRatio: 1,
  cacheCreation1hRatio: 1,
  audioInputRatio: 1,
  audioOutputRatio: 1,
  imageInputRatio: 1,
  imageOutputRatio: 1,
};
