import { describe, expect, it } from 'vitest';
import { buildChannel } from '#tests/support/build-channel.ts';
import { useChannelDesk } from '#tests/support/channel-desk.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestResponse } from '#tests/support/http-client.ts';
import { createTestApp } from '#tests/support/test-app.ts';

describe.each(engines)('channels on $kind', (engine) => {
  const desk = useChannelDesk(engine);
  const { create, createOne, stored, count } = desk;

  it('are for administrators only', async () => {
    const user = await desk.app.as(await desk.app.createUser());
    for (const [method, path] of [
      ['GET', '/api/channel/'],
      ['GET', '/api/channel/search'],
      ['GET', '/api/channel/1'],
      ['POST', '/api/channel/'],
      ['PUT', '/api/channel/'],
      ['DELETE', '/api/channel/1/'],
      ['DELETE', '/api/channel/disabled'],
      ['POST', '/api/channel/batch'],
      ['POST', '/api/channel/restore'],
      ['GET', '/api/channel/test/1'],
      ['GET', '/api/channel/models_enabled'],
    ] as const) {
      expect(await desk.app.anonymous().call(method, path)).toMatchObject({ status: 401, success: false });
      expect(await user.call(method, path)).toMatchObject({ status: 403, success: false, code: 'forbidden' });
    }
  });

  describe('listing', () => {
    const names = (answer: TestResponse) => answer.data.map((channel: { name: string }) => channel.name);
    const total = (answer: TestResponse) => Object.entries(answer.body ?? {}).find(([key]) => key === 'total')?.[1];

    it('counts pages from 0, by priority, then newest first', async () => {
      for (const [name, priority] of [
        ['a', 1],
        ['b', 5],
        ['c', 1],
        ['d', 9],
      ] as const)
        await createOne({ name, priority });
      const first = await desk.admin.get('/api/channel/?p=0&page_size=3');
      expect(names(first)).toEqual(['d', 'b', 'c']);
      expect(total(first)).toBe(4);
      expect(names(await desk.admin.get('/api/channel/?p=1&page_size=3'))).toEqual(['a']);
      expect(names(await desk.admin.get('/api/channel/?p=7&page_size=3'))).toEqual([]);
      expect(names(await desk.admin.get('/api/channel/?id_sort=true'))).toEqual(['d', 'c', 'b', 'a']);
      expect(names(await desk.admin.get('/api/channel/?p=NaN&page_size=&tag_mode=true'))).toEqual(['d', 'b', 'c', 'a']);
    });

    it('answers ten rows without a size and at most a hundred with a bigger one', async () => {
      await create({ key: Array.from({ length: 105 }, (_, index) => `sk-${index}`).join('\n') });
      expect((await desk.admin.get('/api/channel/')).data).toHaveLength(10);
      expect((await desk.admin.get('/api/channel/?page_size=0')).data).toHaveLength(10);
      expect((await desk.admin.get('/api/channel/?p=-1&page_size=many')).data).toHaveLength(10);
      expect((await desk.admin.get('/api/channel/?page_size=1000')).data).toHaveLength(100);
      for (const query of ['p[$gt]=1', 'page_size=5&page_size=6', 'id_sort=2', 'id_sort[$ne]=1']) {
        const field = /^\w+/.exec(query)?.[0];
        const answer = await desk.admin.get(`/api/channel/?${query}`);
        expect(answer).toMatchObject({ status: 200, success: false, code: 'invalid_field', field });
      }
      for (const text of ['T', 'TRUE', 'f', '0', '', 'undefined', 'null'])
        expect(await desk.admin.get(`/api/channel/?id_sort=${text}`)).toMatchObject({ status: 200, success: true });
    });

    it('finds by id, part of the name, whole key, part of the models and exact group', async () => {
      const id = await createOne({ name: 'Alpha%', key: 'sk-alpha', models: 'gpt-4o,o3-mini', group: 'vip' });
      await createOne({ name: 'beta', key: 'sk-beta', models: 'deepseek-chat', group: 'default,vip2' });
      const search = async (query: string) => names(await desk.admin.get(`/api/channel/search?${query}`));
      expect(await search(`keyword=${id}`)).toContain('Alpha%');
      expect(await search('keyword=alph')).toEqual(['Alpha%']);
      expect(await search('keyword=%25')).toEqual(['Alpha%']);
      expect(await search('keyword=sk-beta')).toEqual(['beta']);
      expect(await search('keyword=sk-')).toEqual([]);
      expect(await search('model=deepseek')).toEqual(['beta']);
      expect(await search('group=vip')).toEqual(['Alpha%']);
      expect(await search('keyword=&group=null&model=')).toEqual(['beta', 'Alpha%']);
      expect(await search('keyword=beta&group=vip')).toEqual([]);
      expect(await search('id_sort=true')).toEqual(['beta', 'Alpha%']);
      expect(await desk.admin.get('/api/channel/search?keyword[$ne]=x')).toMatchObject({ status: 200, field: 'keyword' });
    });

    it('finds the channels of a group among thousands of another that has its name in it', async () => {
      const { secrets, db } = desk.app.context;
      const others = Array.from({ length: 2050 }, (_, at) =>
        buildChannel({ id: 1_000_000 + at, priority: 5, group: at % 2 === 0 ? 'vip2' : 'VIP', name: 'other' }, secrets),
      );
      await db.write(others.map((record) => ({ insert: record, into: 'channels' })));
      await createOne({ name: 'meant', group: 'default,vip' });
      await createOne({ name: 'also meant', group: 'vip' });
      expect(names(await desk.admin.get('/api/channel/search?group=vip'))).toEqual(['also meant', 'meant']);
      expect(names(await desk.admin.get('/api/channel/search?group=vip&keyword=also'))).toEqual(['also meant']);
      expect((await desk.admin.get('/api/channel/search?group=vip2')).data).toHaveLength(1000);
    });

    it('never shows a key', async () => {
      const id = await createOne({ key: 'sk-never-shown' });
      for (const path of [
        '/api/channel/',
        '/api/channel/?tag_mode=true',
        '/api/channel/search',
        '/api/channel/search?keyword=sk-never-shown',
        `/api/channel/${id}`,
      ]) {
        const text = JSON.stringify((await desk.admin.get(path)).body);
        expect(text).toContain('"key":""');
        expect(text).not.toContain('sk-never-shown');
        expect(text).not.toContain((await stored(id)).key_hash);
        expect(text).not.toContain('key_cipher');
      }
    });

    it('answers an unknown id with an error', async () => {
      expect(await desk.admin.get('/api/channel/4711')).toMatchObject({ status: 200, success: false, code: 'channel_not_found' });
      expect(await desk.admin.get('/api/channel/abc')).toMatchObject({ status: 404, success: false });
    });
  });

  describe('deleting', () => {
    it('removes one, and says when there is none', async () => {
      const id = await createOne();
      expect(await desk.admin.delete(`/api/channel/${id}/`)).toMatchObject({ status: 200, success: true });
      expect(await desk.admin.delete(`/api/channel/${id}/`)).toMatchObject({ status: 200, success: false, code: 'channel_not_found' });
      expect(desk.app.context.channels.get(id)).toBeUndefined();
    });

    it('removes several and answers how many there were', async () => {
      const ids = (await create({ key: 'sk-1\nsk-2\nsk-3' })).data;
      expect(await desk.admin.post('/api/channel/batch', { ids: [ids[0], ids[1], ids[1], 999_999] })).toMatchObject({
        success: true,
        data: 2,
      });
      expect(await count()).toBe(1);
      for (const wrong of [{ ids: [] }, {}, { ids: ['1'] }, { ids: [{ $gt: 0 }] }, { ids: [1.5] }]) {
        expect(await desk.admin.post('/api/channel/batch', wrong)).toMatchObject({ status: 200, success: false });
      }
      expect((await desk.admin.post('/api/channel/batch', { ids: [] })).message).toBe('参数错误');
      expect(await count()).toBe(1);
    });

    it('removes the disabled ones, however they were disabled', async () => {
      const ids = (await create({ key: 'sk-1\nsk-2\nsk-3' })).data;
      await desk.admin.put('/api/channel/', { id: ids[0], status: 2 });
      await desk.app.context.db.collection('channels').patch({ id: ids[1] }, { set: { status: 3 } });
      expect(await desk.admin.delete('/api/channel/disabled')).toMatchObject({ success: true, data: 2 });
      expect((await desk.admin.get('/api/channel/')).data.map((channel: { id: number }) => channel.id)).toEqual([ids[2]]);
    });

    it('never hands out an id again', async () => {
      const first = await createOne();
      await desk.admin.delete(`/api/channel/${first}/`);
      expect(await createOne()).toBeGreaterThan(first);
    });
  });

  it('reach the relay’s index of every process within a second', async () => {
    await using second = await createTestApp(engine, { database: desk.app.database });
    const id = await createOne({ models: 'far-away' });
    await expect.poll(() => second.context.channels.enabledModels(), { timeout: 60_000, interval: 20 }).toContain('far-away');
    await desk.admin.put('/api/channel/', { id, status: 2 });
    await expect.poll(() => second.context.channels.enabledModels(), { timeout: 60_000, interval: 20 }).not.toContain('far-away');
  });
});
