// Music as clients of a Suno API request it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollTasks } from '#server/work/tasks/poll-tasks.ts';
import { engines } from '#tests/support/engines.ts';
import { createTaskScene, price, type TaskScene } from '#tests/support/task-scene.ts';

const start = 10_000_000;

describe.each(engines)('music on $kind', (engine) => {
  let scene: TaskScene;
  let channelId: number;
  beforeAll(async () => {
    scene = await createTaskScene(engine);
    channelId = await scene.addChannel({ type: 36, key: 'suno-key' });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  async function poll(): Promise<void> {
    scene.later(16);
    await pollTasks(scene.app.context);
  }

  it('goes upstream with the fields that it has, and is charged when it is taken', async () => {
    const customer = await scene.customer();
    const answer = await customer.music({ tags: 'pop', unknown: 1 });
    expect(answer).toMatchObject({ status: 200, body: { code: 'success', message: '', data: scene.upstream.taken.at(-1) } });
    const visit = scene.upstream.visits.at(-1);
    expect(visit).toMatchObject({ method: 'POST', path: '/suno/submit/MUSIC', headers: { authorization: 'Bearer suno-key' } });
    expect(visit?.body).toEqual({ prompt: '[Verse] tide', mv: 'chirp-v3-0', title: 'Tide', tags: 'pop', make_instrumental: false });
    expect(await customer.balance()).toBe(start - price);
    expect(await scene.task(customer)).toMatchObject({ platform: 'suno', action: 'MUSIC', channel_id: channelId, status: 'NOT_START' });
    await customer.post('/suno/submit/LYRICS', { prompt: 'a song of tides' });
    expect(scene.upstream.visits.at(-1)?.body).toEqual({ prompt: 'a song of tides', make_instrumental: false });
    expect(await customer.balance()).toBe(start - price - price / 10);
    await scene.checkBooks();
  });

  it('is told to its owner in seconds, with what came of it, and to nobody else', async () => {
    const [customer, other] = [await scene.customer(), await scene.customer()];
    const { data: id } = (await customer.music()).body;
    const clips = [{ id: 'c1', title: 'Tide', audio_url: 'https://cdn.example/c1.mp3', metadata: { tags: 'pop' } }];
    scene.upstream.report(id, { status: 'IN_PROGRESS', progress: '30%', start_time: 1_768_464_000 });
    await poll();
    expect((await customer.get(`/suno/fetch/${id}`)).body.data).toMatchObject({ status: 'IN_PROGRESS', progress: '30%', data: null });
    scene.upstream.report(id, { status: 'SUCCESS', finish_time: 1_768_464_100, data: clips });
    await poll();
    const { body } = await customer.get(`/suno/fetch/${id}`);
    expect(body).toEqual({
      code: 'success',
      message: '',
      data: {
        task_id: id,
        action: 'MUSIC',
        status: 'SUCCESS',
        fail_reason: '',
        submit_time: expect.any(Number),
        start_time: 1_768_464_000,
        finish_time: 1_768_464_100,
        progress: '100%',
        data: clips,
      },
    });
    expect((await customer.post('/suno/fetch', { ids: [id, 'other'] })).body).toEqual({ ...body, data: [body.data] });
    expect((await customer.post('/suno/fetch', { ids: [id], action: 'lyrics' })).body.data).toEqual([]);
    expect((await other.post('/suno/fetch', { ids: [id] })).body).toEqual({ code: 'success', message: '', data: [] });
    expect(await other.get(`/suno/fetch/${id}`)).toMatchObject({
      status: 400,
      body: { code: 'task_not_exist', message: 'task_not_exist', data: null },
    });
    const listed = await (await scene.app.as(customer.user)).get('/api/task/self');
    expect(listed.data[0]).toMatchObject({ task_id: id, status: 'SUCCESS', data: clips, quota: price });
  });

  it('that fails is given back once', async () => {
    const customer = await scene.customer({ token: { quota: 100_000 } });
    const { data: id } = (await customer.music()).body;
    scene.upstream.report(id, { status: 'FAILURE', fail_reason: 'too short' });
    await Promise.all([poll(), pollTasks(scene.app.context)]);
    await poll();
    expect(await customer.balance()).toBe(start);
    expect(await scene.task(customer)).toMatchObject({ status: 'FAILURE', fail_reason: 'too short', refunded_quota: price });
    const rows = await scene.app.context.db.collection('logs').find({ user_id: customer.user.id, type: 4 });
    expect(rows.map(({ content }) => content)).toEqual([`异步任务执行失败 ${id}，补偿 ＄0.100000 额度`]);
    await scene.checkBooks();
  });

  it('is asked about until it is done, whatever the upstream answers in between', async () => {
    const customer = await scene.customer();
    const { data: id } = (await customer.music()).body;
    scene.upstream.misanswer(
      { body: { code: 'success', data: [null, 7, { task_id: 'unknown', status: 'FAILURE' }, { status: 'FAILURE' }] } },
      { body: { code: 'failed', message: 'no', data: null } },
      { body: { code: 'success', data: [{ task_id: id, status: 'SOMETHING NEW', progress: 'half' }] } },
    );
    for (let time = 0; time < 3; time += 1) await poll();
    expect(await scene.task(customer)).toMatchObject({ status: 'NOT_START', progress: '0%' });
    scene.upstream.report(id, { status: 'QUEUED' });
    await poll();
    expect(await scene.task(customer)).toMatchObject({ status: 'QUEUED' });
    expect(await customer.balance()).toBe(start - price);
  });

  it.each([
    ['lyrics', {}, 'prompt_empty'],
    ['dance', { prompt: 'x' }, 'invalid_action'],
    ['music', { continue_clip_id: 'c1' }, 'task id is empty'],
    ['music', { prompt: { $gt: '' } }, 'prompt must be a text'],
    ['music', { continue_at: 'soon' }, 'continue_at must be a number'],
    ['music', '[]', /JSON/],
    ['music', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`, /100/],
  ])('%s of %j is refused', async (action, body, message) => {
    const customer = await scene.customer();
    const answer = await customer.post(`/suno/submit/${action}`, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', data: null } });
    expect(answer.body.message).toMatch(message);
    expect(await scene.app.context.db.collection('tasks').count({ user_id: customer.user.id })).toBe(0);
  });

  it('is refused where the balance does not cover it, and passes on what the upstream refuses', async () => {
    const poor = await scene.customer({ quota: price - 1 });
    const refusal = { code: 'quota_not_enough', message: 'user quota is not enough', data: null };
    expect(await poor.music()).toMatchObject({ status: 403, body: refusal });
    const customer = await scene.customer();
    scene.upstream.refuse({ body: { code: 'sensitive', message: 'not that', data: null } });
    expect(await customer.music()).toMatchObject({ status: 500, body: { code: 'sensitive', message: 'not that', data: null } });
    scene.upstream.refuse({ body: { code: 'insufficient_quota', message: 'the account of the operator is empty', data: null } });
    expect(await customer.music()).toMatchObject({ status: 502, body: { code: 'channel_refused', message: '上游服务商拒绝了该渠道' } });
    scene.upstream.refuse({ status: 429, body: {} });
    expect(await customer.music()).toMatchObject({
      status: 429,
      body: { code: 'fail_to_fetch_task', message: '当前分组上游负载已饱和，请稍后再试' },
    });
    await scene.set('TaskEnabled', 'false');
    expect(await customer.music()).toMatchObject({ status: 403, body: { error: { code: 'tasks_disabled' } } });
    await scene.set('TaskEnabled', 'true');
    expect(await customer.balance()).toBe(start);
  });

  it('that goes on from a clip goes to its channel with its key, and only for its owner', async () => {
    const [customer, other] = [await scene.customer(), await scene.customer()];
    const { data: id } = (await customer.music()).body;
    const better = await scene.addChannel({ type: 36, key: 'better-key', priority: 99 });
    const fields = { continue_clip_id: 'c1', task_id: id, continue_at: 30 };
    expect((await customer.music(fields)).status).toBe(200);
    expect(scene.upstream.visits.at(-1)).toMatchObject({ headers: { authorization: 'Bearer suno-key' }, body: fields });
    expect(await other.music(fields)).toMatchObject({ status: 400, body: { code: 'task_not_exist', message: 'task_origin_not_exist' } });
    await scene.app.context.db.collection('channels').remove({ id: better });
    await scene.app.context.channels.reload();
  });
});
