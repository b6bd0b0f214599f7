import { describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { useTokenDesk } from '#tests/support/token-desk.ts';

const never = -1;

describe.each(engines)('tokens on $kind', (engine) => {
  const desk = useTokenDesk(engine);
  const { someone, createOne, record } = desk;

  it('needs a session', async () => {
    const anonymous = desk.app.anonymous();
    for (const answer of [
      await anonymous.get('/api/token/'),
      await anonymous.get('/api/token/search'),
      await anonymous.get('/api/token/1'),
      await anonymous.post('/api/token/', { name: 'x' }),
      await anonymous.put('/api/token/', { id: 1 }),
      await anonymous.delete('/api/token/1/'),
      await anonymous.post('/api/token/batch', { ids: [1] }),
      await anonymous.post('/api/token/restore', { ids: [1] }),
    ]) {
      expect(answer).toMatchObject({ status: 401, success: false, code: 'not_logged_in' });
    }
  });

  it('creates a token with its defaults and answers the key, which is stored only hashed and encrypted', async () => {
    const client = await someone();
    const answer = await client.post('/api/token/', { name: ' my first ' });
    expect(answer.data).toHaveLength(1);
    const token = answer.data[0];
    expect(token).toMatchObject({
      user_id: client.userId,
      name: 'my first',
      expired_time: never,
      remain_quota: 0,
      unlimited_quota: false,
      used_quota: 0,
      model_limits_enabled: false,
      model_limits: '',
      allow_ips: '',
      group: '',
      DeletedAt: null,
      revision: 1,
      // Limited, and without any quota.
      status: 4,
    });
    expect(token.key).toMatch(/^[0-9a-zA-Z]{48}$/);
    expect(JSON.stringify(await record(token.id))).not.toContain(token.key);
    expect((await record(token.id)).key_hash).toBe(desk.app.context.secrets.hash(token.key));
  });

  it('shows the key in list and search, and masks it everywhere else', async () => {
    const client = await someone();
    const { id, key } = await createOne(client);
    expect((await client.get('/api/token/')).data[0].key).toBe(key);
    expect((await client.get('/api/token/search?keyword=key')).data[0].key).toBe(key);
    const masked = `${key.slice(0, 3)}**********${key.slice(-3)}`;
    expect((await client.get(`/api/token/${id}`)).data).toMatchObject({ id, key: masked });
    expect((await client.put('/api/token/', { id, name: 'renamed' })).data).toMatchObject({ id, key: masked, name: 'renamed' });
  });

  it('grants quota through the ledger, so that the books know it', async () => {
    const client = await someone();
    const { id } = await createOne(client, { unlimited_quota: false, remain_quota: 500_000 });
    expect((await client.get(`/api/token/${id}`)).data).toMatchObject({ remain_quota: 500_000, full_mark: 500_000, status: 1 });
    const entries = await desk.app.context.db.collection('ledger').find({ account: 'token', account_id: id });
    expect(entries).toMatchObject([{ ref: `token:${id}:grant`, amount: 500_000, state: 'done', actor_id: client.userId }]);
  });

  it('creates several at once, with names of their own that keep the limit', async () => {
    const client = await someone();
    const name = '海'.repeat(30);
    const answer = await client.post('/api/token/', { name, count: 20, remain_quota: 7, unlimited_quota: false });
    expect(answer.data).toHaveLength(20);
    const names: string[] = answer.data.map((token: { name: string }) => token.name);
    expect(names[0]).toBe(name);
    expect(new Set(names).size).toBe(20);
    for (const other of names.slice(1)) expect(other).toMatch(/^海{23}-[0-9a-zA-Z]{6}$/u);
    expect(answer.data.every((token: { remain_quota: number }) => token.remain_quota === 7)).toBe(true);
    expect(new Set(answer.data.map((token: { key: string }) => token.key)).size).toBe(20);
  });

  it('takes 0 as "never expires" on creation, as old clients send it, and nowhere else', async () => {
    const client = await someone();
    const { id } = await createOne(client, { expired_time: 0 });
    expect((await client.get(`/api/token/${id}`)).data.expired_time).toBe(never);
    expect(await client.put('/api/token/', { id, expired_time: 0 })).toMatchObject({
      status: 200,
      success: false,
      code: 'token_expiry_invalid',
      field: 'expired_time',
    });
  });

  it.each([
    [{ name: '' }, 'token_name_required', 200],
    [{ name: '   ' }, 'token_name_required', 200],
    [{ name: 'x'.repeat(31) }, 'token_name_long', 200],
    [{ name: 'x', count: 101 }, 'token_count_invalid', 200],
    [{ name: 'x', count: 0 }, 'invalid_field', 200],
    [{ name: 'x', count: 2.5 }, 'invalid_field', 200],
    [{ name: 'x', remain_quota: -1 }, 'invalid_field', 200],
    [{ name: 'x', remain_quota: 0.5 }, 'invalid_field', 200],
    [{ name: 'x', remain_quota: 1e15 * 10 }, 'invalid_field', 200],
    [{ name: 'x', remain_quota: '5' }, 'invalid_field', 200],
    [{ name: 'x', remain_quota: { $gt: 0 } }, 'invalid_field', 200],
    [{ name: { $ne: '' } }, 'invalid_field', 200],
    [{ name: ['x'] }, 'invalid_field', 200],
    [{ name: 'x', expired_time: -2 }, 'invalid_field', 200],
    [{ name: 'x', expired_time: 1e12 }, 'invalid_field', 200],
    [{ name: 'x', expired_time: 'tomorrow' }, 'invalid_field', 200],
    [{ name: 'x', unlimited_quota: 'yes' }, 'invalid_field', 200],
    [{ name: 'x', group: 'moon' }, 'token_group_denied', 200],
    [{ name: 'x', group: '__proto__' }, 'token_group_denied', 200],
    [{ name: 'x', allow_ips: '10.0.0.1\nnot an address' }, 'token_ips_invalid', 200],
    [{ name: 'x', allow_ips: '10.0.0.0/33' }, 'token_ips_invalid', 200],
    [{ name: 'x', allow_ips: '2001:db8::/129' }, 'token_ips_invalid', 200],
    [{ name: 'x', allow_ips: '10' }, 'token_ips_invalid', 200],
    [{ name: 'x', allow_ips: '0x7f.1' }, 'token_ips_invalid', 200],
    [{ name: 'x', allow_ips: '10.0.0.1/8/8' }, 'token_ips_invalid', 200],
    [{}, 'invalid_field', 200],
    [[], 'invalid_parameter', 200],
  ])('refuses to create %j: %s', async (body, code, status) => {
    const client = await someone();
    const answer = await client.post('/api/token/', body);
    expect(answer).toMatchObject({ status, success: false, code });
    expect(answer.message).not.toBe('');
    expect((await client.get('/api/token/')).data).toEqual([]);
  });

  it('says what is wrong in the language of the caller', async () => {
    const client = await someone();
    const body = { name: 'x', allow_ips: '10.0.0.1\n10.0.0.300' };
    const english = { headers: { 'accept-language': 'en-GB,en;q=0.9' } };
    expect((await client.post('/api/token/', body)).message).toBe('允许的 IP 格式错误：10.0.0.300');
    expect((await client.post('/api/token/', body, english)).message).toBe('Not an IP address or CIDR range: 10.0.0.300');
    expect((await client.post('/api/token/', { name: '' }, english)).message).toBe('Enter a name for the token');
    expect(
      (await client.post('/api/token/', undefined, { rawBody: '{"name":', headers: { 'content-type': 'application/json' } })).message,
    ).toBe('请求体不是合法的 JSON：第 1 行第 9 列');
  });

  it('tidies addresses and models', async () => {
    const client = await someone();
    const { id } = await createOne(client, {
      allow_ips: ' 10.0.0.1 ,192.168.0.0/16\r\n\r\n2001:db8::/32\n10.0.0.1',
      model_limits: ' gpt-4o , ,gpt-4o,o4-mini',
      model_limits_enabled: true,
    });
    expect((await client.get(`/api/token/${id}`)).data).toMatchObject({
      allow_ips: '10.0.0.1\n192.168.0.0/16\n2001:db8::/32',
      model_limits: 'gpt-4o,o4-mini',
      model_limits_enabled: true,
    });
  });

  it('gives out the groups that everybody may use and the own one', async () => {
    const client = await someone({ group: 'svip' });
    await createOne(client, { group: 'svip' });
    await createOne(client, { group: 'vip' });
    await createOne(client, { group: '' });
    const other = await someone();
    expect(await other.post('/api/token/', { name: 'x', group: 'svip' })).toMatchObject({ success: false, code: 'token_group_denied' });
  });

  it('keeps a group that is no longer offered until another is chosen', async () => {
    const owner = await desk.app.createUser({ group: 'svip' });
    const client = await desk.app.as(owner);
    const { id } = await createOne(client, { group: 'svip' });
    await desk.app.context.db.collection('users').patch({ id: owner.id }, { set: { group: 'default' } });
    expect(await client.put('/api/token/', { id, name: 'renamed', group: 'svip' })).toMatchObject({ success: true });
    expect(await client.put('/api/token/', { id, group: 'vip' })).toMatchObject({ success: true });
    expect(await client.put('/api/token/', { id, group: 'svip' })).toMatchObject({ success: false, code: 'token_group_denied' });
  });

  it('pages from 0, newest first, with sizes up to 100', async () => {
    const client = await someone();
    await client.post('/api/token/', { name: 'many', count: 100, unlimited_quota: true });
    await client.post('/api/token/', { name: 'more', count: 5, unlimited_quota: true });
    const ids = async (query: string) => {
      const answer = await client.get(`/api/token/${query}`);
      expect(answer.body).toMatchObject({ success: true, total: 105 });
      return answer.data.map((token: { id: number }) => token.id);
    };
    const all = [...(await ids('?p=0&size=100')), ...(await ids('?p=1&size=100'))];
    expect(all).toHaveLength(105);
    expect(all).toEqual(all.toSorted((one: number, other: number) => other - one));
    expect(await ids('')).toEqual(all.slice(0, 10));
    expect(await ids('?p=&size=0')).toEqual(all.slice(0, 10));
    expect(await ids('?p=NaN&size=undefined')).toEqual(all.slice(0, 10));
    expect(await ids('?p=-3&size=all')).toEqual(all.slice(0, 10));
    expect(await ids('?p=two&size=-1')).toEqual(all.slice(0, 10));
    expect(await ids('?p=2&size=20')).toEqual(all.slice(40, 60));
    expect(await ids('?p=0&size=100000')).toHaveLength(100);
    expect(await ids('?p=1&page_size=50')).toEqual(all.slice(50, 100));
    expect(await ids('?p=11&size=10')).toEqual([]);
    expect(await ids('?p=999999999999999&size=100')).toEqual([]);
    for (const [query, field] of [['p[]=1', 'p']]) {
      expect(await client.get(`/api/token/?${query}`)).toMatchObject({ status: 200, success: false, code: 'invalid_field', field });
    }
  });

  it('searches by parts of name and key, literally and whatever the case', async () => {
    const client = await someone();
    const first = await createOne(client, { name: 'Tide 100%' });
    const second = await createOne(client, { name: 'tide table' });
    const find = async (query: Record<string, string>) =>
      (await client.get(`/api/token/search?${new URLSearchParams(query)}`)).data.map((token: { id: number }) => token.id);
    expect(await find({ keyword: 'TIDE' })).toEqual([second.id, first.id]);
    expect(await find({ keyword: '%' })).toEqual([first.id]);
    expect(await find({ keyword: '.*' })).toEqual([]);
    expect(await find({ token: `sk-${second.key}` })).toEqual([second.id]);
    expect(await find({ token: first.key.slice(10, 20).toLowerCase() })).toEqual([first.id]);
    expect(await find({ keyword: 'tide', token: first.key.slice(3, 30) })).toEqual([first.id]);
    expect(await find({ keyword: 'table', token: first.key.slice(3, 30) })).toEqual([]);
    expect(await find({})).toEqual([second.id, first.id]);
  });

  it('has no foreign tokens: not to read, change, delete or find, not even for an administrator', async () => {
    const owner = await someone();
    const { id, key } = await createOne(owner, { name: 'mine alone' });
    for (const stranger of [await someone(), desk.admin]) {
      expect(await stranger.get(`/api/token/${id}`)).toMatchObject({
        status: 200,
        success: false,
        code: 'not_found',
        message: '记录不存在',
      });
      expect(await stranger.put('/api/token/', { id, name: 'stolen' })).toMatchObject({ success: false, code: 'not_found' });
      expect(await stranger.put('/api/token/?status_only=true', { id, status: 2 })).toMatchObject({ success: false, code: 'not_found' });
      expect(await stranger.delete(`/api/token/${id}`)).toMatchObject({ success: false, code: 'not_found' });
      expect(await stranger.post('/api/token/batch', { ids: [id] })).toMatchObject({ success: true, data: 0 });
      expect((await stranger.get(`/api/token/search?token=${key}`)).data).toEqual([]);
      expect((await stranger.get('/api/token/search?keyword=mine')).data).toEqual([]);
    }
    expect((await owner.get(`/api/token/${id}`)).data).toMatchObject({ name: 'mine alone', status: 1, revision: 1 });
  });

  it('leaves absent fields as they are and takes a whole record back', async () => {
    const client = await someone();
    const created = await createOne(client, {
      unlimited_quota: false,
      remain_quota: 100,
      allow_ips: '10.0.0.1',
      expired_time: 4_000_000_000,
    });
    const renamed = await client.put('/api/token/', { id: created.id, name: 'renamed' });
    expect(renamed.data).toMatchObject({
      name: 'renamed',
      remain_quota: 100,
      allow_ips: '10.0.0.1',
      expired_time: 4_000_000_000,
      revision: 2,
    });
    const whole = (await client.get(`/api/token/${created.id}`)).data;
    const answer = await client.put('/api/token/', { ...whole, allow_ips: null, model_limits: null });
    expect(answer.data).toMatchObject({ ...whole, revision: expect.any(Number) });
    expect(answer.data.revision).toBeGreaterThan(whole.revision);
    expect((await client.put('/api/token/', { id: created.id, allow_ips: '' })).data.allow_ips).toBe('');
    expect((await record(created.id)).key_hash).toBe(desk.app.context.secrets.hash(created.key));
  });

  it('ignores fields that are not the owner’s to set', async () => {
    const client = await someone();
    const { id } = await createOne(client, { unlimited_quota: false, remain_quota: 10 });
    const other = await someone();
    await client.put('/api/token/', {
      id,
      user_id: other.userId,
      key_hash: 'x',
      leases: { p: 5 },
      full_mark: 9,
      DeletedAt: 'now',
      created_time: 1,
    });
    expect(await record(id)).toMatchObject({ user_id: client.userId, leases: {}, full_mark: 10, DeletedAt: null });
    expect((await record(id)).created_time).toBeGreaterThan(1);
  });

  it('refuses an edit that is based on an older revision, and answers the current record', async () => {
    const client = await someone();
    const { id, key } = await createOne(client, { unlimited_quota: false, remain_quota: 5 });
    await client.put('/api/token/', { id, name: 'second', revision: 1 });
    const answer = await client.put('/api/token/', { id, name: 'late', remain_quota: 1000, revision: 1 });
    expect(answer).toMatchObject({ status: 200, success: false, code: 'revision_conflict' });
    expect(answer.data).toMatchObject({ id, name: 'second', revision: 2, remain_quota: 5 });
    expect(JSON.stringify(answer.body)).not.toContain(key);
    expect((await client.get(`/api/token/${id}`)).data).toMatchObject({ name: 'second', remain_quota: 5 });
  });

  it.each([
    [{ remain_quota: -5 }, 'invalid_field', 200],
    [{ remain_quota: 1.5 }, 'invalid_field', 200],
    [{ remain_quota: 2 ** 53 }, 'invalid_field', 200],
    [{ name: '' }, 'token_name_required', 200],
    [{ name: 'y'.repeat(31) }, 'token_name_long', 200],
    [{ allow_ips: 'localhost' }, 'token_ips_invalid', 200],
    [{ group: 'moon' }, 'token_group_denied', 200],
    [{ revision: '1' }, 'invalid_field', 200],
    [{ status: 5 }, 'invalid_field', 200],
  ])('refuses the edit %j: %s, and changes nothing', async (fields, code, status) => {
    const client = await someone();
    const { id } = await createOne(client, { unlimited_quota: false, remain_quota: 42 });
    expect(await client.put('/api/token/', { id, ...fields })).toMatchObject({ status, success: false, code });
    expect((await client.get(`/api/token/${id}`)).data).toMatchObject({ name: 'key', remain_quota: 42, revision: 1 });
  });

  it('refuses ids that are none', async () => {
    const client = await someone();
    expect(await client.get('/api/token/0')).toMatchObject({ success: false, code: 'token_id_empty', message: 'id 或 userId 为空！' });
    expect(await client.delete('/api/token/0/')).toMatchObject({ success: false, code: 'token_id_empty' });
    expect(await client.get('/api/token/abc')).toMatchObject({ status: 404, success: false });
    expect(await client.get('/api/token/-1')).toMatchObject({ status: 404, success: false });
    expect(await client.get('/api/token/999999999999999')).toMatchObject({ success: false, code: 'not_found' });
    expect(await client.put('/api/token/', { id: { $gt: 0 }, name: 'x' })).toMatchObject({ status: 200, success: false });
    expect(await client.put('/api/token/', { name: 'x' })).toMatchObject({ status: 200, success: false, field: 'id' });
    expect(await client.post('/api/token/batch', { ids: [] })).toMatchObject({ status: 200, success: false });
    expect(await client.post('/api/token/batch', { ids: 'all' })).toMatchObject({ status: 200, success: false });
    expect(await client.post('/api/token/batch', { ids: [{ $gt: 0 }] })).toMatchObject({ status: 200, success: false });
  });

  describe('deletion', () => {
    it('takes a token out of every answer and leaves its row for the books', async () => {
      const client = await someone();
      const { id } = await createOne(client, { name: 'gone' });
      expect(await client.delete(`/api/token/${id}/`)).toMatchObject({ status: 200, success: true });
      expect((await client.get('/api/token/')).data).toEqual([]);
      expect((await client.get('/api/token/search?keyword=gone')).data).toEqual([]);
      expect(await client.get(`/api/token/${id}`)).toMatchObject({ success: false, code: 'not_found' });
      expect(await client.put('/api/token/', { id, name: 'back' })).toMatchObject({ success: false, code: 'not_found' });
      expect(await client.delete(`/api/token/${id}/`)).toMatchObject({ success: false, code: 'not_found' });
      expect((await record(id)).DeletedAt).toMatch(/^\d{4}-\d\d-\d\dT/);
    });

    it('of several counts those that were there', async () => {
      const client = await someone();
      const created = (await client.post('/api/token/', { name: 'b', count: 4 })).data;
      const ids = created.slice(0, 3).map((token: { id: number }) => token.id);
      expect(await client.post('/api/token/batch', { ids: [...ids, ids[0], 999_999] })).toMatchObject({ success: true, data: 3 });
      expect((await client.get('/api/token/')).data.map((token: { id: number }) => token.id)).toEqual([created[3].id]);
    });
  });

  describe('a deletion just made', () => {
    it('is taken back exactly, for its owner alone', async () => {
      const client = await someone();
      const created = await createOne(client, { name: 'kept', remain_quota: 700, unlimited_quota: false, group: '' });
      const before = await record(created.id);
      await client.post('/api/token/batch', { ids: [created.id] });
      const stranger = await someone();
      expect(await stranger.post('/api/token/restore', { ids: [created.id] })).toMatchObject({ success: true, data: 0 });
      expect((await record(created.id)).DeletedAt).not.toBeNull();

      expect(await client.post('/api/token/restore', { ids: [created.id, created.id, 999_999] })).toMatchObject({ success: true, data: 1 });
      const after = await record(created.id);
      expect({ ...after, revision: before.revision, audited: before.audited }).toEqual(before);
      expect(after.revision).toBeGreaterThan(before.revision);
      expect((await client.get('/api/token/')).data).toMatchObject([{ id: created.id, key: created.key, remain_quota: 700 }]);
      // What is there is no deletion.
      expect((await client.post('/api/token/restore', { ids: [created.id] })).data).toBe(0);
    });

    it('stands a minute later: whoever deleted a key that leaked can rely on it', async () => {
      const client = await someone();
      const { id } = await createOne(client);
      await client.post('/api/token/batch', { ids: [id] });
      desk.app.clock.advance(61_000);
      expect(await client.post('/api/token/restore', { ids: [id] })).toMatchObject({ success: true, data: 0 });
      expect((await client.get('/api/token/')).data).toEqual([]);
    });

    it('under a clock that was a year ahead stands', async () => {
      const client = await someone();
      const { id } = await createOne(client);
      await client.post('/api/token/batch', { ids: [id] });
      const DeletedAt = new Date(desk.app.clock.now() + 365 * 86_400_000).toISOString();
      await desk.app.context.db.collection('tokens').patch({ id }, { set: { DeletedAt } });
      expect(await client.post('/api/token/restore', { ids: [id] })).toMatchObject({ success: true, data: 0 });
      expect((await client.get('/api/token/')).data).toEqual([]);
    });

    it('is not taken back by what is no list of numbers', async () => {
      const client = await someone();
      for (const ids of [[], 'all', [0], [{ $gt: 0 }], Array.from({ length: 1001 }, (_, index) => index + 1)]) {
        expect(await client.post('/api/token/restore', { ids })).toMatchObject({ status: 200, success: false, code: 'invalid_field' });
      }
    });
  });

  it('tells every process of every change', async () => {
    const client = await someone();
    const received: (number | string)[] = [];
    const stop = desk.app.context.changes.listen('token', (key) => void received.push(key));
    const { id } = await createOne(client);
    await client.put('/api/token/', { id, name: 'b' });
    await client.put('/api/token/?status_only=1', { id, status: 2 });
    await client.post('/api/token/batch', { ids: [id] });
    await client.post('/api/token/restore', { ids: [id] });
    stop();
    expect(received.filter((key) => key === id)).toHaveLength(5);
  });
});
