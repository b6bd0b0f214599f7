// A process stops after every step of work that is prepaid or charged on delivery, and does not learn the outcome: nothing is charged twice, nothing
// is lost, and nothing is delivered unpaid.
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import type { LimitRecord } from '#server/db/records/limit.ts';
import { pollBatches } from '#server/slices/batches/poll-batches.ts';
import { pollTunings } from '#server/slices/fine-tuning/poll-jobs.ts';
import { stopAtEachStep } from '#tests/faults/at-each-step.ts';
import { pollAll, type TaskProvider, taskProviders, unendedTasks } from '#tests/faults/task-providers.ts';
import { type Engine, engines } from '#tests/support/engines.ts';
import { type FakeTuning, startFakeTuning } from '#tests/support/fake-tuning.ts';
import { createScene, type RelayScene, testModel as model } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

/** Work of one kind, with a caller and a provider. */
interface Work {
  scene: RelayScene;
  /** Of its records. */
  steps: readonly string[];
  create(): Promise<unknown>;
  /** The provider ends all that it has. */
  finish(): unknown;
  poll(): Promise<unknown>;
  /** Those that began a record are not there any more, and their books are closed. */
  orphan(): Promise<unknown>;
  unended(): Promise<number>;
  /** What all that was delivered costs. */
  cost(): Promise<number>;
  check?(where: string): Promise<void>;
}

const tokenQuota = 400_000_000;

/** Batches and trainings at OpenAI. */
async function openPrepaid(engine: Engine): Promise<{ scene: RelayScene; provider: FakeTuning; sdk: OpenAI }> {
  const opened: FakeTuning[] = [];
  const front = async (url: string) => {
    const made = await startFakeTuning(url);
    opened.push(made);
    return made;
  };
  const settings = {
    FilesPerUser: '500',
    BatchesPerUser: '50',
    FineTuningJobsPerUser: '50',
    // USD per million: a token of training costs 2 quota.
    FineTuningPrice: JSON.stringify({ [`training:${model}`]: 4, [`input:${model}`]: 2, [`output:${model}`]: 6 }),
    ModelRatio: JSON.stringify({ [model]: 1 }),
    CompletionRatio: JSON.stringify({ [model]: 4 }),
    RetryTimes: '0',
  };
  const scene = await createScene(engine, { front, settings, tokenQuota });
  const [provider] = opened;
  if (provider === undefined) throw new Error('There is no provider');
  return { scene, provider, sdk: new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 }) };
}

function prepaidIn({ app }: RelayScene, name: 'batches' | 'tuning_jobs'): Pick<Work, 'steps' | 'orphan' | 'unended'> {
  const records = app.context.db.collection<'batches' | 'tuning_jobs'>(name);
  return {
    steps: [name],
    orphan: () => records.patchAll({ state: { in: ['checking', 'creating'] } }, { set: { process: 'gone' } }),
    unended: () => records.count({ state: { ne: 'ended' } }),
  };
}

/** Tokens of a batch by its results, and at most by its estimate. */
const batchTokens = 15;
const mostTokens = 60;

/** Limits the tokens of the scene's key, and reads what is counted. */
async function limitTokens({ app: { context, clock }, token }: RelayScene): Promise<{ tokensCounted(): Promise<number> }> {
  const { db, changes } = context;
  const limits = [{ meter: 'tokens', per: 'day', amount: 1_000_000 }];
  await db.collection('tokens').patch({ id: token.id }, { set: { rate_limits: JSON.stringify(limits) } });
  await changes.announce('token', token.id);
  const counted = async () => (await db.collection('limits').find({})).filter(({ id }) => id.startsWith(`rate:token:${token.id}:`));
  return {
    async tokensCounted() {
      // What the process has leased in advance is returned.
      const isOwed = ({ spare = {}, reset_at: end }: LimitRecord) => end > clock.now() && Object.values(spare).some((one) => one > 0);
      await until(async () => !(await counted()).some(isOwed));
      return (await counted()).reduce((sum, { count }) => sum + count, 0);
    },
  };
}

async function openBatches(engine: Engine): Promise<Work> {
  const { scene, provider, sdk } = await openPrepaid(engine);
  const { context } = scene.app;
  scene.upstream.behave({ usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } });
  const { batches } = provider.batches;
  const body = { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 20 };
  const line = JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body });
  const { id: file } = await sdk.files.create({ file: await toFile(Buffer.from(line), 'in.jsonl'), purpose: 'batch' });
  const ran = () => [...batches.values()].filter(({ status }) => status === 'completed').length;
  const { tokensCounted } = await limitTokens(scene);
  let before = { ran: 0, tokens: 0 };
  return {
    scene,
    ...prepaidIn(scene, 'batches'),
    steps: ['batches', 'limits'],
    create: () => sdk.batches.create({ input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' }),
    async finish() {
      for (const { id, status } of batches.values()) if (status === 'validating') await provider.batches.run({}, id);
    },
    poll: () => pollBatches(context),
    // 10 + 5 × 4, and half of that in a batch.
    cost: async () => ran() * 15,
    async check(where) {
      expect(await context.db.collection('files').count({ purpose: 'batch_output' }), where).toBe(ran());
      const now = { ran: ran(), tokens: await tokensCounted() };
      // What was given back twice would be less. An estimate may stay that the process did not live to store, or whose window has ended.
      const more = [now.tokens - before.tokens, (now.ran - before.ran) * batchTokens] as const;
      expect(more[0], `${where}: tokens`).toBeGreaterThanOrEqual(more[1]);
      expect(more[0], `${where}: tokens`).toBeLessThan(more[1] + 2 * mostTokens);
      before = now;
    },
  };
}

async function openTrainings(engine: Engine): Promise<Work> {
  const { scene, provider, sdk } = await openPrepaid(engine);
  const { context } = scene.app;
  const line = JSON.stringify({ messages: [{ role: 'assistant', content: 'Ahoy' }] });
  const content = Buffer.from(`${line}\n`.repeat(10));
  const { id: file } = await sdk.files.create({ file: await toFile(content, 'in.jsonl'), purpose: 'fine-tune' });
  const trained = () => [...provider.jobs.values()].filter(({ status }) => status === 'succeeded').length;
  return {
    scene,
    ...prepaidIn(scene, 'tuning_jobs'),
    create: () => sdk.fineTuning.jobs.create({ model, training_file: file, hyperparameters: { n_epochs: 2 } }),
    finish() {
      for (const { id, status } of provider.jobs.values())
        if (status === 'validating_files') provider.train({ trainedTokens: 60, steps: [40] }, id);
    },
    poll: () => pollTunings(context),
    cost: async () => trained() * 60 * 2,
    async check(where) {
      expect(await context.db.collection('tuned_models').count({}), where).toBe(trained());
      // The caller's own: what the provider was given goes.
      const left = () => [...provider.files.files.values()].filter(({ purpose }) => purpose === 'fine-tune').length;
      await expect.poll(left, { message: where }).toBe(1);
    },
  };
}

/** Each second one fails. */
async function openTasks(engine: Engine, provider: TaskProvider): Promise<Work> {
  const { front, models, path, body, price, taken } = provider;
  const scene = await createScene(engine, { front: async () => front, channels: [{ models }], tokenQuota });
  const { context } = scene.app;
  const tasks = context.db.collection('tasks');
  const create = () => scene.post(path, body);
  return {
    scene,
    steps: ['tasks'],
    create: async () => [await create(), await create()],
    finish: () => taken.forEach((id, index) => provider.report(id, index % 2 === 0)),
    poll: () => pollAll(context),
    orphan: () => tasks.patchAll({ or: [{ running_user_id: { exists: true } }, { charge: 'open' }] }, { set: { process: 'gone' } }),
    unended: () => tasks.count(unendedTasks),
    cost: async () => (await tasks.count({ status: 'SUCCESS' })) * price,
    async check(where) {
      for (const { status, charge, refunded_quota: refunded } of await tasks.find({})) {
        if (status === 'SUCCESS') expect(charge, where).toBe('done');
        else expect([status, refunded], where).toEqual(['FAILURE', charge === 'done' ? price : 0]);
      }
    },
  };
}

const kinds = [
  { kind: 'batches', open: openBatches },
  { kind: 'trainings', open: openTrainings },
  ...taskProviders.map(({ kind, start }) => ({ kind, open: async (engine: Engine) => openTasks(engine, await start()) })),
];

describe.each(engines)('a process that stops on $kind', (engine) => {
  test.each(kinds)('at any step of $kind: what was delivered is paid once, and all else is back', async ({ open }) => {
    const { scene, steps, create, finish, poll, orphan, unended, cost, check } = await open(engine);
    await using _scene = scene;
    const { db } = scene.app.context;
    const before = await scene.balance();
    const turn = async (minutes = 20) => {
      scene.app.clock.advance(minutes * 60_000);
      await poll();
      await finish();
    };
    const known = Object.fromEntries(steps.map((name) => [name, ['insert', 'patch', 'remove']]));
    const lives = await stopAtEachStep(
      scene,
      { ...known, logs: ['insert'] },
      {
        async live() {
          await create();
          await turn();
          await turn();
        },
        async goOn() {
          await orphan();
          await turn();
          await turn();
          // A process says with its next heartbeat what it has settled.
          await until(async () => {
            if ((await unended()) === 0) return true;
            await turn(2);
            await sleep(50);
            return false;
          });
        },
        async check(where) {
          const paid = before - (await scene.balance());
          expect(paid, where).toBe(await cost());
          const token = await db.collection('tokens').get(scene.token.id);
          expect(token?.used_quota, where).toBe(paid);
          // Rows report the paid amounts; each end is reported once.
          const charged = (await db.collection('logs').find({ type: 2 })).reduce((sum, { quota }) => sum + quota, 0);
          const ends = await db.collection('logs').find({ type: 4 });
          expect(charged - ends.reduce((sum, { refunded = 0 }) => sum + refunded, 0), where).toBe(paid);
          expect(new Set(ends.map(({ content }) => content)).size, where).toBe(ends.length);
          await check?.(where);
        },
      },
    );
    expect(await cost()).toBeGreaterThan(0);
    // As many as there are steps: what is not counted here would not be looked at.
    expect(lives).toBeGreaterThan(8);
    await scene.checkBooks();
  });
});
