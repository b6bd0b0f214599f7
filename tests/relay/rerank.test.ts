// Reranking through a running server: callers of Jina's and Cohere's shape before providers of every form.
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

/** The fake upstream answers as the provider does whose name the model begins with. */
const providers = [
  { type: 1, model: 'any-rerank' },
  { type: 38, model: 'jina-reranker-v2' },
  { type: 34, model: 'cohere-rerank-v3.0' },
  { type: 40, model: 'siliconflow-reranker' },
  { type: 47, model: 'xinference-reranker' },
];
const models = providers.map(({ model }) => model);
/** One token costs 10. */
const settings = { ModelRatio: JSON.stringify(Object.fromEntries(models.map((model) => [model, 10]))), RetryTimes: '0' };
const documents = ['ebb', 'the flood', { text: 'the highest tide' }];
const cohere = { 'x-fern-sdk-name': 'cohere-ai' };

describe.each(oneEngine)('reranking on $kind', (engine) => {
  const open = (more: Record<string, string> = {}) =>
    createScene(engine, { settings: { ...settings, ...more }, channels: providers.map(({ type, model }) => ({ type, models: model })) });
  const ask = async (scene: RelayScene, body: object, headers: Record<string, string> = {}) => {
    const response = await scene.post('/v1/rerank', { query: 'high water', documents, ...body }, headers);
    return { status: response.status, dropped: response.headers.get('x-tidegate-dropped'), body: await response.json() };
  };

  test.each(providers)('$model: callers of Jina get the order, the documents that they ask for, and what it took', async ({ model }) => {
    await using scene = await open();
    const { status, body } = await ask(scene, { model, top_n: 2, return_documents: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'list', usage: { completion_tokens: 0 } });
    expect(body.results.map(({ index }: { index: number }) => index)).toEqual([2, 1]);
    const shown = body.results.map(({ document }: { document: string | { text: string } }) =>
      typeof document === 'string' ? document : document.text,
    );
    expect(shown).toEqual(['the highest tide', 'the flood']);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ model_name: model, prompt_tokens: body.usage.prompt_tokens, completion_tokens: 0 });
    expect(row?.quota).toBe(10 * body.usage.total_tokens);
    expect(body.usage.total_tokens).toBe(body.usage.prompt_tokens);
    await scene.checkBooks();
  });

  test.each(providers)('$model: callers of Cohere get its shape, and documents only where they ask for them', async ({ model }) => {
    await using scene = await open();
    const plain = await ask(scene, { model }, cohere);
    expect(plain.body).toMatchObject({ id: expect.any(String), meta: { api_version: { version: '1' }, billed_units: expect.any(Object) } });
    expect(plain.body.results).toHaveLength(3);
    for (const row of plain.body.results) expect(Object.keys(row).toSorted()).toEqual(['index', 'relevance_score']);
    const full = await ask(scene, { model, return_documents: true, max_chunks_per_doc: 3 });
    expect(full.body.results[0]).toEqual({ index: 2, relevance_score: expect.any(Number), document: { text: 'the highest tide' } });
    expect(full.body.meta).toBeDefined();
  });

  test("Cohere's newer client asks at an address of its own, and is answered in its words, errors too", async () => {
    await using scene = await open({ ModelPrice: JSON.stringify({ 'cohere-rerank-v3.0': 0.002 }) });
    const many = Array.from({ length: 250 }, (_, index) => `wave ${index}`);
    const response = await scene.post('/v2/rerank', { model: 'cohere-rerank-v3.0', query: 'high water', documents: many, top_n: 1 });
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        id: expect.any(String),
        results: [{ index: expect.any(Number), relevance_score: expect.any(Number) }],
        meta: expect.objectContaining({ api_version: { version: '2' }, billed_units: { search_units: 3 } }),
      },
    ]);
    for (const model of ['any-rerank', 'jina-reranker-v2']) {
      const other = await scene.post('/v2/rerank', { model, query: 'high water', documents });
      expect([other.status, await other.json()]).toMatchObject([200, { meta: { api_version: { version: '2' } }, results: { length: 3 } }]);
    }
    const refused = await scene.post('/v2/rerank', { model: 'any-rerank', query: '', documents });
    expect([refused.status, await refused.json()]).toEqual([400, { id: expect.any(String), message: expect.stringContaining('query') }]);
    const unserved = await scene.post('/v2/chat', { model: 'any-rerank', messages: [] });
    expect([unserved.status, await unserved.json()]).toEqual([501, { id: expect.any(String), message: expect.any(String) }]);
    const [row] = await scene.logs(3);
    expect(row).toMatchObject({ quota: 3000 });
    await scene.checkBooks();
  });

  test.each([
    { model: 'any-rerank', tokens: 38, source: 'upstream' },
    { model: 'siliconflow-reranker', tokens: 9, source: 'upstream' },
    { model: 'cohere-rerank-v3.0', tokens: 8, source: 'counted' },
    { model: 'xinference-reranker', tokens: 8, source: 'counted' },
  ])('$model: $tokens tokens, $source', async ({ model, tokens, source }) => {
    await using scene = await open();
    await ask(scene, { model });
    expect(await scene.logs(1)).toMatchObject([{ prompt_tokens: tokens, quota: 10 * tokens, other: { prompt_source: source } }]);
  });

  test('a price per call is paid for each search that the provider tells, and reserved before', async () => {
    const price = { ModelPrice: JSON.stringify({ 'cohere-rerank-v3.0': 0.002, 'any-rerank': 0.002 }) };
    const many = Array.from({ length: 250 }, (_, index) => `wave ${index}`);
    await using scene = await open(price);
    const { body } = await ask(scene, { model: 'cohere-rerank-v3.0', documents: many, top_n: 1 }, cohere);
    expect(body.meta.billed_units).toEqual({ search_units: 3 });
    await ask(scene, { model: 'any-rerank', documents: many, top_n: 1 });
    expect(await scene.logs(2)).toMatchObject([
      { quota: 3000, other: { model_price: 0.002, units: { kind: 'search', count: 3 } } },
      { quota: 1000, other: { model_price: 0.002 } },
    ]);
    await scene.checkBooks();
    await using poor = await createScene(engine, {
      quota: 2999,
      settings: { ...settings, ...price },
      channels: [{ type: 34, models: 'cohere-rerank-v3.0' }],
    });
    expect(await ask(poor, { model: 'cohere-rerank-v3.0', documents: many })).toMatchObject({ status: 403 });
    expect(poor.upstream.requests).toEqual([]);
    expect(await ask(poor, { model: 'cohere-rerank-v3.0', documents: many.slice(0, 200) })).toMatchObject({ status: 200 });
    expect(await poor.balance()).toBe(999);
    // Who bills no searches is reserved for as what it is: one call.
    await using other = await createScene(engine, {
      quota: 1000,
      settings: { ...settings, ...price },
      channels: [{ type: 1, models: 'any-rerank' }],
    });
    expect(await ask(other, { model: 'any-rerank', documents: many })).toMatchObject({ status: 200 });
    expect(await other.balance()).toBe(0);
  });

  test('each provider is asked in its own words', async () => {
    await using scene = await open();
    const requested = async (fields: object) => {
      await ask(scene, fields);
      return scene.upstream.requests.at(-1);
    };
    const jina = { model: 'jina-reranker-v2', query: 'q', documents: [{ text: 'a' }, 'b'], top_n: 1, return_documents: false, late: 1 };
    expect(await requested(jina)).toMatchObject({ path: '/v1/rerank', body: jina });
    expect((await requested({ model: 'jina-reranker-v2', top_n: 0 }))?.body).not.toHaveProperty('top_n');
    const texts = await requested({ model: 'siliconflow-reranker', documents: [{ text: 'a' }, 'b'], max_chunk_per_doc: 4 });
    expect(texts?.body).toMatchObject({ documents: ['a', 'b'], max_chunks_per_doc: 4 });
    const response = await ask(scene, { model: 'cohere-rerank-v3.0', overlap_tokens: 5 });
    expect(response.dropped).toBe('overlap_tokens');
    expect(scene.upstream.requests.at(-1)?.body).toEqual({
      model: 'cohere-rerank-v3.0',
      query: 'high water',
      documents,
      return_documents: false,
    });
  });

  test('what is no question, no documents, or no text where only texts go is refused by its name', async () => {
    await using scene = await open();
    for (const [fields, param, code] of [
      [{ query: '' }, 'query', 'invalid_query'],
      [{ query: 7 }, 'query', 'invalid_request'],
      [{ documents: [] }, 'documents', 'invalid_documents'],
      [{ documents: 'ebb' }, 'documents', 'invalid_request'],
      [{ documents: ['a', 7] }, 'documents.1', 'invalid_request'],
      [{ documents: Array.from({ length: 10_001 }, () => 'a') }, 'documents', 'invalid_request'],
      [{ top_n: -1 }, 'top_n', 'invalid_request'],
      [{ return_documents: 'yes' }, 'return_documents', 'invalid_request'],
      [{ documents: [{ image: 'https://example.com/a.png' }], model: 'xinference-reranker' }, 'documents.0', 'untranslatable'],
    ] as const) {
      expect(await ask(scene, { model: 'any-rerank', ...fields })).toMatchObject({ status: 400, body: { error: { param, code } } });
    }
    expect(scene.upstream.requests).toEqual([]);
    const words = await createScene(engine, {
      settings: { ...settings, SensitiveWords: 'contraband' },
      channels: [{ models: 'any-rerank' }],
    });
    await using _words = words;
    const hidden = { model: 'any-rerank', documents: [{ title: 'some contraband' }] };
    expect(await ask(words, hidden)).toMatchObject({ status: 400, body: { error: { code: 'sensitive_words_detected' } } });
  });

  test('what a provider cannot have meant is no response', async () => {
    await using scene = await open();
    const { app, key, upstream } = scene;
    const client = new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: key, maxRetries: 0 });
    upstream.behave({ usage: { total_tokens: -5 } });
    expect(await failureOf(client.post('/rerank', { body: { model: 'any-rerank', query: 'q', documents: ['a'] } }))).toMatchObject({
      status: 502,
    });
    // Results beyond the requested ones, or repeated ones, would make a response arbitrarily long.
    for (const indexes of [[0, 0], [1]]) {
      const results = indexes.map((index) => ({ index, relevance_score: 1 }));
      await using raw = await startRawUpstream((response) => void response.end(JSON.stringify({ results })), { type: 'application/json' });
      await using hostile = await createScene(engine, { settings, channels: [{ type: 1, models: 'any-rerank', base_url: raw.url }] });
      expect(await ask(hostile, { model: 'any-rerank', documents: ['a'] })).toMatchObject({ status: 502 });
    }
    expect(await scene.balance()).toBe(500_000_000);
  });
});
