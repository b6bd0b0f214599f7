// A task that fails costs nothing: its price is refunded once, whichever source reports the failure and however often.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Role } from '#shared/roles.ts';
import { foldLog } from '#server/logs/fold-log.ts';
import { checkTasks } from '#server/work/tasks/check-tasks.ts';
import { pollTasks } from '#server/work/tasks/poll-tasks.ts';
import { finishRefunds } from '#server/work/tasks/refund-task.ts';
import { sweepDeletedChannels } from '#server/exchange/deleted-channels.ts';
import { engines } from '#tests/support/engines.ts';
import { createTaskScene, type Customer, price, type TaskScene } from '#tests/support/task-scene.ts';
import { until } from '#tests/support/until.ts';

describe.each(engines)('refunds of drawings on $kind', (engine) => {
  let scene: TaskScene;
  let channelId: number;
  beforeAll(async () => {
    scene = await createTaskScene(engine);
    channelId = await scene.addChannel();
    await scene.set('MjNotifyEnabled', 'true');
    await scene.set('ServerAddress', 'https://gate.example');
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const start = 10_000_000;

  async function submitted(customer: Customer): Promise<{ id: string; hook: string }> {
    const { body } = await customer.imagine();
    expect(body).toMatchObject({ code: 1 });
    const hook = String(scene.upstream.visits.at(-1)?.body['notifyHook']).replace('https://gate.example', scene.app.origin);
    return { id: body.result, hook };
  }

  const notify = (hook: string, body: unknown) =>
    fetch(hook, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

  async function poll(): Promise<void> {
    scene.later(16);
    await pollTasks(scene.app.context);
  }

  async function expectRefunded(customer: Customer, id: string): Promise<void> {
    const { db } = scene.app.context;
    expect(await customer.balance()).toBe(start);
    const task = await scene.task(customer);
    expect(task).toMatchObject({ status: 'FAILURE', progress: '100%', quota: price, refunded_quota: price });
    expect(task).not.toHaveProperty('refund_due_at');
    expect(await db.collection('users').get(customer.user.id)).toMatchObject({ used_quota: 0 });
    const rows = await db.collection('logs').find({ user_id: customer.user.id, type: 4 });
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      request_id: expect.stringMatching(/^\d{20}/),
      content: `构图失败 ${id}，补偿 ＄0.100000 额度`,
      other: { event: { code: 'task_refunded', amount: price, task_id: id } },
    });
    expect(await db.collection('ledger').count({ kind: 'task_refund', account: 'user', account_id: customer.user.id })).toBe(1);
    await scene.checkBooks();
  }

  it('give back what user and key have paid and used, and say so', async () => {
    const customer = await scene.customer({ token: { quota: 300_000 } });
    const { id } = await submitted(customer);
    scene.upstream.report(id, { status: 'FAILURE', progress: '30%', failReason: 'the moderator said no' });
    await poll();
    await expectRefunded(customer, id);
    expect(await scene.task(customer)).toMatchObject({ fail_reason: 'the moderator said no' });
    const { db } = scene.app.context;
    const token = await db.collection('tokens').get(customer.tokenId);
    expect(token).toMatchObject({ used_quota: 0, charged_quota: 0 });
    expect((token?.remain_quota ?? 0) + Object.values(token?.leases ?? {}).reduce((sum, lease) => sum + lease, 0)).toBe(300_000);
    await poll();
    await finishRefunds(scene.app.context);
    await expectRefunded(customer, id);
    const owner = await scene.app.as(customer.user);
    const own = await owner.get('/api/mj/self');
    expect(own.data[0]).toMatchObject({ quota: price, refunded_quota: price, status: 'FAILURE' });
    const { data } = await owner.get('/api/user/topup/history?kind=refund');
    expect(data.items).toMatchObject([{ kind: 'refund', amount: price }]);
    expect((await owner.get('/api/user/topup/history?kind=other')).data.items).not.toContainEqual(
      expect.objectContaining({ amount: price }),
    );
  });

  it('lower what dashboard and log say was used, in the hour of the refund, before and after it is folded', async () => {
    const { context } = scene.app;
    const customer = await scene.customer({ token: { quota: 300_000 } });
    const other = await scene.customer();
    const begin = Math.floor(context.now() / 1000);
    const { id } = await submitted(customer);
    scene.upstream.report((await submitted(other)).id, { status: 'SUCCESS', progress: '100%', imageUrl: 'https://cdn.example/1.png' });
    await poll();
    scene.later(2 * 3600);
    await foldLog(context);
    scene.upstream.report(id, { status: 'FAILURE', progress: '30%', failReason: 'no' });
    await poll();
    await expectRefunded(customer, id);

    const controller = await scene.app.createUser({ username: 'controller', role: Role.admin });
    const expectOneStory = async (when: string) => {
      const own = await scene.app.as(customer.user);
      const admin = await scene.app.as(controller);
      const question = `start_timestamp=${begin - 3600}&step=hour`;
      for (const [client, path] of [
        [own, '/api/data/self/figures?'],
        [admin, `/api/data/figures?username=${customer.user.username}&`],
      ] as const) {
        for (const by of path.includes('self') ? ['model', 'token'] : ['model', 'channel', 'token']) {
          const { data } = await client.get(`${path}${question}&by=${by}`);
          const quotas = data.whole.map((sums: { quota: number }) => sums.quota).filter((quota: number) => quota !== 0);
          expect(quotas, `${when} by ${by}`).toEqual([price, -price]);
          // Under the name of the charge, which is still one call.
          expect(data.totals, `${when} by ${by}`).toMatchObject([{ sums: { calls: 1, errors: 0, quota: 0 } }]);
        }
      }
      for (const filter of ['', '&result=success', '&token_name=' + (await tokenName(customer))])
        expect((await own.get(`/api/log/self/stat?start_timestamp=${begin - 3600}${filter}`)).data.quota, `${when} ${filter}`).toBe(0);
      expect((await own.get(`/api/log/self/stat?start_timestamp=${begin + 5400}`)).data.quota, when).toBe(-price);
      expect((await (await scene.app.as(other.user)).get('/api/log/self/stat')).data.quota, when).toBe(price);
      // Everybody: what users have used by their accounts.
      const used = await context.db.collection('users').group({ by: [], sum: { used: 'used_quota' } });
      expect((await admin.get('/api/log/stat')).data.quota, when).toBe(used[0]?.['used']);
    };
    await expectOneStory('live');
    scene.later(3 * 3600);
    await foldLog(context);
    await foldLog(context);
    await expectOneStory('folded');
    scene.later(24 * 3600);
    await foldLog(context);
    await foldLog(context);
    await expectOneStory('folded by the day');
  });

  it('of a charge that is not listed are not listed either', async () => {
    await scene.set('LogConsumeEnabled', 'false');
    const customer = await scene.customer();
    const { id } = await submitted(customer);
    await scene.set('LogConsumeEnabled', 'true');
    scene.upstream.report(id, { status: 'FAILURE', progress: '30%', failReason: 'no' });
    await poll();
    await expectRefunded(customer, id);
    const own = await scene.app.as(customer.user);
    expect((await own.get('/api/log/self/stat')).data.quota).toBe(0);
    const { data } = await own.get(`/api/data/self/figures?start_timestamp=${Math.floor(scene.app.context.now() / 1000) - 7200}&step=hour`);
    expect(data.whole.map((sums: { quota: number }) => sums.quota).filter((quota: number) => quota !== 0)).toEqual([]);
  });

  async function tokenName(customer: Customer): Promise<string> {
    return (await scene.app.context.db.collection('tokens').get(customer.tokenId))?.name ?? '';
  }

  it('come once when questions and calls back tell of the same failure at the same time, on two servers', async () => {
    const { createTestApp } = await import('#tests/support/test-app.ts');
    await using other = await createTestApp(engine, { database: scene.app.database, clock: scene.app.clock });
    const customer = await scene.customer();
    const { id, hook } = await submitted(customer);
    const failure = { id, status: 'FAILURE', progress: '100%', failReason: 'no' };
    scene.upstream.report(id, failure);
    scene.later(16);
    const otherHook = hook.replace(scene.app.origin, other.origin);
    const reported = [hook, otherHook, hook, otherHook].map((address) => notify(address, failure));
    const [answers] = await Promise.all([Promise.all(reported), pollTasks(scene.app.context), pollTasks(other.context)]);
    for (const { status } of answers) expect(status).toBe(200);
    await expectRefunded(customer, id);
  });

  it('do not come for what succeeded first, whatever is told later', async () => {
    const customer = await scene.customer();
    const { id, hook } = await submitted(customer);
    expect((await notify(hook, { id, status: 'SUCCESS', progress: '100%', imageUrl: 'https://cdn.example/x.png' })).status).toBe(200);
    await notify(hook, { id, status: 'FAILURE', failReason: 'no' });
    scene.upstream.report(id, { status: 'FAILURE', failReason: 'no' });
    await poll();
    expect(await scene.task(customer)).toMatchObject({ status: 'SUCCESS', refunded_quota: 0, fail_reason: '' });
    expect(await customer.balance()).toBe(start - price);
  });

  it('are not had by calling back for another task, without its secret, or with nonsense', async () => {
    const [customer, victim] = [await scene.customer(), await scene.customer()];
    const own = await submitted(customer);
    const foreign = await submitted(victim);
    const failure = { status: 'FAILURE', failReason: 'no' };
    // The secret of one task, the name of another: in the address, in the body.
    const task = await scene.task(victim);
    const crossed = own.hook.replace(/notify\/\d+/, `notify/${task.id}`);
    const refused = { description: 'midjourney_task_not_found', type: 'upstream_error', code: 4 };
    for (const [address, body] of [
      [crossed, { id: foreign.id, ...failure }],
      [own.hook, { id: foreign.id, ...failure }],
      [own.hook.replace(/.$/, '_'), { id: own.id, ...failure }],
      [`${scene.app.origin}/mj/notify/999999/${'x'.repeat(43)}`, { id: own.id, ...failure }],
      [`${scene.app.origin}/mj/notify`, { id: own.id, ...failure }],
    ] as const) {
      const answer = await notify(address, body);
      expect(answer.status, address).toBe(400);
      expect(await answer.json()).toEqual(refused);
    }
    for (const body of [[], 'text', { id: {} }, null]) expect((await notify(own.hook, body)).status).toBe(400);
    for (const who of [customer, victim]) {
      expect(await who.balance()).toBe(start - price);
      expect((await scene.task(who)).status).toBe('');
    }
  });

  it('come when the upstream does not know the task any more, or never ends it, after an hour', async () => {
    const [lost, endless] = [await scene.customer(), await scene.customer()];
    const [{ id: lostId }, { id: endlessId }] = [await submitted(lost), await submitted(endless)];
    scene.upstream.report(lostId, null);
    scene.upstream.report(endlessId, { status: 'IN_PROGRESS', progress: '99%' });
    scene.later(3580);
    await pollTasks(scene.app.context);
    for (const who of [lost, endless]) expect(await who.balance()).toBe(start - price);
    scene.later(30);
    await pollTasks(scene.app.context);
    await expectRefunded(lost, lostId);
    await expectRefunded(endless, endlessId);
    expect(await scene.task(lost)).toMatchObject({
      fail_reason: '上游任务超时（超过1小时）',
      fail_cause: { code: 'task_timeout', facts: { hours: 1 } },
    });
    const owner = await scene.app.as(lost.user);
    const read = async (language: string) =>
      (await owner.get('/api/mj/self', { headers: { 'accept-language': language } })).data[0]?.fail_reason;
    expect([await read('en'), await read('zh')]).toEqual(['The upstream did not finish within 1 h', '上游任务超时（超过1小时）']);
  });

  it('do not come because a channel is disabled or does not answer, but when it is deleted', async () => {
    const customer = await scene.customer();
    const other = await scene.addChannel({ priority: 9 });
    const { id } = await submitted(customer);
    const { context } = scene.app;
    await context.db.collection('channels').patch({ id: other }, { set: { status: 2 } });
    await context.channels.reload();
    scene.upstream.misanswer({ status: 502, body: {} }, { text: 'nothing' }, 'cut', { body: { code: 1 } });
    for (let time = 0; time < 4; time += 1) await poll();
    scene.upstream.report(id, { status: 'IN_PROGRESS', progress: '50%' });
    await poll();
    expect(await scene.task(customer)).toMatchObject({ status: 'IN_PROGRESS', progress: '50%', channel_id: other });
    expect(await customer.balance()).toBe(start - price);
    const admin = await scene.app.as(await scene.app.createUser({ role: Role.admin }));
    await admin.delete(`/api/channel/${other}`);
    // While the deletion can be undone the task does not count as lost.
    await poll();
    expect(await scene.task(customer)).toMatchObject({ status: 'IN_PROGRESS' });
    expect(await customer.balance()).toBe(start - price);
    expect(await admin.post('/api/channel/restore', { ids: [other] })).toMatchObject({ data: 1 });
    scene.upstream.report(id, { status: 'IN_PROGRESS', progress: '70%' });
    await poll();
    expect(await scene.task(customer)).toMatchObject({ status: 'IN_PROGRESS', progress: '70%' });

    await admin.delete(`/api/channel/${other}`);
    scene.later(61);
    await sweepDeletedChannels(context);
    await poll();
    await expectRefunded(customer, id);
    expect((await scene.task(customer)).fail_reason).toBe(`获取渠道信息失败，请联系管理员，渠道ID：${other}`);
  });

  it('of what was never charged are none: refused, free, or charged before', async () => {
    const customer = await scene.customer();
    const { id } = await submitted(customer);
    scene.upstream.report(id, { status: 'SUCCESS', progress: '100%' });
    await poll();
    scene.upstream.refuse({ body: { code: 21, description: 'waits', result: `wait-${id}`, properties: {} } });
    const inpaint = await customer.post('/mj/submit/action', { taskId: id, customId: 'MJ::Inpaint::1::x::SOLO' });
    expect(inpaint.body).toMatchObject({ code: 21, result: `wait-${id}` });
    expect(await customer.balance()).toBe(start - price);
    // Its follow-up has the same id, and its own price.
    scene.upstream.refuse({ body: { code: 1, description: 'ok', result: `wait-${id}`, properties: {} } });
    scene.upstream.report(`wait-${id}`, { status: 'MODAL' });
    expect((await customer.post('/mj/submit/modal', { taskId: `wait-${id}`, prompt: 'a lamp', maskBase64: 'x' })).status).toBe(200);
    expect(await customer.balance()).toBe(start - 2 * price);
    scene.upstream.report(`wait-${id}`, { status: 'FAILURE', failReason: 'no' });
    await poll();
    expect(await customer.balance()).toBe(start - price);
    await scene.checkBooks();
  });

  it('are not needed where nobody was charged: what was made is not delivered free', async () => {
    const customer = await scene.customer();
    const { id } = await submitted(customer);
    const { db } = scene.app.context;
    const { id: task } = await scene.task(customer);
    // As if the process had ended right before the log row.
    await db
      .collection('tasks')
      .patch({ id: task }, { set: { charge: 'open', process: scene.app.context.ledger.processId, request_id: 'no-row' } });
    scene.upstream.report(id, { status: 'SUCCESS', progress: '100%', imageUrl: 'https://pictures.example/1.png' });
    await poll();
    // It may be charged yet.
    expect(await scene.task(customer)).toMatchObject({ charge: 'open', poll_at: expect.any(Number) });
    await db.collection('tasks').patch({ id: task }, { set: { process: 'p-gone' } });
    await poll();
    expect(await scene.task(customer)).toMatchObject({ status: 'FAILURE', charge: 'none', quota: 0, image_url: '' });
    await checkTasks(scene.app.context);
    const reported = await db.collection('logs').find({ user_id: customer.user.id, type: 4 });
    expect(reported).toMatchObject([{ channel_id: channelId, other: { event: { code: 'task_lost' } } }]);
    for (const field of ['check_at', 'poll_at', 'running_user_id', 'lost_log_id'])
      expect(await scene.task(customer)).not.toHaveProperty(field);
  });

  it('buy nothing that goes on by modal afterwards', async () => {
    const customer = await scene.customer();
    const { id } = await submitted(customer);
    scene.upstream.report(id, { status: 'FAILURE', failReason: 'no' });
    await poll();
    expect(await customer.balance()).toBe(start);
    const known = scene.upstream.visits.length;
    const refused = await customer.post('/mj/submit/modal', { taskId: id, prompt: 'a lamp', maskBase64: 'x' });
    expect(refused.body).toMatchObject({ description: expect.stringContaining('task_status_not_success') });
    expect(scene.upstream.visits.slice(known).some(({ path }) => path.includes('modal'))).toBe(false);
    expect(await customer.balance()).toBe(start);
    await scene.checkBooks();
  });

  it('leave the name of what failed to what goes on under it, which is charged', async () => {
    const customer = await scene.customer();
    const { id } = await submitted(customer);
    scene.upstream.report(id, { status: 'SUCCESS', progress: '100%' });
    await poll();
    const name = `again-${id}`;
    scene.upstream.refuse({ body: { code: 21, description: 'waits', result: name, properties: {} } });
    await customer.post('/mj/submit/action', { taskId: id, customId: 'MJ::Inpaint::1::x::SOLO' });
    const goOn = async () => {
      scene.upstream.refuse({ body: { code: 1, description: 'ok', result: name, properties: {} } });
      return customer.post('/mj/submit/modal', { taskId: name, prompt: 'a lamp', maskBase64: 'x' });
    };
    expect((await goOn()).status).toBe(200);
    scene.upstream.report(name, { status: 'FAILURE', failReason: 'no' });
    await poll();
    expect(await customer.balance()).toBe(start - price);
    expect((await goOn()).status).toBe(200);
    expect(await customer.balance()).toBe(start - 2 * price);
    scene.upstream.report(name, { status: 'SUCCESS', progress: '100%' });
    await poll();
    expect(await scene.task(customer)).toMatchObject({ action: 'MODAL', status: 'SUCCESS', charge: 'done' });
    expect(await customer.balance()).toBe(start - 2 * price);
    await scene.checkBooks();
  });

  it('stay due while the ledger cannot give them, and come later', async () => {
    const customer = await scene.customer();
    const { id } = await submitted(customer);
    const task = await scene.task(customer);
    // As if the process had ended right after the change that decides.
    await scene.app.context.db.collection('tasks').patch(
      { id: task.id },
      {
        set: {
          status: 'FAILURE',
          progress: '100%',
          refund_due_at: scene.app.context.now(),
          refund_log_id: await scene.app.context.db.nextId('logs'),
        },
        unset: ['running_user_id', 'poll_at'],
      },
    );
    await finishRefunds(scene.app.context);
    expect(await customer.balance()).toBe(start - price);
    scene.later(11);
    await Promise.all([finishRefunds(scene.app.context), finishRefunds(scene.app.context)]);
    await expectRefunded(customer, id);
  });

  it('come for a submission whose process ended between the log row and the note of it', async () => {
    const customer = await scene.customer();
    const { id } = await submitted(customer);
    const { db } = scene.app.context;
    const task = await scene.task(customer);
    await db.collection('tasks').patch({ id: task.id }, { set: { charge: 'open', process: 'p-gone', check_at: 1 } });
    // The next heartbeat of the process that wrote the row decides whether it counts.
    await until(async () => {
      await db.collection('tasks').patch({ id: task.id, charge: 'open' }, { set: { check_at: 1 } });
      await checkTasks(scene.app.context);
      return (await scene.task(customer)).charge === 'done';
    });
    expect(await scene.task(customer)).toMatchObject({ charge: 'done', quota: price });
    scene.upstream.report(id, { status: 'FAILURE', failReason: 'no' });
    await poll();
    await expectRefunded(customer, id);
    expect(channelId).toBeGreaterThan(0);
  });
});
