// Embeddings through a running server: OpenAI's callers, with providers of every request format.
import OpenAI from 'openai';
import { encode } from 'gpt-tokenizer/encoding/cl100k_base';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { embeddingOf } from '#tests/support/fake-upstream.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

const model = 'text-embedding-3-small';
const input = ['flood 潮', 'ebb'];

function openaiOf(scene: RelayScene): OpenAI {
  return new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 });
}

describe.each(oneEngine)('embeddings on $kind', (engine) => {
  const open = (type: number) =>
    createScene(engine, { settings: { SelfUseModeEnabled: 'true', RetryTimes: '0' }, channels: [{ type, models: model }] });

  test.each([{ type: 1 }, { type: 24 }])(
    'of a provider of type $type are read by the package of OpenAI, in either encoding',
    async ({ type }) => {
      await using scene = await open(type);
      const { embeddings } = openaiOf(scene);
      const packed = await embeddings.create({ model, input, dimensions: 16 });
      expect(packed.data.map(({ embedding }) => embedding)).toEqual(input.map((text) => embeddingOf(text, 16)));
      expect(packed).toMatchObject({ object: 'list', model, data: [{ object: 'embedding', index: 0 }, { index: 1 }] });
      const plain = await embeddings.create({ model, input: input[0] ?? '', dimensions: 16, encoding_format: 'float' });
      expect(plain.data.map(({ embedding }) => embedding)).toEqual([embeddingOf(input[0], 16)]);
      const [first, second] = await scene.logs(2);
      expect(first).toMatchObject({ prompt_tokens: packed.usage.prompt_tokens, completion_tokens: 0, is_stream: false });
      expect(packed.usage.prompt_tokens).toBeGreaterThan(2);
      expect(first?.quota).toBeGreaterThan(0);
      expect(second?.prompt_tokens).toBeLessThan(first?.prompt_tokens ?? 0);
      await scene.checkBooks();
    },
  );

  test('Gemini is asked for one text, or for several in one request', async () => {
    await using scene = await open(24);
    await openaiOf(scene).embeddings.create({ model, input, dimensions: 8 });
    await openaiOf(scene).embeddings.create({ model, input: 'ebb', user: 'u1' });
    const [several, one] = scene.upstream.requests;
    expect(several?.path).toBe(`/v1beta/models/${model}:batchEmbedContents`);
    expect(several?.body).toEqual({
      requests: input.map((text) => ({ model: `models/${model}`, content: { parts: [{ text }] }, outputDimensionality: 8 })),
    });
    expect(one?.path).toBe(`/v1beta/models/${model}:embedContent`);
    expect(one?.body).toEqual({ content: { parts: [{ text: 'ebb' }] } });
  });

  test('the model may stand in the path alone, whatever signs it has', async () => {
    for (const name of ['tide/embed:small', 'tide.embed']) {
      await using scene = await createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ models: name }] });
      const response = await scene.post(`/v1/engines/${name}/embeddings`, { input: 'ebb' });
      expect([response.status, await response.json()]).toMatchObject([200, { object: 'list', model: name }]);
      expect(scene.upstream.requests[0]?.path).toBe('/v1/embeddings');
      expect(scene.upstream.requests[0]?.body).toEqual({ input: 'ebb', model: name });
      const [row] = await scene.logs(1);
      expect(row?.model_name).toBe(name);
      const other = await scene.post('/v1/engines/elsewhere/embeddings', { input: 'ebb', model: name });
      expect(other.status).toBe(200);
    }
  });

  test('tokens become texts where the provider takes only those, and stay what they are elsewhere', async () => {
    const lists = input.map((text) => encode(text));
    await using gemini = await open(24);
    const texts = await openaiOf(gemini).embeddings.create({ model, input: lists, dimensions: 8 });
    expect(texts.data.map(({ embedding }) => embedding)).toEqual(input.map((text) => embeddingOf(text, 8)));
    expect(texts.usage.prompt_tokens).toBe(lists.flat().length);
    await openaiOf(gemini).embeddings.create({ model, input: lists[0] ?? [] });
    expect(gemini.upstream.requests[1]?.body).toEqual({ content: { parts: [{ text: input[0] }] } });
    await using openai = await open(1);
    await openaiOf(openai).embeddings.create({ model, input: lists });
    expect(openai.upstream.requests[0]?.body).toMatchObject({ input: lists });
  });

  test('tokens that do not exist, images and too many inputs are refused before anything is sent', async () => {
    await using scene = await open(24);
    const refused = async (fields: object) =>
      failureOf(
        scene.post('/v1/embeddings', { model, ...fields }).then(async (response) => {
          throw Object.assign(new Error(String(response.status)), { status: response.status, body: await response.json() });
        }),
      );
    for (const fields of [
      { input: [[1, 2_000_000]] },
      { input: [{ image: 'https://example.com/a.png' }] },
      { input: Array.from({ length: 2049 }, () => 'a') },
      { input: Array.from({ length: 101 }, () => 'a') },
      { input: Array.from({ length: 300_001 }, () => 1) },
      { input: [[]] },
      { input: [[0.5]] },
      { input: ['a'], dimensions: 0 },
    ]) {
      expect(await refused(fields)).toMatchObject({
        status: 400,
        body: { error: { param: expect.stringMatching(/^(input|dimensions)/) } },
      });
    }
    expect(scene.upstream.requests).toEqual([]);
    await scene.checkBooks();
  });

  test('more texts than one provider takes at once go to a channel whose provider does', async () => {
    await using scene = await createScene(engine, {
      settings: { SelfUseModeEnabled: 'true', RetryTimes: '1' },
      channels: [
        { type: 24, models: model, priority: 10 },
        { type: 1, models: model },
      ],
    });
    const list = await openaiOf(scene).embeddings.create({ model, input: Array.from({ length: 101 }, () => 'a'), dimensions: 2 });
    expect(list.data).toHaveLength(101);
    expect(scene.upstream.requests.map(({ path }) => path)).toEqual(['/v1/embeddings']);
  });

  test("what Gemini refuses is told as OpenAI's packages know it", async () => {
    await using scene = await open(24);
    scene.upstream.behave({ status: 429 });
    expect(await failureOf(openaiOf(scene).embeddings.create({ model, input }))).toBeInstanceOf(OpenAI.RateLimitError);
    expect(await scene.balance()).toBe(500_000_000);
  });

  test('fields that only OpenAI has are left out and named', async () => {
    await using scene = await open(24);
    const response = await scene.post('/v1/embeddings', { model, input: 'ebb', truncate: 'END' });
    expect([response.status, response.headers.get('x-tidegate-dropped')]).toEqual([200, 'truncate']);
  });
});
