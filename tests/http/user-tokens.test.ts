// Tokens of users, for administrators: who has a key, and what is done about it.
import { describe, expect, it } from 'vitest';
import { finishKeyMoves } from '#server/accounts/move-key.ts';
import { moveToken } from '#server/features/tokens/of-users/move-token.ts';
import { fillKeyEndings } from '#server/tokens/key-endings.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { failingWrites } from '#tests/support/watched-database.ts';

const path = '/api/user_token/';

describe.each(engines)('tokens of users on $kind', { concurrent: true }, (engine) => {
  it('a key is found whole, replaced or by its ending, and no answer has it', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const user = await app.createUser();
    const admin = await app.as(await app.createUser({ role: 10 }));
    const owner = await app.as(user);
    const [made] = (await owner.post('/api/token/', { name: 'ci', unlimited_quota: true })).data;
    const key: string = made.key;
    const find = (text: string, client = admin) => client.post(`${path}find`, { key: text });
    for (const text of [`sk-${key}`, key, ` sk-${key} `, `Bearer sk-${key}`, `sk-${key}-3`]) {
      expect((await find(text)).data, text).toMatchObject({ searches_ending: false, items: [{ id: made.id, ending: key.slice(-4) }] });
    }
    for (const text of [key.slice(-4), key.slice(-9), `…${key.slice(-4)}`, `...${key.slice(-6)}`, `***${key.slice(-4)}`]) {
      expect((await find(text)).data, text).toMatchObject({ searches_ending: true, items: [{ id: made.id, owner: { id: user.id } }] });
    }
    // Answers about its end do not reveal a whole key.
    for (const text of [key.slice(-20), `${'0'.repeat(12)}${key.slice(-8)}`]) expect((await find(text)).data.items, text).toHaveLength(1);
    // Nothing but the characters themselves is compared.
    for (const text of ['%%%%', '____', '.*.*', '\\w{4}', `x${key.slice(-4)}`, '^.+$', key.slice(0, 8)]) {
      expect((await find(text)).data, text).toMatchObject({ items: [] });
    }
    for (const text of ['', key.slice(-3), '%']) expect(await find(text), text).toMatchObject({ success: false, code: 'invalid_field' });
    // Records of earlier versions get their endings by a job.
    const tokens = app.context.db.collection('tokens');
    await tokens.patch({ id: made.id }, { unset: ['ending'] });
    expect((await find(key.slice(-4))).data.items).toEqual([]);
    await fillKeyEndings(app.context);
    expect((await find(key.slice(-4))).data.items).toHaveLength(1);
    const renewed = (await owner.post(`/api/token/${made.id}/renew`, { old_key_seconds: 600, revision: made.revision })).data;
    expect((await find(key)).data.items).toMatchObject([{ id: made.id, ending: renewed.key.slice(-4) }]);
    expect((await find(renewed.key.slice(-4))).data).toMatchObject({ items: [{ id: made.id }], replaced: [] });
    // The secret before is found by its last characters as well, once it is replaced again too, and the answer says so.
    expect((await find(key)).data).toMatchObject({ searches_ending: false, replaced: [made.id] });
    await owner.post(`/api/token/${made.id}/renew`, { old_key_seconds: 600, revision: renewed.revision });
    for (const text of [key.slice(-4), `…${key.slice(-6)}`, renewed.key.slice(-4)])
      expect((await find(text)).data, text).toMatchObject({ searches_ending: true, items: [{ id: made.id }], replaced: [made.id] });
    // Keys of those who are not below the reader are as good as unknown.
    const mine = (await root.post('/api/token/', { name: 'of root', unlimited_quota: true })).data[0];
    for (const text of [mine.key, mine.key.slice(-4)]) {
      expect((await find(text)).data.items, text).toEqual([]);
      expect((await find(text, root)).data.items).toMatchObject([{ id: mine.id }]);
    }
    const record = await tokens.get(made.id);
    const list = await admin.get(path);
    expect(list.data.items.map(({ id }: { id: number }) => id)).toEqual([made.id]);
    for (const answer of [list, await admin.get(`${path}${made.id}`), await find(renewed.key)]) {
      const text = JSON.stringify(answer.body);
      for (const secret of [key, renewed.key, renewed.key.slice(0, 3), record?.key_hash, record?.old_key_hash, record?.key_cipher]) {
        expect(text).not.toContain(secret);
      }
    }
    expect((await admin.get(`${path}?keyword=CI`)).data.items).toHaveLength(1);
    expect((await admin.get(`${path}?keyword=%25`)).data.items).toEqual([]);
    expect((await admin.get(`${path}?user=${user.id}`)).data.items).toHaveLength(1);
    expect((await admin.get(`${path}?user=${user.username}`)).data.items).toHaveLength(1);
    expect((await admin.get(`${path}?user=nobody`)).data).toEqual({ items: [] });
    expect(await admin.get(`${path}?user=${root.userId}`)).toMatchObject({ success: false, code: 'user_read_denied' });
    expect((await owner.delete(`/api/token/${made.id}`)).success).toBe(true);
    expect((await admin.get(path)).data.items).toEqual([]);
    expect((await find(renewed.key)).data.items).toMatchObject([{ id: made.id, DeletedAt: expect.any(String) }]);
  });

  it('pages follow each other without a gap, and say how far a long search came', async () => {
    await using app = await createTestApp(engine);
    await app.setup();
    const admin = await app.as(await app.createUser({ role: 10 }));
    const [one, other] = [await app.createUser(), await app.createUser()];
    for (let index = 0; index < 13; index += 1)
      await createToken(app.context, (index % 2 === 0 ? one : other).id, { name: `key ${index}` });
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const { data } = await admin.get(`${path}?page_size=5${cursor}`);
      seen.push(...data.items.map(({ name }: { name: string }) => name));
      if (data.cursor === undefined) break;
      cursor = `&cursor=${data.cursor}`;
    }
    expect(seen).toEqual(Array.from({ length: 13 }, (_, index) => `key ${12 - index}`));
    expect((await admin.get(`${path}?cursor=x`)).code).toBe('invalid_field');
  });

  it('nobody acts on a key of an equal, a superior or without the role', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const admin = await app.as(await app.createUser({ role: 10 }));
    const [user, victim, peer] = [await app.createUser(), await app.createUser(), await app.createUser({ role: 10 })];
    const tokens = {
      ofRoot: await createToken(app.context, Number(root.userId)),
      ofPeer: await createToken(app.context, peer.id),
      ofSelf: await createToken(app.context, Number(admin.userId)),
      ofVictim: await createToken(app.context, victim.id),
    };
    const acts = (id: number) =>
      [
        ['put', `${path}${id}`, { allow_ips: '1.2.3.4' }],
        ['post', `${path}${id}/block`, { reason: 'x' }],
        ['post', `${path}${id}/unblock`, {}],
        ['post', `${path}${id}/move`, { user_id: user.id }],
        ['delete', `${path}${id}`, undefined],
      ] as const;
    for (const token of [tokens.ofRoot, tokens.ofPeer, tokens.ofSelf]) {
      for (const [method, url, body] of acts(token.token.id)) {
        const answer = method === 'delete' ? await admin.delete(url) : await admin[method](url, body);
        expect(answer, url).toMatchObject({ success: false, code: 'user_edit_denied' });
      }
    }
    expect(await admin.get(`${path}${tokens.ofPeer.token.id}`)).toMatchObject({ success: false, code: 'user_read_denied' });
    for (const target of [root.userId, peer.id, admin.userId]) {
      expect(await admin.post(`${path}${tokens.ofVictim.token.id}/move`, { user_id: target })).toMatchObject({ code: 'user_edit_denied' });
    }
    expect(await admin.post(`${path}${tokens.ofVictim.token.id}/move`, { user_id: 999_999 })).toMatchObject({ code: 'user_not_found' });
    const plain = await app.as(user);
    for (const [method, url, body] of [...acts(tokens.ofVictim.token.id), ['post', `${path}find`, { key: 'abcd' }] as const]) {
      for (const [client, status] of [
        [plain, 403],
        [app.anonymous(), 401],
      ] as const) {
        expect(method === 'delete' ? await client.delete(url) : await client[method](url, body), url).toMatchObject({ status });
      }
    }
    const records = app.context.db.collection('tokens');
    for (const { token } of Object.values(tokens)) expect(await records.get(token.id)).toMatchObject(token);
    for (const [method, url, body] of acts(999_999)) {
      expect(method === 'delete' ? await admin.delete(url) : await admin[method](url, body)).toMatchObject({ code: 'not_found' });
    }
  });

  it('a blocked key is refused at once, says why to its owner, and only an administrator enables it', async () => {
    await using scene = await createScene(engine);
    const { app, user, token } = scene;
    await app.setup();
    const admin = await app.as(await app.createUser({ role: 10, username: 'anna' }));
    const owner = await app.as(user);
    await (await scene.chat()).text();
    for (const reason of ['', '  ', 'a\nb']) {
      expect(await admin.post(`${path}${token.id}/block`, { reason })).toMatchObject({ code: 'invalid_field', field: 'reason' });
    }
    const blocked = await admin.post(`${path}${token.id}/block`, { reason: 'found on GitHub' });
    expect(blocked.data).toMatchObject({ status: 2, blocked_reason: 'found on GitHub', blocked_by: 'anna' });
    expect((await scene.chat()).status).toBe(401);
    expect((await owner.get(`/api/token/${token.id}`)).data).toMatchObject({ status: 2, blocked_reason: 'found on GitHub' });
    expect(await owner.put('/api/token/?status_only=1', { id: token.id, status: 1 })).toMatchObject({
      success: false,
      code: 'token_blocked',
    });
    // No other edit of its owner enables it either.
    await owner.put('/api/token/', { id: token.id, name: 'renamed', status: 1, unlimited_quota: true, remain_quota: 10 });
    await owner.put('/api/token/batch', { ids: [token.id], ref: 'some-edit-of-many', expired_time: -1 });
    await owner.delete(`/api/token/${token.id}`);
    await owner.post('/api/token/restore', { ids: [token.id] });
    expect((await scene.chat()).status).toBe(401);
    const [said] = (await owner.get('/api/log/self?type=3')).data.items;
    expect(JSON.parse(said.other).event).toMatchObject({ code: 'token_blocked', reason: 'found on GitHub' });
    expect((await admin.post(`${path}${token.id}/unblock`, {})).data).toMatchObject({ status: 1, blocked_by: '' });
    expect((await scene.chat()).status).toBe(200);
    // One that its owner has disabled stays so, however often it is blocked.
    await owner.put('/api/token/?status_only=1', { id: token.id, status: 2 });
    for (const reason of ['found on GitHub', 'found again']) await admin.post(`${path}${token.id}/block`, { reason });
    expect((await admin.post(`${path}${token.id}/unblock`, {})).data).toMatchObject({ status: 2, blocked_by: '' });
    expect(await owner.put('/api/token/?status_only=1', { id: token.id, status: 1 })).toMatchObject({ success: true });
    const { data } = await admin.get(`/api/audit_log/?object=token:${token.id}`);
    expect(data.items.map(({ action }: { action: string }) => action)).toEqual(expect.arrayContaining(['enabled', 'disabled']));
  });

  it('what an administrator deleted, its owner cannot restore', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const user = await app.createUser();
    const owner = await app.as(user);
    const { token } = await createToken(app.context, user.id);
    expect((await root.delete(`${path}${token.id}`)).success).toBe(true);
    expect(await owner.post('/api/token/restore', { ids: [token.id] })).toMatchObject({ data: 0 });
    expect((await owner.get('/api/token/')).data).toEqual([]);
    expect(await root.delete(`${path}${token.id}`)).toMatchObject({ code: 'not_found' });
    const { data } = await root.get(`/api/audit_log/?object=token:${token.id}`);
    expect(data.items[0]).toMatchObject({ action: 'deleted', actor: { user_id: root.userId } });
  });

  it('limits that an administrator holds are not the owner’s to change', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const user = await app.createUser();
    const owner = await app.as(user);
    const { token } = await createToken(app.context, user.id, { quota: 5_000 });
    const limits = {
      remain_quota: 1_000,
      model_limits_enabled: true,
      model_limits: 'gpt-4o',
      allow_ips: '10.0.0.0/8',
      expired_time: 4_000_000_000,
    };
    const edited = await root.put(`${path}${token.id}`, { ...limits, held: ['quota', 'models', 'addresses', 'expiry'], revision: 1 });
    expect(edited.data).toMatchObject({ ...limits, held: ['quota', 'models', 'addresses', 'expiry'] });
    const wider = [
      { remain_quota: 2_000 },
      { unlimited_quota: true },
      { model_limits_enabled: false },
      { model_limits: 'gpt-4o,o3' },
      { allow_ips: '' },
      { expired_time: -1 },
    ];
    for (const change of wider) {
      expect(await owner.put('/api/token/', { id: token.id, ...change }), JSON.stringify(change)).toMatchObject({
        code: 'token_limit_held',
      });
      const many = { ids: [token.id], ref: 'an-edit-of-many', ...change };
      expect(await owner.put('/api/token/batch', many), JSON.stringify(change)).toMatchObject({ code: 'token_limit_held' });
    }
    expect(await owner.put('/api/token/batch', { ids: [token.id], ref: 'one-refill-of-it', refill: 5 })).toMatchObject({
      code: 'token_limit_held',
    });
    // What was read is sent back, with another name.
    const read = (await owner.get(`/api/token/${token.id}`)).data;
    expect((await owner.put('/api/token/', { ...read, name: 'mine' })).data).toMatchObject({ ...limits, name: 'mine' });
    expect(await root.put(`${path}${token.id}`, { allow_ips: '', revision: 1 })).toMatchObject({ code: 'revision_conflict' });
    expect((await root.put(`${path}${token.id}`, { held: [] })).data.held).toBeUndefined();
    expect((await owner.put('/api/token/', { id: token.id, allow_ips: '' })).success).toBe(true);
  });

  it('a moved key works on, its past stays with who paid, and the books balance', async () => {
    await using scene = await createScene(engine, { tokenQuota: 1_000_000 });
    const { app, user, token } = scene;
    const root = await app.setup();
    const owner = await app.as(user);
    const other = await app.createUser({ quota: 1_000_000 });
    const heir = await app.as(other);
    await (await scene.chat()).text();
    await scene.logs(1);
    const before = (await owner.get(`/api/token/${token.id}`)).data;
    const found = (await owner.get('/api/token/')).data[0];
    expect((await owner.post(`/api/token/${token.id}/renew`, { old_key_seconds: 0, revision: found.revision })).success).toBe(true);
    const { key } = (await owner.get('/api/token/')).data[0];
    const moved = (await root.post(`${path}${token.id}/move`, { user_id: other.id })).data;
    expect(moved).toMatchObject({
      user_id: other.id,
      name: before.name,
      remain_quota: before.remain_quota,
      used_quota: 0,
      ending: key.slice(-4),
    });
    expect(moved.moved_from).toMatchObject({ id: token.id, username: user.username });
    const chat = await scene.chat({}, { authorization: `Bearer sk-${key}` });
    expect(chat.status).toBe(200);
    await chat.text();
    await scene.logs(2);
    const rows = await app.context.db.collection('logs').find({ type: 2 }, { sort: [['id', 1]] });
    expect(rows.map(({ user_id, token_id }) => [user_id, token_id])).toEqual([
      [user.id, token.id],
      [other.id, moved.id],
    ]);
    expect((await owner.get('/api/token/')).data).toEqual([]);
    expect(await owner.post('/api/token/restore', { ids: [token.id] })).toMatchObject({ data: 0 });
    expect((await heir.get('/api/token/')).data).toMatchObject([{ id: moved.id, key }]);
    expect((await root.get(`${path}${token.id}`)).data.moved_to).toMatchObject({ id: moved.id, user_id: other.id });
    expect((await root.post(`${path}find`, { key })).data.items).toMatchObject([{ id: moved.id }]);
    await scene.checkBooks();
    // Back again.
    const back = (await root.post(`${path}${moved.id}/move`, { user_id: user.id })).data;
    expect((await owner.get('/api/token/')).data).toMatchObject([{ id: back.id, key }]);
    await scene.checkBooks();
  });

  it('a move that is interrupted anywhere is finished, and the key is accepted at every moment', async () => {
    await using scene = await createScene(engine, { tokenQuota: 1_000_000 });
    const { app, user } = scene;
    await app.setup();
    const actor = await app.createUser({ role: 100 });
    const other = await app.createUser({ quota: 1_000_000 });
    const { context } = app;
    const { db } = context;
    const people = [user, other];
    let interrupted = 0;
    for (let allowed = 0; ; allowed += 1) {
      const [token] = await db.collection('tokens').find({ DeletedAt: null });
      if (token === undefined) throw new Error('The key is gone');
      const target = people.find(({ id }) => id !== token.user_id) ?? other;
      const failing = { ...context, db: failingWrites(db, allowed, 'jobs') };
      const done = await moveToken(failing, actor, { id: token.id, user_id: target.id }).catch(() => null);
      expect((await scene.chat()).status, `after ${allowed} writes`).toBe(200);
      app.clock.advance(60_000);
      await finishKeyMoves(context);
      await finishKeyMoves(context);
      expect((await scene.chat()).status, `after ${allowed} writes and the job`).toBe(200);
      const alive = await db.collection('tokens').find({ DeletedAt: null });
      expect(alive.map(({ key_hash }) => key_hash)).toEqual([token.key_hash]);
      if (done !== null) break;
      interrupted += 1;
    }
    expect(interrupted).toBeGreaterThan(4);
    await scene.checkBooks();
  });
});
