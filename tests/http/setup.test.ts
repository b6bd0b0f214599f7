import { describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { createTestApp, rootName, testPassword } from '#tests/support/test-app.ts';

const root = { username: rootName, password: testPassword, confirmPassword: testPassword };

describe.each(engines)('setup on $kind', (engine) => {
  it('tells that the set-up is open, and with which database', async () => {
    await using app = await createTestApp(engine);
    const status = await app.anonymous().get('/api/setup');
    expect(status).toMatchObject({ status: 200, success: true });
    expect(status.data).toEqual({
      status: false,
      root_init: false,
      database_type: engine.kind === 'embedded' ? 'sqlite' : 'mongodb',
      secret_required: false,
    });
  });

  it('creates the super admin with its quota and the chosen mode', async () => {
    await using app = await createTestApp(engine);
    const answer = await app.anonymous().post('/api/setup', { ...root, SelfUseModeEnabled: true });
    expect(answer).toMatchObject({ status: 200, success: true, message: '系统初始化成功' });
    const client = await app.login(rootName);
    const self = await client.get('/api/user/self');
    expect(self.data).toMatchObject({ username: rootName, role: 100, status: 1, quota: 100_000_000, group: 'default' });
    expect(app.context.settings.get('SelfUseModeEnabled')).toBe(true);
    expect(app.context.settings.get('DemoSiteEnabled')).toBe(false);
    const status = await app.anonymous().get('/api/setup');
    expect(status.data).toEqual({ status: true, root_init: false, database_type: '', secret_required: false });
  });

  it('signs the new super admin in', async () => {
    await using app = await createTestApp(engine);
    const client = app.anonymous();
    const answer = await client.post('/api/setup', root);
    expect(answer).toMatchObject({ success: true, message: '系统初始化成功', data: { username: rootName, role: 100, quota: 100_000_000 } });
    expect(String(answer.headers['set-cookie'])).toMatch(/^session=\w{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    expect(JSON.stringify(answer.body)).not.toMatch(/password_hash|correct horse/);
    client.setUser(answer.data.id);
    expect((await client.get('/api/user/self')).data).toMatchObject({ username: rootName });
    expect(await client.get('/api/channel/')).toMatchObject({ success: true });
  });

  it('ends the session that the browser had before', async () => {
    await using app = await createTestApp(engine);
    const visitor = await app.as(await app.createUser());
    const before = visitor.cookie;
    await visitor.post('/api/setup', root);
    expect(visitor.cookie).not.toBe(before);
    visitor.setCookie(before);
    expect(await visitor.get('/api/user/self')).toMatchObject({ status: 401 });
  });

  it('refuses a second set-up and changes nothing', async () => {
    await using app = await createTestApp(engine);
    await app.setup();
    const second = await app.anonymous().post('/api/setup', { ...root, username: 'intruder', SelfUseModeEnabled: true });
    expect(second).toMatchObject({ status: 200, success: false, code: 'setup_done', message: '系统已经初始化完成' });
    expect(await app.context.db.collection('users').count({})).toBe(1);
    expect(app.context.settings.get('SelfUseModeEnabled')).toBe(false);
  });

  it('lets exactly one of many at once through, also over two processes', async () => {
    await using app = await createTestApp(engine);
    await using other = await createTestApp(engine, { database: app.database, clock: app.clock });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? app : other).anonymous().post('/api/setup', { ...root, username: `root${index}` }),
      ),
    );
    expect(answers.filter((answer) => answer.success)).toHaveLength(1);
    expect(answers.filter((answer) => answer.code === 'setup_done')).toHaveLength(9);
    const users = await app.context.db.collection('users').find({});
    expect(users.map((user) => user.quota)).toEqual([100_000_000]);
  });

  it('answers in the language of the caller', async () => {
    await using app = await createTestApp(engine);
    const english = { headers: { 'accept-language': 'en' } };
    expect((await app.anonymous().post('/api/setup', root, english)).message).toBe('The system has been set up');
    expect((await app.anonymous().post('/api/setup', root, english)).message).toBe('The system is already set up');
  });

  it('finishes what broke off half-way', async () => {
    await using app = await createTestApp(engine);
    await app.createUser({ username: rootName, role: 100 });
    expect((await app.anonymous().get('/api/setup')).data).toMatchObject({ status: false, root_init: true });
    const finisher = app.anonymous();
    const finished = await finisher.post('/api/setup', { ...root, DemoSiteEnabled: true });
    expect(finished).toMatchObject({ success: true });
    // Finishing it is no proof that the account belongs to the caller.
    expect(finished.data).toBeUndefined();
    expect(finisher.cookie).toBeNull();
    const [user, ...others] = await app.context.db.collection('users').find({});
    expect(others).toEqual([]);
    expect(user).toMatchObject({ username: rootName, quota: 100_000_000 });
    expect(app.context.settings.get('DemoSiteEnabled')).toBe(true);
  });
});

const [engine] = engines;
if (engine === undefined) throw new Error('No engine to test on');

describe('setup input', () => {
  it.each([
    [{ ...root, username: '  ' }, 'setup_username_required', '请输入管理员用户名'],
    [{ ...root, confirmPassword: 'another one' }, 'setup_passwords_differ', '两次输入的密码不一致'],
    [{ ...root, password: 'short', confirmPassword: 'short' }, 'setup_password_short', '密码长度至少为8个字符'],
    [{ ...root, username: 'thirteen-char' }, 'invalid_input', undefined],
    [{ ...root, username: 'a@b.example' }, 'invalid_input', undefined],
    [{ ...root, password: 'x'.repeat(21), confirmPassword: 'x'.repeat(21) }, 'invalid_input', undefined],
  ])('refuses %j', async (body, code, message) => {
    await using app = await createTestApp(engine);
    const answer = await app.anonymous().post('/api/setup', body);
    expect(answer).toMatchObject({ status: 200, success: false, code });
    if (message !== undefined) expect(answer.message).toBe(message);
    expect(await app.context.db.collection('users').count({})).toBe(0);
    // A refused try does not stand in the way of the next one.
    expect(await app.anonymous().post('/api/setup', root)).toMatchObject({ success: true });
  });

  it('asks for the secret that the server was started with', async () => {
    await using app = await createTestApp(engine, { env: { SETUP_SECRET: 'only the owner' } });
    expect((await app.anonymous().get('/api/setup')).data).toMatchObject({ secret_required: true });
    expect(await app.anonymous().post('/api/setup', root)).toMatchObject({ success: false, code: 'setup_secret_wrong' });
    expect(await app.anonymous().post('/api/setup', { ...root, setup_secret: 'a guess' })).toMatchObject({ code: 'setup_secret_wrong' });
    expect(await app.anonymous().post('/api/setup', { ...root, setup_secret: 'only the owner' })).toMatchObject({ success: true });
  });
});
