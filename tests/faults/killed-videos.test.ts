// A server process is killed in the midst of a video: while it is ordered, asked about, or given back. It is charged once, or not at all.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { LogType } from '#shared/logs.ts';
import { leasedOf } from '#server/money/account.ts';
import { checkTasks } from '#server/work/tasks/check-tasks.ts';
import { pollTasks } from '#server/work/tasks/poll-tasks.ts';
import { finishRefunds } from '#server/work/tasks/refund-task.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { engines, testMongoUrl } from '#tests/support/engines.ts';
import { soraServing, startFakeVideos } from '#tests/support/fake-videos.ts';
import type { FakeVideos } from '#tests/support/fake-videos.ts';
import { startGatedFront } from '#tests/support/gated-front.ts';
import type { GatedFront } from '#tests/support/gated-front.ts';
import { createScratch } from '#tests/support/scratch-database.ts';
import type { ScratchDatabase } from '#tests/support/scratch-database.ts';
import { runAudit, startServer } from '#tests/support/server-process.ts';
import type { ServerProcess } from '#tests/support/server-process.ts';
import { until } from '#tests/support/until.ts';

const quota = 10_000_000;
/** Four seconds of 0.1 dollars. */
const price = 200_000;
const minute = 60_000;

interface Scene extends AsyncDisposable {
  scratch: ScratchDatabase;
  upstream: FakeVideos;
  sora: ReturnType<typeof soraServing>;
  front: GatedFront;
  key: string;
  userId: number;
}

async function open(kind: string): Promise<Scene> {
  const sora = soraServing();
  const upstream = await startFakeVideos(sora.serving);
  const front = await startGatedFront(upstream.url);
  const scratch = await createScratch(kind === 'mongodb' ? testMongoUrl : undefined);
  const known = await scratch.withContext(async (context) => {
    const user = await buildUser(context);
    await context.db.collection('users').insert(user);
    await context.ledger.change({ account: 'user', id: user.id, ref: 'seed', kind: 'redemption', actorId: 0, amount: quota });
    const there = { id: 1, type: 55, models: 'sora-2', key: 'sk-channel', base_url: front.url };
    await context.db.collection('channels').insert(buildChannel(there, context.secrets));
    return { key: (await createToken(context, user.id)).key, userId: user.id };
  });
  return {
    scratch,
    upstream,
    sora,
    front,
    ...known,
    async [Symbol.asyncDispose]() {
      await front[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
      await scratch.remove();
    },
  };
}

/** A server that is killed when the work is done. What the dead have left is settled by the next one before it serves. */
async function killedAfter({ scratch }: Scene, work: (server: ServerProcess) => Promise<void>): Promise<void> {
  const server = await startServer({ DATABASE_URL: scratch.url });
  try {
    await work(server);
  } finally {
    await server.kill('SIGKILL');
  }
}

/** Its status; null: the process was gone. */
async function order({ key }: Scene, { origin }: ServerProcess): Promise<number | null> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'sora-2', prompt: 'a harbour at dawn', seconds: '4', size: '1280x720' });
  try {
    const response = await fetch(`${origin}/v1/videos`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}

/** The jobs, in a process that comes later; what the dead have left is settled before. */
async function goOn({ scratch }: Scene): Promise<void> {
  await scratch.withContext(async (context) => {
    for (let minutes = 11; minutes < 16; minutes += 1) {
      const later = { ...context, now: () => Date.now() + minutes * minute };
      await checkTasks(later);
      await pollTasks(later);
      await finishRefunds(later);
    }
  });
}

/** The job of the next process asks at once. */
async function makeDue({ scratch }: Scene): Promise<void> {
  await scratch.withContext(async ({ db }) => {
    await db.collection('tasks').patchAll({ poll_at: { exists: true } }, { set: { poll_at: 1 } });
    await db.collection('jobs').remove({});
  });
}

interface Expected {
  succeeded: number;
  failed: number;
  /** Times that something was charged; of those that failed it went back. */
  charged: number;
}

async function checkBooks({ scratch, userId }: Scene, expected: Partial<Expected>): Promise<void> {
  await scratch.withContext(async ({ db }) => {
    const tasks = await db.collection('tasks').find({ user_id: userId });
    const user = await db.collection('users').get(userId);
    if (user === null) throw new Error('There is no user');
    for (const task of tasks) {
      // None is delivered free.
      if (task.status === 'SUCCESS') expect(task.charge).toBe('done');
      for (const field of ['refund_due_at', 'check_at', 'poll_at', 'running_user_id']) expect(task).not.toHaveProperty(field);
      expect(['done', 'none']).toContain(task.charge);
      expect(['SUCCESS', 'FAILURE']).toContain(task.status);
      const isGivenBack = task.status === 'FAILURE' && task.charge === 'done';
      expect(task.refunded_quota).toBe(isGivenBack ? price : 0);
    }
    const of = (status: string) => tasks.filter((task) => task.status === status).length;
    const paid = tasks.filter(({ charge }) => charge === 'done');
    expect({ succeeded: of('SUCCESS'), failed: of('FAILURE'), charged: paid.length }).toMatchObject(expected);
    const rows = await db.collection('logs').find({ type: LogType.consumption });
    expect(rows.map(({ request_id: id }) => String(id)).toSorted()).toEqual(paid.map(({ request_id: id }) => id).toSorted());
    expect(rows.every((row) => row.quota === price)).toBe(true);
    const given = paid.filter(({ status }) => status === 'FAILURE').length;
    const reported = await db.collection('logs').find({ type: LogType.system });
    expect(reported.filter(({ refunded = 0 }) => refunded > 0)).toHaveLength(given);
    expect(leasedOf(user)).toBe(0);
    expect(quota - user.quota).toBe((paid.length - given) * price);
    expect(user.used_quota).toBe((paid.length - given) * price);
  });
  const audited = await runAudit(scratch.url);
  expect(audited.code, audited.output).toBe(0);
}

describe.each(engines)('a process that is killed on $kind', ({ kind }) => {
  test('before the provider hears of an order, or is heard: nothing was charged, and the order is over', async () => {
    await using scene = await open(kind);
    const { front, sora } = scene;
    const answers: Promise<number | null>[] = [];
    await killedAfter(scene, async (server) => {
      for (const when of ['before', 'after'] as const) {
        const held = front.hold({ at: /^POST \/v1\/videos/, when });
        answers.push(order(scene, server));
        await held;
      }
    });
    expect(await Promise.all(answers)).toEqual([null, null]);
    expect(sora.taken).toHaveLength(1);
    await goOn(scene);
    // It is ordered nowhere again.
    expect(sora.taken).toHaveLength(1);
    await checkBooks(scene, { succeeded: 0, failed: 2, charged: 0 });
    // The operator finds which account may have been billed for them.
    await scene.scratch.withContext(async ({ db }) => {
      const reported = await db.collection('logs').find({ type: LogType.system });
      const lost = { channel_id: 1, model_name: 'sora-2', other: { event: { code: 'task_lost' } } };
      expect(reported).toMatchObject([lost, lost]);
    });
  });

  test('at any moment of charging: each order is charged once or not at all, and what failed went back', async () => {
    await using scene = await open(kind);
    const { sora } = scene;
    for (let kill = 0; kill < 3; kill += 1) {
      const answers: Promise<number | null>[] = [];
      await killedAfter(scene, async (server) => {
        const known = sora.taken.length;
        for (let count = 0; count < 4; count += 1) answers.push(order(scene, server));
        await until(() => sora.taken.length > known);
        await sleep(Math.random() * 60);
      });
      await Promise.all(answers);
    }
    for (const [index, id] of sora.taken.entries()) sora.report(id, index % 2 === 0 ? { status: 'completed' } : { status: 'failed' });
    await goOn(scene);
    await checkBooks(scene, {});
  });

  test('while it asks what became of them, and when it has heard and gives back what failed: each goes back once', async () => {
    await using scene = await open(kind);
    const { front, sora, upstream } = scene;
    await killedAfter(scene, async (server) => {
      for (let count = 0; count < 3; count += 1) expect(await order(scene, server)).toBe(200);
    });
    for (const [index, id] of sora.taken.entries()) sora.report(id, index === 0 ? { status: 'completed' } : { status: 'failed' });
    // Their own jobs ask, as soon as they serve.
    await makeDue(scene);
    await killedAfter(scene, () => front.hold({ at: /^GET \/v1\/videos\//, when: 'after' }));
    await makeDue(scene);
    await killedAfter(scene, async () => {
      const known = upstream.visits.length;
      await until(() => upstream.visits.slice(known).some(({ method }) => method === 'GET'), 60_000);
      await sleep(Math.random() * 60);
    });
    await goOn(scene);
    await checkBooks(scene, { succeeded: 1, failed: 2, charged: 3 });
  });
});
