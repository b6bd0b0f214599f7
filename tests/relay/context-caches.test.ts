// Gemini's `cachedContents`, as the official library has them: whose they are, what storing costs, and what becomes of them.
import { ApiError, GoogleGenAI } from '@google/genai';
import { describe, expect, test } from 'vitest';
import { tendCaches } from '#server/slices/context-caches/tend-caches.ts';
import { priceFor } from '#server/slices/context-caches/cache-price.ts';
import type { ContextCacheRecord } from '#server/db/records/context-cache.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { failureOf as failed } from '#tests/support/failure-of.ts';
import { cachedTokens, type FakeGeminiCaches, startFakeGeminiCaches, startFakeVertexCaches } from '#tests/support/fake-gemini-caches.ts';
import { createScene, type RelayScene, type SceneOptions, setOption } from '#tests/support/relay-scene.ts';

const model = 'gemini-3.8-flash';
const usage = {
  promptTokenCount: cachedTokens + 10,
  cachedContentTokenCount: cachedTokens,
  candidatesTokenCount: 5,
  totalTokenCount: cachedTokens + 15,
};
/** Read once as a prompt: a token is one. */
const reading = cachedTokens;
/** An hour of 100,000 tokens at $1 for a million. */
const hour = 50_000;
const contents = [{ role: 'user', parts: [{ text: 'The tides of Brest.' }] }];

const failureOf = async (requesting: PromiseLike<unknown>): Promise<{ status: number; message: string }> => {
  const failure = await failed(requesting);
  if (!(failure instanceof ApiError)) throw new Error('It did not fail as calls do', { cause: failure });
  return { status: failure.status, message: failure.message };
};

test('a price is that of the longest name that fits', () => {
  const prices = { 'gemini*': 1, 'gemini*pro*': 4.5, 'gemini-2.5-pro': 2 };
  const found = ['gemini-3-flash', 'gemini-3.1-pro-preview', 'gemini-2.5-pro', 'claude'].map((name) => priceFor(name, prices));
  expect(found).toEqual([1, 4.5, 2, undefined]);
  expect(priceFor(`${'a'.repeat(2000)}b`, { [`${'*a'.repeat(200)}*c`]: 1 })).toBeUndefined();
});

describe.each(engines)('caches of prompts on $kind', (engine) => {
  async function open(
    options: SceneOptions = {},
    start: (url: string) => Promise<FakeGeminiCaches> = startFakeGeminiCaches,
  ): Promise<{ scene: RelayScene; provider: FakeGeminiCaches }> {
    const opened: FakeGeminiCaches[] = [];
    const front = async (url: string) => {
      const made = await start(url);
      opened.push(made);
      return made;
    };
    const prices = {
      ModelRatio: JSON.stringify({ [model]: 1, 'gemini-2.5-pro': 1, unpriced: 1 }),
      CompletionRatio: JSON.stringify({ [model]: 4 }),
      CacheRatio: JSON.stringify({ [model]: 0.1 }),
    };
    const settings = { ContextCachesPerUser: '3', RetryTimes: '1', ...prices, ...options.settings };
    const scene = await createScene(engine, {
      hasBudget: true,
      channels: [{ models: `${model},gemini-2.5-pro,unpriced` }],
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
  const make = ({ caches }: GoogleGenAI, config: object = {}) => caches.create({ model, config: { contents, ttl: '3600s', ...config } });
  async function someoneElse(scene: RelayScene, fields: object = {}) {
    const { key } = await createToken(scene.app.context, (await scene.app.createUser({ quota: 1_000_000 })).id, fields);
    return sdk({ app: scene.app, key });
  }
  async function tend({ app }: RelayScene, seconds = 0): Promise<void> {
    app.clock.advance(seconds * 1000);
    await tendCaches(app.context);
  }
  const recordOf = async ({ app }: RelayScene): Promise<ContextCacheRecord> => {
    const [record] = await app.context.db.collection('context_caches').find({});
    if (record === undefined) throw new Error('There is no cache');
    return record;
  };
  const count = ({ app }: RelayScene) => app.context.db.collection('context_caches').count({}, 10);

  test('one is created, used, told, listed and deleted; what was not used of its hour goes back', async () => {
    const { scene, provider } = await open({
      channels: [
        { models: model, model_mapping: JSON.stringify({ [model]: 'gemini-theirs' }) },
        { models: model, priority: 9, key: 'AIza-other' },
      ],
    });
    await using _scene = scene;
    const { context } = scene.app;
    // Only the first channel has the right key: the other one does not get requests for caches of the first.
    await context.db.collection('channels').patch({ id: scene.channelIds[1] ?? 0 }, { set: { models: 'other' } });
    await context.changes.announce('channel', scene.channelIds[1] ?? 0);
    await context.channels.reload();
    const client = sdk(scene);
    const before = await scene.balance();
    const made = await make(client, { displayName: 'tides', systemInstruction: 'Be brief.' });
    expect(made).toMatchObject({ displayName: 'tides', model: `models/${model}`, usageMetadata: { totalTokenCount: cachedTokens } });
    expect(Date.parse(made.expireTime ?? '') - Date.parse(made.createTime ?? '')).toBe(3_600_000);
    expect(await scene.balance()).toBe(before - reading - hour);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({
      quota: reading + hour,
      model_name: model,
      other: { context_cache: { id: made.name?.slice('cachedContents/'.length), tokens: cachedTokens } },
    });
    expect([...provider.caches.values()]).toMatchObject([
      { body: { model: 'models/gemini-theirs', ttl: '3600s', contents, displayName: made.name?.slice('cachedContents/'.length) } },
    ]);

    await context.db.collection('channels').patch({ id: scene.channelIds[1] ?? 0 }, { set: { models: model } });
    await context.changes.announce('channel', scene.channelIds[1] ?? 0);
    await context.channels.reload();
    const question = { model, contents: 'When is high water?', config: { cachedContent: made.name ?? '', maxOutputTokens: 20 } };
    for (let times = 0; times < 3; times += 1) await client.models.generateContent(question);
    expect(provider.used).toEqual(['cachedContents/theirs0', 'cachedContents/theirs0', 'cachedContents/theirs0']);
    const each = 10 + cachedTokens / 10 + 5 * 4;
    expect(await scene.balance()).toBe(before - reading - hour - 3 * each);

    expect(await client.caches.get({ name: made.name ?? '' })).toMatchObject({ name: made.name, displayName: 'tides' });
    const listed = [];
    for await (const cache of await client.caches.list()) listed.push(cache.name);
    expect(listed).toEqual([made.name]);
    scene.app.clock.advance(900_000);
    await client.caches.delete({ name: made.name ?? '' });
    expect(provider.caches.size).toBe(0);
    const stored = before - reading - 3 * each - (await scene.balance());
    expect(stored).toBeGreaterThanOrEqual(hour / 4);
    expect(stored).toBeLessThan(hour / 3);
    expect(await failureOf(client.models.generateContent(question))).toMatchObject({
      status: 404,
      message: expect.stringContaining('NOT_FOUND'),
    });
    expect(await count(scene)).toBe(0);
    await scene.checkBooks();
  });

  test('one is paid for longer, once, and shorter costs less in the end', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const { caches } = sdk(scene);
    const before = await scene.balance();
    const made = await make(sdk(scene));
    const name = made.name ?? '';
    const expiring = (seconds: number) => ({ expireTime: new Date(Date.parse(made.createTime ?? '') + seconds * 1000).toISOString() });
    const longer = await caches.update({ name, config: expiring(7200) });
    expect(Date.parse(longer.expireTime ?? '') - Date.parse(longer.createTime ?? '')).toBe(7_200_000);
    expect(await scene.balance()).toBe(before - reading - 2 * hour);
    expect(Date.parse(String([...provider.caches.values()][0]?.body['expireTime']))).toBe(Date.parse(longer.expireTime ?? ''));
    await caches.update({ name, config: expiring(3600) });
    await caches.update({ name, config: expiring(7200) });
    expect(await scene.balance()).toBe(before - reading - 2 * hour);
    await caches.update({ name, config: expiring(1800) });
    const beyond = expect.objectContaining({ status: 400 });
    expect(await failureOf(caches.update({ name, config: {} }))).toEqual(beyond);
    expect(await failureOf(caches.update({ name, config: { ttl: '700000s' } }))).toEqual(beyond);
    await tend(scene, 1801);
    expect(await scene.balance()).toBe(before - reading - hour / 2);
    expect([await count(scene), provider.caches.size]).toEqual([0, 0]);
    await scene.checkBooks();
  });

  test('one that has expired is none, costs its hour, and goes from its provider', async () => {
    const { scene, provider } = await open({ tokenQuota: 1_000_000 });
    await using _scene = scene;
    const before = await scene.balance();
    const name = (await make(sdk(scene))).name ?? '';
    scene.app.clock.advance(3_600_000);
    expect(await failureOf(sdk(scene).caches.get({ name }))).toMatchObject({ status: 404 });
    expect(await failureOf(sdk(scene).caches.update({ name, config: { ttl: '60s' } }))).toMatchObject({ status: 404 });
    const requested = sdk(scene).models.generateContent({ model, contents: 'x', config: { cachedContent: name } });
    expect(await failureOf(requested)).toMatchObject({ status: 404 });
    expect((await sdk(scene).caches.list()).page).toEqual([]);
    provider.failures.push(500);
    await tend(scene);
    expect(await count(scene)).toBe(1);
    await tend(scene, 61);
    expect([await count(scene), provider.caches.size]).toEqual([0, 0]);
    expect(await scene.balance()).toBe(before - reading - hour);
    await scene.checkBooks();
  });

  test('nobody reaches those of others, by whatever name, nor with a model of another', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const name = (await make(sdk(scene))).name ?? '';
    const other = await someoneElse(scene);
    for (const reported of [name, 'cachedContents/theirs0', name.toUpperCase().replace('CACHEDCONTENTS', 'cachedContents')]) {
      expect(await failureOf(other.caches.get({ name: reported }))).toMatchObject({ status: 404 });
      expect(await failureOf(other.caches.delete({ name: reported }))).toMatchObject({ status: 404 });
      expect(await failureOf(other.caches.update({ name: reported, config: { ttl: '60s' } }))).toMatchObject({ status: 404 });
      const requested = other.models.generateContent({ model, contents: 'x', config: { cachedContent: reported } });
      expect(await failureOf(requested)).toMatchObject({ status: 404 });
    }
    expect((await other.caches.list()).page).toEqual([]);
    const wrong = sdk(scene).models.generateContent({ model: 'gemini-2.5-pro', contents: 'x', config: { cachedContent: name } });
    expect(await failureOf(wrong)).toMatchObject({ status: 400, message: expect.stringContaining('cachedContent') });
    // The provider's name of a cache is invalid here, also for its owner.
    const theirs = sdk(scene).models.generateContent({ model, contents: 'x', config: { cachedContent: 'cachedContents/theirs0' } });
    expect(await failureOf(theirs)).toMatchObject({ status: 404 });
    const snake = await scene.post(`/v1beta/models/${model}:generateContent`, { contents, cached_content: 'cachedContents/theirs0' });
    expect([snake.status, (await snake.text()).includes('NOT_FOUND')]).toEqual([404, true]);
    expect(provider.used).toEqual([]);
    const { db, changes, channels } = scene.app.context;
    await db.collection('channels').remove({ id: scene.channelIds[0] ?? 0 });
    await changes.announce('channel', scene.channelIds[0] ?? 0);
    await channels.reload();
    const gone = sdk(scene).models.generateContent({ model, contents: 'x', config: { cachedContent: name } });
    expect((await failureOf(gone)).status).toBe(404);
    await sdk(scene).caches.delete({ name });
    await scene.checkBooks();
  });

  test('what costs more, or is not theirs, is refused, and so are bounds', async () => {
    const { scene, provider } = await open({
      channels: [{ models: `${model},unpriced` }, { type: 1, models: 'gpt-4o-mini' }],
    });
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    const cases: [model: string, config: object, said: RegExp][] = [
      [model, { contents: undefined }, /contents/],
      [model, { ttl: '59s' }, /ttl/],
      [model, { ttl: '604801s' }, /ttl/],
      [model, { ttl: 'soon' }, /ttl/],
      [model, { ttl: undefined, expireTime: '2020-01-01T00:00:00Z' }, /expireTime/],
      [model, { tools: [{ googleSearch: {} }] }, /googleSearch/],
      [model, { contents: [{ role: 'user', parts: [{ fileData: { fileUri: 'files/abc' } }] }] }, /fileUri/],
      ['unpriced', {}, /model/],
      ['gpt-4o-mini', {}, /cachedContents/],
      ['nobody-has-it', {}, /nobody-has-it/],
    ];
    for (const [name, config, said] of cases) {
      const refused = await failureOf(client.caches.create({ model: name, config: { contents, ttl: '3600s', ...config } }));
      expect([refused.status < 500, refused.message], JSON.stringify(config)).toEqual([true, expect.stringMatching(said)]);
    }
    expect([await scene.balance(), await count(scene), provider.requested]).toEqual([before, 0, []]);
    for (let times = 0; times < 3; times += 1) await make(client);
    expect(await failureOf(make(client))).toMatchObject({ status: 429 });
    expect(provider.caches.size).toBe(3);
    const bound = await someoneElse(scene, { model_limits_enabled: true, model_limits: 'other' });
    expect(await failureOf(make(bound))).toMatchObject({ status: 403 });
    const poor = await createToken(scene.app.context, (await scene.app.createUser({ quota: 1000 })).id);
    const rich = { contents: [{ role: 'user', parts: [{ text: 'tide '.repeat(2000) }] }] };
    expect((await failureOf(make(sdk({ app: scene.app, key: poor.key }), rich))).status).toBeLessThan(500);
    expect(provider.caches.size).toBe(3);
    await setOption(scene.app, 'ContextCachesPerUser', '0');
    expect(await failureOf(client.caches.list())).toMatchObject({ status: 501 });
    await scene.checkBooks();
  });

  test('what the provider refuses costs nothing; what it made without an answer goes from it', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const before = await scene.balance();
    provider.failures.push(400);
    expect(await failureOf(make(sdk(scene)))).toMatchObject({ status: 400 });
    expect(await count(scene)).toBe(0);
    provider.failures.push('lost');
    expect((await failureOf(make(sdk(scene)))).status).toBeGreaterThanOrEqual(500);
    expect([await count(scene), provider.caches.size]).toEqual([1, 1]);
    expect((await sdk(scene).caches.list()).page).toEqual([]);
    // While its process lives its outcome may still be reported.
    await tend(scene, 16 * 60);
    expect(await count(scene)).toBe(1);
    await tend(scene, 3600);
    expect([await count(scene), provider.caches.size]).toEqual([0, 0]);
    expect(await scene.balance()).toBe(before);
    const name = (await make(sdk(scene))).name ?? '';
    provider.failures.push(500);
    expect((await failureOf(sdk(scene).caches.update({ name, config: { ttl: '7200s' } }))).status).toBeGreaterThanOrEqual(500);
    expect(await scene.balance()).toBe(before - reading - hour);
    expect(await recordOf(scene)).toMatchObject({ pending_until: 0, state: 'stored' });
    await scene.checkBooks();
  });

  test('a charge whose process has ended is found, or its cache goes', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const before = await scene.balance();
    const caches = scene.app.context.db.collection('context_caches');
    await make(sdk(scene));
    const { id, expires_at: until, paid } = await recordOf(scene);
    const { db, ledger } = scene.app.context;
    await db.collection('processes').patch({ id: ledger.processId }, { max: { settled_seq: 1000 } });
    // It ended between its charge and the note of it.
    const back = {
      state: 'paying' as const,
      paid: 0,
      token_paid: 0,
      pending_paid: paid,
      pending_until: until,
      process: 'gone',
      poll_at: 0,
    };
    await caches.patch({ id }, { set: back });
    await tend(scene);
    expect(await recordOf(scene)).toMatchObject({ state: 'stored', paid: hour, pending_until: 0, expires_at: until });
    // And before its charge.
    await caches.patch({ id }, { set: { ...back, request_id: 'never' } });
    await tend(scene);
    expect([await count(scene), provider.caches.size]).toEqual([0, 0]);
    expect(await scene.balance()).toBe(before - reading - hour);
    // An extension that was not paid for is none.
    await make(sdk(scene));
    const second = await recordOf(scene);
    const pending = { request_id: 'never', pending_paid: 7, pending_until: second.expires_at + 3600, process: 'gone', poll_at: 0 };
    await caches.patch({ id: second.id }, { set: pending });
    expect(await failureOf(sdk(scene).caches.delete({ name: `cachedContents/${second.id}` }))).toMatchObject({ status: 409 });
    await tend(scene);
    expect(await recordOf(scene)).toMatchObject({ state: 'stored', expires_at: second.expires_at, pending_until: 0, paid: hour });
    await scene.checkBooks();
  });

  const endsOf = async ({ app }: RelayScene) =>
    (await app.context.db.collection('logs').find({ type: 4 }, { sort: [['id', 1]] })).filter(
      ({ other }) => (other?.['event'] as { code?: string } | undefined)?.code === 'cache_ended',
    );

  test('time that is added costs what storing costs then, and what of it is not used goes back at that price', async () => {
    const { scene } = await open();
    await using _scene = scene;
    const { caches } = sdk(scene);
    const before = await scene.balance();
    const made = await make(sdk(scene));
    const name = made.name ?? '';
    const expiring = (seconds: number) => ({ expireTime: new Date(Date.parse(made.createTime ?? '') + seconds * 1000).toISOString() });
    await setOption(scene.app, 'ContextCachePrice', JSON.stringify({ [model]: 3 }));
    await caches.update({ name, config: expiring(7200) });
    expect(await scene.balance()).toBe(before - reading - hour - 3 * hour);
    expect(await scene.logs(2)).toMatchObject([
      { quota: reading + hour, other: { context_cache: { price: 1 } } },
      { quota: 3 * hour, other: { context_cache: { price: 3, first_request_id: expect.any(String) } } },
    ]);
    // What is paid for stays paid for.
    await setOption(scene.app, 'ContextCachePrice', JSON.stringify({ [model]: 9 }));
    await caches.update({ name, config: expiring(1800) });
    await caches.update({ name, config: expiring(7200) });
    expect(await scene.balance()).toBe(before - reading - 4 * hour);
    await setOption(scene.app, 'ContextCachePrice', JSON.stringify({ other: 9 }));
    expect(await failureOf(caches.update({ name, config: expiring(7201) }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('model'),
    });
    await caches.update({ name, config: expiring(5400) });
    const [first] = await scene.logs(1);
    await tend(scene, 5401);
    expect(await scene.balance()).toBe(before - reading - hour - 1.5 * hour);
    expect(await endsOf(scene)).toMatchObject([
      {
        refunded: 1.5 * hour,
        request_id: first?.request_id,
        other: {
          event: {
            cost: 2.5 * hour,
            amount: 1.5 * hour,
            order: first?.id,
            lines: [
              { part: 'cache_storage', quantity: cachedTokens, price: 1 },
              { part: 'cache_storage', quantity: cachedTokens / 2, price: 3 },
            ],
          },
        },
      },
    ]);
    await scene.checkBooks();
  });

  test('any key of the owner extends and ends a cache, and each gets back what it paid for and was not used', async () => {
    const { scene } = await open({ tokenQuota: 1_000_000 });
    await using _scene = scene;
    scene.app.clock.freeze();
    const { db } = scene.app.context;
    const second = await createToken(scene.app.context, scene.user.id, { quota: 1_000_000 });
    const leftOf = async (id: number) => {
      const token = await db.collection('tokens').get(id);
      return (token?.remain_quota ?? 0) + Object.values(token?.leases ?? {}).reduce((sum, lease) => sum + lease, 0);
    };
    const left = async () => [await leftOf(scene.token.id), await leftOf(second.token.id)];
    const [one, other] = [sdk(scene), sdk({ app: scene.app, key: second.key })];
    const before = await scene.balance();
    const made = await make(one);
    const name = made.name ?? '';
    const expiring = (hours: number) => ({ expireTime: new Date(Date.parse(made.createTime ?? '') + hours * 3_600_000).toISOString() });
    await other.caches.update({ name, config: expiring(2) });
    await one.caches.update({ name, config: expiring(3) });
    await other.caches.update({ name, config: expiring(5) });
    expect(await left()).toEqual([1_000_000 - reading - 2 * hour, 1_000_000 - 3 * hour]);
    expect((await scene.logs(4)).map(({ token_id, quota }) => [token_id, quota])).toEqual([
      [scene.token.id, reading + hour],
      [second.token.id, hour],
      [scene.token.id, hour],
      [second.token.id, 2 * hour],
    ]);
    scene.app.clock.advance(1.5 * 3_600_000);
    await other.caches.delete({ name });
    expect(await count(scene)).toBe(0);
    expect(await scene.balance()).toBe(before - reading - 1.5 * hour);
    expect(await left()).toEqual([1_000_000 - reading - hour, 1_000_000 - hour / 2]);
    expect((await endsOf(scene)).map(({ token_id, refunded = 0 }) => [token_id, refunded])).toEqual([
      [scene.token.id, 0],
      [second.token.id, hour / 2],
      [scene.token.id, hour],
      [second.token.id, 2 * hour],
    ]);
    await scene.checkBooks();
  });

  test('a cache whose key was deleted is extended by another one', async () => {
    const { scene } = await open();
    await using _scene = scene;
    scene.app.clock.freeze();
    const second = await createToken(scene.app.context, scene.user.id, {});
    const before = await scene.balance();
    const name = (await make(sdk(scene))).name ?? '';
    await scene.app.context.db.collection('tokens').remove({ id: scene.token.id });
    await scene.app.context.changes.announce('token', scene.token.id);
    const { caches } = sdk({ app: scene.app, key: second.key });
    await caches.update({ name, config: { ttl: '7200s' } });
    await caches.delete({ name });
    expect(await scene.balance()).toBe(before - reading);
    expect(await endsOf(scene)).toMatchObject([
      { token_id: scene.token.id, refunded: hour },
      { token_id: second.token.id, refunded: hour },
    ]);
    await scene.checkBooks();
  });

  test('a key that may no longer use the model extends nothing, and may end what it has', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const { caches } = sdk(scene);
    const before = await scene.balance();
    const name = (await make(sdk(scene))).name ?? '';
    const { db, changes } = scene.app.context;
    await db.collection('tokens').patch({ id: scene.token.id }, { set: { model_limits_enabled: true, model_limits: 'other' } });
    await changes.announce('token', scene.token.id);
    const requested = provider.requested.length;
    expect(await failureOf(caches.update({ name, config: { ttl: '7200s' } }))).toMatchObject({ status: 403 });
    expect([provider.requested.length, await scene.balance()]).toEqual([requested, before - reading - hour]);
    await caches.update({ name, config: { ttl: '1800s' } });
    await caches.delete({ name });
    expect(await count(scene)).toBe(0);
    await scene.checkBooks();
  });

  test('nobody extends what they cannot pay for: the provider is not asked', async () => {
    const { scene, provider } = await open({ quota: reading + hour + 1000, tokenQuota: reading + hour + 1000 });
    await using _scene = scene;
    const name = (await make(sdk(scene))).name ?? '';
    const requested = provider.requested.length;
    expect((await failureOf(sdk(scene).caches.update({ name, config: { ttl: '7200s' } }))).status).toBeLessThan(500);
    expect(provider.requested.length).toBe(requested);
    await sdk(scene).caches.delete({ name });
    const [row] = await endsOf(scene);
    expect(row).toMatchObject({ refunded: expect.any(Number), token_id: scene.token.id });
    expect((await scene.balance()) + reading + hour).toBe(reading + hour + 1000 + (row?.refunded ?? 0));
    await scene.checkBooks();
  });

  test('a large prompt reaches its provider as it is', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const text = `${'tide "ebb"\n\u2028 '.repeat(200_000)}\ud83c\udf0a`;
    await make(sdk(scene), { contents: [{ role: 'user', parts: [{ text }, { text: 'short' }] }] });
    expect([...provider.caches.values()]).toMatchObject([{ body: { contents: [{ parts: [{ text }, { text: 'short' }] }] } }]);
    await scene.checkBooks();
  });

  test('at Vertex AI they lie in a region of the project, under the project by its number', async () => {
    const { scene, provider } = await open(
      { channels: [{ models: model, model_mapping: JSON.stringify({ [model]: 'gemini-theirs' }) }] },
      startFakeVertexCaches,
    );
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    const made = await make(client, { contents: [{ parts: [{ text: 'The tides of Brest.' }] }], systemInstruction: 'Be brief.' });
    const name = made.name ?? '';
    const there = 'projects/281474976710656/locations/europe-west1/cachedContents/theirs0';
    expect(made).toMatchObject({ model: `models/${model}`, usageMetadata: { totalTokenCount: cachedTokens } });
    expect([...provider.caches.values()]).toMatchObject([
      { name: there, body: { model: 'projects/proj-1/locations/europe-west1/publishers/google/models/gemini-theirs' } },
    ]);
    const question = { model, contents: 'When is high water?', config: { cachedContent: name, maxOutputTokens: 20 } };
    await client.models.generateContent(question);
    const stream = await client.models.generateContentStream(question);
    for await (const _chunk of stream);
    expect(provider.used).toEqual([there, there]);
    expect(await client.caches.get({ name })).toMatchObject({ name });
    const listed = [];
    for await (const cache of await client.caches.list()) listed.push(cache.name);
    expect(listed).toEqual([name]);
    await client.caches.update({ name, config: { ttl: '7200s' } });
    const each = 10 + cachedTokens / 10 + 5 * 4;
    const paid = before - (await scene.balance()) - reading - 2 * each;
    expect(paid).toBeGreaterThanOrEqual(2 * hour);
    expect(paid).toBeLessThan(2.01 * hour);
    await client.caches.delete({ name });
    expect([provider.caches.size, await count(scene)]).toEqual([0, 0]);
    // What it made without an answer is found by its display name, and goes.
    for (let times = 0; times < 2; times += 1) await make(client);
    provider.failures.push('lost');
    expect((await failureOf(make(client))).status).toBeGreaterThanOrEqual(500);
    expect(provider.caches.size).toBe(3);
    await tend(scene, 16 * 60 + 3600);
    await tend(scene, 61);
    expect([provider.caches.size, await count(scene)]).toEqual([0, 0]);
    await scene.checkBooks();
  });
});
