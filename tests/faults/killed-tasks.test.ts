// A server process is killed during drawings, music and videos: while they are submitted, polled, or refunded. Each is charged once, or not at all.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { LogType } from '#shared/logs.ts';
import { checkSpent, killedAfter, type KilledScene, makeDue, openKilled, post } from '#tests/faults/killed-scene.ts';
import { pollAll, type TaskProvider, taskProviders, unendedTasks } from '#tests/faults/task-providers.ts';
import { engines } from '#tests/support/engines.ts';
import type { ServerProcess } from '#tests/support/server-process.ts';
import { until } from '#tests/support/until.ts';

interface Scene extends KilledScene {
  providers: readonly TaskProvider[];
}

async function open(engine: string): Promise<Scene> {
  const providers = await Promise.all(taskProviders.map(({ start }) => start()));
  return { ...(await openKilled(engine, providers)), providers };
}

function order(scene: Scene, server: ServerProcess, { path, body }: TaskProvider): Promise<number | null> {
  return post(scene, server, path, body);
}

/** Every provider ends what it has. */
function endAll({ providers }: Scene, isDone: (index: number) => boolean): void {
  for (const { taken, report } of providers) for (const [index, id] of taken.entries()) report(id, isDone(index));
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
  const prices = new Map(scene.providers.map(({ models, price }) => [models, price]));
  const sumOf = (paid: readonly { model: string }[]) => paid.reduce((sum, { model }) => sum + (prices.get(model) ?? 0), 0);
  const kept = await scene.scratch.withContext(async ({ db }) => {
    const tasks = await db.collection('tasks').find({ user_id: scene.userId });
    expect(await db.collection('tasks').count(unendedTasks)).toBe(0);
    for (const task of tasks) {
      // None is delivered free.
      if (task.status === 'SUCCESS') expect(task.charge).toBe('done');
      expect(['done', 'none']).toContain(task.charge);
      expect(['SUCCESS', 'FAILURE']).toContain(task.status);
      const isGivenBack = task.status === 'FAILURE' && task.charge === 'done';
      expect(task.refunded_quota).toBe(isGivenBack ? prices.get(task.model) : 0);
    }
    const of = (status: string) => tasks.filter((task) => task.status === status).length;
    const paid = tasks.filter(({ charge }) => charge === 'done');
    expect({ succeeded: of('SUCCESS'), failed: of('FAILURE'), charged: paid.length }).toMatchObject(expected);
    const rows = await db.collection('logs').find({ type: LogType.consumption });
    expect(rows.map(({ request_id: id }) => String(id)).toSorted()).toEqual(paid.map(({ request_id: id }) => id).toSorted());
    expect(rows.map(({ quota }) => quota)).toEqual(rows.map(({ model_name: model }) => prices.get(model)));
    const given = paid.filter(({ status }) => status === 'FAILURE');
    const reported = await db.collection('logs').find({ type: LogType.system });
    expect(reported.filter(({ refunded = 0 }) => refunded > 0)).toHaveLength(given.length);
    return sumOf(paid) - sumOf(given);
  });
  await checkSpent(scene, kept);
}

describe.each(engines)('a process that is killed on $kind', ({ kind: engine }) => {
  test('before the provider hears of an order, or is heard: nothing was charged, and the order is over', async () => {
    await using scene = await open(engine);
    const { fronts, providers } = scene;
    const answers: Promise<number | null>[] = [];
    await killedAfter(scene, async (server) => {
      for (const [index, provider] of providers.entries()) {
        for (const when of ['before', 'after'] as const) {
          const held = fronts[index]?.hold({ at: new RegExp(`^POST ${provider.path}`, 'i'), when });
          answers.push(order(scene, server, provider));
          await held;
        }
      }
    });
    expect(await Promise.all(answers)).toEqual(Array(6).fill(null));
    await goOn(scene);
    // None is ordered anywhere again.
    expect(providers.map(({ taken }) => taken.length)).toEqual([1, 1, 1]);
    await checkBooks(scene, { succeeded: 0, failed: 6, charged: 0 });
    // The operator finds which account may have been billed for them.
    await scene.scratch.withContext(async ({ db }) => {
      const reported = await db.collection('logs').find({ type: LogType.system }, { sort: [['channel_id', 1]] });
      const lost = providers.map(({ models }, index) => ({
        channel_id: index + 1,
        model_name: models,
        other: { event: { code: 'task_lost' } },
      }));
      expect(reported).toMatchObject(lost.flatMap((row) => [row, row]));
    });
  });

  test('at any moment of charging: each order is charged once or not at all, and what failed went back', async () => {
    await using scene = await open(engine);
    const { providers } = scene;
    const taken = () => providers.reduce((sum, provider) => sum + provider.taken.length, 0);
    for (let kill = 0; kill < 3; kill += 1) {
      const answers: Promise<number | null>[] = [];
      await killedAfter(scene, async (server) => {
        const known = taken();
        for (let count = 0; count < 4; count += 1) answers.push(...providers.map((provider) => order(scene, server, provider)));
        await until(() => taken() > known);
        await sleep(Math.random() * 60);
      });
      await Promise.all(answers);
    }
    endAll(scene, (index) => index % 2 === 0);
    await goOn(scene);
    await checkBooks(scene, {});
  });

  test('while it asks what became of them, and when it has heard and gives back what failed: each goes back once', async () => {
    await using scene = await open(engine);
    const { fronts, providers } = scene;
    await killedAfter(scene, async (server) => {
      for (const provider of providers) for (let count = 0; count < 3; count += 1) expect(await order(scene, server, provider)).toBe(200);
    });
    endAll(scene, (index) => index === 0);
    // Their jobs poll as soon as they serve.
    await makeDue(scene, 'tasks');
    await killedAfter(scene, async () => {
      await Promise.all(providers.map(({ polls }, index) => fronts[index]?.hold({ at: polls, when: 'after' })));
    });
    await makeDue(scene, 'tasks');
    await killedAfter(scene, async () => {
      const known = providers.map(({ polled }) => polled());
      await until(() => providers.some(({ polled }, index) => polled() > (known[index] ?? 0)), 60_000);
      await sleep(Math.random() * 60);
    });
    await goOn(scene);
    await checkBooks(scene, { succeeded: 3, failed: 6, charged: 9 });
  });
});
