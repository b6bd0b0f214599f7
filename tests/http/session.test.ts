import { hash } from 'node:crypto';
import { type DeriveKeyFunction, solveChallenge } from 'altcha-lib';
import { describe, expect, it } from 'vitest';
import { ProofChallenge } from '#shared/session.ts';
import { hashPassword } from '#server/accounts/password.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createTestApp, rootName, testPassword } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

/** The library's SHA-256, in a third of the time. */
const deriveKey: DeriveKeyFunction = ({ cost }, salt, password) => {
  let derivedKey = Buffer.concat([salt, password]);
  for (let round = 0; round < cost; round += 1) derivedKey = hash('sha256', derivedKey, 'buffer');
  return Promise.resolve({ parameters: {}, derivedKey });
};

/** The proof as a client of ALTCHA sends it. */
async function solve(challenge: ProofChallenge): Promise<string> {
  const solution = await solveChallenge({ challenge, deriveKey });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}

describe.each(oneEngine)('session on $kind', (engine) => {
  it('login: sets a cookie that only this site and no script gets', async () => {
    await using app = await createTestApp(engine);
    await app.createUser({ username: 'mei' });
    const answer = await app.anonymous().post('/api/user/login', { username: 'mei', password: testPassword });
    expect(answer).toMatchObject({ status: 200, success: true, data: { username: 'mei', role: 1, status: 1, password: '' } });
    expect(JSON.stringify(answer.body)).not.toContain('scrypt');
    const cookie = String(answer.headers['set-cookie']);
    expect(cookie).toMatch(/^session=[0-9A-Za-z]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    const value = /^session=([^;]+)/.exec(cookie)?.[1] ?? '';
    const stored = await app.context.db.collection('sessions').find({});
    expect(JSON.stringify(stored)).not.toContain(value);
  });

  it('login: takes the e-mail address for the name', async () => {
    await using app = await createTestApp(engine);
    await app.createUser({ username: 'mei', email: 'mei@example.org' });
    expect((await (await app.login('mei@example.org')).get('/api/user/self')).data).toMatchObject({ username: 'mei' });
  });

  it('login: says the same whether the name, the password or the status is wrong', async () => {
    await using app = await createTestApp(engine);
    await app.setup();
    await app.createUser({ username: 'mei' });
    await app.createUser({ username: 'banned', status: 2 });
    await app.createUser({ username: 'gone', DeletedAt: '2026-01-01T00:00:00Z' });
    await app.createUser({ username: 'oauth', password: '' });
    for (const [username, password] of [
      ['mei', 'wrong password'],
      ['nobody', testPassword],
      ['banned', testPassword],
      ['gone', testPassword],
      ['oauth', 'any password'],
    ]) {
      const answer = await app.anonymous().post('/api/user/login', { username, password });
      expect(answer).toMatchObject({ status: 200, success: false, message: '用户名或密码错误，或用户已被封禁' });
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });

  it('login: after ten wrong passwords an account is closed for a while to logins without a proof of work, even a hundred at once', async () => {
    await using app = await createTestApp(engine);
    await app.createUser({ username: 'mei' });
    const tries = await Promise.all(
      Array.from({ length: 15 }, () => app.anonymous().post('/api/user/login', { username: 'mei', password: 'wrong password' })),
    );
    expect(tries.filter((answer) => answer.code === 'login_failed')).toHaveLength(10);
    const locked = tries.filter((answer) => answer.code === 'login_locked');
    expect(locked).toHaveLength(5);
    expect(locked[0]?.status).toBe(429);
    expect(Number(locked[0]?.headers['retry-after'])).toBeGreaterThan(0);
    // The right password alone does not help now, but later.
    expect(await app.anonymous().post('/api/user/login', { username: 'mei', password: testPassword })).toMatchObject({ status: 429 });
    app.clock.advance(21 * 60_000);
    await app.login('mei');
  });

  it('login: a proof of work lets the right password in past every limit; it counts once, for its name, for five minutes', async () => {
    await using app = await createTestApp(engine);
    await app.createUser({ username: 'mei' });
    await app.createUser({ username: 'lee' });
    const send = (username: string, password: string, proof?: string) =>
      app.anonymous().post('/api/user/login', { username, password, ...(proof === undefined ? {} : { proof }) });
    const locked = async (username: string) => {
      const refusal = await send(username, testPassword);
      expect(refusal).toMatchObject({ status: 429, code: 'login_locked' });
      return ProofChallenge.parse(refusal.data);
    };
    for (const username of ['mei', 'lee']) for (let index = 0; index < 10; index += 1) await send(username, 'wrong password');
    const [first, second, ofLee] = [await locked('mei'), await locked('mei'), await locked('lee')];
    const proof = await solve(first);
    const bad = [
      'nonsense',
      await solve(ofLee),
      // Made easier.
      await solve({ ...first, parameters: { ...first.parameters, cost: 1, keyPrefix: '00' } }),
      Buffer.from(JSON.stringify({ challenge: first, solution: { counter: 1, derivedKey: '00' } })).toString('base64'),
    ];
    for (const wrong of bad) expect(await send('mei', testPassword, wrong)).toMatchObject({ status: 429, code: 'login_locked' });
    expect(await send('mei', 'wrong password', proof)).toMatchObject({ status: 200, code: 'login_failed' });
    expect(await send('mei', testPassword, proof)).toMatchObject({ status: 429, code: 'login_locked' });
    const late = await solve(second);
    expect(await send('mei', testPassword, await solve(await locked('mei')))).toMatchObject({ success: true });
    for (let index = 0; index < 10; index += 1) await send('mei', 'wrong password');
    app.clock.advance(301_000);
    expect(await send('mei', testPassword, late)).toMatchObject({ status: 429, code: 'login_locked' });
  });

  it('login: the work doubles with the excess', async () => {
    await using app = await createTestApp(engine);
    await app.createUser({ username: 'mei' });
    const counter = async () => {
      const { data } = await app.anonymous().post('/api/user/login', { username: 'mei', password: 'wrong password' });
      return (await solveChallenge({ challenge: ProofChallenge.parse(data), deriveKey }))?.counter ?? 0;
    };
    for (let index = 0; index < 10; index += 1)
      await app.anonymous().post('/api/user/login', { username: 'mei', password: 'wrong password' });
    expect(await counter()).toBeLessThanOrEqual(400);
    const counted = await app.context.db.collection('limits').find({ id: { startsWith: 'login:' } });
    const pair = counted.find(({ id }) => id.endsWith(':127.0.0.1'));
    await app.context.db.collection('limits').patch({ id: pair?.id ?? '' }, { set: { count: 40 } });
    expect(await counter()).toBeGreaterThanOrEqual(800);
  });

  it('login: a stranger cannot lock an owner out where the owner is signed in', async () => {
    await using app = await createTestApp(engine, { env: { TRUSTED_PROXIES: '127.0.0.1' } });
    await app.createUser({ username: 'mei' });
    const from = (address: string, password: string) =>
      app.anonymous().post('/api/user/login', { username: 'mei', password }, { headers: { 'x-forwarded-for': address } });
    expect(await from('203.0.113.7', testPassword)).toMatchObject({ success: true });
    for (let index = 0; index < 10; index += 1) await from('198.51.100.1', 'wrong password');
    expect(await from('198.51.100.1', testPassword)).toMatchObject({ status: 429 });
    expect(await from('198.51.100.2', testPassword)).toMatchObject({ success: true });
    expect(await from('203.0.113.7', testPassword)).toMatchObject({ success: true });
    // Nor does the owner get more tries there.
    const tries = [];
    for (let index = 0; index < 12; index += 1) tries.push((await from('203.0.113.7', 'wrong password')).code);
    expect(tries.filter((code) => code === 'login_failed')).toHaveLength(10);
  });

  it('login: a crowd of strangers gets a hundred tries an hour, and does not lock an owner out where the owner has been before', async () => {
    await using app = await createTestApp(engine, { env: { TRUSTED_PROXIES: '127.0.0.1' } });
    await app.createUser({ username: 'mei' });
    const from = (address: string, password: string) =>
      app.anonymous().post('/api/user/login', { username: 'mei', password }, { headers: { 'x-forwarded-for': address } });
    expect(await from('203.0.113.7', testPassword)).toMatchObject({ success: true });
    // Being signed out there changes nothing.
    await app.context.db.collection('sessions').remove({});
    // (The hundred are not tried: every one of them costs a password.)
    const [row] = await app.context.db.collection('limits').find({ id: { startsWith: 'login:' } });
    expect(row).toMatchObject({ count: 0 });
    await app.context.db.collection('limits').patch({ id: row?.id ?? '' }, { set: { count: 98 } });
    for (const [address, status] of [
      ['198.51.100.1', 200],
      ['198.51.100.2', 200],
      ['198.51.100.3', 429],
    ] as const) {
      expect([address, (await from(address, 'wrong password')).status]).toEqual([address, status]);
    }
    const refusal = await from('198.51.100.4', testPassword);
    expect(refusal).toMatchObject({ status: 429, code: 'login_locked', data: { signature: expect.any(String) } });
    expect(await from('203.0.113.7', testPassword)).toMatchObject({ success: true });
    app.clock.advance(61 * 60_000);
    expect(await from('198.51.100.4', testPassword)).toMatchObject({ success: true });
  });

  it('login: a session that begins while the password changes does not outlive the change', async () => {
    await using app = await createTestApp(engine);
    const mei = await app.createUser({ username: 'mei' });
    const users = app.context.db.collection('users');
    // As expensive as real ones.
    await users.patch({ id: mei.id }, { set: { password_hash: await hashPassword(testPassword, 'test') } });
    const login = app.anonymous().post('/api/user/login', { username: 'mei', password: testPassword });
    // By now the account is read and its password is being looked at, which takes a while.
    await until(async () => (await app.context.db.collection('limits').count({})) === 3);
    await users.patch({ id: mei.id }, { set: { password_hash: 'another' } });
    expect(await login).toMatchObject({ status: 503, success: false, code: 'session_not_saved' });
    expect(await app.context.db.collection('sessions').count({})).toBe(0);
  });

  it('login: of more sessions than anybody needs the ones unused for longest end', async () => {
    await using app = await createTestApp(engine);
    const mei = await app.createUser({ username: 'mei' });
    const clients = [];
    for (let index = 0; index < 52; index += 1) {
      app.clock.advance(1000);
      clients.push(await app.as(mei));
    }
    const last = await app.login('mei');
    expect(await app.context.db.collection('sessions').count({ user_id: mei.id })).toBe(50);
    expect(await clients[2]?.get('/api/user/self')).toMatchObject({ status: 401 });
    expect(await clients[3]?.get('/api/user/self')).toMatchObject({ status: 200 });
    expect(await last.get('/api/user/self')).toMatchObject({ status: 200 });
  });

  it('login: a session in use does not end because others begin', async () => {
    await using app = await createTestApp(engine);
    const mei = await app.createUser({ username: 'mei' });
    const inUse = await app.as(mei);
    for (let index = 0; index < 51; index += 1) {
      app.clock.advance(10_000);
      await app.as(mei);
      expect(await inUse.get('/api/user/self')).toMatchObject({ status: 200 });
    }
    await app.login('mei');
    const noted = await inUse.get('/api/user/self');
    expect(noted).toMatchObject({ status: 200 });
    // The cookie is not sent again for that.
    expect(noted.headers['set-cookie']).toBeUndefined();
  });

  it('login: successes do not use up the tries of an account or an address', async () => {
    await using app = await createTestApp(engine);
    await app.createUser({ username: 'mei' });
    for (let index = 0; index < 25; index += 1) await app.login('mei');
  });

  it('login: one address may try few passwords on many accounts, and who shares it signs in; registering there still works', async () => {
    await using app = await createTestApp(engine);
    await app.setup();
    const send = (username: string, password: string) => app.anonymous().post('/api/user/login', { username, password });
    for (let index = 0; index < 20; index += 1)
      expect(await send(`nobody${index}`, 'some password')).toMatchObject({ code: 'login_failed' });
    const ofOne = [];
    for (let index = 0; index < 3; index += 1) ofOne.push((await send('nobody', 'some password')).code);
    expect(ofOne).toEqual(['login_failed', 'login_failed', 'login_locked']);
    expect(await send(rootName, testPassword)).toMatchObject({ success: true });
    const [from] = await app.context.db.collection('limits').find({ id: { startsWith: 'login-from:' } });
    await app.context.db.collection('limits').patch({ id: from?.id ?? '' }, { set: { count: 200 } });
    expect(await send('somebody', 'some password')).toMatchObject({ status: 429, code: 'login_locked' });
    expect(await app.anonymous().post('/api/user/register', { username: 'mei', password: testPassword })).toMatchObject({ success: true });
  });

  it('login: another sign-in in the same browser ends the former session', async () => {
    await using app = await createTestApp(engine);
    await app.createUser({ username: 'mei' });
    const client = await app.login('mei');
    const former = client.cookie;
    await client.post('/api/user/login', { username: 'mei', password: testPassword });
    expect(client.cookie).not.toBe(former);
    expect(await app.context.db.collection('sessions').count({})).toBe(1);
  });

  it('logout: the session is over, also for whoever kept the cookie', async () => {
    await using app = await createTestApp(engine);
    await app.createUser({ username: 'mei' });
    const client = await app.login('mei');
    const { cookie } = client;
    const answer = await client.get('/api/user/logout');
    expect(answer).toMatchObject({ status: 200, success: true });
    expect(client.cookie).toBeNull();
    client.setCookie(cookie);
    expect(await client.get('/api/user/self')).toMatchObject({ status: 401 });
    expect(await app.anonymous().get('/api/user/logout')).toMatchObject({ success: true });
  });

  it('logout: a link on a foreign page signs nobody out', async () => {
    await using app = await createTestApp(engine);
    await app.createUser({ username: 'mei' });
    const client = await app.login('mei');
    const foreign = await client.get('/api/user/logout', { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(foreign).toMatchObject({ status: 403, code: 'cross_site_refused' });
    expect(await client.get('/api/user/self')).toMatchObject({ success: true });
    expect(await client.get('/api/user/logout', { headers: { 'sec-fetch-site': 'same-origin' } })).toMatchObject({ success: true });
    expect(await client.get('/api/user/self')).toMatchObject({ status: 401 });
  });

  it('what a page only draws signs nobody out and changes nothing: a logo, a picture in a notice, a frame', async () => {
    await using app = await createTestApp(engine);
    const client = await app.as(await app.createUser());
    const token = await client.get('/api/user/token');
    for (const dest of ['image', 'iframe', 'object', 'style', 'font', 'video']) {
      const headers = { 'new-api-user': '', 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': dest };
      expect(await client.get('/api/user/logout', { headers })).toMatchObject({ status: 403, code: 'cross_site_refused' });
      expect(await client.get('/api/user/token', { headers })).toMatchObject({ status: 401, code: 'user_header_missing' });
      expect(await client.get('/api/verification?email=mei@example.org', { headers })).toMatchObject({ code: 'foreign_mail_refused' });
    }
    const program = app.anonymous();
    program.setUser(client.userId);
    expect(await program.get('/api/user/self', { headers: { authorization: token.data } })).toMatchObject({ success: true });
    const requested = { 'new-api-user': '', 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' };
    expect(await client.get('/api/user/token', { headers: requested })).toMatchObject({ success: true });
    expect(await client.get('/api/user/logout', { headers: requested })).toMatchObject({ success: true });
  });

  it('logout: one that is told late ends the session that was there then, and not the next one', async () => {
    await using app = await createTestApp(engine);
    await app.createUser({ username: 'mei' });
    const client = await app.login('mei');
    const { cookie } = client;
    app.clock.advance(60_000);
    // Signed out half a minute ago; a later sign-in is not affected, even in the same second.
    const signedOut = app.context.now();
    const next = await app.login('mei');
    app.clock.advance(500);
    // What the call takes on its way counts as later, however long that is.
    const justAfter = app.context.now() - signedOut + 300;
    expect(await next.get(`/api/user/logout?ago_ms=${justAfter}`)).toMatchObject({ success: true });
    app.clock.advance(30_000);
    expect(await next.get('/api/user/logout?ago_ms=90000')).toMatchObject({ success: true });
    expect(next.cookie).not.toBeNull();
    expect(await next.get('/api/user/self')).toMatchObject({ success: true });

    const late = await client.get('/api/user/logout?ago_ms=30000');
    expect(late).toMatchObject({ success: true });
    // The answer may come after that of a sign-in.
    expect(late.headers['set-cookie']).toBeUndefined();
    client.setCookie(cookie);
    expect(await client.get('/api/user/self')).toMatchObject({ status: 401 });
    expect(await app.context.db.collection('sessions').count({})).toBe(1);
  });

  it('a session lasts 30 days from its last use', async () => {
    await using app = await createTestApp(engine);
    await app.createUser({ username: 'mei' });
    const client = await app.login('mei');
    app.clock.advance(29 * 24 * 3600_000);
    const prolonged = await client.get('/api/user/self');
    expect(prolonged).toMatchObject({ status: 200 });
    expect(String(prolonged.headers['set-cookie'])).toContain('Max-Age=2592000');
    app.clock.advance(29 * 24 * 3600_000);
    expect(await client.get('/api/user/self')).toMatchObject({ status: 200 });
    app.clock.advance(31 * 24 * 3600_000);
    expect(await client.get('/api/user/self')).toMatchObject({ status: 401 });
  });

  it('the cookie is marked Secure behind a trusted proxy that speaks HTTPS, and only then', async () => {
    await using app = await createTestApp(engine, { env: { TRUSTED_PROXIES: '127.0.0.1' } });
    await using open = await createTestApp(engine, { database: app.database, clock: app.clock });
    await app.createUser({ username: 'mei' });
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };
    const body = { username: 'mei', password: testPassword };
    const proxied = await app.anonymous().post('/api/user/login', body, { headers });
    expect(String(proxied.headers['set-cookie'])).toContain('; Secure');
    const forged = await open.anonymous().post('/api/user/login', body, { headers });
    expect(String(forged.headers['set-cookie'])).not.toContain('Secure');
    const sessions = await app.context.db.collection('sessions').find({}, { sort: [['created_at', 1]] });
    expect(sessions.map((session) => session.ip).toSorted()).toEqual(['127.0.0.1', '203.0.113.7']);
  });

  it('rights: who gets 401, 403 and 200', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser({ username: 'mei' });
    const admin = await app.createUser({ username: 'boss', role: 10 });
    const token = 'an access token';
    const hashed = { access_token_hash: app.context.secrets.hash(token) };
    const holder = await app.createUser({ username: 'holder', ...hashed });
    const asUser = await app.as(user);
    const asAdmin = await app.as(admin);
    const stranger = app.anonymous();

    expect(await stranger.get('/api/user/self')).toMatchObject({
      status: 401,
      code: 'not_logged_in',
      message: '无权进行此操作，未登录且未提供 access token',
    });
    expect(await stranger.get('/api/user/self', { headers: { authorization: 'Bearer nonsense', 'new-api-user': '1' } })).toMatchObject({
      status: 401,
      code: 'access_token_invalid',
    });
    expect(await stranger.get('/api/user/self', { headers: { cookie: 'session=short' } })).toMatchObject({ status: 401 });
    expect(await stranger.get('/api/user/self', { headers: { cookie: `session=${'a'.repeat(43)}` } })).toMatchObject({ status: 401 });

    expect(await asUser.get('/api/user/self', { headers: { 'new-api-user': '' } })).toMatchObject({
      status: 401,
      code: 'user_header_missing',
    });
    expect(await asUser.get('/api/user/self', { headers: { 'new-api-user': 'me' } })).toMatchObject({
      status: 401,
      code: 'user_header_malformed',
    });
    expect(await asUser.get('/api/user/self', { headers: { 'new-api-user': `${user.id}.0` } })).toMatchObject({
      status: 401,
      code: 'user_header_malformed',
    });
    expect(await asUser.get('/api/user/self', { headers: { 'new-api-user': String(admin.id) } })).toMatchObject({
      status: 401,
      code: 'user_header_mismatch',
    });

    expect(await asUser.get('/api/user/self')).toMatchObject({ status: 200, success: true });
    expect(await asUser.get('/api/user/')).toMatchObject({ status: 403, code: 'forbidden', message: '无权进行此操作，权限不足' });
    expect(await asAdmin.get('/api/user/')).toMatchObject({ status: 200, success: true });

    const withToken = { authorization: token, 'new-api-user': String(holder.id) };
    expect(await stranger.get('/api/user/self', { headers: withToken })).toMatchObject({ status: 200, data: { username: 'holder' } });
    expect(await stranger.get('/api/user/self', { headers: { ...withToken, authorization: `Bearer ${token}` } })).toMatchObject({
      status: 200,
    });
    expect(await stranger.get('/api/user/self', { headers: { authorization: token } })).toMatchObject({
      status: 401,
      code: 'user_header_missing',
    });
    await app.context.db.collection('users').patch({ id: holder.id }, { set: { status: 2 } });
    expect(await stranger.get('/api/user/self', { headers: withToken })).toMatchObject({
      status: 403,
      code: 'user_banned',
      message: '用户已被封禁',
    });
    await app.context.db.collection('users').patch({ id: holder.id }, { set: { status: 3 } });
    expect(await stranger.get('/api/user/self', { headers: withToken })).toMatchObject({ status: 403, code: 'user_banned' });
  });

  it('a GET that changes something needs the header or the word of the browser that the page is ours', async () => {
    await using app = await createTestApp(engine);
    const client = await app.as(await app.createUser({ role: 10 }));
    const test = (headers: Record<string, string>) => client.get('/api/channel/test/999', { headers: { 'new-api-user': '', ...headers } });
    expect(await test({})).toMatchObject({ status: 401, code: 'user_header_missing' });
    expect(await test({ 'sec-fetch-site': 'cross-site' })).toMatchObject({ status: 401 });
    expect(await test({ 'sec-fetch-site': 'same-site' })).toMatchObject({ status: 401 });
    expect(await test({ 'sec-fetch-site': 'same-origin' })).toMatchObject({ status: 200, code: 'channel_not_found' });
    // A GET that only reads needs the header in any case.
    expect(await client.get('/api/user/self', { headers: { 'new-api-user': '', 'sec-fetch-site': 'same-origin' } })).toMatchObject({
      status: 401,
    });
  });

  it('a foreign page cannot sign its visitor in, register or set up for them: forms are no JSON', async () => {
    await using app = await createTestApp(engine);
    const account = { username: 'mallory', password: testPassword, confirmPassword: testPassword };
    for (const path of ['/api/setup', '/api/user/register', '/api/user/login']) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        for (const [mark, value] of [
          ['origin', 'https://evil.example'],
          ['origin', 'null'],
          ['sec-fetch-site', 'cross-site'],
        ] as const) {
          const headers = { 'content-type': type, [mark]: value };
          const answer = await app.anonymous().post(path, undefined, { rawBody: JSON.stringify(account), headers });
          expect(answer).toMatchObject({ status: 415, success: false, code: 'unsupported_media_type' });
        }
      }
    }
    expect(await app.context.db.collection('users').count({})).toBe(0);
    // The console says what it sends; clients that are no pages need not.
    await app.setup();
    const console = { origin: app.origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json;charset=UTF-8' };
    expect(await app.anonymous().post('/api/user/register', { ...account, username: 'mei' }, { headers: console })).toMatchObject({
      success: true,
    });
    const curl = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await app.anonymous().post('/api/user/register', { ...account, username: 'lin' }, { headers: curl })).toMatchObject({
      success: true,
    });
  });

  it('a demotion counts for the running session', async () => {
    await using app = await createTestApp(engine);
    const admin = await app.createUser({ role: 10 });
    const client = await app.as(admin);
    expect(await client.get('/api/user/')).toMatchObject({ status: 200 });
    await app.context.db.collection('users').patch({ id: admin.id }, { set: { role: 1 } });
    expect(await client.get('/api/user/')).toMatchObject({ status: 403 });
  });

  it('register and login: say before the set-up that it is missing; nobody becomes the first user, with a secret or without', async () => {
    for (const env of [new Map<string, string>(), new Map([['SETUP_SECRET', 'only the owner']])].map(Object.fromEntries<string>)) {
      await using app = await createTestApp(engine, { env });
      // Another server process that has served requests before, too.
      await using other = await createTestApp(engine, { database: app.database, clock: app.clock, env });
      const account = { username: 'root', password: testPassword };
      const missing = { status: 200, success: false, code: 'setup_missing' };
      for (const [server, path] of [
        [app, 'register'],
        [app, 'login'],
        [other, 'register'],
      ] as const) {
        const zh = await server.anonymous().post(`/api/user/${path}`, account);
        expect(zh).toMatchObject({ ...missing, message: '系统尚未初始化，请先完成初始化' });
        const en = await server.anonymous().post(`/api/user/${path}`, account, { headers: { 'accept-language': 'en' } });
        expect(en).toMatchObject({ ...missing, message: 'This site is not set up yet: finish the set-up first' });
      }
      expect(await app.context.db.collection('users').count({})).toBe(0);
      expect((await app.anonymous().get('/api/status')).data).toMatchObject({ setup: false, register_enabled: false });
      const setup = { ...account, confirmPassword: testPassword, setup_secret: 'only the owner' };
      expect(await app.anonymous().post('/api/setup', setup)).toMatchObject({ success: true });
      expect((await (await other.login('root')).get('/api/user/self')).data).toMatchObject({ id: 1, role: 100 });
      expect((await other.anonymous().get('/api/status')).data).toMatchObject({ setup: true, register_enabled: true });
      const answer = await other.anonymous().post('/api/user/register', { username: 'mei', password: testPassword });
      expect(answer).toMatchObject({ success: true });
    }
  });

  it('register: makes an account that can sign in at once', async () => {
    await using app = await createTestApp(engine);
    await app.setup();
    const answer = await app
      .anonymous()
      .post('/api/user/register', { username: ' 小梅 ', password: testPassword, password2: testPassword });
    expect(answer).toMatchObject({ status: 200, success: true });
    const self = await (await app.login('小梅')).get('/api/user/self');
    expect(self.data).toMatchObject({
      username: '小梅',
      display_name: '小梅',
      role: 1,
      status: 1,
      group: 'default',
      quota: 0,
      inviter_id: 0,
    });
  });

  it('register: signs in, with a session of its own in place of the one of somebody else', async () => {
    await using app = await createTestApp(engine);
    await app.setup();
    await app.createUser({ username: 'former' });
    const client = await app.login('former');
    const answer = await client.post('/api/user/register', { username: 'mei', password: testPassword });
    expect(answer).toMatchObject({ status: 200, success: true, data: { username: 'mei', role: 1 } });
    client.setUser(answer.data.id);
    expect((await client.get('/api/user/self')).data).toMatchObject({ username: 'mei' });
    expect((await client.get('/api/user/sessions')).data).toHaveLength(1);
    const sessions = await app.context.db.collection('sessions').find({});
    const former = await app.context.db.collection('users').first({ username: 'former' });
    expect(sessions.filter(({ user_id }) => user_id === former?.id)).toEqual([]);
  });

  it('register: begins no session where passwords do not sign in', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    expect(await root.put('/api/option/', { key: 'PasswordLoginEnabled', value: 'false' })).toMatchObject({ success: true });
    const client = app.anonymous();
    const answer = await client.post('/api/user/register', { username: 'mei', password: testPassword });
    expect(answer).toMatchObject({ status: 200, success: true });
    expect(answer.data).toBeUndefined();
    expect(await client.get('/api/user/self')).toMatchObject({ status: 401 });
  });

  it('register: pays the bonuses, to the new user at once and to the inviter as earnings, with their log rows', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    for (const [key, value] of [
      ['QuotaForNewUser', '1000'],
      ['QuotaForInvitee', '500'],
      ['QuotaForInviter', '200'],
    ]) {
      expect(await root.put('/api/option/', { key, value })).toMatchObject({ success: true });
    }
    const inviter = await app.createUser({ username: 'inviter' });
    await app.anonymous().post('/api/user/register', { username: 'mei', password: testPassword, aff_code: inviter.aff_code });
    const users = app.context.db.collection('users');
    const mei = await users.first({ username: 'mei' });
    expect(mei).toMatchObject({ quota: 1500, inviter_id: inviter.id });
    expect(await users.get(inviter.id)).toMatchObject({ quota: 0, aff_count: 1, aff_quota: 200, aff_history_quota: 200 });
    const rows = await app.context.db.collection('logs').find({ type: 4 });
    expect(rows.map((row) => `${row.username}: ${row.content}`)).toEqual([
      'mei: 新用户注册赠送 ＄0.002000 额度',
      'mei: 使用邀请码赠送 ＄0.001000 额度',
      'inviter: 邀请用户赠送 ＄0.000400 额度',
    ]);
  });

  it('register: a taken name is refused, also that of a deleted account, and for all but one at once', async () => {
    await using app = await createTestApp(engine);
    await app.setup();
    await app.createUser({ username: 'gone', DeletedAt: '2026-01-01T00:00:00Z' });
    const taken = await app.anonymous().post('/api/user/register', { username: 'gone', password: testPassword });
    expect(taken).toMatchObject({ success: false, code: 'username_taken', message: '用户名已存在，或已注销', field: 'username' });
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => app.anonymous().post('/api/user/register', { username: 'mei', password: testPassword })),
    );
    expect(answers.filter((answer) => answer.success)).toHaveLength(1);
    expect(answers.filter((answer) => answer.code === 'username_taken')).toHaveLength(5);
  });

  it.each([
    [{ username: '', password: testPassword }, 'username'],
    [{ username: '   ', password: testPassword }, 'username'],
    [{ username: '一二三四五六七八九十一二三', password: testPassword }, 'username'],
    [{ username: 'a@b', password: testPassword }, 'username'],
    [{ username: 'a\u0000b', password: testPassword }, 'username'],
    [{ username: 'a\u202eb', password: testPassword }, 'username'],
    [{ username: '\u3164', password: testPassword }, 'username'],
    [{ username: 'mei\u2800', password: testPassword }, 'username'],
    [{ username: 'mei', password: '1234567' }, 'password'],
    [{ username: 'mei', password: 'x'.repeat(21) }, 'password'],
    [{ username: 'mei', password: testPassword, password2: 'another password' }, 'password2'],
    [{ username: 'mei', password: testPassword, email: `${'x'.repeat(50)}@example.org` }, 'email'],
  ])('register: refuses %j', async (body, field) => {
    await using app = await createTestApp(engine);
    await app.setup();
    expect(await app.anonymous().post('/api/user/register', body)).toMatchObject({ status: 200, success: false, field });
    expect(await app.context.db.collection('users').count({})).toBe(1);
  });

  it.each([
    ['en' as const, '{"language":"en"}'],
    ['zh' as const, ''],
  ])('register: notices are in the language of whoever signs up in %s', async (language, setting) => {
    await using app = await createTestApp(engine);
    await app.setup();
    const visitor = app.anonymous();
    visitor.setLanguage(language);
    expect(await visitor.post('/api/user/register', { username: 'mei', password: testPassword })).toMatchObject({ success: true });
    expect((await visitor.post('/api/user/login', { username: 'mei', password: testPassword })).data).toMatchObject({ setting });
  });

  it('register: closed by the options, each with its reason', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const register = () => app.anonymous().post('/api/user/register', { username: 'mei', password: testPassword });
    const option = (key: string, value: string) => root.put('/api/option/', { key, value });
    await option('PasswordRegisterEnabled', 'false');
    expect(await register()).toMatchObject({ code: 'password_registration_disabled' });
    await option('RegisterEnabled', 'false');
    expect(await register()).toMatchObject({ code: 'registration_closed', message: '管理员关闭了新用户注册' });
  });

  it('login: switched off, it still lets the super admin in, and tells nobody who that is', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    await app.createUser({ username: 'boss', role: 10 });
    await root.put('/api/option/', { key: 'PasswordLoginEnabled', value: 'false' });
    const refused = { status: 200, success: false, code: 'password_login_disabled', message: '管理员关闭了密码登录' };
    for (const [username, password] of [
      ['boss', testPassword],
      ['boss', 'wrong password'],
      ['root', 'wrong password'],
      ['nobody', testPassword],
    ]) {
      expect(await app.anonymous().post('/api/user/login', { username, password })).toMatchObject(refused);
    }
    await app.login('root');
  });

  it('register: gives a first token where the installation wants it', async () => {
    await using app = await createTestApp(engine, { env: { GENERATE_DEFAULT_TOKEN: 'true' } });
    await app.setup();
    await app.anonymous().post('/api/user/register', { username: 'mei', password: testPassword });
    const tokens = await app.context.db.collection('tokens').find({});
    expect(tokens).toMatchObject([{ name: 'mei的初始令牌', unlimited_quota: true, remain_quota: 500_000, expired_time: -1, status: 1 }]);
  });
});
