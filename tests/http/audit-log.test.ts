// Who changed what: through every door, with secrets left out, also when a process stops between an entry and its change.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AuditEntry } from '#shared/audit-log.ts';
import { actingAsJob } from '#server/audit-log/actor.ts';
import { finishAuditEntries, newMark } from '#server/audit-log/entries.ts';
import { createRecordingDatabase } from '#server/audit-log/recording-database.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import type { AuditEntryRecord } from '#server/db/records/audit-entry.ts';
import { disableChannel } from '#server/exchange/auto-disable.ts';
import { sweepAuditEntries } from '#server/settings/sweep-audit-entries.ts';
import { finishOptionWrites } from '#server/settings/option-writes.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp, testPassword } from '#tests/support/test-app.ts';

describe.each(engines)('audit log on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;
  let admin: TestClient;
  let adminId: number;

  beforeAll(async () => {
    app = await createTestApp(engine);
    root = await app.setup();
    const user = await app.createUser({ role: 10, username: 'ops' });
    adminId = user.id;
    admin = await app.as(user);
  });
  afterAll(() => app.close());

  const list = async (query = '', client = root): Promise<AuditEntry[]> =>
    (await client.get(`/api/audit_log/?page_size=100&${query}`)).data.items;
  const history = (object: string, client = root) => list(`object=${object}`, client);
  const everything = async (): Promise<AuditEntryRecord[]> => app.context.db.collection('audit_entries').find({});
  const channelKey = 'sk-verysecretkeyofachannel0123456789';
  const create = async (fields: object = {}): Promise<number> => {
    const response = await root.post('/api/channel/', {
      type: 1,
      name: 'harbour',
      key: channelKey,
      models: 'gpt-4o',
      group: 'default',
      ...fields,
    });
    expect(response).toMatchObject({ success: true });
    return response.data[0];
  };
  const actions = (entries: readonly AuditEntry[]) => entries.map(({ action }) => action).toReversed();

  it('channels: each change with who, from where and what; keys are never in it', async () => {
    const id = await create({ weight: 10 });
    await admin.put(
      '/api/channel/',
      { id, weight: 20, models: 'gpt-4o,o3-mini' },
      { headers: { 'user-agent': 'Browser 1\t[forged] line' } },
    );
    await admin.put('/api/channel/', { id, key: 'sk-anothersecretkey0123456789abcdef' });
    await admin.put('/api/channel/', { id, status: 2 });
    await admin.delete(`/api/channel/${id}`);
    await admin.post('/api/channel/restore', { ids: [id] });
    const found = await history(`channel:${id}`);
    expect(actions(found)).toEqual(['created', 'changed', 'key_replaced', 'disabled', 'deleted', 'restored']);
    const [created, changed, replaced] = found.toReversed();
    expect(created).toMatchObject({ name: 'harbour', kind: 'channel', object_id: String(id), actor: { name: 'root', by: 'session' } });
    expect(created?.changes).toEqual(
      expect.arrayContaining([
        { field: 'weight', after: 10 },
        { field: 'key_hash', secret: 'set' },
      ]),
    );
    expect(changed).toMatchObject({
      actor: { user_id: adminId, name: 'ops', by: 'session' },
      ip: '127.0.0.1',
      user_agent: expect.stringContaining('Browser 1'),
    });
    expect(changed?.user_agent).not.toContain('\t');
    expect(changed?.request_id).not.toBe('');
    expect(changed?.changes).toEqual([
      { field: 'weight', before: 10, after: 20 },
      { field: 'models', added: ['o3-mini'] },
    ]);
    expect(replaced?.changes).toEqual([{ field: 'key_hash', secret: 'replaced' }]);
    const stored = JSON.stringify(await everything());
    const channel = await app.context.db.collection('channels').get(id);
    for (const secret of [channelKey, 'sk-anothersecretkey', channel?.key_hash, channel?.key_cipher]) expect(stored).not.toContain(secret);
  });

  it('nothing is recorded of a refused change, and of one that changes nothing', async () => {
    const id = await create();
    expect(await admin.put('/api/channel/', { id, weight: 7, revision: 99 })).toMatchObject({ code: 'revision_conflict' });
    expect(await admin.put('/api/channel/', { id, name: 'harbour' })).toMatchObject({ success: true });
    expect(actions(await history(`channel:${id}`))).toEqual(['created']);
    expect(await app.context.db.collection('audit_entries').count({ pending_at: { exists: true } })).toBe(0);
  });

  it('many at once: an entry for each, and none for those that stay', async () => {
    const ids = [await create({ tag: 'bulk' }), await create({ tag: 'bulk', weight: 3 })];
    expect(await admin.put('/api/channel/batch', { ids, weight: 3 })).toMatchObject({ success: true });
    expect(actions(await history(`channel:${ids[0]}`))).toEqual(['created', 'changed']);
    expect(actions(await history(`channel:${ids[1]}`))).toEqual(['created']);
    await admin.post('/api/channel/tag/disabled', { tag: 'bulk' });
    expect(actions(await history(`channel:${ids[1]}`))).toEqual(['created', 'disabled']);
    await admin.post('/api/channel/batch', { ids });
    expect((await history(`channel:${ids[1]}`))[0]).toMatchObject({ action: 'deleted', name: 'harbour', actor: { name: 'ops' } });
  });

  it('what the system does is recorded under the job, or the system', async () => {
    const id = await create();
    await disableChannel(app.context, id, { code: 'key_refused', facts: {} });
    await actingAsJob('renew-sign-ins', () =>
      app.context.db.collection('channels').patch({ id }, { set: { key_hash: 'another', key_cipher: 'sealed' } }),
    );
    const [renewed, disabled] = await history(`channel:${id}`);
    expect(disabled).toMatchObject({ action: 'disabled', actor: { user_id: 0, name: '', by: 'job' }, ip: '' });
    expect(disabled?.changes).toEqual(expect.arrayContaining([{ field: 'other_info', after: 'key_refused' }]));
    expect(renewed).toMatchObject({ action: 'key_replaced', actor: { name: 'renew-sign-ins', by: 'job' } });
    expect((await list(`object=channel:${id}&without_system=1`)).map(({ action }) => action)).toEqual(['created']);
    expect((await list('actor=system')).every(({ actor }) => actor.by === 'job')).toBe(true);
  });

  it('users: rights, passwords, balances with their reason, sessions, deletion with its tokens', async () => {
    const created = await root.post('/api/user/', { username: 'sailor', password: 'longenough1', display_name: 'Sailor' });
    expect(created.success).toBe(true);
    const user = await app.context.db.collection('users').first({ username: 'sailor' });
    const id = user?.id ?? 0;
    await root.post('/api/user/manage', { id, action: 'promote' });
    await root.put('/api/user/', { id, password: 'anotherlong2' });
    await root.put('/api/user/', { id, quota_change: 500, quota_reason: 'a gift' });
    const sailor = await app.as({ id });
    const [token] = (await sailor.post('/api/token/', { name: 'oar', unlimited_quota: true })).data;
    await sailor.get('/api/user/token');
    await root.delete(`/api/user/${id}/sessions`);
    await root.post('/api/user/manage', { id, action: 'delete' });
    const found = await history(`user:${id}`);
    expect(actions(found)).toEqual([
      'created',
      'role_changed',
      'password_changed',
      'balance_changed',
      'access_token_changed',
      'sessions_ended',
      'deleted',
    ]);
    const balance = found.find(({ action }) => action === 'balance_changed');
    expect(balance).toMatchObject({ reason: 'a gift', name: 'sailor', changes: [{ field: 'quota', before: 0, after: 500 }] });
    expect(actions(await history(`token:${token.id}`))).toEqual(['created', 'disabled']);
    const stored = JSON.stringify(await everything());
    for (const secret of ['longenough1', 'anotherlong2', token.key, user?.password_hash]) expect(stored).not.toContain(secret);
  });

  it('settings and prices: the difference is that of their history, secrets have none', async () => {
    await root.put('/api/option/batch', {
      options: [
        { key: 'RetryTimes', value: '2' },
        { key: 'SMTPToken', value: 'mail-secret-1' },
        { key: 'ToolPrice', value: '{"web_search":12}' },
      ],
    });
    expect((await history('setting:RetryTimes'))[0]).toMatchObject({
      action: 'changed',
      changes: [{ field: 'RetryTimes', before: '3', after: '2' }],
    });
    expect((await history('setting:SMTPToken'))[0]?.changes).toEqual([{ field: 'SMTPToken', secret: 'set' }]);
    const [price] = await list('kind=price');
    expect(price).toMatchObject({
      object_id: 'ToolPrice',
      changes: expect.arrayContaining([expect.objectContaining({ field: 'web_search', after: 12 })]),
    });
    expect(JSON.stringify([await everything(), await list()])).not.toContain('mail-secret-1');
  });

  it('settings: a save that was stored but not copied gets its entry with the copy, once', async () => {
    const facts = app.context.db.collection('facts');
    await root.put('/api/option/', { key: 'Footer', value: 'one' });
    const [entry] = await history('setting:Footer');
    const fact = await facts.get('option_writes');
    const change = await app.context.db.collection('option_changes').first({ key: 'Footer' }, { sort: [['id', -1]] });
    const row = await app.context.db.collection('options').get('Footer');
    const seq = z.object({ seq: z.number() }).parse(fact?.value).seq + 1;
    const actor = {
      mark: newMark(app.clock.now()),
      at: app.clock.now(),
      user: { id: 1, name: 'root', role: 100 },
      by: 'session',
      job: '',
      ip: '',
      userAgent: '',
      requestId: '',
    };
    const pending = [{ ...row, value: 'two', revision: (row?.revision ?? 0) + 1 }];
    const changes = [{ ...change, id: seq * 1000, before: 'one', after: 'two' }];
    const value = { seq, pending, changes, actor, state: 'pending' };
    for (let copies = 0; copies < 2; copies += 1) {
      await facts.patch({ id: 'option_writes' }, { set: { value } });
      await finishOptionWrites(app.context);
    }
    const found = await history('setting:Footer');
    expect(found.filter(({ id }) => id !== entry?.id)).toMatchObject([{ changes: [{ before: 'one', after: 'two' }] }]);
  });

  it('codes: each has its own history, and who redeemed it', async () => {
    const keys: string[] = (await admin.post('/api/redemption/', { name: 'spring', count: 3, quota: 100 })).data;
    const [first] = (await admin.get('/api/redemption/?page_size=1')).data.items;
    const user = await app.createUser();
    await (await app.as(user)).post('/api/user/topup', { key: keys.at(-1) });
    await admin.post('/api/redemption/batch', { ids: [first.id - 1], action: 'delete' });
    expect(actions(await history(`code:${first.id}`))).toEqual(['created', 'redeemed']);
    expect((await history(`code:${first.id}`))[0]).toMatchObject({ actor: { user_id: user.id } });
    expect(actions(await history(`code:${first.id - 1}`))).toEqual(['created', 'deleted']);
    const stored = JSON.stringify(await everything());
    for (const key of keys) expect(stored).not.toContain(key);
  });

  it('calls without a record of their own are entries themselves; refused ones are not', async () => {
    await root.delete('/api/log/?target_timestamp=1000');
    expect((await list('kind=usage_log'))[0]).toMatchObject({ action: 'deleted', object_id: '1000', actor: { name: 'root' } });
    const before = (await list('kind=group')).length;
    expect(await root.post('/api/group/rename', { name: 'nowhere', to: 'elsewhere' })).toMatchObject({ success: false });
    expect((await list('kind=group')).length).toBe(before);
  });

  it('access tokens are named as such', async () => {
    const { data: token } = await admin.get('/api/user/token');
    const program = app.anonymous();
    const id = await create();
    await program.put(
      '/api/channel/',
      { id, weight: 9 },
      { headers: { authorization: `Bearer ${token}`, 'new-api-user': String(adminId) } },
    );
    expect((await history(`channel:${id}`))[0]?.actor).toEqual({ user_id: adminId, name: 'ops', by: 'access_token' });
  });

  it('failed sign-ins of administrators are joined, and bounded however many addresses guess', async () => {
    const guesser = app.anonymous();
    for (let attempt = 0; attempt < 2; attempt += 1)
      await guesser.post('/api/user/login', { username: 'ops', password: `wrong guess ${attempt}` });
    await guesser.post('/api/user/login', { username: 'nobody-here', password: 'wrong guess' });
    const failed = (await list('action=sign_in_failed')).filter(({ object }) => object === `sign_in:${adminId}`);
    expect(failed).toMatchObject([{ count: 2, name: 'ops', actor: { user_id: 0, by: 'none' }, ip: '127.0.0.1' }]);
    expect(JSON.stringify(await everything())).not.toContain('wrong guess');
    await app.login('ops', testPassword);
    expect((await history(`sign_in:${adminId}`))[0]).toMatchObject({ action: 'signed_in', actor: { name: 'ops' } });
  });

  it('rights: administrators see neither whom they may not act on nor where those are; users see nothing', async () => {
    const user = await app.as(await app.createUser());
    for (const path of ['/api/audit_log/', '/api/audit_log/export']) {
      expect(await user.get(path)).toMatchObject({ status: 403 });
      expect(await app.anonymous().get(path)).toMatchObject({ status: 401 });
    }
    const rootId = root.userId ?? 0;
    await app.login('root');
    expect(await history(`sign_in:${rootId}`, admin)).toEqual([]);
    expect(await history(`user:${rootId}`, admin)).toEqual([]);
    expect((await history(`sign_in:${rootId}`)).length).toBeGreaterThan(0);
    const id = await create();
    expect((await history(`channel:${id}`, admin))[0]).toMatchObject({ actor: { name: 'root' }, ip: '', user_agent: '' });
    const { body } = await admin.get(`/api/audit_log/export?format=json&kind=sign_in`);
    expect(String(body)).not.toContain(`sign_in:${rootId}`);
    // Nothing changes or removes an entry.
    const [entry] = await history(`channel:${id}`);
    for (const method of ['POST', 'PUT', 'DELETE'] as const)
      for (const path of ['/api/audit_log/', `/api/audit_log/${entry?.id}`])
        expect(await root.call(method, path, {})).toMatchObject({ status: 404 });
  });

  it('pages by cursor, and searches names, values and ids', async () => {
    const id = await create({ name: 'Needle & Thread' });
    for (const weight of [1, 2, 3, 4]) await root.put('/api/channel/', { id, weight });
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const { data } = await root.get(`/api/audit_log/?page_size=2&object=channel:${id}&cursor=${cursor}`);
      seen.push(...data.items.map((one: AuditEntry) => one.id));
      if (data.cursor === undefined) break;
      cursor = data.cursor;
    }
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(5);
    expect(seen).toEqual(seen.toSorted().toReversed());
    expect((await list('keyword=needle%20%26&kind=channel')).length).toBe(5);
    expect((await list(`keyword=channel:${id}&actor=root`)).length).toBe(5);
    expect(await list('keyword=there-is-no-such-word')).toEqual([]);
    expect(await list('actor=no-such-user')).toEqual([]);
    expect(await root.get('/api/audit_log/?cursor=%00')).toMatchObject({ success: false, field: 'cursor' });
    const seconds = Math.floor(app.clock.now() / 1000);
    expect((await list(`object=channel:${id}&start_timestamp=${seconds - 3600}&end_timestamp=${seconds}`)).length).toBe(5);
    expect(await list(`object=channel:${id}&end_timestamp=${seconds - 3600}`)).toEqual([]);
  });

  it('names: control characters, long texts and formulas do no harm', async () => {
    const id = await create({
      name: '=HYPERLINK("http://evil")',
      tag: 't'.repeat(255),
      model_mapping: JSON.stringify({ ['m'.repeat(200)]: 'x'.repeat(5000) }),
    });
    const { body, headers } = await root.get(`/api/audit_log/export?object=channel:${id}`);
    expect(headers['content-type']).toContain('text/csv');
    const [, line = ''] = String(body).split('\r\n');
    expect(line).toContain(`"'=HYPERLINK(""http://evil"")"`);
    const { body: lines } = await root.get(`/api/audit_log/export?format=json&object=channel:${id}`);
    expect(lines).toMatchObject({ action: 'created' });
    expect(JSON.stringify(lines).length).toBeLessThan(6_000);
  });

  it('retention: older entries go, and the setting has a minimum that is recorded', async () => {
    expect(await admin.put('/api/option/', { key: 'AuditRetentionDays', value: '30' })).toMatchObject({ status: 403 });
    for (const wrong of ['1', '29', '-1'])
      expect(await root.put('/api/option/', { key: 'AuditRetentionDays', value: wrong })).toMatchObject({ success: false });
    expect(await root.put('/api/option/', { key: 'AuditRetentionDays', value: '30' })).toMatchObject({ success: true });
    expect((await history('setting:AuditRetentionDays'))[0]?.changes).toEqual([
      { field: 'AuditRetentionDays', before: '400', after: '30' },
    ]);
    const count = (await everything()).length;
    await sweepAuditEntries(app.context);
    expect((await everything()).length).toBe(count);
    const later = () => app.clock.now() + 31 * 86_400_000;
    await sweepAuditEntries({ ...app.context, now: later, settings: { get: () => 0 as never } });
    expect((await everything()).length).toBe(count);
    await sweepAuditEntries({ ...app.context, now: later });
    expect(await everything()).toEqual([]);
    expect(await app.context.db.collection('option_changes').count({})).toBe(0);
  });
});

describe.each(engines)('audit log after a crash on $kind', (engine) => {
  it('a stored change keeps its entry, another loses it, whatever came after', async () => {
    const database = await engine.create();
    try {
      const { db } = database;
      let now = 1_900_000_000_000;
      const context = { db, now: () => now };
      const working = createRecordingDatabase(db, context.now);
      const broken = (when: 'before' | 'after') => createRecordingDatabase(failing(db, when), context.now);
      const code = (id: number) => ({
        id,
        user_id: 1,
        name: `code ${id}`,
        quota: 5,
        key_hash: `hash ${id}`,
        key_cipher: '',
        status: 1,
        created_time: 0,
        expired_time: 0,
        redeemed_time: 0,
        used_user_id: 0,
        claims: 0,
        DeletedAt: null,
        listed: 1 as const,
        revision: 1,
      });
      const gone = { name: DatabaseUnavailable.name };
      for (const id of [1, 2, 3]) await working.collection('redemptions').insert(code(id));
      await expect(
        broken('before')
          .collection('redemptions')
          .patch({ id: 1 }, { set: { quota: 6 } }),
      ).rejects.toMatchObject(gone);
      await expect(
        broken('after')
          .collection('redemptions')
          .patch({ id: 2 }, { set: { quota: 7 } }),
      ).rejects.toMatchObject(gone);
      await expect(broken('after').collection('redemptions').insert(code(4))).rejects.toMatchObject(gone);
      await expect(broken('before').collection('redemptions').insert(code(5))).rejects.toMatchObject(gone);
      // A later change confirms the entry of the one that it replaces.
      await expect(
        broken('after')
          .collection('redemptions')
          .patch({ id: 3 }, { set: { quota: 8 } }),
      ).rejects.toMatchObject(gone);
      await working.collection('redemptions').patch({ id: 3 }, { set: { quota: 9 } });
      await finishAuditEntries(context);
      const entries = db.collection('audit_entries');
      expect(await entries.count({ pending_at: { exists: true } })).toBe(4);
      now += 3_600_000;
      await finishAuditEntries(context);
      expect(await entries.count({ pending_at: { exists: true } })).toBe(0);
      const after = async (id: number) =>
        (await entries.find({ object: `code:${id}` }, { sort: [['id', 1]] })).flatMap(({ changes }) =>
          changes.filter(({ field }) => field === 'quota').map((change) => change.after),
        );
      expect(await after(1)).toEqual([5]);
      expect(await after(2)).toEqual([5, 7]);
      expect((await after(3)).toSorted((left, right) => Number(left) - Number(right))).toEqual([5, 8, 9]);
      expect(await after(4)).toEqual([5]);
      expect(await after(5)).toEqual([]);
    } finally {
      await database.remove();
    }
  });
});

/** A database that fails at a change of a code, before or after it is stored. */
function failing(db: Database, when: 'before' | 'after'): Database {
  const fail = async (work: () => Promise<unknown>): Promise<never> => {
    if (when === 'after') await work();
    throw new DatabaseUnavailable('The connection was lost');
  };
  return {
    ...db,
    write: (batch) => db.write(batch),
    collection(name) {
      const records = db.collection(name);
      if (name !== 'redemptions') return records;
      return new Proxy(records, {
        get(target, property) {
          const member: unknown = Reflect.get(target, property);
          if (typeof member !== 'function') return member;
          const method = (...values: unknown[]): unknown => Reflect.apply(member, target, values);
          return property === 'patch' || property === 'insert' ? (...values: unknown[]) => fail(async () => method(...values)) : method;
        },
      });
    },
  };
}
