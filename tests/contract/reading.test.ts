import { expect, it } from 'vitest';
import type { Sort } from '#server/db/collection.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { logRecord, userRecord } from '#tests/contract/records.ts';
import { onEachEngine } from '#tests/support/engines.ts';

onEachEngine('reading', (current) => {
  it('what was inserted comes back as it was', async () => {
    const { db } = current();
    const log = logRecord({
      id: 7,
      content: 'Ünïcode \u{1F600} "quoted" \\ \n',
      other: { nested: { list: [1, 'a', null, true, { 'gpt-4.1': 0.25 }] } },
      quota: 2 ** 53 - 1,
    });
    await db.collection('logs').insert(log);
    expect(await db.collection('logs').get(7)).toEqual(log);
    expect(await db.collection('logs').get(8)).toBeNull();
    expect(await db.collection('facts').get('none')).toBeNull();
  });

  it('without a sort the order is by id', async () => {
    const users = current().db.collection('users');
    for (const id of [3, 10, 1, 2]) await users.insert(userRecord({ id }));
    expect((await users.find({})).map((user) => user.id)).toEqual([1, 2, 3, 10]);
    expect((await users.first({ role: 1 }))?.id).toBe(1);
  });

  it('ties are broken by id in the direction of the last key', async () => {
    const users = current().db.collection('users');
    for (let id = 1; id <= 6; id += 1) await users.insert(userRecord({ id, quota: id % 2, group: id > 3 ? 'b' : 'a' }));
    const order = async (sort: Sort<UserRecord>) => (await users.find({}, { sort })).map((user) => user.id);
    expect(await order([['quota', 1]])).toEqual([2, 4, 6, 1, 3, 5]);
    expect(await order([['quota', -1]])).toEqual([5, 3, 1, 6, 4, 2]);
    expect(
      await order([
        ['group', -1],
        ['quota', 1],
      ]),
    ).toEqual([4, 6, 5, 2, 1, 3]);
    expect(
      await order([
        ['group', 1],
        ['id', -1],
      ]),
    ).toEqual([3, 2, 1, 6, 5, 4]);
  });

  it('missing and null come first in ascending order', async () => {
    const users = current().db.collection('users');
    await users.insert(userRecord({ id: 1, aff_code: 'b' }));
    await users.insert(userRecord({ id: 2 }));
    await users.insert(userRecord({ id: 3, aff_code: 'a' }));
    expect((await users.find({}, { sort: [['aff_code', 1]] })).map((user) => user.id)).toEqual([2, 3, 1]);
    expect((await users.find({}, { sort: [['aff_code', -1]] })).map((user) => user.id)).toEqual([1, 3, 2]);
  });

  it('pages by skip and limit end where the records end', async () => {
    const users = current().db.collection('users');
    for (let id = 1; id <= 5; id += 1) await users.insert(userRecord({ id }));
    const page = async (skip: number, limit?: number) =>
      (await users.find({}, { skip, ...(limit === undefined ? {} : { limit }) })).map((user) => user.id);
    expect(await page(0, 2)).toEqual([1, 2]);
    expect(await page(4, 2)).toEqual([5]);
    expect(await page(5, 2)).toEqual([]);
    expect(await page(500, 2)).toEqual([]);
    expect(await page(3)).toEqual([4, 5]);
    expect(await page(0, 0)).toEqual([]);
    await expect(users.find({}, { skip: -1 })).rejects.toThrow(TypeError);
    await expect(users.find({}, { limit: 1.5 })).rejects.toThrow(TypeError);
  });

  it('a cursor on (time, id) pages through equal times without a gap or a repetition', async () => {
    const logs = current().db.collection('logs');
    for (let id = 1; id <= 25; id += 1) await logs.insert(logRecord({ id, created_at: 100 + Math.floor(id / 7) }));
    const seen: number[] = [];
    for (let last: { id: number; created_at: number } | undefined; ;) {
      const before =
        last === undefined ? {} : { or: [{ created_at: { lt: last.created_at } }, { created_at: last.created_at, id: { lt: last.id } }] };
      const page = await logs.find(
        { user_id: 1, ...before },
        {
          sort: [
            ['created_at', -1],
            ['id', -1],
          ],
          limit: 4,
        },
      );
      seen.push(...page.map((log) => log.id));
      last = page.at(-1);
      if (last === undefined) break;
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => 25 - index));
  });

  it('counts, and not beyond the limit', async () => {
    const users = current().db.collection('users');
    for (let id = 1; id <= 5; id += 1) await users.insert(userRecord({ id, role: id > 3 ? 10 : 1 }));
    expect(await users.count({})).toBe(5);
    expect(await users.count({ role: 1 })).toBe(3);
    expect(await users.count({ role: 1 }, 2)).toBe(2);
    expect(await users.count({ role: 1 }, 10)).toBe(3);
    expect(await users.count({ role: 1 }, 0)).toBe(0);
    expect(await users.count({ role: 100 })).toBe(0);
  });

  it('"each" gives every record once in id order, over many pages, also when records go meanwhile', async () => {
    const { db } = current();
    await db.write(
      Array.from({ length: 1_300 }, (_, index) => ({ insert: logRecord({ id: index + 1, type: 1 + (index % 2) }), into: 'logs' })),
    );
    const ids: number[] = [];
    for await (const log of db.collection('logs').each({ type: 2 })) {
      if (ids.length === 0) await db.collection('logs').remove({ id: 1_300 });
      ids.push(log.id);
    }
    expect(ids.length).toBeGreaterThanOrEqual(649);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    for await (const log of db.collection('logs').each({})) {
      expect(log.id).toBe(1);
      break;
    }
  });

  it('what is committed while long readings stand still is seen by every read after it, and they read on to their end', async () => {
    const { db } = current();
    const logs = db.collection('logs');
    await db.write(Array.from({ length: 1_000 }, (_, index) => ({ insert: logRecord({ id: index + 1 }), into: 'logs' })));
    // More than the embedded engine holds open, so that some are reopened at their position.
    const readings = Array.from({ length: 40 }, () => logs.each({ id: { lte: 1_000 } })[Symbol.asyncIterator]());
    const seen = await Promise.all(readings.map(async (reading) => [(await reading.next()).value?.id]));

    // Filters that no index answers whole: an unsorted one, a count, one for all rows.
    const mine = { request_id: 'just now', process: { exists: true } };
    expect(await logs.first(mine)).toBeNull();
    await logs.insert(logRecord({ id: 2_000, request_id: 'just now', process: 'p', seq: 1, quota: 5 }));
    expect(await logs.first(mine)).toMatchObject({ id: 2_000, quota: 5 });
    expect(await logs.count({ quota: 5 })).toBe(1);
    await logs.patch({ id: 2_000 }, { set: { quota: 6 } });
    expect((await logs.find({ quota: 6 })).map((log) => log.id)).toEqual([2_000]);
    // And by a reading that begins now, on whatever an earlier one has left.
    for await (const log of logs.each({ id: { lte: 1_000 } })) if (log.id === 1_000) break;
    await logs.insert(logRecord({ id: 2_001, quota: 6 }));
    const later: number[] = [];
    for await (const log of logs.each({ quota: 6 })) later.push(log.id);
    expect(later).toEqual([2_000, 2_001]);

    await Promise.all(
      readings.map(async (reading, index) => {
        for (let next = await reading.next(); next.done !== true; next = await reading.next()) seen[index]?.push(next.value.id);
      }),
    );
    const whole = Array.from({ length: 1_000 }, (_, index) => index + 1);
    for (const ids of seen) expect(ids).toEqual(whole);
  });

  it('a big collection answers as a small one does', async () => {
    const { db } = current();
    const logs = db.collection('logs');
    await db.write(
      Array.from({ length: 1_200 }, (_, index) => ({
        insert: logRecord({ id: index + 1, content: `row ${index + 1}`, quota: 1_200 - index }),
        into: 'logs',
      })),
    );
    expect((await logs.find({ content: { contains: 'ROW 11' } }, { limit: 3 })).map((log) => log.id)).toEqual([11, 110, 111]);
    expect((await logs.find({}, { sort: [['quota', 1]], limit: 2 })).map((log) => log.id)).toEqual([1_200, 1_199]);
    expect((await logs.find({}, { sort: [['created_at', 1]], skip: 1_100, limit: 1 })).map((log) => log.id)).toEqual([1_101]);
    expect((await logs.first({ content: 'row 900' }))?.id).toBe(900);
    expect(await logs.count({ content: { startsWith: 'row 1' } })).toBe(312);
    expect(await logs.count({})).toBe(1_200);
    expect(await logs.patchAll({ content: { startsWith: 'row 1' } }, { set: { model_name: 'changed' }, increment: { quota: 1 } })).toBe(
      312,
    );
    expect(await logs.count({ model_name: 'changed' })).toBe(312);
    expect(await logs.remove({ model_name: { ne: 'changed' } })).toBe(888);
    expect(await logs.count({})).toBe(312);
  });

  it('groups: sums by keys', async () => {
    const { db } = current();
    const rows = [
      { model_name: 'a', user_id: 1, quota: 5, is_stream: true },
      { model_name: 'a', user_id: 2, quota: 7, is_stream: true },
      { model_name: 'b', user_id: 1, quota: 2 ** 40, is_stream: false },
      { model_name: 'b', user_id: 1, quota: 2 ** 40 + 1, is_stream: false },
    ];
    for (const [index, row] of rows.entries())
      await db.collection('logs').insert(logRecord({ id: index + 1, prompt_tokens: index, ...row }));
    const group = db.collection('logs').group.bind(db.collection('logs'));
    const byModel = await group({ by: ['model_name'], sum: { quota: 'quota', prompt: 'prompt_tokens' } });
    expect(byModel).toHaveLength(2);
    expect(byModel).toContainEqual({ model_name: 'a', count: 2, quota: 12, prompt: 1 });
    expect(byModel).toContainEqual({ model_name: 'b', count: 2, quota: 2 ** 41 + 1, prompt: 5 });
    expect(await group({ by: ['model_name', 'user_id'], filter: { quota: { lt: 100 } } })).toHaveLength(2);
    expect(await group({ by: ['is_stream'], filter: { user_id: 1 } })).toEqual(
      expect.arrayContaining([
        { is_stream: true, count: 1 },
        { is_stream: false, count: 2 },
      ]),
    );
    expect(await group({ by: [], sum: { quota: 'quota' } })).toEqual([{ count: 4, quota: 2 ** 41 + 13 }]);
    expect(await group({ by: [], sum: { quota: 'quota' }, filter: { user_id: 99 } })).toEqual([{ count: 0, quota: 0 }]);
    expect(await group({ by: ['model_name'], filter: { user_id: 99 } })).toEqual([]);
    expect(await group({ by: ['process'], sum: { seq: 'seq' } })).toEqual([{ process: null, count: 4, seq: 0 }]);
  });

  it('groups: by the place of a number on a scale', async () => {
    const logs = current().db.collection('logs');
    const times = [0, 9.9, 10, 12, 19.99, 20, 21.5, 40, 41, 79, 81, 1e6, 1e14, -1, '30', null, undefined];
    for (const [index, frt] of times.entries()) {
      await logs.insert(logRecord({ id: index + 1, user_id: index === 3 ? 2 : 1, other: { frt } }));
    }
    const scale = { path: 'other.frt', least: 10, ratio: 2, last: 4 } as const;
    const places = await logs.group({ by: [], scales: { place: scale }, sum: { ids: 'id' } });
    const inOrder = places.toSorted((a, b) => Number(a['place'] ?? 9) - Number(b['place'] ?? 9));
    expect(inOrder).toEqual([
      { place: 0, count: 2, ids: 3 },
      { place: 1, count: 3, ids: 12 },
      { place: 2, count: 2, ids: 13 },
      { place: 3, count: 3, ids: 27 },
      { place: 4, count: 3, ids: 36 },
      { place: null, count: 4, ids: 62 },
    ]);
    expect(await logs.group({ by: ['user_id'], scales: { place: scale }, filter: { user_id: 2 } })).toEqual([
      { user_id: 2, place: 1, count: 1 },
    ]);
    expect(await logs.group({ by: [], scales: { place: scale }, filter: { user_id: 99 } })).toEqual([]);
  });
});
