// Pictures through a running server: what they are paid by, what is reserved for them, and their streams.
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { pictureOf, pictureTokens } from '#tests/support/image-responses.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';

/** 20,000 quota a picture. */
const priced = 'dall-e-3';
/** By tokens: 2.5 a token of text that is read, 5 of pictures, 20 of pictures that are made. */
const metered = 'gpt-image-1';
const settings = {
  RetryTimes: '0',
  ModelPrice: JSON.stringify({ [priced]: 0.04, 'grok-2-image': 0.07, 'siliconflow-flux': 0.01, 'dall-e-2': 0.02 }),
  ModelRatio: JSON.stringify({ [metered]: 2.5, 'old-painter': 8, alias: 2.5 }),
  ImageRatio: JSON.stringify({ [metered]: 2 }),
  ImageCompletionRatio: JSON.stringify({ [metered]: 4 }),
};
const inputCost = 10 * 2.5 + 40 * 5;

describe.each(oneEngine)('pictures on $kind', (engine) => {
  const open = (options: SceneOptions = {}) =>
    createScene(engine, {
      channels: [
        { models: `${priced},${metered},old-painter,dall-e-2` },
        { type: 48, models: 'grok-2-image' },
        { type: 40, models: 'siliconflow-flux' },
      ],
      ...options,
      settings: { ...settings, ...options.settings },
    });
  const sdk = ({ app, key }: RelayScene) => new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: key, maxRetries: 0 });
  const ask = async (scene: RelayScene, body: object) => {
    const response = await scene.post('/v1/images/generations', { model: priced, prompt: 'a tide', ...body });
    return { status: response.status, dropped: response.headers.get('x-tidegate-dropped'), body: await response.json() };
  };

  test.each([
    { requested: {}, quota: 20_000, units: { kind: 'image', count: 1 } },
    { requested: { n: 2, size: '1024x1024' }, quota: 40_000, units: { kind: 'image', count: 2, size: '1024x1024' } },
    { requested: { quality: 'hd' }, quota: 40_000, units: { kind: 'image', count: 1, factor: 2, quality: 'hd' } },
    {
      requested: { n: 3, size: '1024x1792', quality: 'hd' },
      quota: 180_000,
      units: { kind: 'image', count: 3, factor: 3, size: '1024x1792', quality: 'hd' },
    },
    // The vendor charges $0.016 for these, compared to $0.020 for 1024x1024.
    { requested: { model: 'dall-e-2', size: '256x256' }, quota: 8000, units: { kind: 'image', count: 1, factor: 0.8, size: '256x256' } },
    {
      requested: { model: 'siliconflow-flux', size: '256x256' },
      quota: 2000,
      units: { kind: 'image', count: 1, factor: 0.4, size: '256x256' },
    },
  ] as const)('a price per call is paid for each picture, by its size and quality: $asked', async ({ requested, quota, units }) => {
    await using scene = await open();
    const response = await sdk(scene).images.generate({ model: priced, prompt: 'a tide', ...requested });
    expect(response.data).toHaveLength(units.count);
    expect(response.data?.[0]).toMatchObject({ url: 'https://img.example/0.png' });
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ quota, completion_tokens: 0, is_stream: false });
    expect(row?.other?.units).toEqual(units);
    expect(await scene.balance()).toBe(500_000_000 - quota);
    await scene.checkBooks();
  });

  test('tokens are paid by what they are of', async () => {
    await using scene = await open();
    const response = await sdk(scene).images.generate({ model: metered, prompt: 'a tide', n: 2 });
    expect(response.data?.map(({ b64_json: picture }) => picture)).toEqual([pictureOf(0), pictureOf(1)]);
    expect(response.usage).toMatchObject({ output_tokens: 2 * pictureTokens });
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ quota: inputCost + 2 * pictureTokens * 20, prompt_tokens: 50, completion_tokens: 2000 });
    expect(row?.other).toMatchObject({ image_input: 40, image_ratio: 2, image_output: 2000, image_output_ratio: 8, units: { count: 2 } });
    await scene.checkBooks();
  });

  test('where no tokens are told the pictures are paid all the same', async () => {
    await using scene = await open();
    await ask(scene, { model: 'old-painter', n: 2, size: '512x512' });
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ completion_source: 'estimated' });
    // $0.0025 of each at the ratio 1, by its size, and the prompt.
    expect(row).toMatchObject({ completion_tokens: 1125, quota: 8 * (1125 + (row?.prompt_tokens ?? 0)) });
    scene.upstream.behave({ usage: { input_tokens: -5, output_tokens: 1 } });
    expect(await ask(scene, { model: metered })).toMatchObject({ status: 502 });
    await scene.checkBooks();
  });

  test('the most that they can cost is reserved; who has less is refused before anything is sent', async () => {
    await using scene = await open({ quota: 179_999 });
    const dear = { n: 3, size: '1024x1792', quality: 'hd' };
    expect(await ask(scene, dear)).toMatchObject({ status: 403, body: { error: { code: 'insufficient_user_quota' } } });
    expect(await ask(scene, { model: metered, quality: 'high', size: '1536x1024', n: 2 })).toMatchObject({ status: 403 });
    expect(await ask(scene, { model: metered, quality: 'high', size: '1x1', n: 3 })).toMatchObject({ status: 403 });
    expect(scene.upstream.requests).toEqual([]);
    expect(await ask(scene, { ...dear, n: 2 })).toMatchObject({ status: 200 });
    expect(await scene.balance()).toBe(59_999);
    expect(await ask(scene, { model: metered, quality: 'low', size: '1024x1024' })).toMatchObject({ status: 200 });
    expect(await scene.balance()).toBe(59_999 - inputCost - pictureTokens * 20);
    await scene.checkBooks();
  });

  test("a deployment's name changes nothing: the size and the quality of what was asked for are paid, and reserved", async () => {
    const mapping = { [priced]: 'deploy-7', 'dall-e-2': 'deploy-8' };
    const channels = [{ type: 3, other: '2025-04-01-preview', models: `${priced},dall-e-2`, model_mapping: JSON.stringify(mapping) }];
    await using scene = await open({ channels, quota: 128_000 });
    expect(await ask(scene, { n: 3, size: '1024x1792', quality: 'hd' })).toMatchObject({ status: 403 });
    expect(scene.upstream.requests).toEqual([]);
    expect(await ask(scene, { n: 2, size: '1024x1792', quality: 'hd' })).toMatchObject({ status: 200 });
    expect(await ask(scene, { model: 'dall-e-2', size: '256x256' })).toMatchObject({ status: 200 });
    expect(scene.upstream.requests[0]?.path).toContain('/openai/deployments/deploy-7/images/generations');
    const rows = await scene.logs(2);
    expect(rows).toMatchObject([
      { quota: 120_000, other: { units: { factor: 3 } } },
      { quota: 8000, other: { units: { factor: 0.8 } } },
    ]);
    expect(await scene.balance()).toBe(0);
    await scene.checkBooks();
  });

  test('what a mapping makes of the model decides what is reserved and paid', async () => {
    const channels = [{ models: 'alias,pictures', model_mapping: JSON.stringify({ alias: metered, pictures: priced }) }];
    await using scene = await open({ channels, quota: 79_999, settings: { ModelPrice: JSON.stringify({ pictures: 0.04 }) } });
    expect(await ask(scene, { model: 'pictures', quality: 'hd', n: 2 })).toMatchObject({ status: 403 });
    // 16,640 tokens at 2.5 each.
    expect(await ask(scene, { model: 'alias', quality: 'high', size: '1024x1024', n: 8 })).toMatchObject({ status: 403 });
    expect(await ask(scene, { model: 'pictures', quality: 'hd' })).toMatchObject({ status: 200 });
    expect(scene.upstream.requests[0]?.body).toMatchObject({ model: priced });
    expect(await scene.balance()).toBe(39_999);
    await scene.checkBooks();
  });

  test('a stream has its pictures as they come, and its end when it is paid', async () => {
    await using scene = await open();
    const stream = await sdk(scene).images.generate({ model: metered, prompt: 'a tide', stream: true, partial_images: 2 });
    const events = await Array.fromAsync(stream);
    expect(events.map(({ type }) => type)).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ]);
    expect(events[2]).toMatchObject({ b64_json: pictureOf(0), usage: { output_tokens: pictureTokens + 200 } });
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ is_stream: true, quota: inputCost + 1200 * 20 });
    expect(row?.other).not.toHaveProperty('ending');
    expect(scene.upstream.requests[0]?.body).toMatchObject({ stream: true, partial_images: 2 });
    await scene.checkBooks();
  });

  test('of several pictures of a stream each is paid', async () => {
    await using scene = await open();
    scene.upstream.behave({ bytesPerWrite: 97, lineEnd: '\r\n', comments: true });
    const stream = await sdk(scene).images.generate({ model: metered, prompt: 'a tide', stream: true, n: 3 });
    const events = await Array.fromAsync(stream);
    expect(events.map((event) => event.b64_json)).toEqual([0, 1, 2].map(pictureOf));
    expect(await scene.logs(1)).toMatchObject([{ quota: 3 * inputCost + 3 * pictureTokens * 20, other: { units: { count: 3 } } }]);
    await scene.checkBooks();
  });

  test('a stream of a provider that only answers whole is told as one', async () => {
    await using scene = await open();
    scene.upstream.behave({ garbage: 'json to a stream' });
    const stream = await sdk(scene).images.generate({ model: metered, prompt: 'a tide', stream: true, n: 2 });
    const events = await Array.fromAsync(stream);
    expect(events.map(({ type, b64_json: picture }) => [type, picture])).toEqual(
      [0, 1].map((index) => ['image_generation.completed', pictureOf(index)]),
    );
    expect(await scene.logs(1)).toMatchObject([{ quota: inputCost + 2 * pictureTokens * 20 }]);
    await scene.checkBooks();
  });

  test.each([
    { behaviour: { cutAfter: 1 }, ending: 'truncated' },
    { behaviour: { endAfter: 1 }, ending: 'truncated' },
    { behaviour: { errorAfter: 1 }, ending: 'upstream_error' },
  ])('of a stream that its provider breaks off what has come is charged: $behaviour', async ({ behaviour, ending }) => {
    await using scene = await open();
    scene.upstream.behave(behaviour);
    const stream = await sdk(scene).images.generate({ model: metered, prompt: 'a tide', stream: true, partial_images: 3 });
    expect(await failureOf(Array.fromAsync(stream))).toBeInstanceOf(Error);
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending, units: { count: 0 }, completion_source: 'estimated', image_output: 200 });
    expect(row).toMatchObject({ completion_tokens: 200, quota: Math.ceil((row?.prompt_tokens ?? 0) * 2.5 + 200 * 20) });
    await scene.checkBooks();
  });

  test('a stream that its provider breaks off before anything of a picture has come costs nothing', async () => {
    await using upstream = await startRawUpstream((response) => {
      response.write('data: {"type":"image_generation.in_progress"}\n\n', () => response.destroy());
    });
    await using scene = await open({ channels: [{ base_url: upstream.url, models: metered }] });
    const stream = await sdk(scene).images.generate({ model: metered, prompt: 'a tide', stream: true, partial_images: 3 });
    expect(await failureOf(Array.fromAsync(stream))).toBeInstanceOf(Error);
    expect(await scene.logs(1)).toMatchObject([{ quota: 0, prompt_tokens: 0, other: { ending: 'truncated' } }]);
    await scene.checkBooks();
  });

  test('where a provider tells no tokens the picture is paid that has come, not the dearest that there is', async () => {
    await using scene = await open();
    scene.upstream.behave({ usage: 'none' });
    const requested = { model: metered, prompt: 'a tide', n: 2, size: 'auto', quality: 'auto' } as const;
    await Array.fromAsync(await sdk(scene).images.generate({ ...requested, stream: true, partial_images: 1 }));
    await sdk(scene).images.generate(requested);
    const [streamed, whole] = await scene.logs(2);
    // Squares of the best quality; of the largest ones 6,240 were reserved.
    expect(streamed).toMatchObject({ completion_tokens: 2 * (4160 + 100), other: { completion_source: 'estimated', units: { count: 2 } } });
    expect(whole).toMatchObject({ completion_tokens: 2 * 4160, other: { completion_source: 'estimated', units: { count: 2 } } });
    await scene.checkBooks();
  });

  test('who leaves a stream pays for the picture that is being made', async () => {
    await using scene = await open();
    scene.upstream.behave({ holdAfter: 0 });
    const client = new AbortController();
    const stream = await sdk(scene).images.generate(
      { model: metered, prompt: 'a tide', stream: true, partial_images: 1, quality: 'low', size: '1024x1024' },
      { signal: client.signal },
    );
    for await (const event of stream) {
      expect(event.type).toBe('image_generation.partial_image');
      client.abort();
    }
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ completion_tokens: 372, other: { ending: 'client_closed' } });
    expect(await scene.upstream.requests[0]?.closed).toBe('aborted');
    await scene.checkBooks();
  });

  test('providers are asked in their own words', async () => {
    await using scene = await open();
    const fields = { n: 2, size: '1024x1024' };
    const grok = await ask(scene, { model: 'grok-2-image', ...fields });
    expect([grok.status, grok.dropped]).toEqual([200, 'size']);
    expect(scene.upstream.requests.at(-1)?.body).toEqual({ model: 'grok-2-image', prompt: 'a tide', n: 2 });
    const silicon = await ask(scene, { model: 'siliconflow-flux', ...fields });
    expect(silicon.body).toEqual({
      created: expect.any(Number),
      data: [0, 1].map((index) => ({ url: `https://img.example/${index}.png` })),
    });
    expect(scene.upstream.requests.at(-1)?.body).toEqual({
      model: 'siliconflow-flux',
      prompt: 'a tide',
      batch_size: 2,
      image_size: '1024x1024',
    });
    expect(await scene.logs(2)).toMatchObject([{ quota: 70_000 }, { quota: 10_000 }]);
  });

  test('overrides of the channel are what is made and paid', async () => {
    await using scene = await open({ channels: [{ models: priced, param_override: JSON.stringify({ n: 2, size: '1024x1792' }) }] });
    await ask(scene, { n: 1, size: '1024x1024' });
    expect(await scene.logs(1)).toMatchObject([{ quota: 80_000, other: { units: { count: 2, factor: 2, size: '1024x1792' } } }]);
    await scene.checkBooks();
    await using poor = await open({
      quota: 79_999,
      channels: [{ models: priced, param_override: JSON.stringify({ n: 2, size: '1024x1792' }) }],
    });
    expect(await ask(poor, { n: 1 })).toMatchObject({ status: 403 });
  });

  test('what goes on as the caller wrote it is paid as the caller ordered it, whatever the channel overrides', async () => {
    const channels = [{ models: priced, param_override: JSON.stringify({ n: 1, size: '256x256' }) }];
    await using scene = await open({ channels, settings: { 'global.pass_through_request_enabled': 'true' } });
    await ask(scene, { n: 3, quality: 'hd' });
    expect(scene.upstream.requests[0]?.body).toMatchObject({ n: 3, quality: 'hd' });
    expect(await scene.logs(1)).toMatchObject([{ quota: 120_000, other: { units: { count: 3, factor: 2, quality: 'hd' } } }]);
    await scene.checkBooks();
  });

  test('who names no model gets one that is served', async () => {
    await using scene = await open();
    const response = await scene.post('/v1/images/generations', { prompt: 'a tide' });
    expect(response.status).toBe(200);
    expect(await scene.logs(1)).toMatchObject([{ model_name: 'dall-e-2', quota: 10_000 }]);
  });

  test('what cannot be meant is refused by its name, and nothing is sent', async () => {
    await using scene = await open();
    for (const [fields, param, code] of [
      [{ prompt: '' }, 'prompt', 'invalid_image_request'],
      [{ prompt: ['a'] }, 'prompt', 'invalid_request'],
      [{ n: 0 }, 'n', 'invalid_request'],
      [{ n: -3 }, 'n', 'invalid_request'],
      [{ n: 11 }, 'n', 'invalid_request'],
      [{ n: 1.5 }, 'n', 'invalid_request'],
      [{ n: '2' }, 'n', 'invalid_request'],
      [{ size: '1024×1024' }, 'size', 'invalid_image_request'],
      [{ size: '256x256' }, 'size', 'invalid_image_request'],
      [{ size: 7 }, 'size', 'invalid_request'],
      [{ model: metered, size: '99999x99999' }, 'size', 'invalid_request'],
      [{ model: metered, size: `1*${'9'.repeat(30)}` }, 'size', 'invalid_request'],
      [{ quality: 'x'.repeat(33) }, 'quality', 'invalid_request'],
      [{ stream: 'yes' }, 'stream', 'invalid_request'],
      [{ partial_images: 4 }, 'partial_images', 'invalid_request'],
      [{ frame_count: 17 }, 'frame_count', 'invalid_request'],
      [{ model: metered, output_format: 'svg' }, 'output_format', 'untranslatable'],
    ] as const) {
      expect(await ask(scene, fields)).toMatchObject({ status: 400, body: { error: { param, code } } });
    }
    const twice = `{"model":"${priced}","prompt":"a","n":1,"N":9}`;
    expect((await scene.post('/v1/images/generations', twice)).status).toBe(400);
    expect(scene.upstream.requests).toEqual([]);
    expect(await scene.balance()).toBe(500_000_000);
  });
});
