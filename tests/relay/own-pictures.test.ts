// Pictures of providers with their own formats, through a running server: requested strictly in their fields, returned in OpenAI's.
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, oneEngine } from '#tests/support/engines.ts';
import { type FakeInternet, startFakeInternet } from '#tests/support/fake-internet.ts';
import { addressOf, type FakePainter, type PainterBehaviour, type PainterName, startFakePainter } from '#tests/support/fake-painters.ts';
import { editors, type FakeEditor, startFakeEditor } from '#tests/support/fake-editors.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { pictureOf } from '#tests/support/image-responses.ts';
import { createScene, type RelayScene, until } from '#tests/support/relay-scene.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';

const price = 20_000;
const dollars = 0.04;

interface Open extends AsyncDisposable {
  scene: RelayScene;
  painter: FakePainter;
  internet: FakeInternet;
}

interface Options {
  engine: Engine;
  name: PainterName;
  model: string;
  behaviour?: PainterBehaviour;
  quota?: number;
  settings?: Record<string, string>;
  override?: object;
}

async function open({ engine, name, model, behaviour = {}, quota, settings = {}, override }: Options): Promise<Open> {
  const internet = await startFakeInternet();
  internet.serve((visit, response) => {
    const index = Number(/picture-(\d)/.exec(visit.path)?.[1] ?? 0);
    response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from(pictureOf(index), 'base64'));
  });
  let painter: FakePainter | undefined;
  const scene = await createScene(engine, {
    network: internet.network,
    ...(quota === undefined ? {} : { quota }),
    settings: { RetryTimes: '0', ModelPrice: JSON.stringify({ [model]: dollars }), ...settings },
    channels: [{ models: model, ...(override === undefined ? {} : { param_override: JSON.stringify(override) }) }],
    front: async (upstreamUrl) => (painter = await startFakePainter(name, upstreamUrl)),
  });
  if (painter === undefined) throw new Error('There is no painter');
  painter.behave(behaviour);
  const dispose = async () => {
    await scene[Symbol.asyncDispose]();
    await internet[Symbol.asyncDispose]();
  };
  return { scene, painter, internet, [Symbol.asyncDispose]: dispose };
}

async function ask({ scene }: Open, body: object) {
  const response = await scene.post('/v1/images/generations', { prompt: 'a tide', ...body });
  return { status: response.status, dropped: response.headers.get('x-tidegate-dropped'), body: await response.json() };
}

const rows = (count: number, more: object = {}) => Array.from({ length: count }, (_, index) => ({ url: addressOf(index), ...more }));
const bytes = (count: number, more: object = {}) => Array.from({ length: count }, (_, index) => ({ b64_json: pictureOf(index), ...more }));
const revised = { revised_prompt: 'a wide tide' };

describe.each(oneEngine)('pictures in forms of their own on $kind', (engine) => {
  let distrust = () => {};
  beforeAll(() => {
    distrust = trustLocalhost();
  });
  afterAll(() => distrust());

  test.each([
    {
      name: 'dashscope',
      model: 'wanx2.1-t2i-turbo',
      requested: { n: 2, size: '1024x1024', negative_prompt: 'sand', seed: 7, parameters: { n: 4 } },
      sent: {
        model: 'wanx2.1-t2i-turbo',
        input: { prompt: 'a tide', negative_prompt: 'sand' },
        parameters: { size: '1024*1024', n: 2, seed: 7 },
      },
      dropped: 'parameters',
      data: rows(2, revised),
    },
    {
      name: 'dashscope',
      model: 'qwen-image-plus',
      requested: { watermark: false, negative_prompt: 'sand' },
      sent: {
        model: 'qwen-image-plus',
        input: { messages: [{ role: 'user', content: [{ text: 'a tide' }] }] },
        parameters: { n: 1, watermark: false, negative_prompt: 'sand' },
      },
      dropped: null,
      data: rows(1),
    },
    {
      name: 'google',
      model: 'imagen-4.0-generate-001',
      requested: { n: 2, size: '1792x1024' },
      sent: {
        instances: [{ prompt: 'a tide' }],
        parameters: { sampleCount: 2, aspectRatio: '16:9', personGeneration: 'allow_adult' },
      },
      dropped: null,
      data: bytes(2, revised),
    },
    {
      name: 'google',
      model: 'gemini-3-pro-image-preview',
      requested: { size: '2048x2048', quality: 'high' },
      sent: {
        contents: [{ role: 'user', parts: [{ text: 'a tide' }] }],
        generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '1:1', imageSize: '2K' } },
      },
      dropped: 'quality',
      data: bytes(1),
    },
    {
      name: 'vertex',
      model: 'imagen-4.0-generate-001',
      requested: { n: 1 },
      sent: { instances: [{ prompt: 'a tide' }], parameters: { sampleCount: 1, personGeneration: 'allow_adult' } },
      dropped: null,
      data: bytes(1, revised),
    },
    {
      name: 'vertex',
      model: 'gemini-2.5-flash-image',
      requested: { size: '1024x1792', style: 'vivid' },
      sent: {
        contents: [{ role: 'user', parts: [{ text: 'a tide' }] }],
        generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '9:16' } },
      },
      dropped: 'style',
      data: bytes(1),
    },
    {
      name: 'wenxin',
      model: 'Stable-Diffusion-XL',
      requested: { n: 2, size: '1024x1024', steps: 20 },
      sent: { prompt: 'a tide', n: 2, size: '1024x1024', steps: 20 },
      dropped: null,
      data: bytes(2),
    },
    {
      name: 'minimax',
      model: 'image-01',
      requested: { n: 3, size: '1024x768' },
      sent: { model: 'image-01', prompt: 'a tide', width: 1024, height: 768, n: 3, response_format: 'url' },
      dropped: null,
      data: rows(3),
    },
    {
      name: 'minimax',
      model: 'image-01-live',
      requested: { size: '1024x1792', response_format: 'b64_json' },
      sent: { model: 'image-01-live', prompt: 'a tide', aspect_ratio: '9:16', n: 1, response_format: 'base64' },
      dropped: null,
      data: bytes(1),
    },
    {
      name: 'ark',
      model: 'doubao-seedream-4-0-250828',
      requested: { n: 2, size: '2K', sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: 15 } },
      sent: {
        model: 'doubao-seedream-4-0-250828',
        prompt: 'a tide',
        size: '2K',
        response_format: 'url',
        sequential_image_generation: 'auto',
        sequential_image_generation_options: { max_images: 2 },
      },
      dropped: 'sequential_image_generation_options',
      data: rows(2),
    },
    {
      name: 'zhipu',
      model: 'cogview-4',
      requested: { quality: 'hd', size: '1024x1024', style: 'vivid' },
      sent: { model: 'cogview-4', prompt: 'a tide', quality: 'hd', size: '1024x1024' },
      dropped: 'style',
      data: rows(1),
    },
    {
      name: 'qianfan',
      model: 'irag-1.0',
      requested: { n: 2, size: '1024x1024' },
      sent: { model: 'irag-1.0', prompt: 'a tide', n: 2, size: '1024x1024' },
      dropped: null,
      data: rows(2),
    },
    {
      name: 'siliconflow',
      model: 'Kwai-Kolors/Kolors',
      requested: { n: 2, size: '1024x1024', quality: 'hd' },
      sent: { model: 'Kwai-Kolors/Kolors', prompt: 'a tide', batch_size: 2, image_size: '1024x1024' },
      dropped: 'quality',
      data: rows(2),
    },
  ] as const)(
    '$model is asked in its words, told in OpenAI’s and paid by the picture',
    async ({ name, model, requested, sent, dropped, data }) => {
      await using at = await open({ engine, name, model });
      const answer = await ask(at, { model, ...requested });
      expect(answer).toMatchObject({ status: 200, dropped, body: { created: expect.any(Number) } });
      expect(answer.body.data).toEqual(data);
      expect(at.painter.taken).toEqual([sent]);
      const [row] = await at.scene.logs(1);
      const factor = 'size' in requested && requested.size?.includes('1792') === true ? 2 : 1;
      expect(row).toMatchObject({ quota: price * data.length * factor, other: { units: { kind: 'image', count: data.length } } });
      // The bytes of linked pictures were not downloaded.
      if (!('response_format' in requested)) expect(at.internet.lookups).toEqual([]);
      await at.scene.checkBooks();
    },
  );

  test.each([
    { name: 'dashscope', model: 'wanx-v1' },
    { name: 'dashscope', model: 'qwen-image' },
    { name: 'zhipu', model: 'cogview-4' },
    { name: 'siliconflow', model: 'flux' },
    { name: 'qianfan', model: 'irag-1.0' },
  ] as const)('$name: bytes that a caller wants are fetched of $model', async ({ name, model }) => {
    await using at = await open({ engine, name, model, behaviour: { addresses: [addressOf(1).replace('https:', 'http:')] } });
    const client = new OpenAI({ baseURL: `${at.scene.app.origin}/v1`, apiKey: at.scene.key, maxRetries: 0 });
    const { data } = await client.images.generate({ model, prompt: 'a tide', response_format: 'b64_json' });
    expect(data?.map(({ b64_json: picture }) => picture)).toEqual([pictureOf(1)]);
    expect(data?.[0]).not.toHaveProperty('url');
    expect(at.internet.visits).toMatchObject([{ method: 'GET', path: '/picture-1.png?sign=a%2Fb&x=1' }]);
    expect(at.internet.visits[0]?.headers).not.toHaveProperty('authorization');
    expect(at.internet.connections).toEqual(['93.184.216.34:443']);
    expect(await at.scene.logs(1)).toMatchObject([{ quota: price }]);
    await at.scene.checkBooks();
  });

  test('a stream is asked for whole, and told as one', async () => {
    await using at = await open({ engine, name: 'dashscope', model: 'wanx-v1' });
    const client = new OpenAI({ baseURL: `${at.scene.app.origin}/v1`, apiKey: at.scene.key, maxRetries: 0 });
    const stream = await client.images.generate({ model: 'wanx-v1', prompt: 'a tide', stream: true, n: 2, response_format: 'b64_json' });
    const events = await Array.fromAsync(stream);
    expect(events.map(({ type, b64_json: picture }) => [type, picture])).toEqual(
      [0, 1].map((index) => ['image_generation.completed', pictureOf(index)]),
    );
    expect(at.painter.taken).toHaveLength(1);
    expect(await at.scene.logs(1)).toMatchObject([{ quota: 2 * price, is_stream: true }]);
    await at.scene.checkBooks();
  });

  test('tokens that Gemini tells are paid by what they are of', async () => {
    const model = 'gemini-2.5-flash-image';
    const settings = {
      ModelPrice: '{}',
      ModelRatio: JSON.stringify({ [model]: 1 }),
      CompletionRatio: JSON.stringify({ [model]: 4 }),
      ImageRatio: '{}',
      ImageCompletionRatio: JSON.stringify({ [model]: 10 }),
    };
    await using at = await open({ engine, name: 'google', model, settings });
    const answer = await ask(at, { model });
    expect(answer.body.usage).toEqual({
      input_tokens: 8,
      output_tokens: 1400,
      total_tokens: 1408,
      input_tokens_details: { text_tokens: 8, image_tokens: 0 },
      output_tokens_details: { text_tokens: 110, image_tokens: 1290 },
    });
    const [row] = await at.scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: 8, completion_tokens: 1400, other: { image_output: 1290 } });
    expect(row?.quota).toBe(8 + 110 * 4 + 1290 * 10);
    await at.scene.checkBooks();
  });

  test('a task is waited for through questions that are lost, and no longer than they are many', async () => {
    await using at = await open({ engine, name: 'dashscope', model: 'wanx-v1', behaviour: { lost: [503, 429], polls: 3 } });
    expect(await ask(at, { model: 'wanx-v1' })).toMatchObject({ status: 200 });
    expect(at.painter.requested).toHaveLength(4);
    expect(new Set(at.painter.requested)).toEqual(new Set(['/prefix/api/v1/tasks/task-1']));
    at.painter.behave({ lost: [404] });
    expect(await ask(at, { model: 'wanx-v1' })).toMatchObject({ status: 504 });
    expect(await at.scene.balance()).toBe(500_000_000 - price);
    await at.scene.checkBooks();
  });

  test('what fails costs nothing: a task, a filter, an error in place of a picture', async () => {
    for (const [name, model, behaviour, status] of [
      ['dashscope', 'wanx-v1', { status: 'FAILED' }, 400],
      ['google', 'imagen-4.0-generate-001', { instead: { predictions: [{ raiFilteredReason: 'not proper' }] } }, 400],
      ['google', 'imagen-4.0-generate-001', { instead: {} }, 400],
      ['google', 'gemini-2.5-flash-image', { instead: { candidates: [{ finishReason: 'IMAGE_SAFETY' }] } }, 400],
      ['minimax', 'image-01', { instead: { base_resp: { status_code: 1026, status_msg: 'not proper' } } }, 400],
      ['ark', 'seedream', { instead: { data: [{ error: { code: 'Sensitive', message: 'not proper' } }] } }, 400],
      ['zhipu', 'cogview-4', { instead: { data: [] } }, 502],
      ['qianfan', 'irag-1.0', { instead: { rows: 'none' } }, 502],
    ] as const) {
      await using at = await open({ engine, name, model, behaviour });
      expect(await ask(at, { model }), `${name} ${JSON.stringify(behaviour)}`).toMatchObject({ status, body: { error: {} } });
      expect(await at.scene.balance()).toBe(500_000_000);
      await at.scene.checkBooks();
    }
  });

  test.each([
    { what: 'points inside', address: 'https://169.254.169.254/latest/meta-data/', lookups: 0 },
    { what: 'is a name of something inside', address: 'https://inside.example/a.png', lookups: 1 },
    { what: 'is of another kind', address: 'file:///etc/passwd', lookups: 0 },
  ])('an address that $what is not followed', async ({ address, lookups }) => {
    await using at = await open({ engine, name: 'zhipu', model: 'cogview-4', behaviour: { addresses: [address] } });
    at.internet.name('inside.example', ['10.0.0.7']);
    const answer = await ask(at, { model: 'cogview-4', response_format: 'b64_json' });
    expect(at.internet.connections).toEqual([]);
    expect(at.internet.lookups).toHaveLength(lookups);
    expect(answer).toMatchObject({ status: 504, body: { error: { code: 'upstream_content_unreachable' } } });
    expect(await at.scene.balance()).toBe(500_000_000);
    await at.scene.checkBooks();
  });

  test('what is fetched is bounded, leads nowhere inside, and is a whole answer', async () => {
    await using at = await open({ engine, name: 'zhipu', model: 'cogview-4' });
    const bad = { model: 'cogview-4', response_format: 'b64_json' };
    at.internet.serve((_visit, response) => response.writeHead(307, { location: 'https://127.0.0.1/' }).end());
    expect(await ask(at, bad)).toMatchObject({ status: 504 });
    at.internet.serve((_visit, response) => response.writeHead(404).end('gone'));
    expect(await ask(at, bad)).toMatchObject({ status: 504 });
    at.internet.serve((_visit, response) => response.writeHead(200).end());
    expect(await ask(at, bad)).toMatchObject({ status: 504 });
    for (const type of ['text/html; charset=utf-8', 'application/json', 'Application/XHTML+XML']) {
      at.internet.serve((_visit, response) => response.writeHead(200, { 'content-type': type }).end('<h1>Expired</h1>'));
      expect(await ask(at, bad)).toMatchObject({ status: 504 });
    }
    at.internet.serve((_visit, response) => {
      response.writeHead(200, { 'content-length': String(80 * 1024 * 1024) });
      const push = () => {
        while (response.write(Buffer.alloc(1024 * 1024)));
        response.once('drain', push);
      };
      push();
    });
    expect(await ask(at, bad)).toMatchObject({ status: 504 });
    expect(at.painter.taken).toHaveLength(7);
    expect(await at.scene.balance()).toBe(500_000_000);
    await at.scene.checkBooks();
  });

  test.each([
    { name: 'zhipu', model: 'cogview-4', n: 3, orders: 3 },
    { name: 'dashscope', model: 'qwen-image', n: 2, orders: 2 },
    { name: 'dashscope', model: 'wanx-v1', n: 6, orders: 2 },
    { name: 'google', model: 'gemini-2.5-flash-image', n: 10, orders: 10 },
    { name: 'google', model: 'imagen-4.0-generate-001', n: 5, orders: 2 },
    { name: 'minimax', model: 'image-01', n: 10, orders: 2 },
  ] as const)('$n pictures of $model are ordered by $orders calls, reserved and paid in one', async ({ name, model, n, orders }) => {
    await using at = await open({ engine, name, model, quota: n * price });
    const answer = await ask(at, { model, n });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body.data).toHaveLength(n);
    expect(at.painter.taken).toHaveLength(orders);
    expect(await at.scene.logs(1)).toMatchObject([{ quota: n * price, other: { units: { count: n }, attempts: [{ status: 200 }] } }]);
    expect(await at.scene.balance()).toBe(0);
    await at.scene.checkBooks();
    expect(await ask(at, { model, n })).toMatchObject({ status: 403 });
    expect(at.painter.taken).toHaveLength(orders);
  });

  describe('ordered one after the other', () => {
    const model = 'gemini-2.5-flash-image';
    const byTokens = {
      ModelPrice: '{}',
      ModelRatio: JSON.stringify({ [model]: 1 }),
      CompletionRatio: JSON.stringify({ [model]: 4 }),
      ImageCompletionRatio: JSON.stringify({ [model]: 10 }),
    };
    const each = 8 + 110 * 4 + 1290 * 10;

    test.each([false, true])('tokens of all of them are told, and paid; as a stream: %j', async (isStream) => {
      await using at = await open({ engine, name: 'google', model, settings: byTokens });
      const client = new OpenAI({ baseURL: `${at.scene.app.origin}/v1`, apiKey: at.scene.key, maxRetries: 0 });
      const requested = { model, prompt: 'a tide', n: 3 };
      const usage = { input_tokens: 24, output_tokens: 4200, total_tokens: 4224 };
      if (isStream) {
        const events = await Array.fromAsync(await client.images.generate({ ...requested, stream: true }));
        expect(events.map(({ type, b64_json: picture }) => [type, picture])).toEqual(
          [0, 1, 2].map(() => ['image_generation.completed', pictureOf(0)]),
        );
        expect(events.at(-1)).toMatchObject({ usage });
      } else expect(await client.images.generate(requested)).toMatchObject({ data: bytes(1).concat(bytes(1), bytes(1)), usage });
      expect(await at.scene.logs(1)).toMatchObject([{ quota: 3 * each, prompt_tokens: 24, completion_tokens: 4200 }]);
      await at.scene.checkBooks();
    });

    test('the prompt of each of them is reserved for', async () => {
      const prompt = 'tide '.repeat(2000);
      const most = 3 * (1290 + 300) * 10;
      for (const [prompts, status] of [
        [2, 403],
        [4, 200],
      ] as const) {
        await using at = await open({ engine, name: 'google', model, settings: byTokens, quota: most + prompts * 2000 });
        expect(await ask(at, { model, prompt, n: 3 })).toMatchObject({ status });
        await at.scene.checkBooks();
      }
    });

    test('what has come is paid when a later one fails, and no other channel is asked for it again', async () => {
      const refusal = { status: 503, body: { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } } };
      await using at = await open({
        engine,
        name: 'google',
        model,
        settings: { ...byTokens, RetryTimes: '2' },
        behaviour: { refusal, from: 3 },
      });
      expect(await ask(at, { model, n: 3 })).toMatchObject({ status: 503 });
      expect(at.painter.taken).toHaveLength(3);
      expect(await at.scene.logs(1)).toMatchObject([{ quota: 2 * each, other: { ending: 'upstream_error', units: { count: 2 } } }]);
      await at.scene.checkBooks();
    });

    test('one that is refused is the only one, and costs nothing', async () => {
      const instead = { candidates: [{ finishReason: 'IMAGE_SAFETY' }] };
      await using at = await open({ engine, name: 'google', model, behaviour: { instead } });
      expect(await ask(at, { model, n: 4 })).toMatchObject({ status: 400 });
      expect(at.painter.taken).toHaveLength(1);
      expect(await at.scene.balance()).toBe(500_000_000);
      await at.scene.checkBooks();
    });

    test('who leaves pays for those that were ordered, and for no others', async () => {
      await using at = await open({ engine, name: 'google', model, behaviour: { holds: true, from: 2 } });
      const leaving = new AbortController();
      const requested = { model, prompt: 'a tide', n: 8, stream: true };
      const left = failureOf(at.scene.post('/v1/images/generations', requested, {}, leaving.signal));
      await until(() => at.painter.taken.length === 5 || null);
      leaving.abort();
      expect(await left).toBeInstanceOf(Error);
      expect(await at.scene.logs(1)).toMatchObject([{ quota: 5 * price, other: { ending: 'client_closed' } }]);
      expect(at.painter.taken).toHaveLength(5);
      await at.scene.checkBooks();
    });

    test.each(['google', 'siliconflow'] as const)('edits of %s are the same, with files and without', async (name) => {
      let editor: FakeEditor | undefined;
      const { model: editing } = editors[name];
      await using scene = await createScene(engine, {
        quota: 6 * price,
        settings: { RetryTimes: '0', ModelPrice: JSON.stringify({ [editing]: dollars }) },
        channels: [{ models: editing }],
        front: async (upstreamUrl) => (editor = await startFakeEditor(name, upstreamUrl)),
      });
      const client = new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 });
      const image = new File([Buffer.from(pictureOf(1), 'base64')], 'a.png', { type: 'image/png' });
      const { data } = await client.images.edit({ model: editing, prompt: 'a tide', n: 3, image });
      expect(data).toHaveLength(3);
      const given = `data:image/png;base64,${pictureOf(1)}`;
      const requested = { model: editing, prompt: 'a tide', n: 3, images: [{ image_url: given }] };
      const reported = await scene.post('/v1/images/edits', requested);
      expect(await reported.json()).toMatchObject({ data: [{}, {}, {}] });
      expect(editor?.taken).toEqual(Array.from({ length: 6 }, () => [given]));
      expect(await scene.balance()).toBe(0);
      await scene.checkBooks();
    });

    test('a number that the channel overrides is refused beyond what one call makes', async () => {
      await using at = await open({ engine, name: 'google', model, override: { n: 2 } });
      expect(await ask(at, { model, n: 1 })).toMatchObject({ status: 400, body: { error: { param: 'n' } } });
      expect(at.painter.taken).toEqual([]);
    });
  });

  test('what the channel overrides is said in OpenAI’s words, made and paid', async () => {
    await using at = await open({ engine, name: 'dashscope', model: 'wanx-v1', override: { n: 3 }, quota: 3 * price });
    expect(await ask(at, { model: 'wanx-v1', n: 1 })).toMatchObject({ status: 200 });
    expect(at.painter.taken[0]).toMatchObject({ parameters: { n: 3 } });
    expect(await at.scene.balance()).toBe(0);
    await at.scene.checkBooks();
    expect(await ask(at, { model: 'wanx-v1', n: 1 })).toMatchObject({ status: 403 });
    expect(at.painter.taken).toHaveLength(1);
  });

  test('who leaves while a task runs has paid for it', async () => {
    await using at = await open({ engine, name: 'dashscope', model: 'wanx-v1', behaviour: { polls: 1000 } });
    const leaving = new AbortController();
    const requesting = at.scene.post(
      '/v1/images/generations',
      { model: 'wanx-v1', prompt: 'a tide', n: 2, stream: true },
      {},
      leaving.signal,
    );
    const left = failureOf(requesting);
    await until(() => at.painter.requested.length > 0 || null);
    leaving.abort();
    expect(await left).toBeInstanceOf(Error);
    expect(await at.scene.logs(1)).toMatchObject([{ quota: 2 * price, other: { ending: 'client_closed' } }]);
    await at.scene.checkBooks();
  });
});
