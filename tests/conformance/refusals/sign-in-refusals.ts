// Signing in with what other services say, and binding it.
import type { ServicePerson, ServiceRules } from '#tests/support/fake-services.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { agree, comeBack, signInWith, startSignIn } from '#tests/support/sign-in-desk.ts';
import type { ConsoleDesk } from './console-desk.ts';
import { type Refusal, type RefusalRows, type Reported, reportedBy } from './refusal.ts';

type Provider = 'github' | 'oidc' | 'linuxdo';

let people = 5000;

/** A person without an account at this site. */
function meet(desk: ConsoleDesk, changes: Partial<ServicePerson> = {}): void {
  people += 1;
  const fresh = { id: people, sub: `subject-${people}`, login: `person${people}`, email: `person${people}@example.org` };
  desk.services.person = { ...desk.services.person, isActive: true, isSilenced: false, trustLevel: 2, ...fresh, ...changes };
}

/** The service misbehaves from when the browser comes back. */
async function attempt(desk: ConsoleDesk, provider: Provider, rules: ServiceRules): Promise<Reported> {
  const client = desk.guest();
  const back = await agree(await startSignIn(client, provider));
  desk.services.rules = rules;
  return reportedBy(await comeBack(client, provider, back));
}

async function ofPerson(desk: ConsoleDesk, provider: Provider, changes: Partial<ServicePerson>): Promise<Reported> {
  meet(desk, changes);
  return reportedBy(await signInWith(desk.guest(), provider));
}

async function bindTwice(desk: ConsoleDesk, provider: Provider): Promise<Reported> {
  meet(desk);
  await signInWith(await desk.member(), provider);
  return reportedBy(await signInWith(await desk.member(), provider));
}

async function start(desk: ConsoleDesk, provider: Provider): Promise<Reported> {
  return reportedBy(await desk.guest().post('/api/oauth/start', { provider }));
}

/** As the console does it: a foreign page cannot send that header. */
function page(desk: ConsoleDesk): TestClient {
  const client = desk.guest();
  client.setUser(-1);
  return client;
}

async function weChat(desk: ConsoleDesk, code: string): Promise<Reported> {
  return reportedBy(await page(desk).get(`/api/oauth/wechat?code=${code}`));
}

async function telegram(desk: ConsoleDesk, fields: Record<string, string>): Promise<Reported> {
  const query = new URLSearchParams(desk.services.telegram(fields)).toString();
  return reportedBy(await page(desk).get(`/api/oauth/telegram/login?${query}`));
}

/** Comes back without a code that the service knows. */
async function withCode(desk: ConsoleDesk, provider: Provider, query: string): Promise<Reported> {
  const client = desk.guest();
  const state = (await startSignIn(client, provider)).searchParams.get('state');
  return reportedBy(await client.get(`/api/oauth/${provider}?state=${state}${query}`));
}

export const signInRefusals = {
  state_mismatch: async (desk) => reportedBy(await desk.guest().get('/api/oauth/github?code=x&state=nobody')),
  foreign_page_refused: async (desk) => reportedBy(await desk.guest().get('/api/oauth/wechat?code=x')),
  async sign_in_banned(desk) {
    await desk.app.createUser({ telegram_id: '71', telegram_subject: '71', status: 2 });
    return telegram(desk, { id: '71' });
  },
  async account_deleted(desk) {
    const { id } = await desk.app.createUser({ wechat_id: 'gone', wechat_subject: 'gone' });
    await desk.root.post('/api/user/manage', { id, action: 'delete' });
    desk.services.weChatCodes.set('1', 'gone');
    return weChat(desk, '1');
  },
  github_disabled: (desk) => desk.during({ GitHubOAuthEnabled: 'false' }, () => start(desk, 'github')),
  oidc_disabled: (desk) => desk.during({ 'oidc.enabled': 'false' }, () => start(desk, 'oidc')),
  linuxdo_disabled: (desk) => desk.during({ LinuxDOOAuthEnabled: 'false' }, () => start(desk, 'linuxdo')),
  wechat_disabled: (desk) => desk.during({ WeChatAuthEnabled: 'false' }, () => weChat(desk, '1')),
  telegram_disabled: (desk) => desk.during({ TelegramOAuthEnabled: 'false' }, () => telegram(desk, { id: '1' })),
  provider_refused: async (desk): Promise<Refusal> => ({
    reported: await withCode(desk, 'github', '&error=access_denied&error_description=The+person+said+no'),
    details: { detail: 'The person said no' },
  }),
  async github_unreachable(desk) {
    return attempt(desk, 'github', { hangsUp: true });
  },
  github_user_empty: (desk) => withCode(desk, 'github', '&code=wrong'),
  oidc_unreachable: (desk) =>
    desk.during({ 'oidc.well_known': 'http://127.0.0.1:1/.well-known/openid-configuration' }, () => start(desk, 'oidc')),
  oidc_token_failed: (desk) => attempt(desk, 'oidc', { isForged: true }),
  oidc_user_failed: (desk) =>
    desk.during(
      {
        'oidc.well_known': '',
        'oidc.authorization_endpoint': `${desk.services.url}/authorize`,
        'oidc.token_endpoint': `${desk.services.url}/token`,
        'oidc.user_info_endpoint': `${desk.services.url}/nowhere`,
      },
      async () => reportedBy(await signInWith(desk.guest(), 'oidc')),
    ),
  oidc_user_empty: (desk) => attempt(desk, 'oidc', { userInfoSub: 'somebody else' }),
  linuxdo_code_invalid: (desk) => withCode(desk, 'linuxdo', ''),
  linuxdo_unreachable: (desk) => attempt(desk, 'linuxdo', { hangsUp: true }),
  linuxdo_token_failed: async (desk): Promise<Refusal> => ({
    reported: await withCode(desk, 'linuxdo', '&code=wrong'),
    details: { detail: 'refused: invalid_grant' },
  }),
  async linuxdo_user_failed(desk) {
    const client = desk.guest();
    const back = await agree(await startSignIn(client, 'linuxdo'));
    desk.services.rules = { failsAt: '/api/user' };
    return reportedBy(await comeBack(client, 'linuxdo', back));
  },
  linuxdo_user_empty: (desk) => ofPerson(desk, 'linuxdo', { id: 0 }),
  linuxdo_inactive: (desk) => ofPerson(desk, 'linuxdo', { isActive: false }),
  linuxdo_trust_too_low: (desk) =>
    desk.during({ LinuxDOMinimumTrustLevel: '3' }, async () => ({
      reported: await ofPerson(desk, 'linuxdo', { trustLevel: 2 }),
      details: { minimum: 3, level: 2 },
    })),
  wechat_unreachable: (desk) => desk.during({ WeChatServerAddress: 'http://127.0.0.1:1' }, () => weChat(desk, '1')),
  wechat_refused: (desk) =>
    desk.during({ WeChatServerToken: 'wrong' }, async () => ({ reported: await weChat(desk, '1'), details: { detail: '令牌无效' } })),
  telegram_invalid: (desk) => telegram(desk, { id: '1', auth_date: '1' }),
  telegram_unbound: (desk) => telegram(desk, { id: '987654' }),
  github_bound: (desk) => bindTwice(desk, 'github'),
  oidc_bound: (desk) => bindTwice(desk, 'oidc'),
  linuxdo_bound: (desk) => bindTwice(desk, 'linuxdo'),
  async wechat_bound(desk) {
    await desk.app.createUser({ wechat_id: 'shared', wechat_subject: 'shared' });
    desk.services.weChatCodes.set('2', 'shared');
    return reportedBy(await (await desk.member()).get('/api/oauth/wechat/bind?code=2'));
  },
  async telegram_bound(desk) {
    await desk.app.createUser({ telegram_id: '72', telegram_subject: '72' });
    const query = new URLSearchParams(desk.services.telegram({ id: '72' })).toString();
    return reportedBy(await (await desk.member()).get(`/api/oauth/telegram/bind?${query}`));
  },
  binding_missing: async (desk) => reportedBy(await (await desk.member()).delete('/api/oauth/github/bind')),
  async last_way_in(desk) {
    // An address would be a way, too.
    meet(desk, { email: '' });
    const client = desk.guest();
    await signInWith(client, 'github');
    return reportedBy(await client.delete('/api/oauth/github/bind'));
  },
} satisfies RefusalRows<ConsoleDesk>;
