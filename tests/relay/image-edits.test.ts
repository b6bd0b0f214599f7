// Pictures made from pictures, through a running server: forms with files, and what is reserved and paid for them.
import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { pictureOf, pictureTokens } from '#tests/support/image-responses.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';

const metered = 'gpt-image-1';
const priced = 'dall-e-2';
const settings = {
  RetryTimes: '1',
  ModelPrice: JSON.stringify({ [priced]: 0.02 }),
  ModelRatio: JSON.stringify({ [metered]: 2.5 }),
  ImageRatio: JSON.stringify({ [metered]: 2 }),
  ImageCompletionRatio: JSON.stringify({ [metered]: 4 }),
};
const inputCost = 10 * 2.5 + 40 * 5;
/** Every byte there is, line breaks and all. */
const bytes = Buffer.from(Array.from({ length: 1024 }, (_, index) => index % 256));

describe.each(oneEngine)('edits and variations on $kind', (engine) => {
  const open = (options: SceneOptions = {}) =>
    createScene(engine, { channels: [{ models: `${metered},${priced}` }], ...options, settings: { ...settings, ...options.settings } });
  const sdk = ({ app, key }: RelayScene) => new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: key, maxRetries: 0 });
  const picture = (name: string, content: Buffer = bytes) => toFile(content, name, { type: 'image/png' });
  const post = (scene: RelayScene, path: string, body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(`${scene.app.origin}/v1/images/${path}`, { method: 'POST', headers: { authorization: `Bearer ${scene.key}`, ...headers }, body });

  test('files arrive as they were sent, with the name of the model at the provider', async () => {
    const channels = [
      { models: 'alias', model_mapping: JSON.stringify({ alias: metered }), param_override: JSON.stringify({ user: 'tide' }) },
    ];
    await using scene = await open({ channels, settings: { ModelRatio: JSON.stringify({ alias: 2.5 }) } });
    const response = await sdk(scene).images.edit({
      model: 'alias',
      image: [await picture('one.png'), await picture('"two"\n的.png', Buffer.from('--x\r\n\r\n--'))],
      mask: await picture('mask.png', Buffer.alloc(0)),
      prompt: 'a tide\r\nand more 潮',
      n: 2,
      quality: 'low',
    });
    expect(response.data?.map(({ b64_json: made }) => made)).toEqual([0, 1].map(pictureOf));
    const sent = scene.upstream.requests[0];
    expect(sent?.path).toBe('/v1/images/edits');
    expect(sent?.body).toEqual({ model: metered, prompt: 'a tide\r\nand more 潮', n: '2', quality: 'low', user: 'tide' });
    const files = sent?.files.toSorted((one, other) => one.name.localeCompare(other.name)) ?? [];
    expect(files.map(({ name, type, bytes: content }) => [name, type, content.length])).toEqual([
      ['image[]', 'image/png', bytes.length],
      ['image[]', 'image/png', 9],
      ['mask', 'image/png', 0],
    ]);
    expect(files[0]?.bytes.equals(bytes)).toBe(true);
    expect(files[1]?.bytes.toString()).toBe('--x\r\n\r\n--');
    expect(await scene.logs(1)).toMatchObject([{ model_name: 'alias', other: { units: { kind: 'image', count: 2, quality: 'low' } } }]);
    await scene.checkBooks();
  });

  test('tokens of pictures that were given are paid as those', async () => {
    await using scene = await open();
    await sdk(scene).images.edit({ model: metered, image: await picture('one.png'), prompt: 'a tide' });
    expect(await scene.logs(1)).toMatchObject([
      { quota: inputCost + pictureTokens * 20, other: { image_input: 40, image_ratio: 2, image_output: pictureTokens } },
    ]);
    await scene.checkBooks();
  });

  test('a variation is paid by the picture, and never free', async () => {
    await using scene = await open();
    const response = await sdk(scene).images.createVariation({ model: priced, image: await picture('one.png'), n: 2, size: '512x512' });
    expect(response.data).toHaveLength(2);
    expect(scene.upstream.requests[0]).toMatchObject({ path: '/v1/images/variations', body: { model: priced, n: '2', size: '512x512' } });
    expect(await scene.logs(1)).toMatchObject([{ quota: 18_000, other: { units: { count: 2, factor: 0.9 } } }]);
    await scene.checkBooks();
  });

  test('edits stream, and by JSON they take addresses', async () => {
    await using scene = await open();
    const stream = await sdk(scene).images.edit({
      model: metered,
      image: await picture('one.png'),
      prompt: 'a tide',
      stream: true,
      partial_images: 1,
    });
    const events = await Array.fromAsync(stream);
    expect(events.map(({ type }) => type)).toEqual(['image_edit.partial_image', 'image_edit.completed']);
    expect(scene.upstream.requests[0]?.body).toMatchObject({ stream: 'true', partial_images: '1' });
    const body = { model: metered, prompt: 'a tide', images: [{ image_url: 'data:image/png;base64,AAAA' }] };
    expect((await scene.post('/v1/images/edits', body)).status).toBe(200);
    expect(scene.upstream.requests[1]?.body).toEqual(body);
    expect(await scene.logs(2)).toMatchObject([{ is_stream: true, quota: inputCost + 1100 * 20 }, { is_stream: false }]);
    await scene.checkBooks();
  });

  test('another channel gets the same form', async () => {
    await using scene = await open({ channels: [{ models: metered, priority: 10 }, { models: metered }] });
    scene.upstream.queue({ status: 500 });
    // More than the overhead that is reserved with its bytes.
    const large = Buffer.concat(Array.from({ length: 200 }, () => bytes));
    await sdk(scene).images.edit({ model: metered, image: await picture('large.png', large), prompt: 'a tide' });
    const [first, second] = scene.upstream.requests;
    expect(second?.body).toEqual(first?.body);
    expect(second?.files[0]?.bytes.equals(large)).toBe(true);
    expect(scene.app.context.bodies.bytes).toBe(0);
    await scene.checkBooks();
  });

  test('the most is reserved: of pictures that are given, and of those that are made', async () => {
    await using scene = await open({ quota: 19_999, channels: [{ models: `${metered},${priced}` }] });
    const image = await picture('one.png');
    expect(await failureOf(sdk(scene).images.edit({ model: priced, image, prompt: 'a tide', n: 2 }))).toMatchObject({
      status: 403,
      code: 'insufficient_user_quota',
    });
    expect(await failureOf(sdk(scene).images.edit({ model: metered, image, prompt: 'a tide', quality: 'medium' }))).toMatchObject({
      status: 403,
    });
    expect(scene.upstream.requests).toEqual([]);
    await sdk(scene).images.edit({ model: priced, image, prompt: 'a tide', n: 1 });
    expect(await scene.balance()).toBe(9999);
    await scene.checkBooks();
  });

  test('what cannot be meant is refused by its name, and nothing is sent', async () => {
    await using scene = await open({ settings: { SensitiveWords: 'contraband' } });
    const form = (...fields: readonly (readonly [string, string | Blob])[]) => {
      const made = new FormData();
      for (const [name, value] of fields) made.append(name, value);
      return made;
    };
    const image = new Blob([bytes], { type: 'image/png' });
    const usual = [
      ['model', priced],
      ['prompt', 'a tide'],
      ['image', image],
    ] as const;
    for (const [path, body, param, code] of [
      ['edits', form(['model', priced], ['prompt', 'a tide']), 'image', 'invalid_request'],
      ['edits', form(['model', priced], ['image', image]), 'prompt', 'invalid_image_request'],
      ['edits', form(...usual, ['n', '11']), 'n', 'invalid_request'],
      ['edits', form(...usual, ['n', 'two']), 'n', 'invalid_request'],
      ['edits', form(...usual, ['size', '99999x99999']), 'size', 'invalid_request'],
      ['variations', form(['model', metered], ['image', image], ['size', '16x8193']), 'size', 'invalid_request'],
      ['edits', form(...usual, ['n', '1'], ['n', '9']), 'n', 'invalid_request'],
      ['edits', form(...usual, ['N', '9']), 'N', 'invalid_request'],
      ['edits', form(...usual, ['n[]', '9']), 'n[]', 'invalid_request'],
      ['edits', form(...usual, ['stream', '1']), 'stream', 'invalid_request'],
      ['edits', form(...usual, ['user', image]), 'user', 'invalid_request'],
      ['edits', form(...usual, ['mask', 'a text']), 'mask', 'invalid_request'],
      ['edits', form(...usual, ['mask', image], ['mask', image]), 'mask', 'invalid_request'],
      ['edits', form(...usual, ...Array.from({ length: 16 }, () => ['image[]', image] as const)), 'image', 'invalid_request'],
      ['edits', form(...usual, ['output_format', 'svg']), 'output_format', 'untranslatable'],
      ['edits', form(['model', priced], ['prompt', 'some contraband'], ['image', image]), '', 'sensitive_words_detected'],
      ['variations', form(...usual, ['image', image]), 'image', 'invalid_request'],
    ] as const) {
      const refused = await post(scene, path, body);
      expect([await refused.json(), refused.status]).toMatchObject([{ error: { param, code } }, 400]);
    }
    for (const [path, body, param, code] of [
      ['edits', { model: priced, prompt: 'a' }, 'images', 'invalid_request'],
      ['edits', { model: priced, prompt: 'a', images: [{ file_id: 'file-1' }] }, 'images.0.file_id', 'account_object_refused'],
      [
        'edits',
        { model: priced, prompt: 'a', images: [{ image_url: 'https://a' }], mask: { file_id: 'f' } },
        'mask.file_id',
        'account_object_refused',
      ],
      ['variations', { model: priced }, 'image', 'invalid_request'],
    ] as const) {
      expect(await (await scene.post(`/v1/images/${path}`, body)).json()).toMatchObject({ error: { param, code } });
    }
    expect(scene.upstream.requests).toEqual([]);
  });

  test('forms that two readers would read differently are refused', async () => {
    await using scene = await open();
    const part = (head: string, content = 'a') => `--x\r\n${head}\r\n\r\n${content}\r\n`;
    const named = (name: string) => `Content-Disposition: form-data; name="${name}"`;
    for (const body of [
      '',
      '--x--',
      'a preamble\r\n--x--\r\n',
      part(named('prompt')),
      `${part('Content-Disposition: form-data')}--x--\r\n`,
      `${part(`${named('prompt')}; name="model"`)}--x--\r\n`,
      `${part(`${named('prompt')}\r\n${named('model')}`)}--x--\r\n`,
      `${part(`${named('prompt')}\r\nContent-Transfer-Encoding: base64`)}--x--\r\n`,
      `${part(`${named('prompt')}\r\n folded: yes`)}--x--\r\n`,
      `${part(named('a')).repeat(101)}--x--\r\n`,
      `${part(named('prompt'), 'x'.repeat(1024 * 1024 + 1))}--x--\r\n`,
    ]) {
      const refused = await post(scene, 'edits', body, { 'content-type': 'multipart/form-data; boundary=x' });
      expect([refused.status, body.slice(0, 80)]).toEqual([400, body.slice(0, 80)]);
    }
    expect(scene.upstream.requests).toEqual([]);
    // Elsewhere a form is no body.
    const refused = await post(scene, 'generations', '--x--\r\n', { 'content-type': 'multipart/form-data; boundary=x' });
    expect(refused.status).toBe(400);
    expect(scene.app.context.bodies.bytes).toBe(0);
  });
});
