import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import type { ServiceRules } from '#tests/support/fake-services.ts';
import { agree, comeBack, createSignInDesk, type SignInDesk, signInWith, startSignIn } from '#tests/support/sign-in-desk.ts';

let desk: SignInDesk;
let wellKnown = '';
beforeAll(async () => {
  desk = await createSignInDesk(embeddedEngine);
  wellKnown = `${desk.services.url}/.well-known/openid-configuration`;
});
afterAll(async () => desk[Symbol.asyncDispose]());
beforeEach(async () => {
  desk.services.rules = {};
  // One address signs in all day here.
  await desk.app.context.db.collection('limits').remove({});
});

const attempt = async (provider: 'github' | 'oidc' | 'linuxdo', rules: ServiceRules) => {
  const client = desk.app.anonymous();
  const back = await agree(await startSignIn(client, provider));
  desk.services.rules = rules;
  return comeBack(client, provider, back);
};

describe('OpenID Connect', () => {
  it.each([
    ['another issuer', { idToken: { iss: 'https://evil.example' } }],
    ['another audience', { idToken: { aud: 'somebody-else' } }],
    ['another nonce', { idToken: { nonce: 'replayed' } }],
    ['no nonce', { idToken: { nonce: undefined } }],
    ['an age', { idToken: { exp: 1_000_000_000 } }],
    ['a signature of nobody', { isForged: true }],
  ] satisfies [string, ServiceRules][])('an ID token with %s is refused', async (_fault, rules) => {
    expect(await attempt('oidc', rules)).toMatchObject({ success: false, message: 'OIDC 获取 Token 失败，请检查设置！' });
  });

  it('user information of somebody else is refused', async () => {
    expect(await attempt('oidc', { userInfoSub: 'somebody else' })).toMatchObject({ message: 'OIDC 获取用户信息为空！请检查设置！' });
  });

  it('an answer that does not say whose it is, or of another issuer, is refused', async () => {
    for (const iss of ['', 'https://evil.example']) {
      const client = desk.app.anonymous();
      const back = await agree(await startSignIn(client, 'oidc'));
      back.searchParams.set('iss', iss);
      expect(await comeBack(client, 'oidc', back)).toMatchObject({ success: false, code: 'oidc_token_failed' });
    }
  });

  it('a client secret goes where the provider wants it', async () => {
    for (const [methods, isBasic] of [
      [['client_secret_basic'], true],
      [['client_secret_basic', 'client_secret_post'], false],
    ] as const) {
      desk.services.rules = { authMethods: methods };
      desk.services.requests.length = 0;
      expect(await signInWith(desk.app.anonymous(), 'oidc')).toMatchObject({ success: true });
      const requested = desk.services.requests.find(({ path }) => path === '/token');
      expect(requested?.authorization !== undefined).toBe(isBasic);
      expect(requested?.form.has('client_secret')).toBe(!isBasic);
    }
  });

  it('a provider out of order, or silent, is told apart from a wrong setting', async () => {
    expect(await attempt('oidc', { status: 500 })).toMatchObject({ code: 'oidc_token_failed' });
    await desk.save({ 'oidc.well_known': 'http://127.0.0.1:1/.well-known/openid-configuration' });
    expect(await desk.app.anonymous().post('/api/oauth/start', { provider: 'oidc' })).toMatchObject({
      success: false,
      message: '无法连接至 OIDC 服务器，请稍后重试！',
    });
    await desk.save({ 'oidc.well_known': wellKnown });
  });

  it('a document that names another issuer than it was asked of is refused', async () => {
    await desk.save({ 'oidc.well_known': `${desk.services.url.replace('127.0.0.1', 'localhost')}/.well-known/openid-configuration` });
    expect(await desk.app.anonymous().post('/api/oauth/start', { provider: 'oidc' })).toMatchObject({ code: 'oidc_token_failed' });
    await desk.save({ 'oidc.well_known': wellKnown });
  });

  it('without a document the three addresses of the options will do', async () => {
    const { url } = desk.services;
    await desk.save({
      'oidc.well_known': '',
      'oidc.authorization_endpoint': `${url}/authorize`,
      'oidc.token_endpoint': `${url}/token`,
      'oidc.user_info_endpoint': `${url}/userinfo`,
    });
    expect(await signInWith(desk.app.anonymous(), 'oidc')).toMatchObject({ success: true, data: { oidc_id: 'subject-1' } });
    // Nothing is taken from an ID token that cannot be verified.
    expect(await attempt('oidc', { isForged: true, idToken: { sub: 'somebody else' } })).toMatchObject({ data: { oidc_id: 'subject-1' } });
    await desk.save({ 'oidc.user_info_endpoint': `${url}/nowhere` });
    expect(await signInWith(desk.app.anonymous(), 'oidc')).toMatchObject({ message: 'OIDC 获取用户信息失败！请检查设置！' });
    await desk.save({
      'oidc.well_known': wellKnown,
      'oidc.authorization_endpoint': '',
      'oidc.token_endpoint': '',
      'oidc.user_info_endpoint': '',
    });
  });
});

describe('GitHub', () => {
  it('is known by its number, shown by its name, and its secret stays here', async () => {
    const { data } = await signInWith(desk.app.anonymous(), 'github');
    expect(data).toMatchObject({ github_id: 'mira' });
    expect(JSON.stringify(data)).not.toContain('4711');
    // Another person who takes the name over at the provider is another user here.
    desk.services.person = { ...desk.services.person, id: 4712 };
    expect((await signInWith(desk.app.anonymous(), 'github')).data.id).not.toBe(data.id);
    desk.services.person = { ...desk.services.person, id: 4711 };
  });

  it('says when it refuses, and when it cannot be reached', async () => {
    const client = desk.app.anonymous();
    const state = (await startSignIn(client, 'github')).searchParams.get('state');
    expect(await client.get(`/api/oauth/github?code=wrong&state=${state}`)).toMatchObject({
      success: false,
      message: '返回值非法，用户字段为空，请稍后重试！',
    });
    const next = (await startSignIn(client, 'github')).searchParams.get('state');
    expect(await client.get(`/api/oauth/github?state=${next}`)).toMatchObject({ success: false, message: '无效的参数' });
    expect(await attempt('github', { isSilent: true })).toMatchObject({ message: '无法连接至 GitHub 服务器，请稍后重试！' });
  });
});

describe('Linux DO', () => {
  it('the number of the member is shown, and the secret goes by HTTP Basic', async () => {
    desk.services.requests.length = 0;
    expect((await signInWith(desk.app.anonymous(), 'linuxdo')).data).toMatchObject({ linux_do_id: '4711' });
    const requested = desk.services.requests.find(({ path }) => path === '/oauth2/token');
    expect(requested?.authorization).toMatch(/^Basic /);
    expect(requested?.form.has('client_secret')).toBe(false);
  });

  it('members who are not active, silenced, or below the minimum trust level stay outside', async () => {
    const member = { ...desk.services.person };
    for (const change of [{ isActive: false }, { isSilenced: true }]) {
      desk.services.person = { ...member, ...change };
      expect(await signInWith(desk.app.anonymous(), 'linuxdo')).toMatchObject({ success: false, code: 'linuxdo_inactive' });
    }
    await desk.save({ LinuxDOMinimumTrustLevel: '3' });
    desk.services.person = member;
    expect(await signInWith(desk.app.anonymous(), 'linuxdo')).toMatchObject({
      success: false,
      message: 'Linux DO 信任等级不足，至少需要 3 级，当前为 2 级',
    });
    desk.services.person = { ...member, trustLevel: 3 };
    expect(await signInWith(desk.app.anonymous(), 'linuxdo')).toMatchObject({ success: true });
    expect(await desk.root.put('/api/option/', { key: 'LinuxDOMinimumTrustLevel', value: '5' })).toMatchObject({ success: false });
    await desk.save({ LinuxDOMinimumTrustLevel: '0' });
    desk.services.person = member;
  });

  it('says what is wrong in its own words', async () => {
    const client = desk.app.anonymous();
    const state = async () => (await startSignIn(client, 'linuxdo')).searchParams.get('state');
    expect(await client.get(`/api/oauth/linuxdo?state=${await state()}`)).toMatchObject({ message: 'invalid code' });
    expect(await client.get(`/api/oauth/linuxdo?code=wrong&state=${await state()}`)).toMatchObject({
      message: 'failed to get access token: refused: invalid_grant',
    });
    const member = { ...desk.services.person };
    desk.services.person = { ...member, id: 0 };
    expect(await signInWith(client, 'linuxdo')).toMatchObject({ message: 'invalid user info returned' });
    desk.services.person = member;
    expect(await attempt('linuxdo', { hangsUp: true })).toMatchObject({ message: 'failed to connect to Linux DO server' });
  });
});
