// Groups that get another name or are removed: what is in them goes along, step by step, and no call meets a gap.
import { describe, expect, it } from 'vitest';
import { groupApi, GroupStep } from '#shared/groups.ts';
import { settleMs, tendGroupMoves } from '#server/features/groups/tend-moves.ts';
import type { AppContext } from '#server/context.ts';
import { engines } from '#tests/support/engines.ts';
import { createSession, createToken } from '#tests/support/build-token.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createScene, type RelayScene, setOption, testModel } from '#tests/support/relay-scene.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const ratios = { default: 1, gold: 3, silver: 2 };
const settings = {
  GroupRatio: JSON.stringify(ratios),
  UserUsableGroups: JSON.stringify({ default: 'for all' }),
  TopupGroupRatio: JSON.stringify({ gold: 0.5 }),
};

async function furnish(app: TestApp): Promise<TestClient> {
  const root = await app.setup();
  for (const [key, value] of Object.entries(settings)) await setOption(app, key, value);
  return root;
}

async function mapOf(root: TestClient, key: string): Promise<Record<string, unknown>> {
  const options: { key: string; value: string }[] = (await root.get('/api/option/')).data;
  return JSON.parse(options.find((option) => option.key === key)?.value ?? '{}');
}

/** Does every step that is left, each when it is due. */
async function finish(app: TestApp): Promise<void> {
  for (let step = 0; app.context.settings.groupMoves.running !== null; step += 1) {
    if (step > GroupStep.options.length) throw new Error('The move does not end');
    await next(app);
  }
}

async function next(app: TestApp): Promise<void> {
  app.clock.advance((app.context.settings.groupMoves.running?.due_at ?? 0) - app.clock.now());
  await tendGroupMoves(app.context);
}

const rename = (client: TestClient, name: string, to: string) => client.post(groupApi.rename.path, { name, to });
const remove = (client: TestClient, name: string, to?: string) =>
  client.post(groupApi.remove.path, { name, ...(to === undefined ? {} : { to }) });

async function openScene(engine: (typeof engines)[number]): Promise<RelayScene & { root: TestClient }> {
  const scene = await createScene(engine, { settings, channels: [{ group: 'silver,gold' }] });
  const root = await scene.app.setup();
  const { db, changes } = scene.app.context;
  await db.collection('users').patch({ id: scene.user.id }, { set: { group: 'gold' }, increment: { revision: 1 } });
  await changes.announce('user', scene.user.id);
  return { ...scene, root, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

describe.each(engines)('groups on $kind', (engine) => {
  it('a new name is carried by users, keys, channels, deleted channels, invitations and settings', async () => {
    await using app = await createTestApp(engine);
    const root = await furnish(app);
    const special = 'group_ratio_setting.group_special_usable_group';
    await setOption(app, 'GroupGroupRatio', '{"gold":{"gold":1,"silver":0.5},"silver":{"gold":2}}');
    await setOption(app, special, '{"gold":{"+:silver":"gold","-:gold":""},"silver":{"gold":"x"}}');
    await setOption(app, 'AutoGroups', 'silver,gold,default');
    const { db } = app.context;
    const member = await app.createUser({ group: 'gold' });
    const client = await app.as(member);
    const [key] = (await client.post('/api/token/', { name: 'mine', group: 'gold' })).data;
    const { token: auto } = await createToken(app.context, member.id, { group: 'auto', auto_groups: 'gold,default' });
    const channel = { type: 1, key: 'sk-one', models: 'gpt-4o', base_url: 'https://up.example' };
    const ids: number[] = [];
    for (const group of ['default,gold,silver', 'gold', 'golden']) {
      const { data } = await root.post('/api/channel/', { ...channel, name: group, group, key: `sk-${group}` });
      ids.push(...data);
    }
    const lines = [{ username: 'invitee', email: '', group: 'gold', quota: 0 }];
    await root.post('/api/invitation/', { lines, delivery: 'link', valid_seconds: 3600, creates_accounts: false });
    expect((await root.get(`${groupApi.uses.path}?name=gold`)).data).toEqual({ users: 1, keys: 1, channels: 2, lists: 1, invitations: 1 });

    expect(await rename(root, 'gold', 'platinum')).toMatchObject({
      success: true,
      data: { from: 'gold', to: 'platinum', step: 'channels' },
    });
    expect(await mapOf(root, 'GroupRatio')).toEqual({ ...ratios, platinum: 3 });
    expect((await root.get(groupApi.move.path)).data).toMatchObject({ from: 'gold', to: 'platinum' });
    while (app.context.settings.groupMoves.running?.step !== 'leave') await next(app);
    app.clock.advance(app.context.settings.groupMoves.running.due_at - app.clock.now());
    // Deleted under both names, it is restored under the new one.
    expect(await root.delete(`/api/channel/${ids[1]}`)).toMatchObject({ success: true });
    await tendGroupMoves(app.context);
    expect(await root.post('/api/channel/restore', { ids: [ids[1]] })).toMatchObject({ success: true });
    expect(await db.collection('channels').get(ids[1] ?? 0)).toMatchObject({ group: 'platinum' });
    await finish(app);
    expect((await root.get(groupApi.move.path)).data).toBeNull();

    expect(await mapOf(root, 'GroupRatio')).toEqual({ default: 1, platinum: 3, silver: 2 });
    expect(await mapOf(root, 'TopupGroupRatio')).toEqual({ platinum: 0.5 });
    expect(await mapOf(root, 'UserUsableGroups')).toEqual({ default: 'for all' });
    expect(await mapOf(root, 'GroupGroupRatio')).toEqual({ platinum: { platinum: 1, silver: 0.5 }, silver: { platinum: 2 } });
    expect(await mapOf(root, special)).toEqual({ platinum: { '+:silver': 'gold', '-:platinum': '' }, silver: { platinum: 'x' } });
    expect(app.context.settings.get('AutoGroups')).toEqual(['silver', 'platinum', 'default']);
    expect(await db.collection('tokens').get(auto.id)).toMatchObject({ group: 'auto', auto_groups: 'platinum,default' });
    expect(await db.collection('users').get(member.id)).toMatchObject({ group: 'platinum' });
    expect(await db.collection('tokens').get(key.id ?? key)).toMatchObject({ group: 'platinum' });
    expect(await db.collection('invitations').first({})).toMatchObject({ group: 'platinum' });
    const channels = await db.collection('channels').find({}, { sort: [['id', 1]] });
    expect(channels.map(({ group }) => group)).toEqual(['default,platinum,silver', 'platinum', 'golden']);
    expect((await root.get(`${groupApi.uses.path}?name=gold`)).data).toEqual({ users: 0, keys: 0, channels: 0, lists: 0, invitations: 0 });
  });

  it('while it moves, every call is answered and priced alike, in each process', async () => {
    await using scene = await openScene(engine);
    const { app, root, user } = scene;
    const { key } = await scene.addToken({ group: 'gold' });
    await using other = await createTestApp(engine, { database: app.database, clock: app.clock });
    const origins = [app.origin, other.origin];
    let isRunning = true;
    let answered = 0;
    const caller = async (bearer: string, turn: number): Promise<void> => {
      for (let at = turn; isRunning; at += 1) {
        const response = await fetch(`${origins[at % 2]}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
          body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Say hello' }] }),
        });
        const text = await response.text();
        if (response.status !== 200) throw new Error(`A call failed: ${response.status} ${text}`);
        answered += 1;
      }
    };
    const calls = Promise.all([caller(scene.key, 0), caller(scene.key, 1), caller(key, 0), caller(key, 1)]);
    calls.catch(() => {});
    const some = async () => {
      const before = answered;
      await until(() => answered > before + 8);
    };
    await some();
    expect(await rename(root, 'gold', 'platinum')).toMatchObject({ success: true });
    for (let step = 0; step < GroupStep.options.length; step += 1) {
      // Both processes know of the step before, as they do when the next one is due.
      const seen = JSON.stringify(app.context.settings.groupMoves);
      await until(() => JSON.stringify(other.context.settings.groupMoves) === seen);
      await some();
      await next(step % 2 === 0 ? app : other);
      await until(() => JSON.stringify(app.context.settings.groupMoves) === JSON.stringify(other.context.settings.groupMoves));
      await some();
    }
    isRunning = false;
    await calls;
    expect(app.context.settings.groupMoves.running).toBeNull();
    const rows = await scene.logs(answered);
    expect(new Set(rows.map((row) => row.quota)).size).toBe(1);
    expect(new Set(rows.map((row) => row.group))).toEqual(new Set(['gold', 'platinum']));
    expect(new Set(rows.map((row) => Number(row.other?.group_ratio)))).toEqual(new Set([3]));
    expect(await app.context.db.collection('users').get(user.id)).toMatchObject({ group: 'platinum' });
    await other.stop();
    await scene.checkBooks();
  });

  it.each(GroupStep.options)('a process that ends in the middle of the step %s leaves it to another one', async (step) => {
    await using app = await createTestApp(engine);
    const root = await furnish(app);
    const members = [];
    for (let count = 0; count < 3; count += 1) members.push(await app.createUser({ group: 'gold' }));
    await root.post('/api/channel/', { type: 1, key: 'sk-one', models: 'gpt-4o', name: 'one', group: 'gold' });
    await rename(root, 'gold', 'platinum');
    while (app.context.settings.groupMoves.running?.step !== step) await next(app);
    app.clock.advance(60_000);
    // It has done its work, or a part of it, and stored nowhere that it has.
    const dying: AppContext = {
      ...app.context,
      db: new Proxy(app.context.db, {
        get(db, name) {
          const value = Reflect.get(db, name);
          if (name !== 'collection') return typeof value === 'function' ? value.bind(db) : value;
          return (of: 'facts') => {
            const records = db.collection(of);
            if (of !== 'facts') return records;
            return new Proxy(records, {
              get(target, verb) {
                if (verb === 'patch') throw new Error('The process ended');
                const method = Reflect.get(target, verb);
                return typeof method === 'function' ? method.bind(target) : method;
              },
            });
          };
        },
      }),
    };
    await expect(tendGroupMoves(dying)).rejects.toThrow('The process ended');
    expect(app.context.settings.groupMoves.running?.step).toBe(step);
    await using other = await createTestApp(engine, { database: app.database, clock: app.clock });
    await finish(other);
    expect(await mapOf(root, 'GroupRatio')).toEqual({ default: 1, platinum: 3, silver: 2 });
    for (const { id } of members) expect(await app.context.db.collection('users').get(id)).toMatchObject({ group: 'platinum' });
    expect(await app.context.db.collection('channels').first({})).toMatchObject({ group: 'platinum' });
    await other.stop();
  });

  it('one that is in use is removed only where what is in it goes somewhere; keys follow their owners where these may not choose it', async () => {
    await using app = await createTestApp(engine);
    const root = await furnish(app);
    const { db } = app.context;
    await setOption(app, 'UserUsableGroups', JSON.stringify({ default: 'for all', gold: 'fast' }));
    const [inside, outside] = [await app.createUser({ group: 'gold' }), await app.createUser()];
    for (const user of [inside, outside]) {
      expect(await (await app.as(user)).post('/api/token/', { name: 'key', group: 'gold' })).toMatchObject({ success: true });
    }
    await root.post('/api/channel/', { type: 1, key: 'sk-one', models: 'gpt-4o', name: 'one', group: 'gold,silver' });
    const inUse = { success: false, code: 'group_in_use' };
    // A list of a key and an invitation name it, too.
    await setOption(app, 'AutoGroups', 'silver,gold');
    await db.collection('tokens').patch({ user_id: outside.id }, { set: { group: 'auto', auto_groups: 'silver,golden' } });
    expect((await root.get('/api/group/uses?name=gold')).data).toEqual({ users: 1, keys: 1, channels: 1, lists: 0, invitations: 0 });
    await db.collection('tokens').patch({ user_id: outside.id }, { set: { auto_groups: 'silver,gold' } });
    const lines = [{ username: 'invitee', email: '', group: 'gold', quota: 0 }];
    await root.post('/api/invitation/', { lines, delivery: 'link', valid_seconds: 3600, creates_accounts: false });
    expect((await root.get('/api/group/uses?name=gold')).data).toEqual({ users: 1, keys: 1, channels: 1, lists: 1, invitations: 1 });
    await db.collection('tokens').patch({ user_id: outside.id }, { set: { group: 'gold' }, unset: ['auto_groups'] });
    const answer = await remove(root, 'gold');
    expect(answer).toMatchObject(inUse);
    expect(answer.message).toMatch(/1.*2.*1/);
    // Nor by saving the map without it, as it is typed.
    const typed = JSON.stringify({ default: 1, silver: 2 });
    expect(await root.put('/api/option/', { key: 'GroupRatio', value: typed })).toMatchObject(inUse);
    expect(await root.put('/api/option/batch', { options: [{ key: 'GroupRatio', value: typed }] })).toMatchObject(inUse);
    expect(await mapOf(root, 'GroupRatio')).toEqual(ratios);

    expect(await remove(root, 'gold', 'moon')).toMatchObject({ success: false, code: 'group_unknown' });
    expect(await remove(root, 'gold', 'silver')).toMatchObject({ success: true, data: { from: 'gold', to: 'silver' } });
    await finish(app);
    expect(await mapOf(root, 'GroupRatio')).toEqual({ default: 1, silver: 2 });
    expect(await mapOf(root, 'UserUsableGroups')).toEqual({ default: 'for all' });
    expect(await db.collection('users').get(inside.id)).toMatchObject({ group: 'silver' });
    const groups = new Map((await db.collection('tokens').find({})).map((token) => [token.user_id, token.group]));
    expect(groups.get(inside.id)).toBe('silver');
    expect(groups.get(outside.id)).toBe('');
    expect(await db.collection('channels').first({})).toMatchObject({ group: 'silver' });
  });

  it('what a browser keeps of an old name is answered under the new one, and under its own group where it may not choose that', async () => {
    await using scene = await openScene(engine);
    const { app, root, user } = scene;
    const { db } = app.context;
    await db.collection('users').patch({ id: user.id }, { set: { group: 'default' }, increment: { revision: 1 } });
    await app.context.changes.announce('user', user.id);
    await setOption(app, 'UserUsableGroups', JSON.stringify({ default: 'for all', gold: 'fast' }));
    const [channel] = await db.collection('channels').find({});
    await root.put('/api/channel/', { id: channel?.id, group: 'default,gold,silver' });
    const session = { cookie: await createSession(app.context, user), 'new-api-user': String(user.id), authorization: '' };
    const messages = [{ role: 'user', content: 'Say hello' }];
    const ask = async () => {
      const response = await scene.post('/pg/chat/completions', { model: testModel, messages, group: 'gold' }, session);
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
    };
    await ask();
    expect(await rename(root, 'gold', 'platinum')).toMatchObject({ success: true });
    while (app.context.settings.groupMoves.running !== null) {
      await ask();
      await next(app);
    }
    await ask();
    // Days later, too.
    app.clock.advance(3 * 86_400_000);
    await ask();
    expect(await remove(root, 'platinum', 'silver')).toMatchObject({ success: true });
    await finish(app);
    await ask();
    const rows = await scene.logs(1 + GroupStep.options.length + 3);
    const groups = rows.map(({ group, other }) => `${group} ${Number(other?.['group_ratio'])}`);
    expect(new Set(groups)).toEqual(new Set(['gold 3', 'platinum 3', 'default 1']));
    expect(groups.filter((group) => group.startsWith('default'))).toHaveLength(1);
    await scene.checkBooks();
  });

  it('what an earlier group of the new name left in a setting is not given to the renamed one', async () => {
    await using app = await createTestApp(engine);
    const root = await furnish(app);
    await setOption(app, 'UserUsableGroups', JSON.stringify({ default: 'for all', platinum: 'old' }));
    expect(await rename(root, 'gold', 'platinum')).toMatchObject({ success: true });
    expect(await mapOf(root, 'UserUsableGroups')).toEqual({ default: 'for all' });
    await finish(app);
    expect(await mapOf(root, 'UserUsableGroups')).toEqual({ default: 'for all' });
  });

  it('refuses names, seconds at once, and edits of what is on its way', async () => {
    await using app = await createTestApp(engine);
    const root = await furnish(app);
    const member = await app.createUser();
    expect(await rename(root, 'default', 'usual')).toMatchObject({ success: false, code: 'group_default_missing' });
    expect(await remove(root, 'default', 'gold')).toMatchObject({ success: false, code: 'group_default_missing' });
    expect(await rename(root, 'moon', 'sun')).toMatchObject({ success: false, code: 'group_unknown' });
    expect(await rename(root, 'gold', 'silver')).toMatchObject({ success: false, code: 'group_taken' });
    expect(await rename(root, 'gold', 'auto')).toMatchObject({ success: false, code: 'group_taken' });
    for (const name of ['', 'a,b', ' a', 'a\u0000', 'a'.repeat(65)])
      expect(await rename(root, 'gold', name)).toMatchObject({ success: false });
    expect(await rename(await app.as(member), 'gold', 'sun')).toMatchObject({ success: false, code: 'forbidden' });
    // The group is empty: it is gone at once.
    expect(await remove(root, 'silver')).toMatchObject({ success: true, data: null });
    expect(await mapOf(root, 'GroupRatio')).toEqual({ default: 1, gold: 3 });

    expect(await rename(root, 'gold', 'platinum')).toMatchObject({ success: true });
    const moving = { success: false, code: 'group_moving' };
    expect(await rename(root, 'gold', 'sun')).toMatchObject(moving);
    expect(await remove(root, 'platinum')).toMatchObject(moving);
    const value = JSON.stringify({ default: 1, gold: 3, platinum: 4 });
    expect(await root.put('/api/option/', { key: 'GroupRatio', value })).toMatchObject(moving);
    expect(await root.put('/api/user/', { id: member.id, group: 'gold' })).toMatchObject(moving);
    expect(await root.put('/api/user/', { id: member.id, group: 'platinum' })).toMatchObject({ success: true });
    // Not before its time.
    await tendGroupMoves(app.context);
    expect(app.context.settings.groupMoves.running?.step).toBe('channels');
    app.clock.advance(settleMs);
    await tendGroupMoves(app.context);
    expect(app.context.settings.groupMoves.running?.step).toBe('accounts');
  });

  it('a group goes although it is in use where that is said', async () => {
    await using app = await createTestApp(engine);
    const root = await furnish(app);
    await app.createUser({ group: 'gold' });
    const value = JSON.stringify({ default: 1, silver: 2 });
    expect(await root.put('/api/option/', { key: 'GroupRatio', value, removes_groups: true })).toMatchObject({ success: true });
    expect(await mapOf(root, 'GroupRatio')).toEqual({ default: 1, silver: 2 });
  });
});
