import { describe, expect, it } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { agree, comeBack, createSignInDesk, signInWith, startSignIn } from '#tests/support/sign-in-desk.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const providers = ['github', 'oidc', 'linuxdo'] as const;
const mismatch = { status: 403, success: false, code: 'state_mismatch', message: 'state is empty or not same' };

describe.each(oneEngine)('sign-in through providers on $kind', (engine) => {
  it.each(providers)('%s: the first sign-in makes an account, the next one finds it', async (provider) => {
    await using desk = await createSignInDesk(engine);
    const client = desk.app.anonymous();
    const first = await signInWith(client, provider);
    expect(first).toMatchObject({
      success: true,
      data: { username: 'mira', display_name: 'Mira Lin', role: 1, status: 1, group: 'default' },
    });
    expect((await client.get('/api/user/self')).data).toMatchObject({ id: first.data.id });
    // Names change at the provider; identities do not.
    desk.services.person = { ...desk.services.person, login: 'renamed', name: 'Renamed' };
    const again = await signInWith(desk.app.anonymous(), provider);
    expect(again.data).toMatchObject({ id: first.data.id, username: 'mira' });
    expect(await desk.app.context.db.collection('users').count({})).toBe(2);
  });

  it.each(providers)('%s: an answer counts once, in the browser that asked, for ten minutes', async (provider) => {
    await using desk = await createSignInDesk(engine);
    const client = desk.app.anonymous();
    const back = await agree(await startSignIn(client, provider));
    // Login CSRF: another person's answer in the victim's browser.
    const other = desk.app.anonymous();
    expect(await comeBack(other, provider, back)).toMatchObject(mismatch);
    await startSignIn(other, provider);
    expect(await comeBack(other, provider, back)).toMatchObject(mismatch);
    expect(await comeBack(client, provider, back)).toMatchObject({ success: true });
    expect(await comeBack(client, provider, back)).toMatchObject(mismatch);
    const late = await agree(await startSignIn(client, provider));
    desk.app.clock.advance(601_000);
    expect(await comeBack(client, provider, late)).toMatchObject(mismatch);
    expect(await client.get(`/api/oauth/${provider}?code=abc`)).toMatchObject(mismatch);
    expect(await client.get(`/api/oauth/${provider}?code=abc&state=made-up`)).toMatchObject(mismatch);
  });

  it('an answer of one provider is not taken for that of another', async () => {
    await using desk = await createSignInDesk(engine);
    const client = desk.app.anonymous();
    const back = await agree(await startSignIn(client, 'github'));
    expect(await comeBack(client, 'linuxdo', back)).toMatchObject(mismatch);
  });

  it('what a stolen code lacks: GitHub and OpenID ask for the verifier, and the cookie goes to nobody else', async () => {
    await using desk = await createSignInDesk(engine);
    const client = desk.app.anonymous();
    for (const provider of ['github', 'oidc'] as const) {
      const url = await startSignIn(client, provider);
      expect(url.searchParams.get('code_challenge_method')).toBe('S256');
      expect(url.searchParams.get('redirect_uri')).toBe(`https://gate.example/oauth/${provider}`);
      expect(url.searchParams.get('state')).toMatch(/^\w{43}$/);
    }
    const answer = await client.post('/api/oauth/start', { provider: 'github' });
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^sign_in_browser=\w{43}; Path=\/api\/oauth; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    // Neither the state nor the cookie can be read from the database.
    const stored = JSON.stringify(await desk.app.context.db.collection('sign_in_attempts').find({}));
    expect(stored).not.toContain(new URL(answer.data.url).searchParams.get('state'));
    expect(answer.body).not.toMatchObject({ data: { code_verifier: expect.anything() } });
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });

  it('where the site has an address, providers send browsers back there', async () => {
    await using desk = await createSignInDesk(engine);
    await desk.save({ ServerAddress: 'https://tidegate.example/' });
    const url = await startSignIn(desk.app.anonymous(), 'oidc');
    expect(url.searchParams.get('redirect_uri')).toBe('https://tidegate.example/oauth/oidc');
  });

  it.each(providers)('%s: clients that make the address themselves get a state, and sign in', async (provider) => {
    await using desk = await createSignInDesk(engine);
    await desk.save({ ServerAddress: 'https://gate.example' });
    const client = desk.app.anonymous();
    const state = await client.get('/api/oauth/state?aff=');
    expect(state).toMatchObject({ success: true, data: expect.stringMatching(/^\w+$/) });
    const path = { github: '/login/oauth/authorize', oidc: '/authorize', linuxdo: '/oauth2/authorize' }[provider];
    const url = new URL(`${desk.services.url}${path}?client_id=tidegate&state=${state.data}`);
    if (provider === 'oidc') url.searchParams.set('redirect_uri', 'https://gate.example/oauth/oidc');
    const back = await agree(url);
    const requested = `/api/oauth/${provider}?code=${back.searchParams.get('code')}&state=${back.searchParams.get('state')}`;
    expect(await client.get(requested)).toMatchObject({ success: true, data: { username: 'mira' } });
  });

  it.each(providers)('%s: two answers at once make one account', async (provider) => {
    await using desk = await createSignInDesk(engine);
    const clients = [desk.app.anonymous(), desk.app.anonymous(), desk.app.anonymous()];
    const answers = await Promise.all(clients.map((client) => signInWith(client, provider)));
    expect(answers.map(({ success, message }) => ({ success, message }))).toEqual(clients.map(() => ({ success: true, message: '' })));
    expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1);
    expect(await desk.app.context.db.collection('users').count({})).toBe(2);
  });

  it('several server processes: one begins, another one answers', async () => {
    await using desk = await createSignInDesk(engine);
    const { database, clock } = desk.app;
    await using second = await createTestApp(engine, {
      database,
      clock,
      env: { GITHUB_URL: desk.services.url, GITHUB_API_URL: desk.services.url },
    });
    const client = desk.app.anonymous();
    const answer = await client.post('/api/oauth/start', { provider: 'github' });
    const back = await agree(new URL(answer.data.url));
    const [cookie = ''] = String(answer.headers['set-cookie']).split(';');
    const there = await second.anonymous().get(`/api/oauth/github${back.search}`, { headers: { cookie } });
    expect(there).toMatchObject({ success: true, data: { username: 'mira' } });
  });

  it('a name that somebody has, or that is none here, is replaced by one that is made up', async () => {
    await using desk = await createSignInDesk(engine);
    await desk.app.createUser({ username: 'Mira' });
    expect((await signInWith(desk.app.anonymous(), 'github')).data.username).toMatch(/^github_[0-9a-z]{5}$/);
    desk.services.person = { ...desk.services.person, id: 5, sub: 'other', login: 'far-too-long-a-name', name: '潮'.repeat(30) };
    expect((await signInWith(desk.app.anonymous(), 'linuxdo')).data).toMatchObject({
      username: expect.stringMatching(/^linuxdo_[0-9a-z]{4}$/),
      display_name: '潮'.repeat(20),
    });
    desk.services.person = { ...desk.services.person, sub: 'third', login: '', name: '\u202eevil' };
    expect((await signInWith(desk.app.anonymous(), 'oidc')).data).toMatchObject({ display_name: 'OIDC User' });
  });

  it('invited: the bonuses come once, whichever provider it was', async () => {
    await using desk = await createSignInDesk(engine);
    await desk.save({ QuotaForNewUser: '1000', QuotaForInvitee: '200', QuotaForInviter: '70' });
    const inviter = await desk.app.createUser({ username: 'inviter' });
    for (const [index, provider] of providers.entries()) {
      const { data } = await signInWith(desk.app.anonymous(), provider, inviter.aff_code);
      expect(data).toMatchObject({ quota: 1200, inviter_id: inviter.id });
      await signInWith(desk.app.anonymous(), provider, inviter.aff_code);
      expect(await desk.app.context.db.collection('users').get(inviter.id)).toMatchObject({
        aff_count: index + 1,
        aff_quota: 70 * (index + 1),
        aff_history_quota: 70 * (index + 1),
      });
    }
  });

  it('closed registration: only those who have an account come in', async () => {
    await using desk = await createSignInDesk(engine);
    await signInWith(desk.app.anonymous(), 'github');
    await desk.save({ RegisterEnabled: 'false' });
    expect(await signInWith(desk.app.anonymous(), 'github')).toMatchObject({ success: true });
    desk.services.person = { ...desk.services.person, id: 2, sub: 'two' };
    for (const provider of providers) {
      expect(await signInWith(desk.app.anonymous(), provider)).toMatchObject({ success: false, message: '管理员关闭了新用户注册' });
    }
  });

  it('registration with a password may be off, and providers still register', async () => {
    await using desk = await createSignInDesk(engine);
    await desk.save({ PasswordRegisterEnabled: 'false' });
    expect(await signInWith(desk.app.anonymous(), 'github')).toMatchObject({ success: true });
  });

  it.each(providers)('%s: banned and deleted users are refused', async (provider) => {
    await using desk = await createSignInDesk(engine);
    const { data } = await signInWith(desk.app.anonymous(), provider);
    await desk.root.post('/api/user/manage', { id: data.id, action: 'disable' });
    expect(await signInWith(desk.app.anonymous(), provider)).toMatchObject({ status: 200, success: false, message: '用户已被封禁' });
    await desk.root.post('/api/user/manage', { id: data.id, action: 'delete' });
    expect(await signInWith(desk.app.anonymous(), provider)).toMatchObject({ status: 200, success: false, message: '用户已注销' });
    expect(await desk.app.context.db.collection('sessions').count({ user_id: data.id })).toBe(0);
  });

  it.each([
    ['github', 'GitHubOAuthEnabled', '管理员未开启通过 GitHub 登录以及注册'],
    ['oidc', 'oidc.enabled', '管理员未开启通过 OIDC 登录以及注册'],
    ['linuxdo', 'LinuxDOOAuthEnabled', '管理员未开启通过 Linux DO 登录以及注册'],
  ] as const)('%s switched off is refused at both ends', async (provider, option, message) => {
    await using desk = await createSignInDesk(engine);
    const client = desk.app.anonymous();
    const back = await agree(await startSignIn(client, provider));
    await desk.save({ [option]: 'false' });
    expect(await comeBack(client, provider, back)).toMatchObject({ success: false, message });
    expect(await client.post('/api/oauth/start', { provider })).toMatchObject({ success: false, message });
  });

  it('an e-mail address opens no account: who has it at a provider gets an account of their own', async () => {
    await using desk = await createSignInDesk(engine);
    const victim = await desk.app.createUser({ username: 'victim', email: 'mira@example.org' });
    for (const provider of ['github', 'oidc'] as const) {
      const { data } = await signInWith(desk.app.anonymous(), provider);
      expect(data.id).not.toBe(victim.id);
      expect(data.email).toBe('');
    }
    desk.services.person = { ...desk.services.person, id: 9, sub: 'nine', email: 'Nine@example.org', isEmailVerified: false };
    expect((await signInWith(desk.app.anonymous(), 'oidc')).data.email).toBe('');
    desk.services.person = { ...desk.services.person, id: 10, sub: 'ten', isEmailVerified: true };
    expect((await signInWith(desk.app.anonymous(), 'oidc')).data.email).toBe('Nine@example.org');
    desk.services.rules = { hidesEmails: true };
    desk.services.person = { ...desk.services.person, id: 11, email: 'eleven@example.org' };
    expect(await signInWith(desk.app.anonymous(), 'github')).toMatchObject({ success: true, data: { email: '' } });
  });

  it('a sign-in replaces the session that the browser had', async () => {
    await using desk = await createSignInDesk(engine);
    const client = desk.app.anonymous();
    const url = await startSignIn(client, 'github');
    await desk.app.createUser({ username: 'former' });
    const former = await desk.app.login('former');
    client.setCookie(former.cookie);
    expect(await comeBack(client, 'github', await agree(url))).toMatchObject({ success: true, data: { username: 'mira' } });
    expect(await former.get('/api/user/self')).toMatchObject({ status: 401 });
  });

  it('what the provider says of its refusal reaches the person, cut to a sentence', async () => {
    await using desk = await createSignInDesk(engine);
    const client = desk.app.anonymous();
    const state = (await startSignIn(client, 'linuxdo')).searchParams.get('state');
    expect(await client.get(`/api/oauth/linuxdo?error=access_denied&error_description=${'no'.repeat(300)}&state=${state}`)).toMatchObject({
      success: false,
      code: 'provider_refused',
      message: `登录被拒绝：${'no'.repeat(100)}`,
    });
    expect(await client.get('/api/oauth/linuxdo?error=spoofed&error_description=call+this+number')).toMatchObject(mismatch);
  });

  it('sign-ins of one address are limited', async () => {
    await using desk = await createSignInDesk(engine);
    const client = desk.app.anonymous();
    const answers = [];
    for (let index = 0; index < 61; index += 1) answers.push((await client.get('/api/oauth/state')).status);
    expect(answers.slice(0, 60)).toEqual(Array(60).fill(200));
    expect(answers[60]).toBe(429);
  });
});
