// What members of organisations and their clients try beyond their part, and with the largest amounts.
import { describe, expect, it } from 'vitest';
import { addMember } from '#server/accounts/members.ts';
import { finishOrganisationTransfers } from '#server/features/organisations/transfer-quota.ts';
import { audit } from '#server/money/audit.ts';
import { engines } from '#tests/support/engines.ts';
import { createScene, type RelayScene, setOption } from '#tests/support/relay-scene.ts';

const path = '/api/organisation/';

async function buildOrganisation(scene: RelayScene) {
  const person = await scene.app.createUser({ quota: 100_000_000 });
  const owner = await scene.app.as(person);
  const { id } = (await owner.post(path, { name: 'Harbour Labs', ref: 'reference-found' })).data as { id: number };
  await owner.post(`${path}${id}/fund`, { amount: 50_000_000, ref: 'reference-fund' });
  const behalf = { headers: { 'openai-organization': `org-${id}` } };
  const join = async (role: 'developer' | 'reader', quota = 0) => {
    const user = await scene.app.createUser({ quota });
    await addMember(scene.app.context, id, { user_id: user.id, role, team_id: 0, source: 'invite', invited_by: person.id });
    return scene.app.as(user);
  };
  return { id, owner, behalf, join };
}

describe.each(engines)('attacks on organisations on $kind', { concurrent: true }, (engine) => {
  it('a transfer beyond what an account can have goes back, also when it is requested again', async () => {
    await using scene = await createScene(engine);
    const { context, clock } = scene.app;
    const { id, owner, join } = await buildOrganisation(scene);
    const most = Number.MAX_SAFE_INTEGER;
    const rich = await join('developer', most);
    const fund = () => rich.post(`${path}${id}/fund`, { amount: most, ref: 'reference-huge' });
    const balances = async () => [
      (await rich.get('/api/user/self')).data.quota as number,
      (await owner.get(`${path}${id}`)).data.quota as number,
    ];
    expect(await fund()).toMatchObject({ code: 'balance_too_large', field: 'amount' });
    expect(await balances()).toEqual([most, 50_000_000]);
    expect(await fund()).toMatchObject({ code: 'balance_too_large' });
    clock.advance(60_000);
    await finishOrganisationTransfers(context);
    expect(await balances()).toEqual([most, 50_000_000]);
    expect(await context.db.collection('organisation_transfers').count({ due_at: { exists: true } }, 10)).toBe(0);
    expect((await audit(context.db)).findings).toEqual([]);
  });

  it('SCIM: names of one attribute in many spellings are no more writes than operations are accepted', async () => {
    await using scene = await createScene(engine);
    const { id, owner } = await buildOrganisation(scene);
    const { token } = (await owner.post(`${path}${id}/scim_token`)).data;
    const scim = (method: string, to: string, body: object) =>
      fetch(`${scene.app.origin}/scim/v2${to}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
        body: JSON.stringify(body),
      });
    const team: { id: string } = await (await scim('POST', '/Groups', { displayName: 'Search' })).json();
    // In each spelling, a letter is a capital where the number has a bit.
    const spelt = (at: number) => Array.from('externalid', (letter, place) => ((at >> place) & 1 ? letter.toUpperCase() : letter)).join('');
    const value = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [spelt(at), `v${at}`]));
    const operation = { op: 'replace', value };
    expect((await scim('PATCH', `/Groups/${team.id}`, { Operations: [operation, operation] })).status).toBe(413);
    expect((await scene.app.context.db.collection('teams').get(Number(team.id)))?.external_id).toBeUndefined();
    expect((await scim('PATCH', `/Groups/${team.id}`, { Operations: [{ op: 'replace', value: { externalId: 'e-1' } }] })).status).toBe(200);
  });

  it('a key shows its developer what is left of the own budgets, and not what the team and the organisation spend', async () => {
    await using scene = await createScene(engine);
    const { id, owner, behalf, join } = await buildOrganisation(scene);
    const limits = (name: string) => ({
      budgets: [{ id: name, amount: 1_000_000, period: 'month', starts: 'calendar', at_end: 'stop' }],
      rate_limits: [{ meter: 'tokens', per: 'day', amount: 1_000_000 }],
    });
    await owner.put(`${path}${id}`, limits('whole'));
    const team = (await owner.post(`${path}${id}/teams`, { name: 'Search', ...limits('team') })).data.id as number;
    const [developer, reader] = [await join('developer'), await join('reader')];
    await owner.put(`${path}${id}/members`, { user_ids: [developer.userId, reader.userId], team_id: team });
    const [own] = (await developer.post('/api/token/', { name: 'own', unlimited_quota: true }, behalf)).data;
    const [managed] = (await owner.post('/api/token/', { name: 'managed', unlimited_quota: true }, behalf)).data;
    const read = async (to: string, { key }: { key: string }) =>
      (await fetch(`${scene.app.origin}${to}`, { headers: { authorization: `Bearer sk-${key}` } })).json();
    const leftTo = async ({ key }: { key: string }) =>
      (await scene.chat({}, { authorization: `Bearer sk-${key}` })).headers.get('x-tidegate-budget-remaining');
    expect((await read('/v1/usage', managed)).budgets).toMatchObject([{ scope: 'user', name: 'whole' }]);
    expect(await leftTo(managed)).not.toBeNull();
    expect((await read('/v1/usage', own)).budgets).toEqual([]);
    expect((await read('/key/info', own)).info).toMatchObject({ spend: 0, max_budget: null });
    expect((await read('/v1/key', own)).data).toMatchObject({ usage: 0, limit: null });
    expect((await read('/v1/dashboard/billing/subscription', own)).hard_limit_usd).toBe(100_000_000);
    expect(await leftTo(own)).toBeNull();
    const scopes = async (client: typeof owner, call: string) =>
      (await client.get(`/api/${call}/?token_id=${own.id}`, behalf)).data.map(({ scope }: { scope: string }) => scope).toSorted();
    for (const call of ['budget', 'rate_limit']) {
      expect(await scopes(reader, call), call).toEqual(['team', 'user']);
      expect(await scopes(developer, call), call).toEqual([]);
    }
    await owner.put(`${path}${id}/members/${developer.userId}`, { ...limits('mine'), team_id: team });
    for (const call of ['budget', 'rate_limit']) expect(await scopes(developer, call), call).toEqual(['member']);
    expect((await read('/v1/usage', own)).budgets).toMatchObject([{ scope: 'member', name: 'mine' }]);
  });

  it('an administrator of the site has no say in the organisation of the super administrator, or of another administrator', async () => {
    await using scene = await createScene(engine);
    const root = await scene.app.setup();
    const [admin, peer] = [await scene.app.as(await scene.app.createUser({ role: 10 })), await scene.app.createUser({ role: 10 })];
    const found = async (client: typeof root) =>
      (await client.post(path, { name: 'Harbour Labs', ref: 'reference-found' })).data.id as number;
    for (const id of [await found(root), await found(await scene.app.as(peer))]) {
      for (const edit of [{ owner_id: admin.userId }, { status: 2 }, { domains: ['harbour.example'] }, { group: 'vip' }])
        expect(await admin.put(`${path}${id}/manage`, edit), JSON.stringify(edit)).toMatchObject({ code: 'user_edit_denied' });
      for (const edit of [{ quota: 0 }, { budgets: [] }, { group: 'vip' }])
        expect(await admin.put('/api/user/', { id, ...edit }), JSON.stringify(edit)).toMatchObject({ code: 'user_edit_denied' });
      expect(await admin.post('/api/user/manage', { id, action: 'disable' })).toMatchObject({ code: 'user_edit_denied' });
      expect(await root.put(`${path}${id}/manage`, { domain_role: 'reader' })).toMatchObject({ data: { domain_role: 'reader' } });
    }
    // A key that is moved there would spend its wallet.
    const { token } = await scene.addToken();
    const others = await found(await scene.app.as(peer));
    expect(await admin.post(`/api/user_token/${token.id}/move`, { user_id: others })).toMatchObject({ code: 'user_edit_denied' });
    // An own one is managed like those of users, but its balance is not edited, as the own balance is not.
    const own = await found(admin);
    expect(await admin.put(`${path}${own}/manage`, { domain_role: 'reader' })).toMatchObject({ success: true });
    expect(await admin.put('/api/user/', { id: own, quota: 5 })).toMatchObject({ code: 'user_edit_denied' });
    const users = await buildOrganisation(scene);
    expect(await admin.put('/api/user/', { id: users.id, quota: 5 })).toMatchObject({ success: true });
    expect(await admin.put(`${path}${users.id}/manage`, { owner_id: admin.userId })).toMatchObject({ success: true });
  });

  it('administrators of the site set no limits of an organisation, which its owner would lift; its group has some that hold', async () => {
    await using scene = await createScene(engine);
    const { id, owner, behalf } = await buildOrganisation(scene);
    const admin = await scene.app.as(await scene.app.createUser({ role: 10 }));
    const own = { budgets: [{ id: 'own', amount: 1_000_000, period: 'month', starts: 'calendar', at_end: 'stop' }] };
    await owner.put(`${path}${id}`, own);
    const rate = { meter: 'requests', per: 'day', amount: 1 };
    for (const edit of [{ budgets: [] }, { rate_limits: [rate] }])
      expect(await admin.put('/api/user/', { id, ...edit })).toMatchObject({ code: 'invalid_input', field: Object.keys(edit)[0] });
    // A record that is sent back whole changes nothing.
    expect(await admin.put('/api/user/', { id, ...own, rate_limits: [], quota: 7_000_000 })).toMatchObject({ success: true });
    await setOption(scene.app, 'SiteRateLimits', JSON.stringify([{ ...rate, groups: ['vip'], counted: 'user' }]));
    expect(await admin.put(`${path}${id}/manage`, { group: 'vip' })).toMatchObject({ success: true });
    await scene.addChannel({ group: 'vip' });
    const [{ key }] = (await owner.post('/api/token/', { name: 'own', unlimited_quota: true }, behalf)).data;
    const status = async () => (await scene.chat({}, { authorization: `Bearer sk-${key}` })).status;
    expect([await status(), await status()]).toEqual([200, 429]);
  });
});
