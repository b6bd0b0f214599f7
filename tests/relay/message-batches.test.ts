// Claude's batches, on the shared batch engine: their requests are part of their creation, and results are downloaded.
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import { pollBatches } from '#server/slices/batches/poll-batches.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { failureOf as failed } from '#tests/support/failure-of.ts';
import { type FakeMessageBatches, startFakeMessageBatches } from '#tests/support/fake-message-batches.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';

const model = 'claude-sonnet-5';
const usage = { input_tokens: 10, output_tokens: 5 };
/** Of a request by itself: 10 + 5 × 4; in a batch half of that. */
const each = 15;

const failureOf = async (requesting: PromiseLike<unknown>): Promise<{ status: unknown; message: string }> => {
  const failure = await failed(requesting);
  if (!(failure instanceof Anthropic.APIError)) throw new Error('It did not fail as calls do', { cause: failure });
  return { status: failure.status, message: failure.message };
};
const params = (fields: object = {}) => ({ model, max_tokens: 20, messages: [{ role: 'user' as const, content: 'Say hello' }], ...fields });
const ask = (name: string, fields: object = {}) => ({ custom_id: name, params: params(fields) });

describe.each(engines)('Claude’s batches on $kind', (engine) => {
  async function open(options: SceneOptions = {}): Promise<{ scene: RelayScene; provider: FakeMessageBatches }> {
    const opened: FakeMessageBatches[] = [];
    const front = async (url: string) => {
      const made = await startFakeMessageBatches(url);
      opened.push(made);
      return made;
    };
    const prices = { ModelRatio: JSON.stringify({ [model]: 1 }), CompletionRatio: JSON.stringify({ [model]: 4 }) };
    const settings = { BatchesPerUser: '5', RetryTimes: '1', ...prices, ...options.settings };
    const scene = await createScene(engine, { hasBudget: true, channels: [{ models: model }], ...options, front, settings });
    scene.upstream.behave({ usage });
    const [provider] = opened;
    if (provider === undefined) throw new Error('There is no provider');
    return { scene, provider };
  }
  const sdk = ({ app, key }: Pick<RelayScene, 'app' | 'key'>) =>
    new Anthropic({ baseURL: app.origin, apiKey: key, maxRetries: 0 }).messages.batches;
  async function someoneElse(scene: RelayScene) {
    const { key } = await createToken(scene.app.context, (await scene.app.createUser({ quota: 1_000_000 })).id);
    return sdk({ app: scene.app, key });
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
  async function resultsOf(batches: ReturnType<typeof sdk>, id: string) {
    const found = [];
    for await (const result of await batches.results(id)) found.push(result);
    return found;
  }

  test('one is created, worked on, told, charged, read and deleted', async () => {
    const { scene, provider } = await open({ channels: [{ models: model, model_mapping: JSON.stringify({ [model]: 'claude-theirs' }) }] });
    await using _scene = scene;
    const batches = sdk(scene);
    const before = await scene.balance();
    const made = await batches.create({ requests: [ask('a'), ask('b-2')] });
    expect(made).toMatchObject({ type: 'message_batch', processing_status: 'in_progress', results_url: null });
    expect(made.request_counts).toEqual({ processing: 2, succeeded: 0, errored: 0, canceled: 0, expired: 0 });
    expect(made.id).toMatch(/^msgbatch_[0-9a-zA-Z]{24}$/);
    const { reserved, upstream_input: tag } = await recordOf(scene);
    expect(await scene.balance()).toBe(before - reserved);
    expect([...provider.batches.values()]).toMatchObject([
      { requests: [{ custom_id: `${tag}_a`, params: { model: 'claude-theirs', max_tokens: 20 } }, { custom_id: `${tag}_b-2` }] },
    ]);
    const early = await fetch(`${scene.app.origin}/v1/messages/batches/${made.id}/results`, { headers: { 'x-api-key': scene.key } });
    expect(early.status).toBe(400);
    expect(await failureOf(batches.delete(made.id))).toMatchObject({ status: 400 });
    await provider.run();
    await poll(scene);
    const ended = await batches.retrieve(made.id);
    expect(ended).toMatchObject({ processing_status: 'ended', request_counts: { processing: 0, succeeded: 2, errored: 0 } });
    expect(ended.results_url).toBe(`/v1/messages/batches/${made.id}/results`);
    expect(await resultsOf(batches, made.id)).toMatchObject([
      { custom_id: 'b-2', result: { type: 'succeeded', message: { model, type: 'message' } } },
      { custom_id: 'a', result: { type: 'succeeded', message: { model } } },
    ]);
    expect(await scene.balance()).toBe(before - 2 * each);
    const reported = await scene.app.context.db.collection('logs').find({ type: 4 });
    expect(reported).toMatchObject([{ refunded: reserved - 2 * each, other: { event: { code: 'batch_settled', answered: 2 } } }]);
    await scene.checkBooks();
    expect(await batches.delete(made.id)).toEqual({ id: made.id, type: 'message_batch_deleted' });
    expect(await failureOf(batches.retrieve(made.id))).toMatchObject({ status: 404 });
    await scene.checkBooks();
  });

  test('of one that is cancelled what was done is paid', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const batches = sdk(scene);
    const before = await scene.balance();
    const { id } = await batches.create({ requests: [ask('a'), ask('b'), ask('c')] });
    const cancelled = await batches.cancel(id);
    expect(cancelled.processing_status).toBe('canceling');
    expect(cancelled.cancel_initiated_at).not.toBeNull();
    await provider.run({ count: 1, rest: 'canceled' });
    await poll(scene);
    expect((await batches.retrieve(id)).request_counts).toEqual({ processing: 0, succeeded: 1, errored: 0, canceled: 2, expired: 0 });
    expect(await scene.balance()).toBe(before - each);
    expect((await resultsOf(batches, id)).map(({ result }) => result.type)).toEqual(['canceled', 'canceled', 'succeeded']);
    await scene.checkBooks();
  });

  test('what a request may not ask by itself it may not ask in a batch', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const batches = sdk(scene);
    const before = await scene.balance();
    const cases: [requests: unknown, said: RegExp][] = [
      [[], /no requests/],
      ['none', /requests/],
      [[7], /requests.0/],
      [[ask('a'), ask('a')], /requests.1: custom_id/],
      [[ask('a b')], /custom_id/],
      [[ask('x'.repeat(56))], /custom_id/],
      [[{ custom_id: 'a' }], /params/],
      [[{ ...ask('a'), url: '/v1/files' }], /url/],
      [[ask('a', { stream: true })], /stream/],
      [[ask('a', { speed: 'fast' })], /service_tier/],
      [[ask('a', { thread: { type: 'new' } })], /thread/],
      [[ask('a', { messages: [] })], /messages/],
      [[ask('a', { model: 'nobody-has-it' })], /nobody-has-it/],
      [[ask('a'), ask('b', { model: 'claude-other' })], /requests.1: body.model/],
      [[ask('a', { Max_Tokens: 5 })], /max_tokens/],
    ];
    for (const [requests, said] of cases) {
      const refused = await failureOf(batches.create({ requests } as Parameters<typeof batches.create>[0]));
      expect(refused.message, JSON.stringify(requests)).toMatch(said);
      expect(refused.status).toBeLessThan(500);
    }
    expect(provider.requested).toEqual([]);
    expect(await scene.balance()).toBe(before);
    expect(await scene.app.context.db.collection('batches').count({}, 1)).toBe(0);
  });

  test('nobody reaches those of others, nor by the other vendor’s form', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const batches = sdk(scene);
    const { id } = await batches.create({ requests: [ask('a')] });
    await provider.run();
    await poll(scene);
    const other = await someoneElse(scene);
    for (const name of [id, 'msgbatch_theirs0']) {
      expect(await failureOf(other.retrieve(name))).toMatchObject({ status: 404 });
      expect(await failureOf(other.cancel(name))).toMatchObject({ status: 404 });
      expect(await failureOf(other.delete(name))).toMatchObject({ status: 404 });
      expect(await failureOf(Promise.resolve(other.list({ after_id: name })))).toMatchObject({ status: 404 });
      const results = await fetch(`${scene.app.origin}/v1/messages/batches/${name}/results`, {
        headers: { 'x-api-key': (await createToken(scene.app.context, (await scene.app.createUser({ quota: 9 })).id)).key },
      });
      expect(results.status).toBe(404);
    }
    const asOpenai = await fetch(`${scene.app.origin}/v1/batches/${id}`, { headers: { authorization: `Bearer ${scene.key}` } });
    expect(asOpenai.status).toBe(404);
    expect((await other.list()).data).toEqual([]);
  });

  test('lists are paged by the vendor’s rules', async () => {
    const { scene } = await open();
    await using _scene = scene;
    const batches = sdk(scene);
    const made: string[] = [];
    for (let index = 0; index < 4; index += 1) {
      made.push((await batches.create({ requests: [ask('a')] })).id);
      scene.app.clock.advance(1000);
    }
    const newest = made.toReversed();
    const all: string[] = [];
    for await (const { id } of batches.list({ limit: 1 })) all.push(id);
    expect(all).toEqual(newest);
    const before = await batches.list({ limit: 2, before_id: newest[3] ?? '' });
    expect(before.data.map(({ id }) => id)).toEqual(newest.slice(1, 3));
    expect(before.has_more).toBe(true);
    expect(await failureOf(Promise.resolve(batches.list({ limit: 0 })))).toMatchObject({ status: 400 });
  });

  test('where the provider has not answered it is found by the names of its requests, or given up', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const batches = sdk(scene);
    const before = await scene.balance();
    provider.lost.push(500);
    const { id } = await batches.create({ requests: [ask('a')] });
    // A batch of another user with the same account, with the same appearance.
    const [theirs] = provider.batches.values();
    if (theirs === undefined) throw new Error('There is no batch');
    const alike = [{ custom_id: 'theirs', params: params() }];
    provider.batches.set('x', { ...theirs, id: 'x', requests: alike });
    await poll(scene);
    expect((await recordOf(scene)).state).toBe('creating');
    await provider.run({ id: 'x' });
    await poll(scene);
    expect((await recordOf(scene)).state).toBe('creating');
    await provider.run({ id: theirs.id });
    await poll(scene);
    await poll(scene);
    expect((await batches.retrieve(id)).processing_status).toBe('ended');
    expect((await recordOf(scene)).upstream_id).toBe(theirs.id);
    expect(await scene.balance()).toBe(before - each);
    provider.failures.push(500);
    const second = await batches.create({ requests: [ask('a')] });
    await poll(scene);
    expect(await batches.retrieve(second.id)).toMatchObject({ processing_status: 'ended', results_url: null });
    expect(await scene.balance()).toBe(before - each);
    await scene.checkBooks();
  });

  test('one that the provider takes after its creation was given up is found, as long as it may be slow', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const before = await scene.balance();
    provider.lost.push(500);
    await sdk(scene).create({ requests: [ask('a')] });
    const [theirs] = provider.batches.values();
    if (theirs === undefined) throw new Error('There is no batch');
    provider.batches.clear();
    scene.app.clock.advance(60_000);
    await pollBatches(scene.app.context);
    expect((await recordOf(scene)).state).toBe('creating');
    provider.batches.set(theirs.id, theirs);
    await provider.run();
    await poll(scene);
    await poll(scene);
    expect(await recordOf(scene)).toMatchObject({ state: 'ended', upstream_id: theirs.id });
    expect(await scene.balance()).toBe(before - each);
    await scene.checkBooks();
  });

  test('the time that the provider may be slow begins when it is asked, however long the requests were read', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const before = await scene.balance();
    provider.lost.push(500);
    await sdk(scene).create({ requests: [ask('a')] });
    const [theirs] = provider.batches.values();
    if (theirs === undefined) throw new Error('There is no batch');
    provider.batches.clear();
    const { db } = scene.app.context;
    const { id, created_at: requested } = await recordOf(scene);
    await db.collection('batches').patch({ id }, { set: { created_at: requested - 3600 } });
    scene.app.clock.advance(60_000);
    await pollBatches(scene.app.context);
    expect(await recordOf(scene)).toMatchObject({ state: 'creating', charge: 'done' });
    expect(await scene.balance()).toBeLessThan(before);
    await poll(scene);
    expect(await recordOf(scene)).toMatchObject({ state: 'ended', cost: 0 });
    expect(await scene.balance()).toBe(before);
    await scene.checkBooks();
  });

  test('results with names that are not of it are nobody’s', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const batches = sdk(scene);
    const before = await scene.balance();
    const { id } = await batches.create({ requests: [ask('a')] });
    await provider.run();
    const [theirs] = provider.batches.values();
    if (theirs === undefined) throw new Error('There is no batch');
    theirs.results = `${theirs.results}${theirs.results}${JSON.stringify({ custom_id: 'other_a', result: { type: 'succeeded', message: {} } })}\n`;
    await poll(scene);
    expect((await resultsOf(batches, id)).map(({ custom_id: name }) => name)).toEqual(['a', 'a']);
    expect(await scene.balance()).toBe(before - each);
    await scene.checkBooks();
  });

  test('a result with words that the site blocks is told as one that has failed', async () => {
    const words = { SensitiveWords: 'kraken', CheckSensitiveEnabled: 'true', StopOnSensitiveEnabled: 'true' };
    const { scene, provider } = await open({ settings: words });
    await using _scene = scene;
    const batches = sdk(scene);
    const { id } = await batches.create({ requests: [ask('a')] });
    scene.upstream.queue({ usage, text: 'The Kraken wakes.' });
    await provider.run();
    await poll(scene);
    const results = await resultsOf(batches, id);
    expect(results).toMatchObject([{ custom_id: 'a', result: { type: 'errored', error: { type: 'error' } } }]);
    expect(JSON.stringify(results)).not.toMatch(/kraken/i);
  });

  test('without the setting there are none', async () => {
    const { scene } = await open({ settings: { BatchesPerUser: '0' } });
    await using _scene = scene;
    expect(await failureOf(Promise.resolve(sdk(scene).list()))).toMatchObject({ status: 501 });
  });
});
