import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Collection } from '#server/db/collection.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { codeRecord, makeCode, makeCodes } from '#tests/support/redemption-desk.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

describe.each(engines)('redemption codes on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;
  let admin: TestClient;
  beforeAll(async () => {
    app = await createTestApp(engine);
    root = await app.setup();
    admin = await app.as(await app.createUser({ role: 10 }));
  });
  afterAll(() => app.close());

  /** What is looked for by `find` and `get`, in any collection. */
  const watchLookUps = (): string[] => {
    const requested: string[] = [];
    const collection: Pick<Collection<UserRecord>, 'find' | 'get'> = Object.getPrototypeOf(app.database.db.collection('users'));
    const { find, get } = collection;
    vi.spyOn(collection, 'find').mockImplementation(function (this: typeof collection, ...given) {
      requested.push(JSON.stringify(given[0]));
      return find.apply(this, given);
    });
    vi.spyOn(collection, 'get').mockImplementation(function (this: typeof collection, ...given) {
      requested.push(JSON.stringify(given[0]));
      return get.apply(this, given);
    });
    return requested;
  };
  const nameOfUser = async (id: number | null) => (await app.context.db.collection('users').get(id ?? 0))?.username;
  const idOf = async (key: string) => (await codeRecord(app, key)).id;

  it('are for administrators: every call refuses guests and users', async () => {
    const user = await app.as(await app.createUser());
    const calls = (client: TestClient) => [
      client.get('/api/redemption/'),
      client.get('/api/redemption/search?keyword=a'),
      client.get('/api/redemption/1'),
      client.post('/api/redemption/', { name: 'x', quota: 1, count: 1 }),
      client.put('/api/redemption/', { id: 1 }),
      client.delete('/api/redemption/1/'),
      client.delete('/api/redemption/used'),
      client.post('/api/redemption/batch', { ids: [1] }),
    ];
    for (const answer of await Promise.all(calls(app.anonymous()))) expect(answer).toMatchObject({ status: 401, success: false });
    for (const answer of await Promise.all(calls(user))) expect(answer).toMatchObject({ status: 403, success: false, code: 'forbidden' });
    expect(await app.context.db.collection('redemptions').count({})).toBe(0);
  });

  it('are made by the dozen, of 32 hexadecimal digits, and stored only hashed and encrypted', async () => {
    const keys = await makeCodes(admin, { name: ' 双十一 ', quota: 250_000, count: 12 });
    expect(new Set(keys).size).toBe(12);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
    const [key = ''] = keys;
    const record = await codeRecord(app, key);
    expect(record).toMatchObject({ name: '双十一', quota: 250_000, status: 1, user_id: admin.userId, used_user_id: 0 });
    expect(JSON.stringify(record)).not.toContain(key);
    expect((await admin.get(`/api/redemption/${record.id}`)).data).toMatchObject({
      id: record.id,
      key,
      count: 0,
      redeemed_time: 0,
      expired_time: 0,
      DeletedAt: null,
      revision: 1,
    });
  });

  it('say who made and who redeemed them, a page of them in one query; who is gone is an id', async () => {
    const [mine = '', gone = '', left = ''] = await makeCodes(admin, { name: 'named', count: 3 });
    const redeemer = await app.createUser();
    await (await app.as(redeemer)).post('/api/user/topup', { key: mine });
    await app.context.db.collection('redemptions').patch({ id: await idOf(gone) }, { set: { status: 3, used_user_id: 999_999 } });
    const maker = { user_name: await nameOfUser(admin.userId) };
    const requested = watchLookUps();
    const { items } = (await root.get('/api/redemption/search?keyword=named')).data;
    expect(requested.filter((what) => what.includes('999999'))).toEqual([expect.stringContaining(`${redeemer.id}`)]);
    vi.restoreAllMocks();
    expect(items).toMatchObject([
      { ...maker, key: left, used_user_id: 0, used_user_name: '' },
      { ...maker, key: gone, used_user_id: 999_999, used_user_name: '' },
      { ...maker, key: mine, used_user_id: redeemer.id, used_user_name: redeemer.username },
    ]);
    const named = { ...maker, used_user_name: redeemer.username };
    expect((await admin.get(`/api/redemption/${await idOf(mine)}`)).data).toMatchObject(named);
    expect((await admin.put('/api/redemption/', { id: await idOf(left), name: 'renamed' })).data).toMatchObject(maker);
  });

  it.each([
    [{ name: '' }, 'redemption_name_length', '兑换码名称长度必须在1-20之间'],
    [{ name: ' \n ' }, 'redemption_name_length', '兑换码名称长度必须在1-20之间'],
    [{ name: '海'.repeat(21) }, 'redemption_name_length', '兑换码名称长度必须在1-20之间'],
    [{ count: 0 }, 'redemption_count_low', '兑换码个数必须大于0'],
    [{ count: -3 }, 'redemption_count_low', '兑换码个数必须大于0'],
    [{ count: 101 }, 'redemption_count_high', '一次兑换码批量生成的个数不能大于 100'],
    [{ quota: 0 }, 'redemption_quota_low', '兑换码额度必须大于0'],
    [{ quota: -1 }, 'redemption_quota_low', '兑换码额度必须大于0'],
    [{ expired_time: 1 }, 'redemption_expiry_past', '过期时间必须晚于现在'],
    [{ quota: 1.5 }, 'invalid_field', '无效的参数：额度（quota）必须是整数'],
    [{ quota: '5' }, 'invalid_field', '无效的参数：额度（quota）必须是数字'],
    [{ name: { $ne: '' } }, 'invalid_field', '无效的参数：名称（name）必须是文本'],
    [{ count: [2] }, 'invalid_field', '无效的参数：数量（count）必须是数字'],
    [{ quota: 2 ** 53 }, 'invalid_field', expect.stringContaining('无效的参数')],
  ])('%j is refused with %s, and nothing is made', async (fields, code, message) => {
    const before = await app.context.db.collection('redemptions').count({});
    const answer = await admin.post('/api/redemption/', { name: 'gift', quota: 1, count: 1, ...fields });
    expect(answer).toMatchObject({ status: 200, success: false, code, message, field: Object.keys(fields)[0] });
    expect(await app.context.db.collection('redemptions').count({})).toBe(before);
  });

  it('names of 20 characters are allowed, whatever their bytes', async () => {
    expect((await codeRecord(app, await makeCode(admin, { name: '🎁'.repeat(20) }))).name).toBe('🎁'.repeat(20));
  });

  it('are listed newest first, page 0 and page 1 being the same, and found by the beginning of the name or the id', async () => {
    const keys = await makeCodes(admin, { name: 'autumn_50%', count: 3 });
    await makeCodes(admin, { name: 'an autumn' });
    const id = await idOf(keys[1] ?? '');
    for (const p of [0, 1]) {
      const { data } = await admin.get(`/api/redemption/?p=${p}&page_size=2`);
      expect(data).toMatchObject({ page: 1, page_size: 2, total: expect.any(Number) });
      expect(data.items.map((item: { name: string }) => item.name)).toEqual(['an autumn', 'autumn_50%']);
    }
    const names = async (keyword: string) =>
      (await admin.get(`/api/redemption/search?keyword=${encodeURIComponent(keyword)}&p=1&page_size=100`)).data.items.map(
        (item: { name: string }) => item.name,
      );
    expect(await names('autumn')).toEqual(['autumn_50%', 'autumn_50%', 'autumn_50%']);
    // Not as patterns.
    expect(await names('autumn_5')).toHaveLength(3);
    expect(await names('autumn%')).toEqual([]);
    expect(await names('.*')).toEqual([]);
    const { data } = await admin.get(`/api/redemption/search?keyword=${id}`);
    expect(data.items.map((item: { id: number }) => item.id)).toContain(id);
  });

  it('are filtered by status', async () => {
    const [one = '', other = ''] = await makeCodes(admin, { name: 'filtered', count: 2 });
    await admin.put('/api/redemption/?status_only=true', { id: await idOf(one), status: 2 });
    const found = async (status: string) =>
      (await admin.get(`/api/redemption/search?keyword=filtered&status=${status}`)).data.items.map((item: { id: number }) => item.id);
    expect(await found('2')).toEqual([await idOf(one)]);
    expect(await found('1')).toEqual([await idOf(other)]);
    expect(await found('3')).toEqual([]);
    expect(await found('')).toHaveLength(2);
    expect(await admin.get('/api/redemption/?status=x')).toMatchObject({ status: 200, success: false, field: 'status' });
  });

  it('are edited while they are unused; old clients send the whole record back', async () => {
    const key = await makeCode(admin);
    const { data } = await admin.get(`/api/redemption/${await idOf(key)}`);
    const answer = await admin.put('/api/redemption/', { ...data, name: 'renamed', quota: 7, count: 9, key: 'other', used_user_id: 3 });
    expect(answer.data).toMatchObject({ key, name: 'renamed', quota: 7, status: 1, used_user_id: 0, revision: 2 });
    for (const [fields, code] of [
      [{ name: '' }, 'redemption_name_length'],
      [{ quota: 0 }, 'redemption_quota_low'],
      [{ expired_time: 5 }, 'redemption_expiry_past'],
    ] as const) {
      expect(await admin.put('/api/redemption/', { id: data.id, ...fields })).toMatchObject({ success: false, code });
    }
  });

  it('an edit that is based on an older revision is refused with the current record', async () => {
    const id = await idOf(await makeCode(admin));
    await admin.put('/api/redemption/', { id, name: 'first', revision: 1 });
    expect(await root.put('/api/redemption/', { id, name: 'second', revision: 1 })).toMatchObject({
      success: false,
      code: 'revision_conflict',
      data: { id, name: 'first', revision: 2 },
    });
  });

  it('are disabled and enabled, and nothing else; a disabled one is not edited', async () => {
    const id = await idOf(await makeCode(admin));
    const set = (status: unknown) => admin.put('/api/redemption/?status_only=true', { id, status, name: 'ignored' });
    expect((await set(2)).data).toMatchObject({ status: 2, name: 'gift' });
    expect(await admin.put('/api/redemption/', { id, quota: 5 })).toMatchObject({ success: false, code: 'redemption_disabled' });
    expect((await set(1)).data).toMatchObject({ status: 1 });
    for (const status of [0, 3, 4, '1', null]) expect(await set(status)).toMatchObject({ status: 200, success: false, field: 'status' });
  });

  it('a used one is neither edited nor enabled', async () => {
    const key = await makeCode(admin);
    const user = await app.as(await app.createUser());
    expect((await user.post('/api/user/topup', { key })).success).toBe(true);
    const id = await idOf(key);
    const refused = { status: 200, success: false, code: 'redemption_used', message: '该兑换码已被使用' };
    expect(await admin.put('/api/redemption/', { id, quota: 1 })).toMatchObject(refused);
    expect(await admin.put('/api/redemption/?status_only=1', { id, status: 1 })).toMatchObject(refused);
    expect((await admin.get(`/api/redemption/${id}`)).data).toMatchObject({ status: 3, used_user_id: user.userId });
  });

  it('deleted ones are gone for everybody, and stay in the books', async () => {
    const key = await makeCode(admin);
    const id = await idOf(key);
    expect(await admin.delete(`/api/redemption/${id}/`)).toMatchObject({ status: 200, success: true });
    expect(await admin.get(`/api/redemption/${id}`)).toMatchObject({ success: false, code: 'not_found', message: '记录不存在' });
    expect(await admin.put('/api/redemption/', { id, quota: 1 })).toMatchObject({ code: 'not_found' });
    expect(await admin.delete(`/api/redemption/${id}`)).toMatchObject({ code: 'not_found' });
    expect(await admin.delete('/api/redemption/0')).toMatchObject({ code: 'redemption_id_empty', message: 'id 为空！' });
    expect((await admin.get(`/api/redemption/search?keyword=${id}`)).data.items).toEqual([]);
    const user = await app.as(await app.createUser());
    expect(await user.post('/api/user/topup', { key })).toMatchObject({ code: 'redeem_invalid' });
    expect(await codeRecord(app, key)).toMatchObject({ id, DeletedAt: expect.any(String) });
  });

  it('several are changed at once, as far as it fits them', async () => {
    const keys = await makeCodes(admin, { name: 'bulk', count: 4 });
    const ids = await Promise.all(keys.map(idOf));
    const user = await app.as(await app.createUser());
    await user.post('/api/user/topup', { key: keys[0] });
    const batch = (action?: string) => admin.post('/api/redemption/batch', { ids: [...ids, 999_999], action });
    expect((await batch('disable')).data).toBe(3);
    expect((await batch('disable')).data).toBe(0);
    expect((await batch('enable')).data).toBe(3);
    expect((await batch()).data).toBe(4);
    expect((await batch()).data).toBe(0);
    for (const body of [{ ids: [] }, { ids: Array.from({ length: 1001 }, (_, id) => id + 1) }, { ids: [1], action: 'crown' }, {}]) {
      expect(await admin.post('/api/redemption/batch', body)).toMatchObject({ status: 200, success: false, code: 'invalid_field' });
    }
  });

  it('a deletion just made is taken back exactly, and stands a minute later', async () => {
    const [key = '', other = ''] = await makeCodes(admin, { name: 'regret', count: 2 });
    const ids = [await idOf(key), await idOf(other)];
    await admin.post('/api/redemption/batch', { ids: [ids[1]], action: 'disable' });
    const before = [await codeRecord(app, key), await codeRecord(app, other)];
    const user = await app.as(await app.createUser());

    expect((await admin.post('/api/redemption/batch', { ids })).data).toBe(2);
    // Meanwhile it cannot be redeemed, nor restored without permission.
    expect(await user.post('/api/user/topup', { key })).toMatchObject({ code: 'redeem_invalid' });
    expect(await user.post('/api/redemption/batch', { ids, action: 'restore' })).toMatchObject({ status: 403 });
    for (const action of ['enable', 'disable']) expect((await admin.post('/api/redemption/batch', { ids, action })).data).toBe(0);
    expect((await admin.post('/api/redemption/batch', { ids: [...ids, 999_999], action: 'restore' })).data).toBe(2);
    expect((await admin.post('/api/redemption/batch', { ids, action: 'restore' })).data).toBe(0);
    for (const [index, record] of [await codeRecord(app, key), await codeRecord(app, other)].entries()) {
      expect({ ...record, revision: 0, audited: '' }).toEqual({ ...before[index], revision: 0, audited: '' });
    }
    expect((await admin.get('/api/redemption/search?keyword=regret')).data.items).toHaveLength(2);
    expect(await user.post('/api/user/topup', { key })).toMatchObject({ success: true });

    await admin.post('/api/redemption/batch', { ids });
    app.clock.advance(61_000);
    expect((await admin.post('/api/redemption/batch', { ids, action: 'restore' })).data).toBe(0);
    // Nor is one taken back that was written under a clock which was a year ahead.
    const DeletedAt = new Date(app.clock.now() + 365 * 86_400_000).toISOString();
    await app.context.db.collection('redemptions').patchAll({ id: { in: ids } }, { set: { DeletedAt } });
    expect((await admin.post('/api/redemption/batch', { ids, action: 'restore' })).data).toBe(0);
    expect((await admin.get('/api/redemption/search?keyword=regret')).data.items).toEqual([]);
  });

  it('all used ones are deleted at once, and no others', async () => {
    const keys = await makeCodes(admin, { name: 'sweep', count: 3 });
    const user = await app.as(await app.createUser());
    for (const key of keys.slice(0, 2)) await user.post('/api/user/topup', { key });
    expect((await admin.delete('/api/redemption/used')).data).toBeGreaterThanOrEqual(2);
    expect((await admin.delete('/api/redemption/used')).body).toMatchObject({ data: 0, ids: [] });
    const left = await admin.get('/api/redemption/search?keyword=sweep');
    expect(left.data.items.map((item: { key: string }) => item.key)).toEqual([keys[2]]);
  });

  it('all used ones come back as they were, and not what somebody else deleted', async () => {
    await admin.delete('/api/redemption/used');
    const keys = await makeCodes(admin, { name: 'tide', count: 5 });
    const user = await app.as(await app.createUser());
    for (const key of keys.slice(0, 4)) await user.post('/api/user/topup', { key });
    const [first = 0, second = 0, third = 0, fourth = 0] = await Promise.all(keys.map(idOf));
    const balance = async () => (await user.get('/api/user/self')).data.quota;
    const before = await Promise.all(keys.map((key) => codeRecord(app, key)));
    const had = await balance();
    await admin.delete(`/api/redemption/${first}`);
    // A code that is deleted during the sweep belongs to the request that deleted it.
    const { db } = app.context;
    const write = db.write.bind(db);
    vi.spyOn(db, 'write').mockImplementationOnce(async (batch) => {
      await db
        .collection('redemptions')
        .patch({ id: second }, { set: { DeletedAt: new Date(app.clock.now()).toISOString() }, unset: ['listed'] });
      return write(batch);
    });
    const swept = await admin.delete('/api/redemption/used');
    vi.restoreAllMocks();
    expect(swept.body).toMatchObject({ success: true, data: 2, ids: [third, fourth] });
    expect((await user.post('/api/redemption/batch', { ids: [third], action: 'restore' })).status).toBe(403);
    const restore = () => admin.post('/api/redemption/batch', { ids: [third, fourth], action: 'restore' });
    const answers = await Promise.all([restore(), restore()]);
    expect(answers.map(({ data }) => data).reduce((sum: number, data: number) => sum + data, 0)).toBe(2);
    const after = await Promise.all(keys.map((key) => codeRecord(app, key)));
    for (const index of [2, 3])
      expect({ ...after[index], revision: 0, audited: '' }).toEqual({ ...before[index], revision: 0, audited: '' });
    const left = await admin.get('/api/redemption/search?keyword=tide');
    expect(left.data.items.map(({ id }: { id: number }) => id)).toEqual([await idOf(keys[4] ?? ''), fourth, third]);
    // They were redeemed, and still are: no user is credited again.
    expect(await user.post('/api/user/topup', { key: keys[2] })).toMatchObject({ code: 'redeem_used' });
    expect(await balance()).toBe(had);

    expect((await admin.delete('/api/redemption/used')).data).toBe(2);
    app.clock.advance(61_000);
    expect((await restore()).data).toBe(0);
  });

  it('answer in English where that is asked for', async () => {
    const english = { headers: { 'accept-language': 'en' } };
    const answer = await admin.post('/api/redemption/', { name: 'x', quota: 1, count: 500 }, english);
    expect(answer.message).toBe('At most 100 redemption codes at once');
  });
});
