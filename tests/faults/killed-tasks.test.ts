// A server process is killed in the midst of a drawing, a song or a video: while it is ordered, asked about, or given back. It is charged once, or not
// at all.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { LogType } from '#shared/logs.ts';
import { checkSpent, killedAfter, makeDue, openKilled, post } from '#tests/faults/killed-scene.ts';
import type { KilledScene } from '#tests/faults/killed-scene.ts';
import { pollAll, taskProviders, unendedTasks } from '#tests/faults/task-providers.ts';
import type { TaskProvider } from '#tests/faults/task-providers.ts';
import { engines } from '#tests/support/engines.ts';
import type { ServerProcess } from '#tests/support/server-process.ts';
import { until } from '#tests/support/until.ts';

interface Scene extends KilledScene {
  provider: TaskProvider;
}

function order(scene: Scene, server: ServerProcess): Promise<number | null> {
  return post(scene, server, scene.provider.path, scene.provider.body);
}

/** The jobs, in a process that comes later; what the dead have left is settled before. */
async function goOn({ scratch }: Scene): Promise<void> {
  await scratch.withContext(async (context) => {
    for (let minutes = 11; minutes < 16; minutes += 1) await pollAll({ ...context, now: () => Date.now() + minutes * 60_000 });
  });
}

interface Expected {
  succeeded: number;
  failed: number;
  /** Times that something was charged; of those that failed it went back. */
  charged: number;
}

async function checkBooks(scene: Scene, expected: Partial<Expected>): Promise<void> {
  const { price } = scene.provider;
  const kept = await scene.scratch.withContext(async ({ db }) => {
    const tasks = await db.collection('tasks').find({ user_id: scene.userId });
    expect(await db.collection('tasks').count(unendedTasks)).toBe(0);
    for (const task of tasks) {
      // None is delivered free.
      if (task.status === 'SUCCESS') expect(task.charge).toBe('done');
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
    return paid.length - given;
  });
  await checkSpent(scene, kept * price);
}

describe.each(engines.flatMap(({ kind: engine }) => taskProviders.map((provider) => ({ engine, ...provider }))))(
  'a process that is killed in the midst of $kind on $engine',
  ({ engine, start }) => {
    async function open(): Promise<Scene> {
      const provider = await start();
      return { ...(await openKilled(engine, provider.front, provider)), provider };
    }

    test('before the provider hears of an order, or is heard: nothing was charged, and the order is over', async () => {
      await using scene = await open();
      const { front, provider } = scene;
      const answers: Promise<number | null>[] = [];
      await killedAfter(scene, async (server) => {
        for (const when of ['before', 'after'] as const) {
          const held = front.hold({ at: new RegExp(`^POST ${provider.path}`, 'i'), when });
          answers.push(order(scene, server));
          await held;
        }
      });
      expect(await Promise.all(answers)).toEqual([null, null]);
      expect(provider.taken).toHaveLength(1);
      await goOn(scene);
      // It is ordered nowhere again.
      expect(provider.taken).toHaveLength(1);
      await checkBooks(scene, { succeeded: 0, failed: 2, charged: 0 });
      // The operator finds which account may have been billed for them.
      await scene.scratch.withContext(async ({ db }) => {
        const reported = await db.collection('logs').find({ type: LogType.system });
        const lost = { channel_id: 1, model_name: provider.models, other: { event: { code: 'task_lost' } } };
        expect(reported).toMatchObject([lost, lost]);
      });
    });

    test('at any moment of charging: each order is charged once or not at all, and what failed went back', async () => {
      await using scene = await open();
      const { provider } = scene;
      for (let kill = 0; kill < 3; kill += 1) {
        const answers: Promise<number | null>[] = [];
        await killedAfter(scene, async (server) => {
          const known = provider.taken.length;
          for (let count = 0; count < 4; count += 1) answers.push(order(scene, server));
          await until(() => provider.taken.length > known);
          await sleep(Math.random() * 60);
        });
        await Promise.all(answers);
      }
      for (const [index, id] of provider.taken.entries()) provider.report(id, index % 2 === 0);
      await goOn(scene);
      await checkBooks(scene, {});
    });

    test('while it asks what became of them, and when it has heard and gives back what failed: each goes back once', async () => {
      await using scene = await open();
      const { front, provider } = scene;
      await killedAfter(scene, async (server) => {
        for (let count = 0; count < 3; count += 1) expect(await order(scene, server)).toBe(200);
      });
      for (const [index, id] of provider.taken.entries()) provider.report(id, index === 0);
      // Their own jobs ask, as soon as they serve.
      await makeDue(scene, 'tasks');
      await killedAfter(scene, () => front.hold({ at: provider.polls, when: 'after' }));
      await makeDue(scene, 'tasks');
      await killedAfter(scene, async () => {
        const known = provider.polled();
        await until(() => provider.polled() > known, 60_000);
        await sleep(Math.random() * 60);
      });
      await goOn(scene);
      await checkBooks(scene, { succeeded: 1, failed: 2, charged: 3 });
    });
  },
);
