// Trainings: whose they are, what they cost, that this is charged once, and that a trained model is its owner's alone.
import OpenAI, { toFile } from 'openai';
import { describe, expect, test, vi } from 'vitest';
import { pollBatches } from '#server/slices/batches/poll-batches.ts';
import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import { pollTunings } from '#server/slices/fine-tuning/poll-jobs.ts';
import { until } from '#tests/support/until.ts';
import { sweepTunedModels } from '#server/slices/fine-tuning/tuned-models.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { failureOf as failed } from '#tests/support/failure-of.ts';
import { type FakeTuning, startFakeTuning, type TrainOptions } from '#tests/support/fake-tuning.ts';
import { createScene, type RelayScene, type SceneOptions, setOption, testModel } from '#tests/support/relay-scene.ts';

const model = testModel;
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
/** USD per million; a token of training costs 2 quota, and of the trained model 1 to read and 3 to write. */
const prices = { [`training:${model}`]: 4, [`input:${model}`]: 2, [`cached:${model}`]: 1, [`output:${model}`]: 6 };
/** Of a call of the trained model: 10 + 5 × 3. */
const call = 25;
const settings = {
  FilesPerUser: '100',
  BatchesPerUser: '5',
  FineTuningJobsPerUser: '3',
  FineTuningPrice: JSON.stringify(prices),
  // The base costs much more than what was trained from it.
  ModelRatio: JSON.stringify({ [model]: 100 }),
  RetryTimes: '1',
};

const failureOf = async (requesting: PromiseLike<unknown>): Promise<{ status: unknown; code: unknown; message: string }> => {
  const failure = await failed(requesting);
  if (!(failure instanceof OpenAI.APIError)) throw new Error('It did not fail as calls do', { cause: failure });
  return { status: failure.status, code: failure.code, message: failure.message };
};
const example = (text = 'Hello', more: object = {}) => ({
  messages: [
    { role: 'user', content: text },
    { role: 'assistant', content: 'Ahoy' },
  ],
  ...more,
});
const examples = (count = 10) => Array.from({ length: count }, (_, index) => example(`Hello ${index}`));
const preference = {
  input: { messages: [{ role: 'user', content: 'Hello' }], tools: [], parallel_tool_calls: true },
  preferred_output: [{ role: 'assistant', content: 'Ahoy' }],
  non_preferred_output: [{ role: 'assistant', content: 'Hi' }],
};

describe.each(engines)('trainings on $kind', (engine) => {
  async function open(options: SceneOptions = {}): Promise<{ scene: RelayScene; provider: FakeTuning }> {
    const opened: FakeTuning[] = [];
    const front = async (url: string) => {
      const made = await startFakeTuning(url);
      opened.push(made);
      return made;
    };
    const scene = await createScene(engine, { hasBudget: true, ...options, front, settings: { ...settings, ...options.settings } });
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
    return (await client.files.create({ file: await toFile(Buffer.from(text), 'in.jsonl'), purpose: 'fine-tune' })).id;
  }
  type Requested = Partial<OpenAI.FineTuning.JobCreateParams>;
  const begin = async (client: OpenAI, requested: Requested = {}, lines: readonly (object | string)[] = examples()) =>
    client.fineTuning.jobs.create({ model, training_file: await leave(client, lines), ...requested });
  /** Time passes until the next look at it. */
  async function poll({ app }: RelayScene, minutes = 11): Promise<void> {
    app.clock.advance(minutes * 60_000);
    await pollTunings(app.context);
  }
  async function end(scene: RelayScene, provider: FakeTuning, options?: TrainOptions): Promise<void> {
    provider.train(options);
    await poll(scene);
  }
  const recordOf = async ({ app }: RelayScene): Promise<TuningJobRecord> => {
    const [record] = await app.context.db.collection('tuning_jobs').find({}, { sort: [['created_at', -1]] });
    if (record === undefined) throw new Error('There is no training');
    return record;
  };
  /** The name of a model that was trained. */
  async function trained(scene: RelayScene, provider: FakeTuning, options: TrainOptions = {}, requested: Requested = {}): Promise<string> {
    const client = sdk(scene);
    const { id } = await begin(client, requested);
    await end(scene, provider, { trainedTokens: 100, ...options });
    return (await client.fineTuning.jobs.retrieve(id)).fine_tuned_model ?? '';
  }
  const say = (client: OpenAI, name: string) =>
    client.chat.completions.create({ model: name, messages: [{ role: 'user', content: 'Say hello' }] });

  test('a call of a trained model whose prompt is edited on the way reserves for what its channel makes of it', async () => {
    const { scene, provider } = await open({ channels: [{ param_override: '{"n":3}' }] });
    await using _scene = scene;
    const name = await trained(scene, provider);
    const reserve = vi.spyOn(scene.app.context.ledger, 'reserve');
    const used = { type: 'tool_use', id: 'call_1', name: 'get_tide', input: {} };
    const content = [{ type: 'tool_result', tool_use_id: 'call_1', content: 'of tides '.repeat(50) }];
    const edit = { type: 'clear_tool_uses_20250919', trigger: { type: 'tool_uses', value: 0 }, keep: { type: 'tool_uses', value: 0 } };
    const response = await scene.post('/v1/messages', {
      model: name,
      max_tokens: 1_000,
      messages: [
        { role: 'user', content: 'When?' },
        { role: 'assistant', content: [used] },
        { role: 'user', content },
      ],
      tools: [{ name: 'get_tide', input_schema: { type: 'object' } }],
      context_management: { edits: [edit] },
    });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('cleared_tool_uses')]);
    // Three responses of 1,000 tokens that cost 3 each, before the edit and after it.
    const amounts = reserve.mock.calls.map(([{ amount }]) => amount);
    expect(amounts).toHaveLength(2);
    for (const amount of amounts) expect(amount).toBeGreaterThanOrEqual(9_000);
    await scene.checkBooks();
  });

  test('a model is trained, told, charged by its tokens, and its owner talks to it by a name of ours', async () => {
    const { scene, provider } = await open({ channels: [{ model_mapping: JSON.stringify({ [model]: 'theirs-mini' }) }] });
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    const training = await leave(client, [...examples(10), '']);
    const validation = await leave(client, examples(12));
    const job = await client.fineTuning.jobs.create({
      model,
      training_file: training,
      validation_file: validation,
      suffix: 'tides',
      seed: 7,
      metadata: { night: 'yes' },
      method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 'auto', batch_size: 2 } } },
    });
    const record = await recordOf(scene);
    // 100 readings of 10 examples, as the vendor has it.
    expect(record).toMatchObject({ examples: 10, epochs: 10, state: 'running', charge: 'done' });
    expect(record.reserved).toBe(record.tokens * 10 * 2);
    expect(await scene.balance()).toBe(before - record.reserved);
    expect(job).toMatchObject({
      object: 'fine_tuning.job',
      model,
      status: 'validating_files',
      training_file: training,
      validation_file: validation,
      fine_tuned_model: null,
      trained_tokens: null,
      seed: 7,
      metadata: { night: 'yes' },
      method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 10, batch_size: 2, learning_rate_multiplier: 'auto' } } },
      result_files: [],
    });
    expect(job.id).toMatch(/^ftjob-[0-9a-zA-Z]{24}$/);
    const [theirs] = provider.jobs.values();
    if (theirs === undefined) throw new Error('There is no training');
    expect(theirs).toMatchObject({
      model: 'theirs-mini',
      method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 10, batch_size: 2 } } },
    });
    expect(provider.examplesOf(theirs)).toEqual(examples(10));
    theirs.status = 'running';
    await poll(scene);
    expect(await client.fineTuning.jobs.retrieve(job.id)).toMatchObject({ status: 'running', fine_tuned_model: null });

    await end(scene, provider, { trainedTokens: 90, steps: [40, 80] });
    const ended = await client.fineTuning.jobs.retrieve(job.id);
    expect(ended).toMatchObject({ status: 'succeeded', trained_tokens: 90, finished_at: 2_000_000_100 });
    const name = ended.fine_tuned_model ?? '';
    expect(name).toMatch(/^ft:gpt-4o-mini:tides:[0-9a-zA-Z]{12}$/);
    expect(await scene.balance()).toBe(before - 180);
    expect(await scene.app.context.db.collection('logs').find({ type: 4 })).toMatchObject([
      {
        refunded: record.reserved - 180,
        model_name: model,
        other: { event: { code: 'tuning_settled', tuned: name, tokens: 90, source: 'upstream', cost: 180 } },
      },
    ]);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ quota: record.reserved, other: { tuning: { id: job.id, examples: 10, epochs: 10, price: 4 } } });
    const results = await client.files.retrieve(ended.result_files[0] ?? '');
    expect(results).toMatchObject({ purpose: 'fine-tune-results', bytes: 16 });
    expect(await (await client.files.content(results.id)).text()).toBe('step,loss\n1,0.5\n');
    // What the provider was given goes.
    expect(provider.files.files.has(theirs.training_file)).toBe(false);
    expect(provider.files.files.has(theirs.validation_file ?? '')).toBe(false);

    const answer = await say(client, name);
    expect(answer.model).toBe(name);
    expect(provider.called).toEqual([theirs.fine_tuned_model]);
    expect(await scene.balance()).toBe(before - 180 - call);
    expect((await scene.logs(2))[1]).toMatchObject({ model_name: name, quota: call, channel_id: scene.channelIds[0] });
    await scene.checkBooks();
  });

  test('every call of the official package about jobs', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const first = await begin(client, { metadata: { tide: 'high' } });
    scene.app.clock.advance(2000);
    const second = await begin(client, { metadata: { tide: 'low' } });
    const { jobs } = client.fineTuning;
    const ids = async (query: OpenAI.FineTuning.JobListParams) => (await jobs.list(query)).data.map(({ id }) => id);
    expect(await ids({})).toEqual([second.id, first.id]);
    expect(await ids({ after: second.id })).toEqual([first.id]);
    expect(await ids({ metadata: { tide: 'high' } })).toEqual([first.id]);
    expect((await jobs.list({ limit: 1 })).has_more).toBe(true);
    expect(await jobs.pause(first.id)).toMatchObject({ id: first.id, status: 'paused' });
    expect(await jobs.resume(first.id)).toMatchObject({ status: 'running' });
    expect(await jobs.cancel(first.id)).toMatchObject({ status: 'cancelled' });
    expect(await failureOf(jobs.cancel(first.id))).toMatchObject({ status: 409, code: 'tuning_not_possible' });
    provider.train({ trainedTokens: 10, steps: [90] }, [...provider.jobs.keys()][1]);
    await poll(scene);

    const { fine_tuned_model: name } = await jobs.retrieve(second.id);
    const [, theirs] = provider.jobs.values();
    const events = [];
    for await (const event of jobs.listEvents(second.id, { limit: 2 })) events.push(event);
    expect(events.map(({ message }) => message)).toEqual([
      `New fine-tuned model created: ${name}`,
      `Checkpoint created at step 90 with name: ${name}:ckpt-step-90`,
      'Step 1/90: training loss=0.5',
      `Validating training file: ${second.training_file} of org-…`,
      `Created fine-tuning job: ${second.id}`,
    ]);
    expect(events[2]).toMatchObject({ type: 'metrics', data: { step: 1, model: name, file: second.training_file } });
    expect(JSON.stringify(events)).not.toContain('theirs');
    expect(JSON.stringify(events)).not.toContain(theirs?.training_file);
    // The same event has the same id in every response.
    const [again] = (await jobs.listEvents(second.id)).data;
    expect(again?.id).toBe(events[0]?.id);
    const checkpoints = (await jobs.checkpoints.list(second.id)).data;
    expect(checkpoints).toMatchObject([
      { fine_tuned_model_checkpoint: `${name}:ckpt-step-90`, fine_tuning_job_id: second.id, step_number: 90, metrics: { train_loss: 0.5 } },
      { fine_tuned_model_checkpoint: name, step_number: 1000 },
    ]);
    expect(JSON.stringify(checkpoints)).not.toContain('theirs');
    const [, last] = (await jobs.checkpoints.list(second.id, { after: checkpoints[0]?.id ?? '' })).data;
    expect(last).toBeUndefined();
    for (const after of [events[0]?.id ?? '', 'ftckpt_theirs0', 'ftckpt_AAAA', `ftckpt_${'A'.repeat(60)}`])
      expect(await failureOf(Promise.resolve(jobs.checkpoints.list(second.id, { after })))).toMatchObject({ status: 400 });
    // A checkpoint is called like the model.
    expect((await say(client, `${name}:ckpt-step-90`)).model).toBe(`${name}:ckpt-step-90`);
    expect(provider.called.at(-1)).toMatch(/:ckpt-step-90$/);
    expect(await failureOf(say(client, `${name}:ckpt-step-91`))).toMatchObject({ status: 404, code: 'model_not_found' });
    await scene.checkBooks();
  });

  test('preferences are trained by, and a model is trained further', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const name = await trained(scene, provider);
    const lines = Array.from({ length: 10 }, () => preference);
    const method = { type: 'dpo', dpo: { hyperparameters: { beta: 0.1, n_epochs: 2 } } } as const;
    const job = await begin(client, { model: name, method }, lines);
    const [, theirs] = provider.jobs.values();
    expect(theirs).toMatchObject({
      model: [...provider.models][0],
      method: { type: 'dpo', dpo: { hyperparameters: { beta: 0.1, n_epochs: 2 } } },
    });
    expect(theirs === undefined ? [] : provider.examplesOf(theirs)).toEqual(lines);
    const record = await scene.app.context.db.collection('tuning_jobs').get(job.id);
    // The prompt is read with either answer.
    expect(record?.reserved).toBe((record?.tokens ?? 0) * 2 * 2);
    provider.train({ trainedTokens: 5 }, theirs?.id);
    await poll(scene);
    const further = (await client.fineTuning.jobs.retrieve(job.id)).fine_tuned_model ?? '';
    expect(further).toMatch(/^ft:gpt-4o-mini::/);
    expect((await say(client, further)).model).toBe(further);
    await scene.checkBooks();
  });

  test('what is told at the end decides the price: nothing for one that failed, no more than twice what was taken', async () => {
    const { scene, provider } = await open({ tokenQuota: 100_000_000 });
    await using _scene = scene;
    const client = sdk(scene);
    let before = await scene.balance();
    const cases: [TrainOptions, (record: TuningJobRecord) => number][] = [
      [{ status: 'failed', trainedTokens: 50 }, () => 0],
      [{ status: 'cancelled', trainedTokens: 50 }, () => 100],
      [{ status: 'cancelled', trainedTokens: 0 }, () => 0],
      [{ status: 'cancelled', events: [] }, () => 0],
      [{ status: 'cancelled' }, ({ tokens, epochs }) => 2 * Math.ceil((tokens * epochs) / 90)],
      [
        { status: 'cancelled', events: ['Step 45/90: training loss=0.1', 'Step 44/90: training loss=0.1'] },
        ({ tokens, epochs }) => 2 * Math.ceil((tokens * epochs) / 2),
      ],
      [{ status: 'cancelled', events: ['Step 999/90: training loss=0.1', 'Step 3/0: training loss=0.1'] }, ({ reserved }) => reserved],
      [{ trainedTokens: null }, ({ reserved }) => reserved],
      [{ trainedTokens: -5 }, ({ reserved }) => reserved],
      [{ trainedTokens: 'many' }, ({ reserved }) => reserved],
      [{ trainedTokens: 1e15 }, ({ reserved }) => 2 * reserved],
      [{ trainedTokens: 1e300 }, ({ reserved }) => reserved],
      [{ trainedTokens: 0 }, () => 0],
    ];
    for (const [options, cost] of cases) {
      const { id } = await begin(client);
      await end(scene, provider, options);
      const record = await scene.app.context.db.collection('tuning_jobs').get(id);
      if (record === null) throw new Error('There is no training');
      expect(record.state).toBe('ended');
      expect(before - (await scene.balance()), JSON.stringify(options)).toBe(cost(record));
      before = await scene.balance();
    }
    const failedOne = (await client.fineTuning.jobs.list({ limit: 100 })).data.find(({ status }) => status === 'failed');
    expect(failedOne?.error).toMatchObject({ code: 'bad_data' });
    const token = await scene.app.context.db.collection('tokens').get(scene.token.id);
    expect(token?.used_quota).toBe(500_000_000 - before);
    await scene.checkBooks();
  });

  test('a trained model costs by its own price in every format, streamed and in a batch', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const name = await trained(scene, provider);
    let before = await scene.balance();
    const costs = async (amount: number, work: () => Promise<unknown>) => {
      await work();
      await expect.poll(() => scene.balance()).toBe(before - amount);
      before -= amount;
    };
    const messages = [{ role: 'user' as const, content: 'Hi' }];
    await costs(call, async () => {
      const stream = await client.chat.completions.create({ model: name, messages, stream: true });
      for await (const chunk of stream) expect(chunk.model).toBe(name);
    });
    await costs(call, async () => expect((await client.responses.create({ model: name, input: 'Hi' })).model).toBe(name));
    await costs(call, async () => {
      const answer = await scene.post('/v1/messages', { model: name, max_tokens: 20, messages }, { 'anthropic-version': '2023-06-01' });
      expect(await answer.json()).toMatchObject({ model: name, type: 'message' });
    });
    await costs(call, async () => {
      const answer = await scene.post(`/v1beta/models/${name}:generateContent`, { contents: [{ parts: [{ text: 'Hi' }] }] });
      expect(await answer.json()).toMatchObject({ modelVersion: name });
    });
    await costs(13, async () => {
      const lines = JSON.stringify({
        custom_id: 'a',
        method: 'POST',
        url: '/v1/chat/completions',
        body: { model: name, messages, max_tokens: 9 },
      });
      const input = await client.files.create({ file: await toFile(Buffer.from(lines), 'in.jsonl'), purpose: 'batch' });
      const batch = await client.batches.create({ input_file_id: input.id, endpoint: '/v1/chat/completions', completion_window: '24h' });
      const [made] = provider.batches.batches.values();
      expect(made === undefined ? [] : provider.batches.requestsOf(made)).toMatchObject([{ body: { model: [...provider.models][0] } }]);
      await provider.batches.run();
      scene.app.clock.advance(11 * 60_000);
      await pollBatches(scene.app.context);
      const { output_file_id: output } = await client.batches.retrieve(batch.id);
      expect(await (await client.files.content(output ?? '')).text()).toContain(name);
    });
    await costs(0, async () => {
      const [theirs = ''] = provider.models;
      const lines = JSON.stringify({
        custom_id: 'a',
        method: 'POST',
        url: '/v1/chat/completions',
        body: { model: name, messages, max_tokens: 9 },
      });
      const input = await client.files.create({ file: await toFile(Buffer.from(lines), 'in.jsonl'), purpose: 'batch' });
      const batch = await client.batches.create({ input_file_id: input.id, endpoint: '/v1/chat/completions', completion_window: '24h' });
      scene.upstream.behave({ status: 429, error: { message: `Too many for ${theirs} of org-theirs`, type: 'rate', code: 'rate' } });
      await provider.batches.run();
      scene.upstream.behave({ usage });
      scene.app.clock.advance(11 * 60_000);
      await pollBatches(scene.app.context);
      const { error_file_id: errors } = await client.batches.retrieve(batch.id);
      const reported = await client.files.content(errors ?? '');
      const text = await reported.text();
      expect(text).toContain(name);
      expect(text).not.toContain(theirs);
      expect((await client.files.retrieve(errors ?? '')).bytes).toBe(Buffer.byteLength(text));
    });
    const counted = await scene.post('/v1/messages/count_tokens', { model: name, messages }, { 'anthropic-version': '2023-06-01' });
    expect(await counted.json()).toMatchObject({ input_tokens: expect.any(Number) });
    for (const [path, body] of [
      ['/v1/embeddings', { model: name, input: 'Hi' }],
      ['/v1/images/generations', { model: name, prompt: 'Hi' }],
      ['/v1/audio/speech', { model: name, input: 'Hi', voice: 'alloy' }],
    ] as const)
      expect(await (await scene.post(path, body)).json()).toMatchObject({ error: { code: 'format_unsupported' } });
    // The provider's report on it contains its id here.
    const [theirs = ''] = provider.models;
    provider.models.clear();
    const gone = await failureOf(say(client, name));
    expect(gone.message).toContain(name);
    expect(gone.message).not.toContain(theirs);
    // Without a price of its own it has none: never that of its base.
    await setOption(scene.app, 'FineTuningPrice', '{}');
    expect(await failureOf(say(client, name))).toMatchObject({ code: 'model_price_error' });
    await scene.checkBooks();
  });

  test('nobody reaches trainings and models of others, by any name, in any format', async () => {
    const { scene, provider } = await open({ settings: { SelfUseModeEnabled: 'true' } });
    await using _scene = scene;
    const client = sdk(scene);
    const { id, training_file: file } = await begin(client);
    await end(scene, provider, { trainedTokens: 100 });
    const name = (await client.fineTuning.jobs.retrieve(id)).fine_tuned_model ?? '';
    const [theirJob = ''] = provider.jobs.keys();
    const [theirModel = ''] = provider.models;
    const other = await someoneElse(scene);
    const requested = provider.requested.length;
    const { jobs } = other.fineTuning;
    for (const one of [id, theirJob, '%2e%2e', 'ftjob-']) {
      for (const ask of [
        () => jobs.retrieve(one),
        () => jobs.cancel(one),
        () => jobs.pause(one),
        () => jobs.resume(one),
        () => jobs.listEvents(one),
        () => jobs.checkpoints.list(one),
        () => jobs.list({ after: one }),
      ])
        expect(await failureOf(Promise.resolve(ask()))).toMatchObject({ status: 404, code: 'tuning_job_not_found' });
    }
    expect(await failureOf(client.fineTuning.jobs.retrieve(theirJob))).toMatchObject({ status: 404 });
    expect((await jobs.list()).data).toEqual([]);
    expect(await failureOf(jobs.create({ model, training_file: file }))).toMatchObject({ status: 404, code: 'file_not_found' });
    const own = await leave(other, examples());
    expect(await failureOf(jobs.create({ model, training_file: own, validation_file: file }))).toMatchObject({ status: 404 });
    for (const [who, one] of [
      [other, name],
      [other, theirModel],
      [client, theirModel],
      [client, `${name}x`],
      [client, 'ft:'],
      [client, `ft:${'x'.repeat(200)}`],
    ] as const) {
      expect(await failureOf(say(who, one))).toMatchObject({ status: 404, code: 'model_not_found' });
      expect(await failureOf(who.models.retrieve(one))).toMatchObject({ status: 404 });
      expect(await failureOf(who.models.delete(one))).toMatchObject({ status: 404, code: 'model_not_found' });
      expect(await failureOf(who.fineTuning.jobs.create({ model: one, training_file: who === other ? own : file }))).toMatchObject({
        status: 404,
        code: 'model_not_found',
      });
      const headers = { authorization: `Bearer ${who.apiKey}`, 'content-type': 'application/json' };
      const body = JSON.stringify({
        contents: [{ parts: [{ text: 'Hi' }] }],
        max_tokens: 9,
        model: one,
        messages: [{ role: 'user', content: 'Hi' }],
        input: 'Hi',
      });
      for (const path of [
        '/v1/messages',
        '/v1/responses',
        '/v1/completions',
        '/v1/messages/count_tokens',
        `/v1beta/models/${one}:generateContent`,
      ]) {
        const response = await fetch(`${scene.app.origin}${path}`, {
          method: 'POST',
          headers,
          body: path.includes('generateContent') ? '{"contents":[{"parts":[{"text":"Hi"}]}]}' : body,
        });
        expect([400, 404], `${path} ${response.status}`).toContain(response.status);
        await response.arrayBuffer();
      }
    }
    expect(provider.requested).toHaveLength(requested);
    expect(provider.called).toEqual([]);
    expect((await other.models.list()).data.map((one) => one.id)).toEqual([model]);
    expect((await client.models.list()).data.map((one) => one.id)).toEqual([model, name]);
    expect(await client.models.retrieve(name)).toMatchObject({ id: name, object: 'model' });
  });

  test('keys with a list of models use those alone, and channels that are gone, disabled or have another key serve none', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const name = await trained(scene, provider);
    const limited = async (limits: string) => {
      const { key } = await scene.addToken({ model_limits_enabled: true, model_limits: limits });
      return sdk({ app: scene.app, key });
    };
    expect(await failureOf(say(await limited(model), name))).toMatchObject({ status: 403, code: 'model_denied' });
    expect((await say(await limited(`${model},${name}`), name)).model).toBe(name);
    const client = sdk(scene);
    const { db, changes, channels, secrets } = scene.app.context;
    const [id = 0] = scene.channelIds;
    const change = async (set: object) => {
      await db.collection('channels').patch({ id }, { set });
      await changes.announce('channel', id);
      await channels.reload();
      scene.app.clock.advance(1500);
    };
    await change({ status: 2 });
    expect(await failureOf(say(client, name))).toMatchObject({ status: 503, code: 'no_channel' });
    expect((await client.models.list()).data).toEqual([]);
    await change({ status: 1, group: 'vip' });
    expect(await failureOf(say(client, name))).toMatchObject({ status: 503 });
    await change({ group: 'default', key_cipher: secrets.encrypt('sk-another', 'channel_key') });
    expect(await failureOf(say(client, name))).toMatchObject({ status: 404, code: 'own_model_gone' });
    await change({ key_cipher: secrets.encrypt(provider.channel.key, 'channel_key') });
    // Another channel of the same model is never tried.
    await scene.addChannel({ priority: 9 });
    expect((await say(client, name)).model).toBe(name);
    await db.collection('channels').remove({ id });
    await changes.announce('channel', id);
    await channels.reload();
    expect(await failureOf(say(client, name))).toMatchObject({ status: 404, code: 'own_model_gone' });
  });

  test('a model that its owner deletes is gone at once, and at the provider too, in the end', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const [first, second] = [await trained(scene, provider), await trained(scene, provider)];
    expect(provider.models.size).toBe(2);
    expect(await client.models.delete(first)).toEqual({ id: first, object: 'model', deleted: true });
    expect(await failureOf(say(client, first))).toMatchObject({ status: 404, code: 'model_not_found' });
    expect(await failureOf(client.models.delete(first))).toMatchObject({ status: 404 });
    await expect.poll(() => provider.models.size).toBe(1);
    provider.failures.push(500);
    await client.models.delete(second);
    await expect.poll(() => provider.failures.length).toBe(0);
    expect((await client.models.list()).data.map((one) => one.id)).toEqual([model]);
    await sweepTunedModels(scene.app.context);
    expect(provider.models.size).toBe(0);
    expect(await scene.app.context.db.collection('tuned_models').count({})).toBe(0);
    // Data of deleted users is deleted.
    await trained(scene, provider);
    await scene.app.context.db.collection('users').patch({ id: scene.user.id }, { set: { DeletedAt: '2026-01-01T00:00:00Z' } });
    await sweepTunedModels(scene.app.context);
    expect(provider.models.size).toBe(0);
  });

  test('what cannot be trained is refused by its place, and nothing is taken or sent', async () => {
    const { scene, provider } = await open({
      channels: [{ models: `${model},tide-unpriced` }, { type: 14, models: 'tide-elsewhere' }],
      settings: {
        FineTuningPrice: JSON.stringify({ ...prices, 'training:tide-elsewhere': 1, 'input:tide-elsewhere': 1, 'output:tide-elsewhere': 1 }),
        SensitiveWords: 'kraken',
        CheckSensitiveEnabled: 'true',
        CheckSensitiveOnPromptEnabled: 'true',
      },
    });
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    const file = await leave(client, examples());
    const requested = (more: object) => ({ model, training_file: file, ...more }) as unknown as OpenAI.FineTuning.JobCreateParams;
    const refusals: [more: object, said: RegExp][] = [
      [{ model: 'tide-unpriced' }, /no price for training/],
      [{ model: 'nobody-has-it' }, /nobody-has-it/],
      [{ model: 'tide-elsewhere' }, /trains the model/],
      [{ training_file: 'file-theirs0' }, /file-theirs0/],
      [{ method: { type: 'reinforcement', reinforcement: { grader: {} } } }, /paid by the hour/],
      [{ integrations: [{ type: 'wandb', wandb: { project: 'x' } }] }, /integrations/],
      [{ suffix: 'a:b' }, /suffix/],
      [{ suffix: '../x' }, /suffix/],
      [{ suffix: 'x'.repeat(65) }, /suffix/],
      [{ hyperparameters: { n_epochs: 0 } }, /n_epochs/],
      [{ hyperparameters: { n_epochs: 51 } }, /n_epochs/],
      [{ hyperparameters: { n_epochs: 1.5 } }, /n_epochs/],
      [{ hyperparameters: { n_epochs: '3' } }, /n_epochs/],
      [{ hyperparameters: { learning_rate_multiplier: 0 } }, /above 0 and at most 100/],
      [{ method: { type: 'dpo', dpo: { hyperparameters: { beta: -1 } } } }, /beta must be from 0 to 2/],
      [{ hyperparameters: { n_epochs: 1 }, method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 2 } } } }, /only once/],
      [{ hyperparameters: { beta: 1 } }, /beta/],
      [{ hyperparameters: { batch_size: 'large' } }, /batch_size/],
      [{ method: { type: 'supervised', dpo: {} } }, /dpo/],
      [{ seed: -1 }, /seed/],
      [{ metadata: { a: 1 } }, /metadata/],
      [{ organization_id: 'x' }, /organization_id/],
    ];
    for (const [more, said] of refusals) {
      const refused = await failureOf(client.fineTuning.jobs.create(requested(more)));
      expect(refused.message, JSON.stringify(more)).toMatch(said);
      expect(refused.status === 503 || Number(refused.status) < 500).toBe(true);
    }
    const good = examples(9);
    const lines: [lines: (object | string)[], said: RegExp, requested?: object][] = [
      [good, /at least 10 examples/],
      [['{"messages":'], /line 1: /],
      [[...good, '[]'], /line 10: .*object/],
      [[{ messages: [] }], /messages/],
      [[{ messages: [{ role: 'user', content: 'Hi' }] }], /line 1: .*assistant/],
      [[example('a', { more: 1 })], /line 1: more/],
      [[preference], /line 1: /],
      [[example()], /line 1: /, { method: { type: 'dpo' } }],
      [[{ ...preference, preferred_output: [] }], /preferred_output/, { method: { type: 'dpo' } }],
      [[{ messages: [{ role: 'assistant', content: 'Hi', weight: 0.5 }] }], /weight/],
      [[example('a Kraken')], /line 1: /],
      [
        [
          {
            messages: [
              { role: 'user', content: [{ type: 'file', file: { file_id: 'file-theirs0' } }] },
              { role: 'assistant', content: 'x' },
            ],
          },
        ],
        /line 1: /,
      ],
      [['{"messages":[{"role":"user","role":"assistant","content":"Hi"}]}'], /stand only once/],
      [['{"messages":[],"messages":[{"role":"assistant","content":"Hi"}]}'], /stand only once/],
      [[`{"messages":${'['.repeat(200)}${']'.repeat(200)}}`], /line 1: /],
      [[example('x'.repeat(4 * 1024 * 1024))], /more than 4 MB/],
      // Each of them takes its time.
      [['\n'.repeat(1_000_001), ...examples()], /more than 1,000,000 lines/],
    ];
    for (const [given, said, more] of lines) {
      const refused = await failureOf(begin(client, more, given));
      expect(refused.message, JSON.stringify(given).slice(0, 200)).toMatch(said);
      expect(refused.status).toBeLessThan(500);
    }
    const other = await client.files.create({ file: await toFile(Buffer.from('x'), 'x.jsonl'), purpose: 'batch' });
    expect(await failureOf(client.fineTuning.jobs.create(requested({ training_file: other.id })))).toMatchObject({ status: 400 });
    const few = await leave(client, good);
    expect((await failureOf(client.fineTuning.jobs.create(requested({ validation_file: few })))).message).toMatch(/validation_file/);
    expect(provider.requested).toEqual([]);
    expect(await scene.balance()).toBe(before);
    expect(await scene.app.context.db.collection('tuning_jobs').count({})).toBe(0);
    for (const path of ['/v1/fine_tuning/checkpoints/x/permissions', '/v1/fine_tuning/alpha/graders/run', '/v1/fine-tunes'])
      expect((await scene.post(path, {})).status).toBe(501);
    await setOption(scene.app, 'FineTuningJobsPerUser', '0');
    expect(await failureOf(client.fineTuning.jobs.list())).toMatchObject({ status: 501 });
    expect(await failureOf(leave(client, good))).toMatchObject({ status: 400 });
  });

  test('who cannot pay for it, or has as many under way as may be, begins none', async () => {
    const { scene, provider } = await open({ settings: { FineTuningJobsPerUser: '2' } });
    await using _scene = scene;
    const client = sdk(scene);
    const files = [await leave(client, examples()), await leave(client, examples()), await leave(client, examples())];
    const all = await Promise.allSettled(files.map((training_file) => client.fineTuning.jobs.create({ model, training_file })));
    expect(all.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(2);
    await begin(client).catch(() => null);
    await begin(client).catch(() => null);
    expect(await failureOf(begin(client))).toMatchObject({ status: 429, code: 'tuning_jobs_full' });
    for (const id of provider.jobs.keys()) provider.train({ status: 'failed' }, id);
    await poll(scene);
    await scene.app.context.ledger.setBalance({ account: 'user', id: scene.user.id, balance: 5, ref: 'test', kind: 'edit', actorId: 0 });
    const known = provider.jobs.size;
    expect(await failureOf(begin(client))).toMatchObject({ status: 403, code: 'insufficient_user_quota' });
    expect(provider.jobs.size).toBe(known);
    expect(await scene.balance()).toBe(5);
    await scene.checkBooks();
  });

  test('a creation that is refused costs nothing, and one that is not answered is found again', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    provider.failures.push(400);
    expect(await failureOf(begin(client))).toMatchObject({ status: 502 });
    expect(await scene.balance()).toBe(before);
    for (const failure of ['lost', 'cut'] as const) {
      provider.failures.push(failure);
      const { id, status } = await begin(client);
      expect(status).toBe('validating_files');
      // Others are in that account, too.
      for (let more = 0; more < 3; more += 1) {
        const [one] = provider.jobs.values();
        const theirs = `ftjob-theirs9${more}`;
        if (one !== undefined) provider.jobs.set(theirs, { ...one, id: theirs, training_file: 'file-of-others' });
      }
      await poll(scene);
      const record = await scene.app.context.db.collection('tuning_jobs').get(id);
      expect(record?.state).toBe(failure === 'lost' ? 'running' : 'ended');
      if (record?.state !== 'running') continue;
      provider.train({ trainedTokens: 50 }, record.upstream_id);
      await poll(scene);
      expect(await client.fineTuning.jobs.retrieve(id)).toMatchObject({ status: 'succeeded', trained_tokens: 50 });
    }
    expect(await scene.balance()).toBe(before - 100);
    await scene.checkBooks();
  });

  test('one that seemed not to be charged, and was, gives that back an hour after its end', async () => {
    const { scene } = await open();
    await using _scene = scene;
    const { context } = scene.app;
    const jobs = context.db.collection('tuning_jobs');
    const before = await scene.balance();
    const { id } = await begin(sdk(scene));
    const { reserved } = (await jobs.get(id)) ?? { reserved: 0 };
    const none = { state: 'ended', status: 'failed', charge: 'none', reserved: 0, token_reserved: 0 } as const;
    await jobs.patch({ id }, { set: { ...none, finished_at: Math.floor(context.now() / 1000) } });
    expect(await scene.balance()).toBe(before - reserved);
    await until(async () => {
      await jobs.patch({ id }, { set: { poll_at: 0 } });
      await pollTunings(context);
      return (await scene.balance()) === before;
    });
    expect(await jobs.get(id)).toMatchObject({ state: 'ended', charge: 'done', reserved, cost: 0 });
    await scene.checkBooks();
  });

  test('one that nothing is heard of any more is over in the end, and costs nothing', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    const { id } = await begin(client);
    // Its name is not reported yet.
    provider.train({ trainedTokens: 50, isUnnamed: true });
    await poll(scene);
    expect(await client.fineTuning.jobs.retrieve(id)).toMatchObject({ status: 'validating_files' });
    const [channel = 0] = scene.channelIds;
    await scene.app.context.db.collection('channels').remove({ id: channel });
    await scene.app.context.changes.announce('channel', channel);
    await scene.app.context.channels.reload();
    await poll(scene);
    expect(await scene.balance()).toBeLessThan(before);
    expect(await failureOf(Promise.resolve(client.fineTuning.jobs.listEvents(id)))).toMatchObject({ status: 410 });
    await poll(scene, 4 * 24 * 60);
    expect(await client.fineTuning.jobs.retrieve(id)).toMatchObject({ status: 'failed', fine_tuned_model: null });
    expect(await scene.balance()).toBe(before);
    await scene.checkBooks();
  });

  test('one whose checkpoints cannot be read is charged as it is told, and they come later', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    const { id } = await begin(client);
    provider.checkpointStatus = 500;
    provider.train({ trainedTokens: 50, steps: [30] });
    await poll(scene);
    expect(await scene.balance()).toBe(before - 100);
    const reported = await client.fineTuning.jobs.retrieve(id);
    expect(reported).toMatchObject({ status: 'succeeded', trained_tokens: 50 });
    const name = reported.fine_tuned_model ?? '';
    await say(client, name);
    expect(await failureOf(say(client, `${name}:ckpt-step-30`))).toMatchObject({ status: 404 });
    provider.checkpointStatus = 200;
    await poll(scene);
    await say(client, `${name}:ckpt-step-30`);
    expect(await scene.balance()).toBe(before - 100 - 2 * call);
    // Where they never can be, it stays as it is.
    const second = await begin(client);
    provider.checkpointStatus = 500;
    provider.train({ trainedTokens: 50, steps: [30] });
    await poll(scene);
    await poll(scene, 4 * 24 * 60);
    provider.checkpointStatus = 200;
    const requested = provider.requested.length;
    await poll(scene, 24 * 60);
    expect(provider.requested).toHaveLength(requested);
    expect(await client.fineTuning.jobs.retrieve(second.id)).toMatchObject({ status: 'succeeded' });
    expect(await scene.balance()).toBe(before - 200 - 2 * call);
    await scene.checkBooks();
    for (const one of [id, second.id]) expect((await scene.app.context.db.collection('tuning_jobs').get(one))?.state).toBe('ended');
    await poll(scene, 91 * 24 * 60);
    expect(await scene.app.context.db.collection('tuning_jobs').count({})).toBe(0);
  });

  test('trained steps of a cancelled one are paid although its events are refused for now; for good, those that were seen', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const run = async () => {
      const { id } = await begin(client);
      // The first of ninety steps is reported while it runs.
      const theirs = [...provider.jobs.values()].at(-1);
      if (theirs === undefined) throw new Error('There is no training');
      theirs.status = 'running';
      await poll(scene);
      provider.eventsStatus = 429;
      provider.train({ status: 'cancelled', events: ['Step 45/90: training loss=0.1'] });
      await poll(scene);
      expect(await scene.app.context.db.collection('tuning_jobs').get(id)).toMatchObject({ state: 'running' });
      return id;
    };
    const costOf = async (id: string) => {
      const { state, tokens = 0, epochs = 0, cost } = (await scene.app.context.db.collection('tuning_jobs').get(id)) ?? {};
      expect(state).toBe('ended');
      return { cost, all: tokens * epochs };
    };
    const before = await scene.balance();
    const first = await run();
    provider.eventsStatus = 200;
    await poll(scene);
    const { cost: half, all } = await costOf(first);
    expect(half).toBe(2 * Math.ceil(all / 2));
    const second = await run();
    for (const status of [401, 403, 429, 500, 429]) {
      provider.eventsStatus = status;
      await poll(scene, 24 * 60);
    }
    const { cost: seen } = await costOf(second);
    expect(seen).toBe(2 * Math.ceil(all / 90));
    expect(before - (await scene.balance())).toBe(Number(half) + Number(seen));
    await scene.checkBooks();
  });

  test('one whose name is never told is called by its last checkpoint; a creation is not waited for because of its files', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const { db } = scene.app.context;
    const before = await scene.balance();
    const { id } = await begin(client);
    provider.train({ trainedTokens: 50, steps: [40], isUnnamed: true });
    await poll(scene);
    expect(await client.fineTuning.jobs.retrieve(id)).toMatchObject({ fine_tuned_model: null });
    await poll(scene, 4 * 24 * 60);
    const { fine_tuned_model: name } = await client.fineTuning.jobs.retrieve(id);
    await say(client, name ?? '');
    expect(await scene.balance()).toBe(before - 100 - call);
    // It is not there, and its files cannot be deleted.
    provider.failures.push('cut');
    const { id: lost } = await begin(client);
    for (const minutes of [20, 20, 30]) {
      expect(await scene.balance()).toBeLessThan(before - 100 - call);
      provider.files.failures.push(500);
      await poll(scene, minutes);
    }
    expect(await db.collection('tuning_jobs').get(lost)).toMatchObject({ state: 'ended', status: 'failed', cost: 0 });
    expect(await scene.balance()).toBe(before - 100 - call);
    await scene.checkBooks();
  });

  test('where its files do not go, or it comes late, nothing is back before it is known that it will not run', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const before = await scene.balance();
    const { db } = scene.app.context;
    provider.failures.push('cut');
    const { id } = await begin(client);
    const deletes = () => provider.files.requested.filter((one) => one.startsWith('DELETE')).length;
    provider.files.failures.push(500);
    await poll(scene);
    expect(deletes()).toBe(1);
    expect(await db.collection('tuning_jobs').get(id)).toMatchObject({ state: 'creating', charge: 'done' });
    expect(await scene.balance()).toBeLessThan(before);
    await poll(scene);
    expect(await db.collection('tuning_jobs').get(id)).toMatchObject({ state: 'ended', status: 'failed', cost: 0 });
    expect(await scene.balance()).toBe(before);
    await scene.checkBooks();
  });

  test('a provider that says nothing is asked once a run, and a look that comes too late changes nothing', async () => {
    const { scene, provider } = await open();
    await using _scene = scene;
    const client = sdk(scene);
    const { context } = scene.app;
    const first = await begin(client);
    const second = await begin(client);
    context.db.collection('tuning_jobs');
    scene.app.clock.advance(11 * 60_000);
    const requested = provider.requested.length;
    provider.failures.push('held');
    const run = pollTunings(context, { questionMs: 300 });
    await expect.poll(() => provider.requested.length).toBe(requested + 1);
    // Another process has ended them meanwhile.
    const later = context.now() + 90 * 86_400_000;
    for (const { id } of [first, second])
      await context.db.collection('tuning_jobs').patch({ id }, { set: { state: 'ended', poll_at: later }, unset: ['open_user_id'] });
    await run;
    expect(provider.requested).toHaveLength(requested + 1);
    for (const { id } of [first, second]) expect((await context.db.collection('tuning_jobs').get(id))?.poll_at).toBe(later);
    // Nor does the deletion of models wait for it.
    const names = [...provider.jobs.keys()];
    expect(names).toHaveLength(2);
    const [theirs, other] = ['ft:theirs:1', 'ft:theirs:2'];
    const channel = await context.db.collection('tuning_jobs').get(first.id);
    for (const upstream_model of [theirs, other])
      await context.db.collection('tuned_models').insert({
        id: `ft:${model}::${upstream_model}`,
        user_id: scene.user.id,
        job_id: first.id,
        channel_id: channel?.channel_id ?? 0,
        key: channel?.key ?? '',
        base: model,
        upstream_model,
        checkpoints: [],
        created_at: 1,
        state: 'leaving',
      });
    provider.failures.push('held');
    await sweepTunedModels(context, { runMs: 5000, questionMs: 200 });
    expect(provider.requested).toHaveLength(requested + 2);
    provider.failures.push(204);
    await sweepTunedModels(context);
    expect(await context.db.collection('tuned_models').count({})).toBe(0);
  });

  test('what a group costs more, a training and its model cost more', async () => {
    const { scene, provider } = await open({ settings: { GroupRatio: JSON.stringify({ default: 2 }) } });
    await using _scene = scene;
    const before = await scene.balance();
    const name = await trained(scene, provider);
    expect(await scene.balance()).toBe(before - 400);
    await say(sdk(scene), name);
    expect(await scene.balance()).toBe(before - 400 - 2 * call);
    await scene.checkBooks();
  });
});
