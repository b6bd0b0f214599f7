// Moderations through a running server, requested by OpenAI's package.
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';

const model = 'omni-moderation-latest';
/** One token costs 10. */
const settings = { ModelRatio: JSON.stringify({ [model]: 10, 'text-moderation-stable': 10 }) };
const png = 'data:image/png;base64,iVBORw0KGgo=';

function openaiOf({ app, key }: RelayScene): OpenAI {
  return new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: key, maxRetries: 0 });
}

describe.each(oneEngine)('moderations on $kind', (engine) => {
  const open = (options: SceneOptions = {}) => createScene(engine, { settings, channels: [{ models: model }], ...options });

  test('of one text, of several and of parts are read by the package of OpenAI, and the prompt is what they cost', async () => {
    await using scene = await open();
    const { moderations } = openaiOf(scene);
    const one = await moderations.create({ model, input: 'they drown' });
    expect(one.results.map(({ flagged }) => flagged)).toEqual([true]);
    const several = await moderations.create({ model, input: ['ebb', 'they drown'] });
    expect(several.results.map(({ flagged, categories }) => [flagged, categories.violence])).toEqual([
      [false, false],
      [true, true],
    ]);
    const parts = await moderations.create({
      model,
      input: [
        { type: 'text', text: 'ebb' },
        { type: 'image_url', image_url: { url: png } },
      ],
    });
    expect(parts.results).toMatchObject([{ category_applied_input_types: { violence: ['text', 'image'] } }]);
    expect(scene.upstream.requests.map(({ path }) => path)).toEqual(Array.from({ length: 3 }, () => '/v1/moderations'));
    const [first, second, third] = await scene.logs(3);
    expect(first).toMatchObject({ model_name: model, prompt_tokens: 2, completion_tokens: 0, quota: 20, is_stream: false });
    expect(first?.other).toMatchObject({ prompt_source: 'counted' });
    expect(second).toMatchObject({ prompt_tokens: (first?.prompt_tokens ?? 0) + (third?.prompt_tokens ?? 0) - 255 });
    expect(await scene.balance()).toBe(500_000_000 - [first, second, third].reduce((sum, row) => sum + (row?.quota ?? 0), 0));
    await scene.checkBooks();
  });

  test('cost nothing where their ratio is 0, and what a call costs where they have such a price', async () => {
    await using free = await open({ settings: { ModelRatio: JSON.stringify({ [model]: 0 }) } });
    await openaiOf(free).moderations.create({ model, input: 'ebb' });
    expect(await free.logs(1)).toMatchObject([{ quota: 0, prompt_tokens: 1 }]);
    expect(await free.balance()).toBe(500_000_000);
    await using priced = await open({ settings: { ModelPrice: JSON.stringify({ [model]: 0.001 }) } });
    await openaiOf(priced).moderations.create({ model, input: ['ebb', 'flood'] });
    expect(await priced.logs(1)).toMatchObject([{ quota: 500, other: { model_price: 0.001 } }]);
    await priced.checkBooks();
  });

  test('are charged by the usage that a provider tells', async () => {
    await using scene = await open();
    scene.upstream.behave({ usage: { prompt_tokens: 7, total_tokens: 7 } });
    await openaiOf(scene).moderations.create({ model, input: 'ebb' });
    expect(await scene.logs(1)).toMatchObject([{ prompt_tokens: 7, quota: 70, other: { prompt_source: 'upstream' } }]);
  });

  test('without a model go to the first of the usual ones that the key may use and somebody serves', async () => {
    await using scene = await open({ channels: [{ models: 'text-moderation-stable' }] });
    expect(await openaiOf(scene).moderations.create({ input: 'ebb' })).toMatchObject({ model: 'text-moderation-stable' });
    await scene.addChannel({ models: model });
    expect(await openaiOf(scene).moderations.create({ input: 'ebb' })).toMatchObject({ model });
    const limited = await scene.addToken({ model_limits_enabled: true, model_limits: 'text-moderation-stable' });
    const client = new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: limited.key, maxRetries: 0 });
    expect(await client.moderations.create({ input: 'ebb' })).toMatchObject({ model: 'text-moderation-stable' });
    expect(await failureOf(client.moderations.create({ model, input: 'ebb' }))).toMatchObject({ status: 403, code: 'model_denied' });
    expect(scene.upstream.requests.map(({ body }) => body)).toEqual(
      ['text-moderation-stable', model, 'text-moderation-stable'].map((name) => ({ input: 'ebb', model: name })),
    );
  });

  test('what is no input is refused by its name, and nothing is sent', async () => {
    await using scene = await open();
    for (const [input, field] of [
      [undefined, 'input'],
      ['', 'input'],
      [[], 'input'],
      [7, 'input'],
      [Array.from({ length: 2049 }, () => 'a'), 'input'],
      [['a', 7], 'input.1'],
      [[{ type: 'text' }], 'input.0.text'],
      [[{ type: 'audio', text: 'a' }], 'input.0.type'],
      [[{ type: 'image_url', image_url: png }], 'input.0.image_url'],
      [[{ type: 'image_url', image_url: {} }], 'input.0.image_url.url'],
    ] as const) {
      const response = await scene.post('/v1/moderations', { model, input });
      expect([response.status, await response.json()]).toMatchObject([400, { error: { param: field, type: 'invalid_request_error' } }]);
    }
    const spelled = await scene.post('/v1/moderations', { model, input: [{ type: 'text', text: 'a', Text: 'b' }] });
    expect([spelled.status, await spelled.json()]).toMatchObject([400, { error: { param: 'Text' } }]);
    expect(scene.upstream.requests).toEqual([]);
    await scene.checkBooks();
  });
});
