// Pictures that callers of Gemini's format order by `:predict`, from every provider.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, oneEngine } from '#tests/support/engines.ts';
import { startFakeInternet } from '#tests/support/fake-internet.ts';
import { type FakePainter, type PainterName, startFakePainter } from '#tests/support/fake-painters.ts';
import { pictureOf } from '#tests/support/image-responses.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';

const price = 20_000;
const imagen = 'imagen-4.0-generate-001';

interface Open extends AsyncDisposable {
  scene: RelayScene;
  painter: FakePainter | undefined;
}

/** @param name missing: the fake upstream of OpenAI's format */
async function open(engine: Engine, { name, model }: { name?: PainterName; model: string }): Promise<Open> {
  const internet = await startFakeInternet();
  internet.serve((visit, response) => {
    const index = Number(/picture-(\d)/.exec(visit.path)?.[1] ?? 0);
    response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from(pictureOf(index), 'base64'));
  });
  let painter: FakePainter | undefined;
  const scene = await createScene(engine, {
    network: internet.network,
    settings: { RetryTimes: '0', ModelPrice: JSON.stringify({ [model]: 0.04 }) },
    channels: [{ models: model }],
    ...(name === undefined ? {} : { front: async (upstreamUrl: string) => (painter = await startFakePainter(name, upstreamUrl)) }),
  });
  const dispose = async () => {
    await scene[Symbol.asyncDispose]();
    await internet[Symbol.asyncDispose]();
  };
  return { scene, painter, [Symbol.asyncDispose]: dispose };
}

async function predict({ scene }: Open, model: string, body: object) {
  const response = await fetch(`${scene.app.origin}/v1beta/models/${model}:predict`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': scene.key },
    body: JSON.stringify(body),
  });
  return { status: response.status, dropped: response.headers.get('x-tidegate-dropped'), body: await response.json() };
}

const instances = [{ prompt: 'a tide' }];
const predictions = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ mimeType: 'image/png', bytesBase64Encoded: pictureOf(index), ...more }));

describe.each(oneEngine)('pictures by :predict on $kind', (engine) => {
  let distrust = () => {};
  beforeAll(() => {
    distrust = trustLocalhost();
  });
  afterAll(() => distrust());

  test.each(['google', 'vertex'] as const)('Imagen at %s takes and returns them as they are', async (name) => {
    await using desk = await open(engine, { name, model: imagen });
    const parameters = { sampleCount: 2, aspectRatio: '16:9' };
    expect(await predict(desk, imagen, { instances, parameters })).toEqual({
      status: 200,
      dropped: null,
      body: { predictions: [...predictions(2, { prompt: 'a wide tide' }), { raiFilteredReason: 'one was filtered' }] },
    });
    expect(desk.painter?.taken).toEqual([{ instances, parameters }]);
    const [row] = await desk.scene.logs(1);
    expect(row).toMatchObject({ quota: 2 * price });
    await desk.scene.checkBooks();
  });

  test('more than Imagen makes at a time are ordered by several calls', async () => {
    await using desk = await open(engine, { name: 'google', model: imagen });
    const { status, body } = await predict(desk, imagen, { instances, parameters: { sampleCount: 6 } });
    expect([status, (body as { predictions: object[] }).predictions.filter((row) => 'bytesBase64Encoded' in row)]).toEqual([
      200,
      [...predictions(4, { prompt: 'a wide tide' }), ...predictions(2, { prompt: 'a wide tide' })],
    ]);
    expect(desk.painter?.taken.map(({ parameters }) => parameters)).toEqual([{ sampleCount: 4 }, { sampleCount: 2 }]);
    const [row] = await desk.scene.logs(1);
    expect(row).toMatchObject({ quota: 6 * price });
    await desk.scene.checkBooks();
  });

  test('a model that writes its pictures is asked for each of them', async () => {
    const model = 'gemini-3-pro-image-preview';
    await using desk = await open(engine, { name: 'google', model });
    const parameters = { sampleCount: 2, aspectRatio: '16:9', sampleImageSize: '2K', personGeneration: 'allow_all' };
    const { status, dropped, body } = await predict(desk, model, { instances, parameters });
    expect([status, dropped]).toEqual([200, 'parameters.personGeneration']);
    expect(body).toEqual({ predictions: [...predictions(1), ...predictions(1)] });
    expect(desk.painter?.taken[0]).toMatchObject({ generationConfig: { imageConfig: { aspectRatio: '16:9', imageSize: '2K' } } });
    const [row] = await desk.scene.logs(1);
    expect(row).toMatchObject({ quota: 2 * price });
  });

  test('a provider that names its pictures by addresses is read there', async () => {
    const model = 'wanx2.1-t2i-turbo';
    await using desk = await open(engine, { name: 'dashscope', model });
    const parameters = { sampleCount: 2, aspectRatio: '1:1', negativePrompt: 'sand', seed: 7 };
    expect(await predict(desk, model, { instances, parameters })).toEqual({
      status: 200,
      dropped: null,
      body: { predictions: predictions(2, { prompt: 'a wide tide' }) },
    });
    expect(desk.painter?.taken[0]).toMatchObject({
      input: { prompt: 'a tide', negative_prompt: 'sand' },
      parameters: { size: '1024*1024', n: 2, seed: 7 },
    });
  });

  test.each([
    {
      model: 'dall-e-2',
      parameters: { sampleCount: 2, aspectRatio: '16:9' },
      sent: { n: 2, size: '1024x1024', response_format: 'b64_json' },
    },
    { model: 'grok-2-image', parameters: { sampleCount: 1 }, sent: { n: 1, response_format: 'b64_json' } },
    {
      model: 'gpt-image-1',
      parameters: { aspectRatio: '3:4', outputOptions: { mimeType: 'image/webp' } },
      sent: { n: 4, size: '1024x1536', output_format: 'webp' },
    },
  ])('$model makes them in OpenAI’s words', async ({ model, parameters, sent }) => {
    await using desk = await open(engine, { model });
    const { status, body } = await predict(desk, model, { instances, parameters });
    expect([status, body]).toMatchObject([200, { predictions: predictions(sent.n) }]);
    expect(desk.scene.upstream.requests.at(-1)?.body).toEqual({ model, prompt: 'a tide', ...sent });
    const [row] = await desk.scene.logs(1);
    expect(row).toMatchObject({ quota: sent.n * price });
    expect(await desk.scene.balance()).toBe(500_000_000 - sent.n * price);
    await desk.scene.checkBooks();
  });

  test('a number that nobody names is the vendor’s own, and only what comes is paid', async () => {
    await using desk = await open(engine, { name: 'google', model: imagen });
    desk.painter?.behave({ instead: { predictions: predictions(1) } });
    expect(await predict(desk, imagen, { instances })).toMatchObject({ status: 200, body: { predictions: predictions(1) } });
    const [row] = await desk.scene.logs(1);
    expect(row).toMatchObject({ quota: price });
  });

  test('pictures that are all filtered are a refusal, and cost nothing', async () => {
    await using desk = await open(engine, { name: 'google', model: imagen });
    desk.painter?.behave({ instead: { predictions: [{ raiFilteredReason: 'a person' }] } });
    const { status, body } = await predict(desk, imagen, { instances });
    expect([status, body]).toMatchObject([
      400,
      { error: { code: 400, status: 'INVALID_ARGUMENT', message: expect.stringContaining('a person') } },
    ]);
    expect(await desk.scene.balance()).toBe(500_000_000);
  });

  test.each([
    [{ parameters: {} }, 'instances'],
    [{ instances: [{ prompt: 'a' }, { prompt: 'b' }] }, 'instances'],
    [{ instances: [{ prompt: '' }] }, 'instances.0.prompt'],
    [{ instances, parameters: { sampleCount: 11 } }, 'parameters.sampleCount'],
    [{ instances, parameters: { aspectRatio: '0:1' } }, 'parameters.aspectRatio'],
    [{ instances, parameters: { storageUri: 'gs://bucket/x' } }, 'parameters.storageUri'],
    [{ instances: [{ prompt: 'a', image: { gcsUri: 'gs://bucket/x' } }] }, 'instances.0.image.gcsUri'],
    [
      { instances: [{ prompt: 'a', referenceImages: [{ referenceImage: { gcsUri: 'gs://b/x' } }] }] },
      'instances.0.referenceImages.0.referenceImage.gcsUri',
    ],
  ])('%j is refused by its field', async (body, field) => {
    await using desk = await open(engine, { name: 'google', model: imagen });
    const answer = await predict(desk, imagen, body);
    expect([answer.status, answer.body]).toMatchObject([400, { error: { status: 'INVALID_ARGUMENT' } }]);
    expect(JSON.stringify(answer.body)).toContain(`"field":"${field}"`);
    expect(desk.painter?.taken).toEqual([]);
  });

  test('what pictures are made from is refused before a provider that has no place for it', async () => {
    await using desk = await open(engine, { model: 'dall-e-2' });
    const answer = await predict(desk, 'dall-e-2', { instances: [{ prompt: 'a', referenceImages: [{ referenceId: 1 }] }] });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining('instances.0.referenceImages')]);
    expect(desk.scene.upstream.requests).toEqual([]);
  });
});
