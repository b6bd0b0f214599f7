// One mailbox, or one person at a provider, brings the bonuses of a registration once, whatever leaves which account meanwhile.
import { afterAll, describe, expect, it } from 'vitest';
import { createAccount } from '#server/accounts/create-account.ts';
import { bindEmail, unbindIdentity } from '#server/accounts/identities.ts';
import { markIdsOf } from '#server/accounts/left-identities.ts';
import { finishWelcomes } from '#server/accounts/welcome.ts';
import { type Engine, engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createMailDesk } from '#tests/support/mail-desk.ts';
import { createSignInDesk, signInWith } from '#tests/support/sign-in-desk.ts';
import { createTestApp, testPassword } from '#tests/support/test-app.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';
import { beforeInserts } from '#tests/support/watched-database.ts';

afterAll(trustLocalhost());

const bonuses = { QuotaForNewUser: '500', QuotaForInvitee: '200', QuotaForInviter: '70' };
const own = '/api/user/self';

async function createBonusDesk(engine: Engine) {
  const desk = await createMailDesk(engine);
  const { app, smtp, root } = desk;
  for (const [key, value] of Object.entries({ EmailVerificationEnabled: 'true', ...bonuses })) {
    expect(await root.put('/api/option/', { key, value })).toMatchObject({ success: true });
  }
  const alice = await app.as(await app.createUser({ username: 'alice' }));
  const aff_code = String((await alice.get('/api/user/aff')).data);
  const codeFor = async (email: string, client = app.anonymous()) => {
    app.clock.advance(31_000);
    expect(await client.get(`/api/verification?email=${encodeURIComponent(email)}`)).toMatchObject({ success: true });
    return /\b[0-9a-f]{6}\b/.exec(smtp.mails.at(-1)?.text ?? '')?.[0] ?? '';
  };
  const register = async (username: string, email: string) => {
    const verification_code = await codeFor(email);
    const body = { username, password: testPassword, password2: testPassword, email, verification_code, aff_code };
    expect(await app.anonymous().post('/api/user/register', body)).toMatchObject({ success: true });
    return app.login(username);
  };
  const bind = async (client: TestClient, email: string) => {
    const code = await codeFor(email, client);
    expect(await client.get(`/api/oauth/email/bind?email=${encodeURIComponent(email)}&code=${code}`)).toMatchObject({ success: true });
  };
  const earned = async () => (await alice.get(own)).data.aff_quota;
  return Object.assign(desk, { register, bind, earned });
}

describe.each(engines)('bonuses of an address on $kind', (engine) => {
  it('an address that was unbound registers again without bonuses, in any letters', async () => {
    await using desk = await createBonusDesk(engine);
    const first = await desk.register('one', 'Mira@Example.org');
    expect((await first.get(own)).data.quota).toBe(700);
    expect(await desk.earned()).toBe(70);
    expect(await first.delete('/api/oauth/email/bind')).toMatchObject({ success: true });
    const second = await desk.register('two', 'mira@EXAMPLE.org');
    expect((await second.get(own)).data).toMatchObject({ quota: 0, email: 'mira@EXAMPLE.org' });
    expect(await second.delete('/api/oauth/email/bind')).toMatchObject({ success: true });
    const third = await desk.register('three', 'mira@example.org');
    expect((await third.get(own)).data.quota).toBe(0);
    expect(await desk.earned()).toBe(70);
    // Another mailbox has earned nothing yet.
    expect((await (await desk.register('four', 'ana@example.org')).get(own)).data.quota).toBe(700);
    expect(await desk.earned()).toBe(140);
    // The mark contains no address.
    const marks = await desk.app.context.db.collection('left_identities').find({});
    expect(marks).toHaveLength(1);
    expect(JSON.stringify(marks)).not.toMatch(/mira|example/i);
  });

  it('an address that another one took the place of, or that an administrator removed, brings none either', async () => {
    await using desk = await createBonusDesk(engine);
    const first = await desk.register('one', 'mira@example.org');
    await desk.bind(first, 'other@example.org');
    expect((await (await desk.register('two', 'mira@example.org')).get(own)).data.quota).toBe(0);
    const { id } = (await first.get(own)).data;
    expect(await desk.root.delete(`/api/user/${id}/bindings/email`)).toMatchObject({ success: true });
    expect((await (await desk.register('three', 'other@example.org')).get(own)).data.quota).toBe(0);
    expect(await desk.earned()).toBe(70);
  });

  it('an address that is bound once more to its own account leaves no mark, nor does a refused unbinding', async () => {
    await using desk = await createBonusDesk(engine);
    const first = await desk.register('one', 'mira@example.org');
    const { id } = (await first.get(own)).data;
    const colleague = await desk.app.as(await desk.app.createUser({ username: 'colleague', role: 10 }));
    const boss = await desk.app.createUser({ username: 'boss', role: 10, email: 'boss@example.org' });
    expect(await colleague.delete(`/api/user/${boss.id}/bindings/email`)).toMatchObject({ success: false, code: 'user_edit_denied' });
    expect(await colleague.delete(`/api/user/${id}/bindings/github`)).toMatchObject({ success: false, code: 'binding_missing' });
    expect(await desk.app.context.db.collection('left_identities').count({})).toBe(0);
  });

  it('an address that is unbound in the moment before the new account is stored brings none', async () => {
    await using app = await createTestApp(engine);
    const { context } = app;
    const root = await app.setup();
    for (const [key, value] of Object.entries(bonuses))
      expect(await root.put('/api/option/', { key, value })).toMatchObject({ success: true });
    const inviter = await app.createUser({ username: 'alice' });
    const email = 'mira@example.org';
    const holder = await app.as(await app.createUser({ username: 'holder', email }));
    const unbind = async () => expect(await holder.delete('/api/oauth/email/bind')).toMatchObject({ success: true });
    const account = { username: 'two', displayName: 'two', passwordHash: '', actorId: 0, inviter, bound: { email, email_folded: email } };
    const made = await createAccount({ ...context, db: beforeInserts(context.db, 'users', unbind) }, account);
    expect(made).toMatchObject({ quota: 0, email_folded: email, inviter_id: inviter.id });
    expect(await context.db.collection('users').get(inviter.id)).toMatchObject({ aff_count: 1, aff_quota: 0, aff_history_quota: 0 });
  });

  it('an identity that is replaced while it is being unbound leaves a mark as well', async () => {
    await using app = await createTestApp(engine);
    const { context } = app;
    const user = await app.createUser({ username: 'mira', email: 'one@example.org' });
    const replace = () => bindEmail(context, user.id, 'two@example.org');
    let isFirst = true;
    const db = beforeInserts(context.db, 'left_identities', async () => {
      if (isFirst) await replace();
      isFirst = false;
    });
    await unbindIdentity({ ...context, db }, { userId: user.id, binding: 'email', isOwn: false });
    expect((await context.db.collection('users').get(user.id))?.email_folded).toBeUndefined();
    const marks = await context.db.collection('left_identities').find({});
    const expected = ['one', 'two'].flatMap((name) => markIdsOf(context, { email_folded: `${name}@example.org` }));
    expect(marks.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
  });

  it('bonuses that a process left undone: the owner who unbinds before the job comes gets them, the next one does not', async () => {
    await using app = await createTestApp(engine);
    const { context } = app;
    const users = context.db.collection('users');
    const welcome = { signup: 11, invitee: 0, inviter: 0, actor: 0, identities: markIdsOf(context, { email_folded: 'mira@example.org' }) };
    const due = { welcome, welcome_at: app.clock.now() };
    const first = await app.createUser({ username: 'one', email: 'mira@example.org', ...due });
    expect(await (await app.as(first)).delete('/api/oauth/email/bind')).toMatchObject({ success: true });
    const second = await app.createUser({ username: 'two', email: 'mira@example.org', ...due });
    app.clock.advance(61_000);
    await Promise.all([finishWelcomes(context), finishWelcomes(context)]);
    expect(await users.get(first.id)).toMatchObject({ quota: 11 });
    expect(await users.get(second.id)).toMatchObject({ quota: 0 });
    expect(await users.count({ welcome_at: { exists: true } })).toBe(0);
  });
});

describe.each(engines)('bonuses of somebody at a provider on $kind', (engine) => {
  it.each(['github', 'oidc', 'linuxdo'] as const)('%s: once, also after it was unbound', async (provider) => {
    await using desk = await createSignInDesk(engine);
    await desk.save(bonuses);
    const alice = await desk.app.as(await desk.app.createUser({ username: 'alice' }));
    const aff = String((await alice.get('/api/user/aff')).data);
    const first = desk.app.anonymous();
    const made = await signInWith(first, provider, aff);
    expect(made).toMatchObject({ success: true });
    expect((await first.get(own)).data.quota).toBe(700);
    expect(await first.put(own, { password: testPassword })).toMatchObject({ success: true });
    expect(await first.delete(`/api/oauth/${provider}/bind`)).toMatchObject({ success: true });
    const second = desk.app.anonymous();
    const again = await signInWith(second, provider, aff);
    expect(again.data.id).not.toBe(made.data.id);
    expect((await second.get(own)).data.quota).toBe(0);
    expect((await alice.get(own)).data).toMatchObject({ aff_quota: 70, aff_history_quota: 70 });
    // Another person there gets the bonus.
    desk.services.person = { ...desk.services.person, sub: 'subject-2', id: 4712, login: 'ana', email: 'ana@example.org' };
    const third = desk.app.anonymous();
    await signInWith(third, provider, aff);
    expect((await third.get(own)).data.quota).toBe(700);
  });
});
