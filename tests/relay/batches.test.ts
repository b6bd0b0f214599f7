// Batches: whose they are, what they cost, and that this is charged once, whatever happens on the way.
import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { pollBatches } from '#server/slices/batches/poll-batches.ts';
import { mostConcurrent } from '#server/slices/batches/read-concurrently.ts';
import { renameGroup } from '#server/features/groups/start-move.ts';
import { tendGroupMoves } from '#server/features/groups/tend-moves.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { failureOf as failed } from '#tests/support/failure-of.ts';
import { type FakeBatches, type RunOptions, startFakeBatches } from '#tests/support/fake-batches.ts';
import { createScene, type RelayScene, type SceneOptions, setOption, testModel } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const model = testModel;
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
/** Of a request by itself: 10 + 5 × 4; in a batch half of that. */
const each = 15;
const day = 86_400_000;
const prices = { ModelRatio: JSON.stringify({ [model]: 1 }), CompletionRatio: JSON.stringify({ [model]: 4 }) };

const failureOf = async (requesting: PromiseLike<unknown>): Promise<{ status: unknown; code: unknown; message: string }> => {
  const failure = await failed(requesting);
  if (!(failure instanceof OpenAI.APIError)) throw new Error('It did not fail as calls do', { cause: failure });
  return { status: failure.status, code: failure.code, message: failure.message };
};
const chat = (fields: object = {}) => ({ model, messages: [{ role: 'user', content: 'Say hello' }], max_tokens: 20, ...fields });
const line = (name: string, body: object = chat(), others: object = {}) => ({
  custom_id: name,
  method: 'POST',
  url: '/v1/chat/completions',
  body,
  ...others,
});

describe.each(engines)('batches on $kind', (engine) => {
  async function open(options: SceneOptions = {}): Promise<{ scene: RelayScene; provider: FakeBatches }> {
    const opened: FakeBatches[] = [];
    const front = async (url: string) => {
      const made = await startFakeBatches(url);
      opened.push(made);
      return made;
    };
    const settings = { FilesPerUser: '20', BatchesPerUser: '5', RetryTimes: '1', ...prices, ...options.settings };
    const scene = await createScene(engine, { hasBudget: true, ...options, front, settings });
    scene.upstream.behave({ usage });
    const [provider] = opened;
    if (provider === undefined) throw new Error('There is no provider');
    return { scene, provider };
  }
  const sdk = ({ app, key }: Pick<RelayScene, 'app' | 'key'>) => new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: key, maxRetries: 0 });
  async function someoneElse(scene: RelayScene): Promise<OpenAI> {
    const { key } = await createToken(scene.app.context, (await scene.app.createUser({ quota: 1_000_000 })).id);
    return sdk({ app: scene.app, key });
  }
  async function leave(client: OpenAI, lines: readonly (object | string)[]): Promise<string> {
    const text = lines.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n');
    return (await client.files.create({ file: await toFile(Buffer.from(text), 'in.jsonl'), purpose: 'batch' })).id;
  }
  const begin = async (client: OpenAI, lines: readonly (object | string)[], endpoint = '/v1/chat/completions' as const) =>
    client.batches.create({ input_file_id: await leave(client, lines), endpoint, completion_window: '24h' });
  /** Time passes until the next look at it. */
  async function poll({ app }: RelayScene): Promise<void> {
    app.clock.advance(11 * 60_000);
    await pollBatches(app.context);
  }
  async function end(scene: RelayScene, provider: FakeBatches, options?: RunOptions): Promise<void> {
    await provider.run(options);
    await poll(scene);
  }
  const recordOf = async ({ app }: RelayScene): Promise<BatchRecord> => {
    const [record] = await app.context.db.collection('batches').find({});
    if (record === undefined) throw new Error('There is no batch');
    return record;
  };

  test('one whose group has another name by then is looked at, read and charged as before', async () => {
    const settings = { GroupRatio: JSON.stringify({ default: 1, gold: 3 }) };
    const { scene, provider } = await open({ settings, channels: [{ group: 'gold' }] });
    await using _scene = scene;
    const { context, clock } = scene.app;
    await context.db.collection('users').patch({ id: scene.user.id }, { set: { group: 'gold' }, increment: { revision: 1 } });
    await context.changes.announce('user', scene.user.id);
    const client = sdk(scene);
    const before = await scene.balance();
    const batch = await begin(client, [line('a')]);
    await renameGroup(context, { name: 'gold', to: 'platinum', actor: scene.user });
    for (let { running } = context.settings.groupMoves; running !== null; { running } = context.settings.groupMoves) {
      clock.advance(running.due_at - clock.now());
      await tendGroupMoves(context);
    }
    expect(context.settings.get('GroupRatio')).toEqual({ default: 1, platinum: 3 });
    await end(scene, provider);
    const ended = await client.batches.retrieve(batch.id);
    expect(ended).toMatchObject({ status: 'completed', request_counts: { total: 1, completed: 1 } });
    expect(await (await client.files.content(ended.output_file_id ?? '')).text()).toContain('"custom_id":"a"');
    expect(await scene.balance()).toBe(before - 3 * each);
    await scene.checkBooks();
  });

  test('one is created, worked on, told, charged by its results at half the price, and its files are read', async () => {
    const { scene, provider } = await open({ channels: [{ model_mapping: JSON.stringify({ [model]: 'theirs-mini' }) }] });
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    const input = await leave(client, [line('a'), '', line('b', chat({ messages: [{ role: 'user', content: 'And now?' }] }))]);
    const metadata = { night: 'yes' };
    const batch = await client.batches.create({
      input_file_id: input,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
      metadata,
      output_expires_after: { anchor: 'created_at', seconds: 7200 },
    });
    expect(batch).toMatchObject({ object: 'batch', status: 'validating', input_file_id: input, metadata, output_file_id: null });
    expect(batch.id).toMatch(/^batch_[0-9a-zA-Z]{24}$/);
    const [theirs] = provider.batches.values();
    if (theirs === undefined) throw new Error('There is no batch');
    expect(provider.requestsOf(theirs)).toMatchObject([
      { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: { model: 'theirs-mini', max_tokens: 20 } },
      { custom_id: 'b', body: { model: 'theirs-mini' } },
    ]);
    // All of it is taken before: what twenty tokens of each may cost, and the prompts.
    const { reserved } = await recordOf(scene);
    expect(reserved).toBeGreaterThanOrEqual(2 * 20 * 2);
    expect(await scene.balance()).toBe(before - reserved);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ quota: reserved, model_name: model, other: { batch: { id: batch.id, requests: 2 } } });
    await scene.checkBooks();

    await provider.run({ count: 2 });
    const [running] = provider.batches.values();
    if (running !== undefined) running.status = 'in_progress';
    await poll(scene);
    expect(await client.batches.retrieve(batch.id)).toMatchObject({ status: 'in_progress', output_file_id: null });
    if (running !== undefined) running.status = 'completed';
    await poll(scene);

    const ended = await client.batches.retrieve(batch.id);
    expect(ended).toMatchObject({ status: 'completed', request_counts: { total: 2, completed: 2, failed: 0 }, error_file_id: null });
    expect(ended).toMatchObject({ usage: { input_tokens: 20, output_tokens: 10, total_tokens: 30 } });
    expect(await scene.balance()).toBe(before - 2 * each);
    const text = await (await client.files.content(ended.output_file_id ?? '')).text();
    const results = text
      .trimEnd()
      .split('\n')
      .map((one) => JSON.parse(one));
    expect(results).toMatchObject([
      { custom_id: 'a', response: { status_code: 200, body: { model, object: 'chat.completion' } } },
      { custom_id: 'b', response: { body: { model } } },
    ]);
    const listed = await client.files.retrieve(ended.output_file_id ?? '');
    expect(listed).toMatchObject({ purpose: 'batch_output', bytes: Buffer.byteLength(text) });
    expect((listed.expires_at ?? 0) - listed.created_at).toBe(7200);
    const reported = await scene.app.context.db.collection('logs').find({ type: 4 });
    expect(reported).toMatchObject([
      { refunded: reserved - 2 * each, model_name: model, other: { event: { code: 'batch_settled', answered: 2, cost: 2 * each } } },
    ]);
    // It names the row of what was taken, and has its request id: each of them is found from the other.
    expect(reported).toMatchObject([
      { request_id: row?.request_id, other: { event: { order: row?.id, tier_ratio: 0.5, group_ratio: 1 } } },
    ]);
    expect(reported[0]?.other?.['event']).toMatchObject({
      lines: [
        { part: 'prompt', quantity: 20, per: 'million', source: 'upstream' },
        { part: 'completion', quantity: 10, per: 'million', source: 'upstream' },
      ],
    });
    expect((await client.batches.list()).data.map(({ id }) => id)).toEqual([batch.id]);
    await scene.checkBooks();
    // What the provider was given goes.
    expect(provider.files.files.has(theirs.input_file_id)).toBe(false);
  });

  test('a batch costs the price of its tier if there is one, and the prices of its creation hold', async () => {
    const { scene, provider } = await open({ settings: { TierPrice: JSON.stringify({ 'batch:gpt-*': 0.25 }) } });
    await using _scene = scene;
    const before = await scene.balance();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await begin(
      sdk(scene),
      names.map((name) => line(name)),
    );
    const raised = {
      ModelRatio: { [model]: 100 },
      CompletionRatio: { [model]: 50 },
      TierPrice: { 'batch:gpt-*': 3 },
      GroupRatio: { default: 9 },
    };
    for (const [key, map] of Object.entries(raised)) await setOption(scene.app, key, JSON.stringify(map));
    // Not even a lost price matters to work that is under way.
    await setOption(scene.app, 'ModelRatio', '{}');
    await end(scene, provider);
    expect(await scene.balance()).toBe(before - 6 * 8);
    // Each of them costs 7.5, and is rounded up: a line of its own.
    const [row] = await scene.app.context.db.collection('logs').find({ type: 4 });
    expect(row?.other?.['event']).toMatchObject({
      tier_ratio: 0.25,
      lines: [{ part: 'prompt' }, { part: 'completion' }, { part: 'rounding', quantity: 1, price: 3 / 500_000 }],
    });
    await scene.checkBooks();
  });

  test('of one that is cancelled what was done is paid, and the rest is not', async () => {
    const { scene, provider } = await open({ tokenQuota: 1_000_000 });
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    const { id } = await begin(client, [line('a'), line('b'), line('c')]);
    expect(await client.batches.cancel(id)).toMatchObject({ status: 'cancelling' });
    expect(await client.batches.cancel(id)).toMatchObject({ status: 'cancelling' });
    await end(scene, provider, { status: 'cancelled', count: 1 });
    const ended = await client.batches.retrieve(id);
    expect(ended).toMatchObject({ status: 'cancelled', request_counts: { completed: 1, failed: 2 } });
    expect(await scene.balance()).toBe(before - each);
    const token = await scene.app.context.db.collection('tokens').get(scene.token.id);
    expect(token?.used_quota).toBe(each);
    expect(await (await client.files.content(ended.error_file_id ?? '')).text()).toContain('batch_cancelled');
    expect(await failureOf(client.batches.cancel(id))).toMatchObject({ status: 409, code: 'batch_not_cancellable' });
    await scene.checkBooks();
  });

  test('one that has expired, or that the provider has refused, costs what was done', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    await begin(client, [line('a'), line('b')]);
    await end(scene, provider, { status: 'expired', count: 1 });
    expect(await scene.balance()).toBe(before - each);
    const { id } = await begin(client, [line('a')]);
    const theirs = [...provider.batches.values()].at(-1);
    if (theirs === undefined) throw new Error('There is no batch');
    theirs.status = 'failed';
    theirs.errors = { object: 'list', data: [{ code: 'invalid', line: 1, message: 'no such model', param: null }] };
    await poll(scene);
    expect(await client.batches.retrieve(id)).toMatchObject({
      status: 'failed',
      errors: { data: [{ line: 1, message: 'no such model' }] },
    });
    expect(await scene.balance()).toBe(before - each);
    await scene.checkBooks();
  });

  test('a prompt that was longer than was estimated is paid, as far as the account can', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    // Most of what is taken is for the output.
    scene.upstream.behave({ usage: { prompt_tokens: 60, completion_tokens: 20, total_tokens: 80 } });
    await begin(client, [line('a')]);
    expect((await recordOf(scene)).reserved).toBeLessThan(70);
    await end(scene, provider);
    expect(await scene.balance()).toBe(before - 70);
    await scene.checkBooks();
    await begin(client, [line('a')]);
    const rest = await scene.balance();
    await scene.app.context.ledger.setBalance({ account: 'user', id: scene.user.id, balance: 3, ref: 'test', kind: 'edit', actorId: 0 });
    expect(rest).toBeGreaterThan(3);
    await end(scene, provider);
    expect(await scene.balance()).toBe(3);
    await scene.checkBooks();
  });

  test('usage that lies takes no more than twice what was taken, and nobody is paid for it', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const before = await scene.balance();
    const withUsage = (reported: unknown) => (result: Record<string, unknown>) => {
      const response = result['response'] as { body: Record<string, unknown> };
      return { ...result, response: { ...response, body: { ...response.body, usage: reported } } };
    };
    let spent = 0;
    for (const reported of [
      { prompt_tokens: -1000, completion_tokens: -1000, total_tokens: -2000 },
      { prompt_tokens: 1e15, completion_tokens: 1e15, total_tokens: 2e15 },
      { prompt_tokens: 'many', completion_tokens: null },
      undefined,
    ]) {
      await begin(sdk(scene), [line('a'), line('b')]);
      const record = (await scene.app.context.db.collection('batches').find({ state: 'running' }))[0];
      await end(scene, provider, { edit: withUsage(reported) });
      const ended = await scene.app.context.db.collection('batches').get(record?.id ?? '');
      expect(ended?.state).toBe('ended');
      expect(ended?.cost).toBeGreaterThan(0);
      expect(ended?.cost).toBeLessThanOrEqual(2 * (ended?.reserved ?? 0));
      spent += ended?.cost ?? 0;
      expect(await scene.balance()).toBe(before - spent);
    }
    await scene.checkBooks();
  });

  test('a request has one result, and what was never asked for has none', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const before = await scene.balance();
    await begin(sdk(scene), [line('a')]);
    await end(scene, provider, { editAll: ([one = {}]) => [one, one, { ...one, custom_id: 'b' }, { no: 'result' }] });
    expect(await scene.balance()).toBe(before - each);
    await scene.checkBooks();
  });

  test('results that the provider has counted and not told are waited for; what never comes costs its share', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const before = await scene.balance();
    const runShort = async () => {
      await begin(sdk(scene), [line('a'), line('b')]);
      const theirs = await provider.run();
      const output = provider.files.files.get(theirs.output_file_id ?? '');
      if (output === undefined) throw new Error('There are no results');
      const whole = output.bytes;
      output.bytes = whole.subarray(0, whole.indexOf('\n') + 40);
      Object.assign(theirs, { completed_at: Math.floor(scene.app.clock.now() / 1000) });
      await poll(scene);
      return { output, whole };
    };
    const { output, whole } = await runShort();
    expect((await recordOf(scene)).state).toBe('running');
    output.bytes = whole;
    await poll(scene);
    expect(await scene.balance()).toBe(before - 2 * each);
    await runShort();
    const [running] = await scene.app.context.db.collection('batches').find({ state: 'running' });
    scene.app.clock.advance(3_600_000);
    await poll(scene);
    const ended = await scene.app.context.db.collection('batches').get(running?.id ?? '');
    expect(ended).toMatchObject({ state: 'ended', cost: each + Math.floor((running?.reserved ?? 0) / 2) });
    expect(await scene.balance()).toBe(before - 3 * each - Math.floor((running?.reserved ?? 0) / 2));
    await scene.checkBooks();
  });

  test('nobody reaches those of others, by any name', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const { id } = await begin(client, [line('a')]);
    const input = (await recordOf(scene)).input_file;
    const [theirs = ''] = provider.batches.keys();
    const other = await someoneElse(scene);
    const requested = provider.requested.length;
    for (const name of [id, theirs, '%2e%2e', 'batch_']) {
      expect(await failureOf(other.batches.retrieve(name))).toMatchObject({ status: 404, code: 'batch_not_found' });
      expect(await failureOf(other.batches.cancel(name))).toMatchObject({ status: 404 });
      expect(await failureOf(Promise.resolve(other.batches.list({ after: name })))).toMatchObject({ status: 404 });
    }
    expect((await other.batches.list()).data).toEqual([]);
    const create = other.batches.create({ input_file_id: input, endpoint: '/v1/chat/completions', completion_window: '24h' });
    expect(await failureOf(create)).toMatchObject({ status: 404, code: 'file_not_found' });
    expect(await failureOf(client.batches.retrieve(theirs))).toMatchObject({ status: 404 });
    expect(provider.requested).toHaveLength(requested);
    await end(scene, provider);
    const { output_file: output } = await recordOf(scene);
    expect(await failureOf(other.files.content(output))).toMatchObject({ status: 404 });
  });

  test('what a request may not ask by itself it may not ask in a batch, and nothing is taken or sent', async () => {
    const { scene, provider } = await open({
      channels: [{ models: `${model},tide-unpriced,tide-other` }],
      settings: {
        FilesPerUser: '100',
        ModelRatio: JSON.stringify({ [model]: 1, 'tide-other': 1 }),
        SensitiveWords: 'kraken',
        CheckSensitiveEnabled: 'true',
        CheckSensitiveOnPromptEnabled: 'true',
      },
    });
    await using _scene = scene;
    const { key } = await scene.addToken({ model_limits_enabled: true, model_limits: `${model},tide-unpriced,nobody-has-it` });
    const client = sdk({ app: scene.app, key });
    const before = await scene.balance();
    const good = line('a');
    const cases: [lines: (object | string)[], said: RegExp][] = [
      [['{"custom_id":'], /line 1: /],
      [[good, '[]'], /line 2: .*object/],
      [[good, good], /line 2: custom_id may stand only once/],
      [[line('')], /custom_id/],
      [[line('x'.repeat(513))], /custom_id/],
      [[line('a\u0000b')], /custom_id/],
      [[line('a', chat(), { method: 'GET' })], /method/],
      [[line('a', chat(), { url: '/v1/embeddings' })], /url/],
      [[line('a', chat(), { url: '/v1/files' })], /url/],
      [[line('a', chat(), { headers: {} })], /headers/],
      [[good, line('b', chat({ model: 'tide-other' }))], /line 2: body.model/],
      [[line('a', chat({ model: 'tide-other' }))], /tide-other/],
      [[line('a', chat({ model: 'tide-unpriced' }))], /tide-unpriced/],
      [[line('a', chat({ model: 'nobody-has-it' }))], /nobody-has-it/],
      [[line('a', chat({ stream: true }))], /body.stream/],
      [[line('a', chat({ service_tier: 'priority' }))], /service_tier/],
      [[line('a', chat({ messages: [] }))], /messages/],
      [[line('a', chat({ max_tokens: -1 }))], /max_tokens/],
      [[line('a', chat({ messages: [{ role: 'user', content: 'a Kraken' }] }))], /line 1: /],
      [[line('a', chat({ messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-theirs0' } }] }] }))], /line 1: /],
      [
        ['{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{"model":"x","model":"gpt-4o-mini","messages":[]}}'],
        /line 1: /,
      ],
      [[JSON.stringify(good).replace('"max_tokens":20', '"max_tokens":2,"max_tokens":20')], /stand only once/],
      [[JSON.stringify(good).replace('"max_tokens"', '"Max_Tokens"')], /max_tokens/],
      [[`{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":${'['.repeat(200)}${']'.repeat(200)}}`], /line 1: /],
      [['', '  '], /no requests/],
    ];
    for (const [lines, said] of cases) {
      const refused = await failureOf(begin(client, lines));
      expect(refused.message, JSON.stringify(lines).slice(0, 200)).toMatch(said);
      expect(refused.status).toBeLessThan(500);
    }
    expect(provider.requested).toEqual([]);
    expect(provider.files.requested.filter((one) => one === 'POST /v1/files')).toHaveLength(cases.length);
    expect(await scene.balance()).toBe(before);
    expect(await scene.app.context.db.collection('batches').count({}, 1)).toBe(0);
    expect(scene.app.context.bodies.spool.bytes).toBe(0);
    await scene.checkBooks();
  });

  test('a search that no result tells of is refused where it has a price: nobody could be charged for it', async () => {
    const channels = [{ models: model, setting: JSON.stringify({ formats: ['openai-chat', 'openai-responses'] }) }];
    const { scene, provider } = await open({ channels, settings: { ToolPrice: '{"web_search":10,"code_execution":0}' } });
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    for (const [fields, place] of [
      [{ web_search_options: {} }, 'web_search_options'],
      [{ enable_search: true }, 'enable_search'],
      [{ tools: [{ type: 'code_interpreter' }, { type: 'builtin_function', function: { name: '$web_search' } }] }, 'tools.1'],
    ] as const) {
      const refused = await failureOf(begin(client, [line('a', chat()), line('b', chat(fields))]));
      expect([refused.status, refused.message]).toEqual([400, expect.stringContaining(`line 2: body.${place}`)]);
    }
    expect(provider.requested).toEqual([]);
    expect(await scene.balance()).toBe(before);
    await setOption(scene.app, 'ToolPrice', '{"web_search":0}');
    await begin(client, [line('a', chat({ web_search_options: {} }))]);
    await end(scene, provider);
    expect(await scene.balance()).toBe(before - each);
    await scene.checkBooks();
  });

  test('searches that a model makes in each call are charged in a batch, too', async () => {
    const channels = [{ models: 'gpt-4o-mini-search-preview' }];
    const { scene, provider } = await open({
      channels,
      settings: { ToolPrice: '{"web_search":25,"web_search_preview":25}', SelfUseModeEnabled: 'true' },
    });
    await using _scene = scene;
    const before = await scene.balance();
    const requested = chat({ model: 'gpt-4o-mini-search-preview' });
    await begin(sdk(scene), [line('a', requested), line('b', requested)]);
    const { reserved } = await recordOf(scene);
    const search = (25 / 1000) * 500_000;
    expect(reserved).toBeGreaterThanOrEqual(2 * search);
    await end(scene, provider);
    const [row] = await scene.app.context.db.collection('logs').find({ type: 4 });
    const charged = before - (await scene.balance());
    expect(charged).toBeGreaterThanOrEqual(2 * search);
    expect(charged).toBeLessThan(3 * search);
    expect(row?.other?.['event']).toMatchObject({ cost: charged });
    expect(row?.other?.['event']).toMatchObject({
      lines: expect.arrayContaining([{ part: 'web_search_preview', quantity: 2, price: 0.025, per: 'each' }]),
    });
    await scene.checkBooks();
  });

  test('a line of ten megabytes is refused, and so is what is no file for batches', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const long = line('a', chat({ messages: [{ role: 'user', content: 'tide '.repeat(2_000_000) }] }));
    expect((await failureOf(begin(client, [line('b'), long]))).message).toMatch(/4 MB/);
    const { id } = await client.files.create({ file: await toFile(Buffer.from('tide'), 'a.txt'), purpose: 'user_data' });
    const requested = { endpoint: '/v1/chat/completions', completion_window: '24h' } as const;
    expect(await failureOf(client.batches.create({ ...requested, input_file_id: id }))).toMatchObject({ status: 400 });
    const input = await leave(client, [line('a')]);
    expect(await failureOf(client.batches.create({ ...requested, input_file_id: input, endpoint: '/v1/videos' }))).toMatchObject({
      status: 400,
    });
    const more = { ...requested, input_file_id: input, metadata: { a: 'x'.repeat(513) } };
    expect(await failureOf(client.batches.create(more))).toMatchObject({ status: 400 });
    expect(provider.requested).toEqual([]);
  });

  test('who cannot pay for all of it is told, and nothing runs', async () => {
    const { scene, provider } = await open({ quota: 100 });
    await using _scene = scene;
    const refused = await failureOf(begin(sdk(scene), [line('a'), line('b'), line('c'), line('d')]));
    expect(refused.status).toBe(403);
    expect(provider.requested).toEqual([]);
    expect(await scene.balance()).toBe(100);
    await scene.checkBooks();
  });

  test('a user has so many under way and so many requests in them, also of several at once', async () => {
    const { scene, provider } = await open({ settings: { BatchesPerUser: '2', BatchRequestsPerUser: '3' } });
    await using _scene = scene;
    const client = sdk(scene);
    expect(
      (
        await failureOf(
          begin(
            client,
            ['a', 'b', 'c', 'd'].map((name) => line(name)),
          ),
        )
      ).message,
    ).toMatch(/line 4/);
    const input = await leave(client, [line('a'), line('b')]);
    const made = await Promise.allSettled(
      [1, 2, 3, 4].map(() => client.batches.create({ input_file_id: input, endpoint: '/v1/chat/completions', completion_window: '24h' })),
    );
    expect(made.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
    expect(provider.batches.size).toBeLessThanOrEqual(1);
    if (provider.batches.size === 0) await begin(client, [line('a'), line('b')]);
    expect(await failureOf(begin(client, [line('a'), line('b')]))).toMatchObject({ status: 400 });
    await end(scene, provider);
    await begin(client, [line('a'), line('b')]);
    await scene.checkBooks();
  });

  test('one that the provider refuses costs nothing', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    provider.failures.push(400);
    expect((await failureOf(begin(client, [line('a')]))).status).toBe(502);
    expect(await scene.balance()).toBe(before);
    expect((await client.batches.list()).data).toMatchObject([{ status: 'failed' }]);
    await scene.checkBooks();
  });

  test('where the provider has not answered it is found out whether it runs', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    provider.failures.push('lost');
    const { id } = await begin(client, [line('a')]);
    expect(provider.batches.size).toBe(1);
    // Others of the same account, over several pages.
    const first = provider.batches.get('batch_theirs0');
    if (first === undefined) throw new Error('There is no batch');
    for (let index = 0; index < 5; index += 1)
      provider.batches.set(`other${index}`, { ...first, id: `other${index}`, input_file_id: 'file-other' });
    await poll(scene);
    expect((await recordOf(scene)).upstream_id).toBe('batch_theirs0');
    await provider.run({}, 'batch_theirs0');
    await poll(scene);
    expect(await client.batches.retrieve(id)).toMatchObject({ status: 'completed' });
    expect(await scene.balance()).toBe(before - each);
    provider.failures.push('cut');
    const second = await begin(client, [line('a')]);
    expect(second.status).toBe('validating');
    await poll(scene);
    expect(await client.batches.retrieve(second.id)).toMatchObject({ status: 'failed' });
    expect(await scene.balance()).toBe(before - each);
    await scene.checkBooks();
  });

  test('where its file does not go, or it comes late, nothing is back before it is known that it will not run', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    provider.failures.push('cut');
    const { id } = await begin(client, [line('a')]);
    provider.files.failures.push(500);
    await poll(scene);
    expect(await recordOf(scene)).toMatchObject({ state: 'creating', charge: 'done' });
    expect(await scene.balance()).toBeLessThan(before);
    // The provider was slow: it has begun before its file went, and no list showed it before.
    const { deleting } = provider.files;
    provider.files.deleting = (file) => provider.take(file);
    await poll(scene);
    provider.files.deleting = deleting;
    expect(await recordOf(scene)).toMatchObject({ state: 'creating', charge: 'done' });
    await poll(scene);
    expect(await recordOf(scene)).toMatchObject({ state: 'running', upstream_id: 'batch_theirs0' });
    provider.batches.clear();
    await scene.app.context.db.collection('batches').patch({ id }, { set: { state: 'creating', upstream_id: '' } });
    await poll(scene);
    expect(await client.batches.retrieve(id)).toMatchObject({ status: 'failed' });
    expect(await scene.balance()).toBe(before);
    await scene.checkBooks();
  });

  test('a process that ends anywhere loses nothing and charges nothing twice', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const { context } = scene.app;
    const batches = context.db.collection('batches');
    const client = sdk(scene);
    const before = await scene.balance();
    const { id } = await begin(client, [line('a')]);
    const created = await recordOf(scene);
    const putInto = async (name: string, set: Partial<BatchRecord>) => batches.patch({ id: name }, { set });
    const put = async (set: Partial<BatchRecord>) => putInto(id, set);

    // Charged, and created there, and neither was noted.
    await put({ state: 'creating', charge: 'open', upstream_id: '' });
    // A running process notes now and then how far it has settled.
    await until(async () => {
      await put({ poll_at: 0 });
      await pollBatches(context);
      return (await batches.get(id))?.state === 'running';
    });
    expect(await batches.get(id)).toMatchObject({
      state: 'running',
      charge: 'done',
      reserved: created.reserved,
      upstream_id: created.upstream_id,
    });
    await end(scene, provider);
    expect(await scene.balance()).toBe(before - each);
    // Given back, and that was not noted.
    const row = await context.db.collection('logs').find({ type: 4 });
    for (let turn = 0; turn < 3; turn += 1) {
      await put({ state: 'settling', poll_at: 0 });
      await pollBatches(context);
      expect(await scene.balance()).toBe(before - each);
      expect((await batches.get(id))?.state).toBe('ended');
    }
    expect(await context.db.collection('logs').find({ type: 4 })).toEqual(row);
    expect(await context.db.collection('files').count({ purpose: 'batch_output' }, 5)).toBe(1);
    // Summed by two at once.
    const again = await begin(client, [line('a')]);
    await provider.run();
    await batches.patch({ id: again.id }, { set: { poll_at: 0 } });
    await Promise.all([pollBatches(context), pollBatches(context)]);
    await poll(scene);
    expect(await scene.balance()).toBe(before - 2 * each);
    // Its process died before it was charged.
    await batches.insert({
      ...created,
      id: 'batch_x',
      request_id: 'never',
      state: 'creating',
      charge: 'open',
      process: 'gone',
      poll_at: 0,
    });
    await batches.insert({ ...created, id: 'batch_y', state: 'checking', charge: 'none', process: 'gone', poll_at: 0 });
    await pollBatches(context);
    expect(await batches.get('batch_x')).toMatchObject({ state: 'ended', status: 'failed', charge: 'none' });
    expect(await batches.get('batch_y')).toBeNull();
    expect(await scene.balance()).toBe(before - 2 * each);
    await scene.checkBooks();
    // It was charged after all, by a process that ended before it gave that back: an hour later that is found.
    const late = await begin(client, [line('a')]);
    const { reserved } = (await batches.get(late.id)) ?? { reserved: 0 };
    await putInto(late.id, {
      state: 'ended',
      charge: 'none',
      reserved: 0,
      token_reserved: 0,
      cost: 0,
      ended_at: Math.floor(context.now() / 1000),
      poll_at: context.now(),
    });
    expect(await scene.balance()).toBe(before - 2 * each - reserved);
    await until(async () => {
      await putInto(late.id, { poll_at: 0 });
      await pollBatches(context);
      return (await scene.balance()) === before - 2 * each;
    });
    expect(await batches.get(late.id)).toMatchObject({ state: 'ended', charge: 'done', reserved, cost: 0 });
    // A batch that was not is stored as long as others.
    await putInto('batch_x', { poll_at: context.now() });
    await pollBatches(context);
    expect((await batches.get('batch_x'))?.poll_at).toBeGreaterThan(context.now() + 29 * day);
    await scene.checkBooks();
  });

  test('a provider that says nothing is asked once a turn, and holds up neither the job nor those of other channels', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const { context } = scene.app;
    const batches = context.db.collection('batches');
    const client = sdk(scene);
    await begin(client, [line('a')]);
    await begin(client, [line('a')]);
    const elsewhere = {
      ...(await recordOf(scene)),
      id: 'batch_gone',
      state: 'checking',
      process: 'gone',
      channel_id: 0,
      poll_at: 1,
    } as const;
    scene.app.clock.advance(11 * 60_000);
    await batches.insert({ ...elsewhere, poll_at: context.now() });
    const requested = provider.requested.length;
    provider.failures.push('held', 'held');
    await pollBatches(context, { questionMs: 100 });
    expect(provider.requested).toHaveLength(requested + 1);
    expect(await batches.get(elsewhere.id)).toBeNull();
    const later = await batches.find({ state: 'running' });
    expect(later.map(({ poll_at: at }) => at > context.now())).toEqual([true, true]);
    provider.failures.length = 0;
    await end(scene, provider);
    await scene.checkBooks();
  });

  test('results that take long are read beside the job, a few at a time, by one reader each, and charged once', async () => {
    const { scene, provider } = await open({ settings: { BatchesPerUser: '10' } });
    await using _scene = scene;
    const { context } = scene.app;
    const batches = context.db.collection('batches');
    const client = sdk(scene);
    const before = await scene.balance();
    const most = mostConcurrent + 1;
    for (let count = 0; count < most; count += 1) {
      await begin(client, [line('a')]);
      await provider.run();
    }
    const held = Promise.withResolvers<void>();
    provider.files.holdContents(held.promise);
    const readings = () => provider.files.requested.filter((requested) => requested.endsWith('-out/content')).length;
    scene.app.clock.advance(11 * 60_000);
    await pollBatches(context, { patienceMs: 0 });
    await until(() => readings() === mostConcurrent);
    expect(await batches.count({ state: 'running' })).toBe(most);
    // One more waits for its turn; those in progress are claimed, and another reader skips them.
    scene.app.clock.advance(2 * 60_000);
    await pollBatches(context, { patienceMs: 0 });
    await batches.patchAll({ state: 'running' }, { set: { poll_at: 0 } });
    await pollBatches(context, { patienceMs: 0 });
    expect(readings()).toBe(mostConcurrent);
    held.resolve();
    await until(async () => (await batches.count({ state: 'ended' })) === mostConcurrent);
    await poll(scene);
    expect(await batches.count({ state: 'ended' })).toBe(most);
    expect(readings()).toBe(most);
    expect(await scene.balance()).toBe(before - most * each);
    await scene.checkBooks();
  });

  test('results that cannot be read are read later; where they never can be, what was told to be done is paid', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    await begin(client, [line('a'), line('b')]);
    await provider.run();
    provider.files.failures.push(500);
    await poll(scene);
    expect((await recordOf(scene)).state).toBe('running');
    await poll(scene);
    expect(await scene.balance()).toBe(before - 2 * each);
    const { id } = await begin(client, [line('a'), line('b'), line('c'), line('d')]);
    const theirs = [...provider.batches.values()].at(-1);
    if (theirs === undefined) throw new Error('There is no batch');
    theirs.status = 'in_progress';
    theirs.request_counts = { total: 4, completed: 1, failed: 0 };
    await poll(scene);
    const [channel = 0] = scene.channelIds;
    await scene.app.context.db.collection('channels').remove({ id: channel });
    await scene.app.context.changes.announce('channel', channel);
    await scene.app.context.channels.reload();
    await poll(scene);
    expect((await client.batches.retrieve(id)).status).toBe('in_progress');
    scene.app.clock.advance(5 * day);
    await pollBatches(scene.app.context);
    const record = await scene.app.context.db.collection('batches').get(id);
    expect(record).toMatchObject({ state: 'ended', status: 'failed', cost: Math.floor((record?.reserved ?? 0) / 4) });
    expect(await scene.balance()).toBe(before - 2 * each - (record?.cost ?? 0));
    await scene.checkBooks();
  });

  test('embeddings and Responses are served as chats are, and state that is kept is refused', async () => {
    const { scene, provider } = await open({
      channels: [{ models: `${model},text-embedding-3-small`, setting: JSON.stringify({ formats: ['openai-chat', 'openai-responses'] }) }],
      settings: { ModelRatio: JSON.stringify({ [model]: 1, 'text-embedding-3-small': 1 }) },
    });
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    const of = (url: string, body: object) => line('a', body, { url });
    scene.upstream.behave({ usage: { prompt_tokens: 6, total_tokens: 6 } }, { model: 'text-embedding-3-small' });
    const vectors = {
      input_file_id: await leave(client, [
        of('/v1/embeddings', { model: 'text-embedding-3-small', input: 'tide after tide after tide after tide' }),
      ]),
    };
    await client.batches.create({ ...vectors, endpoint: '/v1/embeddings', completion_window: '24h' });
    await end(scene, provider);
    expect(await scene.balance()).toBe(before - 3);
    scene.upstream.behave({ usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } }, { model });
    const said = { input_file_id: await leave(client, [of('/v1/responses', { model, input: 'Say hello', max_output_tokens: 20 })]) };
    await client.batches.create({ ...said, endpoint: '/v1/responses', completion_window: '24h' });
    const theirs = [...provider.batches.values()].at(-1);
    expect(theirs && provider.requestsOf(theirs)).toMatchObject([{ body: { store: false } }]);
    await end(scene, provider);
    expect(await scene.balance()).toBe(before - 3 - each);
    for (const fields of [{ previous_response_id: 'resp_1' }, { conversation: 'conv_1' }, { background: true }]) {
      const state = { input_file_id: await leave(client, [of('/v1/responses', { model, input: 'Hi', ...fields })]) };
      const refused = await failureOf(client.batches.create({ ...state, endpoint: '/v1/responses', completion_window: '24h' }));
      expect(refused).toMatchObject({ status: 400 });
      expect(refused.message).toContain(Object.keys(fields)[0]);
    }
    await scene.checkBooks();
  });

  test('without the setting there are none, and files for them are refused', async () => {
    const { scene, provider } = await open({ settings: { BatchesPerUser: '0' } });
    await using _scene = scene;
    const client = sdk(scene);
    expect(await failureOf(Promise.resolve(client.batches.list()))).toMatchObject({ status: 501 });
    expect(await failureOf(leave(client, [line('a')]))).toMatchObject({ status: 400 });
    expect(provider.files.requested).toEqual([]);
  });

  test('a result with words that the site blocks is paid for, and not told', async () => {
    const words = { SensitiveWords: 'kraken', CheckSensitiveEnabled: 'true', StopOnSensitiveEnabled: 'true' };
    const { scene, provider } = await open({ settings: words });
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    const { id } = await begin(client, [line('a'), line('b')]);
    scene.upstream.queue({ usage, text: 'The Kraken wakes.' }, { usage, text: 'All is calm.' });
    await end(scene, provider);
    const ended = await client.batches.retrieve(id);
    const text = await (await client.files.content(ended.output_file_id ?? '')).text();
    expect(text).not.toMatch(/kraken/i);
    const results = text
      .trimEnd()
      .split('\n')
      .map((one) => JSON.parse(one));
    expect(results).toMatchObject([
      { custom_id: 'a', response: null, error: { code: 'sensitive_words_detected' } },
      { custom_id: 'b', response: { status_code: 200 } },
    ]);
    expect(await scene.balance()).toBe(before - 2 * each);
    await scene.checkBooks();
  });

  test('those that have ended are told for thirty days', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const { id } = await begin(client, [line('a')]);
    await end(scene, provider);
    scene.app.clock.advance(29 * day);
    await pollBatches(scene.app.context);
    expect((await client.batches.retrieve(id)).status).toBe('completed');
    scene.app.clock.advance(2 * day);
    await pollBatches(scene.app.context);
    expect(await failureOf(client.batches.retrieve(id))).toMatchObject({ status: 404 });
  });

  test('an administrator does not give back by hand what comes back by itself', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    await begin(sdk(scene), [line('a')]);
    await end(scene, provider);
    const [row] = await scene.logs(1);
    const root = await scene.app.setup();
    const refused = await root.post(`/api/log/${row?.id}/refund`, { amount: 1, reason: 'kindness', ref: 'refund-123456' });
    expect(refused).toMatchObject({ success: false, code: 'refund_of_batch' });
  });
});
