import { describe, expect, it } from 'vitest';
import { LogType } from '#shared/logs.ts';
import { fillFoldedNames } from '#server/accounts/folded-name.ts';
import { finishWelcomes } from '#server/accounts/welcome.ts';
import { audit } from '#server/money/audit.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { buildUser } from '#tests/support/build.ts';
import { createTestApp, type TestApp, testPassword } from '#tests/support/test-app.ts';

async function expectBalanced(app: TestApp): Promise<void> {
  expect((await audit(app.context.db)).findings).toEqual([]);
}

describe.each(engines)('users on $kind', (engine) => {
  it('list: pages newest first, without any secret', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    for (let index = 0; index < 12; index += 1) await app.createUser({ quota: 10, access_token_hash: `hash${index}` });
    const first = await root.get('/api/user/?p=0&page_size=');
    expect(first.data).toMatchObject({ total: 13, page: 1, page_size: 10 });
    const ids: number[] = first.data.items.map((user: { id: number }) => user.id);
    expect(ids).toEqual(ids.toSorted((one, other) => other - one));
    expect(first.data.items[0]).toMatchObject({ quota: 10, password: '', github_id: '', DeletedAt: null, setting: '' });
    expect(JSON.stringify(first.body)).not.toMatch(/hash|scrypt|access_token|leases|marks/);
    const second = await root.get('/api/user/?p=2&page_size=10');
    expect(second.data.items).toHaveLength(3);
    expect((await root.get('/api/user/?p=99&page_size=10')).data).toMatchObject({ items: [], total: 13, page: 99 });
    expect((await root.get('/api/user?page_size=1000')).data).toMatchObject({ page_size: 100 });
    const absurd = await root.get(`/api/user/?p=${'9'.repeat(15)}&page_size=100`);
    expect(absurd).toMatchObject({ status: 200, success: true, data: { items: [], total: 13 } });
  });

  it('list: sorted by a figure, over all pages and within a search', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const figures = [
      { username: 'ebb', quota: 300, used_quota: 5, request_count: 9, group: 'vip' },
      { username: 'flow', quota: 10, used_quota: 80, request_count: 2, group: 'vip' },
      { username: 'slack', quota: 300, used_quota: 40, request_count: 9, group: 'vip' },
    ];
    for (const figure of figures) await app.createUser(figure);
    const listed = async (query: string) =>
      (await root.get(`/api/user/search?group=vip&${query}`)).data.items.map((user: { username: string }) => user.username);
    expect(await listed('')).toEqual(['slack', 'flow', 'ebb']);
    // Of equals the newer comes first, whichever way they are sorted.
    expect(await listed('sort=balance')).toEqual(['slack', 'ebb', 'flow']);
    expect(await listed('sort=balance&ascending=true')).toEqual(['flow', 'slack', 'ebb']);
    expect(await listed('sort=used')).toEqual(['flow', 'slack', 'ebb']);
    expect(await listed('sort=requests&ascending=true')).toEqual(['flow', 'slack', 'ebb']);
    expect(await listed('sort=used&p=2&page_size=2')).toEqual(['ebb']);
    expect(await listed('sort=used&p=200&page_size=100')).toEqual([]);
    const all = (await root.get('/api/user/?sort=used')).data;
    expect(all).toMatchObject({ total: 4, items: [{ username: 'flow' }, { username: 'slack' }, { username: 'ebb' }, { used_quota: 0 }] });
    expect(await root.get('/api/user/?sort=password_hash')).toMatchObject({ success: false, code: 'invalid_field', field: 'sort' });
  });

  it('list: says when each user called last', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const calling = await app.createUser({ request_count: 2 });
    const refused = await app.createUser({ request_count: 1 });
    const idle = await app.createUser({});
    const { context } = app;
    let rowId = 1_000_000;
    const rows = [
      ...[100, 300].map((created_at) => ({ user_id: calling.id, type: LogType.consumption, created_at })),
      { user_id: calling.id, type: LogType.topUp, created_at: 900 },
      // Refusals hide the last call in the log; the token still knows it.
      ...Array.from({ length: 60 }, (_, row) => ({ user_id: refused.id, type: LogType.refusal, created_at: 500 + row })),
    ];
    await context.db.write(rows.map((row) => ({ insert: buildLog({ ...row, id: (rowId += 1) }), into: 'logs' as const })));
    for (const { user, accessed_time } of [
      { user: refused, accessed_time: 400 },
      { user: idle, accessed_time: 50 },
    ])
      await createToken(context, user.id, { created_time: 50, accessed_time });
    const items: { id: number; last_call: number }[] = (await root.get('/api/user/')).data.items;
    const lastOf = ({ id }: { id: number }) => items.find((item) => item.id === id)?.last_call;
    expect([calling, refused, idle].map(lastOf)).toEqual([300, 400, 0]);
  });

  it('search: by part of a name or address, by id, by group; typed wildcards are literal', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const mei = await app.createUser({ username: 'Mei', email: 'mei@example.org', group: 'vip' });
    await app.createUser({ username: 'lin', display_name: '100% Lin' });
    const search = async (query: string) =>
      (await root.get(`/api/user/search?${query}`)).data.items.map((user: { username: string }) => user.username);
    expect(await search('keyword=mEI&group=&p=1&page_size=10')).toEqual(['Mei']);
    expect(await search('keyword=example.org')).toEqual(['Mei']);
    expect(await search('keyword=100%25')).toEqual(['lin']);
    expect(await search('keyword=%25')).toEqual(['lin']);
    expect(await search('keyword=.*')).toEqual([]);
    expect(await search('keyword=$ne')).toEqual([]);
    expect(await search(`keyword=${mei.id}`)).toContain('Mei');
    expect(await search('keyword=&group=vip')).toEqual(['Mei']);
    expect(await search('keyword=lin&group=vip')).toEqual([]);
    for (const query of ['p[$gt]=1', 'keyword[$ne]=x', 'group=a&group=b']) {
      const field = /^\w+/.exec(query)?.[0];
      expect(await root.get(`/api/user/search?${query}`)).toMatchObject({ status: 200, success: false, code: 'invalid_field', field });
    }
  });

  it('create: a normal user with the bonus of every new user', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    await root.put('/api/option/', { key: 'QuotaForNewUser', value: '700' });
    const created = await root.post('/api/user/', { username: 'mei', password: testPassword, display_name: '', role: 10 });
    expect(created).toMatchObject({ status: 200, success: true });
    const mei = (await (await app.login('mei')).get('/api/user/self')).data;
    expect(mei).toMatchObject({ role: 1, display_name: 'mei', quota: 700 });
    await expectBalanced(app);
    expect(await root.post('/api/user/', { username: 'mei', password: testPassword })).toMatchObject({ code: 'username_taken' });
    expect(await root.post('/api/user/', { username: ' ', password: testPassword })).toMatchObject({
      status: 200,
      code: 'invalid_field',
      field: 'username',
      message: '无效的参数：用户名（username）不能缺少',
    });
    expect(await root.post('/api/user/', { username: 'lin', password: '' })).toMatchObject({ status: 200, field: 'password' });
    expect(await root.post('/api/user/', { username: 'lin', password: 'short' })).toMatchObject({
      code: 'invalid_input',
      field: 'password',
    });
  });

  it('create: group and opening balance, once, in history and log', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    await root.put('/api/option/', { key: 'QuotaForNewUser', value: '700' });
    const requested = { username: 'mei', password: testPassword, group: 'vip', quota: 5000 };
    expect(await root.post('/api/user/', { ...requested, group: 'nowhere' })).toMatchObject({ code: 'group_unknown', field: 'group' });
    expect(await root.post('/api/user/', { ...requested, quota: -1 })).toMatchObject({ success: false, field: 'quota' });
    expect(await root.post('/api/user/', requested)).toMatchObject({ success: true });
    expect(await root.post('/api/user/', requested)).toMatchObject({ code: 'username_taken' });
    const mei = (await (await app.login('mei')).get('/api/user/self')).data;
    expect(mei).toMatchObject({ quota: 5700, group: 'vip' });
    const history = (await root.get(`/api/user/${mei.id}/balance_history`)).data.items;
    expect(history).toMatchObject([
      { kind: 'opening', amount: 5000, actor_name: 'root' },
      { kind: 'signup', amount: 700 },
    ]);
    const rows = (await root.get('/api/log/?username=mei&type=3')).data.items;
    expect(rows.map((row: { other: string }) => JSON.parse(row.other).event)).toEqual([{ code: 'quota_set', from: 700, to: 5700 }]);
    await expectBalanced(app);
  });

  it('create: an opening balance that a dead process left is given once, by however many finish it', async () => {
    await using app = await createTestApp(engine);
    await using other = await createTestApp(engine, { database: app.database, clock: app.clock });
    const root = await app.setup();
    const welcome = { signup: 0, invitee: 0, inviter: 0, opening: 5000, actor: 1 };
    const mei = await app.createUser({ welcome, welcome_at: app.context.now() - 600_000 });
    await Promise.allSettled([finishWelcomes(app.context), finishWelcomes(other.context), finishWelcomes(app.context)]);
    await finishWelcomes(app.context);
    expect((await root.get(`/api/user/${mei.id}`)).data).toMatchObject({ quota: 5000 });
    expect(await app.context.db.collection('users').get(mei.id)).not.toHaveProperty('welcome');
    await expectBalanced(app);
  });

  it('read: the administrator sees users and the own account, nobody of the same rank', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const admin = await app.createUser({ role: 10 });
    const other = await app.createUser({ role: 10 });
    const user = await app.createUser();
    const asAdmin = await app.as(admin);
    expect(await asAdmin.get(`/api/user/${user.id}`)).toMatchObject({ success: true, data: { id: user.id } });
    expect(await asAdmin.get(`/api/user/${admin.id}`)).toMatchObject({ success: true });
    expect(await asAdmin.get(`/api/user/${other.id}`)).toMatchObject({ status: 200, success: false, code: 'user_read_denied' });
    expect(await root.get(`/api/user/${other.id}`)).toMatchObject({ success: true });
    expect(await root.get('/api/user/999999')).toMatchObject({ success: false, code: 'user_not_found' });
    expect(await root.get('/api/user/abc')).toMatchObject({ status: 404 });
    expect(await root.get('/api/user/%E0%A4%A')).toMatchObject({ status: 404 });
  });

  it('edit: what is absent stays as it is', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const mei = await app.createUser({ username: 'mei', display_name: 'Mei', group: 'vip', quota: 300 });
    const edited = await root.put('/api/user/', { id: mei.id, display_name: '梅' });
    expect(edited).toMatchObject({ success: true, data: { username: 'mei', display_name: '梅', group: 'vip', quota: 300, revision: 2 } });
    expect(await root.put('/api/user/', { id: mei.id, group: 'nowhere' })).toMatchObject({
      success: false,
      code: 'group_unknown',
      field: 'group',
    });
    expect(await root.put('/api/user/', { id: mei.id, username: 'root' })).toMatchObject({ success: false, code: 'username_taken' });
    expect(await root.put('/api/user/', { id: mei.id, username: '' })).toMatchObject({ code: 'invalid_input' });
    expect(await root.put('/api/user/', { id: 999_999, display_name: 'x' })).toMatchObject({ code: 'user_not_found' });
    expect(await root.put('/api/user/', { id: 0 })).toMatchObject({ status: 200 });
    expect(await root.put('/api/user/', {})).toMatchObject({ status: 200, field: 'id' });
  });

  it('edit: neither the role nor the status; a record sent back whole is taken', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const mei = await app.createUser({ username: 'mei' });
    const whole = (await root.get(`/api/user/${mei.id}`)).data;
    expect(await root.put('/api/user/', { ...whole, display_name: '梅' })).toMatchObject({ success: true, data: { display_name: '梅' } });
    const { revision: _revision, ...old } = whole;
    expect(await root.put('/api/user/', { ...old, group: 'vip' })).toMatchObject({ success: true, data: { group: 'vip' } });
    const detail = '不能在这里修改，请使用用户管理的提升、降级、启用或禁用操作';
    for (const [fields, field, name] of [
      [{ role: 10 }, 'role', '角色'],
      [{ status: 2 }, 'status', '状态'],
    ] as const) {
      const refused = { status: 200, success: false, code: 'invalid_input', field, message: `输入不合法 ${name}${detail}` };
      expect(await root.put('/api/user/', { ...old, ...fields, display_name: 'other' })).toMatchObject(refused);
    }
    expect(await root.put('/api/user/', { id: mei.id, status: '2' })).toMatchObject({ status: 200, field: 'status' });
    expect((await root.get(`/api/user/${mei.id}`)).data).toMatchObject({ role: 1, status: 1, display_name: whole.display_name });
    // Who was banned since the record was read is not what is wrong with the edit.
    const current = (await root.get(`/api/user/${mei.id}`)).data;
    await root.post('/api/user/manage', { id: mei.id, action: 'disable' });
    expect(await root.put('/api/user/', { ...current, display_name: 'late' })).toMatchObject({
      code: 'revision_conflict',
      data: { status: 2, display_name: whole.display_name },
    });
  });

  it('names that differ by case only: the second is refused, whichever way it comes in', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const taken = { status: 200, success: false, code: 'username_taken', field: 'username' };
    expect(await root.post('/api/user/', { username: 'Bob', password: testPassword })).toMatchObject({ success: true });
    expect(await root.post('/api/user/', { username: 'BOB', password: testPassword })).toMatchObject(taken);
    expect(await root.post('/api/user/', { username: 'ROOT', password: testPassword })).toMatchObject(taken);
    expect(await app.anonymous().post('/api/user/register', { username: 'bob', password: testPassword })).toMatchObject(taken);
    const both = ['ΣΊΣΥΦΟΣ', 'σίσυφος', 'Σίσυφοσ'].map((username) =>
      app.anonymous().post('/api/user/register', { username, password: testPassword }),
    );
    expect((await Promise.all(both)).filter((answer) => answer.success)).toHaveLength(1);
    const mei = await app.createUser({ username: 'mei' });
    expect(await root.put('/api/user/', { id: mei.id, username: 'bOb' })).toMatchObject(taken);
    const client = await app.login('mei');
    expect(await client.put('/api/user/self', { username: 'BoB' })).toMatchObject(taken);
    // One's own name may change its case, and the former name is free again.
    expect(await client.put('/api/user/self', { username: 'MEI' })).toMatchObject({ success: true });
    expect(await client.put('/api/user/self', { username: 'lin' })).toMatchObject({ success: true });
    expect(await app.anonymous().post('/api/user/register', { username: 'Mei', password: testPassword })).toMatchObject({ success: true });
    // Who signs in gives their name as it is.
    await app.login('Bob');
    expect(await app.anonymous().post('/api/user/login', { username: 'bob', password: testPassword })).toMatchObject({
      code: 'login_failed',
    });
  });

  it('names that are drawn like others: new ones are refused, whichever way they come in; those that are there go on', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const refused = { status: 200, success: false, code: 'invalid_input', field: 'username' };
    const drawnAlike = ['ｒoot', 'rооt', '𝓻oot'];
    const former = await app.createUser({ username: 'ａdmin' });
    const client = await app.login('ａdmin');
    for (const username of drawnAlike) {
      expect(await root.post('/api/user/', { username, password: testPassword })).toMatchObject(refused);
      expect(await app.anonymous().post('/api/user/register', { username, password: testPassword })).toMatchObject(refused);
      expect(await client.put('/api/user/self', { username })).toMatchObject(refused);
      expect(await root.put('/api/user/', { id: former.id, username })).toMatchObject(refused);
    }
    expect(await client.put('/api/user/self', { username: 'ａdmin', display_name: 'edited' })).toMatchObject({ success: true });
    expect(await root.put('/api/user/', { id: former.id, username: 'ａdmin', group: 'default' })).toMatchObject({ success: true });
    await app.login('ａdmin');
  });

  it('names of earlier versions: those that are alike by case go on, and are reserved once a job has seen them', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const users = app.context.db.collection('users');
    const former = [];
    for (const username of ['Bob', 'bob', 'lin']) {
      const { username_folded: _folded, ...record } = await buildUser(app.context, { username, password: testPassword });
      await users.insert(record);
      former.push(record);
    }
    for (const username of ['Bob', 'bob', 'lin']) await app.login(username);
    await fillFoldedNames(app.context);
    await fillFoldedNames(app.context);
    for (const username of ['Bob', 'bob', 'lin']) await app.login(username);
    for (const username of ['BOB', 'Bob', 'bob', 'LIN', 'lin']) {
      expect(await root.post('/api/user/', { username, password: testPassword })).toMatchObject({ code: 'username_taken' });
    }
    for (const { id } of former) expect(await root.put('/api/user/', { id, display_name: 'edited' })).toMatchObject({ success: true });
    expect(await root.put('/api/user/', { id: former[1]?.id, username: 'bobby' })).toMatchObject({ success: true });
    expect(JSON.stringify((await root.get('/api/user/')).body)).not.toContain('folded');
  });

  it('edit: a name from elsewhere that is too long does not stand in the way', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const user = await app.createUser({ username: 'linuxdo_1234567' });
    const whole = (await root.get(`/api/user/${user.id}`)).data;
    expect(await root.put('/api/user/', { ...whole, display_name: 'Lin' })).toMatchObject({ success: true });
  });

  it('edit: a new password ends the sessions of the user', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const mei = await app.createUser({ username: 'mei' });
    const client = await app.login('mei');
    expect(await root.put('/api/user/', { id: mei.id, password: '' })).toMatchObject({ success: true });
    expect(await client.get('/api/user/self')).toMatchObject({ status: 200 });
    expect(await root.put('/api/user/', { id: mei.id, password: 'another password' })).toMatchObject({ success: true });
    expect(await client.get('/api/user/self')).toMatchObject({ status: 401 });
    await app.login('mei', 'another password');
  });

  it('edit: sets the balance, also to zero, and says so in the log', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const mei = await app.createUser({ username: 'mei', quota: 300 });
    expect(await root.put('/api/user/', { id: mei.id, quota: 100_000 })).toMatchObject({ success: true, data: { quota: 100_000 } });
    expect(await root.put('/api/user/', { id: mei.id, quota: 0 })).toMatchObject({ success: true, data: { quota: 0 } });
    const rows = await app.context.db.collection('logs').find({ type: 3 });
    expect(rows.map((row) => `${row.username}: ${row.content}`)).toEqual([
      'mei: 管理员将用户额度从 ＄0.000600 额度修改为 ＄0.200000 额度',
      'mei: 管理员将用户额度从 ＄0.200000 额度修改为 ＄0.000000 额度',
    ]);
    await expectBalanced(app);
  });

  it('edit: a record sent back whole keeps what was spent meanwhile', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const mei = await app.createUser({ username: 'mei', quota: 1000 });
    const seen = (await root.get(`/api/user/${mei.id}`)).data;
    await spend(app, mei.id, 400);
    // Usage does not move the revision: the edit is not refused.
    expect(await root.put('/api/user/', { ...seen, display_name: '梅' })).toMatchObject({
      success: true,
      data: { quota: 600, used_quota: 400 },
    });
    const again = { ...seen, revision: undefined };
    expect(await root.put('/api/user/', { ...again, quota: 2000 })).toMatchObject({ success: true, data: { quota: 1600 } });
    // Taking all of it away leaves nothing, not a debt.
    expect(await root.put('/api/user/', { ...again, quota: 0 })).toMatchObject({ success: true, data: { quota: 0 } });
    await expectBalanced(app);
  });

  it.each([
    { quota: -1 },
    { quota: 1.5 },
    { quota: 1e300 },
    { quota: 2 ** 53 },
    { quota: '100' },
    { quota: { $gt: 0 } },
    { quota: [100] },
    { quota: true },
    { quota_change: 0.5 },
    { quota_change: -(2 ** 53) },
    { quota: 100, used_quota: -1 },
  ])('edit: refuses %j and leaves the balance alone', async (amount) => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const mei = await app.createUser({ quota: 300 });
    const answer = await root.put('/api/user/', { id: mei.id, display_name: 'changed', ...amount });
    expect(answer).toMatchObject({ status: 200, success: false });
    expect(await app.context.db.collection('users').get(mei.id)).toMatchObject({ quota: 300, display_name: mei.display_name, revision: 1 });
  });

  it('edit: a balance that a call left below zero is sent back, not forgiven, and can be filled up', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const mei = await app.createUser({ username: 'mei', quota: 100 });
    const rich = { ...(await root.get(`/api/user/${mei.id}`)).data, revision: undefined };
    await spend(app, mei.id, 137);
    const poor = (await root.get(`/api/user/${mei.id}`)).data;
    expect(poor).toMatchObject({ quota: -37, used_quota: 137 });
    expect(await root.put('/api/user/', { ...poor, display_name: '梅' })).toMatchObject({
      success: true,
      data: { quota: -37, display_name: '梅' },
    });
    expect(await root.put('/api/user/', { ...rich, display_name: '美' })).toMatchObject({
      success: true,
      data: { quota: -37, display_name: '美' },
    });
    const deeper = { id: mei.id, quota: -38, display_name: 'changed' };
    expect(await root.put('/api/user/', deeper)).toMatchObject({ status: 200, code: 'invalid_field', field: 'quota' });
    expect(await root.put('/api/user/', { ...deeper, used_quota: 137 })).toMatchObject({ status: 200 });
    expect((await root.get(`/api/user/${mei.id}`)).data).toMatchObject({ quota: -37, display_name: '美' });
    expect(await root.put('/api/user/', { ...poor, revision: undefined, quota: 50 })).toMatchObject({ data: { quota: 50 } });
    await expectBalanced(app);
  });

  it('edit: a deduction beyond the balance is refused, and so is a sum that no number holds', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const mei = await app.createUser({ quota: 300 });
    const wish = { id: mei.id, quota_change: -301, display_name: 'changed', username: 'changed', password: 'another password' };
    expect(await root.put('/api/user/', wish)).toMatchObject({ status: 200, success: false, code: 'balance_too_small' });
    const { display_name, username, password_hash } = mei;
    expect(await app.context.db.collection('users').get(mei.id)).toMatchObject({ quota: 300, display_name, username, password_hash });
    expect(await root.put('/api/user/', { id: mei.id, quota_change: Number.MAX_SAFE_INTEGER })).toMatchObject({ success: false });
    expect(await root.put('/api/user/', { id: mei.id, quota_change: -300 })).toMatchObject({ success: true, data: { quota: 0 } });
    await expectBalanced(app);
  });

  it('edit: 40 additions of 1000 at once lose nothing, over two processes', async () => {
    await using app = await createTestApp(engine);
    await using other = await createTestApp(engine, { database: app.database, clock: app.clock });
    const mei = await app.createUser({ quota: 500 });
    const editors = await makeEditors(app, other);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => editors[index % editors.length]?.put('/api/user/', { id: mei.id, quota_change: 1000 })),
    );
    expect(answers.every((answer) => answer?.success)).toBe(true);
    expect(await app.context.db.collection('users').get(mei.id)).toMatchObject({ quota: 40_500 });
    await expectBalanced(app);
  });

  it('edit: 20 edits by revision, each tried again on a conflict, lose nothing, over two processes', async () => {
    await using app = await createTestApp(engine);
    await using other = await createTestApp(engine, { database: app.database, clock: app.clock });
    const mei = await app.createUser({ quota: 500 });
    const editors = await makeEditors(app, other);
    let conflicts = 0;
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const editor = editors[index % editors.length];
        if (editor === undefined) throw new Error('No editor');
        let current = (await editor.get(`/api/user/${mei.id}`)).data;
        for (;;) {
          const answer = await editor.put('/api/user/', { id: mei.id, quota: current.quota + 1000, revision: current.revision });
          if (answer.success) return;
          expect(answer.code).toBe('revision_conflict');
          conflicts += 1;
          current = answer.data;
        }
      }),
    );
    expect(conflicts).toBeGreaterThan(0);
    expect(await app.context.db.collection('users').get(mei.id)).toMatchObject({ quota: 20_500 });
    await expectBalanced(app);
  });

  it('edit: an outdated revision changes nothing and answers with the current record', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const mei = await app.createUser({ quota: 300 });
    await root.put('/api/user/', { id: mei.id, display_name: 'first' });
    const late = await root.put('/api/user/', { id: mei.id, display_name: 'second', quota: 5, revision: 1 });
    expect(late).toMatchObject({
      status: 200,
      success: false,
      code: 'revision_conflict',
      data: { display_name: 'first', quota: 300, revision: 2 },
    });
    expect(await root.put('/api/user/', { id: mei.id, quota: 5, revision: late.data.revision })).toMatchObject({
      success: true,
      data: { quota: 5 },
    });
  });

  it('guards: an administrator has no power over administrators and the super admin', async () => {
    await using app = await createTestApp(engine);
    await app.setup();
    const rootId = (await app.context.db.collection('users').first({ role: 100 }))?.id;
    const admin = await app.createUser({ role: 10 });
    const other = await app.createUser({ role: 10 });
    const user = await app.createUser();
    const asAdmin = await app.as(admin);
    for (const id of [other.id, admin.id, rootId]) {
      expect(await asAdmin.put('/api/user/', { id, display_name: 'x' })).toMatchObject({ status: 200, code: 'user_edit_denied' });
      for (const action of ['promote', 'demote', 'disable', 'enable', 'delete']) {
        expect(await asAdmin.post('/api/user/manage', { id, action })).toMatchObject({ status: 200, code: 'user_edit_denied' });
      }
    }
    for (const id of [other.id, admin.id, rootId]) {
      const denied = { code: 'user_delete_denied', message: '无权删除同权限等级或更高权限等级的用户' };
      expect(await asAdmin.delete(`/api/user/${id}`)).toMatchObject(denied);
    }
    expect(await asAdmin.post('/api/user/', { username: 'x', password: testPassword, role: 10 })).toMatchObject({
      code: 'user_create_denied',
    });
    expect(await asAdmin.put('/api/user/', { id: user.id, role: 10 })).toMatchObject({ code: 'user_raise_denied' });
    expect(await asAdmin.post('/api/user/manage', { id: user.id, action: 'promote' })).toMatchObject({ code: 'promote_denied' });
    expect(await app.context.db.collection('users').get(user.id)).toMatchObject({ role: 1 });
  });

  it('guards: whoever is promoted while an administrator edits them is out of reach', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const admin = await app.as(await app.createUser({ role: 10 }));
    const mei = await app.createUser({ username: 'mei' });
    // Hashing the password takes longer than the promotion.
    const edit = admin.put('/api/user/', { id: mei.id, password: 'password of mallory' });
    expect(await root.post('/api/user/manage', { id: mei.id, action: 'promote' })).toMatchObject({ success: true });
    expect(await edit).toMatchObject({ success: false });
    expect((await app.context.db.collection('users').get(mei.id))?.password_hash).toBe(mei.password_hash);
  });

  it('guards: the super admin cannot be demoted, banned or deleted, not even by that account', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const id = root.userId;
    expect(await root.post('/api/user/manage', { id, action: 'disable' })).toMatchObject({
      code: 'root_not_disabled',
      message: '无法禁用超级管理员用户',
    });
    expect(await root.post('/api/user/manage', { id, action: 'delete' })).toMatchObject({ code: 'root_not_deleted' });
    expect(await root.post('/api/user/manage', { id, action: 'demote' })).toMatchObject({ code: 'root_not_demoted' });
    expect(await root.post('/api/user/manage', { id, action: 'promote' })).toMatchObject({ code: 'already_admin' });
    expect(await root.delete(`/api/user/${id}`)).toMatchObject({ code: 'root_not_deleted' });
    expect(await root.delete('/api/user/self')).toMatchObject({ code: 'root_self_delete', message: '不能删除超级管理员账户' });
    expect(await root.get('/api/user/self')).toMatchObject({ status: 200, data: { role: 100, status: 1 } });
  });

  it('manage: promote and demote, each leaving a row in the log of the user', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const mei = await app.createUser();
    expect(await root.post('/api/user/manage', { id: mei.id, action: 'promote' })).toMatchObject({
      success: true,
      data: { role: 10, status: 1 },
    });
    expect(await root.post('/api/user/manage', { id: mei.id, action: 'promote' })).toMatchObject({ code: 'already_admin' });
    expect(await root.post('/api/user/manage', { id: mei.id, action: 'demote' })).toMatchObject({ data: { role: 1 } });
    expect(await root.post('/api/user/manage', { id: mei.id, action: 'demote' })).toMatchObject({ code: 'already_user' });
    expect(await root.post('/api/user/manage', { id: mei.id, action: 'explode' })).toMatchObject({ status: 200 });
    expect(await root.post('/api/user/manage', { action: 'disable' })).toMatchObject({ status: 200 });
    expect(await app.context.db.collection('logs').count({ type: 3, user_id: mei.id })).toBe(2);
  });

  it('manage: a ban ends the sessions, enabling lets in again, a locked account stays locked', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const mei = await app.createUser({ username: 'mei' });
    const client = await app.login('mei');
    expect(await root.post('/api/user/manage', { id: mei.id, action: 'disable' })).toMatchObject({ data: { status: 2 } });
    expect(await client.get('/api/user/self')).toMatchObject({ status: 401 });
    expect(await app.anonymous().post('/api/user/login', { username: 'mei', password: testPassword })).toMatchObject({
      code: 'login_failed',
    });
    expect(await root.post('/api/user/manage', { id: mei.id, action: 'enable' })).toMatchObject({ data: { status: 1 } });
    await app.login('mei');
    const locked = await app.createUser({ status: 3 });
    expect(await root.post('/api/user/manage', { id: locked.id, action: 'enable' })).toMatchObject({ code: 'enable_blocked' });
  });

  it.each(['manage', 'delete'])('%s: a deleted user is out, the name stays reserved, the rows stay', async (route) => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const mei = await app.createUser({ username: 'mei', quota: 300 });
    const client = await app.login('mei');
    expect(await client.post('/api/token/', { name: 'first', unlimited_quota: true, expired_time: -1 })).toMatchObject({ success: true });
    const gone =
      route === 'manage' ? await root.post('/api/user/manage', { id: mei.id, action: 'delete' }) : await root.delete(`/api/user/${mei.id}`);
    expect(gone).toMatchObject({ status: 200, success: true });

    expect(await client.get('/api/user/self')).toMatchObject({ status: 401 });
    expect(await app.anonymous().post('/api/user/login', { username: 'mei', password: testPassword })).toMatchObject({
      code: 'login_failed',
    });
    expect(await app.context.db.collection('tokens').find({ user_id: mei.id })).toMatchObject([{ status: 2 }]);
    expect(await root.get(`/api/user/${mei.id}`)).toMatchObject({ code: 'user_not_found' });
    expect(await root.put('/api/user/', { id: mei.id, quota: 5 })).toMatchObject({ code: 'user_not_found' });
    expect(await root.post('/api/user/manage', { id: mei.id, action: 'enable' })).toMatchObject({ code: 'user_not_found' });
    const listed = (await root.get('/api/user/search?keyword=mei')).data.items;
    expect(listed).toMatchObject([{ id: mei.id, quota: 300 }]);
    expect(listed[0].DeletedAt).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(await root.post('/api/user/', { username: 'mei', password: testPassword })).toMatchObject({ code: 'username_taken' });
    await root.post('/api/user/', { username: 'next', password: testPassword });
    const next = await app.context.db.collection('users').first({ username: 'next' });
    expect(next?.id).toBeGreaterThan(mei.id);
  });
});

async function makeEditors(app: TestApp, other: TestApp): Promise<TestClient[]> {
  const admins = await Promise.all([app.createUser({ role: 10 }), app.createUser({ role: 10 })]);
  return Promise.all(admins.flatMap((admin) => [app.as(admin), other.as(admin)]));
}

/** A call that costs `quota`, as the relay charges it. */
async function spend(app: TestApp, userId: number, quota: number): Promise<void> {
  const { ledger } = app.context;
  const result = await ledger.reserve({ userId, token: null, amount: 1 });
  if (!('reservation' in result)) throw new Error('The reservation was refused');
  await ledger.settle(result.reservation, {
    user_id: userId,
    created_at: Math.floor(app.context.now() / 1000),
    type: 2,
    content: '',
    username: '',
    token_name: '',
    model_name: 'm',
    quota,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 0,
    is_stream: false,
    channel_id: 0,
    token_id: 0,
    group: 'default',
    other: null,
  });
}
