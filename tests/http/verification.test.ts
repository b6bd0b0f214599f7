import { afterAll, describe, expect, it } from 'vitest';
import { foldStoredEmails } from '#server/accounts/identities.ts';
import { finishWelcomes } from '#server/accounts/welcome.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createMailDesk, type MailDesk } from '#tests/support/mail-desk.ts';
import { createTestApp, testPassword } from '#tests/support/test-app.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';
import { until } from '#tests/support/until.ts';

afterAll(trustLocalhost());

const address = 'Mira@Example.org';
const wrongCode = { success: false, message: '验证码错误或已过期' };

async function save(desk: MailDesk, options: Record<string, string>): Promise<void> {
  for (const [key, value] of Object.entries(options)) {
    expect(await desk.root.put('/api/option/', { key, value })).toMatchObject({ success: true });
  }
}

const codeIn = (text: string | undefined) => /\b[0-9a-f]{6}\b/.exec(text ?? '')?.[0] ?? '';
const linkIn = (text: string | undefined) => new URL(/https?:\/\/\S+/.exec(text ?? '')?.[0] ?? 'http://none');

async function sentCode(desk: MailDesk, client = desk.app.anonymous(), email = address): Promise<string> {
  expect(await client.get(`/api/verification?email=${encodeURIComponent(email)}&turnstile=`)).toMatchObject({ success: true, message: '' });
  return codeIn(desk.smtp.mails.at(-1)?.text);
}

async function sentLink(desk: MailDesk, email: string): Promise<URL> {
  const before = desk.smtp.mails.length;
  expect(await desk.app.anonymous().get(`/api/reset_password?email=${encodeURIComponent(email)}&turnstile=`)).toMatchObject({
    success: true,
  });
  await until(() => desk.smtp.mails.length > before);
  return linkIn(desk.smtp.mails.at(-1)?.text);
}

describe.each(oneEngine)('verification on $kind', (engine) => {
  const body = { username: 'mira', password: testPassword, password2: testPassword };

  it('register: with a code that was mailed, the address is the own one; the code counts once', async () => {
    await using desk = await createMailDesk(engine);
    await save(desk, { EmailVerificationEnabled: 'true', SystemName: 'Har<b>our' });
    const register = (more: object) => desk.app.anonymous().post('/api/user/register', { ...body, ...more });
    const needed = '管理员开启了邮箱验证，请输入邮箱地址和验证码';
    expect(await register({})).toMatchObject({ success: false, message: needed, field: 'email' });
    expect(await register({ email: address })).toMatchObject({ message: needed, field: 'verification_code' });
    const code = await sentCode(desk);
    expect(desk.smtp.mails.at(-1)).toMatchObject({ to: ['Mira@example.org'], headers: { subject: 'Har<b>our邮箱验证邮件' } });
    expect(desk.smtp.mails.at(-1)?.html).toContain('Har&#60;b&#62;our');
    expect(desk.smtp.mails.at(-1)?.html).toContain(`<strong>${code}</strong>`);
    expect(await register({ email: address, verification_code: '000000' })).toMatchObject(wrongCode);
    // A code for one address is none for another.
    expect(await register({ email: 'other@example.org', verification_code: code })).toMatchObject(wrongCode);
    // A name that is taken does not use up the code: the user retries with another name.
    expect(await register({ username: 'root', email: address, verification_code: code })).toMatchObject({ code: 'username_taken' });
    expect(await register({ email: ` ${address} `, verification_code: ` ${code.toUpperCase()} ` })).toMatchObject({ success: true });
    const login = await desk.app.anonymous().post('/api/user/login', { username: 'mira@example.org', password: testPassword });
    expect(login.data).toMatchObject({ username: 'mira', email: address });
    expect(await register({ username: 'two', email: address, verification_code: code })).toMatchObject(wrongCode);
    // Nothing of it can be read from the database.
    expect(JSON.stringify(await desk.app.context.db.collection('verification_codes').find({}))).not.toContain(code);
  });

  it('addresses: one mailbox has one account, however the address is written, and it stays as it was entered', async () => {
    await using desk = await createMailDesk(engine);
    await save(desk, { EmailVerificationEnabled: 'true' });
    const { app } = desk;
    await app.createUser({ username: 'ana', email: 'An.A+tide@GoogleMail.com' });
    await app.createUser({ username: 'mira2', email: 'mira.b+x@example.org' });
    const requested = (email: string) => app.anonymous().get(`/api/verification?email=${encodeURIComponent(email)}`);
    for (const email of ['ana@gmail.com', 'a.n.a@gmail.com', 'ANA+other@googlemail.com', 'mira.b@example.org', 'Mira.B+y@example.org']) {
      expect([email, (await requested(email)).code]).toEqual([email, 'email_taken']);
    }
    // Dots count everywhere else.
    expect(await requested('mirab@example.org')).toMatchObject({ success: true });
    for (const name of ['ana@gmail.com', 'An.A+tide@GoogleMail.com']) {
      const { data } = await (await app.login(name)).get('/api/user/self');
      expect(data).toMatchObject({ username: 'ana', email: 'An.A+tide@GoogleMail.com' });
    }
  });

  it('addresses: accounts of earlier versions get their mailbox; of two that share one the second goes on by its own address', async () => {
    await using desk = await createMailDesk(engine);
    const { app } = desk;
    const users = app.context.db.collection('users');
    for (const [username, email] of [
      ['one', 'lin.x@gmail.com'],
      ['two', 'linx+2@gmail.com'],
    ] as const) {
      const { id } = await app.createUser({ username });
      await users.patch({ id }, { set: { email, email_folded: email } });
    }
    for (let round = 0; round < 2; round += 1) {
      const names = [];
      for (const name of ['lin.x@gmail.com', 'linx+2@gmail.com']) {
        names.push((await (await app.login(name)).get('/api/user/self')).data.username);
      }
      expect(names).toEqual(['one', 'two']);
      await foldStoredEmails(app.context);
    }
    expect((await (await app.login('l.inx@gmail.com')).get('/api/user/self')).data).toMatchObject({ username: 'one' });
  });

  it('register: of two at once with one code one is let in', async () => {
    await using desk = await createMailDesk(engine);
    await save(desk, { EmailVerificationEnabled: 'true' });
    const verification_code = await sentCode(desk);
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((username) =>
        desk.app.anonymous().post('/api/user/register', { ...body, username, email: address, verification_code }),
      ),
    );
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(await desk.app.context.db.collection('users').count({ email_folded: address.toLowerCase() })).toBe(1);
  });

  it('codes: five tries, three minutes, whatever process answers', async () => {
    await using desk = await createMailDesk(engine);
    await save(desk, { EmailVerificationEnabled: 'true' });
    await using second = await createTestApp(engine, { database: desk.app.database, clock: desk.app.clock });
    const register = (verification_code: string, app = second) =>
      app.anonymous().post('/api/user/register', { ...body, email: address, verification_code });
    const guessed = await sentCode(desk);
    await Promise.all(Array.from({ length: 8 }, (_one, index) => register(`00000${index}`)));
    expect(await register(guessed)).toMatchObject(wrongCode);
    desk.app.clock.advance(31_000);
    const late = await sentCode(desk);
    desk.app.clock.advance(181_000);
    expect(await register(late)).toMatchObject(wrongCode);
    const good = await sentCode(desk);
    expect(await register(good)).toMatchObject({ success: true });
  });

  it('codes: strangers elsewhere use up neither the tries, nor the code, nor the mails of who asked', async () => {
    await using desk = await createMailDesk(engine, {}, { env: { TRUSTED_PROXIES: '127.0.0.1' } });
    await save(desk, { EmailVerificationEnabled: 'true' });
    const from = (place: number) => ({ headers: { 'x-forwarded-for': `203.0.113.${place}` } });
    const ask = (place: number) => desk.app.anonymous().get(`/api/verification?email=${encodeURIComponent(address)}`, from(place));
    const register = (verification_code: string, place: number) =>
      desk.app.anonymous().post('/api/user/register', { ...body, email: address, verification_code }, from(place));
    for (let mails = 0; mails < 6; mails += 1) {
      expect(await ask(9)).toMatchObject({ success: true });
      desk.app.clock.advance(31_000);
    }
    expect(await ask(9)).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(await ask(1)).toMatchObject({ success: true });
    const code = codeIn(desk.smtp.mails.at(-1)?.text);
    expect(await ask(8)).toMatchObject({ success: true });
    for (let tries = 0; tries < 6; tries += 1) expect(await register('000000', 7)).toMatchObject(wrongCode);
    // Of the newest code the tries from elsewhere are used up.
    expect(await register(codeIn(desk.smtp.mails.at(-1)?.text), 7)).toMatchObject(wrongCode);
    expect(await register(code, 1)).toMatchObject({ success: true });
  });

  it('codes: one may be entered elsewhere than it was asked for, and counts once', async () => {
    await using desk = await createMailDesk(engine, {}, { env: { TRUSTED_PROXIES: '127.0.0.1' } });
    await save(desk, { EmailVerificationEnabled: 'true' });
    const from = (place: number) => ({ headers: { 'x-forwarded-for': `203.0.113.${place}` } });
    expect(await desk.app.anonymous().get(`/api/verification?email=${address}`, from(1))).toMatchObject({ success: true });
    const verification_code = codeIn(desk.smtp.mails.at(-1)?.text);
    const register = (username: string, place: number) =>
      desk.app.anonymous().post('/api/user/register', { ...body, username, email: address, verification_code }, from(place));
    const answers = await Promise.all([1, 2, 3].map((place) => register(`mira${place}`, place)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    await desk.app.context.db
      .collection('users')
      .patch({ email_folded: address.toLowerCase() }, { unset: ['email_folded'], set: { email: '' } });
    for (const place of [1, 2]) expect(await register('again', place)).toMatchObject(wrongCode);
  });

  it('codes: a new one takes the place of the one before, after half a minute', async () => {
    await using desk = await createMailDesk(engine);
    await save(desk, { EmailVerificationEnabled: 'true' });
    const first = await sentCode(desk);
    const soon = await desk.app.anonymous().get(`/api/verification?email=${address.toLowerCase()}`);
    expect(soon).toMatchObject({ status: 429, code: 'mail_too_soon' });
    expect(Number(soon.headers['retry-after'])).toBeGreaterThan(20);
    desk.app.clock.advance(31_000);
    const second = await sentCode(desk);
    const register = (verification_code: string) =>
      desk.app.anonymous().post('/api/user/register', { ...body, email: address, verification_code });
    expect(await register(first)).toMatchObject(wrongCode);
    expect(await register(second)).toMatchObject({ success: true });
  });

  it.each([
    ['', {}, '无效的参数'],
    ['nonsense', {}, '无效的参数'],
    ['a@b@example.org', {}, '无效的参数'],
    ['"a@b"@example.org', {}, '无效的邮箱地址'],
    [`${'a'.repeat(50)}@example.org`, {}, '无效的邮箱地址'],
    ['mira@elsewhere.example', { EmailDomainRestrictionEnabled: 'true' }, /^The administrator has enabled the email domain name whitelist/],
    ['mira@GMAIL.com.evil.example', { EmailDomainRestrictionEnabled: 'true' }, /^The administrator has enabled the email domain/],
    ['mi.ra@gmail.com', { EmailAliasRestrictionEnabled: 'true' }, '管理员已启用邮箱地址别名限制，您的邮箱地址由于包含特殊符号而被拒绝。'],
    ['mira+x@gmail.com', { EmailAliasRestrictionEnabled: 'true' }, '管理员已启用邮箱地址别名限制，您的邮箱地址由于包含特殊符号而被拒绝。'],
    ['Taken@example.org', {}, '邮箱地址已被占用'],
  ] as const)('no code goes to %s', async (email, options, message) => {
    await using desk = await createMailDesk(engine);
    await desk.app.createUser({ username: 'taken', email: 'taken@example.org', DeletedAt: '2026-01-01T00:00:00Z' });
    await save(desk, options);
    const answer = await desk.app.anonymous().get(`/api/verification?email=${encodeURIComponent(email)}`);
    expect(answer.success).toBe(false);
    expect(answer.message).toMatch(message);
    expect(desk.smtp.mails).toHaveLength(0);
  });

  it('a listed domain is taken in any case of its letters', async () => {
    await using desk = await createMailDesk(engine);
    await save(desk, { EmailDomainRestrictionEnabled: 'true', EmailAliasRestrictionEnabled: 'true' });
    expect(await sentCode(desk, undefined, 'mira@GMail.com')).toMatch(/^[0-9a-f]{6}$/);
  });

  it('bind: the address is bound to who asked for the code, and to nobody who has the code only', async () => {
    await using desk = await createMailDesk(engine);
    const mei = await desk.app.as(await desk.app.createUser({ username: 'mei' }));
    const ana = await desk.app.as(await desk.app.createUser({ username: 'ana' }));
    const code = await sentCode(desk, mei);
    const bind = (client: typeof mei, given: string) => client.get(`/api/oauth/email/bind?email=${address}&code=${given}`);
    expect(await bind(ana, code)).toMatchObject(wrongCode);
    expect(await bind(mei, '')).toMatchObject({ success: false, message: '无效的参数' });
    expect(await bind(mei, code)).toMatchObject({ success: true, message: '' });
    expect((await mei.get('/api/user/self')).data.email).toBe(address);
    expect(await bind(mei, code)).toMatchObject(wrongCode);
    expect(await desk.app.anonymous().get(`/api/oauth/email/bind?email=${address}&code=${code}`)).toMatchObject({ status: 401 });
    expect(await ana.get(`/api/verification?email=${address}`)).toMatchObject({ message: '邮箱地址已被占用' });
    expect(await mei.delete('/api/oauth/email/bind')).toMatchObject({ success: true, data: { email: '' } });
  });

  it('bind: two who verify one address at once end with one of them', async () => {
    await using desk = await createMailDesk(engine);
    const clients = [];
    for (const username of ['mei', 'ana']) {
      const client = await desk.app.as(await desk.app.createUser({ username }));
      clients.push({ client, code: await sentCode(desk, client) });
      desk.app.clock.advance(31_000);
    }
    const answers = await Promise.all(clients.map(({ client, code }) => client.get(`/api/oauth/email/bind?email=${address}&code=${code}`)));
    expect(answers.map(({ code }) => code ?? 'bound').toSorted((one, other) => one.localeCompare(other))).toEqual(['bound', 'email_taken']);
  });

  it('mail: what the server refuses is said, and the next try need not wait', async () => {
    await using desk = await createMailDesk(engine);
    await save(desk, { SMTPFrom: 'no address' });
    const ask = () => desk.app.anonymous().get(`/api/verification?email=${address}`);
    expect(await ask()).toMatchObject({ success: false, message: 'invalid SMTP account' });
    await save(desk, { SMTPFrom: 'post@tidegate.example' });
    expect(await ask()).toMatchObject({ success: true });
    await save(desk, { SMTPServer: '' });
    for (const path of ['/api/verification', '/api/reset_password']) {
      expect(await desk.app.anonymous().get(`${path}?email=${address}`)).toMatchObject({ success: false, message: 'SMTP 服务器未配置' });
    }
  });

  it('a foreign page has its visitors ask for no mails', async () => {
    await using desk = await createMailDesk(engine);
    await desk.app.createUser({ username: 'mira', email: address });
    for (const path of ['/api/verification?email=new@example.org', `/api/reset_password?email=${address}`]) {
      const foreign = await desk.app.anonymous().get(path, { headers: { 'sec-fetch-site': 'cross-site' } });
      expect(foreign).toMatchObject({ status: 403, code: 'foreign_mail_refused' });
      expect(await desk.app.anonymous().get(path, { headers: { 'sec-fetch-site': 'same-origin' } })).toMatchObject({ success: true });
    }
    await desk.app.stop();
    expect(desk.smtp.mails).toHaveLength(2);
  });

  it('reset: the link gives a new password once, and ends every session', async () => {
    await using desk = await createMailDesk(engine);
    await save(desk, { ServerAddress: 'https://gate.example/' });
    await desk.app.createUser({ username: 'mira', email: 'mira+1@example.org' });
    const before = await desk.app.login('mira');
    const link = await sentLink(desk, 'MIRA+1@example.org');
    expect(link.origin + link.pathname).toBe('https://gate.example/user/reset');
    expect(link.searchParams.get('email')).toBe('mira+1@example.org');
    expect(desk.smtp.mails.at(-1)).toMatchObject({ to: ['mira+1@example.org'] });
    const given = { email: link.searchParams.get('email'), token: link.searchParams.get('token') };
    const invalid = { success: false, message: '重置链接非法或已过期' };
    expect(await desk.app.anonymous().post('/api/user/reset', { ...given, token: 'x'.repeat(32) })).toMatchObject(invalid);
    expect(await desk.app.anonymous().post('/api/user/reset', { ...given, email: '' })).toMatchObject({ message: '无效的参数' });
    const answers = await Promise.all([1, 2].map(() => desk.app.anonymous().post('/api/user/reset', given)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    const password = String(answers.find(({ success }) => success)?.data);
    expect(password).toMatch(/^\w{12}$/);
    expect(await before.get('/api/user/self')).toMatchObject({ status: 401 });
    await desk.app.login('mira', password);
    await expect(desk.app.login('mira')).rejects.toThrow();
    expect(await desk.app.anonymous().post('/api/user/reset', given)).toMatchObject(invalid);
  });

  it.each(['zh', 'en'])(
    'reset: without a server address the mail holds a code and no link, whatever the request names (%s)',
    async (language) => {
      await using desk = await createMailDesk(engine);
      const user = await desk.app.createUser({ username: 'mira', email: address });
      const before = desk.smtp.mails.length;
      const poison = { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example', 'accept-language': language };
      expect(await desk.app.anonymous().get(`/api/reset_password?email=${encodeURIComponent(address)}`, { headers: poison })).toMatchObject(
        { success: true },
      );
      await until(() => desk.smtp.mails.length > before);
      const mail = desk.smtp.mails.at(-1);
      const token = /^[0-9A-Za-z]{32}$/m.exec(mail?.text ?? '')?.[0] ?? '';
      for (const part of [mail?.text, mail?.html]) {
        expect(part).toContain(token);
        expect(part).not.toMatch(/https?:|localhost|evil/);
      }
      expect(await desk.app.anonymous().post('/api/user/reset', { email: user.email, token })).toMatchObject({ success: true });
    },
  );

  it('reset: a link holds ten minutes, whatever strangers try; where they are, they are stopped', async () => {
    await using desk = await createMailDesk(engine, {}, { env: { TRUSTED_PROXIES: '127.0.0.1' } });
    await save(desk, { ServerAddress: 'https://gate.example' });
    await desk.app.createUser({ username: 'mira', email: address });
    const late = await sentLink(desk, address);
    desk.app.clock.advance(601_000);
    const reset = (token: string | null) => desk.app.anonymous().post('/api/user/reset', { email: address, token });
    expect(await reset(late.searchParams.get('token'))).toMatchObject({ success: false });
    const link = await sentLink(desk, address);
    const from = (place: number) => ({ headers: { 'x-forwarded-for': `203.0.113.${place}` } });
    const guess = (place: number) => desk.app.anonymous().post('/api/user/reset', { email: address, token: 'a guess' }, from(place));
    for (let index = 0; index < 20; index += 1) expect(await guess(1)).toMatchObject({ code: 'reset_link_invalid' });
    expect(await guess(1)).toMatchObject({ status: 429 });
    expect(await guess(2)).toMatchObject({ code: 'reset_link_invalid' });
    expect(await reset(link.searchParams.get('token'))).toMatchObject({ success: true });
  });

  it('reset: says the same whoever is asked for, and mails only who has an account that is alive', async () => {
    await using desk = await createMailDesk(engine);
    await desk.app.createUser({ username: 'gone', email: 'gone@example.org', DeletedAt: '2026-01-01T00:00:00Z' });
    await desk.app.createUser({ username: 'banned', email: 'banned@example.org', status: 2 });
    await desk.app.createUser({ username: 'alive', email: 'alive@example.org' });
    const answers = [];
    for (const name of ['nobody', 'gone', 'banned', 'alive']) {
      const { status, body: answer } = await desk.app.anonymous().get(`/api/reset_password?email=${name}@example.org`);
      answers.push({ status, answer });
      // Nor does the wait reveal it.
      expect((await desk.app.anonymous().get(`/api/reset_password?email=${name}@example.org`)).status).toBe(429);
    }
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
    await until(() => desk.smtp.mails.length > 0);
    await desk.app.stop();
    expect(desk.smtp.mails.map(({ to }) => to)).toEqual([['alive@example.org']]);
  });
});

describe.each(oneEngine)('bonuses of a registration on $kind', (engine) => {
  it('what a process that died has left is credited by a job, once', async () => {
    await using app = await createTestApp(engine);
    const inviter = await app.createUser({ username: 'inviter' });
    const welcome = { signup: 500, invitee: 200, inviter: 70, actor: 0 };
    const user = await app.createUser({ username: 'mira', inviter_id: inviter.id, welcome, welcome_at: app.clock.now() });
    const users = app.context.db.collection('users');
    await finishWelcomes(app.context);
    // Its registration may still be under way.
    expect(await users.get(user.id)).toMatchObject({ quota: 0 });
    app.clock.advance(61_000);
    await Promise.all([finishWelcomes(app.context), finishWelcomes(app.context)]);
    // It died between the credits and the note that they are done.
    await users.patch({ id: user.id }, { set: { welcome, welcome_at: 1 } });
    await finishWelcomes(app.context);
    expect(await users.get(user.id)).toMatchObject({ quota: 700 });
    expect((await users.get(user.id))?.welcome).toBeUndefined();
    expect(await users.get(inviter.id)).toMatchObject({ aff_count: 1, aff_quota: 70, aff_history_quota: 70 });
    const logs = await app.context.db.collection('logs').find({ type: 4 });
    expect(logs).toHaveLength(3);
  });
});

describe.each(oneEngine)('own sessions on $kind', (engine) => {
  it('are listed with their device and place, and ended one by one or all but this', async () => {
    await using app = await createTestApp(engine, { env: { TRUSTED_PROXIES: '127.0.0.1' } });
    const mei = await app.createUser({ username: 'mei' });
    const stranger = await app.as(await app.createUser({ username: 'stranger' }));
    const headers = { 'x-forwarded-for': '203.0.113.7', 'user-agent': 'Mozilla/5.0 (Linux; Android 15) Chrome/140' };
    await app.anonymous().post('/api/user/login', { username: 'mei', password: testPassword }, { headers });
    app.clock.advance(2000);
    const other = await app.as(mei);
    app.clock.advance(2000);
    const mine = await app.login('mei');
    const { data } = await mine.get('/api/user/sessions');
    expect(data).toHaveLength(3);
    expect(data.map((one: { is_current: boolean }) => one.is_current)).toEqual([true, false, false]);
    expect(data[2]).toMatchObject({ ip: '203.0.113.7', user_agent: headers['user-agent'] });
    expect(await stranger.delete(`/api/user/sessions/${data[1].id}`)).toMatchObject({ success: false, code: 'not_found' });
    expect(await other.get('/api/user/self')).toMatchObject({ success: true });
    expect(await mine.delete(`/api/user/sessions/${data[1].id}`)).toMatchObject({ success: true });
    expect(await other.get('/api/user/self')).toMatchObject({ status: 401 });
    expect(await mine.delete('/api/user/sessions')).toMatchObject({ success: true, data: 1 });
    expect((await mine.get('/api/user/sessions')).data).toHaveLength(1);
    expect(await stranger.get('/api/user/self')).toMatchObject({ success: true });
    expect(await app.anonymous().get('/api/user/sessions')).toMatchObject({ status: 401 });
  });
});
