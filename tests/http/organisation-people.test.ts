// What happens to organisations when accounts of people end, are banned, or keys are moved by administrators.
import { describe, expect, it } from 'vitest';
import { addMember } from '#server/accounts/members.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
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
});
