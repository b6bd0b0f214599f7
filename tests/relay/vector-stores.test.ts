// Vector stores: whose they are, what they cost, and that this is charged once, whatever happens on the way.
import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { callQuestion } from '#server/features/logs/log-filter.ts';
import { sumCalls } from '#server/logs/sum-calls.ts';
import { sweepFiles } from '#server/slices/files/sweep-files.ts';
import { tendStores } from '#server/slices/vector-stores/tend-stores.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { failureOf as failed } from '#tests/support/failure-of.ts';
import { type FakeStores, type ProviderStore, startFakeStores } from '#tests/support/fake-stores.ts';
import { createScene, type RelayScene, type SceneOptions, setOption, testModel } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const day = 86_400;
const size = 100_000;
/** Quota of bytes and seconds, at a hundred dollars for a GB and a day. */
const costOf = (bytes: number, seconds = day) => Math.ceil((100 * 500_000 * bytes * seconds) / (2 ** 30 * day) - 1e-6);

/** Channels at other addresses speak the format that they are said to. */
const ofResponses: SceneOptions = { channels: [{ setting: '{"formats":["openai-responses"]}' }] };

const failureOf = async (requesting: PromiseLike<unknown>): Promise<{ status: unknown; code: unknown; param: unknown }> => {
  const failure = await failed(requesting);
  if (!(failure instanceof OpenAI.APIError)) throw new Error('It did not fail as calls do', { cause: failure });
  return { status: failure.status, code: failure.code, param: failure.param };
};

describe.each(engines)('vector stores on $kind', (engine) => {
  async function open(options: SceneOptions = {}): Promise<{ scene: RelayScene; provider: FakeStores; client: OpenAI }> {
    const opened: FakeStores[] = [];
    const front = async (url: string) => {
      const made = await startFakeStores(url);
      opened.push(made);
      return made;
    };
    const settings = {
      FilesPerUser: '50',
      VectorStoresPerUser: '5',
      VectorStorePrice: '100',
      SelfUseModeEnabled: 'true',
      ...options.settings,
    };
    const scene = await createScene(engine, { hasBudget: true, ...options, front, settings: { RetryTimes: '0', ...settings } });
    const [provider] = opened;
    if (provider === undefined) throw new Error('There is no provider');
    return { scene, provider, client: sdk(scene) };
  }
  const sdk = ({ app, key }: Pick<RelayScene, 'app' | 'key'>) => new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: key, maxRetries: 0 });
  async function someoneElse(scene: RelayScene): Promise<OpenAI> {
    const { key } = await createToken(scene.app.context, (await scene.app.createUser({ quota: 1_000_000 })).id);
    return sdk({ app: scene.app, key });
  }
  const leave = async (client: OpenAI, text: string | Buffer = 'The tide turns at noon.', name = 'tide.txt') =>
    (await client.files.create({ file: await toFile(Buffer.from(text), name), purpose: 'assistants' })).id;
  /** Time passes until the next look at each. */
  async function later({ app }: RelayScene, seconds: number): Promise<void> {
    app.clock.advance(seconds * 1000);
    await tendStores(app.context);
  }
  async function onlyRecord({ app }: RelayScene): Promise<VectorStoreRecord> {
    const [record] = await app.context.db.collection('vector_stores').find({});
    if (record === undefined) throw new Error('There is no store');
    return record;
  }
  function onlyTheirs({ stores }: FakeStores): ProviderStore {
    const [store] = stores.values();
    if (store === undefined) throw new Error('There is no store');
    return store;
  }
  const rows = ({ app }: RelayScene) => app.context.db.collection('logs').find({ type: 4 }, { sort: [['id', 1]] });

  test('every call of the official package, in names of ours', async () => {
    const { scene, provider, client } = await open();
    await using _scene = scene;
    const [one, other] = [await leave(client), await leave(client, 'Low water at six.', 'low.txt')];
    const store = await client.vectorStores.create({
      name: 'Tides',
      description: 'Of the harbour',
      file_ids: [one],
      metadata: { of: 'harbour' },
      expires_after: { anchor: 'last_active_at', days: 7 },
      chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 400, chunk_overlap_tokens: 100 } },
    });
    expect(store).toMatchObject({ object: 'vector_store', name: 'Tides', metadata: { of: 'harbour' }, status: 'in_progress' });
    expect(store).toMatchObject({ expires_after: { anchor: 'last_active_at', days: 7 }, expires_at: store.created_at + 7 * day });
    expect(store.id).toMatch(/^vs_[0-9a-zA-Z]{24}$/);
    const theirs = onlyTheirs(provider);
    // The provider has nothing of its caller's words, and lets it go by itself.
    expect(provider.requested[0]?.body).toEqual({
      name: store.id,
      file_ids: [...provider.files.files.keys()].slice(0, 1),
      chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 400, chunk_overlap_tokens: 100 } },
      expires_after: { anchor: 'last_active_at', days: 30 },
    });
    expect(await client.vectorStores.retrieve(store.id)).toMatchObject({ status: 'completed', file_counts: { completed: 1, total: 1 } });
    const updated = await client.vectorStores.update(store.id, { name: 'Ebbs', metadata: { a: 'b' }, expires_after: null });
    expect(updated).toMatchObject({ name: 'Ebbs', metadata: { a: 'b' }, expires_after: null, expires_at: null });
    expect(theirs.name).toBe(store.id);
    const second = await client.vectorStores.create({});
    const listed: string[] = [];
    for await (const { id } of client.vectorStores.list({ limit: 1, order: 'asc' })) listed.push(id);
    expect(listed.toSorted()).toEqual([store.id, second.id].toSorted());

    const { files, fileBatches } = client.vectorStores;
    const attached = await files.createAndPoll(store.id, { file_id: other, attributes: { year: 2026 } }, { pollIntervalMs: 1 });
    expect(attached).toMatchObject({ id: other, vector_store_id: store.id, status: 'completed', attributes: { year: 2026 } });
    expect(await files.retrieve(other, { vector_store_id: store.id })).toMatchObject({ id: other, vector_store_id: store.id });
    expect(await files.update(other, { vector_store_id: store.id, attributes: { year: 2027 } })).toMatchObject({
      attributes: { year: 2027 },
    });
    const names: string[] = [];
    for await (const { id } of files.list(store.id, { limit: 1, order: 'asc', filter: 'completed' })) names.push(id);
    expect(names).toEqual([one, other]);
    expect((await files.content(other, { vector_store_id: store.id })).data).toEqual([{ type: 'text', text: 'Low water at six.' }]);
    const found = await client.vectorStores.search(store.id, {
      query: 'When is low water?',
      max_num_results: 5,
      filters: { type: 'and', filters: [{ type: 'eq', key: 'year', value: 2027 }] },
      ranking_options: { ranker: 'auto', score_threshold: 0.1 },
      rewrite_query: true,
    });
    expect(found.data.map(({ file_id: id, filename }) => [id, filename])).toEqual([
      [one, 'tide.txt'],
      [other, 'low.txt'],
    ]);
    expect(await files.delete(other, { vector_store_id: store.id })).toEqual({
      id: other,
      object: 'vector_store.file.deleted',
      deleted: true,
    });

    const batch = await fileBatches.createAndPoll(second.id, { file_ids: [one, other] }, { pollIntervalMs: 1 });
    expect(batch).toMatchObject({ status: 'completed', vector_store_id: second.id, file_counts: { completed: 2 } });
    expect(batch.id).toMatch(/^vsfb_/);
    expect((await fileBatches.listFiles(batch.id, { vector_store_id: second.id })).data.map(({ id }) => id).toSorted()).toEqual(
      [one, other].toSorted(),
    );
    const further = await fileBatches.create(second.id, { files: [{ file_id: one, attributes: { a: true } }] });
    expect(await fileBatches.cancel(further.id, { vector_store_id: second.id })).toMatchObject({ status: 'cancelled' });
    expect(await fileBatches.retrieve(further.id, { vector_store_id: second.id })).toMatchObject({ id: expect.stringMatching(/^vsfb_/) });
    expect(JSON.stringify([store, attached, batch, found.data])).not.toContain('theirs');

    expect(await client.vectorStores.delete(store.id)).toEqual({ id: store.id, object: 'vector_store.deleted', deleted: true });
    expect(await failureOf(client.vectorStores.retrieve(store.id))).toMatchObject({ status: 404, code: 'vector_store_not_found' });
    expect([...provider.stores.keys()]).toEqual(['vs_theirs1']);
    await scene.checkBooks();
  });

  test('each day is paid ahead by what it may come to, and costs what was there', async () => {
    const { scene, provider, client } = await open();
    await using _scene = scene;
    const before = await scene.balance();
    const file = await leave(client, Buffer.alloc(size, 'a tide '));
    const { id } = await client.vectorStores.create({ file_ids: [file] });
    const ahead = costOf(4 * size);
    expect(await scene.balance()).toBe(before - ahead);
    // Twice its bytes, as the provider reports once it is indexed.
    expect((await client.vectorStores.retrieve(id)).usage_bytes).toBe(2 * size);
    await later(scene, day);
    // The day costs what it was; of the next one as much is paid.
    const each = costOf(2 * size);
    expect(await scene.balance()).toBe(before - each - each);
    expect(await rows(scene)).toMatchObject([
      {
        refunded: -each,
        quota: 0,
        other: { event: { code: 'store_day', store: id, bytes: 2 * size, price: 100, group_ratio: 1, amount: -each } },
      },
    ]);
    expect(onlyTheirs(provider).expires_after.days).toBeGreaterThan(30);
    await later(scene, day / 2);
    await client.vectorStores.delete(id);
    // What was paid beyond its end is back at once.
    const half = costOf(2 * size, day / 2);
    expect(await scene.balance()).toBe(before - each - half);
    await later(scene, 10 * day);
    expect(await scene.balance()).toBe(before - each - half);
    expect(await scene.app.context.db.collection('vector_stores').count({})).toBe(0);
    expect(provider.stores.size).toBe(0);
    const user = await scene.app.context.db.collection('users').get(scene.user.id);
    expect(user?.used_quota).toBe(each + half);
    // The log's sum has what was spent so.
    const question = await callQuestion(scene.app.context, {}, scene.user.id);
    if (question === null) throw new Error('It could not be asked');
    expect(await sumCalls(scene.app.context.db, question, { start: 0, end: 2 ** 40 })).toBe(each + half);
    await scene.checkBooks();
  });

  test('what is put in and taken out between two looks costs its day', async () => {
    const { scene, provider, client } = await open();
    await using _scene = scene;
    const file = await leave(client, Buffer.alloc(size, 'tide'));
    const { id } = await client.vectorStores.create({});
    const before = await scene.balance();
    for (let times = 0; times < 2; times += 1) {
      await client.vectorStores.files.create(id, { file_id: file });
      scene.app.clock.advance(20_000);
      await client.vectorStores.files.delete(file, { vector_store_id: id });
    }
    expect(onlyTheirs(provider).files.size).toBe(0);
    await later(scene, day);
    // The largest size of the day, once.
    const [reported] = await rows(scene);
    expect(reported).toMatchObject({ other: { event: { code: 'store_day', bytes: 2 * size, amount: -costOf(2 * size) } } });
    expect(await scene.balance()).toBe(before - costOf(2 * size));
    // So does a file that is deleted itself, and
    const other = await leave(client, Buffer.alloc(2 * size, 'tide'));
    await client.vectorStores.files.create(id, { file_id: other });
    await client.files.delete(other);
    expect((await scene.app.context.db.collection('vector_stores').get(id))?.day_bytes).toBe(4 * size);
    await client.vectorStores.delete(id);
    const left = await scene.balance();
    // a store that was never read before it is deleted.
    const short = await client.vectorStores.create({ file_ids: [file] });
    scene.app.clock.advance(3600_000);
    await client.vectorStores.delete(short.id);
    expect(await scene.balance()).toBe(left - costOf(2 * size, 3600));
    await scene.checkBooks();
  });

  test('days in which nobody looked are made up for, each by itself, and an empty store costs nothing', async () => {
    const { scene, client } = await open();
    await using _scene = scene;
    const before = await scene.balance();
    await client.vectorStores.create({});
    await client.vectorStores.create({ file_ids: [await leave(client, Buffer.alloc(size, 'tide'))] });
    await later(scene, 60);
    await later(scene, 3 * day);
    const each = costOf(2 * size);
    expect((await rows(scene)).map(({ refunded }) => refunded)).toEqual([-each, -each, -each]);
    expect(await scene.balance()).toBe(before - 4 * each);
    await scene.checkBooks();
  });

  test('the price of its day is that of its begin, by the ratio of its group; its key pays, too', async () => {
    const { scene, client } = await open({ tokenQuota: 1_000_000, settings: { GroupRatio: JSON.stringify({ default: 2 }) } });
    await using _scene = scene;
    const before = await scene.balance();
    await client.vectorStores.create({ file_ids: [await leave(client, Buffer.alloc(size, 'tide'))] });
    await setOption(scene.app, 'VectorStorePrice', '200');
    await later(scene, 60);
    await later(scene, day);
    const first = costOf(2 * 2 * size);
    const next = costOf(2 * 2 * 2 * size);
    expect(await scene.balance()).toBe(before - first - next);
    const token = await scene.app.context.db.collection('tokens').get(scene.token.id);
    expect(token?.used_quota).toBe(first + next);
    const leased = Object.values(token?.leases ?? {}).reduce((sum, lease) => sum + lease, 0);
    expect((token?.remain_quota ?? 0) + leased).toBe(1_000_000 - first - next);
    await scene.checkBooks();
  });

  test('who cannot pay ahead puts nothing in, and nothing is taken', async () => {
    const { scene, provider, client } = await open({ quota: 50_000 });
    await using _scene = scene;
    const file = await leave(client, Buffer.alloc(4 * size, 'tide'));
    expect(await failureOf(client.vectorStores.create({ file_ids: [file] }))).toMatchObject({
      status: 403,
      code: 'insufficient_user_quota',
    });
    expect(provider.stores.size).toBe(0);
    const { id } = await client.vectorStores.create({});
    expect(await failureOf(client.vectorStores.files.create(id, { file_id: file }))).toMatchObject({ code: 'insufficient_user_quota' });
    expect(onlyTheirs(provider).files.size).toBe(0);
    expect(await onlyRecord(scene)).toMatchObject({ claimed_bytes: 0, reserved: 0, pending_amount: 0 });
    expect(await scene.balance()).toBe(50_000);
    // Neither does a key that has no more.
    const small = await scene.addToken({ quota: 100 });
    const other = sdk({ app: scene.app, key: small.key });
    expect(await failureOf(other.vectorStores.create({ file_ids: [await leave(client, Buffer.alloc(size, 'x'))] }))).toMatchObject({
      status: 403,
    });
    expect(await scene.balance()).toBe(50_000);
    await scene.checkBooks();
  });

  test('one that nobody pays is closed, its owner is told, and it goes after three days; who pays has it back', async () => {
    const each = costOf(2 * size);
    const { scene, provider, client } = await open({ ...ofResponses, quota: costOf(4 * size) + 10 });
    await using _scene = scene;
    const { context } = scene.app;
    const { id } = await client.vectorStores.create({ file_ids: [await leave(client, Buffer.alloc(size, 'tide'))], name: 'Tides' });
    await later(scene, 60);
    await later(scene, day);
    await later(scene, day);
    expect((await onlyRecord(scene)).unpaid_since).toBeGreaterThan(0);
    expect(await failureOf(client.vectorStores.search(id, { query: 'tide' }))).toMatchObject({ code: 'insufficient_user_quota' });
    await later(scene, 3600);
    const notices = await context.db.collection('notifications').find({ user_id: scene.user.id });
    expect(notices.filter(({ event }) => event.code === 'store_unpaid')).toMatchObject([{ event: { store: id, name: 'Tides' } }]);
    await context.ledger.change({ account: 'user', id: scene.user.id, ref: 'more', kind: 'redemption', actorId: 0, amount: 10 * each });
    // It is opened when the day is paid, for models too.
    const tools: OpenAI.Responses.Tool[] = [{ type: 'file_search', vector_store_ids: [id] }];
    const requesting = client.responses.create({ model: testModel, input: 'When?', tools });
    expect(await failureOf(requesting)).toMatchObject({ status: 400, code: 'account_object_refused' });
    await later(scene, 3600);
    expect(await onlyRecord(scene)).toMatchObject({ unpaid_since: 0, reserved: each });
    expect((await client.vectorStores.search(id, { query: 'tide' })).data).toHaveLength(1);
    await context.ledger.setBalance({ account: 'user', id: scene.user.id, ref: 'none', kind: 'edit', actorId: 0, balance: 0 });
    await later(scene, day);
    expect(provider.stores.size).toBe(1);
    for (let days = 0; days < 3; days += 1) await later(scene, day + 60);
    expect(provider.stores.size).toBe(0);
    expect(await client.vectorStores.retrieve(id)).toMatchObject({ status: 'expired' });
    await later(scene, 31 * day);
    expect(await failureOf(client.vectorStores.retrieve(id))).toMatchObject({ status: 404 });
    await scene.checkBooks();
  });

  test('a model searches in stores of its caller, whole and streamed, and tells our names', async () => {
    const { scene, provider, client } = await open(ofResponses);
    await using _scene = scene;
    const file = await leave(client);
    const { id } = await client.vectorStores.create({ file_ids: [file] });
    const tools: OpenAI.Responses.Tool[] = [{ type: 'file_search', vector_store_ids: [id], max_num_results: 3 }];
    const requested = { model: testModel, input: 'When does it turn?', tools, include: ['file_search_call.results' as const] };
    const before = await scene.balance();
    const whole = await client.responses.create(requested);
    const [theirs] = provider.files.files.keys();
    expect(provider.searched[0]?.['tools']).toMatchObject([{ type: 'file_search', vector_store_ids: ['vs_theirs0'], max_num_results: 3 }]);
    const check = ({ output, tools: echoed }: OpenAI.Responses.Response) => {
      expect(output[0]).toMatchObject({ type: 'file_search_call', results: [{ file_id: file, filename: 'tide.txt' }] });
      expect(output[1]).toMatchObject({ content: [{ annotations: [{ type: 'file_citation', file_id: file }] }] });
      // What the model wrote is its own.
      expect(output[1]).toMatchObject({ content: [{ text: `It says "file_id":"${theirs}".` }] });
      expect(echoed).toMatchObject([{ vector_store_ids: [id] }]);
    };
    check(whole);
    // A run of the tool has its price.
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ other: { hosted_calls: [{ kind: 'file_search', calls: 1, price: 2.5 }] } });
    expect(before - (await scene.balance())).toBe(row?.quota);
    let final: OpenAI.Responses.Response | undefined;
    const seen: string[] = [];
    for await (const event of await client.responses.create({ ...requested, stream: true })) {
      if (event.type === 'response.completed') final = event.response;
      if (event.type === 'response.output_text.annotation.added') seen.push(JSON.stringify(event.annotation));
    }
    if (final === undefined) throw new Error('It did not end');
    check(final);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toContain(file);
    // A whole response to a request for a stream is sent once.
    provider.answersWhole = true;
    for await (const event of await client.responses.create({ ...requested, stream: true }))
      if (event.type === 'response.completed') check(event.response);
    provider.answersWhole = false;
    // The next turn of a stored conversation contains the last one's results.
    const next = await client.responses.create({ ...requested, previous_response_id: whole.id });
    expect(next.output).toHaveLength(2);
    expect(JSON.stringify(provider.searched.at(-1)?.['input'])).toContain(`"file_id":"${theirs}"`);
    await scene.checkBooks();
  });

  test('a caller of chat completions is answered by a model that has searched, whole and streamed', async () => {
    const { scene, provider, client } = await open({ channels: [{ setting: '{"formats":["openai-chat","openai-responses"]}' }] });
    await using _scene = scene;
    const file = await leave(client);
    const { id } = await client.vectorStores.create({ file_ids: [file] });
    const messages = [{ role: 'user' as const, content: 'When does it turn?' }];
    const before = await scene.balance();
    for (const tool of [
      { type: 'file_search', vector_store_ids: [id], max_num_results: 3 },
      { type: 'file_search', file_search: { vector_store_ids: [id], max_num_results: 3 } },
    ]) {
      const requested = { model: testModel, messages, tools: [tool] as never };
      const whole = await client.chat.completions.create(requested);
      expect(whole.choices[0]?.message.content).toContain('It says');
      let text = '';
      for await (const { choices } of await client.chat.completions.create({ ...requested, stream: true }))
        text += choices[0]?.delta.content ?? '';
      expect(text).toContain('It says');
      expect(provider.searched.splice(0)).toMatchObject(
        [false, true].map(() => ({ tools: [{ type: 'file_search', vector_store_ids: ['vs_theirs0'], max_num_results: 3 }] })),
      );
    }
    let charged = 0;
    for (const row of await scene.logs(4)) {
      expect(row).toMatchObject({ other: { hosted_calls: [{ kind: 'file_search', calls: 1, price: 2.5 }] } });
      charged += row.quota;
    }
    expect(before - (await scene.balance())).toBe(charged);
    // What only looks like a search would be answered without one.
    for (const odd of [
      { tools: [{ type: 'function', function: { name: 'a', parameters: {} }, vector_store_ids: [id] }] },
      { tools: [{ type: 'web_search_preview', vector_store_ids: [id] }] },
      { vector_store_ids: [id] },
      { messages: [{ role: 'user' as const, content: 'When?', vector_store_ids: [id] }] },
    ])
      expect(await failureOf(client.chat.completions.create({ model: testModel, messages, ...(odd as object) }))).toMatchObject({
        status: 400,
      });
    expect(provider.searched).toEqual([]);
    await scene.checkBooks();
  });

  test.each([
    ['its channel does not speak Responses', { channels: [{ setting: '{"formats":["openai-chat"]}' }] }],
    ['the search has no price', { ...ofResponses, settings: { ToolPrice: '{}' } }],
  ] satisfies [string, SceneOptions][])('a call that names a store is refused, and nothing is sent: %s', async (_why, options) => {
    const { scene, provider, client } = await open(options);
    await using _scene = scene;
    const { id } = await client.vectorStores.create({ file_ids: [await leave(client)] });
    const before = await scene.balance();
    const sent = scene.upstream.requests.length;
    const tools = [{ type: 'file_search' as const, vector_store_ids: [id] }];
    const refusal = { status: 400, code: 'untranslatable', param: 'tools.0' };
    for (const stream of [false, true]) {
      expect(await failureOf(client.responses.create({ model: testModel, input: 'When?', tools, stream }))).toMatchObject(refusal);
      const messages = [{ role: 'user' as const, content: 'When?' }];
      const requesting = client.chat.completions.create({ model: testModel, messages, tools: tools as never, stream });
      expect(await failureOf(requesting)).toMatchObject(refusal);
    }
    expect(provider.searched).toEqual([]);
    expect(scene.upstream.requests).toHaveLength(sent);
    expect(await scene.balance()).toBe(before);
    await scene.checkBooks();
  });

  test('where its channel does not serve the model, or not to that key, a call that names a store is refused, and nothing is sent', async () => {
    const { scene, provider, client } = await open({
      channels: [{ setting: '{"formats":["openai-responses"]}' }, { models: `${testModel},other-model`, group: 'vip', priority: -1 }],
      settings: { UserUsableGroups: '{"default":"all","vip":"few"}' },
    });
    await using _scene = scene;
    await scene.addChannel({ models: 'other-model' });
    const { id } = await client.vectorStores.create({ file_ids: [await leave(client)] });
    const sent = scene.upstream.requests.length;
    const ofGroup = sdk({ app: scene.app, key: (await scene.addToken({ group: 'vip', name: 'few' })).key });
    const tools = [{ type: 'file_search' as const, vector_store_ids: [id] }];
    const refusal = { status: 400, code: 'named_file_out_of_reach', param: 'tools.0' };
    for (const [caller, model] of [
      [client, 'other-model'],
      [ofGroup, testModel],
    ] as const) {
      for (const stream of [false, true]) {
        expect(await failureOf(caller.responses.create({ model, input: 'When?', tools, stream }))).toMatchObject(refusal);
        const messages = [{ role: 'user' as const, content: 'When?' }];
        const requesting = caller.chat.completions.create({ model, messages, tools: tools as never, stream });
        expect(await failureOf(requesting)).toMatchObject(refusal);
      }
    }
    const zh = { 'accept-language': 'zh' };
    const raw = await scene.post('/v1/responses', { model: 'other-model', input: 'When?', tools }, zh);
    expect(raw.headers.get('x-should-retry')).toBe('false');
    expect(await raw.text()).toContain(`${id} 所在的渠道不向您提供模型 other-model`);
    expect([provider.searched, scene.upstream.requests.length]).toEqual([[], sent]);
    scene.app.clock.advance(60_000);
    const noted = () => scene.app.context.db.collection('logs').find({ type: 5 });
    await until(async () => (await noted()).length >= 2);
    expect((await noted()).map(({ model_name: model }) => model).toSorted()).toEqual([testModel, 'other-model'].toSorted());
    await scene.checkBooks();
  });

  test('a store whose channel is switched off may be there later', async () => {
    const { scene, client } = await open(ofResponses);
    await using _scene = scene;
    const { id } = await client.vectorStores.create({ file_ids: [await leave(client)] });
    await scene.addChannel({});
    await scene.app.context.db.collection('channels').patch({ id: scene.channelIds[0] ?? 0 }, { set: { status: 2 } });
    await scene.app.context.channels.reload();
    const requesting = client.responses.create({
      model: testModel,
      input: 'When?',
      tools: [{ type: 'file_search', vector_store_ids: [id] }],
    });
    expect(await failureOf(requesting)).toMatchObject({ status: 503, code: 'no_channel' });
    scene.app.clock.advance(60_000);
    await until(async () => (await scene.app.context.db.collection('logs').count({ type: 5 })) === 1);
    await scene.checkBooks();
  });

  test('who cannot pay for the search is told so, and not answered without it', async () => {
    const { scene, provider, client } = await open({ ...ofResponses, quota: 20_000, settings: { ToolPrice: '{"file_search":1000}' } });
    await using _scene = scene;
    const { id } = await client.vectorStores.create({ file_ids: [await leave(client)] });
    const tools = [{ type: 'file_search' as const, vector_store_ids: [id] }];
    const requesting = client.responses.create({ model: testModel, input: 'When?', tools, max_output_tokens: 20 });
    expect(await failureOf(requesting)).toMatchObject({ status: 403, code: 'insufficient_user_quota' });
    expect(provider.searched).toEqual([]);
    await scene.checkBooks();
  });

  test("of others' stores, files and batches, and of the provider's names, nobody hears anything", async () => {
    const { scene, provider, client } = await open(ofResponses);
    await using _scene = scene;
    const other = await someoneElse(scene);
    const [file, theirFile] = [await leave(client), await leave(other)];
    const { id } = await client.vectorStores.create({ file_ids: [file] });
    const { id: own } = await other.vectorStores.create({});
    const batch = await client.vectorStores.fileBatches.create(id, { file_ids: [file] });
    const { files, fileBatches } = other.vectorStores;
    for (const name of [id, 'vs_theirs0', 'vs_%2e%2e', 'vs_.._files']) {
      for (const ask of [
        () => other.vectorStores.retrieve(name),
        () => other.vectorStores.update(name, { name: 'Mine' }),
        () => other.vectorStores.delete(name),
        () => other.vectorStores.search(name, { query: 'tide' }),
        () => files.list(name),
        () => files.create(name, { file_id: theirFile }),
        () => fileBatches.create(name, { file_ids: [theirFile] }),
        () => fileBatches.retrieve(batch.id, { vector_store_id: name }),
      ])
        expect(await failureOf(ask())).toMatchObject({ status: 404 });
      const requesting = other.responses.create({
        model: testModel,
        input: 'Hi',
        tools: [{ type: 'file_search', vector_store_ids: [own, name] }],
      });
      expect(await failureOf(requesting)).toMatchObject({ status: 400, code: 'account_object_refused' });
    }
    for (const name of [file, 'file-theirs0']) {
      expect(await failureOf(files.create(own, { file_id: name }))).toMatchObject({ status: 404 });
      expect(await failureOf(files.retrieve(name, { vector_store_id: own }))).toMatchObject({ status: 404 });
      expect(await failureOf(files.delete(name, { vector_store_id: own }))).toMatchObject({ status: 404 });
      expect(await failureOf(other.vectorStores.create({ file_ids: [name] }))).toMatchObject({ status: 404 });
      expect(await failureOf(files.list(own, { after: name }))).toMatchObject({ status: 404 });
    }
    expect(await failureOf(fileBatches.retrieve(batch.id, { vector_store_id: own }))).toMatchObject({
      status: 404,
      code: 'batch_not_found',
    });
    expect(await failureOf(fileBatches.cancel('vsfb_theirs0', { vector_store_id: own }))).toMatchObject({ status: 404 });
    expect((await other.vectorStores.list()).data.map((store) => store.id)).toEqual([own]);
    expect(await failureOf(other.vectorStores.list({ after: id }))).toMatchObject({ status: 404 });
    // A file of theirs that is in the store all the same gets no id that can be requested.
    const theirs = [...provider.files.files.keys()][1] ?? '';
    onlyTheirs(provider).files.set(theirs, { id: theirs, status: 'completed', attributes: {}, chunking_strategy: {} });
    const names = (await client.vectorStores.search(id, { query: 'tide' })).data.map(({ file_id: name }) => name);
    expect(names[0]).toBe(file);
    expect([theirs, theirFile]).not.toContain(names[1]);
    expect(await failureOf(client.files.retrieve(names[1] ?? ''))).toMatchObject({ status: 404 });
    expect(provider.searched).toEqual([]);
  });

  test('sizes that cannot be true cost nothing beyond what can', async () => {
    const { scene, provider, client } = await open();
    await using _scene = scene;
    const before = await scene.balance();
    const { id } = await client.vectorStores.create({ file_ids: [await leave(client, Buffer.alloc(size, 'tide'))] });
    const theirs = onlyTheirs(provider);
    for (const usage of [-5, 1e300, '99', null, 0.5]) {
      theirs.usage = usage ?? 'nothing';
      await later(scene, 60);
      expect(await onlyRecord(scene)).toMatchObject({ usage_bytes: 0 });
    }
    theirs.usage = Number.MAX_SAFE_INTEGER;
    await later(scene, 60);
    const most = 64 * size + 2 ** 20;
    expect((await client.vectorStores.retrieve(id)).usage_bytes).toBe(most);
    expect(await scene.balance()).toBe(before - costOf(most));
    theirs.usage = 3 * size;
    await client.vectorStores.delete(id);
    await scene.checkBooks();
  });

  test('what is asked for wrongly is told by its field, and nothing is asked of the provider', async () => {
    const { scene, provider, client } = await open();
    await using _scene = scene;
    const { id } = await client.vectorStores.create({});
    const count = provider.requested.length;
    const create = (body: object): Promise<unknown> => client.post('/vector_stores', { body });
    const search = (body: object): Promise<unknown> => client.post(`/vector_stores/${id}/search`, { body });
    const deep = Array.from({ length: 12 }).reduce<object>((filter) => ({ type: 'or', filters: [filter] }), {
      type: 'eq',
      key: 'a',
      value: 1,
    });
    for (const [ask, param] of [
      [() => create({ name: 'x'.repeat(257) }), 'name'],
      [() => create({ usage_bytes: -1 }), 'usage_bytes'],
      [() => create({ metadata: { a: 1 } }), 'metadata'],
      [() => create({ file_ids: 'file-1' }), 'file_ids'],
      [() => create({ expires_after: { anchor: 'created_at', days: 1 } }), 'expires_after.anchor'],
      [() => create({ expires_after: { anchor: 'last_active_at', days: 0 } }), 'expires_after.days'],
      [
        () => create({ chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 51 } } }),
        'chunking_strategy.static.chunk_overlap_tokens',
      ],
      [() => search({}), 'query'],
      [() => search({ query: 'a', max_num_results: 51 }), 'max_num_results'],
      [() => search({ query: 'a', filters: deep }), 'filters'],
      [() => search({ query: 'a', ranking_options: { score_threshold: 2 } }), 'ranking_options.score_threshold'],
      [() => client.post(`/vector_stores/${id}/file_batches`, { body: {} }), 'file_ids'],
      [() => client.post(`/vector_stores/${id}/files`, { body: { file_id: 'file-1', attributes: { a: {} } } }), 'attributes'],
    ] as const)
      expect(await failureOf(ask())).toMatchObject({ status: 400, param });
    expect(provider.requested).toHaveLength(count);
  });

  test('only as many and as large as the site says, and none where it says nothing; who has one keeps it', async () => {
    const { scene, provider, client } = await open({ settings: { VectorStoresPerUser: '1', VectorStoreMegabytesPerUser: '1' } });
    await using _scene = scene;
    const file = await leave(client, Buffer.alloc(250_000, 'tide'));
    const { id } = await client.vectorStores.create({ file_ids: [file] });
    expect(await failureOf(client.vectorStores.create({}))).toMatchObject({ status: 403, code: 'vector_stores_full' });
    // A megabyte may become of it, and as much of another one.
    expect(await failureOf(client.vectorStores.files.create(id, { file_id: file }))).toMatchObject({ code: 'vector_stores_full' });
    await client.vectorStores.retrieve(id);
    await later(scene, 700);
    expect(await onlyRecord(scene)).toMatchObject({ usage_bytes: 500_000, claimed_bytes: 500_000 });
    await setOption(scene.app, 'VectorStoresPerUser', '0');
    for (const ask of [
      () => client.vectorStores.create({}),
      () => client.vectorStores.list(),
      () => client.vectorStores.retrieve('vs_none'),
    ])
      expect(await failureOf(ask())).toMatchObject({ status: 501 });
    expect(await client.vectorStores.retrieve(id)).toMatchObject({ id });
    await client.vectorStores.delete(id);
    expect(provider.stores.size).toBe(0);
    await scene.checkBooks();
  });

  test('a search has its price where the site says so, and a row; one that fails costs nothing', async () => {
    const { scene, provider, client } = await open({ settings: { VectorSearchPrice: '2', GroupRatio: JSON.stringify({ default: 1.5 }) } });
    await using _scene = scene;
    const { id } = await client.vectorStores.create({});
    const before = await scene.balance();
    await client.vectorStores.search(id, { query: 'tide' });
    // Two dollars for a thousand, by the group's ratio.
    expect(await scene.balance()).toBe(before - 1500);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({
      quota: 1500,
      model_name: 'vector-store-search',
      other: { model_price: 0.002, units: { kind: 'search', count: 1 } },
    });
    provider.failures.push(500);
    expect(await failureOf(client.vectorStores.search(id, { query: 'tide' }))).toMatchObject({ status: 502 });
    expect(await scene.balance()).toBe(before - 1500);
    await scene.checkBooks();
  });

  test('a search that costs nothing needs no money; one that costs is refused before it is sent', async () => {
    const { scene, provider, client } = await open();
    await using _scene = scene;
    const { context } = scene.app;
    const { id } = await client.vectorStores.create({ file_ids: [await leave(client)] });
    await context.ledger.setBalance({ account: 'user', id: scene.user.id, ref: 'none', kind: 'edit', actorId: 0, balance: 0 });
    expect((await client.vectorStores.search(id, { query: 'tide' })).data).toHaveLength(1);
    const requested = provider.requested.length;
    await setOption(scene.app, 'VectorSearchPrice', '2');
    expect(await failureOf(client.vectorStores.search(id, { query: 'tide' }))).toMatchObject({ code: 'insufficient_user_quota' });
    expect(provider.requested).toHaveLength(requested);
    await scene.checkBooks();
  });

  test('a store whose creation was not answered is found by its name and let go, and costs nothing', async () => {
    const { scene, provider, client } = await open();
    await using _scene = scene;
    const before = await scene.balance();
    const file = await leave(client, Buffer.alloc(size, 'tide'));
    for (const failure of ['lost', 'cut', 400, 503] as const) {
      provider.failures.push(failure);
      expect(await failureOf(client.vectorStores.create({ file_ids: [file] }))).toMatchObject({ status: expect.any(Number) });
    }
    expect(provider.stores.size).toBe(1);
    await later(scene, 120);
    expect(provider.stores.size).toBe(0);
    expect(await scene.app.context.db.collection('vector_stores').count({})).toBe(0);
    expect(await scene.balance()).toBe(before);
    expect(await rows(scene)).toEqual([]);
    await scene.checkBooks();
  });

  test('what its user, its channel or its provider has no more ends, and costs until then', async () => {
    const { scene, provider, client } = await open();
    await using _scene = scene;
    const { context } = scene.app;
    const before = await scene.balance();
    const file = await leave(client, Buffer.alloc(size, 'tide'));
    const { id: gone } = await client.vectorStores.create({ file_ids: [file] });
    const { id: idle } = await client.vectorStores.create({ file_ids: [file], expires_after: { anchor: 'last_active_at', days: 1 } });
    const { id: left } = await client.vectorStores.create({ file_ids: [file] });
    await later(scene, 60);
    provider.stores.delete('vs_theirs0');
    await later(scene, 3600);
    expect(await client.vectorStores.retrieve(gone)).toMatchObject({ status: 'expired', usage_bytes: 0 });
    expect(await failureOf(client.vectorStores.search(gone, { query: 'tide' }))).toMatchObject({ status: 404 });
    await later(scene, day);
    expect(await client.vectorStores.retrieve(idle)).toMatchObject({ status: 'expired' });
    expect([...provider.stores.keys()]).toEqual(['vs_theirs2']);
    // The channel has another key: nothing of it can be reached.
    await context.db.collection('channels').patch({ id: 1 }, { set: { key_cipher: context.secrets.encrypt('sk-another', 'channel_key') } });
    await context.changes.announce('channel', 1);
    await until(() => context.channels.get(1)?.key === 'sk-another');
    expect(await failureOf(client.vectorStores.search(left, { query: 'tide' }))).toMatchObject({ status: 404 });
    await later(scene, day);
    const reported = (await rows(scene)).reduce((sum, { refunded = 0 }) => sum - refunded, 0);
    expect(before - (await scene.balance())).toBe(reported);
    expect(await context.db.collection('vector_stores').find({ state: { in: ['stored', 'leaving'] } })).toEqual([]);
    await scene.checkBooks();
  });

  test('files stay as long as a store has them, and go a while after it; others go at their time', async () => {
    const { scene, provider, client } = await open({ quota: 100_000_000, settings: { FileRetentionDays: '3' } });
    await using _scene = scene;
    const { context } = scene.app;
    const theirs = provider.files.files;
    const names = async () => (await client.files.list()).data.map(({ filename }) => filename).toSorted();
    const pass = async (days: number) => {
      for (let left = days; left > 0; left -= 1) {
        await later(scene, day);
        await sweepFiles(context);
      }
    };
    const [held, other] = [await leave(client, 'tide', 'held.txt'), await leave(client, 'tide', 'detached.txt')];
    await leave(client, 'tide', 'alone.txt');
    // Files for prompts have no expiry at the provider either; a caller's own expiry, and that of other purposes, is sent as usual.
    const { id: own } = await client.files.create({ file: await toFile(Buffer.from('tide'), 'own.txt'), purpose: 'user_data' });
    const file = await toFile(Buffer.from('tide'), 'timed.txt');
    const timed = await client.files.create({ file, purpose: 'assistants', expires_after: { anchor: 'created_at', seconds: 3600 } });
    await client.files.create({ file: await toFile(Buffer.from('tide'), 'seen.txt'), purpose: 'vision' });
    expect([...theirs.values()].map(({ filename, seconds }) => [filename, seconds])).toEqual([
      [`held.${held}.txt`, undefined],
      [`detached.${other}.txt`, undefined],
      [expect.stringMatching(/^alone\.file-/), undefined],
      [`own.${own}.txt`, undefined],
      ['timed.txt', '3600'],
      ['seen.txt', String(3 * day)],
    ]);
    const { id } = await client.vectorStores.create({ file_ids: [held, own, timed.id] });
    await client.vectorStores.files.create(id, { file_id: other });
    await client.vectorStores.files.delete(other, { vector_store_id: id });
    await pass(12);
    expect(await names()).toEqual(['held.txt', 'own.txt']);
    expect([...theirs.values()].map(({ filename }) => filename)).toEqual([`held.${held}.txt`, `own.${own}.txt`]);
    const found = (await client.vectorStores.search(id, { query: 'tide' })).data;
    expect(found.map(({ filename }) => filename).toSorted()).toEqual(['held.txt', 'own.txt']);
    await client.vectorStores.delete(id);
    expect(await names()).toEqual(['held.txt', 'own.txt']);
    expect((await context.db.collection('files').get(held))?.held_by).toEqual({});
    await pass(5);
    expect(theirs.size).toBe(0);
    expect(await context.db.collection('files').count({})).toBe(0);
    await scene.checkBooks();
  });

  test('a file that stays, and whose upload was not answered, is found at its provider and deleted', async () => {
    const { scene, provider, client } = await open();
    await using _scene = scene;
    const { context } = scene.app;
    const files = context.db.collection('files');
    const stored = await leave(client, 'tide', 'kept.txt');
    provider.files.failures.push('lost');
    expect(await failureOf(leave(client, 'tide', 'lost.txt'))).toMatchObject({ status: 502 });
    provider.files.failures.push(400);
    expect(await failureOf(leave(client, 'tide', 'refused.txt'))).toMatchObject({ status: 502 });
    // Another one comes in parts.
    const upload = await client.uploads.create({ filename: 'parts.txt', purpose: 'assistants', bytes: 4, mime_type: 'text/plain' });
    const part = await client.uploads.parts.create(upload.id, { data: await toFile(Buffer.from('tide'), 'part') });
    provider.files.failures.push('lost');
    expect(await failureOf(client.uploads.complete(upload.id, { part_ids: [part.id] }))).toMatchObject({ status: 502 });
    expect(provider.files.files.size).toBe(3);
    expect((await files.find({ state: 'leaving' })).map(({ filename }) => filename)).toEqual(['lost.txt']);
    // A process stops before it learns the outcome.
    const cut = await leave(client, 'tide', 'cut.txt');
    await files.patch({ id: cut }, { set: { state: 'sending', process: 'gone', upstream_id: '' } });
    await sweepFiles(context);
    expect([...provider.files.files.values()].map(({ filename }) => filename)).toEqual([
      `kept.${stored}.txt`,
      expect.stringMatching(/^parts\./),
    ]);
    await later(scene, 3 * 3600);
    await sweepFiles(context);
    expect([...provider.files.files.keys()]).toHaveLength(1);
    expect(await files.find({})).toMatchObject([{ id: stored, state: 'stored' }]);
    // Of what is not there it is known after a while.
    provider.files.failures.push(503);
    expect(await failureOf(leave(client, 'tide', 'never.txt'))).toMatchObject({ status: 502 });
    await sweepFiles(context);
    expect(await files.count({})).toBe(2);
    // Where it cannot be looked for, others of its channel go nevertheless.
    const [lost] = (await files.find({ state: 'leaving' })) as [FileRecord];
    await files.remove({ id: lost.id });
    await files.insert({ ...lost, id: `file-${'0'.repeat(24)}` });
    await files.patch({ id: await leave(client, 'tide', 'leaving.txt') }, { set: { state: 'leaving' } });
    provider.files.failures.push(503);
    await sweepFiles(context);
    expect((await files.find({ state: 'leaving' })).map(({ filename }) => filename)).toEqual(['never.txt']);
    await later(scene, 2 * 3600);
    await sweepFiles(context);
    expect(await files.count({})).toBe(1);
    await scene.checkBooks();
  });

  test('an upload that its provider has failed to take has no place, and is looked for; one that it has not answered keeps its place', async () => {
    const { scene, provider, client } = await open({ settings: { FilesPerUser: '2' } });
    await using _scene = scene;
    const { context } = scene.app;
    const files = context.db.collection('files');
    for (let index = 0; index < 4; index += 1) {
      provider.files.failures.push(503);
      expect(await failureOf(leave(client, 'tide', `failed${index}.txt`))).toMatchObject({ status: 502 });
    }
    // They are looked for, but no more of a user than it may have.
    expect((await files.find({ state: 'leaving' })).map(({ filename }) => filename).toSorted()).toEqual(['failed0.txt', 'failed1.txt']);
    const stored = await leave(client, 'tide', 'kept.txt');
    // It is there all the same.
    const [first] = await files.find({ filename: 'failed0.txt' });
    const [theirs] = provider.files.files.values();
    if (first === undefined || theirs === undefined) throw new Error('There is no file');
    provider.files.files.set('late', { ...theirs, id: 'late', filename: `failed0.${first.id}.txt` });
    await sweepFiles(context);
    expect([...provider.files.files.values()].map(({ filename }) => filename)).toEqual([`kept.${stored}.txt`]);
    provider.files.failures.push('lost');
    expect(await failureOf(leave(client, 'tide', 'lost.txt'))).toMatchObject({ status: 502 });
    expect(await failureOf(leave(client))).toMatchObject({ status: 403 });
    await sweepFiles(context);
    await leave(client);
    await later(scene, 2 * 3600);
    await sweepFiles(context);
    expect(await files.count({})).toBe(2);
    await scene.checkBooks();
  });

  test('of a user who is deleted nothing stays at the provider', async () => {
    const { scene, provider, client } = await open();
    await using _scene = scene;
    const { id } = await client.vectorStores.create({ file_ids: [await leave(client, Buffer.alloc(size, 'tide'))] });
    expect(id).toMatch(/^vs_/);
    await scene.app.context.db.collection('users').patch({ id: scene.user.id }, { set: { DeletedAt: '2026-01-15T08:00:00Z' } });
    await later(scene, 120);
    expect(provider.stores.size).toBe(0);
    expect(await scene.app.context.db.collection('vector_stores').count({})).toBe(0);
    await scene.checkBooks();
  });
});
