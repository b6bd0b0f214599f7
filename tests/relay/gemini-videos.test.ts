// Videos that callers of Gemini's format order by `:predictLongRunning`, from every provider.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { type FakeVideos, film, soraServing, startFakeVideos } from '#tests/support/fake-videos.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';
import { createVideoScene, type VideoCustomer, type VideoScene } from '#tests/support/video-scene.ts';

const start = 10_000_000;
/** A second costs 0.1 dollars of Sora, and 0.4 of Veo. */
const [ofSora, ofVeo] = [50_000, 200_000];
const veo = 'veo-3.1-generate-preview';
const there = `models/${veo}/operations/op1`;
const png = Buffer.from('89504e470d0a1a0a00000000', 'hex').toString('base64');
const prompt = 'a harbour at dawn';

afterAll(trustLocalhost());

describe.each(engines)('videos of Gemini’s callers on $kind', (engine) => {
  let scene: VideoScene;
  let google: FakeVideos;
  let openai: FakeVideos;
  let reported: object = {};
  const sora = soraServing();
  beforeAll(async () => {
    openai = await startFakeVideos(sora.serving);
    google = await startFakeVideos(({ method, path }) => {
      if (method === 'POST' && path === `/v1beta/models/${veo}:predictLongRunning`) return { body: { name: there } };
      if (method === 'GET' && path === `/v1beta/${there}`) return { body: { name: there, ...reported } };
      return path === '/v1beta/files/abc:download?alt=media' ? { bytes: film, type: 'video/mp4' } : undefined;
    });
    scene = await createVideoScene(engine);
    await scene.set('ModelPrice', JSON.stringify({ [veo]: 0.4, 'sora-2': 0.1 }));
    await scene.addChannel({ type: 24, models: veo, base_url: google.url, key: 'AIza-key' });
    await scene.addChannel({ type: 55, models: 'sora-2', base_url: openai.url });
  });
  afterAll(async () => {
    await scene[Symbol.asyncDispose]();
    await google[Symbol.asyncDispose]();
    await openai[Symbol.asyncDispose]();
  });

  const order = (customer: VideoCustomer, model: string, parameters: object = {}, instance: object = {}) =>
    customer.call('POST', `/v1beta/models/${model}:predictLongRunning`, { instances: [{ prompt, ...instance }], parameters });
  const read = ({ key }: VideoCustomer, uri: string) => fetch(uri, { headers: { 'x-goog-api-key': key } });
  const uriIn = (body: { response: { generateVideoResponse: { generatedSamples: { video: { uri: string } }[] } } }) =>
    body.response.generateVideoResponse.generatedSamples[0]?.video.uri ?? '';
  const atHome = (uri: string) => uri.replace(/^https?:\/\/[^/]+/, scene.app.origin);

  it('are ordered from Veo, followed by their operation, and read with the caller’s key', async () => {
    reported = {};
    const customer = await scene.customer();
    const image = { bytesBase64Encoded: png, mimeType: 'image/png' };
    const ordered = await order(
      customer,
      veo,
      { aspectRatio: '9:16', resolution: '1080p', durationSeconds: 6, negativePrompt: 'fog', personGeneration: 'allow_adult' },
      { image, lastFrame: { inlineData: { data: png, mimeType: 'image/png' } } },
    );
    expect(ordered).toEqual({
      status: 200,
      body: { name: expect.stringMatching(/^models\/veo-3\.1-generate-preview\/operations\/video_\w{32}$/) },
    });
    expect(google.visits.at(-1)?.body).toEqual({
      instances: [{ prompt, image, lastFrame: image }],
      parameters: {
        aspectRatio: '9:16',
        resolution: '1080p',
        durationSeconds: 6,
        negativePrompt: 'fog',
        personGeneration: 'allow_adult',
        sampleCount: 1,
      },
    });
    expect(await customer.balance()).toBe(start - 6 * ofVeo);
    const { name } = ordered.body;
    expect(await customer.call('GET', `/v1beta/${name}`)).toEqual({ status: 200, body: { name } });

    reported = {
      done: true,
      response: { generateVideoResponse: { generatedSamples: [{ video: { uri: `${google.url}/v1beta/files/abc:download?alt=media` } }] } },
    };
    await scene.poll();
    const done = await customer.call('GET', `/v1beta/${name}`);
    expect(done).toMatchObject({ status: 200, body: { name, done: true } });
    const uri = uriIn(done.body);
    expect(uri).toMatch(/\/v1beta\/files\/[a-z0-9]+:download\?alt=media$/);
    const film1 = await read(customer, atHome(uri));
    expect([film1.status, film1.headers.get('content-type'), Buffer.from(await film1.arrayBuffer())]).toEqual([200, 'video/mp4', film]);
    expect(google.visits.at(-1)?.headers['x-goog-api-key']).toBe('AIza-key');
    await scene.checkBooks();
  });

  it('are ordered from another provider as well, and refunded where it fails', async () => {
    const customer = await scene.customer();
    const { body } = await order(customer, 'sora-2', { durationSeconds: '8', aspectRatio: '16:9' });
    expect(await customer.balance()).toBe(start - 8 * ofSora);
    expect(await scene.task(customer)).toMatchObject({ model: 'sora-2', quota: 8 * ofSora, charge: 'done' });
    sora.report(sora.taken.at(-1) ?? '', { status: 'failed', error: { code: 'x', message: 'not allowed' } });
    await scene.poll();
    expect((await customer.call('GET', `/v1beta/${body.name}`)).body).toEqual({
      name: body.name,
      done: true,
      error: { code: 13, message: 'not allowed' },
    });
    expect(await customer.balance()).toBe(start);
    const second = await order(customer, 'sora-2', { durationSeconds: 4 });
    sora.report(sora.taken.at(-1) ?? '', { status: 'completed' });
    await scene.poll();
    const uri = atHome(uriIn((await customer.call('GET', `/v1beta/${second.body.name}`)).body));
    expect(Buffer.from(await (await read(customer, uri)).arrayBuffer())).toEqual(film);
    await scene.checkBooks();
  });

  it('of another user are nobody’s, in Gemini’s form', async () => {
    reported = {};
    const [customer, other] = [await scene.customer(), await scene.customer()];
    const { body } = await order(customer, 'sora-2', { durationSeconds: 4 });
    sora.report(sora.taken.at(-1) ?? '', { status: 'completed' });
    await scene.poll();
    const missing = { status: 404, body: { error: { code: 404, status: 'NOT_FOUND', message: expect.stringContaining('video_') } } };
    expect(await other.call('GET', `/v1beta/${body.name}`)).toMatchObject(missing);
    const uri = new URL(uriIn((await customer.call('GET', `/v1beta/${body.name}`)).body));
    expect(await other.call('GET', uri.pathname)).toMatchObject(missing);
    expect(await customer.call('GET', `/v1beta/${String(body.name).replace('sora-2', veo)}`)).toMatchObject(missing);
    expect(await customer.call('GET', '/v1beta/files/zz:download')).toMatchObject({
      status: 404,
      body: { error: { status: 'NOT_FOUND' } },
    });
    expect(await customer.call('GET', uri.pathname.replace(':download', ''))).toMatchObject({
      status: 501,
      body: { error: { code: 501 } },
    });
    expect((await fetch(atHome(uri.href))).status).toBe(401);
  });

  it('are refused to keys that may not ask for the model, and to accounts without the money', async () => {
    const bound = await scene.customer({ token: { model_limits_enabled: true, model_limits: 'sora-2' } });
    expect(await order(bound, veo)).toMatchObject({ status: 403, body: { error: { code: 403, status: 'PERMISSION_DENIED' } } });
    const poor = await scene.customer({ quota: ofVeo });
    expect((await order(poor, veo, { durationSeconds: 4 })).status).toBeGreaterThanOrEqual(400);
    expect(await poor.balance()).toBe(ofVeo);
  });

  it.each([
    [{}, { video: { uri: 'x' } }, 'instances.0.video'],
    [{}, { referenceImages: [{}] }, 'instances.0.referenceImages'],
    [{}, { image: { gcsUri: 'gs://b/x' } }, 'instances.0.image.gcsUri'],
    [{}, { lastFrame: { bytesBase64Encoded: png } }, 'instances.0.image'],
    [{}, { prompt: ' ' }, 'instances.0.prompt'],
    [{ storageUri: 'gs://b/x' }, {}, 'parameters.storageUri'],
    [{ sampleCount: 2 }, {}, 'parameters.sampleCount'],
    [{ durationSeconds: 61 }, {}, 'parameters.durationSeconds'],
    [{ aspectRatio: '0:9' }, {}, 'parameters.aspectRatio'],
    [{ resolution: '8k' }, {}, 'parameters.resolution'],
  ])('with %j and %j are refused by the field', async (parameters, instance, field) => {
    const customer = await scene.customer();
    const { status, body } = await order(customer, veo, parameters, instance);
    expect([status, body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(JSON.stringify(body)).toContain(`"field":"${field}"`);
    expect(await customer.balance()).toBe(start);
  });
});
