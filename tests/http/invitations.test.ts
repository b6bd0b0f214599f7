// Accounts by invitation: what is wrong with a pasted list, one account of each link, and nothing twice.
import { describe, expect, it } from 'vitest';
import { invitationApi } from '#shared/invitations.ts';
import { Role } from '#shared/roles.ts';
import { audit } from '#server/money/audit.ts';
import { acceptInvitation } from '#server/features/invitations/accept-invitation.ts';
import { sendInvitations, sweepInvitations } from '#server/features/invitations/tend-invitations.ts';
import { balanceOf } from '#server/money/account.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createMailDesk } from '#tests/support/mail-desk.ts';
import { setOption } from '#tests/support/relay-scene.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { afterReads } from '#tests/support/watched-database.ts';

const day = 86_400;
const password = 'lantern-and-rope';
const line = (username: string, fields: object = {}) => ({ username, email: '', group: '', quota: 0, ...fields });
const byLink = { delivery: 'link', valid_seconds: 7 * day, creates_accounts: false };

async function invite(root: TestClient, lines: object[], fields: object = {}) {
  const answer = await root.post(invitationApi.create.path, { lines, ...byLink, ...fields });
  expect(answer).toMatchObject({ success: true });
  return answer.data as {
    made: { line: number; id: number; username: string; token?: string }[];
    problems: { line: number; problem: string }[];
  };
}

const problemsOf = async (root: TestClient, lines: object[], delivery = 'link') =>
  (await root.post(invitationApi.check.path, { lines, delivery })).data.problems.map(
    ({ line: index, problem }: { line: number; problem: string }) => [index, problem],
  );

async function accept(app: TestApp, token: string, fields: object = {}) {
  const client = app.anonymous();
  const answer = await client.post(invitationApi.accept.path, { token, password, ...fields });
  return { client, answer };
}

const userOf = async ({ context }: TestApp, username: string) => {
  const user = await context.db.collection('users').first({ username });
  if (user === null) throw new Error(`Nobody is called ${username}`);
  return user;
};

describe.each(engines)('invitations on $kind', { concurrent: true }, (engine) => {
  it('names what is wrong with each line, and nothing is stored by looking', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    await app.createUser({ username: 'Anna', email: 'anna.b@gmail.com', email_folded: 'annab@gmail.com' });
    await setOption(app, 'EmailDomainRestrictionEnabled', 'true');
    await setOption(app, 'EmailDomainWhitelist', 'gmail.com,googlemail.com,example.org');
    const lines = [
      line('bert', { email: 'b.e.r.t+here@googlemail.com', quota: 5 }),
      line(''),
      line('a-name-that-is-far-too-long-for-any-account-of-this-site'),
      line('a@b'),
      line('anna'),
      line('carl', { email: 'Anna.B+x@googlemail.com' }),
      line('BERT'),
      line('dora', { email: 'bert@gmail.com' }),
      line('emil', { email: 'not an address' }),
      line('fred', { email: 'fred@elsewhere.net' }),
      line('gina', { group: 'moon' }),
      line('hugo', { group: '__proto__' }),
    ];
    expect(await problemsOf(root, lines)).toEqual([
      [1, 'name_required'],
      [2, 'name_long'],
      [3, 'name_address'],
      [4, 'name_taken'],
      [5, 'mailbox_taken'],
      [6, 'name_twice'],
      [7, 'mailbox_twice'],
      [8, 'mail_invalid'],
      [9, 'mail_refused'],
      [10, 'group_unknown'],
      [11, 'group_unknown'],
    ]);
    expect(await problemsOf(root, [line('kurt')], 'mail')).toEqual([[0, 'mail_required']]);
    expect(await app.context.db.collection('invitations').count({})).toBe(0);
    const many = Array.from({ length: 1001 }, (_, index) => line(`n${index}`));
    expect(await root.post(invitationApi.check.path, { lines: many, delivery: 'link' })).toMatchObject({
      success: false,
      code: 'invalid_field',
    });
  });

  it('makes an account of a link: password, group, balance as an entry of the ledger, signed in; once', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    await setOption(app, 'GroupRatio', '{"default":1,"vip":0.5}');
    const { made } = await invite(root, [line('bert', { group: 'vip', quota: 12_345 })]);
    const token = made[0]?.token ?? '';
    expect(JSON.stringify(await app.context.db.collection('invitations').find({}))).not.toContain(token);
    expect((await app.anonymous().post(invitationApi.open.path, { token })).data).toMatchObject({ username: 'bert', quota: 12_345 });
    expect((await accept(app, token, { password: 'short' })).answer).toMatchObject({ success: false, field: 'password' });

    const [one, two] = await Promise.all([accept(app, token), accept(app, token, { username: 'another' })]);
    expect([one, two].filter(({ answer }) => answer.success)).toHaveLength(1);
    const good = one.answer.success ? one : two;
    const user = await userOf(app, good.answer.data.username);
    good.client.setUser(user.id);
    expect((await good.client.get('/api/user/self')).data).toMatchObject({ id: user.id, group: 'vip', quota: 12_345 });
    expect(await app.context.db.collection('ledger').find({ account_id: user.id, account: 'user' })).toMatchObject([
      { kind: 'opening', amount: 12_345, state: 'done', actor_id: 1 },
    ]);
    expect(await app.context.db.collection('users').count({ invitation_id: { exists: true } })).toBe(1);
    expect(await app.login(user.username, password)).toBeDefined();
    for (const path of [invitationApi.open.path, invitationApi.accept.path]) {
      expect(await app.anonymous().post(path, { token, password })).toMatchObject({ success: false, code: 'invitation_invalid' });
    }
    expect((await root.get('/api/invitation/')).data.items).toMatchObject([
      { username: 'bert', state: 'accepted', user_id: user.id, mail: 'none' },
    ]);
    expect((await audit(app.context.db)).findings).toEqual([]);
  });

  it('adds nothing by the same list again, before and after it was accepted, also at once', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const lines = [line('bert', { quota: 5 }), line('carl', { email: 'carl@example.org' })];
    const both = await Promise.all([invite(root, lines), invite(root, lines)]);
    expect(both.flatMap(({ made }) => made.map(({ username }) => username)).toSorted()).toEqual(['bert', 'carl']);
    expect(await problemsOf(root, lines)).toEqual([
      [0, 'same'],
      [1, 'same'],
    ]);
    expect(await problemsOf(root, [line('bert', { quota: 6 }), line('dora', { email: 'Carl+x@example.org' })])).toEqual([
      [0, 'name_invited'],
      [1, 'mailbox_invited'],
    ]);
    const token = both.flatMap(({ made }) => made).find(({ username }) => username === 'bert')?.token ?? '';
    expect((await accept(app, token)).answer.success).toBe(true);
    expect(await invite(root, lines)).toEqual({
      made: [],
      problems: [
        { line: 0, problem: 'name_taken' },
        { line: 1, problem: 'same' },
      ],
    });
    expect(balanceOf(await userOf(app, 'bert'))).toBe(5);
    expect(await app.context.db.collection('invitations').count({})).toBe(2);
  });

  it('makes the accounts at once where that is asked for; their links set the password, once', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const { made } = await invite(root, [line('bert', { quota: 700 }), line('carl')], { creates_accounts: true });
    expect(balanceOf(await userOf(app, 'bert'))).toBe(700);
    await expect(app.login('bert', '')).rejects.toThrow();
    const token = made[0]?.token ?? '';
    const [one, two] = await Promise.all([accept(app, token), accept(app, token)]);
    expect([one, two].filter(({ answer }) => answer.success)).toHaveLength(1);
    expect(balanceOf(await userOf(app, 'bert'))).toBe(700);
    // What is withdrawn opens nothing; the account stays.
    expect((await root.delete(`/api/invitation/${made[1]?.id}`)).data).toMatchObject({ state: 'withdrawn' });
    expect((await accept(app, made[1]?.token ?? '')).answer).toMatchObject({ code: 'invitation_invalid' });
    expect((await userOf(app, 'carl')).password_hash).toBe('');
    expect((await audit(app.context.db)).findings).toEqual([]);
  });

  it('that is withdrawn while its link is being followed makes no account', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const { made } = await invite(root, [line('bert', { quota: 700 })]);
    const withdraw = async () => expect((await root.delete(`/api/invitation/${made[0]?.id}`)).data).toMatchObject({ state: 'withdrawn' });
    const context = { ...app.context, db: afterReads(app.context.db, 'invitations', withdraw) };
    const facts = { source: '203.0.113.7', untrustedProxy: null, language: 'en' } as const;
    const accepting = acceptInvitation(context, facts, { token: made[0]?.token ?? '', password });
    await expect(accepting).rejects.toMatchObject({ code: 'invitation_invalid' });
    expect(await app.context.db.collection('users').count({ invitation_id: { exists: true } })).toBe(0);
  });

  it('opens no account that was given more rights since, and one whose maker had ended before noting it', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const { made } = await invite(root, [line('bert'), line('carl', { quota: 700 })], { creates_accounts: true });
    const { context } = app;
    await context.db.collection('users').patch({ username: 'bert' }, { set: { role: Role.admin } });
    expect((await accept(app, made[0]?.token ?? '')).answer).toMatchObject({ code: 'invitation_invalid' });
    expect((await userOf(app, 'bert')).password_hash).toBe('');
    await context.db.collection('invitations').patch({ id: made[1]?.id ?? 0 }, { unset: ['user_id'] });
    expect((await accept(app, made[1]?.token ?? '')).answer).toMatchObject({ success: true, data: { username: 'carl' } });
    expect(await app.login('carl', password)).toBeDefined();
    expect(balanceOf(await userOf(app, 'carl'))).toBe(700);
    expect((await audit(context.db)).findings).toEqual([]);
  });

  it('goes by mail, so many a minute, and whoever follows the link has the mailbox', async () => {
    await using desk = await createMailDesk(engine, { tls: 'none' });
    const { app, root, smtp } = desk;
    const lines = [line('bert', { email: 'bert@example.org', quota: 9 })];
    const refused = await root.post(invitationApi.create.path, { lines, ...byLink, delivery: 'mail' });
    expect(refused).toMatchObject({ success: false, code: 'server_address_required', field: 'delivery' });
    await setOption(app, 'ServerAddress', 'https://tide.example');
    const { made } = await invite(root, lines, { delivery: 'mail' });
    expect(made[0]?.token).toBeUndefined();
    expect((await root.get('/api/invitation/')).data.items).toMatchObject([{ state: 'open', mail: 'due' }]);
    smtp.refuse('RCPT', '451 later', 1);
    await sendInvitations(app.context);
    expect(smtp.mails).toEqual([]);
    app.clock.advance(6 * 60_000);
    await sendInvitations(app.context);
    await sendInvitations(app.context);
    expect(smtp.mails).toHaveLength(1);
    const token = /https:\/\/tide\.example\/invitation#(\w+)/.exec(smtp.mails[0]?.text ?? '')?.[1] ?? '';
    // A plain text says what the link is for: it has no other one.
    expect(smtp.mails[0]?.text).toMatch(/(设置密码并登录：|set a password and sign in, open this address:)\n\nhttps:/);
    expect((await root.get('/api/invitation/')).data.items).toMatchObject([{ state: 'open', mail: 'sent' }]);

    // Sent again: the link before ends.
    expect(await root.post(`/api/invitation/${made[0]?.id}/send`, { delivery: 'mail', valid_seconds: day })).toMatchObject({
      success: true,
    });
    await sendInvitations(app.context);
    const second = /invitation#(\w+)/.exec(smtp.mails[1]?.text ?? '')?.[1] ?? '';
    expect((await accept(app, token)).answer).toMatchObject({ code: 'invitation_invalid' });
    expect((await accept(app, second)).answer).toMatchObject({ success: true });
    expect(await userOf(app, 'bert')).toMatchObject({ email: 'bert@example.org', email_folded: 'bert@example.org' });

    const many = Array.from({ length: 40 }, (_, index) => line(`n${index}`, { email: `n${index}@example.org` }));
    await invite(root, many, { delivery: 'mail' });
    await sendInvitations(app.context);
    expect(smtp.mails).toHaveLength(2 + 15);
  });

  it('a link that was shown proves no mailbox; it ends in time and can be made anew', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    expect(await root.post(invitationApi.create.path, { lines: [line('x')], ...byLink, delivery: 'mail' })).toMatchObject({
      success: false,
      code: 'mail_unconfigured',
    });
    const { made } = await invite(root, [line('bert', { email: 'bert@example.org' })], { valid_seconds: day });
    app.clock.advance(day * 1000);
    expect((await accept(app, made[0]?.token ?? '')).answer).toMatchObject({ code: 'invitation_invalid' });
    expect((await root.get('/api/invitation/')).data.items).toMatchObject([{ state: 'expired' }]);
    const again = await root.post(`/api/invitation/${made[0]?.id}/send`, { delivery: 'link', valid_seconds: day });
    expect(again.data.invitation).toMatchObject({ state: 'open', mail: 'none' });
    // The name is taken by now: the user chooses another one.
    await app.createUser({ username: 'Bert' });
    expect((await accept(app, again.data.token)).answer).toMatchObject({ code: 'username_taken', field: 'username' });
    expect((await accept(app, again.data.token, { username: 'berthold' })).answer).toMatchObject({ success: true });
    expect(await userOf(app, 'berthold')).toMatchObject({ email: '' });
    app.clock.advance(91 * day * 1000);
    expect(await sweepInvitations(app.context)).toBe(1);
  });

  it('are for administrators, and guesses of strangers are counted', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const user = await app.as(await app.createUser());
    const body = { lines: [line('x')], ...byLink };
    for (const [method, path] of [
      ['GET', '/api/invitation/'],
      ['POST', '/api/invitation/check'],
      ['POST', '/api/invitation/'],
      ['POST', '/api/invitation/1/send'],
      ['DELETE', '/api/invitation/1'],
    ] as const) {
      expect(await user.call(method, path, method === 'POST' ? body : undefined), path).toMatchObject({
        success: false,
        code: 'forbidden',
      });
    }
    const { made } = await invite(root, [line('bert')]);
    const guesses = await Promise.all(Array.from({ length: 35 }, (_, index) => accept(app, `guess${index}`)));
    expect(guesses.filter(({ answer }) => answer.code === 'rate_limited').length).toBe(5);
    // Users with a valid link are not locked out by them.
    expect((await accept(app, made[0]?.token ?? '')).answer.success).toBe(true);
  });
});
