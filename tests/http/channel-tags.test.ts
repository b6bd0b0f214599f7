import { describe, expect, it } from 'vitest';
import { useChannelDesk } from '#tests/support/channel-desk.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createTestApp } from '#tests/support/test-app.ts';

describe.each(oneEngine)('channels by tag on $kind', (engine) => {
  const desk = useChannelDesk(engine);
  const { createOne, stored, read } = desk;

  /** Two of `azure`, one of `cn`, one without a tag. */
  async function furnish() {
    const east = await createOne({ name: 'east', tag: 'azure', priority: 8, weight: 10, group: 'default' });
    const west = await createOne({ name: 'west', tag: 'azure', priority: 3, weight: 10, group: 'vip', models: 'o3-mini' });
    const cn = await createOne({ name: 'cn', tag: 'cn' });
    const none = await createOne({ name: 'none' });
    return { east, west, cn, none };
  }
  const tagsOf = async (ids: readonly number[]) => Promise.all(ids.map(async (id) => (await stored(id)).tag));

  it('are for administrators only, and take nothing but what they are told to', async () => {
    const user = await desk.app.as(await desk.app.createUser());
    for (const [method, path] of [
      ['GET', '/api/channel/tags'],
      ['POST', '/api/channel/batch/tag'],
      ['POST', '/api/channel/tag/enabled'],
      ['POST', '/api/channel/tag/disabled'],
      ['PUT', '/api/channel/tag'],
      ['PUT', '/api/channel/batch'],
      ['POST', '/api/channel/fix'],
    ] as const) {
      expect(await desk.app.anonymous().call(method, path)).toMatchObject({ status: 401 });
      expect(await user.call(method, path, {})).toMatchObject({ status: 403, code: 'forbidden' });
    }
    const { east } = await furnish();
    for (const [method, path, body] of [
      ['POST', '/api/channel/batch/tag', { ids: [east], tag: { $gt: '' } }],
      ['POST', '/api/channel/batch/tag', { ids: ['1'], tag: 'x' }],
      ['POST', '/api/channel/tag/enabled', { tag: ['azure'] }],
      ['PUT', '/api/channel/tag', { tag: 'azure', priority: 1.5 }],
      ['PUT', '/api/channel/tag', { tag: 'azure', groups: [{}] }],
      ['PUT', '/api/channel/batch', { ids: [east], status: 3 }],
      ['PUT', '/api/channel/batch', { ids: [east], priority: 1, base_url: 'https://example.com' }],
      ['PUT', '/api/channel/batch', { ids: [east], model_mapping: '{}' }],
      ['PUT', '/api/channel/batch', { ids: Array.from({ length: 1001 }, (_, at) => at + 1), priority: 1 }],
    ] as const) {
      expect(await desk.admin.call(method, path, body), path).toMatchObject({ status: 200, success: false, code: 'invalid_field' });
    }
    const foreign = await desk.admin.put('/api/channel/batch', { ids: [east], name: 'x' });
    expect(foreign).toMatchObject({ success: false, code: 'invalid_field', field: 'name' });
    expect(await stored(east)).toMatchObject({ tag: 'azure', revision: 1 });
  });

  it('come with totals, those without a tag last', async () => {
    const { east, west, none } = await furnish();
    await desk.admin.put('/api/channel/', { id: west, status: 2 });
    const channels = desk.app.context.db.collection('channels');
    await channels.patch({ id: east }, { set: { balance: 2.5, balance_updated_time: 5, used_quota: 70 } });
    await channels.patch({ id: none }, { set: { status: 3 } });
    const { data } = await desk.admin.get('/api/channel/tags');
    expect(data.map(({ tag }: { tag: string }) => tag)).toEqual(['azure', 'cn', '']);
    expect(data[0]).toEqual({
      tag: 'azure',
      ids: [east, west],
      enabled: 1,
      disabled_by_hand: 1,
      disabled_by_system: 0,
      groups: ['default', 'vip'],
      used_quota: 70,
      balance: 2.5,
      priority: [3, 8],
      weight: [10, 10],
    });
    expect(data[2]).toMatchObject({ ids: [none], disabled_by_system: 1, balance: null });
    const filtered = await desk.admin.get('/api/channel/tags?model=o3');
    expect(filtered.data).toMatchObject([{ tag: 'azure', ids: [west] }]);
    expect((await desk.admin.get('/api/channel/search?tag=azure')).data.map(({ id }: { id: number }) => id)).toEqual([east, west]);
  });

  it('list page by page for clients that put tags together themselves', async () => {
    const { east, west, cn, none } = await furnish();
    const page = async (query: string) => {
      const { body, data } = await desk.admin.get(`/api/channel/?tag_mode=true&${query}`);
      return { total: Object(body).total, ids: data.map(({ id }: { id: number }) => id) };
    };
    expect(await page('p=0&page_size=1')).toEqual({ total: 3, ids: [east, west] });
    expect(await page('p=0&page_size=1&id_sort=true')).toEqual({ total: 3, ids: [west, east] });
    expect(await page('p=1&page_size=2')).toEqual({ total: 3, ids: [none] });
    expect(await page('p=5&page_size=2')).toEqual({ total: 3, ids: [] });
    expect((await page('')).ids).toEqual([east, west, cn, none]);
    expect(await desk.admin.get('/api/channel/?tag_mode=2')).toMatchObject({ success: false, field: 'tag_mode' });
  });

  it('are found whole by a search for one of their channels', async () => {
    const { east, west, cn } = await furnish();
    const found = async (query: string) => (await desk.admin.get(`/api/channel/search?${query}`)).data.map(({ id }: { id: number }) => id);
    expect(await found('model=o3')).toEqual([west]);
    expect(await found('model=o3&tag_mode=true')).toEqual([east, west]);
    expect(await found('model=o3&tag_mode=true&id_sort=true')).toEqual([west, east]);
    // Every tag, and nothing of what has none.
    expect(await found('keyword=&tag_mode=true')).toEqual([east, west, cn]);
    expect(await found('keyword=nowhere&tag_mode=true')).toEqual([]);
  });

  it('are given to many and taken away', async () => {
    const { east, cn, none } = await furnish();
    expect(await desk.admin.post('/api/channel/batch/tag', { ids: [cn, none, none], tag: ' new ' })).toMatchObject({
      success: true,
      data: 2,
    });
    expect(await tagsOf([east, cn, none])).toEqual(['azure', 'new', 'new']);
    expect(await desk.admin.post('/api/channel/batch/tag', { ids: [cn], tag: null })).toMatchObject({ success: true, data: 1 });
    expect(await tagsOf([cn, none])).toEqual(['', 'new']);
    expect(await desk.admin.post('/api/channel/batch/tag', { ids: [], tag: 'x' })).toMatchObject({
      code: 'channel_arguments',
      message: '参数错误',
    });
    expect(await desk.admin.post('/api/channel/batch/tag', { ids: [cn], tag: 'a\nb' })).toMatchObject({ code: 'channel_text_invalid' });
    const partly = await desk.admin.post('/api/channel/batch/tag', { ids: [east, 999_999], tag: 'x' });
    expect(partly).toMatchObject({
      success: false,
      code: 'channels_partly_changed',
      message: '只修改了 2 个渠道中的 1 个。#999999 渠道未找到，请刷新页面后重试。',
    });
    expect(await tagsOf([east])).toEqual(['x']);
  });

  it('enable and disable all of theirs, with who did it, and the relay follows', async () => {
    const { east, west, cn } = await furnish();
    await desk.app.context.db.collection('channels').patch({ id: west }, { set: { status: 3 } });
    expect(await desk.admin.post('/api/channel/tag/disabled', { tag: 'azure' })).toMatchObject({ success: true, data: 2 });
    for (const id of [east, west]) expect(await stored(id)).toMatchObject({ status: 2 });
    expect(JSON.parse((await stored(west)).other_info)).toMatchObject({ status_by: 'keeper' });
    expect(await stored(cn)).toMatchObject({ status: 1 });
    await expect.poll(() => desk.app.context.channels.enabledModels()).toEqual(['gpt-4o']);
    expect(await desk.admin.post('/api/channel/tag/enabled', { tag: 'azure' })).toMatchObject({ data: 2 });
    expect(await desk.admin.post('/api/channel/tag/enabled', { tag: 'azure' })).toMatchObject({ data: 0 });
    await expect.poll(() => desk.app.context.channels.enabledModels()).toEqual(['gpt-4o', 'o3-mini']);
    expect(await desk.admin.post('/api/channel/tag/enabled', { tag: 'nobody has it' })).toMatchObject({ success: true, data: 0 });
    for (const body of [{}, { tag: '' }, { tag: '  ' }]) {
      expect(await desk.admin.post('/api/channel/tag/disabled', body)).toMatchObject({ code: 'channel_arguments', message: '参数错误' });
    }
  });

  it('are edited: what is given overwrites, what is empty stays, an empty new name dissolves the tag', async () => {
    const { east, west, cn } = await furnish();
    const edit = (body: object) => desk.admin.put('/api/channel/tag', body);
    expect(await edit({ tag: 'azure', new_tag: 'azure', models: '', groups: '', model_mapping: '', weight: 0 })).toMatchObject({ data: 2 });
    expect(await stored(east)).toMatchObject({ weight: 0, models: 'gpt-4o', group: 'default', tag: 'azure' });
    const mapping = '{"gpt-4o":"gpt-4o-mini"}';
    expect(
      await edit({ tag: 'azure', models: 'gpt-4o, gpt-4', groups: 'vip,default', model_mapping: mapping, priority: -5 }),
    ).toMatchObject({
      success: true,
      data: 2,
    });
    for (const id of [east, west]) {
      expect(await read(id)).toMatchObject({ models: 'gpt-4o,gpt-4', groups: ['vip', 'default'], model_mapping: mapping, priority: -5 });
    }
    expect(await edit({ tag: 'azure', groups: ['default'] })).toMatchObject({ data: 2 });
    expect(await edit({ tag: 'azure', new_tag: '' })).toMatchObject({ data: 2 });
    expect(await tagsOf([east, west, cn])).toEqual(['', '', 'cn']);
    expect(await edit({ tag: ' ' })).toMatchObject({ success: false, code: 'tag_empty', message: 'tag不能为空' });
    expect(await edit({ tag: 'cn', model_mapping: '{' })).toMatchObject({ success: false, code: 'channel_mapping_invalid' });
    expect(await stored(cn)).toMatchObject({ revision: 1 });
  });

  describe('a bulk edit', () => {
    it('says of each channel what came of it', async () => {
      const { east, west, cn } = await furnish();
      const body = { ids: [east, west, cn, 999_999], models_added: 'o3-mini', models_removed: 'gpt-4o, gpt-3.5' };
      expect((await desk.admin.put('/api/channel/batch', body)).data).toMatchObject({
        changed: 2,
        same: 1,
        failed: [{ id: 999_999, message: '渠道未找到，请刷新页面后重试。' }],
      });
      expect((await stored(cn)).models).toBe('o3-mini');
      const emptied = await desk.admin.put('/api/channel/batch', { ids: [cn], models_removed: 'o3-mini' });
      expect(emptied.data).toMatchObject({ changed: 0, failed: [{ id: cn, message: '请至少选择一个模型！' }] });
      expect((await stored(cn)).models).toBe('o3-mini');
    });

    it('changes what is named, and nothing when that is wrong', async () => {
      const { east, west } = await furnish();
      const ids = [east, west];
      const fields = { status: 2, priority: 7, weight: 3, auto_ban: 0, tag: '', groups: ['vip'] };
      // Where a key goes, and the key, are edited by themselves.
      for (const [field, value] of [
        ['key', 'sk-other'],
        ['base_url', 'https://evil.example'],
      ] as const)
        expect(await desk.admin.put('/api/channel/batch', { ids, ...fields, [field]: value })).toMatchObject({
          code: 'invalid_field',
          field,
        });
      expect((await stored(east)).revision).toBe(1);
      expect((await desk.admin.put('/api/channel/batch', { ids, ...fields })).data).toEqual({ changed: 2, same: 0, failed: [] });
      for (const id of ids) {
        expect(await stored(id)).toMatchObject({ status: 2, priority: 7, weight: 3, auto_ban: 0, tag: '', group: 'vip', base_url: '' });
        expect(await desk.keyOf(id)).toBe('sk-secret-one');
      }
      expect((await desk.admin.put('/api/channel/batch', { ids, ...fields })).data).toEqual({ changed: 0, same: 2, failed: [] });
      for (const wrong of [{ tag: 'a\u0000b' }, { groups: ['a\nb'] }, { models_added: 'x'.repeat(300) }]) {
        expect(await desk.admin.put('/api/channel/batch', { ids, ...wrong })).toMatchObject({ status: 200, success: false });
      }
      expect(await desk.admin.put('/api/channel/batch', { ids: [], priority: 1 })).toMatchObject({ code: 'channel_arguments' });
      expect((await stored(east)).revision).toBe(2);
    });

    it('and single edits at the same time lose nothing of each other', async () => {
      const { east, west, cn } = await furnish();
      const ids = [east, west, cn];
      const answers = await Promise.all([
        desk.admin.put('/api/channel/batch', { ids, priority: 4 }),
        desk.admin.put('/api/channel/batch', { ids, models_added: 'one' }),
        desk.admin.put('/api/channel/batch', { ids, models_added: 'two' }),
        desk.admin.put('/api/channel/', { id: cn, name: 'renamed' }),
      ]);
      expect(answers.every(({ success }) => success)).toBe(true);
      for (const id of ids) {
        const { models, priority } = await stored(id);
        expect(models.split(',')).toEqual(expect.arrayContaining(['one', 'two']));
        expect(priority).toBe(4);
      }
      expect((await stored(cn)).name).toBe('renamed');
    });
  });

  it('fix: mends what is stored in an older form, once, and reads everything anew', async () => {
    await using app = await createTestApp(engine);
    const admin = await app.setup();
    const [id] = (await admin.post('/api/channel/', { name: 'one', key: 'sk-1', models: 'gpt-4o' })).data;
    await admin.post('/api/channel/', { name: 'right', key: 'sk-2', models: 'gpt-4o' });
    const broken = { models: 'gpt-4o,, gpt-4o ,o3-mini', group: ' vip,vip', tag: ' azure', status: 0 };
    await app.context.db.collection('channels').patch({ id }, { set: broken });
    expect(await admin.post('/api/channel/fix')).toMatchObject({ success: true, data: 1 });
    expect(await app.context.db.collection('channels').get(id)).toMatchObject({
      models: 'gpt-4o,o3-mini',
      group: 'vip',
      tag: 'azure',
      status: 2,
    });
    expect(await admin.post('/api/channel/fix')).toMatchObject({ success: true, data: 0 });
  });
});
