// What an administrator can look up about a user and do for them, besides editing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audit } from '#server/money/audit.ts';
import { oneEngine } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

describe.each(oneEngine)('care for users on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;
  let keeper: TestClient;
  let keeperId: number;
  beforeAll(async () => {
    app = await createTestApp(engine);
    root = await app.setup();
    const record = await app.createUser({ username: 'keeper', role: 10 });
    keeperId = record.id;
    keeper = await app.as(record);
  });
  afterAll(() => app.close());

  describe('the balance', () => {
    it('changes with a reason, which stands in the history and in the log that the user reads', async () => {
      const mei = await app.createUser({ quota: 1000 });
      const edited = await keeper.put('/api/user/', { id: mei.id, quota_change: 500, quota_reason: ' refund of 14 May ' });
      expect(edited).toMatchObject({ success: true, data: { quota: 1500 } });
      await keeper.put('/api/user/', { id: mei.id, quota: 200 });
      const history = await keeper.get(`/api/user/${mei.id}/balance_history`);
      expect(history.data).toMatchObject({ total: 3, page: 1 });
      expect(history.data.items).toMatchObject([
        { kind: 'edit', amount: -1300, actor_id: keeperId, actor_name: 'keeper', reason: '' },
        { kind: 'edit', amount: 500, actor_id: keeperId, actor_name: 'keeper', reason: 'refund of 14 May' },
        { kind: 'test', amount: 1000, actor_id: 0, actor_name: '', reason: '' },
      ]);
      const logs = (await (await app.as(mei)).get('/api/log/self')).data.items;
      expect(logs[1].content).toMatch(/，原因：refund of 14 May$/);
      expect(JSON.parse(logs[1].other).event).toMatchObject({ code: 'quota_set', from: 1000, to: 1500, reason: 'refund of 14 May' });
      expect(logs[0].content).not.toContain('原因');
      // Only administrators see which administrator it was.
      expect(JSON.parse(logs[1].other).admin_info).toBeUndefined();
      const seen = (await keeper.get('/api/log/?username=' + mei.username)).data.items;
      expect(JSON.parse(seen[1].other).admin_info).toEqual({ by: 'keeper' });
      expect((await audit(app.context.db)).findings).toEqual([]);
    });

    it('changes once by one name, however often that is sent, and tells it once', async () => {
      const mei = await app.createUser({ quota: 1000 });
      const change = (more: object) => keeper.put('/api/user/', { id: mei.id, quota_change: 500, quota_ref: 'lost-answer-1', ...more });
      const answers = await Promise.all([change({}), change({}), change({})]);
      for (const answer of answers) expect(answer).toMatchObject({ success: true });
      expect(await change({ display_name: 'Mei' })).toMatchObject({ success: true, data: { quota: 1500, display_name: 'Mei' } });
      // Another amount, and the same name for another user, are separate changes.
      expect(await change({ quota_change: 20 })).toMatchObject({ data: { quota: 1520 } });
      const bo = await app.createUser({ quota: 0 });
      expect(await change({ id: bo.id })).toMatchObject({ data: { quota: 500 } });
      const rows = (await (await app.as(mei)).get('/api/log/self')).data.items;
      expect(rows.map(({ other }: { other: string }) => JSON.parse(other).event)).toMatchObject([
        { from: 1500, to: 1520 },
        { from: 1000, to: 1500 },
      ]);
      for (const quota_ref of ['short', 'with spaces in it', 'x'.repeat(65), 7, { $gt: '' }])
        expect(await change({ quota_ref }), JSON.stringify(quota_ref)).toMatchObject({ success: false });
      expect((await audit(app.context.db)).findings).toEqual([]);
    });

    it('keeps what is no reason out, and moves nothing then', async () => {
      const mei = await app.createUser({ quota: 1000 });
      for (const quota_reason of ['a\nb', 'x'.repeat(201), 7, { $gt: '' }]) {
        const refused = await keeper.put('/api/user/', { id: mei.id, quota_change: 1, quota_reason });
        expect(refused).toMatchObject({ status: 200, success: false, code: 'invalid_field', field: 'quota_reason' });
      }
      expect((await keeper.get(`/api/user/${mei.id}`)).data).toMatchObject({ quota: 1000, revision: 1 });
    });

    it('has a history without changes that were refused, in pages', async () => {
      const mei = await app.createUser({ quota: 10 });
      for (let count = 0; count < 11; count += 1) await keeper.put('/api/user/', { id: mei.id, quota_change: 1 });
      expect(await keeper.put('/api/user/', { id: mei.id, quota_change: -500 })).toMatchObject({ success: false });
      const second = await keeper.get(`/api/user/${mei.id}/balance_history?p=2&page_size=10`);
      expect(second.data).toMatchObject({ total: 12, page: 2, page_size: 10 });
      expect(second.data.items.map(({ amount }: { amount: number }) => amount)).toEqual([1, 10]);
      expect((await keeper.get(`/api/user/${mei.id}/balance_history?p=9`)).data).toMatchObject({ items: [], total: 12 });
    });
  });

  describe('invitations', () => {
    it('are a tree: whom somebody invited, and who stands above', async () => {
      const top = await app.createUser();
      const middle = await app.createUser({ inviter_id: top.id });
      const leaf = await app.createUser({ inviter_id: middle.id });
      const gone = await app.createUser({ inviter_id: middle.id, DeletedAt: '2026-01-15T08:00:00Z' });
      const answer = await keeper.get(`/api/user/${middle.id}/invitations`);
      expect(answer.data).toMatchObject({ total: 2 });
      expect(answer.data.items).toMatchObject([
        { id: gone.id, is_deleted: true },
        { id: leaf.id, is_deleted: false, username: leaf.username },
      ]);
      const above = (await keeper.get(`/api/user/${leaf.id}/invitations`)).body;
      expect(above).toMatchObject({ data: { total: 0 }, inviters: [{ id: middle.id }, { id: top.id }] });
      expect(JSON.stringify(answer.body)).not.toMatch(/hash|email|aff_code/);
    });

    it('name the inviter to administrators: in lists, of one, after an edit; by the id alone once the account is gone', async () => {
      const inviter = await app.createUser();
      const user = await app.createUser({ inviter_id: inviter.id });
      const other = await app.createUser({ inviter_id: inviter.id });
      const orphan = await app.createUser({ inviter_id: 999_999 });
      const listed = (await keeper.get('/api/user/?p=1&page_size=100')).data.items as { id: number; inviter_name: string }[];
      const nameOf = (id: number) => listed.find((one) => one.id === id)?.inviter_name;
      expect([user, other, orphan, inviter].map(({ id }) => nameOf(id))).toEqual([inviter.username, inviter.username, '', '']);
      const named = { id: user.id, inviter_name: inviter.username };
      expect((await keeper.get(`/api/user/${user.id}`)).data).toMatchObject(named);
      expect((await keeper.put('/api/user/', { id: user.id, display_name: 'x' })).data).toMatchObject(named);
      expect((await keeper.post('/api/user/manage', { id: user.id, action: 'disable' })).data).toMatchObject(named);
      expect((await keeper.get(`/api/user/search?keyword=${user.username}`)).data.items).toMatchObject([named]);
    });

    it('do not tell users who invited them', async () => {
      const inviter = await app.createUser();
      const user = await app.as(await app.createUser({ inviter_id: inviter.id }));
      const { data } = await user.get('/api/user/self');
      expect(data).toMatchObject({ inviter_id: inviter.id });
      expect(JSON.stringify(data)).not.toContain('inviter_name');
      expect(JSON.stringify(data)).not.toContain(inviter.username);
    });

    it('that go round in a circle, or end at nobody, are told all the same', async () => {
      const one = await app.createUser({ inviter_id: 999_999 });
      const other = await app.createUser({ inviter_id: one.id });
      expect((await keeper.get(`/api/user/${other.id}/invitations`)).body).toMatchObject({ inviters: [{ id: one.id }] });
      await app.context.db.collection('users').patch({ id: one.id }, { set: { inviter_id: other.id } });
      expect((await keeper.get(`/api/user/${one.id}/invitations`)).body).toMatchObject({ inviters: [{ id: other.id }] });
    });
  });

  describe('sessions', () => {
    it('end everywhere at once, with a row in the log of whose they were', async () => {
      const mei = await app.createUser();
      const [phone, desk] = [await app.as(mei), await app.as(mei)];
      expect(await keeper.delete(`/api/user/${mei.id}/sessions`)).toMatchObject({ success: true, data: 2 });
      for (const client of [phone, desk]) expect(await client.get('/api/user/self')).toMatchObject({ status: 401 });
      expect(await keeper.delete(`/api/user/${mei.id}/sessions`)).toMatchObject({ success: true, data: 0 });
      const rows = (await (await app.as(mei)).get('/api/log/self')).data.items;
      expect(rows.map(({ content }: { content: string }) => content)).toEqual(['管理员结束了用户的 2 个登录会话']);
    });

    it('of one’s own all end but this one', async () => {
      const other = await app.as({ id: keeperId });
      expect(await keeper.delete(`/api/user/${keeperId}/sessions`)).toMatchObject({ success: true, data: 1 });
      expect(await other.get('/api/user/self')).toMatchObject({ status: 401 });
      expect(await keeper.get('/api/user/self')).toMatchObject({ success: true });
    });
  });

  describe('bindings', () => {
    it('are removed one by one, and then belong to nobody', async () => {
      const mei = await app.createUser({ github_id: 'mei', github_subject: '4711', oidc_id: 'mei@idp', oidc_subject: 'idp|mei' });
      const removed = await keeper.delete(`/api/user/${mei.id}/bindings/github`);
      expect(removed).toMatchObject({ success: true, data: { id: mei.id, github_id: '', oidc_id: 'mei@idp' } });
      const users = app.context.db.collection('users');
      expect((await users.get(mei.id))?.github_subject).toBeUndefined();
      expect((await users.get(mei.id))?.oidc_subject).toBe('idp|mei');
      const [row] = (await (await app.as(mei)).get('/api/log/self')).data.items;
      expect(row.content).toBe('管理员解除了用户的绑定：github');
      expect(await keeper.delete(`/api/user/${mei.id}/bindings/github`)).toMatchObject({ success: false, code: 'binding_missing' });
      expect(await keeper.delete(`/api/user/${mei.id}/bindings/password`)).toMatchObject({ success: false });
      // The identity is free for another account.
      await app.createUser({ github_id: 'mei', github_subject: '4711' });
    });

    it('of equals stay', async () => {
      const equal = await app.createUser({ role: 10, wechat_id: 'w', wechat_subject: 'w1' });
      expect(await keeper.delete(`/api/user/${equal.id}/bindings/wechat`)).toMatchObject({ code: 'user_edit_denied' });
      expect((await app.context.db.collection('users').get(equal.id))?.wechat_subject).toBe('w1');
      const user = await app.as(await app.createUser());
      expect(await user.delete(`/api/user/${equal.id}/bindings/wechat`)).toMatchObject({ status: 403 });
      expect(await app.anonymous().delete(`/api/user/${equal.id}/bindings/wechat`)).toMatchObject({ status: 401 });
      expect(await root.delete('/api/user/999999/bindings/wechat')).toMatchObject({ code: 'user_not_found' });
    });
  });

  it('nothing of it is for users, for equals or for who is not there', async () => {
    const mei = await app.createUser();
    const equal = await app.createUser({ role: 10 });
    const user = await app.as(await app.createUser());
    const calls = [
      ['GET', 'balance_history', 'user_read_denied'],
      ['GET', 'invitations', 'user_read_denied'],
      ['DELETE', 'sessions', 'user_edit_denied'],
    ] as const;
    for (const [method, name, denied] of calls) {
      expect(await app.anonymous().call(method, `/api/user/${mei.id}/${name}`)).toMatchObject({ status: 401 });
      expect(await user.call(method, `/api/user/${mei.id}/${name}`)).toMatchObject({ status: 403, code: 'forbidden' });
      expect(await keeper.call(method, `/api/user/${equal.id}/${name}`)).toMatchObject({ status: 200, success: false, code: denied });
      expect(await keeper.call(method, `/api/user/${keeperId}/${name}`)).toMatchObject({ success: true });
      expect(await root.call(method, `/api/user/${equal.id}/${name}`)).toMatchObject({ success: true });
      expect(await keeper.call(method, `/api/user/999999/${name}`)).toMatchObject({ success: false, code: 'user_not_found' });
      expect(await keeper.call(method, `/api/user/x/${name}`)).toMatchObject({ status: 404 });
    }
    for (const name of ['balance_history', 'invitations']) {
      expect(await keeper.get(`/api/user/${mei.id}/${name}?p[$gt]=1`)).toMatchObject({ status: 200, field: 'p' });
    }
  });
});
