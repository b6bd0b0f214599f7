// Every index in `collections` serves the filter and order it is there for; nothing that is listed is found by scanning.
import { describe, expect, it } from 'vitest';
import type { Filter, FindOptions } from '#server/db/collection.ts';
import { collections } from '#server/db/collections.ts';
import type { CollectionName } from '#server/db/database.ts';
import type { AnyFilter, AnyFindOptions, AnySort } from '#server/db/filter.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { onEachEngine } from '#tests/support/engines.ts';

const names = Object.keys(collections).filter((name): name is CollectionName => name in collections);

onEachEngine('query plans', (current) => {
  // The indexes are data: what is asked here is made of their fields.
  const plan = (name: CollectionName, filter: AnyFilter, options: AnyFindOptions = {}) =>
    current().db.explain<CollectionName>(name, filter, options as FindOptions<unknown>);

  it('an index is used for equality on its fields, and for its own order', async (context) => {
    if ((await plan('users', { id: 1 })) === null) context.skip('This server does not explain.');
    for (const name of names) {
      for (const index of collections[name].indexes) {
        const fields = index.fields.map((field) => ({
          path: field.replace(/^-/, ''),
          direction: field.startsWith('-') ? (-1 as const) : (1 as const),
        }));
        const [first, ...rest] = fields;
        if (first === undefined) throw new Error(`${name}.${index.name} has no fields`);
        const found = await plan(name, { [first.path]: 'x' }, { limit: 10 });
        expect(found, `${name}.${index.name} by equality`).toMatchObject({ scans: false });
        const sort: AnySort = rest.map(({ path, direction }) => [path, direction] as const);
        const ordered = await plan(name, { [first.path]: 'x' }, { sort, limit: 10 });
        expect(ordered, `${name}.${index.name} in its order`).toMatchObject({ scans: false, sorts: false });
        if (index.sparse === true) continue;
        const all = await plan(name, {}, { sort: fields.map(({ path, direction }) => [path, direction] as const), limit: 10 });
        expect(all, `${name}.${index.name} for everything`).toMatchObject({ scans: false, sorts: false, index: index.name });
      }
    }
  });

  it('log lists: each filter with a range of time, newest first', async (context) => {
    const newest: FindOptions<LogRecord> = {
      sort: [
        ['created_at', -1],
        ['id', -1],
      ],
      limit: 20,
    };
    const range: Filter<LogRecord> = { created_at: { gte: 1, lt: 2_000_000_000 } };
    if ((await plan('logs', { id: 1 })) === null) context.skip('This server does not explain.');
    expect(await plan('logs', {}, newest)).toEqual({ index: 'time', scans: false, sorts: false });
    expect(await plan('logs', range, newest)).toEqual({ index: 'time', scans: false, sorts: false });
    const filtered = collections.logs.indexes.filter((index) => index.fields[1] === 'created_at');
    expect(filtered.length).toBeGreaterThan(3);
    for (const { name: index, fields } of filtered) {
      const path = fields[0] ?? '';
      expect(await plan('logs', { [path]: 1, ...range }, newest), path).toEqual({ index, scans: false, sorts: false });
      expect(await plan('logs', { [path]: 1 }, newest), path).toEqual({ index, scans: false, sorts: false });
    }
    expect(await plan('logs', { process: 'p', seq: { gt: 5 } }, { sort: [['seq', 1]] })).toMatchObject({
      index: 'settlement',
      scans: false,
    });
    expect(await plan('logs', { content: 'x' })).toMatchObject({ scans: true });
  });
});

describe('index definitions', () => {
  it('names are unique in each collection', () => {
    for (const name of names) {
      const all = collections[name].indexes.map((index) => index.name);
      expect(new Set(all).size, name).toBe(all.length);
    }
  });
});
