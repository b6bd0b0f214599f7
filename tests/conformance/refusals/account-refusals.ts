// Sessions, rights, set-up, accounts, mails.
import { hashPassword } from '#server/accounts/password.ts';
import { testPassword } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';
import type { ConsoleDesk } from './console-desk.ts';
import { type Refusal, type RefusalRows, type Reported, reportedBy } from './refusal.ts';

const self = '/api/user/self';
const unit = 500_000;
const newcomer = { username: 'newcomer', password: testPassword };
const setup = { username: 'root', password: testPassword, confirmPassword: testPassword };
const address = 'mei@example.org';

const login = async (desk: ConsoleDesk, body: object, query = '') => reportedBy(await desk.guest().post(`/api/user/login${query}`, body));
const register = async (desk: ConsoleDesk, body: object = newcomer) => reportedBy(await desk.guest().post('/api/user/register', body));
const verify = async (desk: ConsoleDesk, email: string) =>
  reportedBy(await desk.guest().get(`/api/verification?email=${encodeURIComponent(email)}`));

async function manage(desk: ConsoleDesk, action: string, { id, by }: { id?: number; by?: 'admin' } = {}): Promise<Reported> {
  const target = id ?? desk.root.userId;
  return reportedBy(await desk[by ?? 'root'].post('/api/user/manage', { id: target, action }));
}

/** By a program, with an access token. */
async function byProgram(desk: ConsoleDesk, headers: Record<string, string>): Promise<Reported> {
  return reportedBy(await desk.guest().get(self, { headers }));
}

async function withHeader(desk: ConsoleDesk, header: string | null): Promise<Reported> {
  const client = await desk.member();
  client.setUser(null);
  return reportedBy(await client.get(self, header === null ? {} : { headers: { 'new-api-user': header } }));
}

async function setUp(desk: ConsoleDesk, fields: object, env: Record<string, string> = {}): Promise<Reported> {
  return desk.site({ env }, async (_app, guest) => reportedBy(await guest().post('/api/setup', { ...setup, ...fields })));
}

async function setNotice(desk: ConsoleDesk, body: object): Promise<Reported> {
  return reportedBy(await (await desk.member()).put('/api/user/setting', body));
}

async function transfer(desk: ConsoleDesk, quota: number): Promise<Reported> {
  return reportedBy(await (await desk.member({ aff_quota: 2 * unit })).post('/api/user/aff_transfer', { quota }));
}

/** The super administrator edits a user. */
async function edit(desk: ConsoleDesk, fields: object, quota = 0): Promise<Reported> {
  const { id } = await desk.app.createUser({ quota });
  return reportedBy(await desk.root.put('/api/user/', { id, ...fields }));
}

async function human(desk: ConsoleDesk, query: string): Promise<Reported> {
  return desk.during({ TurnstileCheckEnabled: 'true' }, () => login(desk, newcomer, query));
}

async function testMail(desk: ConsoleDesk, to?: string): Promise<Reported> {
  return reportedBy(await desk.root.post('/api/option/test_mail', to === undefined ? {} : { to }));
}

export const accountRefusals = {
  not_logged_in: (desk) => byProgram(desk, {}),
  access_token_invalid: (desk) => byProgram(desk, { authorization: 'Bearer nonsense', 'new-api-user': '1' }),
  async user_info_invalid(desk) {
    const { id } = await desk.app.createUser();
    const { data: token } = await (await desk.as({ id })).get('/api/user/token');
    await desk.app.context.db.collection('users').patch({ id }, { set: { role: 7 } });
    return byProgram(desk, { authorization: `Bearer ${token}`, 'new-api-user': String(id) });
  },
  user_header_missing: (desk) => withHeader(desk, null),
  user_header_malformed: (desk) => withHeader(desk, 'abc'),
  user_header_mismatch: (desk) => withHeader(desk, '999999'),
  cross_site_refused: async (desk) =>
    reportedBy(await (await desk.member()).get('/api/user/logout', { headers: { 'sec-fetch-site': 'cross-site' } })),
  foreign_mail_refused: async (desk) =>
    reportedBy(await desk.guest().get('/api/reset_password?email=a@b.example', { headers: { 'sec-fetch-site': 'cross-site' } })),
  forbidden: async (desk) => reportedBy(await (await desk.member()).get('/api/user/')),
  user_banned: async (desk) => reportedBy(await (await desk.member({ status: 2 })).get(self)),
  session_not_saved: (desk) =>
    desk.site({}, async (app, guest) => {
      const { id } = await app.createUser({ username: 'mei' });
      // As slow as those of people: verification takes a while.
      const users = app.context.db.collection('users');
      await users.patch({ id }, { set: { password_hash: await hashPassword(testPassword, 'test') } });
      const response = guest().post('/api/user/login', { username: 'mei', password: testPassword });
      // The account is read, and its password is being looked at.
      await until(async () => (await app.context.db.collection('limits').count({})) === 3);
      await users.patch({ id }, { set: { password_hash: 'another' } });
      return reportedBy(await response);
    }),

  setup_missing: (desk) => desk.site({}, async (_app, guest) => reportedBy(await guest().post('/api/user/register', newcomer))),
  setup_done: async (desk) => reportedBy(await desk.guest().post('/api/setup', setup)),
  setup_username_required: (desk) => setUp(desk, { username: ' ' }),
  setup_passwords_differ: (desk) => setUp(desk, { confirmPassword: 'another one' }),
  setup_password_short: (desk) => setUp(desk, { password: 'short', confirmPassword: 'short' }),
  setup_secret_wrong: (desk) => setUp(desk, {}, { SETUP_SECRET: 'only the owner' }),

  password_login_disabled: (desk) =>
    desk.during({ PasswordLoginEnabled: 'false' }, async () => {
      const { username } = await desk.app.createUser();
      return login(desk, { username, password: testPassword });
    }),
  registration_closed: (desk) => desk.during({ RegisterEnabled: 'false' }, () => register(desk)),
  password_registration_disabled: (desk) => desk.during({ PasswordRegisterEnabled: 'false' }, () => register(desk)),
  invalid_input: async (desk): Promise<Refusal> => ({
    reported: await register(desk, { ...newcomer, username: 'x'.repeat(13) }),
    details: { detail: { zh: '用户名最多 12 个字符', en: 'username must have at most 12 characters' } },
  }),
  email_code_required: (desk) => desk.during({ EmailVerificationEnabled: 'true' }, () => register(desk)),
  username_taken: (desk) => register(desk, { ...newcomer, username: 'keeper' }),
  login_empty: (desk) => login(desk, { username: ' ', password: testPassword }),
  login_failed: (desk) => login(desk, { username: 'keeper', password: 'a wrong one' }),
  async login_locked(desk) {
    const { username } = await desk.app.createUser();
    for (;;) {
      const reported = await login(desk, { username, password: 'a wrong one' });
      if (reported.code !== 'login_failed') return { reported, details: { seconds: /\d+/ } };
    }
  },
  mail_unconfigured: (desk) => desk.during({ SMTPServer: '' }, () => verify(desk, address)),
  mail_sender_invalid: (desk) => desk.during({ SMTPFrom: 'nobody', SMTPAccount: '' }, () => testMail(desk, address)),
  mail_address_invalid: (desk) => testMail(desk),
  async mail_failed(desk) {
    desk.smtp.refuse('RCPT', '550 5.1.1 no such mailbox');
    const reported = await verify(desk, address);
    desk.smtp.heal();
    return reported;
  },
  async mail_test_failed(desk) {
    desk.smtp.refuse('MAIL', '550 5.7.1 not from here');
    const reported = await testMail(desk, address);
    desk.smtp.heal();
    return { reported, details: { reason: /.*not from here.*/ } };
  },
  webhook_url_required: (desk) => setNotice(desk, { notify_type: 'webhook' }),
  webhook_url_invalid: (desk) => setNotice(desk, { notify_type: 'webhook', webhook_url: 'http://example.org/hook' }),
  webhook_secret_invalid: (desk) => setNotice(desk, { webhook_secret: '秘密' }),
  notify_type_invalid: (desk) => setNotice(desk, { notify_type: 'pigeon' }),
  warning_threshold_invalid: (desk) => setNotice(desk, { quota_warning_threshold: 0 }),
  notification_email_invalid: (desk) => setNotice(desk, { notification_email: 'nobody' }),
  notification_failed: async (desk): Promise<Refusal> => ({
    reported: reportedBy(await (await desk.member()).post('/api/user/notifications/test')),
    details: { reason: { zh: '没有可用的收件地址', en: 'there is no address to send it to' } },
  }),
  aff_transfer_small: async (desk): Promise<Refusal> => ({
    reported: await transfer(desk, unit - 1),
    details: { minimum: '＄1.000000 额度' },
  }),
  aff_transfer_unfunded: (desk) => transfer(desk, 2 * unit + 1),
  current_password_wrong: async (desk) =>
    reportedBy(await (await desk.member()).put(self, { password: 'a new password', original_password: 'a wrong one' })),
  user_not_found: async (desk) => reportedBy(await desk.root.get('/api/user/999999')),
  user_read_denied: async (desk) => reportedBy(await desk.admin.get(`/api/user/${desk.root.userId}`)),
  user_edit_denied: async (desk) => reportedBy(await desk.admin.put('/api/user/', { id: desk.root.userId, display_name: 'x' })),
  async user_raise_denied(desk) {
    const { id } = await desk.app.createUser();
    return reportedBy(await desk.admin.put('/api/user/', { id, role: 10 }));
  },
  user_delete_denied: async (desk) => reportedBy(await desk.admin.delete(`/api/user/${desk.root.userId}`)),
  user_create_denied: async (desk) => reportedBy(await desk.admin.post('/api/user/', { ...newcomer, role: 10 })),
  root_not_disabled: (desk) => manage(desk, 'disable'),
  root_not_deleted: (desk) => manage(desk, 'delete'),
  root_self_delete: async (desk) => reportedBy(await desk.root.delete(self)),
  root_not_demoted: (desk) => manage(desk, 'demote'),
  promote_denied: async (desk) => manage(desk, 'promote', { id: (await desk.app.createUser()).id, by: 'admin' }),
  already_admin: (desk) => manage(desk, 'promote'),
  already_user: async (desk) => manage(desk, 'demote', { id: (await desk.app.createUser()).id }),
  enable_blocked: async (desk) => manage(desk, 'enable', { id: (await desk.app.createUser({ status: 3 })).id }),
  group_unknown: async (desk): Promise<Refusal> => ({ reported: await edit(desk, { group: 'moon' }), details: { group: 'moon' } }),
  balance_too_large: (desk) => edit(desk, { quota_change: Number.MAX_SAFE_INTEGER }, 10),
  balance_too_small: (desk) => edit(desk, { quota_change: -11 }, 10),

  human_token_missing: (desk) => human(desk, ''),
  human_check_failed: (desk) => human(desk, '?turnstile=made-up'),
  async human_check_unreachable(desk) {
    desk.services.rules = { status: 500 };
    return human(desk, '?turnstile=any');
  },

  async mail_too_soon(desk) {
    await verify(desk, 'ana@example.org');
    return { reported: await verify(desk, 'ana@example.org'), details: { seconds: /\d+/ } };
  },
  reset_link_invalid: async (desk) => reportedBy(await desk.guest().post('/api/user/reset', { email: address, token: 'guessed' })),
  email_invalid: (desk) => verify(desk, '"mei@home"@example.org'),
  email_domain_refused: (desk) =>
    desk.during({ EmailDomainRestrictionEnabled: 'true', EmailDomainWhitelist: 'tide.example' }, () => verify(desk, address)),
  email_alias_refused: (desk) => desk.during({ EmailAliasRestrictionEnabled: 'true' }, () => verify(desk, 'mei+more@example.org')),
  async email_taken(desk) {
    await desk.app.createUser({ email: 'taken@example.org' });
    return verify(desk, 'taken@example.org');
  },
  code_wrong: async (desk) => reportedBy(await (await desk.member()).get(`/api/oauth/email/bind?email=${address}&code=abcdef`)),
} satisfies RefusalRows<ConsoleDesk>;
