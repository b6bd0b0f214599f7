// How long a run of questions about tasks takes at most, whatever its upstreams do.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { jobs } from '#server/jobs/registry.ts';
import { startScheduler, tickMs } from '#server/jobs/scheduler.ts';
import { pollBounds, pollTasks } from '#server/work/tasks/poll-tasks.ts';
import { buildTask } from '#tests/support/build-task.ts';
import { engines } from '#tests/support/engines.ts';
import { createTaskScene } from '#tests/support/task-scene.ts';
import { refusingPatches } from '#tests/support/watched-database.ts';

/** As `poll-tasks.ts` has it. */
const channelsAtOnce = 8;

it('a run of questions ends before its lock does, by far', () => {
  const job = jobs.find(({ name }) => name === 'poll-tasks');
  expect(pollBounds.runMs + pollBounds.questionMs).toBeLessThan(((job?.lockSeconds ?? 0) * 1000) / 3);
});

describe.each(engines)('questions about tasks on $kind', (engine) => {
  it('a task that runs is asked about at every tick, although its last answer came a little after the one before', async () => {
    await using scene = await createTaskScene(engine);
    await scene.addChannel();
    const customer = await scene.customer();
    const { result: id } = (await customer.imagine()).body;
    const { clock, context } = scene.app;
    // Time passes during a run.
    const now = () => {
      clock.advance(2);
      return clock.now();
    };
    const scheduler = startScheduler(
      { ...context, now },
      jobs.filter(({ name }) => name === 'poll-tasks'),
    );
    const begin = clock.now();
    for (let tick = 1; tick <= 4; tick += 1) {
      scene.upstream.report(id, { status: 'IN_PROGRESS', progress: `${tick}0%` });
      clock.advance(begin + tick * tickMs - clock.now());
      await scheduler.tick();
      expect((await scene.task(customer)).progress).toBe(`${tick}0%`);
    }
    await scheduler.stop();
  });

  it('a task whose news cannot be stored holds up no other of its channel, and is asked about again', async () => {
    await using scene = await createTaskScene(engine);
    await scene.addChannel();
    const { context } = scene.app;
    const [bad, good] = [await scene.customer(), await scene.customer()];
    for (const customer of [bad, good]) {
      const { result: id } = (await customer.imagine()).body;
      scene.upstream.report(id, { status: 'IN_PROGRESS', progress: '40%' });
    }
    const { id, poll_at: requested = 0 } = await scene.task(bad);
    scene.later(15);
    await pollTasks({ ...context, db: refusingPatches(context.db, 'tasks', id) });
    expect([await scene.task(good), await scene.task(bad)]).toMatchObject([{ progress: '40%' }, { progress: '0%' }]);
    expect((await scene.task(bad)).poll_at).toBeGreaterThan(requested);
  });

  it('a run asks nobody when its time is over, and the next run begins with those', async () => {
    await using scene = await createTaskScene(engine);
    const { context } = scene.app;
    const tasks = context.db.collection('tasks');
    // Receives every request, and answers none.
    const requested: string[] = [];
    const silent = createServer((request) => void requested.push(request.headers['mj-api-secret']?.toString() ?? ''));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const count = 3 * channelsAtOnce;
    const now = context.now();
    for (let at = 0; at < count; at += 1) {
      const channel_id = await scene.addChannel({ base_url: `http://127.0.0.1:${port}`, key: `key-${at}` });
      const id = await context.db.nextId('tasks');
      await tasks.insert(buildTask({ id, channel_id, status: 'IN_PROGRESS', submit_time: now, poll_at: now, running_user_id: 1 }));
    }
    try {
      // No question of the first ends before the run does.
      const bounds = { runMs: 200, questionMs: 500 };
      await pollTasks(context, bounds);
      expect(requested.length).toBeLessThanOrEqual(channelsAtOnce);
      expect(await tasks.count({ poll_at: { lte: now } })).toBeGreaterThanOrEqual(count - channelsAtOnce);
      for (let run = 0; run < 20 && (await tasks.count({ poll_at: { lte: now } })) > 0; run += 1) await pollTasks(context, bounds);
      // All had a turn, and none a second one before another's first.
      expect(await tasks.count({ running_user_id: 1, poll_at: { gt: now } })).toBe(count);
      expect(new Set(requested).size).toBe(requested.length);
    } finally {
      silent.closeAllConnections();
      await new Promise((resolve) => silent.close(resolve));
    }
  });
});
