// Rate limits and budgets of members and teams: what they count, who sees and raises them.
import { describe, expect, it } from 'vitest';
import { addMember } from '#server/accounts/members.ts';
import { sweepPeriods } from '#server/budgets/sweep-periods.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createScene, type RelayScene, setOption } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const path = '/api/organisation/';
const monthly = { id: 'm1', amount: 50_000_000, period: 'month', starts: 'calendar', at_end: 'stop' };

async function buildOrganisation(scene: RelayScene) {
  const person = await scene.app.createUser({ quota: 100_000_000 });
  const owner = await scene.app.as(person);
  const { id } = (await owner.post(path, { name: 'Harbour Labs', ref: 'reference-found' })).data as { id: number };
  await owner.post(`${path}${id}/fund`, { amount: 50_000_000, ref: 'reference-fund' });
  const behalf = { headers: { 'openai-organization': `org-${id}` } };
  const team = (await owner.post(`${path}${id}/teams`, { name: 'Search' })).data.id as number;
  const join = async (role: 'developer' | 'reader', teamId = team) => {
    const user = await scene.app.createUser();
    await addMember(scene.app.context, id, { user_id: user.id, role, team_id: teamId, source: 'invite', invited_by: person.id });
    const client = await scene.app.as(user);
    const key =
      role === 'reader' ? '' : (await client.post('/api/token/', { name: user.username, unlimited_quota: true }, behalf)).data[0].key;
    const call = async () => scene.chat({}, { authorization: `Bearer sk-${key}` });
    return { userId: user.id, client, call };
  };
  return { id, owner, behalf, team, join };
}

describe.each(engines)('limits of organisations on $kind', { concurrent: true }, (engine) => {
  it('limits of a member and of a team bind all of their keys, and no others', async () => {
    await using scene = await createScene(engine);
    const { id, owner, behalf, team, join } = await buildOrganisation(scene);
    const [ann, ben, cid] = [await join('developer'), await join('developer'), await join('developer', 0)];
    const statuses = async (...calls: (() => Promise<Response>)[]) => {
      const found: number[] = [];
      for (const call of calls) found.push((await call()).status);
      return found;
    };
    const perHour = (amount: number) => ({ rate_limits: [{ meter: 'requests', per: 'hour', amount }] });
    await owner.put(`${path}${id}/members/${ann.userId}`, perHour(2));
    await owner.put(`${path}${id}/teams/${team}`, perHour(3));
    // A second key of the same member counts as the first one.
    const second = (await ann.client.post('/api/token/', { name: 'second', unlimited_quota: true }, behalf)).data[0].key;
    const callSecond = () => scene.chat({}, { authorization: `Bearer sk-${second}` });
    expect(await statuses(ann.call, callSecond, ann.call, callSecond)).toEqual([200, 200, 429, 429]);
    expect(await (await ann.call()).text()).toMatch(/此成员|this member/);
    expect(await statuses(ben.call, ben.call)).toEqual([200, 429]);
    expect(await statuses(cid.call, cid.call)).toEqual([200, 200]);
    const states = async (query: string) => (await owner.get(`/api/rate_limit/?${query}`, behalf)).data;
    expect(await states(`member_id=${ann.userId}`)).toMatchObject([{ scope: 'member', left: 0 }]);
    expect(await states(`team_id=${team}`)).toMatchObject([{ scope: 'team', left: 0 }]);
    const token = (await owner.get('/api/token/search?keyword=second', behalf)).data[0].id;
    expect((await states(`token_id=${token}`)).map((state: { scope: string }) => state.scope).toSorted()).toEqual(['member', 'team']);
    // Of another organisation, or as a person: nothing.
    expect(await owner.get('/api/rate_limit/?member_id=999999', behalf)).toMatchObject({ code: 'member_unknown' });
    expect(await owner.get('/api/rate_limit/?team_id=999999', behalf)).toMatchObject({ code: 'team_unknown' });
    expect((await owner.get(`/api/rate_limit/?member_id=${ann.userId}`)).data).toEqual([]);
    // A moved member counts there; a removed limit binds no longer.
    await owner.put(`${path}${id}/members/${ben.userId}`, { team_id: 0 });
    await until(async () => (await ben.call()).status === 200);
    await owner.put(`${path}${id}/members/${ann.userId}`, { rate_limits: [], team_id: 0 });
    await until(async () => (await ann.call()).status === 200);
  });

  it('members read limits and use of their own, and those of others with the right to usage', async () => {
    await using scene = await createScene(engine);
    const { id, owner, behalf, join } = await buildOrganisation(scene);
    const [ann, ben, reader] = [await join('developer'), await join('developer'), await join('reader')];
    const limits = { budgets: [{ ...monthly, id: 'm1' }], rate_limits: [{ meter: 'requests', per: 'hour', amount: 50 }] };
    for (const { userId } of [ann, ben]) await owner.put(`${path}${id}/members/${userId}`, limits);
    expect((await ann.call()).status).toBe(200);
    await scene.app.context.ledger.idle(5000);
    const used = (await scene.app.context.db.collection('logs').first({ user_id: id, type: 2 }))?.quota;
    const seen = async (client: TestClient, userId: number) =>
      (await client.get(`${path}${id}/members`)).data.items.find((member: { user_id: number }) => member.user_id === userId);
    const known = { budgets: [{ id: 'm1' }], rate_limits: [{ amount: 50 }] };
    expect(await seen(ann.client, ann.userId)).toMatchObject({ ...known, used_quota: used, calls: 1 });
    const hidden = await seen(ben.client, ann.userId);
    expect(hidden).toHaveProperty('username');
    for (const field of ['budgets', 'rate_limits', 'used_quota', 'calls']) expect(hidden).not.toHaveProperty(field);
    for (const client of [owner, reader.client]) {
      expect(await seen(client, ann.userId)).toMatchObject({ ...known, used_quota: used });
      expect(await seen(client, ben.userId)).toMatchObject({ ...known, used_quota: 0 });
    }
    // What is left of each, on behalf of the organisation.
    for (const call of ['budget', 'rate_limit']) {
      const left = async ({ client }: typeof ann) => await client.get(`/api/${call}/?member_id=${ann.userId}`, behalf);
      expect(await left(ann)).toMatchObject({ data: [{ scope: 'member' }] });
      expect(await left(ben)).toMatchObject({ code: 'not_found' });
    }
  });

  it('budgets and rate limits of a key continue when it is handed over', async () => {
    await using scene = await createScene(engine);
    const { id, owner, behalf, join } = await buildOrganisation(scene);
    const { db, ledger } = scene.app.context;
    await setOption(scene.app, 'SiteBudgets', JSON.stringify([{ ...monthly, id: 'each', counted: 'token' }]));
    const ann = await join('developer');
    const [token] = (await ann.client.get('/api/token/', behalf)).data;
    const limits = { budgets: [monthly], rate_limits: [{ meter: 'requests', per: 'day', amount: 5 }] };
    expect(await ann.client.put('/api/token/', { id: token.id, ...limits }, behalf)).toMatchObject({ success: true });
    const state = async (tokenId: number) => {
      const budgets: { scope: string; key: string; used: number; calls: number }[] = (
        await owner.get(`/api/budget/?token_id=${tokenId}`, behalf)
      ).data;
      const rates = (await owner.get(`/api/rate_limit/?token_id=${tokenId}`, behalf)).data;
      return { budgets: budgets.map(({ scope, key, used, calls }) => [scope, key, used > 0, calls]), left: rates[0].left };
    };
    await until(async () => (await ann.call()).headers.has('x-tidegate-budget-limit'));
    await ledger.idle(5000);
    const before = await state(token.id);
    expect(before).toMatchObject({
      budgets: [
        ['token', `token:${token.id}:m1`, true, expect.any(Number)],
        ['site', `site:each:token:${token.id}`, true, expect.any(Number)],
      ],
    });
    // To another member, then to a service account.
    const ben = await join('developer');
    expect(await owner.delete(`${path}${id}/members/${ann.userId}?hand_over_to=${ben.userId}`)).toMatchObject({ success: true });
    const ofBen = (await owner.get('/api/token/', behalf)).data.find(({ key }: { key: string }) => key === token.key);
    expect(ofBen.id).not.toBe(token.id);
    expect(await state(ofBen.id)).toEqual(before);
    expect(ofBen.tightest_budget).toMatchObject({ amount: monthly.amount });
    expect(ofBen.tightest_budget.left).toBeLessThan(monthly.amount);
    expect(await owner.delete(`${path}${id}/members/${ben.userId}`)).toMatchObject({ success: true });
    await until(async () => (await ann.call()).status === 200);
    await ledger.idle(5000);
    const service = (await owner.get('/api/token/', behalf)).data.find(({ key }: { key: string }) => key === token.key);
    const calls = Number(before.budgets[0]?.[3]) + 1;
    expect(await state(service.id)).toEqual({
      budgets: before.budgets.map(([scope, key, used]) => [scope, key, used, calls]),
      left: before.left - 1,
    });
    // Nothing that runs by the clock ends the period, and it is raised and reset under the same key.
    await sweepPeriods(scene.app.context);
    expect(await db.collection('budget_periods').count({ key: `token:${token.id}:m1` })).toBe(1);
    const edit = { key: `token:${token.id}:m1`, ref: 'reference-edit' };
    expect(await owner.post('/api/budget/raise', { ...edit, amount: 5 }, behalf)).toMatchObject({ data: { amount: monthly.amount + 5 } });
    expect(await owner.post('/api/budget/reset', edit, behalf)).toMatchObject({ data: { used: 0, amount: monthly.amount } });
    await scene.checkBooks();
  });

  it('organisations count per user with an owner, so that founding some gives no further requests', async () => {
    await using scene = await createScene(engine);
    const { id, owner, join } = await buildOrganisation(scene);
    const admin = await scene.app.as(await scene.app.createUser({ role: 100 }));
    const [ann, second] = [await join('developer'), await join('developer')];
    const other = (await owner.post(path, { name: 'Second', ref: 'reference-second' })).data.id as number;
    await owner.post(`${path}${other}/fund`, { amount: 5_000_000, ref: 'reference-fund' });
    const keyOf = async (headers: Record<string, string>) => {
      const [token] = (await owner.post('/api/token/', { name: 'own', unlimited_quota: true }, { headers })).data;
      return async () => scene.chat({}, { authorization: `Bearer sk-${token.key}` });
    };
    const calls = [ann.call, await keyOf({ 'openai-organization': `org-${other}` }), await keyOf({})];
    await setOption(scene.app, 'SiteRateLimits', JSON.stringify([{ meter: 'requests', per: 'hour', amount: 3, counted: 'user' }]));
    const statuses = async () => {
      const found: number[] = [];
      for (const call of calls) found.push((await call()).status);
      return found;
    };
    expect(await statuses()).toEqual([200, 200, 200]);
    expect(await statuses()).toEqual([429, 429, 429]);
    // Whose calls these are is not shown to members, nor is the count of the organisation alone.
    const state = async (client: TestClient, query = '', headers = {}) =>
      (await client.get(`/api/rate_limit/${query}`, { headers })).data.map(({ left }: { left: number }) => left);
    expect(await state(owner, '', { 'openai-organization': `org-${id}` })).toEqual([]);
    expect(await state(admin, `?user_id=${id}`)).toEqual([0]);
    expect(await state(owner)).toEqual([0]);
    expect((await ann.call()).headers.get('x-ratelimit-limit-requests')).toBeNull();
    // A successor, with whom it counts once the founder is no owner.
    await admin.put(`${path}${id}/manage`, { owner_id: second.userId });
    expect((await ann.call()).status).toBe(429);
    expect(await owner.delete(`${path}${id}/members/${owner.userId}`)).toMatchObject({ success: true });
    await until(async () => (await ann.call()).status === 200);
  });

  it('handing organisations over makes no room for founding further ones', async () => {
    await using scene = await createScene(engine);
    const { id, owner, join } = await buildOrganisation(scene);
    const second = await join('developer');
    const { db } = scene.app.context;
    for (let count = 1; count < 10; count += 1)
      expect(await owner.post(path, { name: `No ${count}`, ref: `reference-${count}` })).toMatchObject({ success: true });
    const further = () => owner.post(path, { name: 'One more', ref: 'reference-more' });
    expect(await further()).toMatchObject({ code: 'organisation_limit_reached' });
    expect(await owner.put(`${path}${id}/members/${second.userId}`, { role: 'owner' })).toMatchObject({ success: true });
    expect(await owner.delete(`${path}${id}/members/${owner.userId}`)).toMatchObject({ success: true });
    expect(await db.collection('organisation_members').count({ user_id: owner.userId ?? 0, role: 'owner' })).toBe(9);
    expect(await further()).toMatchObject({ code: 'organisation_limit_reached' });
    // One that has ended does.
    const [last] = await db
      .collection('organisations')
      .find({ founded_by: owner.userId ?? 0, DeletedAt: null }, { sort: [['id', -1]], limit: 1 });
    expect(await owner.delete(`${path}${last?.id}`)).toMatchObject({ success: true });
    expect(await further()).toMatchObject({ success: true });
  });

  it('LiteLLM clients read the budget of the member, and the wallet only with the right to it', async () => {
    await using scene = await createScene(engine);
    const { id, owner, behalf, join } = await buildOrganisation(scene);
    const ann = await join('developer');
    await owner.put(`${path}${id}/members/${ann.userId}`, { budgets: [monthly] });
    const infoOf = async (client: TestClient) => {
      const [token] = (await client.post('/api/token/', { name: 'info', unlimited_quota: true }, behalf)).data;
      const response = await fetch(`${scene.app.origin}/user/info`, { headers: { authorization: `Bearer sk-${token.key}` } });
      return response.json();
    };
    const dollars = monthly.amount / 500_000;
    expect(await infoOf(ann.client)).toMatchObject({
      user_id: String(ann.userId),
      user_info: { spend: 0, max_budget: dollars, budget_duration: '1mo' },
      keys: [{ key_alias: 'info' }],
    });
    expect(await infoOf(owner)).toMatchObject({ user_info: { spend: 0, max_budget: 100 } });
    await owner.put(`${path}${id}/members/${ann.userId}`, { budgets: [] });
    expect(await infoOf(ann.client)).toMatchObject({ user_info: { spend: null, max_budget: null } });
  });

  it('a refusal says whose budget cannot pay', async () => {
    await using scene = await createScene(engine);
    const { id, owner, team, join } = await buildOrganisation(scene);
    const ann = await join('developer');
    const places = [
      [`members/${ann.userId}`, 'this member'],
      [`teams/${team}`, 'this team'],
      ['', 'this organisation'],
    ] as const;
    for (const [place, whose] of places) {
      const set = (budgets: object[]) => owner.put(`${path}${id}${place === '' ? '' : `/${place}`}`, { budgets });
      expect(await set([{ ...monthly, amount: 1 }])).toMatchObject({ success: true });
      await until(async () => (await ann.call()).status === 402);
      expect((await (await ann.call()).json()).error.message).toContain(`The budget 'm1' of ${whose} has $0.000002 of $0.000002 left`);
      expect(await set([])).toMatchObject({ success: true });
      await until(async () => (await ann.call()).status === 200);
    }
  });

  it('budgets of a member and of a team are charged and end, and those who manage raise them', async () => {
    await using scene = await createScene(engine);
    const { id, owner, behalf, team, join } = await buildOrganisation(scene);
    const [ann, ben, reader] = [await join('developer'), await join('developer'), await join('reader')];
    const month = (amount: number) => ({ budgets: [{ id: 'm1', amount, period: 'month', starts: 'calendar', at_end: 'stop' }] });
    expect((await ben.call()).status).toBe(200);
    await scene.app.context.ledger.idle(5000);
    const amount = 10 * ((await scene.app.context.db.collection('logs').first({ user_id: id, type: 2 }))?.quota ?? 0);
    const saved = await owner.put(`${path}${id}/members/${ann.userId}`, month(amount));
    expect(saved, JSON.stringify(saved.body)).toMatchObject({ success: true });
    expect(await owner.put(`${path}${id}/teams/${team}`, month(1_000_000))).toMatchObject({ success: true });
    const ends: string[] = [];
    for (let count = 0; count < 40 && ends.length === 0; count += 1) {
      const response = await ann.call();
      const text = await response.text();
      if (response.status !== 200) ends.push(text);
    }
    expect(ends[0]).toContain('m1');
    expect((await ben.call()).status).toBe(200);
    await scene.app.context.ledger.idle(5000);
    const rows = await scene.app.context.db.collection('logs').find({ user_id: id, type: 2 }, { sort: [['id', 1]] });
    // Those who manage are notified, and the member.
    await scene.app.context.budgets.check();
    const notices = await scene.app.context.db.collection('notifications').find({}, { limit: 50 });
    const notified = notices.filter(({ event }) => event.code === 'budget_used').map(({ user_id: to }) => to);
    expect(notified).toEqual(expect.arrayContaining([owner.userId, ann.userId]));
    expect(notified).not.toContain(ben.userId);
    expect(notified).not.toContain(id);
    const states = async (query: string, client = owner) => (await client.get(`/api/budget/?${query}`, behalf)).data;
    const [ofMember] = await states(`member_id=${ann.userId}`);
    expect(ofMember).toMatchObject({ scope: 'member', amount, is_editable: true });
    expect(ofMember.used).toBeLessThanOrEqual(amount);
    const [ofTeam] = await states(`team_id=${team}`);
    expect(ofTeam.used).toBe(rows.slice(1).reduce((sum, row) => sum + row.quota, 0));
    expect((await states(`member_id=${ann.userId}`, reader.client))[0]).toMatchObject({ is_editable: false });
    // Keys of others are reached by those who manage.
    const ofBen = (await owner.get('/api/token/?p=0', behalf)).data.find(
      ({ member_id }: { member_id?: number }) => member_id === ben.userId,
    );
    // Who may list keys in the usage, or has them, reads their state.
    for (const call of ['budget', 'rate_limit']) {
      const read = async (client: TestClient, query: string) => {
        const { success, code } = await client.get(`/api/${call}/?${query}`, behalf);
        return success ? 'read' : code;
      };
      const queries = [`token_id=${ofBen.id}`, `member_id=${ben.userId}`, `team_id=${team}`, ''];
      const readAll = async (client: TestClient) => {
        const found: (string | undefined)[] = [];
        for (const query of queries) found.push(await read(client, query));
        return found;
      };
      const [denied, all] = ['not_found', queries.map(() => 'read')];
      expect(await readAll(owner)).toEqual(all);
      expect(await readAll(reader.client)).toEqual(all);
      expect(await readAll(ben.client)).toEqual(['read', 'read', denied, denied]);
      expect(await readAll(ann.client)).toEqual([denied, denied, denied, denied]);
    }
    const periods = async ({ client }: { client: TestClient }, key: string) =>
      (await client.get(`/api/budget/periods?key=${key}`, behalf)).code ?? 'read';
    expect([await periods(ann, ofMember.key), await periods(reader, ofMember.key)]).toEqual(['read', 'read']);
    expect([await periods(ben, ofMember.key), await periods(ben, ofTeam.key)]).toEqual(['not_found', 'not_found']);
    const raise = (client = owner, options = behalf) =>
      client.post('/api/budget/raise', { key: ofMember.key, amount: 1_000_000, ref: 'reference-raise' }, options);
    expect(await raise(reader.client)).toMatchObject({ code: 'organisation_right_missing' });
    expect(await raise(ann.client)).toMatchObject({ code: 'organisation_right_missing' });
    expect(await ann.client.post('/api/budget/raise', { key: ofMember.key, amount: 1_000_000, ref: 'reference-own' })).toMatchObject({
      code: 'not_found',
    });
    expect(await raise()).toMatchObject({ success: true, data: { amount: 1_000_000 + amount } });
    await until(async () => (await ann.call()).status === 200);
  });
});
