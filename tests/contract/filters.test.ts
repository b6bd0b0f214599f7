import { expect, it } from 'vitest';
import { onField, type Filter } from '#server/db/collection.ts';
import type { CollectionName, Database } from '#server/db/database.ts';
import type { AnyFilter } from '#server/db/filter.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { onEachEngine } from '#tests/support/engines.ts';
import { logRecord, userRecord } from '#tests/contract/records.ts';

onEachEngine('filters', (current) => {
  // What a filter means is said of those too that the compiler would refuse.
  const ids = async (name: CollectionName, filter: AnyFilter) =>
    (
      await current()
        .db.collection<CollectionName>(name)
        .find(filter as Filter<unknown>)
    ).map((record) => record.id);

  it('equality tells texts, numbers, booleans and null apart', async () => {
    const facts = current().db.collection('facts');
    for (const [id, value] of [
      ['a', 1],
      ['b', true],
      ['c', '1'],
      ['d', null],
      ['e', 0],
      ['f', false],
      ['g', ''],
      ['h', '[1]'],
    ] as const)
      await facts.insert({ id, value });
    expect(await ids('facts', { value: 1 })).toEqual(['a']);
    expect(await ids('facts', { value: true })).toEqual(['b']);
    expect(await ids('facts', { value: '1' })).toEqual(['c']);
    expect(await ids('facts', { value: null })).toEqual(['d']);
    expect(await ids('facts', { value: 0 })).toEqual(['e']);
    expect(await ids('facts', { value: false })).toEqual(['f']);
    expect(await ids('facts', { value: '' })).toEqual(['g']);
    expect(await ids('facts', { value: '[1]' })).toEqual(['h']);
    expect(await ids('facts', { value: { in: [1, '1', null] } })).toEqual(['a', 'c', 'd']);
    expect(await ids('facts', { value: { in: [] } })).toEqual([]);
    expect(await ids('facts', { value: { ne: 1 } })).toEqual(['b', 'c', 'd', 'e', 'f', 'g', 'h']);
  });

  it('equality and "in" match any element of a list', async () => {
    const facts = current().db.collection('facts');
    await facts.insert({ id: 'a', value: ['x', 5] });
    await facts.insert({ id: 'b', value: ['y'] });
    await facts.insert({ id: 'c', value: 'x' });
    await facts.insert({ id: 'd', value: { x: 'x' } });
    expect(await ids('facts', { value: 'x' })).toEqual(['a', 'c']);
    expect(await ids('facts', { value: 5 })).toEqual(['a']);
    expect(await ids('facts', { value: { in: ['y', 5] } })).toEqual(['a', 'b']);
    expect(await ids('facts', { value: { ne: 'x' } })).toEqual(['b', 'd']);
    expect(await ids('facts', { 'value.x': 'x' })).toEqual(['d']);
  });

  it('a missing field is not a stored null', async () => {
    const { db } = current();
    await seedUnset(db);
    expect(await ids('facts', { value: null })).toEqual(['null']);
    expect(await ids('facts', { value: { exists: true } })).toEqual(['null', 'set']);
    expect(await ids('facts', { value: { exists: false } })).toEqual(['unset']);
    expect(await ids('facts', { value: { ne: null } })).toEqual(['set', 'unset']);
    expect(await ids('facts', { value: { ne: 'text' } })).toEqual(['null', 'unset']);
    expect(await ids('facts', { value: { in: [null, 'text'] } })).toEqual(['null', 'set']);
    expect(await ids('facts', { value: { lt: 'z' } })).toEqual(['set']);
    expect(await ids('facts', { value: { lt: 1 } })).toEqual([]);
  });

  it('unset and null are apart on indexed fields too', async () => {
    const logs = current().db.collection('logs');
    await logs.insert(logRecord({ id: 1 }));
    await logs.insert(logRecord({ id: 2, process: 'p', seq: 1 }));
    expect(await ids('logs', { process: { exists: false } })).toEqual([1]);
    expect(await ids('logs', { process: null })).toEqual([]);
    expect(await ids('logs', { process: { ne: 'p' } })).toEqual([1]);
  });

  it('ranges compare numbers with numbers and texts with texts', async () => {
    const facts = current().db.collection('facts');
    for (const [id, value] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['d', '1'],
      ['e', '2'],
      ['f', null],
    ] as const)
      await facts.insert({ id, value });
    expect(await ids('facts', { value: { gte: 2 } })).toEqual(['b', 'c']);
    expect(await ids('facts', { value: { gt: 1, lt: 3 } })).toEqual(['b']);
    expect(await ids('facts', { value: { lte: '1' } })).toEqual(['d']);
    expect(await ids('facts', { value: { gt: '1' } })).toEqual(['e']);
    expect(await ids('facts', { value: { lte: 2 } })).toEqual(['a', 'b']);
    // Bounds in several places: each says of which kind the value is only where it holds.
    const [one, two, three] = [{ value: { gte: 2 } }, { value: { lt: 3 } }, { value: { gt: 2 } }];
    expect(await ids('facts', { and: [one, two] })).toEqual(['b']);
    expect(await ids('facts', { and: [{ and: [two] }, { and: [one] }] })).toEqual(['b']);
    expect(await ids('facts', { or: [{ and: [two, one] }, three] })).toEqual(['b', 'c']);
    expect(await ids('facts', { or: [three, { and: [two, one] }] })).toEqual(['b', 'c']);
    expect(await ids('facts', { and: [one, { or: [two, { id: 'e' }] }] })).toEqual(['b']);
    expect(await ids('facts', { value: { lt: 3 }, or: [one, { id: 'd' }] })).toEqual(['b']);
    expect(await ids('facts', { and: [one, { value: { lt: '2' } }] })).toEqual([]);
    expect(await ids('facts', { and: [{ value: { gt: '1' } }, { value: { lte: '2' } }] })).toEqual(['e']);
    expect(await ids('facts', { or: [{ value: { gt: '1', lte: '2' } }, { value: { lte: '1' } }] })).toEqual(['d', 'e']);
  });

  it('ranges on an index, half open and closed', async () => {
    const logs = current().db.collection('logs');
    for (let id = 1; id <= 6; id += 1) await logs.insert(logRecord({ id, created_at: id * 10 }));
    expect(await ids('logs', { created_at: { gte: 20, lt: 40 } })).toEqual([2, 3]);
    expect(await ids('logs', { created_at: { gt: 40 } })).toEqual([5, 6]);
    expect(await ids('logs', { user_id: 1, created_at: { lte: 20 } })).toEqual([1, 2]);
    expect(await ids('logs', { id: { gt: 2, lte: 4 } })).toEqual([3, 4]);
    expect(await ids('logs', { id: { in: [6, 1, 99] } })).toEqual([1, 6]);
  });

  it('"and" and "or" combine whole filters; a condition that is undefined is none', async () => {
    const users = current().db.collection('users');
    for (let id = 1; id <= 4; id += 1) await users.insert(userRecord({ id, role: id % 2, group: id > 2 ? 'vip' : 'default' }));
    expect(await ids('users', { or: [{ role: 0 }, { group: 'vip' }] })).toEqual([2, 3, 4]);
    expect(await ids('users', { and: [{ role: 1 }, { group: 'vip' }] })).toEqual([3]);
    expect(await ids('users', { role: 1, or: [{ id: 1 }, { id: 2 }] })).toEqual([1]);
    expect(await ids('users', { or: [] })).toEqual([]);
    expect(await ids('users', { and: [] })).toEqual([1, 2, 3, 4]);
    expect(await ids('users', { role: undefined, group: 'vip' })).toEqual([3, 4]);
  });

  it('"contains" takes its text literally and ignores the case of ASCII letters only', async () => {
    const users = current().db.collection('users');
    const names = [
      '100%',
      '100x',
      'a_b',
      'axb',
      'a.*b',
      'aXXb',
      '$where',
      '[a-z]',
      'back\\slash',
      '(x|y)',
      'Ünï',
      'MiXed',
      '^top',
      'line\nend',
      'null\0x00',
    ];
    for (const [position, display_name] of names.entries()) await users.insert(userRecord({ id: position + 1, display_name }));
    const matching = async (contains: string) => (await users.find({ display_name: { contains } })).map((user) => user.display_name);
    expect(await matching('0%')).toEqual(['100%']);
    expect(await matching('a_')).toEqual(['a_b']);
    expect(await matching('.*')).toEqual(['a.*b']);
    expect(await matching('$w')).toEqual(['$where']);
    expect(await matching('[a-z]')).toEqual(['[a-z]']);
    expect(await matching('\\s')).toEqual(['back\\slash']);
    expect(await matching('x|y')).toEqual(['(x|y)']);
    expect(await matching('^')).toEqual(['^top']);
    expect(await matching('mIxEd')).toEqual(['MiXed']);
    expect(await matching('xed')).toEqual(['MiXed']);
    expect(await matching('Ün')).toEqual(['Ünï']);
    expect(await matching('ün')).toEqual([]);
    expect(await matching('e\ne')).toEqual(['line\nend']);
    expect(await matching('l\0x')).toEqual(['null\0x00']);
    expect(await matching('\0')).toEqual(['null\0x00']);
    expect(await matching('')).toEqual(names);
  });

  it('"unindexedEq" is equality that leaves the choice of the index to others', async (context) => {
    const users = current().db.collection('users');
    for (let id = 1; id <= 4; id += 1)
      await users.insert(userRecord({ id, role: id % 2, group: id > 2 ? 'vip' : 'default', display_name: `${id}` }));
    expect(await ids('users', { role: 1, group: { unindexedEq: 'vip' } })).toEqual([3]);
    expect(await ids('users', { role: { unindexedEq: 1 }, display_name: { unindexedEq: '1' } })).toEqual([1]);
    expect(await ids('users', { id: { unindexedEq: 2 } })).toEqual([2]);
    expect(await ids('users', { role: { unindexedEq: '1' } })).toEqual([]);
    const plan = await current().db.explain('users', { group: { unindexedEq: 'vip' } });
    if (plan === null || current().db.kind !== 'embedded') context.skip('This engine chooses by trying.');
    expect(plan).toMatchObject({ scans: true });
  });

  it('"startsWith" takes its text literally, with and without an index', async () => {
    const users = current().db.collection('users');
    const names = ['%a', '_b', '.*c', '$d', 'abc', 'abd', 'ABC', 'ab', 'ab\u{1F600}', 'b'];
    for (const [position, name] of names.entries())
      await users.insert(userRecord({ id: position + 1, username: name, display_name: name }));
    for (const path of ['username', 'display_name'] as const) {
      const matching = async (startsWith: string) =>
        (await users.find(onField<UserRecord, typeof path>(path, { startsWith }))).map((user) => user.username);
      expect(await matching('%')).toEqual(['%a']);
      expect(await matching('_')).toEqual(['_b']);
      expect(await matching('.*')).toEqual(['.*c']);
      expect(await matching('$')).toEqual(['$d']);
      expect(await matching('ab')).toEqual(['abc', 'abd', 'ab', 'ab\u{1F600}']);
      expect(await matching('ab\u{1F600}')).toEqual(['ab\u{1F600}']);
      expect(await matching('')).toEqual(names);
    }
  });

  it('an operator that came in as data is refused, never interpreted', async () => {
    const users = current().db.collection('users');
    await users.insert(userRecord({ id: 1 }));
    const hostile = [
      '{"username":{"$ne":null}}',
      '{"username":{"$gt":""}}',
      '{"$where":"1"}',
      '{"username":{"in":[{"$ne":1}]}}',
      '{"$or":[{}]}',
      '{"username":["a"]}',
      '{"a.$.b":1}',
      '{"_id":1}',
      `{"x' OR 1=1 --":1}`,
      '{"username":{"contains":{"$ne":1}}}',
      '{"id":{"regex":"."}}',
    ];
    for (const text of hostile) {
      await expect(users.find(JSON.parse(text)), text).rejects.toThrow(TypeError);
      await expect(users.remove(JSON.parse(text)), text).rejects.toThrow(TypeError);
      await expect(users.patch(JSON.parse(text), { set: { quota: 5 } }), text).rejects.toThrow(TypeError);
    }
    await expect(users.take({ id: undefined })).rejects.toThrow(TypeError);
    expect(await users.find({ username: "' OR 1=1 --" })).toEqual([]);
    expect(await users.find({ username: '$ne' })).toEqual([]);
    expect(await users.count({})).toBe(1);
  });

  it('an id is matched by its own type', async () => {
    const { db } = current();
    await db.collection('users').insert(userRecord({ id: 12 }));
    await db.collection('options').insert({ id: '12', value: '', revision: 1, updated_at: 0, updated_by: 0 });
    expect(await ids('users', { id: '12' })).toEqual([]);
    expect(await ids('users', { id: { in: ['12', 12] } })).toEqual([12]);
    expect(await ids('options', { id: 12 })).toEqual([]);
    expect(await ids('options', { id: '12' })).toEqual(['12']);
  });
});

async function seedUnset(db: Database): Promise<void> {
  const facts = db.collection('facts');
  await facts.insert({ id: 'null', value: null });
  await facts.insert({ id: 'set', value: 'text' });
  await facts.insert({ id: 'unset', value: undefined });
}
