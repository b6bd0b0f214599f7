// The console's lists of drawings and music tasks.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskRecord } from '#server/db/records/task.ts';
import { Drawing } from '#shared/drawings.ts';
import { Task } from '#shared/tasks.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { buildTask } from '#tests/support/build-task.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

const at = 1_790_000_000;

describe.each(engines)('lists of tasks on $kind', (engine) => {
  let app: TestApp;
  let admin: TestClient;
  let nextId = 100;
  beforeAll(async () => {
    app = await createTestApp(engine);
    await app.setup();
    admin = await app.as(await app.createUser({ role: 10 }));
  });
  afterAll(() => app.close());

  async function someone(tasks: Partial<TaskRecord>[]): Promise<{ client: TestClient; id: number; ids: number[] }> {
    const user = await app.createUser();
    const ids: number[] = [];
    for (const fields of tasks) {
      ids.push((nextId += 1));
      await app.context.db
        .collection('tasks')
        .insert(buildTask({ id: nextId, user_id: user.id, username: user.username, created_at: at + nextId, ...fields }));
    }
    return { client: await app.as(user), id: user.id, ids };
  }

  const idsOf = (items: { id: number }[]) => items.map(({ id }) => id);

  it('are for those who are signed in, and everybody’s for administrators', async () => {
    const { client } = await someone([]);
    for (const path of ['/api/mj/', '/api/mj/self', '/api/task/', '/api/task/self'])
      expect(await app.anonymous().get(path), path).toMatchObject({ status: 401, success: false });
    for (const path of ['/api/mj/', '/api/task/']) expect(await client.get(path), path).toMatchObject({ status: 403, code: 'forbidden' });
  });

  it('hold the own tasks only, whatever the query names', async () => {
    const other = await someone([{ channel_id: 9 }, { platform: 'suno', action: 'MUSIC', data: '[]' }]);
    const own = await someone([{}, { platform: 'suno', action: 'LYRICS' }]);
    for (const query of ['', `?user_id=${other.id}`, '?channel_id=9', `?mj_id=up-${other.ids[0]}`]) {
      const answer = await own.client.get(`/api/mj/self${query}`);
      expect(idsOf(answer.data), query).toEqual(query.includes('mj_id') ? [] : [own.ids[0]]);
    }
    for (const query of ['', `?user_id=${other.id}`, `?task_id=up-${other.ids[1]}`]) {
      const answer = await own.client.get(`/api/task/self${query}`);
      expect(idsOf(answer.data), query).toEqual(query.includes('task_id') ? [] : [own.ids[1]]);
    }
  });

  it('tell owners neither channel nor username, and administrators both', async () => {
    const { client, ids, id } = await someone([{ channel_id: 5, quota: 50_000, refunded_quota: 50_000, status: 'FAILURE', code: 22 }]);
    const { changes, db, secrets } = app.context;
    await db.collection('channels').insert(buildChannel({ id: 5, name: 'easel' }, secrets));
    await changes.announce('channel', 5);
    const [own] = (await client.get('/api/mj/self')).data;
    expect(Drawing.parse(own)).toMatchObject({
      id: ids[0],
      channel_id: 0,
      channel_name: '',
      username: '',
      quota: 50_000,
      refunded_quota: 50_000,
      code: 22,
    });
    const [seen] = (await admin.get(`/api/mj/?mj_id=up-${ids[0]}`)).data;
    // By it the log has the charge and the refund.
    expect([own.request_id, seen.request_id]).toEqual([`request-${ids[0]}`, `request-${ids[0]}`]);
    const whose = { id: ids[0], channel_id: 5, username: `user${id}`, user_id: id };
    expect(Drawing.parse(seen)).toMatchObject({ ...whose, channel_name: 'easel' });
    for (const hidden of ['token_id', 'process', 'charge', 'accepted_key']) expect(seen).not.toHaveProperty(hidden);
  });

  it('show times of drawings in milliseconds and of music in seconds, and filter by them', async () => {
    const { client, ids } = await someone([
      { created_at: 2000, submit_time: 2_000_500 },
      {
        platform: 'suno',
        action: 'MUSIC',
        status: 'SUCCESS',
        created_at: 2000,
        submit_time: 2_000_500,
        data: '[{"audio_url":"https://a"}]',
      },
    ]);
    const [drawing] = (await client.get('/api/mj/self?start_timestamp=2000000&end_timestamp=2000999')).data;
    expect(drawing).toMatchObject({ id: ids[0], submit_time: 2_000_500 });
    expect((await client.get('/api/mj/self?start_timestamp=2001000')).data).toEqual([]);
    const [task] = (await client.get('/api/task/self?start_timestamp=2000&end_timestamp=NaN')).data;
    expect(Task.parse(task)).toMatchObject({
      id: ids[1],
      submit_time: 2000,
      data: [{ audio_url: 'https://a' }],
      properties: { input: 'a harbour' },
    });
    expect((await client.get('/api/task/self?end_timestamp=1999')).data).toEqual([]);
  });

  it('have videos for themselves, under our names, with what was ordered and where it is', async () => {
    const order = { public_id: 'video_ours', properties: '{"seconds":8,"size":"1280x720"}', model: 'tide-video' };
    const made = { status: 'SUCCESS', data: '{"url":"https://cdn.example/a.mp4","file":"7"}', image_url: 'https://cdn.example/a.webp' };
    const { client, ids } = await someone([
      { platform: 'suno', action: 'MUSIC' },
      { platform: 'video', action: 'TEXT_TO_VIDEO', ...order, ...made },
      { platform: 'video', action: 'TEXT_TO_VIDEO', status: 'FAILURE', model: 'tide-video' },
    ]);
    const [failed, done] = (await client.get('/api/task/self?platform=video')).data;
    expect(Task.parse(done)).toMatchObject({
      id: ids[1],
      task_id: 'video_ours',
      platform: 'video',
      data: null,
      video: { model: 'tide-video', seconds: 8, size: '1280x720', url: 'https://cdn.example/a.mp4', poster: 'https://cdn.example/a.webp' },
    });
    // No provider has accepted it.
    expect(Task.parse(failed).video).toEqual({ model: 'tide-video', seconds: 0, size: '', url: '', poster: '' });
    expect(idsOf((await client.get('/api/task/self')).data)).toEqual([ids[0]]);
    expect(idsOf((await client.get('/api/task/self?platform=video&task_id=video_ours')).data)).toEqual([ids[1]]);
    expect((await client.get(`/api/task/self?platform=video&task_id=up-${ids[1]}`)).data).toEqual([]);
    const other = await someone([]);
    expect((await other.client.get('/api/task/self?platform=video&task_id=video_ours')).data).toEqual([]);
  });

  it('page from 0 and by cursor, newest first, with what is beside the bare array', async () => {
    const { client, ids } = await someone(Array.from({ length: 13 }, () => ({ created_at: 5000 })));
    const newest = ids.toReversed();
    const first = await client.get('/api/mj/self?p=0');
    expect(idsOf(first.data)).toEqual(newest.slice(0, 10));
    expect(first.body).toMatchObject({ total: 13, page_size: 10 });
    const { cursor } = first.body as { cursor: string };
    const byCursor = await client.get(`/api/mj/self?cursor=${cursor}`);
    expect(idsOf(byCursor.data)).toEqual(newest.slice(10));
    expect(byCursor.body).not.toHaveProperty('cursor');
    expect(idsOf((await client.get('/api/mj/self?p=1')).data)).toEqual(newest.slice(10));
    expect((await client.get('/api/mj/self?page_size=100')).data).toHaveLength(13);
    expect(await client.get('/api/mj/self?cursor=AAAA')).toMatchObject({ success: false, code: 'invalid_field' });
  });

  it('filter by channel, status, action and platform together', async () => {
    const { ids } = await someone([
      { channel_id: 71, status: 'FAILURE' },
      { channel_id: 71, status: 'SUCCESS', action: 'UPSCALE' },
      { channel_id: 71, platform: 'suno', action: 'MUSIC', status: 'FAILURE' },
    ]);
    expect(idsOf((await admin.get('/api/mj/?channel_id=71')).data)).toEqual([ids[1], ids[0]]);
    expect(idsOf((await admin.get('/api/mj/?channel_id=71&status=FAILURE')).data)).toEqual([ids[0]]);
    expect(idsOf((await admin.get('/api/mj/?action=UPSCALE&channel_id=71')).data)).toEqual([ids[1]]);
    expect(idsOf((await admin.get('/api/task/?channel_id=71&platform=suno')).data)).toEqual([ids[2]]);
    expect((await admin.get('/api/task/?channel_id=71&platform=midjourney')).body).toMatchObject({ data: [], total: 0 });
    expect((await admin.get('/api/mj/?channel_id=abc')).code).toBe('invalid_field');
  });

  it('never scan, and never sort', async (context) => {
    const { db } = app.context;
    if ((await db.explain('tasks', { id: 1 })) === null) context.skip('This server does not explain.');
    const sort = [
      ['created_at', -1],
      ['id', -1],
    ] as const;
    const range = { created_at: { gte: 1 } };
    for (const field of ['user_id', 'channel_id', 'status', 'action'] as const) {
      const found = await db.explain('tasks', { and: [{ platform: 'midjourney' }, { [field]: 'x' }, range] }, { sort, limit: 10 });
      expect(found, field).toMatchObject({ scans: false, sorts: false, index: field.replace('_id', '') });
    }
    expect(await db.explain('tasks', { and: [{ listed: 'suno' }, range] }, { sort, limit: 10 })).toMatchObject({
      index: 'time',
      scans: false,
      sorts: false,
    });
  });
});
