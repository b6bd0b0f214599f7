// Group `auto`, and factors and offers by the user's group: which group serves a call, and what everybody is shown and charged.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, setOption, testModel, type RelayScene } from '#tests/support/relay-scene.ts';

const settings = {
  GroupRatio: '{"default":1,"slow":0.5,"fast":3,"secret":1}',
  UserUsableGroups: '{"auto":"first that serves","slow":"Slow","fast":"Fast"}',
  AutoGroups: 'secret,slow,fast,default',
};
const hello = { messages: [{ role: 'user', content: 'Say hello' }] };

const lastRow = async (scene: RelayScene, count: number) => {
  const row = (await scene.logs(count)).at(-1);
  return { group: row?.group, ratio: row?.other?.group_ratio, failed: row?.failed ?? 0 };
};

describe.each(oneEngine)('group auto on $kind', (engine) => {
  test('a call is served and charged by the first group of the list that its user may use and that serves the model', async () => {
    await using scene = await createScene(engine, {
      settings,
      channels: [{ group: 'secret' }, { group: 'fast' }, { group: 'slow', models: 'gpt-4o' }, { group: 'default', models: 'gpt-4.1-nano' }],
    });
    const { key, token } = await scene.addToken({ group: 'auto' });
    const call = async (model: string) =>
      (await scene.post('/v1/chat/completions', { model, ...hello }, { authorization: `Bearer ${key}` })).status;
    // `secret` is not for this user.
    expect(await call(testModel)).toBe(200);
    expect(await lastRow(scene, 1)).toEqual({ group: 'fast', ratio: 3, failed: 0 });
    expect(await call('gpt-4o')).toBe(200);
    expect(await lastRow(scene, 2)).toEqual({ group: 'slow', ratio: 0.5, failed: 0 });
    expect(await call('gpt-4.1-nano')).toBe(200);
    expect(await lastRow(scene, 3)).toEqual({ group: 'default', ratio: 1, failed: 0 });
    expect(await call('nobody-has-it')).toBe(404);
    const listed = await fetch(`${scene.app.origin}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect(((await listed.json()) as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual(['gpt-4.1-nano', 'gpt-4o', testModel]);

    // A list of the token's own, within what its owner may use.
    const own = await scene.app.as(scene.user);
    const put = (fields: object) => own.put('/api/token/', { id: token.id, ...fields });
    expect(await put({ auto_groups: 'secret' })).toMatchObject({ success: false, code: 'token_group_denied' });
    expect((await put({ auto_groups: 'slow, fast' })).data).toMatchObject({ group: 'auto', auto_groups: 'slow,fast' });
    expect(await call('gpt-4.1-nano')).toBe(503);
    expect((await own.get('/api/user/self/groups')).data).toEqual({
      auto: { ratio: 3, desc: 'first that serves', groups: ['slow', 'fast', 'default'] },
      slow: { ratio: 0.5, desc: 'Slow' },
      fast: { ratio: 3, desc: 'Fast' },
      default: { ratio: 1, desc: '用户分组' },
    });
    await setOption(scene.app, 'DefaultUseAutoGroup', 'true');
    expect((await own.post('/api/token/', { name: 'usual', unlimited_quota: true })).data).toMatchObject([{ group: 'auto' }]);
    expect((await own.post('/api/token/', { name: 'own', unlimited_quota: true, group: '' })).data).toMatchObject([{ group: '' }]);
    // Without a list it is the user's own group: nothing is served or priced by the name `auto`.
    await setOption(scene.app, 'AutoGroups', '');
    const { key: listless } = await scene.addToken({ group: 'auto' });
    expect((await scene.chat({ model: 'gpt-4.1-nano' }, { authorization: `Bearer ${listless}` })).status).toBe(200);
    expect(await lastRow(scene, 4)).toEqual({ group: 'default', ratio: 1, failed: 0 });
    // Who may not choose it any more cannot use it.
    await setOption(scene.app, 'UserUsableGroups', '{"fast":"Fast"}');
    expect(await call(testModel)).toBe(403);
    await scene.checkBooks();
  });

  test('a call moves on to the next group only if its token says so, and pays what that group costs', async () => {
    await using scene = await createScene(engine, {
      settings: { ...settings, RetryTimes: '3' },
      channels: [
        { group: 'slow', key: 'sk-slow' },
        { group: 'fast', key: 'sk-fast' },
      ],
    });
    scene.upstream.behave({ status: 500 }, { key: 'sk-slow' });
    const call = async (key: string) => (await scene.chat({}, { authorization: `Bearer ${key}` })).status;
    const { key: stays } = await scene.addToken({ group: 'auto' });
    expect(await call(stays)).toBe(500);
    expect(await lastRow(scene, 1)).toEqual({ group: 'slow', ratio: 0.5, failed: 1 });
    const { key: moves } = await scene.addToken({ group: 'auto', cross_group_retry: true });
    expect(await call(moves)).toBe(200);
    expect(await lastRow(scene, 2)).toEqual({ group: 'fast', ratio: 3, failed: 0 });
    // What the most expensive group costs is reserved.
    const before = await scene.balance();
    await scene.app.context.ledger.change({
      account: 'user',
      id: scene.user.id,
      amount: 5 - before,
      kind: 'edit',
      ref: 'nearly nothing',
      actorId: 0,
    });
    expect(await call(moves)).toBe(403);
    await scene.checkBooks();
  });

  test('a group of that name is a group', async () => {
    await using scene = await createScene(engine, {
      settings: { ...settings, GroupRatio: '{"default":1,"auto":2,"fast":3}' },
      channels: [{ group: 'auto' }, { group: 'fast' }],
    });
    const { key } = await scene.addToken({ group: 'auto' });
    expect((await scene.chat({}, { authorization: `Bearer ${key}` })).status).toBe(200);
    expect(await lastRow(scene, 1)).toEqual({ group: 'auto', ratio: 2, failed: 0 });
  });
});

describe.each(oneEngine)("exceptions by the user's group on $kind", (engine) => {
  test("the factor of the user's group is charged, quoted and listed, and for others nothing changes", async () => {
    await using scene = await createScene(engine, {
      settings: { ...settings, GroupGroupRatio: '{"gold":{"fast":0.25},"default":{"slow":9}}' },
      channels: [{ group: 'fast,default,gold' }],
    });
    const gold = await scene.app.createUser({ group: 'gold', quota: 5_000_000 });
    await setOption(scene.app, 'GroupRatio', '{"default":1,"slow":0.5,"fast":3,"gold":1}');
    const keyOf = async (userId: number) => {
      const client = await scene.app.as({ id: userId });
      return { client, key: (await client.post('/api/token/', { name: 'f', unlimited_quota: true, group: 'fast' })).data[0].key as string };
    };
    const [usual, special] = [await keyOf(scene.user.id), await keyOf(gold.id)];
    const call = (key: string) => scene.chat({}, { authorization: `Bearer sk-${key}` });
    expect((await call(usual.key)).status).toBe(200);
    expect(await lastRow(scene, 1)).toMatchObject({ group: 'fast', ratio: 3 });
    expect((await call(special.key)).status).toBe(200);
    expect(await lastRow(scene, 2)).toMatchObject({ group: 'fast', ratio: 0.25 });
    const rows = await scene.logs(2);
    expect(rows[0]?.quota).toBeGreaterThan(3 * (rows[1]?.quota ?? 0));
    expect((await special.client.get('/api/user/self/groups')).data.fast.ratio).toBe(0.25);
    expect((await special.client.get('/api/pricing')).body).toMatchObject({ group_ratio: { fast: 0.25, slow: 0.5 } });
    expect((await usual.client.get('/api/pricing')).body).toMatchObject({ group_ratio: { fast: 3, slow: 9 } });
    expect((await scene.app.anonymous().get('/api/pricing')).body).toMatchObject({ group_ratio: { fast: 3, slow: 0.5 } });
    await scene.checkBooks();
  });

  test('groups are offered to some users in addition and withdrawn from others, and a key feels it at once', async () => {
    await using scene = await createScene(engine, { settings, channels: [{ group: 'fast,secret' }] });
    const { key: fast } = await scene.addToken({ group: 'fast' });
    const { key: secret } = await scene.addToken({ group: 'secret' });
    const statuses = async () =>
      Promise.all([fast, secret].map(async (key) => (await scene.chat({}, { authorization: `Bearer ${key}` })).status));
    expect(await statuses()).toEqual([200, 403]);
    const special = '{"default":{"+:secret":"Secret","-:fast":"","-:default":""}}';
    await setOption(scene.app, 'group_ratio_setting.group_special_usable_group', special);
    expect(await statuses()).toEqual([403, 200]);
    const own = await scene.app.as(scene.user);
    const { data } = await own.get('/api/user/self/groups');
    expect(Object.keys(data).toSorted()).toEqual(['auto', 'default', 'secret', 'slow']);
    expect(await own.post('/api/token/', { name: 'x', group: 'fast' })).toMatchObject({ success: false, code: 'token_group_denied' });
  });
});
