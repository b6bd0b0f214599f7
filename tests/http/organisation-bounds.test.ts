// What those who manage an organisation set on tokens of its members: it binds the members, who may narrow it.
import { describe, expect, it } from 'vitest';
import { addMember } from '#server/accounts/members.ts';
import { engines } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const path = '/api/organisation/';

async function buildOrganisation(scene: RelayScene) {
  const person = await scene.app.createUser({ quota: 100_000_000, username: 'mary' });
  const owner = await scene.app.as(person);
  const { id } = (await owner.post(path, { name: 'Harbour Labs', ref: 'reference-found' })).data as { id: number };
  await owner.post(`${path}${id}/fund`, { amount: 50_000_000, ref: 'reference-fund' });
  const behalf = { headers: { 'openai-organization': `org-${id}` } };
  const join = async (role: 'developer' | 'administrator') => {
    const user = await scene.app.createUser();
    await addMember(scene.app.context, id, { user_id: user.id, role, team_id: 0, source: 'invite', invited_by: person.id });
    return scene.app.as(user);
  };
  return { id, owner, behalf, join };
}

const month = { id: 'm1', amount: 1_000_000, period: 'month', starts: 'calendar', at_end: 'warn' };
const rate = { meter: 'requests', per: 'hour', amount: 10 };
/** Set by who manages, then what the member may make of it, and what not. */
const cases: [string, object, object[], object[]][] = [
  [
    'quota',
    { unlimited_quota: false, remain_quota: 1_000_000 },
    [{ remain_quota: 500_000 }, { remain_quota: 1_000_000 }],
    [{ remain_quota: 1_000_001 }, { unlimited_quota: true }],
  ],
  [
    'models',
    { model_limits_enabled: true, model_limits: 'gpt-4o-mini,gpt-4o' },
    [{ model_limits: 'gpt-4o-mini' }, { model_limits: 'gpt-4o' }],
    [{ model_limits: 'gpt-4o-mini,o3' }, { model_limits_enabled: false }],
  ],
  [
    'addresses',
    { allow_ips: '10.0.0.0/8\n127.0.0.1' },
    [{ allow_ips: '10.1.0.0/16' }, { allow_ips: '127.0.0.1' }],
    [{ allow_ips: '' }, { allow_ips: '11.0.0.1' }, { allow_ips: '0.0.0.0/0' }],
  ],
  [
    'expiry',
    { expired_time: 2_000_000_000 },
    [{ expired_time: 1_900_000_000 }, { expired_time: 2_000_000_000 }],
    [{ expired_time: -1 }, { expired_time: 2_000_000_001 }],
  ],
  [
    'session_budget',
    { session_budget: 1000 },
    [{ session_budget: 10 }, { session_budget: 1000 }],
    [{ session_budget: 0 }, { session_budget: 1001 }],
  ],
  [
    'rate_limits',
    { rate_limits: [rate] },
    [
      {
        rate_limits: [
          { ...rate, amount: 5 },
          { ...rate, per: 'day' },
        ],
      },
      { rate_limits: [rate] },
    ],
    [{ rate_limits: [] }, { rate_limits: [{ ...rate, amount: 11 }] }, { rate_limits: [{ ...rate, models: ['gpt-4o'] }] }],
  ],
  [
    'budgets',
    { budgets: [month] },
    [{ budgets: [{ ...month, amount: 10 }] }, { budgets: [{ ...month, at_end: 'stop' }] }, { budgets: [month] }],
    [
      { budgets: [] },
      { budgets: [{ ...month, amount: 1_000_001 }] },
      { budgets: [{ ...month, period: 'day' }] },
      { budgets: [{ ...month, id: 'm2' }] },
      { budgets: [{ ...month, models: ['gpt-4o'] }] },
    ],
  ],
];

describe.each(engines)('tokens of members on $kind', (engine) => {
  it.each(cases)('%s that an administrator set: the member narrows, and does not widen', async (limit, set, narrower, wider) => {
    await using scene = await createScene(engine);
    const { behalf, join } = await buildOrganisation(scene);
    const [admin, developer] = [await join('administrator'), await join('developer')];
    const [{ id }] = (await developer.post('/api/token/', { name: 'ci', unlimited_quota: true }, behalf)).data;
    const edit = (client: typeof admin, fields: object) => client.put('/api/token/', { id, ...fields }, behalf);
    const many = (client: typeof admin, fields: object, ref: string) =>
      client.put('/api/token/batch', { ids: [id], ref: `reference-${ref}`, ...fields }, behalf);
    // What the member set does not bind.
    expect(await edit(developer, { name: 'own' })).toMatchObject({ success: true });
    const changed = await edit(admin, set);
    expect(changed).toMatchObject({ success: true });
    expect(changed.data.bounds).toMatchObject([{ limit, by: expect.any(String), at: expect.any(Number) }]);
    for (const [index, fields] of wider.entries()) {
      for (const refused of [await edit(developer, fields), await many(developer, fields, `wider-${index}`)])
        expect(refused, JSON.stringify(fields)).toMatchObject({ success: false, code: 'token_limit_bound' });
    }
    for (const fields of narrower) expect(await edit(developer, fields), JSON.stringify(fields)).toMatchObject({ success: true });
    expect(await edit(developer, { name: 'still free' })).toMatchObject({ success: true });
    // Those who manage are not bound, and what they set now binds instead.
    expect(await edit(admin, wider[0] ?? {})).toMatchObject({ success: true });
    expect(await edit(developer, wider[0] ?? {})).toMatchObject({ success: true });
  });

  it('a refill binds as a balance does, once, and what was spent counts', async () => {
    await using scene = await createScene(engine);
    const { behalf, join } = await buildOrganisation(scene);
    const [admin, developer] = [await join('administrator'), await join('developer')];
    const [token] = (await developer.post('/api/token/', { name: 'ci', remain_quota: 10_000 }, behalf)).data;
    const refill = (client: typeof admin, amount: number, ref: string) =>
      client.put('/api/token/batch', { ids: [token.id], ref: `reference-${ref}`, refill: amount }, behalf);
    for (const _again of [1, 2]) expect(await refill(admin, 90_000, 'one')).toMatchObject({ success: true });
    expect((await scene.chat({}, { authorization: `Bearer sk-${token.key}` })).status).toBe(200);
    await scene.app.context.ledger.idle(5000);
    const { charged_quota: charged } = (await developer.get(`/api/token/${token.id}`, behalf)).data;
    expect(charged).toBeGreaterThan(0);
    expect(await refill(developer, 1, 'two')).toMatchObject({ code: 'token_limit_bound' });
    const set = (remain_quota: number) => developer.put('/api/token/', { id: token.id, remain_quota, charged_quota: charged }, behalf);
    expect(await set(100_000 - charged + 1)).toMatchObject({ code: 'token_limit_bound' });
    expect(await set(50_000)).toMatchObject({ success: true });
    expect(await set(100_000 - charged)).toMatchObject({ success: true });
  });

  it('a token that an administrator disabled stays so until one enables it, also after its hand-over', async () => {
    await using scene = await createScene(engine);
    const { id, owner, behalf, join } = await buildOrganisation(scene);
    const [admin, developer] = [await join('administrator'), await join('developer')];
    const create = async (client: typeof admin) =>
      (await client.post('/api/token/', { name: 'ci', unlimited_quota: true }, behalf)).data[0];
    const [token, ofAdmin] = [await create(developer), await create(admin)];
    const turn = (client: typeof admin, tokenId: number, status: number) =>
      client.put('/api/token/?status_only=1', { id: tokenId, status }, behalf);
    const status = async () => (await scene.chat({}, { authorization: `Bearer sk-${token.key}` })).status;
    // The member's own doing is the member's to undo.
    for (const to of [2, 1]) expect(await turn(developer, token.id, to)).toMatchObject({ success: true });
    const stopped = await turn(owner, token.id, 2);
    expect(stopped).toMatchObject({ success: true, data: { status: 2, stopped: { by: 'mary' } } });
    await until(async () => (await status()) === 401);
    expect(await turn(developer, token.id, 1)).toMatchObject({ code: 'token_stopped', message: expect.stringContaining('mary') });
    expect(await developer.put('/api/token/', { id: token.id, name: 'renamed' }, behalf)).toMatchObject({ success: true });
    expect(await developer.put('/api/token/', { id: token.id, expired_time: 2_000_000_000 }, behalf)).toMatchObject({
      data: { status: 2 },
    });
    // An administrator is a member like others for the own token.
    await turn(owner, ofAdmin.id, 2);
    expect(await turn(admin, ofAdmin.id, 1)).toMatchObject({ code: 'token_stopped' });
    const second = await join('developer');
    expect(await owner.delete(`${path}${id}/members/${developer.userId}?hand_over_to=${second.userId}`)).toMatchObject({ success: true });
    const moved = (await second.get('/api/token/', behalf)).data[0];
    expect(moved).toMatchObject({ status: 2, stopped: { by: 'mary' } });
    expect(await turn(second, moved.id, 1)).toMatchObject({ code: 'token_stopped' });
    expect(await turn(admin, moved.id, 1)).toMatchObject({ success: true });
    expect((await second.get('/api/token/', behalf)).data[0].stopped).toBeUndefined();
    await until(async () => (await status()) === 200);
  });

  it('an administrator whose token has a budget that an owner set neither raises nor resets it', async () => {
    await using scene = await createScene(engine);
    const { owner, behalf, join } = await buildOrganisation(scene);
    const admin = await join('administrator');
    const [token] = (await admin.post('/api/token/', { name: 'ci', unlimited_quota: true }, behalf)).data;
    expect(await owner.put('/api/token/', { id: token.id, budgets: [month] }, behalf)).toMatchObject({ success: true });
    const key = `token:${token.id}:m1`;
    const edit = { key, ref: 'reference-edit' };
    expect(await admin.post('/api/budget/raise', { ...edit, amount: 5 }, behalf)).toMatchObject({ code: 'token_limit_held' });
    expect(await admin.post('/api/budget/reset', edit, behalf)).toMatchObject({ code: 'token_limit_held' });
    expect(await owner.post('/api/budget/raise', { ...edit, amount: 5 }, behalf)).toMatchObject({ success: true });
  });

  it('a member cannot use up the tokens of the other members and of service accounts', async () => {
    await using scene = await createScene(engine, { settings: { MaxTokensPerUser: '2' } });
    const { owner, behalf, join } = await buildOrganisation(scene);
    const create = (client: typeof owner, fields: object = {}) => client.post('/api/token/', { name: 'ci', ...fields }, behalf);
    const full = (limit: number) => ({ code: 'token_limit_reached', message: expect.stringContaining(` ${limit} `) });
    const developer = await join('developer');
    for (const _ of [1, 2]) expect(await create(developer)).toMatchObject({ success: true });
    expect(await create(developer)).toMatchObject(full(2));
    for (const fields of [{}, { is_service: true }]) {
      for (const _ of [1, 2]) expect(await create(owner, fields)).toMatchObject({ success: true });
      expect(await create(owner, fields)).toMatchObject(full(2));
    }
    // A deletion is undone within the same limits.
    const [own] = (await developer.get('/api/token/', behalf)).data;
    await developer.delete(`/api/token/${own.id}`, behalf);
    expect(await create(developer)).toMatchObject({ success: true });
    expect(await developer.post('/api/token/restore', { ids: [own.id] }, behalf)).toMatchObject(full(2));
    for (let more = 0; more < 7; more += 1) {
      const other = await join('developer');
      for (const _ of [1, 2]) expect(await create(other)).toMatchObject({ success: true });
    }
    expect(await create(await join('developer'))).toMatchObject(full(20));
  });

  it('policies and limits of all teams, and of all invitations, together make no long list', async () => {
    await using scene = await createScene(engine);
    const { id, owner } = await buildOrganisation(scene);
    const models = Array.from({ length: 95 }, (_, index) => `${index}`.padEnd(200, 'x'));
    const teams = `${path}${id}/teams`;
    let full;
    let count = 0;
    for (; full === undefined && count < 40; count += 1) {
      const created = await owner.post(teams, { name: `team ${count}`, policy: { models } });
      if (!created.success) full = created;
    }
    expect(full).toMatchObject({ code: 'invalid_field', field: 'policy' });
    const list = (await owner.get(teams)).data;
    expect(JSON.stringify(list).length).toBeGreaterThan(400_000);
    expect(JSON.stringify(list).length).toBeLessThan(600_000);
    const [first] = list;
    // Others, and shorter ones, are free.
    const team = await owner.post(teams, { name: 'plain' });
    expect(team).toMatchObject({ success: true });
    expect(await owner.put(`${teams}/${team.data.id}`, { policy: { models } })).toMatchObject({ code: 'invalid_field', field: 'policy' });
    expect(await owner.put(`${teams}/${first.id}`, { policy: { models: models.slice(1) } })).toMatchObject({ success: true });
    const limits = (length: number) => [{ ...rate, models: Array.from({ length }, (_, index) => `${index}`.padEnd(190, 'x')) }];
    const asked = (length: number) => ({
      emails: Array.from({ length: 100 }, (_, index) => `p${index}-${length}@harbour.example`),
      delivery: 'link',
      role: 'developer',
      rate_limits: limits(length),
    });
    const invites = `${path}${id}/invites`;
    expect(await owner.post(invites, asked(20))).toMatchObject({ success: true });
    expect(await owner.post(invites, { ...asked(20), emails: asked(19).emails })).toMatchObject({
      code: 'invalid_field',
      field: 'rate_limits',
    });
    // Those of a member are shorter: pages have a hundred members.
    const userId = owner.userId;
    const edit = (length: number) => owner.put(`${path}${id}/members/${userId}`, { rate_limits: limits(length) });
    expect(await edit(20)).toMatchObject({ success: true });
    expect(await edit(21)).toMatchObject({ code: 'invalid_field' });
  });
});
