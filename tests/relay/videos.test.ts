// Videos as OpenAI's library requests them, with a provider of that format.
import { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollTasks } from '#server/work/tasks/poll-tasks.ts';
import { checkTasks } from '#server/work/tasks/check-tasks.ts';
import { engines } from '#tests/support/engines.ts';
import { type FakeVideos, film, soraServing, startFakeVideos } from '#tests/support/fake-videos.ts';
import { createVideoScene, type VideoCustomer, type VideoScene } from '#tests/support/video-scene.ts';
import { createSession } from '#tests/support/build-token.ts';
import { until } from '#tests/support/until.ts';

const start = 10_000_000;
/** A second costs 0.1 dollars. */
const second = 50_000;
const png = Buffer.from('89504e470d0a1a0a00000000', 'hex');

describe.each(engines)('videos on $kind', (engine) => {
  let scene: VideoScene;
  let upstream: FakeVideos;
  let channelId: number;
  const sora = soraServing();
  beforeAll(async () => {
    upstream = await startFakeVideos(sora.serving);
    scene = await createVideoScene(engine);
    channelId = await scene.addChannel({ type: 55, models: 'sora-2,sora-2-pro', base_url: upstream.url });
  });
  afterAll(async () => {
    await scene[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });

  const create = (customer: VideoCustomer, fields: object = {}) =>
    customer.sdk.videos.create({ model: 'sora-2', prompt: 'a harbour at dawn', ...fields });
  const named = () => sora.taken.at(-1) ?? '';

  it('are ordered, followed, listed, read and deleted by the official library; the price is that of their seconds', async () => {
    const customer = await scene.customer();
    const video = await create(customer, { seconds: '8', size: '1280x720' });
    expect(video).toMatchObject({ object: 'video', status: 'queued', progress: 0, model: 'sora-2', seconds: '8', size: '1280x720' });
    expect(video.id).toMatch(/^video_\w{32}$/);
    const [visit] = upstream.visits.slice(-1);
    expect(visit).toMatchObject({ method: 'POST', path: '/v1/videos', headers: { authorization: 'Bearer sk-channel' } });
    expect(visit?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(await customer.balance()).toBe(start - 8 * second);
    expect(await scene.task(customer)).toMatchObject({ platform: 'video', channel_id: channelId, charge: 'done', quota: 8 * second });

    sora.report(named(), { status: 'in_progress', progress: 33 });
    await scene.poll();
    expect(await customer.sdk.videos.retrieve(video.id)).toMatchObject({ status: 'in_progress', progress: 33, completed_at: null });
    await expect(customer.sdk.videos.downloadContent(video.id)).rejects.toMatchObject({ status: 400, code: 'video_not_ready' });
    await expect(customer.sdk.videos.delete(video.id)).rejects.toMatchObject({ status: 400, code: 'video_running' });
    await expect(customer.sdk.videos.remix(video.id, { prompt: 'at dusk' })).rejects.toMatchObject({ code: 'video_not_ready' });

    sora.report(named(), { status: 'completed', progress: 100 });
    await scene.poll();
    const done = await customer.sdk.videos.retrieve(video.id);
    expect(done).toMatchObject({ status: 'completed', progress: 100, completed_at: expect.any(Number), error: null });
    const content = await customer.sdk.videos.downloadContent(video.id);
    expect(content.headers.get('content-type')).toBe('video/mp4');
    expect(Buffer.from(await content.arrayBuffer())).toEqual(film);
    // More than may be read at the same time: each gives its place back.
    for (let times = 0; times < 10; times += 1) await (await customer.sdk.videos.downloadContent(video.id)).arrayBuffer();
    const picture = await customer.sdk.videos.downloadContent(video.id, { variant: 'thumbnail' });
    expect([picture.headers.get('content-type'), await picture.text()]).toEqual(['image/webp', 'RIFF']);

    const remix = await customer.sdk.videos.remix(video.id, { prompt: 'at dusk' });
    expect(remix).toMatchObject({ remixed_from_video_id: video.id, seconds: '8', prompt: 'at dusk', status: 'queued' });
    expect(await customer.balance()).toBe(start - 16 * second);
    const listed = await customer.sdk.videos.list({ limit: 1 });
    expect(listed.data.map(({ id }) => id)).toEqual([remix.id]);
    const all: string[] = [];
    for await (const one of customer.sdk.videos.list({ limit: 1, order: 'asc' })) all.push(one.id);
    expect(all).toEqual([video.id, remix.id]);

    const { taken } = sora;
    expect(await customer.sdk.videos.delete(video.id)).toEqual({ id: video.id, object: 'video.deleted', deleted: true });
    await until(() => upstream.visits.some(({ method, path }) => method === 'DELETE' && path === `/v1/videos/${taken.at(-2)}`));
    await expect(customer.sdk.videos.retrieve(video.id)).rejects.toMatchObject({ status: 404, code: 'video_not_found' });
    await expect(customer.sdk.videos.delete(video.id)).rejects.toMatchObject({ status: 404 });
    expect((await customer.sdk.videos.list()).data.map(({ id }) => id)).toEqual([remix.id]);
    expect(await customer.balance()).toBe(start - 16 * second);
    await scene.checkBooks();
  });

  it('of another user are nobody’s', async () => {
    const [customer, other] = [await scene.customer(), await scene.customer()];
    const { id } = await create(customer);
    sora.report(named(), { status: 'completed' });
    await scene.poll();
    const { videos } = other.sdk;
    for (const ask of [
      () => videos.retrieve(id),
      () => videos.downloadContent(id),
      () => videos.remix(id, { prompt: 'mine' }),
      () => videos.delete(id),
      () => videos.list({ after: id }),
    ])
      await expect(ask()).rejects.toMatchObject({
        status: 404,
        code: 'video_not_found',
        message: expect.stringMatching(/^404 [\x20-\x7e]*$/),
      });
    expect((await videos.list()).data).toEqual([]);
    expect(await other.call('GET', `/v1/video/generations/${id}`)).toMatchObject({ status: 404 });
    // The provider's name is no name here, for its owner either.
    await expect(customer.sdk.videos.retrieve(named())).rejects.toMatchObject({ status: 404 });
    expect(await other.balance()).toBe(start);
  });

  it('are watched in the console by their owner and administrators, in parts, by session alone', async () => {
    const [customer, other] = [await scene.customer(), await scene.customer()];
    await create(customer);
    const { app } = scene;
    const path = `/pg/tasks/${(await scene.task(customer)).id}/content`;
    const [owner, stranger, admin] = [
      await app.as(customer.user),
      await app.as(other.user),
      await app.as(await app.createUser({ role: 10 })),
    ];
    expect(await owner.get(path)).toMatchObject({ status: 400, code: 'video_not_ready' });
    sora.report(named(), { status: 'completed' });
    await scene.poll();
    // A player sends no header of the console's.
    for (const client of [owner, admin, stranger]) client.setUser(null);
    for (const client of [owner, admin]) {
      expect(await client.get(path)).toMatchObject({ status: 200, headers: { 'content-type': 'video/mp4', 'accept-ranges': 'bytes' } });
      const part = await client.get(path, { headers: { range: 'bytes=4-7' } });
      expect(part).toMatchObject({
        status: 206,
        body: 'ftyp',
        headers: { 'content-range': `bytes 4-7/${film.length}`, 'content-length': '4' },
      });
    }
    expect(await owner.get(`${path}?variant=thumbnail`)).toMatchObject({ status: 200, body: 'RIFF' });
    expect(await stranger.get(path)).toMatchObject({ status: 404, code: 'video_not_found' });
    expect(await app.anonymous().get(path)).toMatchObject({ status: 401, code: 'not_logged_in' });
    const elsewhere = await owner.get(path, { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(elsewhere).toMatchObject({ status: 401, code: 'user_header_missing' });
    expect(await owner.get('/pg/tasks/987654/content')).toMatchObject({ status: 404 });
  });

  it('are ordered in the playground by its session, in the group that the order names, and found in the list of tasks', async () => {
    const customer = await scene.customer();
    const { app } = scene;
    await scene.set('GroupRatio', '{"default":1,"vip":2}');
    await scene.set('UserUsableGroups', '{"vip":"VIP"}');
    await scene.addChannel({ type: 55, models: 'sora-2', base_url: upstream.url, group: 'vip' });
    const session = { cookie: await createSession(app.context, customer.user), 'new-api-user': String(customer.user.id) };
    const order = (fields: object, headers: Record<string, string> = session) => {
      const form = new FormData();
      const all = { model: 'sora-2', prompt: 'a harbour at dawn', seconds: '4', size: '1280x720', ...fields };
      for (const [name, value] of Object.entries(all)) form.append(name, value);
      form.append('input_reference', new Blob([new Uint8Array(png)], { type: 'image/png' }), 'first.png');
      return fetch(`${app.origin}/pg/videos`, { method: 'POST', headers, body: form });
    };
    const response = await order({ group: 'vip' });
    const video = await response.json();
    expect(video).toMatchObject({ object: 'video', status: 'queued', seconds: '4', size: '1280x720' });
    expect(upstream.visits.at(-1)?.text).toContain('filename="first.png"');
    expect(upstream.visits.at(-1)?.text).not.toContain('vip');
    expect(await customer.balance()).toBe(start - 8 * second);
    const logs = await app.context.db.collection('logs').find({ user_id: customer.user.id });
    expect(logs).toMatchObject([{ token_id: 0, token_name: 'playground-vip', group: 'vip', quota: 8 * second }]);
    expect(logs[0]?.request_id).toBe(response.headers.get('x-oneapi-request-id'));
    const owner = await app.as(customer.user);
    const listed = await owner.get(`/api/task/self?platform=video&task_id=${video.id}`);
    expect(listed.data).toMatchObject([{ task_id: video.id, quota: 8 * second, video: { seconds: 4, size: '1280x720' } }]);

    // What fails goes back to the user, who has no key to get some of it.
    sora.report(named(), { status: 'failed', error: { message: 'Rejected by the safety system' } });
    await scene.poll();
    expect(await customer.balance()).toBe(start);

    expect((await order({ group: 'none' })).status).toBe(403);
    const { cookie } = session;
    for (const headers of [{ cookie }, {}, { authorization: `Bearer ${customer.key}` }] as Record<string, string>[])
      expect((await order({}, headers)).status).toBe(401);
    expect(await customer.balance()).toBe(start);
    await scene.checkBooks();
  });

  it('take a picture as a file, which goes on as it is, and as an address or data', async () => {
    const customer = await scene.customer();
    await create(customer, { input_reference: await toFile(png, 'a.png', { type: 'image/png' }) });
    expect(upstream.visits.at(-1)?.text).toContain(`filename="a.png"\r\nContent-Type: image/png\r\n\r\n${png.toString('latin1')}\r\n`);
    expect((await scene.task(customer)).action).toBe('IMAGE_TO_VIDEO');
    const image_url = `data:image/png;base64,${png.toString('base64')}`;
    expect(await customer.call('POST', '/v1/videos', { model: 'sora-2', prompt: 'x', input_reference: { image_url } })).toMatchObject({
      status: 200,
    });
    expect(upstream.visits.at(-1)?.text).toContain(png.toString('latin1'));
    const far = { image_url: 'https://pictures.example/a.png' };
    await customer.sdk.videos.create({ model: 'sora-2', prompt: 'x', input_reference: far });
    expect(upstream.visits.at(-1)?.body).toEqual({ model: 'sora-2', prompt: 'x', seconds: '4', size: '720x1280', input_reference: far });
    await expect(
      customer.sdk.videos.create({ model: 'sora-2', prompt: 'x', input_reference: { file_id: 'file-1' } }),
    ).rejects.toMatchObject({
      status: 400,
      code: 'account_object_refused',
    });
  });

  it('are asked for as `/v1/video/generations`, too, and told in its words', async () => {
    const customer = await scene.customer();
    const requested = { model: 'sora-2-pro', prompt: 'a harbour', duration: 12, width: 1792, height: 1024 };
    const { status, body } = await customer.call('POST', '/v1/video/generations', requested);
    expect([status, body]).toMatchObject([
      200,
      { task_id: body.id, status: 'queued', metadata: { duration: 12, width: 1792, height: 1024 } },
    ]);
    // 0.5 dollars a second.
    expect(await customer.balance()).toBe(start - 12 * 250_000);
    sora.report(named(), { status: 'completed' });
    await scene.poll();
    const reported = await customer.call('GET', `/v1/video/generations/${body.id}`);
    expect(reported.body).toMatchObject({ status: 'completed', format: 'mp4', error: null });
    const content = await fetch(`${scene.app.origin}${new URL(reported.body.url).pathname}`, {
      headers: { authorization: `Bearer ${customer.key}` },
    });
    expect(Buffer.from(await content.arrayBuffer())).toEqual(film);
  });

  it('that fail are given back whole, once, whoever hears of it at the same time', async () => {
    const customer = await scene.customer({ token: { quota: 1_000_000 } });
    const { id } = await create(customer, { seconds: '12' });
    expect(await customer.balance()).toBe(start - 12 * second);
    sora.report(named(), { status: 'failed', error: { code: 'moderation', message: 'Refused by https://inside.example for sk-channel' } });
    scene.app.clock.advance(16_000);
    await Promise.all([pollTasks(scene.app.context), pollTasks(scene.app.context), checkTasks(scene.app.context)]);
    await scene.poll();
    expect(await customer.balance()).toBe(start);
    const reported = await customer.sdk.videos.retrieve(id);
    expect(reported).toMatchObject({
      status: 'failed',
      error: { code: 'video_generation_failed', message: 'Refused by https://*** for ***' },
    });
    const rows = await scene.app.context.db.collection('logs').find({ user_id: customer.user.id, type: 4 });
    expect(rows.map(({ content }) => content)).toEqual([`异步任务执行失败 ${id}，补偿 ＄1.200000 额度`]);
    await expect(customer.sdk.videos.downloadContent(id)).rejects.toMatchObject({ status: 400 });
    await scene.checkBooks();
  });

  it('that never end are given back when their time is over', async () => {
    const customer = await scene.customer();
    await create(customer);
    await scene.poll(5 * 3600);
    expect(await customer.balance()).toBe(start - 4 * second);
    await scene.poll(3700);
    expect(await customer.balance()).toBe(start);
    const [task] = (await customer.sdk.videos.list()).data;
    expect(task?.error?.message).toBe('The upstream did not finish within 6 h');
    expect((await scene.task(customer)).fail_reason).toBe('上游任务超时（超过6小时）');
    await scene.checkBooks();
  });

  it('stay with their channel, and one that answers nothing about a task holds up no other', async () => {
    const [lost, stored] = [await scene.customer(), await scene.customer()];
    await create(lost);
    const lostName = named();
    await create(stored);
    const name = named();
    upstream.serve(({ method, path }) =>
      method === 'GET' && path === `/v1/videos/${lostName}` ? { status: 500, body: { error: { message: 'x' } } } : undefined,
    );
    const better = await scene.addChannel({ type: 55, models: 'sora-2', base_url: 'http://127.0.0.1:9', key: 'sk-better', priority: 99 });
    sora.report(name, { status: 'completed' });
    await scene.poll();
    expect([(await scene.task(lost)).status, (await scene.task(stored)).status]).toEqual(['NOT_START', 'SUCCESS']);
    const { id } = (await stored.sdk.videos.list()).data[0] ?? { id: '' };
    expect(await stored.sdk.videos.remix(id, { prompt: 'again' })).toMatchObject({ status: 'queued' });
    await scene.app.context.db.collection('channels').remove({ id: better });
    await scene.app.context.channels.reload();
  });

  it.each([
    ['no prompt', { prompt: '' }, 'prompt'],
    ['seconds that are none', { seconds: 'soon' }, 'seconds'],
    ['half a second', { seconds: 0.5 }, 'seconds'],
    ['no second', { seconds: '0' }, 'seconds'],
    ['an hour', { seconds: 3600 }, 'seconds'],
    ['more digits than numbers have', { seconds: '9'.repeat(40) }, 'seconds'],
    ['a size that is none', { size: 'large' }, 'size'],
    ['a size beyond all', { size: '99999x99999' }, 'size'],
    ['a size of nothing', { size: '0x720' }, 'size'],
    ['a size that is wide for the price of a small one', { size: '4096x720' }, 'size'],
    ['a list of seconds', { seconds: [4] }, 'seconds'],
    ['an address of a file', { input_reference: { image_url: 'file:///etc/passwd' } }, 'input_reference.image_url'],
  ])('%s is refused before anybody is asked', async (_what, fields, field) => {
    const customer = await scene.customer();
    const before = upstream.visits.length;
    const { status, body } = await customer.call('POST', '/v1/videos', { model: 'sora-2', prompt: 'x', ...fields });
    expect([status, body.error]).toMatchObject([400, { code: 'invalid_request', param: field }]);
    expect(upstream.visits).toHaveLength(before);
    expect(await customer.balance()).toBe(start);
  });

  it.each(['-1', -1, '0', '9'.repeat(40)])('%s seconds: the range is told', async (seconds) => {
    const customer = await scene.customer();
    const { body } = await customer.call('POST', '/v1/videos', { model: 'sora-2', prompt: 'x', seconds });
    expect(body.error.message).toContain('must be a whole number from 1 to ');
  });

  it('cost nothing where the provider refuses them, whose words are told', async () => {
    const customer = await scene.customer();
    // A size that its provider does not have.
    const odd = await customer.call('POST', '/v1/videos', { model: 'sora-2', prompt: 'x', size: '1920x1080' });
    expect(odd).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('Invalid value for size'), code: 'invalid_value' } },
    });
    expect(await customer.balance()).toBe(start);
    expect((await customer.sdk.videos.list()).data).toEqual([]);
    const poor = await scene.customer({ quota: 4 * second - 1 });
    const { status, body } = await poor.call('POST', '/v1/videos', { model: 'sora-2', prompt: 'x' });
    expect([status, body.error.code]).toEqual([403, 'insufficient_user_quota']);
    await scene.set('ModelPrice', '{}');
    await scene.set('VideoPrice', '{}');
    expect((await customer.call('POST', '/v1/videos', { model: 'sora-2', prompt: 'x' })).body.error.code).toBe('model_price_error');
    // A price per second that says nothing of resolutions is that of 720p; a larger one costs by its pixels.
    await scene.set('ModelPrice', '{"sora-2":0.2}');
    await create(customer, { size: '1024x1792' });
    expect(start - (await customer.balance())).toBe(812_000);
    await scene.set('VideoPrice', '{"720p:sora-2*":0.1,"720p:sora-2-pro*":0.3,"1024p:sora-2-pro*":0.5}');
    await scene.checkBooks();
  });

  it('a key that may not use the model, or none at all, orders nothing; what was paid for is read with a key that is used up', async () => {
    const customer = await scene.customer({ token: { model_limits_enabled: true, model_limits: 'other' } });
    expect((await customer.call('POST', '/v1/videos', { model: 'sora-2', prompt: 'x' })).status).toBe(403);
    const limited = await scene.customer({ token: { quota: 4 * second } });
    const { id } = await create(limited);
    await expect(create(limited)).rejects.toMatchObject({ code: 'key_exhausted' });
    expect(await limited.sdk.videos.retrieve(id)).toMatchObject({ id });
    expect((await fetch(`${scene.app.origin}/v1/videos/${id}/content`)).status).toBe(401);
  });

  it('an upstream that breaks off may have taken it: nobody else is asked, and nothing is paid', async () => {
    const customer = await scene.customer();
    upstream.serve(({ method, text }) => (method === 'POST' && text.includes('break off') ? 'cut' : undefined));
    const before = upstream.visits.length;
    const { status } = await customer.call('POST', '/v1/videos', { model: 'sora-2', prompt: 'break off' });
    expect(status).toBe(502);
    expect(upstream.visits).toHaveLength(before + 1);
    expect(await customer.balance()).toBe(start);
    // The operator finds which account may have been billed for it.
    const { request_id: requestId, ...task } = await scene.task(customer);
    expect(task).toMatchObject({ status: 'FAILURE', charge: 'none', asked_channel_id: channelId });
    for (const field of ['check_at', 'lost_log_id', 'running_user_id']) expect(task).not.toHaveProperty(field);
    const rows = await scene.app.context.db.collection('logs').find({ user_id: customer.user.id });
    const event = { code: 'task_lost', request_id: requestId, action: 'TEXT_TO_VIDEO' };
    expect(rows).toMatchObject([{ type: 4, channel_id: channelId, model_name: 'sora-2', quota: 0, other: { event } }]);
    expect((await customer.call('GET', '/v1/videos')).body.data).toEqual([]);
  });

  it('what a provider refuses, or cannot be reached for, is not told as lost', async () => {
    const customer = await scene.customer();
    expect((await customer.call('POST', '/v1/videos', { model: 'sora-2', prompt: 'x', seconds: '5' })).status).toBe(400);
    expect(await scene.task(customer)).not.toHaveProperty('requested_channel_id');
    expect(await scene.app.context.db.collection('logs').count({ user_id: customer.user.id }, 1)).toBe(0);
  });

  it('the row tells seconds, size and what one of them costs', async () => {
    const customer = await scene.customer();
    const { id } = await create(customer, { model: 'sora-2-pro', size: '1792x1024', seconds: '4' });
    const [row] = await scene.app.context.db.collection('logs').find({ user_id: customer.user.id, type: 2 });
    expect(row).toMatchObject({
      model_name: 'sora-2-pro',
      quota: 4 * 250_000,
      other: { model_price: 0.5, units: { kind: 'second', count: 4, size: '1792x1024' }, task: { action: 'TEXT_TO_VIDEO', id } },
    });
  });
});
