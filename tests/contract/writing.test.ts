import { expect, it } from 'vitest';
import type { Write } from '#server/db/database.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import { ChangeShape } from '#server/db/repeated-change.ts';
import { logRecord, tokenRecord, userRecord } from '#tests/contract/records.ts';
import { onEachEngine } from '#tests/support/engines.ts';

onEachEngine('writing', (current) => {
  it('a patch returns the record as it is afterwards, or null when none matches', async () => {
    const users = current().db.collection('users');
    await users.insert(userRecord({ id: 1, quota: 10, aff_code: 'x' }));
    const changed = await users.patch(
      { id: 1, quota: { gte: 10 } },
      {
        increment: { quota: -4, 'leases.p1': 4, request_count: 1 },
        set: { email: 'a"b\\c', setting: '{"a":1}', DeletedAt: '2024' },
        unset: ['aff_code', 'marks.none'],
        max: { 'applied.p1': 7, full_mark: -5 },
      },
    );
    const expected = userRecord({
      id: 1,
      quota: 6,
      leases: { p1: 4 },
      request_count: 1,
      email: 'a"b\\c',
      setting: '{"a":1}',
      DeletedAt: '2024',
      applied: { p1: 7 },
    });
    expect(changed).toEqual(expected);
    expect(await users.get(1)).toEqual(expected);
    expect(await users.patch({ id: 1, quota: { gte: 10 } }, { increment: { quota: -10 } })).toBeNull();
    expect(await users.patch({ id: 2 }, { set: { quota: 1 } })).toBeNull();
    expect((await users.get(1))?.quota).toBe(6);
  });

  it('a patch sets values of every kind, and takes keys of maps away', async () => {
    const facts = current().db.collection('facts');
    await facts.insert({ id: 'a', value: { stored: 1, gone: 2 } });
    await facts.patch(
      { id: 'a' },
      { set: { 'value.list': [1, { x: null }], 'value.yes': true, 'value.none': null, 'value.deep': { er: [] } }, unset: ['value.gone'] },
    );
    expect(await facts.get('a')).toEqual({
      id: 'a',
      value: { stored: 1, list: [1, { x: null }], yes: true, none: null, deep: { er: [] } },
    });
    await facts.patch({ id: 'a' }, { set: { value: 'replaced' } });
    expect(await facts.get('a')).toEqual({ id: 'a', value: 'replaced' });
  });

  it('keys of maps may have dashes and digits, as process ids do', async () => {
    const users = current().db.collection('users');
    await users.insert(userRecord({ id: 1 }));
    const process = '0f-3a_9';
    await users.patch({ id: 1, [`leases.${process}`]: { exists: false } }, { increment: { [`leases.${process}`]: 5 } });
    expect(await users.patch({ id: 1, [`leases.${process}`]: { gte: 5 } }, { increment: { [`leases.${process}`]: -5 } })).toMatchObject({
      leases: { [process]: 0 },
    });
    expect(await users.patch({ id: 1, [`leases.${process}`]: 0 }, { unset: [`leases.${process}`] })).toMatchObject({ leases: {} });
  });

  it('a repeated change is that of its shape with its numbers, as often as it is made', async () => {
    const { db } = current();
    const users = db.collection('users');
    for (const id of [1, 2]) await users.insert(userRecord({ id, quota: 100, leases: { p1: 50 }, applied: { p1: 3 }, used_quota: 1 }));
    const shape = new ChangeShape('users', 5, ([id = 0, seq = 0, taken = 0, share = 0, given = 0]) => ({
      where: { id, 'leases.p1': { exists: true }, 'applied.p1': { lt: seq } },
      patch: { increment: { 'leases.p1': given, used_quota: taken, quota: share }, set: { 'applied.p1': seq, status: 1 } },
    }));
    const other = new ChangeShape('users', 1, ([id = 0]) => ({ where: { id }, patch: { increment: { request_count: 1 } } }));
    const change = (...[id, seq, taken, share]: [number, number, number, number]) => shape.with([id, seq, taken, share, -taken]);
    // Changes of one group may run at the same time, so each is of another record or field.
    const groups = [
      [change(1, 4, 7, 0), change(2, 3, 7, 0), change(3, 9, 7, 0)],
      [change(1, 5, 0, 0.5), change(2, 2 ** 40, 1, 0)],
      [change(1, 6, -3, -1.25), other.with([1])],
    ];
    const results: boolean[][] = [];
    for (const group of groups) results.push(await db.write(group));
    expect(results).toEqual([
      [true, false, false],
      [true, true],
      [true, true],
    ]);
    expect(await users.get(1)).toMatchObject({
      quota: 99.25,
      leases: { p1: 46 },
      applied: { p1: 6 },
      used_quota: 5,
      request_count: (userRecord({ id: 1 }).request_count ?? 0) + 1,
    });
    expect(await users.get(2)).toMatchObject({ quota: 100, leases: { p1: 49 }, applied: { p1: 2 ** 40 }, used_quota: 2 });
    await expect(async () => db.write([shape.with([1, 7, Number.NaN, 1, 1])])).rejects.toThrow(TypeError);
  });

  it('without an id the first record in id order is changed', async () => {
    const users = current().db.collection('users');
    for (const id of [3, 1, 2]) await users.insert(userRecord({ id, group: 'vip' }));
    expect((await users.patch({ group: 'vip' }, { set: { group: 'gone' } }))?.id).toBe(1);
    expect((await users.patch({ group: 'vip' }, { set: { group: 'gone' } }))?.id).toBe(2);
    expect((await users.take({}, { sort: [['id', -1]] }))?.id).toBe(3);
    expect(await users.patchAll({ group: 'gone' }, { increment: { quota: 1 } })).toBe(2);
    expect(await users.remove({ quota: 1 })).toBe(2);
    expect(await users.take({})).toBeNull();
  });

  it('a patch that makes no sense is refused', async () => {
    const users = current().db.collection('users');
    await users.insert(userRecord({ id: 1 }));
    await expect(users.patch({ id: 1 }, {})).rejects.toThrow(TypeError);
    await expect(users.patch({ id: 1 }, JSON.parse('{"set":{"id":2}}'))).rejects.toThrow(TypeError);
    await expect(users.patch({ id: 1 }, { set: { quota: 1 }, increment: { quota: 1 } })).rejects.toThrow(TypeError);
    await expect(users.patch({ id: 1 }, { set: { leases: {} }, increment: { 'leases.p': 1 } })).rejects.toThrow(TypeError);
    await expect(users.patch({ id: 1 }, { increment: { quota: Number.NaN } })).rejects.toThrow(TypeError);
    await expect(users.patch({ id: 1 }, JSON.parse('{"set":{"$where":1}}'))).rejects.toThrow(TypeError);
    expect(await users.get(1)).toEqual(userRecord({ id: 1 }));
  });

  it('of two who redeem one record, one gets it', async () => {
    const first = current().db;
    const second = await current().open();
    for (let round = 1; round <= 10; round += 1) {
      await first.collection('tokens').insert(tokenRecord({ id: round, status: 1 }));
      const patched = await Promise.all(
        [first, second].map((db) => db.collection('tokens').patch({ id: round, status: 1 }, { set: { status: 3 } })),
      );
      expect(patched.filter((record) => record !== null)).toHaveLength(1);
      const taken = await Promise.all([first, second].map((db) => db.collection('tokens').take({ id: round })));
      expect(taken.filter((record) => record !== null)).toHaveLength(1);
    }
  });

  it('of two spends of one balance, one succeeds', async () => {
    const first = current().db;
    const second = await current().open();
    await first.collection('users').insert(userRecord({ id: 1, quota: 100 }));
    const spends = await Promise.all(
      [first, second].map((db) => db.collection('users').patch({ id: 1, quota: { gte: 60 } }, { increment: { quota: -60 } })),
    );
    expect(spends.filter((record) => record !== null)).toHaveLength(1);
    expect((await first.collection('users').get(1))?.quota).toBe(40);
  });

  it('of 200 guarded decrements of 10 at once, 10 succeed', async () => {
    const handles = [current().db, await current().open()];
    await current()
      .db.collection('users')
      .insert(userRecord({ id: 1, quota: 10 }));
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        handles[index % 2]?.collection('users').patch({ id: 1, quota: { gte: 1 } }, { increment: { quota: -1, used_quota: 1 } }),
      ),
    );
    expect(results.filter((record) => record !== null)).toHaveLength(10);
    expect(await current().db.collection('users').get(1)).toMatchObject({ quota: 0, used_quota: 10 });
  });

  it('whole numbers are exact up to 2^53 - 1', async () => {
    const users = current().db.collection('users');
    const top = Number.MAX_SAFE_INTEGER;
    await users.insert(userRecord({ id: 1, quota: top - 3, used_quota: 2 ** 31 - 1 }));
    for (const expected of [top - 2, top - 1, top]) {
      expect((await users.patch({ id: 1, quota: expected - 1 }, { increment: { quota: 1, used_quota: 1 } }))?.quota).toBe(expected);
    }
    expect(await users.patch({ id: 1, quota: { gt: top - 1 } }, { increment: { quota: -top }, max: { full_mark: top } })).toMatchObject({
      quota: 0,
      full_mark: top,
      used_quota: 2 ** 31 + 2,
    });
    expect((await users.patch({ id: 1 }, { increment: { quota: -(2 ** 33) - 1 } }))?.quota).toBe(-(2 ** 33) - 1);
    expect((await users.patch({ id: 1 }, { max: { quota: -7 } }))?.quota).toBe(-7);
  });

  it('fractions stay fractions', async () => {
    const facts = current().db.collection('facts');
    await facts.insert({ id: 'usd', value: 0.5 });
    expect((await facts.patch({ id: 'usd' }, { increment: { value: 0.25 } }))?.value).toBe(0.75);
    expect((await facts.patch({ id: 'usd', value: 0.75 }, { increment: { value: 1.25 } }))?.value).toBe(2);
    expect(await facts.find({ value: 2 })).toHaveLength(1);
  });

  it('a unique index refuses a second record, on insert and on patch', async () => {
    const users = current().db.collection('users');
    await users.insert(userRecord({ id: 1, username: 'a' }));
    await users.insert(userRecord({ id: 2, username: 'b' }));
    const refused: unknown = await users.insert(userRecord({ id: 3, username: 'a' })).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UniqueConflict);
    expect(refused).toMatchObject({ collection: 'users', index: 'username' });
    await expect(users.insert(userRecord({ id: 1, username: 'c' }))).rejects.toMatchObject({ name: 'UniqueConflict', index: 'id' });
    await expect(users.patch({ id: 2 }, { set: { username: 'a' } })).rejects.toThrow(UniqueConflict);
    expect((await users.find({})).map((user) => user.username)).toEqual(['a', 'b']);
  });

  it('a sparse unique index ignores records without the field', async () => {
    const users = current().db.collection('users');
    await users.insert(userRecord({ id: 1 }));
    await users.insert(userRecord({ id: 2 }));
    await users.insert(userRecord({ id: 3, aff_code: 'x' }));
    await expect(users.insert(userRecord({ id: 4, aff_code: 'x' }))).rejects.toThrow(UniqueConflict);
    await expect(users.patch({ id: 1 }, { set: { aff_code: 'x' } })).rejects.toThrow(UniqueConflict);
    await users.patch({ id: 3 }, { unset: ['aff_code'] });
    expect(await users.patch({ id: 1 }, { set: { aff_code: 'x' } })).toMatchObject({ aff_code: 'x' });
    const logs = current().db.collection('logs');
    await logs.insert(logRecord({ id: 1, process: 'p', seq: 1 }));
    await logs.insert(logRecord({ id: 2, process: 'p', seq: 2 }));
    await logs.insert(logRecord({ id: 3 }));
    await logs.insert(logRecord({ id: 4 }));
    await expect(logs.insert(logRecord({ id: 5, process: 'p', seq: 1 }))).rejects.toMatchObject({ index: 'settlement' });
  });

  it('insertIfMissing creates, changes, or leaves a record that does not match', async () => {
    const limits = current().db.collection('limits');
    const hit = (reset_at: number) =>
      limits.patch({ id: 'k', reset_at: { gt: 5 } }, { increment: { count: 1 } }, { insertIfMissing: { id: 'k', count: 1, reset_at } });
    expect(await hit(10)).toEqual({ id: 'k', count: 1, reset_at: 10 });
    expect(await hit(20)).toEqual({ id: 'k', count: 2, reset_at: 10 });
    await limits.patch({ id: 'k' }, { set: { reset_at: 5 } });
    expect(await hit(20)).toBeNull();
    expect(await limits.get('k')).toEqual({ id: 'k', count: 2, reset_at: 5 });
    const users = current().db.collection('users');
    await users.insert(userRecord({ id: 1, username: 'a' }));
    await expect(users.patch({ id: 2 }, { set: { quota: 1 } }, { insertIfMissing: userRecord({ id: 2, username: 'a' }) })).rejects.toThrow(
      UniqueConflict,
    );
  });

  it('insertIfMissing at once from two handles loses no count', async () => {
    const handles = [current().db, await current().open()];
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        handles[index % 2]
          ?.collection('limits')
          .patch({ id: 'k' }, { increment: { count: 1 } }, { insertIfMissing: { id: 'k', count: 1, reset_at: 1 } }),
      ),
    );
    expect(new Set(results.map((record) => record?.count)).size).toBe(60);
    expect((await current().db.collection('limits').get('k'))?.count).toBe(60);
  });

  it('a batch applies its writes in order and tells which took effect', async () => {
    const { db } = current();
    await db.collection('users').insert(userRecord({ id: 1, quota: 10 }));
    await db.collection('logs').insert(logRecord({ id: 1, process: 'p', seq: 1 }));
    const results = await db.write([
      { insert: logRecord({ id: 2, process: 'p', seq: 1 }), into: 'logs', ignoreConflict: true },
      { insert: logRecord({ id: 3, process: 'p', seq: 2 }), into: 'logs', ignoreConflict: true },
      { insert: logRecord({ id: 1 }), into: 'logs', ignoreConflict: true },
      { insert: logRecord({ id: 4 }), into: 'logs', ignoreConflict: true },
      { patch: { increment: { quota: -10 } }, of: 'users', where: { id: 1, quota: { gte: 10 } } },
      { patch: { increment: { quota: -10 } }, of: 'users', where: { id: 1, quota: { gte: 10 } } },
      { insert: userRecord({ id: 2 }), into: 'users' },
      { patch: { set: { group: 'vip' } }, of: 'users', where: { username: 'user2' }, anyOrder: true },
      { patch: { set: { group: 'vip' } }, of: 'users', where: { id: 99 }, anyOrder: true },
    ]);
    expect(results).toEqual([false, true, false, true, true, false, true, true, false]);
    expect((await db.collection('logs').find({})).map((log) => log.id)).toEqual([1, 3, 4]);
    expect((await db.collection('users').find({})).map((user) => [user.quota, user.group])).toEqual([
      [0, 'default'],
      [0, 'vip'],
    ]);
    expect(await db.write([])).toEqual([]);
  });

  it('an unordered batch changes and removes what matches, and returns how many did', async () => {
    const { db } = current();
    await db.write([1, 2, 3, 4].map((id) => ({ insert: userRecord({ id, quota: 10 }), into: 'users' })));
    const count = await db.writeUnordered([
      { of: 'users', where: { id: 1, quota: 10 }, patch: { increment: { quota: -10 } } },
      { of: 'users', where: { id: 2, quota: { gt: 10 } }, patch: { increment: { quota: -10 } } },
      { from: 'users', remove: { id: 3, group: 'default' } },
      { from: 'users', remove: { id: 4, group: 'vip' } },
      { from: 'users', remove: { id: 99 } },
    ]);
    expect(count).toBe(2);
    expect((await db.collection('users').find({})).map(({ id, quota }) => [id, quota])).toEqual([
      [1, 0],
      [2, 10],
      [4, 10],
    ]);
    expect(await db.writeUnordered([])).toBe(0);
  });

  it('a batch may be repeated: what is there already is left out', async () => {
    const { db } = current();
    const batch = Array.from({ length: 40 }, (_, index): Write => ({
      insert: logRecord({ id: index + 1, process: 'p', seq: index }),
      into: 'logs',
      ignoreConflict: true,
    }));
    expect(await db.write(batch.slice(0, 20))).toEqual(Array.from({ length: 20 }, () => true));
    expect(await db.write(batch)).toEqual(Array.from({ length: 40 }, (_, index) => index >= 20));
    expect(await db.collection('logs').count({})).toBe(40);
    await expect(db.write([{ insert: logRecord({ id: 1 }), into: 'logs' }])).rejects.toThrow(UniqueConflict);
    await expect(
      db.write(JSON.parse('[{"patch":{"set":{"x":1}},"of":"nowhere","where":{}},{"insert":{"id":1},"into":"nowhere"}]')),
    ).rejects.toThrow(TypeError);
  });

  it('ids are unique across handles and never come again', async () => {
    const handles = [current().db, await current().open()];
    for (const name of ['logs', 'users'] as const) {
      const ids = await Promise.all(Array.from({ length: 120 }, (_, index) => handles[index % 2]?.nextId(name)));
      expect(new Set(ids).size).toBe(120);
      expect(ids.every((id) => Number.isSafeInteger(id) && Number(id) > 0)).toBe(true);
    }
    const [blocks, single] = await Promise.all([current().db.nextIds('logs', 2_500), current().db.nextId('logs')]);
    expect(new Set([...blocks, single]).size).toBe(2_501);
    expect(blocks).toEqual(blocks.toSorted((a, b) => a - b));
    expect(await current().db.nextIds('logs', 0)).toEqual([]);
    const last = Math.max(await current().db.nextId('users'));
    await current()
      .db.collection('users')
      .insert(userRecord({ id: last }));
    await current().db.collection('users').remove({ id: last });
    expect(await (await current().open()).nextId('users')).toBeGreaterThan(last);
  });
});
