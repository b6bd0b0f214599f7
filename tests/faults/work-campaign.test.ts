// Batches and trainings of two processes on one database, with providers that fail and processes that stop or are taken for dead, in any order: the
// costs of their ends, the log and the balances agree.
import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { pollBatches } from '#server/slices/batches/poll-batches.ts';
import { balanceOf } from '#server/money/account.ts';
import { pollTunings } from '#server/slices/fine-tuning/poll-jobs.ts';
import { engines } from '#tests/support/engines.ts';
import { type FakeTuning, startFakeTuning } from '#tests/support/fake-tuning.ts';
import { createScene, type RelayScene, testModel as model } from '#tests/support/relay-scene.ts';
import { createChance, pickOf } from '#tests/support/chance.ts';
import { Stopping } from '#tests/support/stopping.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const steps = { batches: ['insert', 'patch', 'remove'], tuning_jobs: ['insert', 'patch', 'remove'], logs: ['insert'] };
const startQuota = 40_000_000;
const settings = {
  FilesPerUser: '500',
  BatchesPerUser: '50',
  FineTuningJobsPerUser: '50',
  FineTuningPrice: JSON.stringify({ [`training:${model}`]: 4, [`input:${model}`]: 2, [`output:${model}`]: 6 }),
  RetryTimes: '0',
};
const example = JSON.stringify({ messages: [{ role: 'assistant', content: 'Ahoy' }] });
const request = (name: string) =>
  JSON.stringify({
    custom_id: name,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 100 },
  });

interface Campaign {
  scene: RelayScene;
  provider: FakeTuning;
  apps: readonly TestApp[];
  clients: readonly OpenAI[];
  files: { batch: string; training: string };
  chance(): number;
}

/** One act of a caller, of the provider, or of who takes processes for dead. What is refused is refused. */
async function act({ scene, provider, apps, clients, files, chance }: Campaign): Promise<void> {
  const client = pickOf(chance, clients);
  const kind = Math.floor(chance() * 8);
  if (kind <= 1) await client?.batches.create({ input_file_id: files.batch, endpoint: '/v1/chat/completions', completion_window: '24h' });
  else if (kind <= 3) await client?.fineTuning.jobs.create({ model, training_file: files.training, hyperparameters: { n_epochs: 2 } });
  else if (kind === 4) {
    const batch = pickOf(
      chance,
      [...provider.batches.batches.values()].filter(({ status }) => status === 'validating'),
    );
    const status = pickOf(chance, ['completed', 'expired', 'cancelled'] as const) ?? 'completed';
    if (batch !== undefined) await provider.batches.run({ status, count: Math.floor(chance() * 4) }, batch.id);
  } else if (kind === 5) {
    const job = pickOf(
      chance,
      [...provider.jobs.values()].filter(({ status }) => status === 'validating_files'),
    );
    const status = pickOf(chance, ['succeeded', 'failed', 'cancelled'] as const) ?? 'succeeded';
    if (job !== undefined) provider.train({ status, trainedTokens: chance() < 0.5 ? 30 : null, events: ['Step 45/90: training'] }, job.id);
  } else if (kind === 6) {
    const jobs = (await client?.fineTuning.jobs.list())?.data ?? [];
    const job = pickOf(chance, jobs);
    if (job !== undefined) await client?.fineTuning.jobs.cancel(job.id);
  } else {
    const [dead, alive] = chance() < 0.5 ? apps : apps.toReversed();
    const { db } = scene.app.context;
    await db.collection('processes').patch({ id: dead?.context.ledger.processId ?? '', state: 'alive' }, { set: { heartbeat_at: 0 } });
    await alive?.context.ledger.recoverCrashed();
  }
}

async function poll({ apps, scene, chance }: Campaign, share: number): Promise<void> {
  scene.app.clock.advance(11 * 60_000);
  const polling = apps.filter(() => chance() < share).flatMap(({ context }) => [pollBatches(context), pollTunings(context)]);
  await Promise.allSettled(polling);
}

async function turn(campaign: Campaign): Promise<void> {
  const { chance, provider } = campaign;
  const failures = [500, 429, 'cut', 'lost'] as const;
  if (chance() < 0.2) provider.failures.push(pickOf(chance, failures) ?? 500);
  if (chance() < 0.2) provider.batches.failures.push(pickOf(chance, failures) ?? 500);
  await Promise.allSettled(Array.from({ length: 1 + Math.floor(chance() * 4) }, () => act(campaign)));
  if (chance() < 0.6) await poll(campaign, 0.7);
}

async function turnWithCrash(campaign: Campaign, { context }: TestApp): Promise<void> {
  const { db, ledger } = context;
  const stopping = new Stopping(1 + Math.floor(campaign.chance() * 12), steps);
  Object.assign(context, { db: stopping.database(db), ledger: stopping.ledger(ledger) });
  await turn(campaign);
  Object.assign(context, { db, ledger });
}

/** Runs all of them to their end; processes that began a record and did not continue are dead. */
async function endAll(campaign: Campaign): Promise<void> {
  const { scene, provider } = campaign;
  const { db } = scene.app.context;
  provider.failures.length = 0;
  provider.batches.failures.length = 0;
  const unended = { state: { ne: 'ended' as const } };
  const begun = { state: { in: ['checking' as const, 'creating' as const] } };
  await db.collection('batches').patchAll(begun, { set: { process: 'gone' } });
  await db.collection('tuning_jobs').patchAll(begun, { set: { process: 'gone' } });
  const isOver = async () => {
    await poll(campaign, 1);
    for (const { id, status } of provider.batches.batches.values()) if (status === 'validating') await provider.batches.run({}, id);
    for (const { id, status } of provider.jobs.values()) if (status === 'validating_files') provider.train({ trainedTokens: 40 }, id);
    scene.app.clock.advance(2 * 3600_000);
    const open = await Promise.all([db.collection('batches').count(unended), db.collection('tuning_jobs').count(unended)]);
    return open[0] + open[1] === 0;
  };
  // A process that is taken for dead midway resumes a moment later.
  await until(isOver);
}

async function check({ scene, provider }: Campaign, where: string): Promise<number> {
  const { db } = scene.app.context;
  const [batches, jobs] = [await db.collection('batches').find({}), await db.collection('tuning_jobs').find({})];
  expect(new Set([...batches, ...jobs].map(({ state }) => state)), where).toEqual(new Set(['ended']));
  // Nothing has run at the provider unpaid.
  const paid = new Set([...batches, ...jobs].filter(({ charge }) => charge === 'done').map(({ upstream_id: id }) => id));
  const ran = [...provider.batches.batches.values(), ...provider.jobs.values()].filter(({ status }) =>
    ['completed', 'succeeded'].includes(status),
  );
  expect(
    ran.map(({ id }) => id).filter((id) => !paid.has(id)),
    where,
  ).toEqual([]);
  const cost = [...batches, ...jobs].reduce((sum, one) => sum + (one.charge === 'done' ? one.cost : 0), 0);
  const [user, token] = [await db.collection('users').get(scene.user.id), await db.collection('tokens').get(scene.token.id)];
  if (user === null || token === null) throw new Error('The accounts are gone');
  expect([balanceOf(user), user.used_quota], where).toEqual([startQuota - cost, cost]);
  expect([balanceOf(token), token.used_quota], where).toEqual([startQuota - cost, cost]);
  const charged = (await db.collection('logs').find({ type: 2 })).reduce((sum, { quota }) => sum + quota, 0);
  const back = (await db.collection('logs').find({ type: 4 })).reduce((sum, { refunded = 0 }) => sum + refunded, 0);
  expect(charged - back, where).toBe(cost);
  await scene.checkBooks();
  return cost;
}

describe.each(engines)('work at providers on $kind', (engine) => {
  const turns = engine.kind === 'embedded' ? 25 : 12;

  test.each(engine.kind === 'embedded' ? [1] : [3])('of seed %i ends with books that agree', async (seed) => {
    const opened: FakeTuning[] = [];
    const front = async (url: string) => {
      const made = await startFakeTuning(url);
      opened.push(made);
      return made;
    };
    await using scene = await createScene(engine, { front, settings, quota: startQuota, tokenQuota: startQuota });
    scene.upstream.behave({ usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } });
    const [provider] = opened;
    if (provider === undefined) throw new Error('There is no provider');
    await using second = await createTestApp(engine, { database: scene.app.database, clock: scene.app.clock });
    const apps = [scene.app, second];
    const clients = apps.map(({ origin }) => new OpenAI({ baseURL: `${origin}/v1`, apiKey: scene.key, maxRetries: 0 }));
    const leave = async (text: string, purpose: 'batch' | 'fine-tune') => {
      const { id } = (await clients[0]?.files.create({ file: await toFile(Buffer.from(text), 'in.jsonl'), purpose })) ?? { id: '' };
      return id;
    };
    const files = {
      batch: await leave(['a', 'b', 'c'].map(request).join('\n'), 'batch'),
      training: await leave(`${example}\n`.repeat(10), 'fine-tune'),
    };
    const campaign: Campaign = { scene, provider, apps, clients, files, chance: createChance(seed) };
    for (let index = 0; index < turns; index += 1) await (index % 6 === 5 ? turnWithCrash(campaign, second) : turn(campaign));
    await endAll(campaign);
    expect(await check(campaign, `seed ${seed}`)).toBeGreaterThan(0);
  });
});
