// People of an organisation's domains: who joins by a sign-in, and accounts that SCIM has made.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createSignInDesk, type SignInDesk, signInWith } from '#tests/support/sign-in-desk.ts';

const path = '/api/organisation/';

describe.each(engines)('domains of organisations on $kind', (engine) => {
  let desk: SignInDesk;
  let id = 0;
  let owner: TestClient;
  let count = 0;
  beforeAll(async () => {
    desk = await createSignInDesk(engine);
    owner = await desk.app.as(await desk.app.createUser());
    id = (await owner.post(path, { name: 'Harbour Labs', ref: 'reference-found' })).data.id;
    await desk.root.put(`${path}${id}/manage`, { domains: ['kiwi.example', 'harbour.example'], domain_role: 'developer' });
  });
  afterAll(async () => desk[Symbol.asyncDispose]());
  beforeEach(async () => {
    await desk.app.context.db.collection('limits').remove({});
  });

  /** Signs in as a new person, or as the person `sub`. */
  async function signIn(
    email: string,
    {
      isEmailVerified = true,
      sub = `person-${(count += 1)}`,
      provider = 'oidc',
    }: { isEmailVerified?: boolean; sub?: string; provider?: 'oidc' | 'github' } = {},
  ) {
    Object.assign(desk.services.person, { email, isEmailVerified, sub, id: 1000 + count, login: sub, name: sub });
    const client = desk.app.anonymous();
    const answer = await signInWith(client, provider);
    expect(answer).toMatchObject({ success: true });
    const list = (await client.get(path)).data as { id: number; role: string }[];
    return { client, sub, userId: Number(answer.data.id), organisations: list };
  }

  it('a verified address in a domain joins with the role of the domain', async () => {
    const { organisations, userId } = await signIn('mary@Harbour.Example');
    expect(organisations).toMatchObject([{ id, role: 'developer' }]);
    expect((await owner.get(`${path}${id}/members`)).data.items).toEqual(
      expect.arrayContaining([expect.objectContaining({ user_id: userId, source: 'domain' })]),
    );
  });

  it("Entra ID's claim of the domain's owner stands for a verified address, if it is of the same address", async () => {
    for (const [email, claimed, isMember] of [
      ['tia@harbour.example', 'tia@harbour.example', true],
      ['uli@harbour.example', 'uli@evil.example', false],
    ] as const) {
      desk.services.rules = { idToken: { email: claimed, xms_edov: '1' } };
      const { organisations } = await signIn(email, { isEmailVerified: false });
      expect(organisations.length > 0, email).toBe(isMember);
    }
    desk.services.rules = {};
  });

  it.each([
    ['an address that is not verified', 'ann@harbour.example', { isEmailVerified: false }],
    ['another provider', 'ben@harbour.example', { provider: 'github' as const }],
    ['a subdomain', 'cid@sub.harbour.example', {}],
    ['a longer domain', 'dan@harbour.example.evil.example', {}],
    ['a domain in a name', '"eve@harbour.example"@evil.example', {}],
    ['two domains', 'eve@evil.example@harbour.example', {}],
    ['a Kelvin sign', 'fay@\u212Aiwi.example', {}],
    ['a part of a domain', 'gus@iwi.example', {}],
  ])('%s does not join', async (_what, email, options) => {
    expect((await signIn(email, options)).organisations).toEqual([]);
  });

  it('who has left, was removed or suspended does not come back by a sign-in', async () => {
    const left = await signIn('left@harbour.example');
    expect(await left.client.delete(`${path}${id}/members/${left.userId}`)).toMatchObject({ success: true });
    const removed = await signIn('removed@harbour.example');
    expect(await owner.delete(`${path}${id}/members/${removed.userId}`)).toMatchObject({ success: true });
    const suspended = await signIn('suspended@harbour.example');
    expect(await owner.put(`${path}${id}/members/${suspended.userId}`, { is_suspended: true })).toMatchObject({ success: true });
    expect((await signIn('left@harbour.example', left)).organisations).toEqual([]);
    expect((await signIn('removed@harbour.example', removed)).organisations).toEqual([]);
    expect((await signIn('suspended@harbour.example', suspended)).organisations).toEqual([]);
    // An invitation brings them back, and then another removal counts.
    const { link } = (await owner.post(`${path}${id}/invites`, { emails: [], role: 'reader' })).data;
    expect(await left.client.post(`${path}invite/accept`, { token: link.split('#')[1] })).toMatchObject({ data: { role: 'reader' } });
    expect((await signIn('left@harbour.example', left)).organisations).toMatchObject([{ role: 'reader' }]);
    await left.client.delete(`${path}${id}/members/${left.userId}`);
    expect((await signIn('left@harbour.example', left)).organisations).toEqual([]);
  });

  it('only administrators of the site set domains, and a domain has one organisation', async () => {
    expect(await owner.put(`${path}${id}/manage`, { domains: ['evil.example'] })).toMatchObject({ success: false });
    expect(await owner.put(`${path}${id}`, { domains: ['evil.example'] })).toMatchObject({
      data: { domains: ['kiwi.example', 'harbour.example'] },
    });
    const other = (await owner.post(path, { name: 'Quay', ref: 'reference-quay' })).data.id;
    expect(await desk.root.put(`${path}${other}/manage`, { domains: ['harbour.example'] })).toMatchObject({
      code: 'organisation_domain_taken',
    });
    const both = await Promise.all(
      [id, other].map((one) =>
        desk.root.put(`${path}${one}/manage`, {
          domains: ['kiwi.example', 'dock.example', 'harbour.example'].slice(one === id ? 0 : 1, 2),
        }),
      ),
    );
    expect(both.filter(({ success }) => success)).toHaveLength(1);
    await desk.root.put(`${path}${other}/manage`, { domains: [] });
    await desk.root.put(`${path}${id}/manage`, { domains: ['kiwi.example', 'harbour.example'] });
  });

  it('the first verified sign-in takes over an account that SCIM has made, and no other', async () => {
    const { token } = (await owner.post(`${path}${id}/scim_token`)).data;
    const provision = async (userName: string): Promise<number> => {
      const response = await fetch(`${desk.app.origin}/scim/v2/Users`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
        body: JSON.stringify({ userName }),
      });
      expect(response.status).toBe(201);
      return Number(((await response.json()) as { id: string }).id);
    };
    const made = await provision('prov@harbour.example');
    expect((await signIn('prov@harbour.example', { isEmailVerified: false })).userId).not.toBe(made);
    expect((await signIn('prov@harbour.example', { provider: 'github' })).userId).not.toBe(made);
    expect((await signIn('prov+other@harbour.example')).userId).not.toBe(made);
    const first = await signIn('Prov@Harbour.example');
    expect(first).toMatchObject({ userId: made, organisations: [{ id, role: 'developer' }] });
    // Another subject with the same address is another account; the same one comes back.
    expect((await signIn('prov@harbour.example')).userId).not.toBe(made);
    expect((await signIn('prov@harbour.example', first)).userId).toBe(made);
    // Registration may be closed: the organisation has made the account.
    const second = await provision('late@harbour.example');
    await desk.save({ RegisterEnabled: 'false' });
    expect((await signIn('late@harbour.example')).userId).toBe(second);
    await desk.save({ RegisterEnabled: 'true' });
    // An account with another way in is not taken over.
    const third = await provision('pass@harbour.example');
    await desk.app.context.db.collection('users').patch({ id: third }, { set: { password_hash: 'x' } });
    expect((await signIn('pass@harbour.example')).userId).not.toBe(third);
    // Neither after the domain has gone to others.
    const fourth = await provision('moved@kiwi.example');
    await desk.root.put(`${path}${id}/manage`, { domains: ['harbour.example'] });
    expect((await signIn('moved@kiwi.example')).userId).not.toBe(fourth);
  });
});
