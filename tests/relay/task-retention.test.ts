import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jobs } from '#server/jobs/registry.ts';
import { deleteOldLogs } from '#server/logs/delete-old-logs.ts';
import { pollTasks } from '#server/work/tasks/poll-tasks.ts';
import { deleteOldTasks } from '#server/work/tasks/delete-old-tasks.ts';
import { buildTask } from '#tests/support/build-task.ts';
import { engines } from '#tests/support/engines.ts';
import { createTaskScene, price, type TaskScene } from '#tests/support/task-scene.ts';

const day = 86_400;

describe.each(engines)('retention of tasks on $kind', (engine) => {
  let scene: TaskScene;
  beforeAll(async () => {
    scene = await createTaskScene(engine);
    await scene.addChannel();
  });
  beforeEach(() => scene.set('LogRetentionDays', '10'));
  afterAll(() => scene[Symbol.asyncDispose]());

  const tasks = () => scene.app.context.db.collection('tasks');
  const daysAgo = (days: number) => Math.floor(scene.app.clock.now() / 1000) - days * day;
  let lastId = 9_000_000;
  async function insert(fields: Partial<Parameters<typeof buildTask>[0]>): Promise<number> {
    lastId += 1;
    await tasks().insert(buildTask({ created_at: daysAgo(11), ...fields, id: lastId }));
    return lastId;
  }
  const isThere = async (id: number) => (await tasks().get(id)) !== null;

  it('older ones of both kinds go, newer ones stay', async () => {
    const old = [
      await insert({}),
      await insert({ platform: 'suno' }),
      await insert({ status: 'FAILURE', charge: 'done', refunded_quota: 5 }),
    ];
    const young = [await insert({ created_at: daysAgo(9) }), await insert({ platform: 'suno', created_at: daysAgo(9) })];
    expect(await deleteOldTasks(scene.app.context)).toBe(old.length);
    for (const id of old) expect(await isThere(id)).toBe(false);
    for (const id of young) expect(await isThere(id)).toBe(true);
  });

  it('none goes of which something is not known yet, and they do not stand before the others', async () => {
    const due = scene.app.clock.now() + 1e9;
    const open: Parameters<typeof insert>[0][] = [
      { running_user_id: 1, status: 'IN_PROGRESS' },
      { poll_at: due },
      { check_at: due },
      { refund_due_at: due, status: 'FAILURE' },
      { charge: 'open' },
    ];
    const stored: number[] = [];
    for (let times = 0; times < 41; times += 1)
      for (const fields of open) stored.push(await insert({ ...fields, created_at: daysAgo(20) }));
    const old = await insert({});
    expect(await deleteOldTasks(scene.app.context)).toBe(1);
    expect(await isThere(old)).toBe(false);
    expect(await tasks().count({ id: { in: stored } })).toBe(stored.length);
    await tasks().remove({ id: { in: stored } });
  });

  it('more than one batch goes in a run', async () => {
    for (let count = 0; count < 450; count += 1) await insert({});
    expect(await deleteOldTasks(scene.app.context)).toBe(450);
  });

  it('0 days keep everything', async () => {
    await scene.set('LogRetentionDays', '0');
    const old = await insert({ created_at: 1 });
    expect(await deleteOldTasks(scene.app.context)).toBe(0);
    expect(await isThere(old)).toBe(true);
  });

  it('what was charged and refunded stays provable, and is refunded once', async () => {
    const customer = await scene.customer();
    const failing = (await customer.imagine()).body.result;
    const lasting = (await customer.imagine()).body.result;
    scene.upstream.report(failing, { status: 'FAILURE', progress: '100%', failReason: 'no' });
    scene.upstream.report(lasting, { status: 'SUCCESS', progress: '100%' });
    scene.later(16);
    await pollTasks(scene.app.context);
    expect(await customer.balance()).toBe(10_000_000 - price);
    scene.later(11 * day);
    await deleteOldTasks(scene.app.context);
    expect(await tasks().count({ user_id: customer.user.id })).toBe(0);
    await pollTasks(scene.app.context);
    await scene.checkBooks();
    await deleteOldLogs(scene.app.context);
    expect(await customer.balance()).toBe(10_000_000 - price);
    const refunds = await scene.app.context.db
      .collection('ledger')
      .find({ kind: 'task_refund', account: 'user', account_id: customer.user.id });
    expect(refunds.map(({ amount, state }) => [amount, state])).toEqual([[price, 'done']]);
    await scene.checkBooks();
  });

  it('is a job, of which one process at a time runs', () => {
    expect(jobs).toContainEqual(expect.objectContaining({ name: 'delete-old-tasks', run: deleteOldTasks }));
  });
});
