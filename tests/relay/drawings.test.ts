// Drawings as clients of a Midjourney proxy request them: the upstream request, the response, the cost.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollTasks } from '#server/work/tasks/poll-tasks.ts';
import { engines } from '#tests/support/engines.ts';
import { createTaskScene, price, type TaskScene } from '#tests/support/task-scene.ts';

describe.each(engines)('drawings on $kind', (engine) => {
  let scene: TaskScene;
  let channelId: number;
  beforeAll(async () => {
    scene = await createTaskScene(engine);
    channelId = await scene.addChannel();
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const lastVisit = () => scene.upstream.visits.at(-1);

  it('are charged when they are taken, from user and key, and told in the log', async () => {
    const customer = await scene.customer({ token: { quota: 200_000 } });
    const answer = await customer.imagine();
    expect(answer).toMatchObject({ status: 200, body: { code: 1, description: 'Submit success', properties: {} } });
    const id = answer.body.result;
    expect(await customer.balance()).toBe(10_000_000 - price);
    const { db } = scene.app.context;
    const [row] = await db.collection('logs').find({ user_id: customer.user.id, type: 2 });
    expect(row).toMatchObject({
      quota: price,
      token_quota: price,
      model_name: 'mj_imagine',
      channel_id: channelId,
      other: { model_price: 0.1, group_ratio: 1, task: { action: 'IMAGINE', id } },
    });
    const task = await scene.task(customer);
    expect(task).toMatchObject({ upstream_id: id, quota: price, token_quota: price, charge: 'done', code: 1, request_id: row?.request_id });
    expect(task.check_at).toBeUndefined();
    const log = await (await scene.app.as(customer.user)).get('/api/log/self');
    expect(log.data.items[0].content).toBe(`模型固定价格 0.10，分组倍率 1.00，操作 IMAGINE，ID ${id}`);
    expect((await db.collection('users').get(customer.user.id))?.used_quota).toBe(price);
    await scene.checkBooks();
  });

  it('go upstream with the channel’s key and the caller’s body, without what the settings do not let through', async () => {
    const customer = await scene.customer();
    const body = {
      prompt: 'a cat --fast',
      state: 's1',
      botType: 'MID_JOURNEY',
      notifyHook: 'https://x.example/h',
      accountFilter: { modes: ['FAST'] },
    };
    await customer.imagine(body);
    expect(lastVisit()).toMatchObject({ method: 'POST', path: '/mj/submit/imagine', headers: { 'mj-api-secret': 'channel-key' } });
    expect(lastVisit()?.headers.authorization).toBeUndefined();
    expect(lastVisit()?.body).toEqual({ prompt: 'a cat --fast', state: 's1', botType: 'MID_JOURNEY' });
    expect(await scene.task(customer)).toMatchObject({ prompt: 'a cat --fast', state: 's1' });

    for (const key of ['MjAccountFilterEnabled', 'MjNotifyEnabled', 'MjModeClearEnabled']) await scene.set(key, 'true');
    await customer.imagine(body);
    expect(lastVisit()?.body).toEqual({ ...body, prompt: 'a cat ' });
    // If the caller sets no callback, the upstream calls back here, at an address of that task.
    await scene.set('ServerAddress', 'https://gate.example');
    await customer.imagine();
    const { id } = await scene.task(customer);
    expect(lastVisit()?.body['notifyHook']).toMatch(new RegExp(`^https://gate\\.example/mj/notify/${id}/[\\w-]{40,}$`));
    for (const key of ['MjAccountFilterEnabled', 'MjNotifyEnabled', 'MjModeClearEnabled']) await scene.set(key, 'false');
    await scene.set('ServerAddress', '');
  });

  it('take the key from mj-api-secret, and modes in front of the path', async () => {
    const customer = await scene.customer();
    const secret = { authorization: 'Bearer midjourney-proxy', 'mj-api-secret': customer.key };
    expect(await customer.post('/mj-fast/mj/submit/imagine?x=1', { prompt: 'p' }, secret)).toMatchObject({
      status: 200,
      body: { code: 1 },
    });
    expect(lastVisit()?.path).toBe('/mj/submit/imagine?x=1');
    await customer.post('/turbo/mj/submit/imagine', { prompt: 'p' });
    expect(lastVisit()?.path).toBe('/turbo/mj/submit/imagine');
    expect((await customer.post('/mj/submit/imagine', { prompt: 'p' }, { authorization: 'Bearer midjourney-proxy' })).status).toBe(401);
  });

  it('are shown to their owner as the proxy shows them, and to nobody else', async () => {
    const [customer, other] = [await scene.customer(), await scene.customer()];
    const { result: id } = (await customer.imagine({ state: 'mine' })).body;
    scene.upstream.report(id, {
      status: 'IN_PROGRESS',
      progress: '40%',
      promptEn: 'a harbour',
      startTime: 1_768_464_000_000,
      imageUrl: 'https://cdn.example/40.png',
      properties: { finalPrompt: 'a harbour --v 6', secretThing: 1 },
      buttons: [{ customId: 'MJ::JOB::upsample::1::x', emoji: '', label: 'U1', type: 2, style: 2 }],
    });
    scene.later(16);
    await pollTasks(scene.app.context);
    const fetched = await customer.get(`/mj/task/${id}/fetch`);
    expect(fetched.status).toBe(200);
    expect(fetched.body).toEqual({
      id,
      action: 'IMAGINE',
      customId: '',
      botType: '',
      prompt: 'a harbour at dawn',
      promptEn: 'a harbour',
      description: '',
      state: 'mine',
      submitTime: expect.any(Number),
      startTime: 1_768_464_000_000,
      finishTime: 0,
      imageUrl: expect.stringMatching(new RegExp(`^http://localhost:\\d+/mj/image/${id}\\?rand=\\d+$`)),
      status: 'IN_PROGRESS',
      progress: '40%',
      failReason: '',
      buttons: [{ customId: 'MJ::JOB::upsample::1::x', emoji: '', label: 'U1', type: 2, style: 2 }],
      maskBase64: '',
      properties: { finalPrompt: 'a harbour --v 6', finalZhPrompt: '' },
    });
    expect((await customer.post('/mj/task/list-by-condition', { ids: [id, 'unknown', 7, id] })).body).toEqual([
      { ...fetched.body, imageUrl: expect.any(String) },
    ]);
    expect(await other.get(`/mj/task/${id}/fetch`)).toMatchObject({
      status: 400,
      body: { description: 'task_no_found', type: 'upstream_error', code: 4 },
    });
    expect((await other.post('/mj/task/list-by-condition', { ids: [id] })).body).toEqual([]);
    expect((await other.get(`/mj/task/${id}/image-seed`)).body).toMatchObject({ description: 'task_no_found' });
    expect((await customer.get(`/mj/task/${id}/image-seed`)).body).toEqual({ code: 1, description: 'ok', properties: {}, result: '42' });
    expect((await fetch(`${scene.app.origin}/mj/task/${id}/fetch`)).status).toBe(401);
    await scene.set('MjForwardUrlEnabled', 'false');
    expect((await customer.get(`/mj/task/${id}/fetch`)).body.imageUrl).toBe('https://cdn.example/40.png');
    await scene.set('MjForwardUrlEnabled', 'true');
  });

  it('end with their picture and are not asked about any more', async () => {
    const customer = await scene.customer();
    const { result: id } = (await customer.imagine()).body;
    scene.upstream.report(id, {
      status: 'SUCCESS',
      progress: '100%',
      imageUrl: 'https://cdn.example/done.png',
      finishTime: 1_768_464_100_000,
    });
    scene.later(16);
    await pollTasks(scene.app.context);
    expect(await scene.task(customer)).toMatchObject({
      status: 'SUCCESS',
      progress: '100%',
      finish_time: 1_768_464_100_000,
      refunded_quota: 0,
    });
    scene.later(16);
    await pollTasks(scene.app.context);
    expect(scene.upstream.polls().at(-1)?.body['ids'] ?? []).not.toContain(id);
    expect(await customer.balance()).toBe(10_000_000 - price);
  });

  it.each([
    [22, {}, 'SUBMITTED'],
    [21, { status: 'SUCCESS', imageUrl: 'https://cdn.example/old.png' }, 'SUCCESS'],
  ])('a submission that is answered with %i is told as 1', async (code, properties, status) => {
    const customer = await scene.customer();
    const result = `code-${code}-${customer.user.id}`;
    scene.upstream.refuse({ body: { code, description: 'so', result, properties } });
    scene.upstream.report(result, { status: 'SUBMITTED' });
    expect((await customer.imagine()).body).toEqual({ code: 1, description: 'so', result, properties });
    scene.later(16);
    await pollTasks(scene.app.context);
    expect(await scene.task(customer)).toMatchObject({ upstream_id: result, status, quota: price });
    // The same again: it is the same drawing.
    scene.upstream.refuse({ body: { code: 21, description: 'so', result, properties } });
    expect((await customer.imagine()).body).toMatchObject({ code: 1, result });
    expect(await customer.balance()).toBe(10_000_000 - price);
    expect(await scene.app.context.db.collection('tasks').count({ user_id: customer.user.id })).toBe(1);
    await scene.checkBooks();
  });

  it.each([
    [23, 'queue full'],
    [24, 'banned word'],
    [99, 'something else'],
  ])('a submission that is refused with %i costs nothing, and its refusal is passed on', async (code, description) => {
    const customer = await scene.customer();
    scene.upstream.refuse({ body: { code, description, result: null, properties: {} } });
    expect(await customer.imagine()).toMatchObject({ status: 200, body: { code, description } });
    expect(await scene.task(customer)).toMatchObject({ status: 'FAILURE', progress: '100%', code, fail_reason: description, quota: 0 });
    expect(await customer.balance()).toBe(10_000_000);
    expect(await scene.app.context.db.collection('logs').count({ user_id: customer.user.id })).toBe(0);
  });

  it.each([
    ['code 30', { body: { code: 30, description: 'busy' } }, 429, 30],
    ['status 429', { status: 429, body: { message: 'slow down' } }, 429, 30],
    ['status 500', { status: 500, body: { message: 'broken' } }, 400, 5],
    ['no JSON', { text: '<html>hello</html>' }, 400, 5],
    ['no code', { body: { result: 'x' } }, 400, 5],
    ['a task without a name', { body: { code: 1, description: 'ok', result: '' } }, 400, 5],
    ['the refusal of the key', { status: 401, body: { message: 'bad key channel-key' } }, 400, 5],
    ['a broken connection', 'cut' as const, 400, 5],
  ])('an upstream that answers with %s is told as clients know it', async (_name, answer, status, code) => {
    const customer = await scene.customer();
    scene.upstream.refuse(answer);
    const reported = await customer.imagine();
    expect(reported).toMatchObject({ status, body: { type: 'upstream_error', code } });
    expect(JSON.stringify(reported.body)).not.toContain('channel-key');
    expect(await scene.task(customer)).toMatchObject({ status: 'FAILURE', quota: 0 });
    expect(await customer.balance()).toBe(10_000_000);
    await scene.app.context.channels.reload();
  });

  it('are refused where the balance of user or key does not cover them, before any upstream is asked', async () => {
    const before = scene.upstream.visits.length;
    const refusal = { status: 400, body: { description: 'quota_not_enough', type: 'upstream_error', code: 4 } };
    expect(await (await scene.customer({ quota: price - 1 })).imagine()).toMatchObject(refusal);
    expect(await (await scene.customer({ token: { quota: price - 1 } })).imagine()).toMatchObject(refusal);
    expect(scene.upstream.visits).toHaveLength(before);
    const exact = await scene.customer({ quota: price });
    expect((await exact.imagine()).status).toBe(200);
    expect(await exact.balance()).toBe(0);
    expect(await exact.imagine()).toMatchObject(refusal);
    await scene.checkBooks();
  });

  it('of many at once only as many are taken as the balance pays for', async () => {
    const customer = await scene.customer({ quota: price * 3 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => customer.imagine()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(await customer.balance()).toBe(0);
    await scene.checkBooks();
  });

  it('cost what the settings say for the model and the group, rounded up', async () => {
    const customer = await scene.customer();
    await scene.set('ModelPrice', JSON.stringify({ mj_imagine: 0.0000031 }));
    await scene.set('GroupRatio', JSON.stringify({ default: 1.5 }));
    await customer.imagine();
    expect(await customer.balance()).toBe(10_000_000 - 3);
    // One without a price has the usual one.
    await customer.post('/mj/submit/describe', { base64: 'data:image/png;base64,AA' });
    expect(await customer.balance()).toBe(10_000_000 - 3 - 75_000);
    await scene.app.context.db.collection('options').remove({ id: { in: ['ModelPrice', 'GroupRatio'] } });
    await scene.app.context.settings.reload();
    await scene.checkBooks();
  });

  it('are bounded by the settings of the administrator: switch, words, rate', async () => {
    const customer = await scene.customer();
    await scene.set('DrawingEnabled', 'false');
    expect(await customer.imagine()).toMatchObject({ status: 403, body: { error: { code: 'drawing_disabled' } } });
    await scene.set('DrawingEnabled', 'true');
    await scene.set('SensitiveWords', 'undertow');
    expect(await customer.imagine({ prompt: 'an UnderTow at night' })).toMatchObject({
      status: 400,
      body: { error: { code: 'sensitive_words_detected' } },
    });
    await scene.set('SensitiveWords', '');
    await scene.set('ModelRequestRateLimitEnabled', 'true');
    await scene.set('ModelRequestRateLimitCount', '1');
    expect((await customer.imagine()).status).toBe(200);
    const limited = await customer.imagine();
    expect(limited).toMatchObject({ status: 429, body: { error: { code: 'total_rate_limited' } } });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    await scene.set('ModelRequestRateLimitEnabled', 'false');
    expect(await customer.balance()).toBe(10_000_000 - price);
  });

  it('are refused for keys and models that may not, with the words of the relay', async () => {
    const limited = await scene.customer({ token: { model_limits_enabled: true, model_limits: 'mj_upscale' } });
    expect(await limited.imagine()).toMatchObject({ status: 403, body: { error: { code: 'model_denied' } } });
    // A list of models says nothing about what has been paid for.
    expect((await limited.get('/mj/task/1/fetch')).body).toMatchObject({ description: 'task_no_found' });
    const customer = await scene.customer();
    expect((await customer.post('/mj/submit/action', { customId: 'MJ::Outpaint::50', taskId: '1' })).body).toMatchObject({
      description: 'task_not_found',
    });
    expect((await customer.post('/mj/submit/nothing', {})).status).toBe(404);
    expect((await customer.post('/mj/submit/swap', {})).status).toBe(404);
    expect((await customer.post('/x..y/mj/submit/imagine', { prompt: 'p' })).status).toBe(404);
  });

  it.each([
    ['imagine', {}, 'prompt_is_required'],
    ['imagine', { prompt: 7 }, 'prompt_is_required'],
    ['imagine', '{"prompt":', 'bind_request_body_failed'],
    ['imagine', '[1]', 'bind_request_body_failed'],
    ['imagine', `{"prompt":"x","a":${'['.repeat(200)}${']'.repeat(200)}}`, 'bind_request_body_failed'],
    ['change', { action: 'UPSCALE', index: 1 }, 'task_id_is_required'],
    ['change', { taskId: '1' }, 'action_is_required'],
    ['change', { taskId: '1', action: 'UPSCALE' }, 'index_is_required'],
    ['change', { taskId: 'of nobody', action: 'UPSCALE', index: 1 }, 'task_not_found'],
    ['simple-change', { content: 'nonsense' }, 'content_parse_failed'],
    ['action', { taskId: '1' }, 'custom_id_is_required'],
    ['action', { taskId: '1', customId: 'MJ::JOB::variation::x' }, 'index_parse_failed'],
    ['action', { customId: 'MJ::JOB::upsample::1' }, 'task_id_is_required'],
    ['modal', {}, 'task_id_is_required'],
    ['../../insight-face/swap', { sourceBase64: 'x' }, 'sour_base64_and_target_base64_is_required'],
  ])('%s of %j is refused as %s', async (kind, body, description) => {
    const customer = await scene.customer();
    const path = kind.startsWith('..') ? '/mj/insight-face/swap' : `/mj/submit/${kind}`;
    expect(await customer.post(path, body)).toMatchObject({ status: 400, body: { description, type: 'upstream_error', code: 4 } });
    expect(await scene.app.context.db.collection('tasks').count({ user_id: customer.user.id })).toBe(0);
  });

  it.each(['MJ', 'a::b', 'MJ::JOB::dance::1'])('an action that nobody knows (%s) is told in the first envelope', async (customId) => {
    const customer = await scene.customer();
    const answer = await customer.post('/mj/submit/action', { taskId: '1', customId });
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toContain(`unknown_action:${customId}`);
  });
});
