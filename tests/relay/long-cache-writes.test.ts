// Writes to OpenAI's cache that are stored for twelve hours: what they cost, and what a call that may cause them reserves.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';

const model = 'gpt-tide';
const settings = {
  ModelRatio: JSON.stringify({ [model]: 1 }),
  CompletionRatio: JSON.stringify({ [model]: 5 }),
  CreateCacheRatio: JSON.stringify({ [model]: 1.25 }),
  CreateCache1hRatio: JSON.stringify({ [model]: 2.5 }),
};
const usage = {
  prompt_tokens: 2000,
  completion_tokens: 10,
  total_tokens: 2010,
  prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 1000 },
};
const ask = { model, messages: [{ role: 'user', content: 'When is high water?' }], max_tokens: 10 };
const forLong = { prompt_cache_options: { ttl: '12h' } };
const marked = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } }] }],
};
const forUsual = { prompt_cache_options: { ttl: '30m' } };
const [short, long] = [1000 + 1250 + 50, 1000 + 2500 + 50];

describe.each(oneEngine)('long cache writes on $kind', (engine) => {
  test.each([
    ['that are allowed', true, forLong, long],
    ['of a part of the prompt', true, marked, long],
    ['of the usual time', true, forUsual, short],
    ['that nobody asks for', true, {}, short],
    ['that the channel does not allow', false, forLong, short],
  ])('%s', async (_name, isAllowed, fields, cost) => {
    const setting = JSON.stringify(isAllowed ? { allow_surcharges: true } : {});
    await using scene = await createScene(engine, { channels: [{ type: 1, models: model, setting }], settings });
    scene.upstream.behave({ usage });
    for (const stream of [false, true]) {
      const before = await scene.balance();
      await (
        await scene.post('/v1/chat/completions', {
          ...ask,
          ...fields,
          stream,
          ...(stream ? { stream_options: { include_usage: true } } : {}),
        })
      ).text();
      await scene.logs(stream ? 2 : 1);
      expect({ stream, cost: before - (await scene.balance()) }).toEqual({ stream, cost });
    }
    const [row] = await scene.logs(2);
    expect(row?.other).toMatchObject({ cache_creation_tokens: 1000, ...(cost === long ? { cache_creation_ratio_1h: 2.5 } : {}) });
    await scene.checkBooks();
  });

  test('are reserved for where they may happen', async () => {
    const dear = { ...settings, CreateCache1hRatio: JSON.stringify({ [model]: 1000 }) };
    const setting = JSON.stringify({ allow_surcharges: true });
    await using scene = await createScene(engine, { channels: [{ type: 1, models: model, setting }], settings: dear, quota: 500 });
    scene.upstream.behave({ usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 } });
    expect((await scene.post('/v1/chat/completions', { ...ask, ...forLong })).status).toBe(403);
    expect((await scene.post('/v1/chat/completions', ask)).status).toBe(200);
    await scene.checkBooks();
  });
});
