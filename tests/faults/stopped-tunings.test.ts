// A process stops behind every step of a training's money, and does not hear what became of it: nothing is charged twice, nothing is lost, and nothing
// runs at the provider that nobody pays.
import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { pollTunings } from '#server/slices/fine-tuning/poll-jobs.ts';
import { engines } from '#tests/support/engines.ts';
import { startFakeTuning } from '#tests/support/fake-tuning.ts';
import type { FakeTuning } from '#tests/support/fake-tuning.ts';
import { createScene, testModel as model } from '#tests/support/relay-scene.ts';
import type { RelayScene } from '#tests/support/relay-scene.ts';
import { Stopping } from '#tests/support/stopping.ts';

/** Steps by which trainings and money change. */
const steps = { tuning_jobs: ['insert', 'patch', 'remove'], logs: ['insert'] };
/** USD per million: a token of training costs 2 quota. */
const prices = { [`training:${model}`]: 4, [`input:${model}`]: 2, [`output:${model}`]: 6 };
const trainedTokens = 60;

describe.each(engines)('a process that stops on $kind', (engine) => {
  const sdk = ({ app, key }: RelayScene) => new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: key, maxRetries: 0 });

  async function poll(scene: RelayScene, minutes = 20): Promise<void> {
    scene.app.clock.advance(minutes * 60_000);
    await pollTunings(scene.app.context);
  }

  function trainAll({ jobs, train }: FakeTuning): void {
    for (const { id, status } of jobs.values()) if (status === 'validating_files') train({ trainedTokens, steps: [40] }, id);
  }

  /** A training's life; ends where the process does. */
  async function live(scene: RelayScene, provider: FakeTuning, file: string): Promise<void> {
    await sdk(scene).fineTuning.jobs.create({ model, training_file: file, hyperparameters: { n_epochs: 2 } });
    await poll(scene);
    trainAll(provider);
    await poll(scene);
  }

  /** Another process goes on. */
  async function goOn(scene: RelayScene, provider: FakeTuning): Promise<void> {
    // The process that has begun it is not there any more, and its books are closed.
    await scene.app.context.db
      .collection('tuning_jobs')
      .patchAll({ state: { in: ['checking', 'creating'] } }, { set: { process: 'gone' } });
    for (let turn = 0; turn < 3; turn += 1) {
      await poll(scene);
      trainAll(provider);
    }
    await poll(scene, 130);
  }

  test('at any step: what was trained is paid once, and its model is there', async () => {
    const opened: FakeTuning[] = [];
    const front = async (url: string) => {
      opened.push(await startFakeTuning(url));
      return opened[0] ?? startFakeTuning(url);
    };
    const settings = { FilesPerUser: '50', FineTuningJobsPerUser: '2', FineTuningPrice: JSON.stringify(prices), RetryTimes: '0' };
    await using scene = await createScene(engine, { front, settings, tokenQuota: 400_000_000 });
    const [provider] = opened;
    if (provider === undefined) throw new Error('There is no provider');
    const { context } = scene.app;
    const { db, ledger } = context;
    const before = await scene.balance();
    const line = JSON.stringify({ messages: [{ role: 'assistant', content: 'Ahoy' }] });
    const upload = async () => {
      const content = Buffer.from(`${line}\n`.repeat(10));
      return (await sdk(scene).files.create({ file: await toFile(content, 'in.jsonl'), purpose: 'fine-tune' })).id;
    };
    const file = await upload();
    let lives = 0;
    for (let at = 1; ; at += 1) {
      const where = `step ${at}`;
      const stopping = new Stopping(at, steps);
      Object.assign(context, { db: stopping.database(db), ledger: stopping.ledger(ledger) });
      await live(scene, provider, file).catch(() => {});
      Object.assign(context, { db, ledger });
      await goOn(scene, provider);

      const jobs = await db.collection('tuning_jobs').find({});
      expect([...new Set(jobs.map(({ state }) => state))], where).toEqual(jobs.length === 0 ? [] : ['ended']);
      const trained = [...provider.jobs.values()].filter(({ status }) => status === 'succeeded').length;
      const paid = before - (await scene.balance());
      expect(paid, where).toBe(trained * trainedTokens * 2);
      const token = await db.collection('tokens').get(scene.token.id);
      expect(token?.used_quota, where).toBe(paid);
      // What rows tell is what was paid; each end is told once.
      const charged = (await db.collection('logs').find({ type: 2 })).reduce((sum, { quota }) => sum + quota, 0);
      const ends = await db.collection('logs').find({ type: 4 });
      expect(charged - ends.reduce((sum, { refunded = 0 }) => sum + refunded, 0), where).toBe(paid);
      expect(new Set(ends.map(({ content }) => content)).size, where).toBe(ends.length);
      expect(await db.collection('tuned_models').count({}), where).toBe(trained);
      // The caller's own: what the provider was given goes.
      const left = () => [...provider.files.files.values()].filter(({ purpose }) => purpose === 'fine-tune').length;
      await expect.poll(left, { message: where }).toBe(1);
      lives += 1;
      if (!stopping.hasStopped) break;
    }
    // As many as there are steps: what is not counted here would not be looked at.
    expect(lives).toBeGreaterThan(8);
    await scene.checkBooks();
  });
});
