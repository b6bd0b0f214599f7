// Gemini's batches, on the engine of all, as the official library creates them: inline requests, or a file of them.
import { ApiError, type BatchJob, GoogleGenAI, type InlinedRequest, JobState } from '@google/genai';
import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { pollBatches } from '#server/slices/batches/poll-batches.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { failureOf as failed } from '#tests/support/failure-of.ts';
import { startFakeBatches } from '#tests/support/fake-batches.ts';
import { type FakeGeminiBatches, startFakeGeminiBatches } from '#tests/support/fake-gemini-batches.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';

const model = 'gemini-3.8-flash';
const usage = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
/** Of a request by itself: 10 + 5 × 4; in a batch half of that. */
const each = 15;

const failureOf = async (requesting: PromiseLike<unknown>): Promise<{ status: number; message: string }> => {
  const failure = await failed(requesting);
  if (!(failure instanceof ApiError)) throw new Error('It did not fail as calls do', { cause: failure });
  return { status: failure.status, message: failure.message };
};
const ask = (text: string, fields: Partial<InlinedRequest> = {}): InlinedRequest => ({
  contents: [{ role: 'user', parts: [{ text }] }],
  config: { maxOutputTokens: 20 },
  ...fields,
});

describe.each(engines)('Gemini’s batches on $kind', (engine) => {
  async function open(options: SceneOptions = {}): Promise<{ scene: RelayScene; provider: FakeGeminiBatches }> {
    const opened: FakeGeminiBatches[] = [];
    const front = async (url: string) => {
      const made = await startFakeGeminiBatches(url);
      opened.push(made);
      return made;
    };
    const prices = {
      ModelRatio: JSON.stringify({ [model]: 1, 'gemini-embedding-001': 1 }),
      CompletionRatio: JSON.stringify({ [model]: 4 }),
    };
    const settings = { BatchesPerUser: '5', FilesPerUser: '20', RetryTimes: '1', ...prices, ...options.settings };
    const scene = await createScene(engine, {
      hasBudget: true,
      channels: [{ models: `${model},gemini-embedding-001` }],
      ...options,
      front,
      settings,
    });
    scene.upstream.behave({ usage });
    const [provider] = opened;
    if (provider === undefined) throw new Error('There is no provider');
    return { scene, provider };
  }
  const sdk = ({ app, key }: Pick<RelayScene, 'app' | 'key'>) => new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: app.origin } });
  const call = async ({ app, key }: Pick<RelayScene, 'app' | 'key'>, method: string, path: string, body?: unknown) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { 'content-type': 'application/json', 'x-goog-api-key': key };
    const response = await fetch(`${app.origin}${path}`, { method, headers, ...sent });
    return { status: response.status, text: await response.text() };
  };
  async function someoneElse(scene: RelayScene) {
    const { key } = await createToken(scene.app.context, (await scene.app.createUser({ quota: 1_000_000 })).id);
    return { app: scene.app, key };
  }
  async function poll({ app }: RelayScene): Promise<void> {
    app.clock.advance(11 * 60_000);
    await pollBatches(app.context);
  }
  const recordOf = async ({ app }: RelayScene): Promise<BatchRecord> => {
    const [record] = await app.context.db.collection('batches').find({});
    if (record === undefined) throw new Error('There is no batch');
    return record;
  };
  const nameOf = ({ name }: BatchJob) => name ?? '';

  test('inline requests are worked on, charged at half the price, and their results stand in their order', async () => {
    const { scene, provider } = await open({ channels: [{ models: model, model_mapping: JSON.stringify({ [model]: 'gemini-theirs' }) }] });
    await using _scene = scene;
    const { batches } = sdk(scene);
    const before = await scene.balance();
    const src = [ask('one', { metadata: { mine: 'a' } }), ask('two'), ask('three', { metadata: { mine: 'c' } })];
    const made = await batches.create({ model, src, config: { displayName: 'tides' } });
    expect(made).toMatchObject({ displayName: 'tides', state: JobState.JOB_STATE_PENDING, model: `models/${model}` });
    expect(nameOf(made)).toMatch(/^batches\/gbatch_\w{24}$/);
    const { reserved, id } = await recordOf(scene);
    expect(await scene.balance()).toBe(before - reserved);
    expect([...provider.batches.values()]).toMatchObject([
      {
        model: 'gemini-theirs',
        verb: 'batchGenerateContent',
        displayName: id,
        lines: [{ request: { contents: src[0]?.contents } }, {}, {}],
      },
    ]);
    expect(await failureOf(batches.delete({ name: nameOf(made) }))).toMatchObject({ status: 400 });

    await provider.run();
    await poll(scene);
    const ended = await batches.get({ name: nameOf(made) });
    expect(ended).toMatchObject({ state: JobState.JOB_STATE_SUCCEEDED, displayName: 'tides', endTime: expect.any(String) });
    const results = ended.dest?.inlinedResponses ?? [];
    expect(results.map(({ metadata }) => metadata?.['mine'])).toEqual(['a', undefined, 'c']);
    expect(results[0]?.response).toMatchObject({ modelVersion: expect.any(String), candidates: [{ finishReason: 'STOP' }] });
    const raw = JSON.parse((await call(scene, 'GET', `/v1beta/${nameOf(made)}`)).text);
    expect(raw).toMatchObject({
      done: true,
      metadata: { batchStats: { requestCount: '3', successfulRequestCount: '3', pendingRequestCount: '0' } },
    });
    expect(raw.response.inlinedResponses).toEqual(raw.metadata.output.inlinedResponses);
    expect(raw.response.inlinedResponses.inlinedResponses).toHaveLength(3);
    // The provider gets one download request per reader.
    expect(provider.requested.filter((one) => one.includes(':download'))).toHaveLength(3);
    expect(scene.app.context.bodies.spool.bytes).toBe(0);
    expect(await scene.balance()).toBe(before - 3 * each);
    await scene.checkBooks();
    // What it was given is gone.
    expect(provider.requested.filter((one) => one.startsWith('DELETE /v1beta/files/'))).toHaveLength(1);

    const listed = [];
    for await (const job of await batches.list()) listed.push(job.name);
    expect(listed).toEqual([nameOf(made)]);
    await batches.delete({ name: nameOf(made) });
    expect(await failureOf(batches.get({ name: nameOf(made) }))).toMatchObject({ status: 404 });
    await scene.checkBooks();
  });

  test('requests of a file are answered by a file', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const files = await startFakeBatches(scene.upstream.url);
    try {
      await scene.addChannel({ models: 'gpt-4o-mini', base_url: files.url, ...files.channel });
      const lines = ['one', 'two'].map((key) => JSON.stringify({ key, request: { contents: [{ role: 'user', parts: [{ text: key }] }] } }));
      const { files: store } = new OpenAI({ apiKey: scene.key, baseURL: `${scene.app.origin}/v1`, maxRetries: 0 });
      const { id } = await store.create({ file: await toFile(Buffer.from(lines.join('\n')), 'in.jsonl'), purpose: 'batch' });
      const before = await scene.balance();
      const { batches } = sdk(scene);
      const made = await batches.create({ model, src: `files/${id}` });
      await provider.run();
      await poll(scene);
      const ended = await batches.get({ name: nameOf(made) });
      const name = ended.dest?.fileName ?? '';
      expect(name).toMatch(/^files\/batch-gbatch_\w{24}$/);
      for (const path of ['/v1beta', '/download/v1beta']) {
        const { status, text } = await call(scene, 'GET', `${path}/${name}:download?alt=media`);
        const results = text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line));
        expect([status, results]).toMatchObject([
          200,
          [
            { key: 'two', response: {} },
            { key: 'one', response: {} },
          ],
        ]);
      }
      expect((await call(await someoneElse(scene), 'GET', `/v1beta/${name}:download?alt=media`)).status).toBe(404);
      expect(await scene.balance()).toBe(before - 2 * each);
      const broken = await toFile(Buffer.from('{"key":"a","request":{},"url":"x"}'), 'in.jsonl');
      const { id: wrong } = await store.create({ file: broken, purpose: 'batch' });
      expect((await failureOf(batches.create({ model, src: `files/${wrong}` }))).message).toMatch(/line 1: url/);
      await scene.checkBooks();
    } finally {
      await files.close();
    }
  });

  test('vectors are made in batches', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const before = await scene.balance();
    const embedding = 'gemini-embedding-001';
    const src = { inlinedRequests: { contents: [{ parts: [{ text: 'a' }] }, { parts: [{ text: 'b' }] }] } };
    const made = await sdk(scene).batches.createEmbeddings({ model: embedding, src });
    await provider.run({ instead: { embedding: { values: [0.5] }, usageMetadata: { promptTokenCount: 2 } } });
    await poll(scene);
    const ended = await sdk(scene).batches.get({ name: nameOf(made) });
    expect([...provider.batches.values()]).toMatchObject([{ verb: 'asyncBatchEmbedContent' }]);
    expect(ended.dest?.inlinedEmbedContentResponses).toMatchObject([
      { response: { embedding: { values: [0.5] } } },
      { response: { embedding: { values: [0.5] } } },
    ]);
    // Four tokens at the 0.8 that batches of this model cost, rounded up.
    expect(await scene.balance()).toBe(before - 4);
    await scene.checkBooks();
  });

  test('of one that is cancelled what was done is paid', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const before = await scene.balance();
    const { batches } = sdk(scene);
    const made = await batches.create({ model, src: [ask('a'), ask('b')] });
    await batches.cancel({ name: nameOf(made) });
    expect(await batches.get({ name: nameOf(made) })).toMatchObject({ state: JobState.JOB_STATE_RUNNING });
    await provider.run({ count: 1, state: 'CANCELLED' });
    await poll(scene);
    const ended = await batches.get({ name: nameOf(made) });
    expect(ended.state).toBe(JobState.JOB_STATE_CANCELLED);
    expect(ended.dest?.inlinedResponses).toHaveLength(1);
    expect(await scene.balance()).toBe(before - each);
    await scene.checkBooks();
  });

  test('what a request may not ask by itself it may not ask in a batch', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const before = await scene.balance();
    const request = { contents: [{ parts: [{ text: 'a' }] }] };
    const inline = (...requests: unknown[]) => ({ batch: { inputConfig: { requests: { requests } } } });
    const cases: [body: unknown, said: RegExp][] = [
      [{}, /batch/],
      [{ batch: {} }, /batch.inputConfig/],
      [{ batch: { inputConfig: { requests: {} } } }, /no requests/],
      [{ batch: { inputConfig: { gcsUri: 'gs://b/x', requests: { requests: [{ request }] } } } }, /gcsUri/],
      [inline(7), /requests.0/],
      [inline({ request: 7 }), /requests.0: request/],
      [inline({ request, key: 'a' }), /requests.0: key/],
      [inline({ request, metadata: { a: 'x'.repeat(2000) } }), /metadata/],
      [inline({ request: { contents: [] } }), /messages/],
      [inline({ request: { ...request, model: 'models/other' } }), /model/],
      [inline({ request: { ...request, cachedContent: 'cachedContents/x' } }), /cachedContent/],
      [inline({ request: { ...request, generationConfig: { max_output_tokens: 1, maxOutputTokens: 2 } } }), /maxOutputTokens/],
      [{ batch: { inputConfig: { fileName: 'files/none' } } }, /none/],
    ];
    for (const [body, said] of cases) {
      const { status, text } = await call(scene, 'POST', `/v1beta/models/${model}:batchGenerateContent`, body);
      expect([status, text], JSON.stringify(body)).toEqual([
        expect.toSatisfy((one: number) => one >= 400 && one < 500),
        expect.stringMatching(said),
      ]);
      expect(JSON.parse(text).error.code).toBe(status);
    }
    expect((await call(scene, 'POST', '/v1beta/models/nobody-has-it:batchGenerateContent', inline({ request }))).status).toBe(400);
    const big = inline(...Array.from({ length: 8 }, () => ({ request: { contents: [{ parts: [{ text: 'tide '.repeat(560_000) }] }] } })));
    expect((await call(scene, 'POST', `/v1beta/models/${model}:batchGenerateContent`, big)).text).toMatch(/20 MB|too long|exceeds|quota/);
    expect(provider.requested).toEqual([]);
    expect(await scene.balance()).toBe(before);
    expect(await scene.app.context.db.collection('batches').count({}, 1)).toBe(0);
  });

  test('nobody reaches those of others, nor with a key that may not ask for the model, nor by another vendor’s form', async () => {
    const { scene } = await open();
    await using _scene = scene;
    const made = await sdk(scene).batches.create({ model, src: [ask('a')] });
    const other = sdk(await someoneElse(scene)).batches;
    for (const name of [nameOf(made), 'batches/theirs0']) {
      expect(await failureOf(other.get({ name }))).toMatchObject({ status: 404 });
      expect(await failureOf(other.cancel({ name }))).toMatchObject({ status: 404 });
      expect(await failureOf(other.delete({ name }))).toMatchObject({ status: 404 });
    }
    expect((await other.list()).page).toEqual([]);
    const id = nameOf(made).slice('batches/'.length);
    const asOpenai = await fetch(`${scene.app.origin}/v1/batches/${id}`, { headers: { authorization: `Bearer ${scene.key}` } });
    expect(asOpenai.status).toBe(404);
    expect((await call(scene, 'POST', `/v1beta/batches/${id}:retry`)).status).toBe(501);
    const { key } = await scene.addToken({ model_limits_enabled: true, model_limits: 'other' });
    expect((await failureOf(sdk({ app: scene.app, key }).batches.create({ model, src: [ask('a')] }))).status).toBe(400);
  });

  test('where the provider has not answered it is found by its name there, or given up', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const before = await scene.balance();
    const { batches } = sdk(scene);
    provider.lost.push(500);
    const made = await batches.create({ model, src: [ask('a')] });
    const [theirs] = provider.batches.values();
    if (theirs === undefined) throw new Error('There is no batch');
    for (const index of [1, 2, 3])
      provider.batches.set(`batches/x${index}`, { ...theirs, name: `batches/x${index}`, displayName: 'another' });
    await poll(scene);
    expect(await recordOf(scene)).toMatchObject({ state: 'running', upstream_id: theirs.name });
    provider.batches.clear();
    provider.batches.set(theirs.name, theirs);
    await provider.run();
    await poll(scene);
    expect((await batches.get({ name: nameOf(made) })).state).toBe(JobState.JOB_STATE_SUCCEEDED);
    expect(await scene.balance()).toBe(before - each);
    provider.lost.push(500);
    await batches.create({ model, src: [ask('a')] });
    provider.batches.clear();
    await poll(scene);
    await poll(scene);
    expect(await scene.balance()).toBe(before - each);
    await scene.checkBooks();
  });

  test('a channel without such batches is told, and the setting ends them', async () => {
    const { scene } = await open({ channels: [{ models: 'gpt-4o-mini', type: 1 }], settings: {} });
    await using _scene = scene;
    expect(await failureOf(sdk(scene).batches.create({ model: 'gpt-4o-mini', src: [ask('a')] }))).toMatchObject({ status: 400 });
    const off = await open({ settings: { BatchesPerUser: '0' } });
    await using _off = off.scene;
    expect(await failureOf(sdk(off.scene).batches.list())).toMatchObject({ status: 501 });
  });

  test('a result with words that the site blocks is told as one that has failed', async () => {
    const words = { SensitiveWords: 'kraken', CheckSensitiveEnabled: 'true', StopOnSensitiveEnabled: 'true' };
    const { scene, provider } = await open({ settings: words });
    await using _scene = scene;
    const made = await sdk(scene).batches.create({ model, src: [ask('a')] });
    scene.upstream.queue({ usage, text: 'The Kraken wakes.' });
    await provider.run();
    await poll(scene);
    const { dest } = await sdk(scene).batches.get({ name: nameOf(made) });
    expect(dest?.inlinedResponses).toMatchObject([{ error: { code: 3 } }]);
    expect(JSON.stringify(dest)).not.toMatch(/kraken/i);
  });
});
