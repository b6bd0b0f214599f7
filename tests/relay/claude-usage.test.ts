// Charges if a provider of Claude's format reports its usage in part, or reports impossible numbers.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

const model = 'claude-sonnet-4-5';
const messages = [{ role: 'user', content: 'When is high water in Brest, and when in Dover? Say it in one sentence.' }];
const paths = ['/v1/messages', '/v1/chat/completions'];
const cases = oneEngine.flatMap((engine) => paths.map((path) => ({ engine, kind: engine.kind, path })));

describe.each(cases)('usage of a Claude channel on $kind, asked at $path', ({ engine, path }) => {
  const open = () => createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ type: 14, models: model }] });
  const ask = async (scene: RelayScene, stream: boolean) => {
    const response = await scene.post(path, { model, max_tokens: 200, messages, stream });
    return { status: response.status, text: await response.text() };
  };

  test.each([
    { stream: true, usage: { output_tokens: 7 } },
    { stream: true, usage: { input_tokens: 0, output_tokens: 7 } },
    { stream: false, usage: { output_tokens: 7 } },
    { stream: false, usage: { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 7 } },
  ])('a prompt that was not told is counted, and the output is as told: %j', async ({ stream, usage }) => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Noon and one.', usage });
    const { status, text } = await ask(scene, stream);
    expect(status).toBe(200);
    const [row] = await scene.logs(1);
    expect(row?.prompt_tokens).toBeGreaterThan(15);
    expect(row?.completion_tokens).toBe(7);
    expect(row?.other).toMatchObject({ prompt_source: 'counted', completion_source: 'upstream' });
    if (path === '/v1/chat/completions' && !stream)
      expect(JSON.parse(text)).toMatchObject({ usage: { prompt_tokens: row?.prompt_tokens } });
    await scene.checkBooks();
  });

  test.each([true, false])('an output that was not told is counted, and the input is as told (stream: %s)', async (stream) => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Noon in Brest and one in Dover.', usage: { input_tokens: 33 } });
    expect((await ask(scene, stream)).status).toBe(200);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: 33 });
    expect(row?.completion_tokens).toBeGreaterThan(5);
    await scene.checkBooks();
  });

  test('a prompt that was cached is not counted', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Noon.', usage: { input_tokens: 0, cache_read_input_tokens: 40, output_tokens: 7 } });
    await ask(scene, true);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: 40, completion_tokens: 7 });
    await scene.checkBooks();
  });

  test.each([
    { input_tokens: -1, output_tokens: 7 },
    { input_tokens: 5, output_tokens: 1.5 },
    { input_tokens: 2e9, output_tokens: 7 },
  ])('a stream whose usage cannot be true is counted and ends with an error: %j', async (usage) => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Noon in Brest and one in Dover.', usage });
    const { text } = await ask(scene, true);
    expect(text).toContain('error');
    const [row] = await scene.logs(1);
    expect(row?.prompt_tokens).toBeGreaterThan(15);
    expect(row?.prompt_tokens).toBeLessThan(60);
    expect(row?.completion_tokens).toBeGreaterThan(5);
    expect(row?.completion_tokens).toBeLessThan(20);
    expect(row?.other).toMatchObject({ ending: 'invalid_usage' });
    await scene.checkBooks();
  });

  test.each([true, false])(
    'summaries and advice that the provider had written within the call are charged beside the rest (stream: %s)',
    async (stream) => {
      await using scene = await open();
      const cache_creation = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 30 };
      const own = { input_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 7 };
      const summary = {
        type: 'compaction',
        input_tokens: 900,
        cache_read_input_tokens: 50,
        cache_creation_input_tokens: 30,
        output_tokens: 300,
      };
      const iterations = [
        { ...summary, cache_creation },
        { ...summary, type: 'advisor_message', model: 'a-model-without-a-price', output_tokens: 1, cache_creation },
        { ...own, type: 'message' },
      ];
      scene.upstream.queue({ text: 'Noon.', usage: { ...own, iterations } }, { text: 'Noon.', usage: own });
      expect((await ask(scene, stream)).status).toBe(200);
      await ask(scene, stream);
      const [row, plain] = await scene.logs(2);
      expect(row).toMatchObject({ prompt_tokens: 2060, completion_tokens: 308 });
      expect(row?.other).toMatchObject({
        cache_tokens: 100,
        cache_creation_tokens: 60,
        cache_creation_tokens_1h: 60,
        prompt_source: 'upstream',
      });
      expect(plain).toMatchObject({ prompt_tokens: 100, completion_tokens: 7 });
      await scene.checkBooks();
    },
  );

  test.each([true, false])('advice of a model that has a price is charged at that, beside the tokens (stream: %s)', async (stream) => {
    const adviser = 'claude-opus-4-6';
    await using scene = await createScene(engine, {
      settings: {
        SelfUseModeEnabled: 'true',
        ModelRatio: JSON.stringify({ [model]: 1, [adviser]: 10 }),
        CompletionRatio: JSON.stringify({ [model]: 2, [adviser]: 5 }),
        CacheRatio: JSON.stringify({ [adviser]: 0.1 }),
        GroupRatio: JSON.stringify({ default: 0.5 }),
      },
      channels: [{ type: 14, models: model }],
    });
    const own = { input_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 7 };
    const advice = { ...own, type: 'advisor_message', model: adviser, cache_read_input_tokens: 50, output_tokens: 30 };
    const iterations = [advice, { ...own, type: 'message' }, { ...advice, input_tokens: 200, cache_read_input_tokens: 0 }];
    scene.upstream.queue({ text: 'Noon.', usage: { ...own, iterations } });
    expect((await ask(scene, stream)).status).toBe(200);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: 100, completion_tokens: 7 });
    // (300 + 50 × 0.1 + 60 × 5) × 10 units of 0.000002 dollars each.
    const price = (300 + 5 + 300) * 10 * 0.000_002 * 1000;
    expect(row?.other).toMatchObject({ advice: [{ model: adviser, prompt_tokens: 350, completion_tokens: 60, price }] });
    expect(row?.quota).toBe(Math.ceil(0.5 * (100 + 7 * 2 + (300 + 5 + 300) * 10)));
    await scene.checkBooks();
  });

  test('a whole response whose usage cannot be true is none', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Noon.', usage: { input_tokens: -1, output_tokens: 7 } });
    expect((await ask(scene, false)).status).toBe(502);
    await scene.checkBooks();
  });
});
