// Channels of drawings: another one is tried only if the first has certainly not accepted it, and follow-ups of a drawing go to its channel.
import { describe, expect, it } from 'vitest';
import { ChannelStatus } from '#shared/channels.ts';
import { checkTasks } from '#server/work/tasks/check-tasks.ts';
import { pollTasks } from '#server/work/tasks/poll-tasks.ts';
import { createClock } from '#tests/support/clock.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { startTaskUpstream } from '#tests/support/fake-task-upstream.ts';
import { createTaskScene, price, type TaskScene } from '#tests/support/task-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const start = 10_000_000;
const processes = ({ app }: TaskScene) => app.context.db.collection('processes');

describe.each(oneEngine)('channels of drawings on $kind', (engine) => {
  /** Adds a first channel, tried before the second, which has a separate upstream. */
  async function twoChannels(scene: TaskScene) {
    const second = await startTaskUpstream();
    const firstId = await scene.addChannel({ priority: 10, status_code_mapping: '{"524":"500"}' });
    const secondId = await scene.addChannel({ base_url: second.url, key: 'second-key' });
    return { second, firstId, secondId };
  }

  it.each([
    ['is full', { body: { code: 23, description: 'queue full' } }],
    ['has no account', { body: { code: 3, description: 'no account' } }],
    ['is busy', { status: 429, body: {} }],
    ['is broken', { status: 500, body: {} }],
    ['refuses the key', { status: 401, body: { message: 'no' } }],
  ])('the next is asked when the first %s', async (_why, answer) => {
    await using scene = await createTaskScene(engine);
    const { second, secondId } = await twoChannels(scene);
    await using _ = second;
    const customer = await scene.customer();
    scene.upstream.refuse(answer);
    expect((await customer.imagine()).body).toMatchObject({ code: 1, result: second.taken[0] });
    expect(second.visits[0]?.headers['mj-api-secret']).toBe('second-key');
    expect(await scene.task(customer)).toMatchObject({ channel_id: secondId, quota: price });
    const [row] = await scene.app.context.db.collection('logs').find({ user_id: customer.user.id, type: 2 });
    expect(row).toMatchObject({ channel_id: secondId, other: { attempts: [{}, { channel: secondId, status: 200 }] } });
    expect(await customer.balance()).toBe(start - price);
    await scene.checkBooks();
  });

  it.each([
    ['says what cannot be read', { text: 'what?' }],
    ['breaks off', 'cut' as const],
    ['took too long in front of it', { status: 504, body: {} }],
    ['took too long, which its channel calls a fault', { status: 524, body: {} }],
    ['has taken it without a word', { status: 202, body: {} }],
    ['refuses the prompt', { body: { code: 24, description: 'banned' } }],
    ['refuses the request', { status: 400, body: { message: 'bad' } }],
  ])('no other is asked when the first %s: it may have taken it, or nobody will', async (_why, answer) => {
    await using scene = await createTaskScene(engine);
    const { second } = await twoChannels(scene);
    await using _ = second;
    const customer = await scene.customer();
    scene.upstream.refuse(answer);
    expect((await customer.imagine()).body.code).not.toBe(1);
    expect(second.visits).toEqual([]);
    expect(await customer.balance()).toBe(start);
  });

  it('channels of other kinds that list the model are passed over, and pinned ones must be of the kind', async () => {
    await using scene = await createTaskScene(engine);
    await scene.addChannel({ type: 1, priority: 50 });
    const customer = await scene.customer();
    expect(await customer.imagine()).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } });
    const id = await scene.addChannel({ type: 5 });
    expect((await customer.imagine()).status).toBe(200);
    expect((await scene.task(customer)).channel_id).toBe(id);
    await scene.app.context.db.collection('channels').patch({ id }, { set: { status: 2 } });
    await scene.app.context.channels.reload();
    expect(await customer.imagine()).toMatchObject({ status: 503, body: { error: { code: 'no_channel' } } });
  });

  it('one without an account is taken out of use, where that is switched on', async () => {
    await using scene = await createTaskScene(engine);
    const id = await scene.addChannel();
    await scene.set('AutomaticDisableChannelEnabled', 'true');
    const customer = await scene.customer();
    scene.upstream.refuse({ body: { code: 3, description: 'no account' } });
    expect((await customer.imagine()).body).toMatchObject({ code: 3 });
    const disabled = async () => (await scene.app.context.db.collection('channels').get(id))?.status === ChannelStatus.disabledBySystem;
    await until(disabled);
  });

  it('what follows goes to the channel of the drawing, once that is done, and only for its owner', async () => {
    await using scene = await createTaskScene(engine);
    const origin = await scene.addChannel({ key: 'origin-key' });
    const [customer, other] = [await scene.customer(), await scene.customer()];
    const { result: id } = (await customer.imagine()).body;
    await scene.addChannel({ priority: 99, key: 'better-key' });
    const change = { taskId: id, action: 'UPSCALE', index: 2 };
    expect((await customer.post('/mj/submit/change', change)).body).toMatchObject({ description: 'task_status_not_success', code: 4 });
    await scene.set('MjActionCheckSuccessEnabled', 'false');
    expect((await customer.post('/mj/submit/change', change)).status).toBe(200);
    await scene.set('MjActionCheckSuccessEnabled', 'true');
    scene.upstream.report(id, { status: 'SUCCESS', progress: '100%' });
    scene.later(16);
    await pollTasks(scene.app.context);
    for (const [path, body, action] of [
      ['change', change, 'UPSCALE'],
      ['simple-change', { content: `${id} V3` }, 'VARIATION'],
      ['simple-change', { content: `${id} R` }, 'REROLL'],
      ['action', { taskId: id, customId: 'MJ::JOB::upsample::1::x' }, 'UPSCALE'],
    ] as const) {
      expect((await customer.post(`/mj/submit/${path}`, body)).status, path).toBe(200);
      expect(scene.upstream.visits.at(-1)).toMatchObject({ path: `/mj/submit/${path}`, headers: { 'mj-api-secret': 'origin-key' }, body });
      expect(await scene.task(customer)).toMatchObject({ action, channel_id: origin, prompt: 'a harbour at dawn' });
    }
    expect((await other.post('/mj/submit/change', change)).body).toMatchObject({ description: 'task_not_found' });
    await scene.app.context.db.collection('channels').patch({ id: origin }, { set: { status: 2 } });
    await scene.app.context.channels.reload();
    expect((await customer.post('/mj/submit/change', change)).body).toMatchObject({ description: '该任务所属渠道已被禁用' });
    await scene.app.context.db.collection('channels').remove({ id: origin });
    await scene.app.context.channels.reload();
    expect((await customer.post('/mj/submit/change', change)).body).toMatchObject({ description: 'get_channel_info_failed' });
    await scene.checkBooks();
  });

  it('uploads are done at once, face swaps have a price and a path of their own', async () => {
    await using scene = await createTaskScene(engine);
    await scene.addChannel({ type: 5 });
    const customer = await scene.customer();
    scene.upstream.refuse({ body: { code: 1, description: 'ok', result: ['https://cdn.example/1.png'] } });
    const upload = await customer.post('/mj/submit/upload-discord-images', { base64Array: ['x'] });
    expect(upload.body).toEqual({ code: 1, description: 'ok', result: ['https://cdn.example/1.png'] });
    expect(await scene.task(customer)).toMatchObject({ action: 'UPLOAD', status: 'SUCCESS', progress: '100%', quota: price / 2 });
    await customer.post('/mj/insight-face/swap', { sourceBase64: 'x', targetBase64: 'y' });
    expect(scene.upstream.visits.at(-1)).toMatchObject({ path: '/mj/insight-face/swap', body: { sourceBase64: 'x', targetBase64: 'y' } });
    expect(await scene.task(customer)).toMatchObject({ action: 'SWAP_FACE', model: 'swap_face', prompt: 'InsightFace', quota: price / 2 });
    expect(await customer.balance()).toBe(start - price);
    await scene.checkBooks();
  });

  it('a submission that is under way is not given up by a process whose clock is ahead, and is charged', async () => {
    await using scene = await createTaskScene(engine);
    await using second = await createTestApp(engine, { database: scene.app.database, clock: createClock() });
    second.clock.advance(25 * 60_000);
    await scene.addChannel();
    const customer = await scene.customer();
    const hold = scene.upstream.hold();
    const submitting = customer.imagine();
    await hold.arrived;
    const before = await scene.task(customer);
    // It is checked again, also after the two have run for a while.
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await checkTasks(second.context)).toBe(1);
      expect(await scene.task(customer)).toEqual({ ...before, check_at: expect.any(Number) });
      second.clock.advance(60_000);
    }
    hold.release();
    expect((await submitting).status).toBe(200);
    const task = await scene.task(customer);
    expect(task).toMatchObject({ charge: 'done', quota: price });
    expect(task.check_at).toBeUndefined();
    expect(await customer.balance()).toBe(start - price);
    await scene.checkBooks();
  });

  it('a submission of a process that has died is given up by any other, and costs nothing', async () => {
    await using scene = await createTaskScene(engine);
    await using second = await createTestApp(engine, { database: scene.app.database, clock: createClock() });
    await scene.addChannel();
    const customer = await scene.customer();
    const hold = scene.upstream.hold();
    const submitting = customer.imagine();
    await hold.arrived;
    const { process } = await scene.task(customer);
    await processes(scene).patch({ id: process, state: 'alive' }, { set: { heartbeat_at: 0 } });
    await second.context.ledger.recoverCrashed();
    await checkTasks(second.context);
    expect((await scene.task(customer)).status).toBe('');
    second.clock.advance(601_000);
    await checkTasks(second.context);
    expect(await scene.task(customer)).toMatchObject({ status: 'FAILURE', charge: 'none', quota: 0 });
    hold.release();
    expect((await submitting).status).toBe(504);
    expect(await customer.balance()).toBe(start);
    await scene.checkBooks();
  });

  it('a submission that no process ended fails after a while and costs nothing', async () => {
    await using scene = await createTaskScene(engine);
    await scene.addChannel();
    const customer = await scene.customer();
    const hold = scene.upstream.hold();
    const submitting = customer.imagine();
    await hold.arrived;
    expect(await scene.task(customer)).toMatchObject({ status: '', charge: 'none', quota: 0 });
    scene.later(599);
    await checkTasks(scene.app.context);
    expect((await scene.task(customer)).status).toBe('');
    scene.later(2);
    // Its process, which lives, says so too.
    const { process, submit_time: since } = await scene.task(customer);
    await until(async () => ((await processes(scene).get(process))?.heartbeat_at ?? 0) - since > 600_000);
    await checkTasks(scene.app.context);
    expect(await scene.task(customer)).toMatchObject({ status: 'FAILURE', fail_reason: '提交被中断，未扣费' });
    // It was only slow: what has been given up is not charged.
    hold.release();
    expect((await submitting).status).toBe(504);
    expect(await customer.balance()).toBe(start);
    await scene.checkBooks();
  });
});
