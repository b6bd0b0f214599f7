// A conversation whose prompts are no longer read from the provider's cache: its row says so, the log finds it, and the channel's figures
// count what was cached.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { logFilter } from '#server/features/logs/log-filter.ts';

const model = 'claude-sonnet-4-5';
const chatModel = 'gpt-4o-mini';
const usage = (fields: object) => ({
  input_tokens: 10,
  output_tokens: 5,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  ...fields,
});

describe.each(oneEngine)('caches of prompts on $kind', (engine) => {
  test('a call that finds nothing of what its conversation has left is found by the filter, and by nothing else', async () => {
    await using scene = await createScene(engine, {
      channels: [{ type: 14, models: model }],
      settings: { ModelRatio: `{"${model}":1.5}` },
    });
    const messages: object[] = [{ role: 'user', content: 'Hello' }];
    const ask = async (reported: object) => {
      scene.upstream.behave({ usage: usage(reported) }, { times: 1 });
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

  test.each([
    [
      'of many conversations with one name for their cache is none',
      { prompt_cache_key: 'an application' },
      'Ask me.',
      [],
      [undefined, undefined, undefined],
    ],
    ['of one whose instructions tell the time is found', {}, 'It is noon.', ['Noon.', 'And then?'], [undefined, 1, 1]],
  ] as const)('a cache %s', async (_about, fields, reported, further, expected) => {
    await using scene = await createScene(engine, {
      channels: [{ models: chatModel }],
      settings: { ModelRatio: `{"${chatModel}":1}`, CacheRatio: `{"${chatModel}":0.1}` },
    });
    const messages: { role: string; content: string }[] = [];
    for (let call = 0; call < 3; call += 1) {
      const isOther = further.length === 0;
      if (isOther) messages.length = 0;
      if (messages.length === 0) messages.push({ role: 'user', content: isOther ? `Question ${call}` : 'Question' });
      else for (const [at, content] of further.entries()) messages.push({ role: at === 0 ? 'assistant' : 'user', content });
      const details = { prompt_tokens_details: { cached_tokens: isOther && call > 0 ? 1_500 : 0 } };
      scene.upstream.behave({ usage: { prompt_tokens: 9_000, completion_tokens: 5, total_tokens: 9_005, ...details } }, { times: 1 });
      const system = { role: 'system', content: isOther ? reported : `${reported} ${call}` };
      const response = await scene.chat({ model: chatModel, messages: [system, ...messages], ...fields });
      expect(response.status).toBe(200);
      await response.text();
    }
    const rows = await scene.logs(3);
    expect(rows.map(({ cache_broken }) => cache_broken)).toEqual(expected);
  });
});
