// Organisations: wallet, members, roles, teams, policies, hand-over of tokens.
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { organisationRoles } from '#shared/organisation-roles.ts';
import { mostMembers } from '#shared/organisations.ts';
import { removeTeam } from '#server/features/organisations/edit-organisation.ts';
import { acceptInvite } from '#server/features/organisations/invites.ts';
import { finishOrganisationTransfers } from '#server/features/organisations/transfer-quota.ts';
import { engines } from '#tests/support/engines.ts';
import type { CallOptions, TestClient } from '#tests/support/http-client.ts';
import { createScene, type RelayScene, setOption, testModel } from '#tests/support/relay-scene.ts';
import { instead } from '#tests/support/watched-database.ts';
import { until } from '#tests/support/until.ts';

const path = '/api/organisation/';
const ref = (name: string) => `reference-${name}`;

async function organisationOf(scene: RelayScene, name = 'Harbour Labs') {
  const person = await scene.app.createUser({ quota: 10_000_000 });
  const owner = await scene.app.as(person);
  const founded = await owner.post(path, { name, ref: ref('found') });
  expect(founded).toMatchObject({ success: true });
  const id: number = founded.data.id;
  return { id, person, owner, behalf: { headers: { 'openai-organization': `org-${id}` } } satisfies CallOptions };
}

async function memberOf(scene: RelayScene, { id, owner }: { id: number; owner: TestClient }, role: string) {
  const person = await scene.app.createUser();
  const client = await scene.app.as(person);
  const { link } = (await owner.post(`${path}${id}/invites`, { emails: [], role })).data;
  const joined = await client.post(`${path}invite/accept`, { token: link.split('#')[1] });
  expect(joined).toMatchObject({ success: true, data: { role } });
  return { person, client };
}

describe.each(engines)('organisations on $kind', { concurrent: true }, (engine) => {
  it('tokens of members are paid from its wallet, and from nobody else', async () => {
    await using scene = await createScene(engine);
    const { id, person, owner, behalf } = await organisationOf(scene);
    expect(await owner.post(`${path}${id}/fund`, { amount: 4_000_000, ref: ref('one') })).toMatchObject({ data: { quota: 4_000_000 } });
    // Sent again after a lost response.
    expect(await owner.post(`${path}${id}/fund`, { amount: 4_000_000, ref: ref('one') })).toMatchObject({ data: { quota: 4_000_000 } });
    const { client } = await memberOf(scene, { id, owner }, 'developer');
    const [token] = (await client.post('/api/token/', { name: 'ci', unlimited_quota: true }, behalf)).data;
    expect(token).toMatchObject({ user_id: id, member_id: client.userId });
    const response = await scene.chat({}, { authorization: `Bearer sk-${token.key}` });
    expect(response.status, await response.text()).toBe(200);
    const row = await scene.app.context.db.collection('logs').first({ user_id: id, token_id: token.id });
    expect(row?.quota).toBeGreaterThan(0);
    await scene.app.context.ledger.idle(5000);
    const now = (await owner.get(`${path}${id}`)).data;
    expect(now.quota).toBe(4_000_000 - (row?.quota ?? 0));
    const self = async (who: TestClient) => (await who.get('/api/user/self')).data.quota;
    expect([await self(owner), await self(client)]).toEqual([6_000_000, 0]);
    const usage = await owner.get(`${path}${id}/usage?by=member`);
    expect(usage.data).toMatchObject([{ id: String(client.userId), calls: 1, quota: row?.quota }]);
    expect((await client.get(`${path}${id}/usage?by=token`)).data).toMatchObject([{ id: String(token.id), calls: 1 }]);
    // Back to the owner; not for others.
    expect(await client.post(`${path}${id}/fund`, { amount: 1, direction: 'out', ref: ref('out') })).toMatchObject({
      code: 'organisation_right_missing',
    });
    expect(await owner.post(`${path}${id}/fund`, { amount: 9_000_000, direction: 'out', ref: ref('much') })).toMatchObject({
      code: 'balance_too_small',
    });
    expect(await owner.delete(`${path}${id}`)).toMatchObject({ code: 'organisation_has_balance' });
    expect(await owner.post(`${path}${id}/fund`, { amount: now.quota, direction: 'out', ref: ref('all') })).toMatchObject({
      data: { quota: 0 },
    });
    expect(await self(owner)).toBe(10_000_000 - (row?.quota ?? 0));
    expect(await owner.delete(`${path}${id}`)).toMatchObject({ success: true });
    await until(async () => (await scene.chat({}, { authorization: `Bearer sk-${token.key}` })).status === 401);
    expect(person.id).not.toBe(id);
  });

  it('members who can pay are warned of a low balance', async () => {
    await using scene = await createScene(engine, {
      settings: { ModelPrice: JSON.stringify({ [testModel]: 0.2 }), QuotaRemindThreshold: '500000' },
    });
    const { id, person, owner, behalf } = await organisationOf(scene);
    await owner.post(`${path}${id}/fund`, { amount: 550_000, ref: ref('one') });
    const billing = await memberOf(scene, { id, owner }, 'billing');
    await memberOf(scene, { id, owner }, 'reader');
    const [token] = (await owner.post('/api/token/', { name: 'ci', unlimited_quota: true }, behalf)).data;
    expect((await scene.chat({}, { authorization: `Bearer sk-${token.key}` })).status).toBe(200);
    await scene.app.context.lowBalance.check();
    const sent = await scene.app.context.db.collection('notifications').find({});
    expect(sent.map(({ user_id: reader }) => reader).toSorted((a, b) => a - b)).toEqual(
      [person.id, billing.person.id].toSorted((a, b) => a - b),
    );
    for (const { event } of sent) expect(event).toMatchObject({ code: 'quota_exceed', balance: 450_000, organisation: 'Harbour Labs' });
  });

  it('an interrupted transfer is finished once', async () => {
    await using scene = await createScene(engine);
    const { id, person, owner } = await organisationOf(scene);
    const { context } = scene.app;
    await context.db.collection('organisation_transfers').insert({
      id: `${person.id}:${id}:${ref('cut')}`,
      from_id: person.id,
      to_id: id,
      amount: 3_000_000,
      actor_id: person.id,
      created_at: context.now(),
      due_at: context.now() - 60_000,
    });
    await context.ledger.change({
      account: 'user',
      id: person.id,
      amount: -3_000_000,
      kind: 'organisation_transfer',
      ref: `organisation-transfer:${person.id}:${id}:${ref('cut')}:out`,
      actorId: person.id,
    });
    await Promise.all([finishOrganisationTransfers(context), finishOrganisationTransfers(context)]);
    expect(await owner.post(`${path}${id}/fund`, { amount: 3_000_000, ref: ref('cut') })).toMatchObject({ data: { quota: 3_000_000 } });
    expect((await owner.get('/api/user/self')).data.quota).toBe(7_000_000);
  });

  it('each role reaches what is its own', async () => {
    await using scene = await createScene(engine);
    const { id, owner, behalf } = await organisationOf(scene);
    const clients: Record<string, TestClient> = { owner };
    for (const role of organisationRoles) if (role !== 'owner') clients[role] = (await memberOf(scene, { id, owner }, role)).client;
    const tokens = new Map<string, number>();
    for (const role of ['owner', 'administrator', 'developer']) {
      tokens.set(role, (await clients[role]?.post('/api/token/', { name: role }, behalf))?.data[0].id);
    }
    const allowed: Record<string, readonly string[]> = {
      'GET /api/token/': ['owner', 'administrator', 'developer'],
      // A developer: the own calls alone, see organisation-log.test.ts.
      'GET /api/log/self': organisationRoles,
      'GET /api/data/self/figures': ['owner', 'administrator', 'billing', 'reader'],
      'GET /api/user/self/statement?start_timestamp=1700000000&end_timestamp=1700086400': ['owner', 'administrator', 'billing'],
      'GET /api/user/topup/info': ['owner', 'administrator', 'billing'],
      'GET /api/user/models': organisationRoles,
    };
    for (const [call, roles] of Object.entries(allowed)) {
      for (const role of organisationRoles) {
        const response = await clients[role]?.get(call.slice(4), behalf);
        expect(response?.success, `${call} as ${role}: ${response?.message}`).toBe(roles.includes(role));
      }
    }
    // A developer neither sees nor changes the tokens of others.
    const developer = clients['developer'];
    expect((await developer?.get('/api/token/', behalf))?.data.map((token: { id: number }) => token.id)).toEqual([tokens.get('developer')]);
    expect((await developer?.get('/api/token/search?keyword=owner', behalf))?.data).toEqual([]);
    const foreign = tokens.get('owner');
    for (const response of [
      await developer?.get(`/api/token/${foreign}`, behalf),
      await developer?.put('/api/token/', { id: foreign, name: 'taken' }, behalf),
      await developer?.delete(`/api/token/${foreign}`, behalf),
      await developer?.post(`/api/token/${foreign}/renew`, { old_key_seconds: 0, revision: 1 }, behalf),
      await developer?.put('/api/token/batch', { ids: [tokens.get('developer'), foreign], ref: ref('many'), group: '' }, behalf),
      await developer?.post('/api/token/batch', { ids: [foreign] }, behalf),
    ]) {
      expect(response).toMatchObject({ success: false, code: 'not_found' });
    }
    // Neither does anybody reach what is a person's own, or the site's.
    for (const call of ['/api/user/sessions', '/api/user/token', '/api/user/aff', '/api/user/?p=1', '/api/channel/', '/api/log/']) {
      const response = await owner.get(call, behalf);
      expect(response.success, call).toBe(false);
    }
    // A stranger receives the same response for an organisation as for none.
    const stranger = await scene.app.as(await scene.app.createUser());
    for (const organisation of [id, 999_999]) {
      const there = { headers: { 'openai-organization': `org-${organisation}` } };
      expect(await stranger.get('/api/token/', there)).toMatchObject({ code: 'organisation_unknown' });
      expect(await stranger.get(`${path}${organisation}`)).toMatchObject({ code: 'organisation_unknown' });
      expect(await stranger.get(`${path}${organisation}/members`)).toMatchObject({ code: 'organisation_unknown' });
    }
  });

  it('roles are given by those above, and one owner stays', async () => {
    await using scene = await createScene(engine);
    const { id, person, owner } = await organisationOf(scene);
    const administrator = await memberOf(scene, { id, owner }, 'administrator');
    const reader = await memberOf(scene, { id, owner }, 'reader');
    const edit = (client: TestClient, userId: number, body: object) => client.put(`${path}${id}/members/${userId}`, body);
    expect(await edit(reader.client, reader.person.id, { role: 'owner' })).toMatchObject({ code: 'organisation_right_missing' });
    expect(await edit(administrator.client, reader.person.id, { role: 'owner' })).toMatchObject({ code: 'organisation_right_missing' });
    expect(await edit(administrator.client, person.id, { role: 'reader' })).toMatchObject({ code: 'organisation_right_missing' });
    expect(await administrator.client.post(`${path}${id}/invites`, { emails: [], role: 'owner' })).toMatchObject({
      code: 'organisation_right_missing',
    });
    expect(await edit(administrator.client, reader.person.id, { role: 'billing' })).toMatchObject({ data: { role: 'billing' } });
    expect(await edit(owner, person.id, { role: 'reader' })).toMatchObject({ code: 'organisation_last_owner' });
    expect(await owner.delete(`${path}${id}/members/${person.id}`)).toMatchObject({ code: 'organisation_last_owner' });
    // Of two owners who leave at the same time, one stays.
    await edit(owner, administrator.person.id, { role: 'owner' });
    const left = await Promise.all([
      owner.delete(`${path}${id}/members/${person.id}`),
      administrator.client.delete(`${path}${id}/members/${administrator.person.id}`),
    ]);
    expect(left.filter(({ success }) => success)).toHaveLength(1);
  });

  it('a suspended member is out at once, and a removed one leaves the keys to others', async () => {
    await using scene = await createScene(engine);
    const { id, person, owner, behalf } = await organisationOf(scene);
    await owner.post(`${path}${id}/fund`, { amount: 4_000_000, ref: ref('one') });
    const { client, person: leaver } = await memberOf(scene, { id, owner }, 'developer');
    const [token] = (await client.post('/api/token/', { name: 'app', unlimited_quota: true }, behalf)).data;
    const status = async () => (await scene.chat({}, { authorization: `Bearer sk-${token.key}` })).status;
    expect(await status()).toBe(200);
    await owner.put(`${path}${id}/members/${leaver.id}`, { is_suspended: true });
    await until(async () => (await status()) === 401);
    expect(await client.get('/api/token/', behalf)).toMatchObject({ code: 'organisation_unknown' });
    await owner.put(`${path}${id}/members/${leaver.id}`, { is_suspended: false });
    await until(async () => (await status()) === 200);
    expect(await owner.delete(`${path}${id}/members/${leaver.id}?hand_over_to=${person.id}`)).toMatchObject({ success: true });
    await until(async () => (await status()) === 200);
    expect(await client.get('/api/token/', behalf)).toMatchObject({ code: 'organisation_unknown' });
    const [now] = (await owner.get('/api/token/', behalf)).data;
    expect(now).toMatchObject({ name: 'app', member_id: person.id, key: token.key });
    expect(now.id).not.toBe(token.id);
    // Former calls stay the leaver's.
    const parts = (await owner.get(`${path}${id}/usage?by=member`)).data;
    expect(parts.find((part: { id: string }) => part.id === String(leaver.id))).toMatchObject({ name: leaver.username });
    // Without an heir it becomes a service account's.
    const second = await memberOf(scene, { id, owner }, 'developer');
    await second.client.post('/api/token/', { name: 'bot' }, behalf);
    await second.client.delete(`${path}${id}/members/${second.person.id}`);
    expect((await owner.get('/api/token/search?keyword=bot', behalf)).data).toMatchObject([{ member_id: 0 }]);
  });

  it('the keys of a member who is removed or leaves are disabled on request, and work again when a manager enables them', async () => {
    await using scene = await createScene(engine);
    const { id, person, owner, behalf } = await organisationOf(scene);
    await owner.post(`${path}${id}/fund`, { amount: 4_000_000, ref: ref('one') });
    const status = async (key: string) => (await scene.chat({}, { authorization: `Bearer sk-${key}` })).status;
    for (const [by, heir] of [
      ['owner', 0],
      ['owner', person.id],
      ['leaver', 0],
    ] as const) {
      const { client, person: leaver } = await memberOf(scene, { id, owner }, 'developer');
      const [{ key }] = (await client.post('/api/token/', { name: 'app', unlimited_quota: true }, behalf)).data;
      await until(async () => (await status(key)) === 200);
      const remove = (keys: string) =>
        (by === 'owner' ? owner : client).delete(`${path}${id}/members/${leaver.id}?hand_over_to=${heir}&keys=${keys}`);
      expect(await remove('renew')).toMatchObject({ code: 'invalid_field' });
      expect(await status(key)).toBe(200);
      expect(await remove('disable')).toMatchObject({ success: true });
      await until(async () => (await status(key)) === 401);
      const now = (await owner.get('/api/token/', behalf)).data.find((token: { key: string }) => token.key === key);
      expect(now).toMatchObject({ member_id: heir, status: 2 });
      expect(await owner.put('/api/token/?status_only=1', { id: now.id, status: 1 }, behalf)).toMatchObject({ success: true });
      await until(async () => (await status(key)) === 200);
    }
  });

  it('policies of organisation and team only narrow what a token may', async () => {
    await using scene = await createScene(engine, { channels: [{ models: `${testModel},gpt-4o` }] });
    const { id, owner, behalf } = await organisationOf(scene);
    await owner.post(`${path}${id}/fund`, { amount: 4_000_000, ref: ref('one') });
    const team = (await owner.post(`${path}${id}/teams`, { name: 'Search', policy: { models: ['gpt-4o'] } })).data;
    const [token] = (await owner.post('/api/token/', { name: 'svc', unlimited_quota: true, is_service: true, team_id: team.id }, behalf))
      .data;
    expect(token).toMatchObject({ member_id: 0, team_id: team.id });
    const call = async (model: string) => (await scene.chat({ model }, { authorization: `Bearer sk-${token.key}` })).status;
    expect([await call('gpt-4o'), await call(testModel)]).toEqual([200, 403]);
    const models = await fetch(`${scene.app.origin}/v1/models`, { headers: { authorization: `Bearer sk-${token.key}` } });
    expect((await models.json()).data.map((model: { id: string }) => model.id)).toEqual(['gpt-4o']);
    await owner.put(`${path}${id}`, { policy: { models: [testModel] } });
    await until(async () => (await call('gpt-4o')) === 403);
    expect(await call(testModel)).toBe(403);
    await owner.put(`${path}${id}/teams/${team.id}`, { policy: {} });
    await until(async () => (await call(testModel)) === 200);
    expect(await call('gpt-4o')).toBe(403);
    await owner.put(`${path}${id}`, { policy: { addresses: ['10.9.8.7'] } });
    await until(async () => (await call(testModel)) === 403);
    expect(await owner.put(`${path}${id}`, { policy: { addresses: ['nowhere'] } })).toMatchObject({ code: 'invalid_field' });
    await owner.put(`${path}${id}`, { policy: { groups: ['vip'] } });
    await until(async () => (await call(testModel)) === 403);
    await owner.put(`${path}${id}`, { policy: {} });
    await until(async () => (await call(testModel)) === 200);
    // The end of a team ends no token.
    await owner.delete(`${path}${id}/teams/${team.id}`);
    expect(await call(testModel)).toBe(200);
  });

  it('nothing is left in a team that is removed, nor put into it meanwhile', async () => {
    await using scene = await createScene(engine);
    const { context } = scene.app;
    const { id, owner, behalf } = await organisationOf(scene);
    const { person } = await memberOf(scene, { id, owner }, 'developer');
    const team = (await owner.post(`${path}${id}/teams`, { name: 'Search' })).data.id as number;
    const invitation = { emails: [], role: 'developer', team_id: team };
    const service = { name: 'worker', unlimited_quota: true, is_service: true, team_id: team };
    expect(await owner.post(`${path}${id}/invites`, invitation)).toMatchObject({ success: true });
    expect(await owner.post('/api/token/', service, behalf)).toMatchObject({ success: true });
    const moves: Promise<{ code?: string }>[] = [];
    // Between the last step that empties the team and its removal.
    const db = instead(context.db, {
      collection: (name: 'teams') => {
        const collection = context.db.collection(name);
        if (name !== 'teams') return collection;
        return instead(collection, {
          remove: async (filter: Parameters<typeof collection.remove>[0]) => {
            moves.push(
              owner.put(`${path}${id}/members/${person.id}`, { team_id: team }),
              owner.post('/api/token/', service, behalf),
              owner.post(`${path}${id}/invites`, invitation),
            );
            // Those that do not wait for the removal are done by then.
            await Promise.race([Promise.all(moves), wait(300)]);
            return collection.remove(filter);
          },
        });
      },
    });
    await removeTeam({ ...context, db }, { id: team, organisation_id: id });
    expect((await Promise.all(moves)).map(({ code }) => code)).toEqual(['team_unknown', 'team_unknown', 'team_unknown']);
    for (const name of ['organisation_members', 'organisation_invites', 'tokens'] as const)
      expect(await context.db.collection(name).count({ team_id: team }, 10), name).toBe(0);
    expect((await owner.get('/api/token/', behalf)).data).toHaveLength(1);
    expect((await owner.get(`${path}${id}/invites`)).data).toMatchObject([{ team_id: 0 }]);
  });

  it('invitations work once, and end', async () => {
    await using scene = await createScene(engine);
    const { id, owner } = await organisationOf(scene);
    const { link, invites } = (await owner.post(`${path}${id}/invites`, { emails: [], role: 'reader' })).data;
    const token = link.split('#')[1];
    const people = await Promise.all([1, 2, 3].map(async () => scene.app.as(await scene.app.createUser())));
    expect((await people[0]?.post(`${path}invite/open`, { token }))?.data).toMatchObject({ organisation: 'Harbour Labs', role: 'reader' });
    const joined = await Promise.all(people.map((client) => client.post(`${path}invite/accept`, { token })));
    expect(joined.filter(({ success }) => success)).toHaveLength(1);
    expect((await owner.get(`${path}${id}/members`)).data.total).toBe(2);
    expect(await owner.delete(`${path}${id}/invites/${invites[0].id}`)).toMatchObject({ success: false });
    const second = (await owner.post(`${path}${id}/invites`, { emails: [], role: 'reader' })).data;
    expect((await owner.get(`${path}${id}/invites`)).data).toHaveLength(1);
    expect(JSON.stringify((await owner.get(`${path}${id}/invites`)).data)).not.toContain(second.link.split('#')[1]);
    // One that a full organisation cannot take stays valid.
    const { context } = scene.app;
    const full = instead(context.db, {
      collection: (name: 'organisation_members') => {
        const collection = context.db.collection(name);
        return name === 'organisation_members' ? instead(collection, { count: async () => mostMembers }) : collection;
      },
    });
    const [found] = await context.db.collection('organisation_invites').find({ organisation_id: id });
    if (found === undefined) throw new Error('There is no invitation');
    const late = await scene.app.createUser();
    await expect(acceptInvite({ ...context, db: full }, late, found)).rejects.toMatchObject({ code: 'organisation_members_limit' });
    expect((await owner.get(`${path}${id}/invites`)).data).toMatchObject([{ id: found.id, role: 'reader' }]);
    scene.app.clock.advance(15 * 86_400_000);
    expect(await people[0]?.post(`${path}invite/accept`, { token: second.link.split('#')[1] })).toMatchObject({
      code: 'organisation_invite_invalid',
    });
  });

  it('a team is invited by one list and gets its budget with the invitation, or together later', async () => {
    await using scene = await createScene(engine);
    const { id, person, owner } = await organisationOf(scene);
    const budgets = [{ id: 'month', amount: 10_000_000, period: 'month', starts: 'calendar', at_end: 'stop' }];
    const emails = Array.from({ length: 20 }, (_, index) => `person-${index}@example.com`);
    const invited = await owner.post(`${path}${id}/invites`, { emails, delivery: 'link', role: 'developer', budgets });
    expect(invited.data.links.map(({ email }: { email: string }) => email)).toEqual(emails);
    expect(invited.data.invites[0]).toMatchObject({ role: 'developer', budgets, mail: 'none' });
    const ids: number[] = [];
    for (const { link } of invited.data.links.slice(0, 3)) {
      const client = await scene.app.as(await scene.app.createUser());
      expect(await client.post(`${path}invite/accept`, { token: link.split('#')[1] })).toMatchObject({ success: true });
      ids.push(client.userId ?? 0);
    }
    const read = async () => (await owner.get(`${path}${id}/members`)).data.items.filter((one: { role: string }) => one.role !== 'owner');
    expect(await read()).toMatchObject(ids.map((user_id) => ({ user_id, budgets })));
    const more = [{ ...budgets[0], amount: 20_000_000 }];
    expect(await owner.put(`${path}${id}/members`, { user_ids: ids, budgets: more })).toMatchObject({ success: true });
    expect((await read()).map((one: { budgets: unknown }) => one.budgets)).toEqual(ids.map(() => more));
    // Refused for one, made for none.
    for (const [change, code] of [
      [{ user_ids: [...ids, 999_999], role: 'reader' }, 'member_unknown'],
      [{ user_ids: [...ids, person.id], role: 'reader' }, 'organisation_last_owner'],
      [{ user_ids: ids, role: 'reader', team_id: 999_999 }, 'team_unknown'],
    ] as const) {
      expect(await owner.put(`${path}${id}/members`, change)).toMatchObject({ success: false, code });
    }
    expect((await read()).map((one: { role: string }) => one.role)).toEqual(ids.map(() => 'developer'));
  });

  it('administrators of the site see all, and nobody signs in to an organisation', async () => {
    await using scene = await createScene(engine);
    const { id, owner } = await organisationOf(scene);
    const admin = await scene.app.as(await scene.app.createUser({ role: 10 }));
    expect((await admin.get(`${path}all`)).data.items).toMatchObject([{ id, name: 'Harbour Labs', members: 1 }]);
    expect(await owner.get(`${path}all`)).toMatchObject({ success: false });
    expect(await owner.put(`${path}${id}/manage`, { group: 'default' })).toMatchObject({ success: false });
    expect(await admin.put(`${path}${id}/manage`, { domains: ['example.com'], domain_role: 'reader' })).toMatchObject({
      data: { domains: ['example.com'] },
    });
    const users: { id: number }[] = (await admin.get('/api/user/?p=1&page_size=100')).data.items;
    expect(users.map((user) => user.id)).not.toContain(id);
    expect(await scene.app.anonymous().post('/api/user/login', { username: `org:${id}`, password: '' })).toMatchObject({ success: false });
    expect(await scene.app.anonymous().post('/api/user/login', { username: `org:${id}`, password: 'correct horse' })).toMatchObject({
      success: false,
    });
    await setOption(scene.app, 'OrganisationFounders', 'admins');
    expect(await owner.post(path, { name: 'Second', ref: ref('second') })).toMatchObject({ code: 'organisation_creation_denied' });
    // The same foundation again is no second one.
    await setOption(scene.app, 'OrganisationFounders', 'users');
    expect((await owner.post(path, { name: 'Harbour Labs', ref: ref('found') })).data.id).toBe(id);
  });
});
