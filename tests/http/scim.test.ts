// SCIM 2.0 as Entra ID and Okta use it, and its bounds. Shapes of requests: learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-
// and-groups, developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20.
import { describe, expect, it, vi } from 'vitest';
import { addMember } from '#server/accounts/members.ts';
import { foldEmail } from '#server/accounts/identities.ts';
import { engines } from '#tests/support/engines.ts';
import type { CallOptions } from '#tests/support/http-client.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const path = '/api/organisation/';
const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

interface Answer {
  status: number;
  headers: Headers;
  // Tests look into answers whose shape they assert.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

type Scim = (method: string, path: string, body?: unknown) => Promise<Answer>;

async function buildOrganisation(scene: RelayScene, domains: string[] = ['harbour.example']) {
  const person = await scene.app.createUser({ quota: 10_000_000 });
  const owner = await scene.app.as(person);
  const { id } = (await owner.post(path, { name: 'Harbour Labs', ref: 'reference-found' })).data as { id: number };
  const admin = await scene.app.as(await scene.app.createUser({ role: 100 }));
  await admin.put(`${path}${id}/manage`, { domains, domain_role: 'developer' });
  const { token } = (await owner.post(`${path}${id}/scim_token`)).data;
  const behalf: CallOptions = { headers: { 'openai-organization': `org-${id}` } };
  return { id, person, owner, admin, behalf, token, scim: scimOf(scene, token) };
}

function scimOf(scene: RelayScene, token: string): Scim {
  return async (method, to, body) => {
    const response = await fetch(`${scene.app.origin}/scim/v2${to}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
}

const mary = { schemas: [userSchema], userName: 'Mary@harbour.example', externalId: 'e-1', active: true, displayName: 'Mary Shelley' };
const patch = (...operations: object[]) => ({ schemas: [patchSchema], Operations: operations });

function verified(email: string) {
  return { email, email_folded: foldEmail(email) };
}

describe.each(engines)('SCIM on $kind', { concurrent: true }, (engine) => {
  it('a token ends with the right of the owner who created it', async () => {
    await using scene = await createScene(engine);
    const { id, person, admin, scim } = await buildOrganisation(scene);
    const second = await scene.app.createUser();
    await addMember(scene.app.context, id, { user_id: second.id, role: 'owner', team_id: 0, source: 'invite', invited_by: person.id });
    const other = await scene.app.as(second);
    const status = async () => (await scim('GET', '/Users')).status;
    const state = async () => (await other.get(`${path}${id}`)).data;
    expect([await status(), await state()]).toMatchObject([200, { scim_by: person.username, scim_ended: false }]);
    const member = `${path}${id}/members/${person.id}`;
    const turn = (action: 'disable' | 'enable') => admin.post('/api/user/manage', { id: person.id, action });
    for (const [change, back] of [
      [() => other.put(member, { role: 'developer' }), () => other.put(member, { role: 'owner' })],
      [() => other.put(member, { is_suspended: true }), () => other.put(member, { is_suspended: false })],
      [() => turn('disable'), () => turn('enable')],
    ] as const) {
      expect(await change()).toMatchObject({ success: true });
      expect([await status(), await state()]).toMatchObject([401, { scim_ended: true }]);
      expect(await back()).toMatchObject({ success: true });
      expect([await status(), await state()]).toMatchObject([200, { scim_ended: false }]);
    }
    expect(await other.delete(member)).toMatchObject({ success: true });
    expect(await status()).toBe(401);
    // Another owner replaces it.
    const { token } = (await other.post(`${path}${id}/scim_token`)).data;
    expect((await scimOf(scene, token)('GET', '/Users')).status).toBe(200);
    expect(await state()).toMatchObject({ scim_by: second.username, scim_ended: false });
  });

  it('Entra ID creates, finds, edits, disables and removes a user', async () => {
    await using scene = await createScene(engine);
    const { id, owner, behalf, scim } = await buildOrganisation(scene);
    expect((await scim('GET', '/Users?filter=userName eq "mary@harbour.example"')).body).toMatchObject({ totalResults: 0, Resources: [] });
    const created = await scim('POST', '/Users', {
      ...mary,
      schemas: [userSchema, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
      emails: [{ primary: true, type: 'work', value: 'Mary@harbour.example' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Mary Shelley', familyName: 'Shelley', givenName: 'Mary' },
      roles: [],
    });
    expect(created).toMatchObject({
      status: 201,
      body: {
        userName: 'Mary@harbour.example',
        externalId: 'e-1',
        active: true,
        emails: [{ value: 'Mary@harbour.example', primary: true }],
      },
    });
    expect(created.headers.get('content-type')).toContain('application/scim+json');
    const location = created.headers.get('location') ?? '';
    expect(location).toBe(created.body.meta.location);
    expect(location).toBe(`${scene.app.origin}/scim/v2/Users/${created.body.id}`);
    const userId = created.body.id;
    expect((await scim('POST', '/Users', mary)).body).toMatchObject({ status: '409', scimType: 'uniqueness' });
    for (const filter of [
      'userName eq "MARY@harbour.example"',
      'externalId eq "e-1"',
      'emails[type eq "work"].value eq "mary@harbour.example"',
    ]) {
      expect((await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`)).body, filter).toMatchObject({
        totalResults: 1,
        Resources: [{ id: userId }],
      });
    }
    const edited = await scim(
      'PATCH',
      `/Users/${userId}`,
      patch(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'other@harbour.example' },
        { op: 'Replace', path: 'name.familyName', value: 'Godwin' },
        { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'Letters' },
        { op: 'Replace', path: 'externalId', value: 'e-2' },
      ),
    );
    // The account is the person's: its name and address stay.
    expect(edited).toMatchObject({ status: 200, body: { externalId: 'e-2', emails: [{ value: 'Mary@harbour.example' }] } });
    const record = await scene.app.context.db.collection('users').get(Number(userId));
    expect(record).toMatchObject({
      password_hash: '',
      email: 'Mary@harbour.example',
      quota: 0,
      display_name: 'Mary Shelley',
      provisioned_by: id,
    });
    // Keys stop when the member is disabled, and work after its removal.
    await owner.post(`${path}${id}/fund`, { amount: 4_000_000, ref: 'reference-fund' });
    const client = await scene.app.as({ id: Number(userId) });
    const [token] = (await client.post('/api/token/', { name: 'app', unlimited_quota: true }, behalf)).data;
    const status = async () => (await scene.chat({}, { authorization: `Bearer sk-${token.key}` })).status;
    expect(await status()).toBe(200);
    expect((await scim('PATCH', `/Users/${userId}`, patch({ op: 'Replace', path: 'active', value: 'False' }))).body.active).toBe(false);
    await until(async () => (await status()) === 401);
    expect(await client.get('/api/token/', behalf)).toMatchObject({ code: 'organisation_unknown' });
    expect(
      (await scim('PATCH', `/Users/${userId}`, patch({ op: 'Add', value: { active: true, 'name.givenName': 'M.' } }))).body.active,
    ).toBe(true);
    await until(async () => (await status()) === 200);
    expect((await scim('DELETE', `/Users/${userId}`)).status).toBe(204);
    expect((await scim('GET', `/Users/${userId}`)).body).toMatchObject({
      status: '404',
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    });
    await until(async () => (await status()) === 401);
    expect((await owner.get('/api/token/', behalf)).data).toMatchObject([{ member_id: 0, name: 'app', status: 2 }]);
    // Again: the account is still there, and linked.
    expect(await scim('POST', '/Users', mary)).toMatchObject({ status: 201, body: { id: userId } });
  });

  it('Okta replaces users and moves them between groups', async () => {
    await using scene = await createScene(engine);
    const { id, owner, scim } = await buildOrganisation(scene);
    const people: string[] = [];
    for (const name of ['ann', 'ben', 'cid']) {
      const created = await scim('POST', '/Users', {
        schemas: [userSchema],
        userName: `${name}@harbour.example`,
        name: { givenName: name, familyName: 'Doe' },
        emails: [{ primary: true, value: `${name}@harbour.example`, type: 'work' }],
        displayName: `${name} Doe`,
        locale: 'en-US',
        externalId: `00u-${name}`,
        groups: [],
        password: '1mz050nq',
        active: true,
      });
      expect(created.status).toBe(201);
      people.push(created.body.id);
    }
    const [ann = '', ben = '', cid = ''] = people;
    const list = await scim('GET', '/Users?startIndex=2&count=1');
    expect(list.body).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1, Resources: [{ id: ben }] });
    expect((await scim('POST', '/Users/.search', { filter: 'active eq true', count: 2, attributes: ['userName'] })).body).toMatchObject({
      totalResults: 3,
      Resources: [{ id: ann, userName: 'ann@harbour.example' }, { id: ben }],
    });
    expect((await scim('GET', '/Users?count=0')).body).toMatchObject({ totalResults: 3, Resources: [] });
    // Long lists of attributes are read once, not for each attribute of each resource.
    const splitting = vi.spyOn(String.prototype, 'split');
    await scim('POST', '/Users/.search', { attributes: 'name,'.repeat(20_000) });
    expect(splitting.mock.contexts.filter((text) => String(text).length === 100_000)).toHaveLength(1);
    splitting.mockRestore();
    const replaced = await scim('PUT', `/Users/${ann}`, {
      schemas: [userSchema],
      id: ann,
      userName: 'ann.doe@harbour.example',
      active: false,
    });
    expect(replaced.body).toMatchObject({ userName: 'ann.doe@harbour.example', active: false });
    expect(replaced.body.externalId).toBeUndefined();
    expect(await scim('PUT', `/Users/${ben}`, { userName: 'Ann.Doe@harbour.example' })).toMatchObject({ status: 409 });
    const group = await scim('POST', '/Groups', { schemas: [], displayName: 'Search', externalId: 'g-1', members: [{ value: ann }] });
    expect(group).toMatchObject({ status: 201, body: { displayName: 'Search', members: [{ value: ann }] } });
    const team = group.body.id;
    const second = (await scim('POST', '/Groups', { displayName: 'Ads', members: [{ value: cid }] })).body.id;
    expect(await scim('POST', '/Groups', { displayName: 'Search' })).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
    const members = async (groupId: string) =>
      (await scim('GET', `/Groups/${groupId}`)).body.members.map(({ value }: { value: string }) => value).toSorted();
    const change = (...operations: object[]) => scim('PATCH', `/Groups/${team}`, patch(...operations));
    await change({ op: 'add', path: 'members', value: [{ value: ben, display: 'ben' }, { value: cid }] });
    expect([await members(team), await members(second)]).toEqual([[ann, ben, cid].toSorted(), []]);
    expect((await scim('GET', `/Users/${cid}`)).body.groups).toMatchObject([{ value: team, display: 'Search' }]);
    await change({ op: 'remove', path: `members[value eq "${ann}"]` });
    await change({ op: 'Remove', path: 'members', value: [{ value: ben }] });
    expect(await members(team)).toEqual([cid]);
    await change({ op: 'replace', path: 'members', value: [{ value: ann }, { value: ben }] });
    expect(await members(team)).toEqual([ann, ben].toSorted());
    expect((await change({ op: 'replace', value: { id: team, displayName: 'Find' } })).body.displayName).toBe('Find');
    expect(await change({ op: 'add', path: 'members', value: [{ value: '999999' }] })).toMatchObject({ status: 404 });
    expect((await scim('GET', '/Groups?filter=displayName eq "find"&excludedAttributes=members')).body.Resources).toMatchObject([
      { id: team },
    ]);
    expect((await scim('GET', '/Groups?excludedAttributes=members')).body.Resources[0].members).toBeUndefined();
    expect((await owner.get(`${path}${id}/teams`)).data).toMatchObject([{ name: 'Ads' }, { name: 'Find', members: 2 }]);
    expect((await scim('PUT', `/Groups/${team}`, { displayName: 'Find' })).body.members).toEqual([]);
    expect((await scim('DELETE', `/Groups/${team}`)).status).toBe(204);
    expect((await scim('GET', `/Groups/${team}`)).status).toBe(404);
  });

  it('many operations on the members of a group read its members once', async () => {
    await using scene = await createScene(engine);
    const { scim } = await buildOrganisation(scene);
    const people: string[] = [];
    for (const name of ['ann', 'ben', 'cid', 'dan'])
      people.push((await scim('POST', '/Users', { schemas: [userSchema], userName: `${name}@harbour.example` })).body.id);
    const [ann = '', ben = '', cid = '', dan = ''] = people;
    const group = await scim('POST', '/Groups', { displayName: 'Search', members: [ann, ben].map((value) => ({ value })) });
    const change = async (...operations: object[]) => {
      const { body } = await scim('PATCH', `/Groups/${group.body.id}`, patch(...operations));
      return body.members.map(({ value }: { value: string }) => value).toSorted();
    };
    const remove = (value: string) => ({ op: 'remove', path: `members[value eq "${value}"]` });
    const add = (value: string) => ({ op: 'add', path: 'members', value: [{ value }] });
    const reading = vi.spyOn(scene.app.context.db.collection('organisation_members'), 'each');
    await change(remove(dan));
    const once = reading.mock.calls.length;
    expect(once).toBeGreaterThan(0);
    reading.mockClear();
    expect(await change(...Array.from({ length: 40 }, () => [remove(ben), remove(dan)]).flat(), add(cid))).toEqual([ann, cid].toSorted());
    expect(reading.mock.calls.length).toBe(once);
    reading.mockRestore();
    // The last operation on a member applies.
    expect(await change(add(dan), remove(dan), remove(ann), add(ann))).toEqual([ann, cid].toSorted());
    expect(await change(add(dan), { op: 'remove', path: 'members' }, add(ben))).toEqual([ben]);
    expect(await change(add(ann), { op: 'replace', path: 'members', value: [{ value: cid }] }, add(dan))).toEqual([cid, dan].toSorted());
    expect(await change({ op: 'replace', path: 'members', value: [{ value: ann }, { value: dan }] }, remove(dan))).toEqual([ann]);
  });

  it('only people of the domains are seen and created, and only verified addresses are linked', async () => {
    await using scene = await createScene(engine);
    const { id, owner, person, admin, scim } = await buildOrganisation(scene, ['harbour.example', 'kiwi.example']);
    // The founder's address is in no domain.
    expect((await scim('GET', '/Users')).body.totalResults).toBe(0);
    expect((await scim('PATCH', `/Users/${person.id}`, patch({ op: 'replace', path: 'active', value: false }))).status).toBe(404);
    expect((await scim('DELETE', `/Users/${person.id}`)).status).toBe(404);
    for (const email of [
      'mary@elsewhere.example',
      'mary@harbour.example.evil.example',
      'mary@sub.harbour.example',
      'mary@elsewhere.example@harbour.example',
      '"mary@elsewhere.example"@harbour.example',
      // A Cyrillic letter.
      'mary@h\u0430rbour.example',
      'mary@harbour.example\n',
      'mary',
    ]) {
      const answer = await scim('POST', '/Users', { userName: email.replace('\n', '\u0000') });
      expect(answer, email).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
      expect(await scim('POST', '/Users', { userName: 'x', emails: [{ value: email.replace('\n', '\u0000') }] }), email).toMatchObject({
        status: 400,
      });
    }
    // A Kelvin sign, which `toLowerCase` makes a k.
    expect(await scim('POST', '/Users', { userName: 'x', emails: [{ value: 'mary@\u212Aiwi.example' }] })).toMatchObject({ status: 400 });
    const verifiedPerson = await scene.app.createUser({ ...verified('tess@harbour.example'), quota: 77 });
    const unverified = await scene.app.createUser({ email: 'hugo@harbour.example' });
    await scene.app.context.db.collection('users').patch({ id: unverified.id }, { unset: ['email_folded'] });
    const linked = await scim('POST', '/Users', {
      userName: 'TESS@HARBOUR.example',
      displayName: 'Taken over',
      password: 'new',
      active: true,
    });
    expect(linked).toMatchObject({ status: 201, body: { id: String(verifiedPerson.id) } });
    const after = await scene.app.context.db.collection('users').get(verifiedPerson.id);
    expect(after).toMatchObject({ display_name: verifiedPerson.display_name, password_hash: verifiedPerson.password_hash, quota: 77 });
    expect(after?.provisioned_by).toBeUndefined();
    // An account that claims an address without a proof is another one.
    const made = await scim('POST', '/Users', { userName: 'hugo@harbour.example' });
    expect(made.status).toBe(201);
    expect(made.body.id).not.toBe(String(unverified.id));
    // Neither does a deleted account come back.
    const gone = await scene.app.createUser(verified('gone@harbour.example'));
    await (await scene.app.as(gone)).delete('/api/user/self');
    expect(await scim('POST', '/Users', { userName: 'gone@harbour.example' })).toMatchObject({ status: 409 });
    // Without domains, no member is visible to the client.
    await admin.put(`${path}${id}/manage`, { domains: [] });
    expect((await scim('GET', '/Users')).body.totalResults).toBe(0);
    expect((await scim('DELETE', `/Users/${verifiedPerson.id}`)).status).toBe(404);
    expect((await owner.get(`${path}${id}/members`)).data.total).toBe(3);
  });

  it('a token reaches its organisation only, until it ends', async () => {
    await using scene = await createScene(engine);
    const first = await buildOrganisation(scene);
    const second = await buildOrganisation(scene, ['quay.example']);
    const user = (await first.scim('POST', '/Users', mary)).body.id;
    const group = (await first.scim('POST', '/Groups', { displayName: 'Search' })).body.id;
    for (const [method, to, body] of [
      ['GET', `/Users/${user}`],
      ['PATCH', `/Users/${user}`, patch({ op: 'replace', value: { active: false } })],
      ['PUT', `/Users/${user}`, { userName: 'x@quay.example', active: false }],
      ['DELETE', `/Users/${user}`],
      ['GET', `/Groups/${group}`],
      ['PATCH', `/Groups/${group}`, patch({ op: 'replace', value: { displayName: 'Taken' } })],
      ['PUT', `/Groups/${group}`, { displayName: 'Taken' }],
      ['DELETE', `/Groups/${group}`],
      ['POST', '/Groups', { displayName: 'Mine', members: [{ value: user }] }],
    ] as const) {
      expect((await second.scim(method, to, body)).status, `${method} ${to}`).toBe(404);
    }
    expect((await second.scim('POST', '/Users', mary)).status).toBe(400);
    for (const list of ['/Users', '/Groups', '/Users?filter=externalId eq "e-1"', `/Users?filter=id eq "${user}"`]) {
      expect((await second.scim('GET', list)).body.totalResults, list).toBe(0);
    }
    expect((await first.scim('GET', `/Users/${user}`)).body.active).toBe(true);
    // Tokens of other kinds are none, and the other way round.
    const [key] = (await first.owner.post('/api/token/', { name: 'app' })).data;
    for (const token of [`sk-${key.key}`, key.key, '', 'x'.repeat(48)]) {
      const refused = await scimOf(scene, token)('GET', '/Users');
      expect(refused).toMatchObject({ status: 401, body: { status: '401' } });
      expect(refused.headers.get('www-authenticate')).toContain('Bearer');
    }
    expect((await scene.chat({}, { authorization: `Bearer ${first.token}` })).status).toBe(401);
    const { token: renewed } = (await first.owner.post(`${path}${first.id}/scim_token`)).data;
    expect((await first.scim('GET', '/Users')).status).toBe(401);
    const scim = scimOf(scene, renewed);
    expect((await scim('GET', '/Users')).status).toBe(200);
    await first.admin.put(`${path}${first.id}/manage`, { status: 2 });
    expect((await scim('GET', '/Users')).status).toBe(403);
    await first.admin.put(`${path}${first.id}/manage`, { status: 1 });
    await first.owner.delete(`${path}${first.id}/scim_token`);
    expect((await scim('GET', '/Users')).status).toBe(401);
  });

  it('a last owner stays, and bad requests are refused in the shape of SCIM', async () => {
    await using scene = await createScene(engine);
    const { person, scim } = await buildOrganisation(scene);
    await scene.app.context.db.collection('users').patch({ id: person.id }, { set: verified('boss@harbour.example') });
    expect((await scim('GET', '/Users')).body.Resources).toMatchObject([{ id: String(person.id), userName: 'boss@harbour.example' }]);
    expect(await scim('PATCH', `/Users/${person.id}`, patch({ op: 'replace', value: { active: false } }))).toMatchObject({ status: 409 });
    expect(await scim('DELETE', `/Users/${person.id}`)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('owner') } });
    const to = `/Users/${person.id}`;
    for (const [method, at, body, status, scimType] of [
      ['GET', '/Users?filter=userName co "x"', undefined, 400, 'invalidFilter'],
      ['GET', '/Users?filter=password eq "x"', undefined, 400, 'invalidFilter'],
      ['GET', '/Users?filter=userName eq "x" or id pr', undefined, 400, 'invalidFilter'],
      ['POST', '/Users', [], 400, 'invalidSyntax'],
      ['POST', '/Users', {}, 400, 'invalidValue'],
      ['PATCH', to, {}, 400, 'invalidSyntax'],
      ['PATCH', to, patch({ op: 'move', path: 'active' }), 400, 'invalidSyntax'],
      ['PATCH', to, patch({ op: 'remove' }), 400, 'noTarget'],
      ['PATCH', to, patch({ op: 'replace', path: 'a b', value: 1 }), 400, 'invalidPath'],
      ['PATCH', to, patch({ op: 'replace', path: 'active', value: 'perhaps' }), 400, 'invalidValue'],
      ['PATCH', to, patch({ op: 'remove', path: 'userName' }), 400, 'mutability'],
      ['GET', '/Bulk', undefined, 404, undefined],
      ['DELETE', '/Schemas', undefined, 405, undefined],
      ['GET', '/Schemas/none', undefined, 404, undefined],
    ] as const) {
      const answer = await scim(method, at, body);
      expect(answer.body, `${method} ${at} ${JSON.stringify(body)}`).toMatchObject({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: String(status),
        ...(scimType === undefined ? {} : { scimType }),
      });
      expect(answer.status).toBe(status);
    }
    // Two requests for one person at a time: one creates.
    const twice = await Promise.all([scim('POST', '/Users', mary), scim('POST', '/Users', mary)]);
    expect(twice.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    expect((await scim('GET', '/ServiceProviderConfig')).body).toMatchObject({ patch: { supported: true }, filter: { supported: true } });
    expect((await scim('GET', '/ResourceTypes')).body.Resources.map(({ id }: { id: string }) => id)).toEqual(['User', 'Group']);
    expect((await scim('GET', `/Schemas/${userSchema}`)).body.id).toBe(userSchema);
  });
});
