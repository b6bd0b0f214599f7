// A conversation whose prompts are no longer read from the provider's cache: its row says so, the log finds it, and the channel's figures
// count what was cached.
import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { logFilter } from '#server/features/logs/log-filter.ts';

const model = 'claude-sonnet-4-5';
const usage = (fields: object) => ({
  input_tokens: 10,
  output_tokens: 5,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  ...fields,
});

describe.each(engines)('caches of prompts on $kind', (engine) => {
  test('a call that finds nothing of what its conversation has left is found by the filter, and by nothing else', async () => {
    await using scene = await createScene(engine, {
      channels: [{ type: 14, models: model }],
      settings: { ModelRatio: `{"${model}":1.5}` },
    });
    const messages: object[] = [{ role: 'user', content: 'Hello' }];
    const ask = async (told: object) => {
      scene.upstream.behave({ usage: usage(told) }, { times: 1 });
      const response = await scene.post('/v1/messages', { model, max_tokens: 100, messages });
      expect(response.status).toBe(200);
      await response.text();
      messages.push({ role: 'assistant', content: 'Hello!' }, { role: 'user', content: 'And then?' });
    };
    await ask({ cache_creation_input_tokens: 8_000 });
    await ask({ cache_read_input_tokens: 8_000, cache_creation_input_tokens: 1_000 });
    await ask({ cache_creation_input_tokens: 10_000 });
    const rows = await scene.logs(3);
    expect(rows.map(({ cache_broken }) => cache_broken)).toEqual([undefined, undefined, 1]);
    expect(rows[2]?.other).toMatchObject({ cache_expected: 9_000 });

    const { context } = scene.app;
    for (const userId of [undefined, scene.user.id]) {
      const filter = (await logFilter(context, { cache: 'broken' }, userId)) ?? [];
      const found = await context.db.collection('logs').find({ and: filter });
      expect(found.map(({ id }) => id)).toEqual([rows[2]?.id]);
    }
    const [hour] = await context.figures.read(0);
    expect(hour).toMatchObject({ promptTokens: 8_010 + 9_010 + 10_010, cachedTokens: 8_000 });
    await context.figures.flush();
    expect((await context.figures.read(0))[0]).toMatchObject({ promptTokens: 27_030, cachedTokens: 8_000 });
    await scene.checkBooks();
  });
});
