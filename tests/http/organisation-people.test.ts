// What happens to organisations when accounts of people end, are banned, or keys are moved by administrators.
import { describe, expect, it } from 'vitest';
import { completeEnds } from '#server/features/organisations/found-organisation.ts';
import { returnEndedBalances } from '#server/features/organisations/return-balances.ts';
import { finishOrganisationTransfers } from '#server/features/organisations/transfer-quota.ts';
import { audit } from '#server/money/audit.ts';
import { addMember } from '#server/accounts/members.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createMailDesk } from '#tests/support/mail-desk.ts';
import { createScene, type RelayScene, testModel } from '#tests/support/relay-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const path = '/api/organisation/';

async function buildOrganisation(scene: RelayScene) {
  const person = await scene.app.createUser({ quota: 10_000_000 });
  const owner = await scene.app.as(person);
  const { id } = (await owner.post(path, { name: 'Harbour Labs', ref: 'reference-found' })).data as { id: number };
  await owner.post(`${path}${id}/fund`, { amount: 4_000_000, ref: 'reference-fund' });
  const behalf = { headers: { 'openai-organization': `org-${id}` } };
  const join = async (role: 'owner' | 'developer'): Promise<TestClient> => {
    const user = await scene.app.createUser();
    await addMember(scene.app.context, id, { user_id: user.id, role, team_id: 0, source: 'invite', invited_by: person.id });
    return scene.app.as(user);
  };
  const newKey = async (client: TestClient): Promise<string> =>
    (await client.post('/api/token/', { name: 'app', unlimited_quota: true }, behalf)).data[0].key;
  return { id, person, owner, behalf, join, newKey };
}

describe.each(engines)('people of organisations on $kind', { concurrent: true }, (engine) => {
  it('a deleted person leaves all organisations and the keys to service accounts; a last owner stays', async () => {
    await using scene = await createScene(engine);
    const { owner, person, behalf, join, newKey } = await buildOrganisation(scene);
    const admin = await scene.app.as(await scene.app.createUser({ role: 100 }));
    const status = async (key: string) => (await scene.chat({}, { authorization: `Bearer sk-${key}` })).status;
    const developer = await join('developer');
    const key = await newKey(developer);
    expect(await status(key)).toBe(200);
    expect(await developer.delete('/api/user/self')).toMatchObject({ success: true });
    await until(async () => (await status(key)) === 200);
    expect((await owner.get('/api/token/', behalf)).data).toMatchObject([{ member_id: 0, key }]);
    expect(await owner.delete('/api/user/self')).toMatchObject({ code: 'organisation_last_owner' });
    expect(await admin.delete(`/api/user/${person.id}`)).toMatchObject({ code: 'organisation_last_owner' });
    expect((await owner.get('/api/token/', behalf)).data).toHaveLength(1);
    // Of two owners who delete their accounts at the same time, one stays.
    const second = await join('owner');
    const deleted = await Promise.all([owner.delete('/api/user/self'), second.delete('/api/user/self')]);
    expect(deleted.filter(({ success }) => success)).toHaveLength(1);
    const members = scene.app.context.db.collection('organisation_members');
    expect(await members.count({ user_id: { in: [person.id, developer.userId ?? 0] }, role: 'developer' }, 10)).toBe(0);
  });

  it('keys of a banned person stop in organisations, too, until they are handed over', async () => {
    await using scene = await createScene(engine);
    const { id, owner, person, join, newKey } = await buildOrganisation(scene);
    const developer = await join('developer');
    const key = await newKey(developer);
    const status = async () => (await scene.chat({}, { authorization: `Bearer sk-${key}` })).status;
    expect(await status()).toBe(200);
    const admin = await scene.app.as(await scene.app.createUser({ role: 100 }));
    expect(await admin.post('/api/user/manage', { id: developer.userId, action: 'disable' })).toMatchObject({ success: true });
    await until(async () => (await status()) === 401);
    expect(await owner.delete(`${path}${id}/members/${developer.userId}?hand_over_to=${person.id}`)).toMatchObject({ success: true });
    await until(async () => (await status()) === 200);
  });

  it('keys of an organisation whose only active owner is banned stop everywhere until it has one', async () => {
    await using scene = await createScene(engine);
    await using other = await createTestApp(engine, { database: scene.app.database, clock: scene.app.clock });
    const { id, owner, person, behalf, join, newKey } = await buildOrganisation(scene);
    const admin = await scene.app.as(await scene.app.createUser({ role: 100 }));
    const [second, developer] = [await join('owner'), await join('developer')];
    const service = (await owner.post('/api/token/', { name: 'service', unlimited_quota: true, is_service: true }, behalf)).data[0].key;
    const keys = [service, await newKey(developer)];
    const answers = async () => {
      const found: string[] = [];
      for (const key of keys) {
        const body = JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'Hi' }] });
        const headers = { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' };
        const response = await fetch(`${other.origin}/v1/chat/completions`, { method: 'POST', headers, body });
        found.push(response.status === 200 ? 'ok' : ((await response.json()) as { error: { code: string } }).error.code);
      }
      return found.join(' ');
    };
    const turn = (userId: number | null, action: 'disable' | 'enable') => admin.post('/api/user/manage', { id: userId, action });
    const isListed = async () => {
      const { items } = (await admin.get(`${path}all`)).data;
      return items.find((one: { id: number }) => one.id === id).is_ownerless === true;
    };
    expect(await answers()).toBe('ok ok');
    // One of two owners: nothing stops. The other cannot leave it without an active one.
    await turn(person.id, 'disable');
    expect(await second.delete(`${path}${id}/members/${second.userId}`)).toMatchObject({ code: 'organisation_last_owner' });
    expect(await second.delete('/api/user/self')).toMatchObject({ code: 'organisation_last_owner' });
    expect([await answers(), await isListed()]).toEqual(['ok ok', false]);
    await turn(second.userId, 'disable');
    const stopped = 'organisation_ownerless organisation_ownerless';
    await until(async () => (await answers()) === stopped);
    expect(await isListed()).toBe(true);
    await turn(second.userId, 'enable');
    await until(async () => (await answers()) === 'ok ok');
    await turn(second.userId, 'disable');
    await until(async () => (await answers()) === stopped);
    // A successor.
    expect(await admin.put(`${path}${id}/manage`, { owner_id: developer.userId })).toMatchObject({ success: true });
    await until(async () => (await answers()) === 'ok ok');
    expect(await isListed()).toBe(false);
  });

  it('what an organisation is credited after its end goes to the owner who ended it', async () => {
    await using scene = await createScene(engine);
    const { id, owner, person } = await buildOrganisation(scene);
    const { context } = scene.app;
    expect(await owner.post(`${path}${id}/fund`, { amount: 4_000_000, direction: 'out', ref: 'reference-back' })).toMatchObject({
      success: true,
    });
    expect(await owner.delete(`${path}${id}`)).toMatchObject({ success: true });
    // As the refund of a batch that failed since.
    const refund = (ref: string) =>
      context.ledger.change({ account: 'user', id, amount: 1_500, kind: 'task_refund', ref: `batch:${ref}:refund:user`, actorId: 0 });
    await refund('one');
    // A process that has returned its lease has one of nothing as long as it lives.
    await context.db.collection('users').patch({ id }, { set: { [`leases.${context.ledger.processId}`]: 0 } });
    await Promise.all([returnEndedBalances(context), returnEndedBalances(context)]);
    expect((await owner.get('/api/user/self')).data.quota).toBe(10_001_500);
    expect((await context.db.collection('users').get(id))?.quota).toBe(0);
    const entries = await context.db
      .collection('ledger')
      .find({ account_id: id, kind: 'organisation_transfer' }, { sort: [['id', -1]], limit: 1 });
    expect(entries).toMatchObject([{ amount: -1_500 }]);
    // Nothing else is moved, and nothing to an account that has ended.
    expect(await returnEndedBalances(context)).toBe(0);
    await context.ledger.change({ account: 'user', id: person.id, amount: -10_001_500, kind: 'edit', ref: 'edit:test', actorId: 0 });
    expect(await owner.delete('/api/user/self')).toMatchObject({ success: true });
    await refund('two');
    expect(await returnEndedBalances(context)).toBe(0);
    expect((await context.db.collection('users').get(id))?.quota).toBe(1_500);
    await context.ledger.idle(5000);
    expect((await audit(context.db)).findings).toEqual([]);
  });

  it('an end that was cut short is completed, and one that was refused is not', async () => {
    await using scene = await createScene(engine);
    const { id, owner, person } = await buildOrganisation(scene);
    const { context } = scene.app;
    const { db } = context;
    expect(await owner.delete(`${path}${id}`)).toMatchObject({ success: false, code: 'organisation_has_balance' });
    expect(await completeEnds(context)).toBe(0);
    expect(await owner.get(`${path}${id}`)).toMatchObject({ success: true });
    // Its process has died behind the end of the account.
    const deleted = { DeletedAt: new Date(context.now()).toISOString() };
    await db.collection('users').patch({ id }, { set: deleted });
    expect(await Promise.all([completeEnds(context), completeEnds(context)])).toEqual(expect.arrayContaining([0, 1]));
    expect((await db.collection('organisations').get(id))?.DeletedAt).not.toBeNull();
    expect(await db.collection('organisation_members').count({ organisation_id: id, user_id: person.id })).toBe(0);
    expect(await completeEnds(context)).toBe(0);
  });

  it('every process follows changes of members, teams, policies and bans within a moment', async () => {
    await using scene = await createScene(engine);
    await using other = await createTestApp(engine, { database: scene.app.database, clock: scene.app.clock });
    const { id, owner, join, newKey } = await buildOrganisation(scene);
    const admin = await scene.app.as(await scene.app.createUser({ role: 100 }));
    const developer = await join('developer');
    const key = await newKey(developer);
    const team = (await owner.post(`${path}${id}/teams`, { name: 'Search' })).data.id;
    const member = `${path}${id}/members/${developer.userId}`;
    // The changes are made at the first process, the calls at the second.
    const status = async () => {
      const body = JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'Hi' }] });
      const headers = { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' };
      return (await fetch(`${other.origin}/v1/chat/completions`, { method: 'POST', headers, body })).status;
    };
    const follows = (expected: number) => until(async () => (await status()) === expected);
    await follows(200);
    const none = { models: ['another-model'] };
    for (const [change, back, refused] of [
      [() => owner.put(member, { is_suspended: true }), () => owner.put(member, { is_suspended: false }), 401],
      [() => owner.put(`${path}${id}`, { policy: none }), () => owner.put(`${path}${id}`, { policy: {} }), 403],
      [
        () => owner.put(`${path}${id}/teams/${team}`, { policy: none }).then(() => owner.put(member, { team_id: team })),
        () => owner.put(`${path}${id}/teams/${team}`, { policy: {} }),
        403,
      ],
      [
        () => admin.post('/api/user/manage', { id: developer.userId, action: 'disable' }),
        () => admin.post('/api/user/manage', { id: developer.userId, action: 'enable' }),
        401,
      ],
      [() => admin.put(`${path}${id}/manage`, { status: 2 }), () => admin.put(`${path}${id}/manage`, { status: 1 }), 403],
    ] as const) {
      expect(await change()).toMatchObject({ success: true });
      await follows(refused);
      expect(await back()).toMatchObject({ success: true });
      await follows(200);
    }
  });

  it('a key that an administrator moves into an organisation is one of a service account, and back one of the person', async () => {
    await using scene = await createScene(engine);
    const { id, owner, person, behalf } = await buildOrganisation(scene);
    const admin = await scene.app.as(await scene.app.createUser({ role: 100 }));
    const [token] = (await owner.post('/api/token/', { name: 'mine', unlimited_quota: true })).data;
    const move = (tokenId: number, userId: number) => admin.post(`/api/user_token/${tokenId}/move`, { user_id: userId });
    expect(await move(token.id, id)).toMatchObject({ success: true });
    const [moved] = (await owner.get('/api/token/', behalf)).data;
    expect(moved).toMatchObject({ member_id: 0, key: token.key });
    const charged = async (userId: number) => {
      await until(async () => (await scene.chat({}, { authorization: `Bearer sk-${token.key}` })).status === 200);
      const row = await scene.app.context.db.collection('logs').first({ user_id: userId, type: 2 });
      expect(row?.quota).toBeGreaterThan(0);
    };
    await charged(id);
    expect(await move(moved.id, person.id)).toMatchObject({ success: true });
    const [back] = (await owner.get('/api/token/')).data;
    expect(back.member_id).toBeUndefined();
    await charged(person.id);
  });

  it('nobody joins an organisation that has ended, or with an account that has', async () => {
    await using scene = await createScene(engine);
    const { id, owner, person } = await buildOrganisation(scene);
    const user = await scene.app.createUser();
    const { context } = scene.app;
    const joining = { role: 'reader', team_id: 0, source: 'invite', invited_by: person.id } as const;
    const client = await scene.app.as(user);
    await client.delete('/api/user/self');
    await expect(addMember(context, id, { user_id: user.id, ...joining })).rejects.toMatchObject({ code: 'user_not_found' });
    await expect(addMember(context, id, { user_id: id, ...joining })).rejects.toMatchObject({ code: 'user_not_found' });
    const quota = (await owner.get(`${path}${id}`)).data.quota;
    await owner.post(`${path}${id}/fund`, { amount: quota, direction: 'out', ref: 'reference-back' });
    expect(await owner.delete(`${path}${id}`)).toMatchObject({ success: true });
    const other = await scene.app.createUser();
    await expect(addMember(context, id, { user_id: other.id, ...joining })).rejects.toMatchObject({ code: 'organisation_unknown' });
  });

  it('what a member could do ends with the membership: a founding sent again, an invitation, a stopped key', async () => {
    await using scene = await createScene(engine);
    const { id, owner, person, behalf, join, newKey } = await buildOrganisation(scene);
    const successor = await join('owner');
    const invited = async (client: TestClient, role: string): Promise<string> =>
      (await client.post(`${path}${id}/invites`, { emails: [], role })).data.link.split('#')[1];
    const [first, second] = [await invited(owner, 'owner'), await invited(owner, 'reader')];
    const accept = (client: TestClient, token: string) => client.post(`${path}invite/accept`, { token });
    // An owner's link ends with the owner's right to give the role.
    await successor.put(`${path}${id}/members/${person.id}`, { role: 'administrator' });
    const stranger = await scene.app.as(await scene.app.createUser());
    expect(await accept(stranger, first)).toMatchObject({ code: 'organisation_invite_invalid' });
    expect(await stranger.post(`${path}invite/open`, { token: second })).toMatchObject({ success: true });
    expect(await successor.delete(`${path}${id}/members/${person.id}`)).toMatchObject({ success: true });
    expect(await accept(owner, second)).toMatchObject({ code: 'organisation_invite_invalid' });
    expect((await successor.get(`${path}${id}/invites`)).data).toEqual([]);
    expect(await owner.post(path, { name: 'Harbour Labs', ref: 'reference-found' })).toMatchObject({ code: 'organisation_unknown' });
    expect(await owner.get(`${path}${id}`)).toMatchObject({ code: 'organisation_unknown' });
    // A key that a suspension has stopped is not revived by the end of the account.
    const developer = await join('developer');
    const key = await newKey(developer);
    await successor.put(`${path}${id}/members/${developer.userId}`, { is_suspended: true });
    expect(await developer.delete('/api/user/self')).toMatchObject({ success: true });
    expect((await successor.get('/api/token/', behalf)).data).toMatchObject([{ key, member_id: 0, status: 2 }]);
    expect((await scene.chat({}, { authorization: `Bearer sk-${key}` })).status).toBe(401);
  });

  it('a token that an administrator of the organisation deleted is restored by that administrator only', async () => {
    await using scene = await createScene(engine);
    const { owner, behalf, join } = await buildOrganisation(scene);
    const developer = await join('developer');
    const [token] = (await developer.post('/api/token/', { name: 'app' }, behalf)).data;
    const restore = async (client: TestClient) => (await client.post('/api/token/restore', { ids: [token.id] }, behalf)).data;
    expect(await developer.delete(`/api/token/${token.id}`, behalf)).toMatchObject({ success: true });
    expect(await restore(developer)).toBe(1);
    expect(await owner.delete(`/api/token/${token.id}`, behalf)).toMatchObject({ success: true });
    expect(await restore(developer)).toBe(0);
    expect(await restore(owner)).toBe(1);
    expect(await developer.delete(`/api/token/${token.id}`, behalf)).toMatchObject({ success: true });
    expect(await restore(developer)).toBe(1);
  });

  it('a transfer to an organisation that has ended goes back, and a reference is of one transfer', async () => {
    await using scene = await createScene(engine);
    const { id, owner, person } = await buildOrganisation(scene);
    const fund = (body: object) => owner.post(`${path}${id}/fund`, body);
    const { context } = scene.app;
    expect(await fund({ amount: 5, ref: 'reference-fund' })).toMatchObject({ code: 'invalid_field' });
    expect(await fund({ amount: 4_000_000, direction: 'out', ref: 'reference-back' })).toMatchObject({ success: true });
    const second = (await owner.post(path, { name: 'Second', ref: 'reference-second' })).data.id;
    await owner.post(`${path}${second}/fund`, { amount: 4_000_000, ref: 'reference-fund' });
    // To the same person from another organisation.
    expect(await owner.post(`${path}${second}/fund`, { amount: 4_000_000, direction: 'out', ref: 'reference-back' })).toMatchObject({
      code: 'invalid_field',
    });
    expect(await owner.delete(`${path}${id}`)).toMatchObject({ success: true });
    await context.db.collection('organisation_transfers').insert({
      id: 'cut',
      from_id: person.id,
      to_id: id,
      amount: 1_000_000,
      actor_id: person.id,
      created_at: context.now(),
      due_at: context.now() - 60_000,
    });
    await Promise.all([finishOrganisationTransfers(context), finishOrganisationTransfers(context)]);
    expect((await owner.get('/api/user/self')).data.quota).toBe(6_000_000);
    expect(await context.db.collection('organisation_transfers').count({ due_at: { exists: true } }, 10)).toBe(0);
    expect((await context.db.collection('users').get(id))?.quota).toBe(0);
    await context.ledger.idle(5000);
    expect((await audit(context.db)).findings).toEqual([]);
  });

  it('administrators of the site give an organisation neither a password, a role nor an end', async () => {
    await using scene = await createScene(engine);
    const { id, owner } = await buildOrganisation(scene);
    const root = await scene.app.as(await scene.app.createUser({ role: 100 }));
    expect(await root.put('/api/user/', { id, password: 'correct horse battery' })).toMatchObject({ code: 'invalid_input' });
    expect(await root.put('/api/user/', { id, username: 'harbour' })).toMatchObject({ code: 'invalid_input' });
    for (const action of ['promote', 'delete']) {
      expect(await root.post('/api/user/manage', { id, action })).toMatchObject({ code: 'user_edit_denied' });
    }
    expect(await root.delete(`/api/user/${id}`)).toMatchObject({ code: 'user_edit_denied' });
    expect(await owner.get(`${path}${id}`)).toMatchObject({ data: { status: 1, quota: 4_000_000 } });
    // Disabled, it can be looked at, and nothing leaves it or comes in.
    expect(await root.put(`${path}${id}/manage`, { status: 2 })).toMatchObject({ data: { status: 2 } });
    for (const direction of ['in', 'out']) {
      expect(await owner.post(`${path}${id}/fund`, { amount: 5, direction, ref: `reference-${direction}` })).toMatchObject({
        code: 'organisation_disabled',
      });
    }
    expect(await owner.put(`${path}${id}`, { name: 'Other' })).toMatchObject({ code: 'organisation_disabled' });
    expect(await owner.get(`${path}${id}/members`)).toMatchObject({ success: true });
    expect(await owner.get(`${path}${id}`)).toMatchObject({ data: { status: 2, quota: 4_000_000 } });
  });

  it('what records of tokens and teams list is short, so that lists of them are', async () => {
    await using scene = await createScene(engine);
    const { id, owner } = await buildOrganisation(scene);
    const models = Array.from({ length: 50 }, (_, index) => `m${index}-`.padEnd(200, 'x'));
    const rates = (count: number) =>
      Array.from({ length: count }, (_, amount) => ({ meter: 'parallel', amount: amount + 1, models: models.slice(amount) }));
    const budgets = ['a', 'b', 'c'].map((name) => ({ id: name, amount: 1, period: 'day', starts: 'calendar', at_end: 'stop', models }));
    expect(await owner.post('/api/token/', { name: 'app', rate_limits: rates(1) })).toMatchObject({ success: true });
    for (const limits of [{ rate_limits: rates(3) }, { budgets }]) {
      expect(await owner.post('/api/token/', { name: 'app', ...limits })).toMatchObject({ code: 'invalid_field' });
    }
    const policy = { models: [...models, ...models], groups: ['default'] };
    expect(await owner.post(`${path}${id}/teams`, { name: 'Search', policy })).toMatchObject({ code: 'invalid_field' });
    expect(await owner.put(`${path}${id}`, { policy: { models } })).toMatchObject({ success: true });
  });

  it('one address gets five mails with invitations a day, from whatever organisation and under whatever spelling', async () => {
    await using desk = await createMailDesk(engine, { tls: 'none' });
    await desk.root.put('/api/option/', { key: 'ServerAddress', value: 'https://ai.example.com' });
    const states: string[] = [];
    for (const founder of ['one', 'two']) {
      const { id } = (await desk.root.post(path, { name: 'Harbour Labs', ref: `reference-${founder}` })).data as { id: number };
      for (const email of ['victim@example.com', 'Victim@example.com', 'victim+a@example.com']) {
        states.push((await desk.root.post(`${path}${id}/invites`, { emails: [email], role: 'reader' })).data.invites[0].mail);
      }
    }
    expect(states).toEqual(['sent', 'sent', 'sent', 'sent', 'sent', 'failed']);
    expect(desk.smtp.mails).toHaveLength(5);
  });

  it('an organisation that stores nothing leaves no responses, files or conversations, and can delete what it has', async () => {
    await using scene = await createScene(engine);
    const { id, owner, newKey } = await buildOrganisation(scene);
    const authorization = `Bearer sk-${await newKey(owner)}`;
    const send = async (method: string, to: string, body?: object) => {
      const headers = { authorization, 'content-type': 'application/json' };
      const response = await fetch(`${scene.app.origin}${to}`, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    };
    const respond = (more: object = {}) => send('POST', '/v1/responses', { model: testModel, input: 'Hello', ...more });
    const before = (await respond()).body.id;
    const conversation = (await send('POST', '/v1/conversations', {})).body.id;
    expect((await send('GET', `/v1/responses/${before}`)).status).toBe(200);
    await owner.put(`${path}${id}`, { policy: { stores_nothing: true } });
    await until(async () => (await send('POST', '/v1/conversations', {})).status === 403);
    const after = await respond({ store: true });
    expect(after.status).toBe(200);
    expect((await send('GET', `/v1/responses/${after.body.id}`)).status).toBe(404);
    for (const more of [{ previous_response_id: before }, { conversation }, { background: true }]) {
      expect((await respond(more)).status, JSON.stringify(more)).toBe(400);
    }
    for (const to of ['/v1/batches', '/v1/files', '/v1/vector_stores']) expect((await send('POST', to, {})).status, to).toBe(403);
    expect((await send('GET', `/v1/responses/${before}`)).status).toBe(200);
    expect((await send('DELETE', `/v1/conversations/${conversation}`)).status).toBe(200);
  });

  it('a key shows the wallet of the organisation to members who may read its usage only', async () => {
    await using scene = await createScene(engine, { settings: { DisplayTokenStatEnabled: 'false' } });
    const { owner, behalf, join, newKey } = await buildOrganisation(scene);
    const read = async (key: string, to: string) =>
      (await fetch(`${scene.app.origin}${to}`, { headers: { authorization: `Bearer sk-${key}` } })).json();
    const own = await newKey(owner);
    expect(await read(own, '/v1/usage')).toMatchObject({ account: { remaining: 8 } });
    expect((await read(own, '/v1/dashboard/billing/subscription')).hard_limit_usd).toBe(8);
    const service = (await owner.post('/api/token/', { name: 'ci', unlimited_quota: true, is_service: true }, behalf)).data[0].key;
    for (const key of [await newKey(await join('developer')), service]) {
      expect((await read(key, '/v1/usage')).account).toBeUndefined();
      expect((await read(key, '/v1/dashboard/billing/subscription')).hard_limit_usd).toBe(100_000_000);
    }
  });
});
