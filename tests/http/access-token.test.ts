import { afterAll, describe, expect, it } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createClient } from '#tests/support/http-client.ts';
import { createMailDesk } from '#tests/support/mail-desk.ts';
import { createTestApp, type TestApp, testPassword } from '#tests/support/test-app.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';
import { until } from '#tests/support/until.ts';

afterAll(trustLocalhost());

/** A program that has that token, and says whose it is. */
function program(app: TestApp, token: string, userId: number, scheme = 'Bearer ') {
  const client = createClient(app.origin);
  client.setUser(userId);
  return { get: (path: string) => client.get(path, { headers: { authorization: `${scheme}${token}` } }) };
}

describe.each(oneEngine)('system access token on $kind', (engine) => {
  it('is shown once, is kept as a hash only, and makes console calls in the name of its user', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser();
    const client = await app.as(user);
    expect((await client.get('/api/user/self')).data).toMatchObject({ access_token_time: 0 });
    const made = await client.get('/api/user/token');
    expect(made).toMatchObject({ success: true });
    expect(made.data).toMatch(/^[0-9A-Za-z]{43}$/);
    expect(made.headers['cache-control']).toContain('no-store');
    for (const scheme of ['Bearer ', '']) {
      expect(await program(app, made.data, user.id, scheme).get('/api/user/self')).toMatchObject({ success: true, data: { id: user.id } });
    }
    const self = await client.get('/api/user/self');
    expect(self.data.access_token_time).toBeCloseTo(app.clock.now() / 1000, -1);
    expect(JSON.stringify(self.body)).not.toContain(made.data);
    expect(JSON.stringify(await app.context.db.collection('users').get(user.id))).not.toContain(made.data);
  });

  it('a new one ends the former; revoking ends it; neither touches the session', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser();
    const client = await app.as(user);
    const { data: first } = await client.get('/api/user/token');
    const { data: second } = await client.get('/api/user/token');
    expect(second).not.toBe(first);
    expect(await program(app, first, user.id).get('/api/user/self')).toMatchObject({ status: 401, code: 'access_token_invalid' });
    expect(await program(app, second, user.id).get('/api/user/self')).toMatchObject({ success: true });
    expect(await client.delete('/api/user/token')).toMatchObject({ success: true });
    expect(await client.delete('/api/user/token')).toMatchObject({ success: true });
    expect(await program(app, second, user.id).get('/api/user/self')).toMatchObject({ status: 401, code: 'access_token_invalid' });
    expect((await client.get('/api/user/self')).data).toMatchObject({ access_token_time: 0 });
  });

  it('is bound to the user that the header names, and ends with a ban or a deletion', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const [user, other] = [await app.createUser(), await app.createUser()];
    const { data: token } = await (await app.as(user)).get('/api/user/token');
    expect(await program(app, token, other.id).get('/api/user/self')).toMatchObject({ status: 401, code: 'user_header_mismatch' });
    await root.post('/api/user/manage', { id: user.id, action: 'disable' });
    expect(await program(app, token, user.id).get('/api/user/self')).toMatchObject({ status: 403, code: 'user_banned' });
    await root.post('/api/user/manage', { id: user.id, action: 'enable' });
    expect(await program(app, token, user.id).get('/api/user/self')).toMatchObject({ success: true });
    await root.post('/api/user/manage', { id: user.id, action: 'delete' });
    expect(await program(app, token, user.id).get('/api/user/self')).toMatchObject({ status: 401 });
  });

  it('ends with a new password, whoever gives it: its owner, an administrator, a mailed link', async () => {
    await using desk = await createMailDesk(engine);
    const { app, root, smtp } = desk;
    const user = await app.createUser({ username: 'mei', email: 'mei@example.org' });
    const client = await app.as(user);
    const tokenOf = async () => program(app, String((await client.get('/api/user/token')).data), user.id);
    const own = await tokenOf();
    expect(await client.put('/api/user/self', { display_name: 'Mei' })).toMatchObject({ success: true, message: '' });
    expect(await own.get('/api/user/self')).toMatchObject({ success: true });
    expect(await client.put('/api/user/self', { password: 'another1' })).toMatchObject({
      success: true,
      message: '密码已修改，系统访问令牌已失效',
    });
    expect(await own.get('/api/user/self')).toMatchObject({ status: 401, code: 'access_token_invalid' });
    expect((await client.get('/api/user/self')).data).toMatchObject({ access_token_time: 0 });
    expect(await client.put('/api/user/self', { password: 'another2' })).toMatchObject({ success: true, message: '' });
    const given = await tokenOf();
    expect(await root.put('/api/user/', { id: user.id, password: 'given-123' })).toMatchObject({ success: true });
    expect(await given.get('/api/user/self')).toMatchObject({ status: 401, code: 'access_token_invalid' });
    const again = await app.login('mei', 'given-123');
    const second = program(app, String((await again.get('/api/user/token')).data), user.id);
    expect(await second.get('/api/user/self')).toMatchObject({ success: true });
    await root.put('/api/option/', { key: 'ServerAddress', value: 'https://gate.example' });
    await app.anonymous().get('/api/reset_password?email=mei@example.org');
    await until(() => smtp.mails.length > 0);
    const link = new URL(/https?:\/\/\S+/.exec(smtp.mails[0]?.text ?? '')?.[0] ?? 'http://none');
    const mailed = { email: 'mei@example.org', token: link.searchParams.get('token') };
    expect(await app.anonymous().post('/api/user/reset', mailed)).toMatchObject({ success: true });
    expect(await second.get('/api/user/self')).toMatchObject({ status: 401, code: 'access_token_invalid' });
    expect(await app.context.db.collection('users').get(user.id)).not.toHaveProperty('access_token_time');
  });

  it('of a super admin ends with the password that they give themselves among the users', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const own = program(app, String((await root.get('/api/user/token')).data), Number(root.userId));
    expect(await root.put('/api/user/', { id: root.userId, password: 'given-123' })).toMatchObject({ success: true });
    expect(await own.get('/api/user/self')).toMatchObject({ status: 401, code: 'access_token_invalid' });
    expect(await root.get('/api/user/self')).toMatchObject({ success: true });
  });

  it('is made for nobody who is not signed in, nor by a link on a foreign page', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser({ username: 'mei' });
    expect(await app.anonymous().get('/api/user/token')).toMatchObject({ status: 401 });
    expect(await app.anonymous().delete('/api/user/token')).toMatchObject({ status: 401 });
    const client = await app.login('mei', testPassword);
    client.setUser(null);
    expect(await client.get('/api/user/token', { headers: { 'sec-fetch-site': 'cross-site' } })).toMatchObject({ status: 401 });
    expect((await app.context.db.collection('users').get(user.id))?.access_token_hash).toBeUndefined();
  });

  it('is not made without end', async () => {
    await using app = await createTestApp(engine);
    const client = await app.as(await app.createUser());
    for (let count = 0; count < 20; count += 1) expect(await client.get('/api/user/token')).toMatchObject({ success: true });
    expect(await client.get('/api/user/token')).toMatchObject({ status: 429, code: 'rate_limited' });
  });
});
