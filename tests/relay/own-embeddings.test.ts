// Vectors of providers with their own formats, requested by OpenAI's package in either encoding, and by Gemini's callers.
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { type EmbedderName, startFakeEmbedder, vectorOf } from '#tests/support/fake-embedders.ts';
import { startFakeTencent } from '#tests/support/fake-tencent.ts';
import type { ProviderFront } from '#tests/support/provider-front.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

type Front = ProviderFront & { readonly taken: Record<string, unknown>[] };

const input = ['flood 潮', 'ebb'];

describe.each(oneEngine)('embeddings in forms of their own on $kind', (engine) => {
  async function open(
    start: (url: string) => Promise<Front>,
    model: string,
  ): Promise<RelayScene & { taken: () => Record<string, unknown>[] }> {
    let front: Front | undefined;
    const scene = await createScene(engine, {
      settings: { SelfUseModeEnabled: 'true', RetryTimes: '0', ModelRatio: JSON.stringify({ [model]: 2 }) },
      channels: [{ models: model }],
      front: async (url) => (front = await start(url)),
    });
    return Object.assign(scene, { taken: () => front?.taken ?? [] });
  }
  const embedder = (name: EmbedderName) => (url: string) => startFakeEmbedder(name, url);
  const clientOf = ({ app, key }: RelayScene) => new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: key, maxRetries: 0 });

  test.each([
    {
      start: embedder('vertex'),
      model: 'text-embedding-005',
      sent: {
        instances: input.map((content) => ({ content, task_type: 'RETRIEVAL_QUERY' })),
        parameters: { outputDimensionality: 2 },
      },
    },
    { start: embedder('minimax'), model: 'embo-01', sent: { model: 'embo-01', texts: input, type: 'query' } },
    {
      start: embedder('dashscope'),
      model: 'text-embedding-v4',
      sent: { model: 'text-embedding-v4', input: { texts: input }, parameters: { dimension: 2, text_type: 'query' } },
    },
    { start: startFakeTencent, model: 'hunyuan-embedding', sent: { InputList: input } },
  ])('$model gets its own words, and its callers vectors as they asked for them', async ({ start, model, sent }) => {
    await using scene = await open(start, model);
    const client = clientOf(scene);
    const wanted = input.map((text) => {
      const [one = 0, other = 0] = vectorOf(text);
      return [one, other].map((part) => part / Math.hypot(one, other));
    });
    // The package requests base64 by default.
    const requested = { model, input, dimensions: 2, input_type: 'search_query' };
    const packed = await client.embeddings.create(requested);
    for (const [index, row] of packed.data.entries()) expectClose(row.embedding, wanted[index]);
    expect(packed.usage).toEqual({ prompt_tokens: 6, total_tokens: 6 });
    expect(scene.taken()).toEqual([sent]);
    const plain = await client.embeddings.create({ model, input: input[0] ?? '', encoding_format: 'float' });
    expect(plain.data).toEqual([{ object: 'embedding', index: 0, embedding: vectorOf(input[0]) }]);
    const rows = await scene.logs(2);
    expect(rows.map(({ prompt_tokens, completion_tokens, quota }) => [prompt_tokens, completion_tokens, quota])).toEqual([
      [6, 0, 12],
      [3, 0, 6],
    ]);
    await scene.checkBooks();
  });

  test('Baidu’s next platform is asked as OpenAI is', async () => {
    await using scene = await open(embedder('qianfan'), 'embedding-v1');
    const packed = await clientOf(scene).embeddings.create({ model: 'embedding-v1', input });
    expect(packed.data.map(({ embedding }) => embedding)).toEqual(input.map(vectorOf));
    expect(await scene.logs(1)).toMatchObject([{ prompt_tokens: 6, quota: 12 }]);
  });

  test('Gemini’s callers reach Vertex by both of their verbs', async () => {
    const model = 'text-embedding-005';
    await using scene = await open(embedder('vertex'), model);
    const content = (text: string) => ({ parts: [{ text }] });
    const one = await scene.post(`/v1beta/models/${model}:embedContent`, { content: content('ebb') });
    expect(await one.json()).toEqual({
      embedding: { values: vectorOf('ebb') },
      usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 },
    });
    const requests = input.map((text) => ({ model: `models/${model}`, content: content(text) }));
    const batch = await scene.post(`/v1beta/models/${model}:batchEmbedContents`, { requests });
    expect(await batch.json()).toMatchObject({ embeddings: input.map((text) => ({ values: vectorOf(text) })) });
    await scene.checkBooks();
  });

  test('what a provider has no place for is named, what it refuses costs nothing', async () => {
    await using scene = await open(embedder('minimax'), 'embo-01');
    const response = await scene.post('/v1/embeddings', { model: 'embo-01', input: 'ebb', dimensions: 3, truncate: 'END' });
    expect([response.status, response.headers.get('x-tidegate-dropped')]).toEqual([200, 'truncate, dimensions']);
    expect((await response.json()).data[0].embedding).toHaveLength(3);
    await using other = await open(embedder('dashscope'), 'text-embedding-v4');
    const refused = await other.post('/v1/embeddings', { model: 'text-embedding-v4', input: 'ebb', unknown: 1 });
    expect(refused.status).toBe(400);
    expect(await other.balance()).toBe(500_000_000);
    const many = await other.post('/v1/embeddings', { model: 'text-embedding-v4', input: Array.from({ length: 11 }, () => 'a') });
    expect(await many.json()).toMatchObject({ error: { param: 'input' } });
    await other.checkBooks();
  });
});

function expectClose(vector: readonly number[], wanted: readonly number[] = []): void {
  expect(vector).toHaveLength(wanted.length);
  for (const [index, part] of vector.entries()) expect(part).toBeCloseTo(wanted[index] ?? Number.NaN, 5);
}
