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
  // The indexes are data: the queries here are built from their fields.
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

  it('bills: what imports, comparisons and lists ask for', async (context) => {
    if ((await plan('bill_days', { id: 'x' })) === null) context.skip('This server does not explain.');
    const span = { and: [{ day: { gte: 'a' } }, { day: { lte: 'b' } }] };
    const byDay = [
      ['day', 1],
      ['id', 1],
    ] as const;
    const requested: readonly Requested[] = [
      { of: 'bill_accounts', filter: { fetch_at: { lte: 5 } }, sort: [['fetch_at', 1]], limit: 20 },
      { of: 'bill_imports', filter: { running: { gte: 0 }, or: [{ alive_until: { lt: 5 } }] }, limit: 20 },
      { of: 'bill_days', filter: { account_id: 1, ...span }, sort: [['day', 1]], limit: 31 },
      { of: 'bill_days', filter: { account_id: 1 }, sort: [['day', -1]], limit: 1 },
      { of: 'bill_requests', filter: { account_id: 1, state: 'unbilled' }, sort: [['day', -1]], limit: 20 },
      { of: 'bill_requests', filter: { state: 'foreign' }, sort: [['day', -1]], limit: 20 },
      {
        of: 'bill_requests',
        filter: { and: [{ account_id: 1, state: 'foreign' }, { day: { gte: 'a' } }, { or: [{ day: { gt: 'a' } }, { id: { gt: 'x' } }] }] },
        sort: byDay,
        limit: 500,
      },
      { of: 'bill_requests', filter: { account_id: 1, day: 'a', and: [{ id: { gt: 'x' } }] }, sort: [['id', 1]], limit: 1000 },
      { of: 'bill_requests', filter: { account_id: 1, ...span }, sort: [['day', 1]], limit: 1 },
      { of: 'bill_requests', filter: { day: { lt: 'a' } }, sort: [['day', 1]], limit: 20 },
      {
        of: 'cost_hours',
        filter: { channel_id: 1, and: [{ start: { gte: 1 } }, { start: { lt: 9 } }] },
        sort: [['start', 1]],
        limit: 1000,
      },
      { of: 'cost_hours', filter: { start: { lt: 9 } }, sort: [['start', 1]], limit: 20 },
      {
        of: 'logs',
        filter: {
          channel_id: 1,
          and: [{ created_at: { gte: 1 } }, { created_at: { lt: 9 } }, { or: [{ created_at: { gt: 1 } }, { id: { gt: 5 } }] }],
        },
        sort: [
          ['created_at', 1],
          ['id', 1],
        ],
        limit: 200,
      },
    ];
    for (const { of, filter, ...options } of requested)
      expect(await plan(of, filter, options), `${of} by ${JSON.stringify(filter)}`).toMatchObject({
        scans: false,
        ...(options.sort === undefined ? {} : { sorts: false }),
      });
  });

  it('kept responses, conversations, their events and sessions: what calls, jobs and screens ask for', async (context) => {
    if ((await plan('responses', { id: 'x' })) === null) context.skip('This server does not explain.');
    const requested: readonly Requested[] = [
      // A caller's own, and the chain before it.
      { of: 'responses', filter: { id: 'x', user_id: 1, expires_at: { gt: 1 } } },
      { of: 'responses', filter: { id: { in: ['x', 'y'] }, user_id: 1 }, limit: 2 },
      { of: 'responses', filter: { user_id: 1, id: { startsWith: 'resp_00' } }, limit: 1 },
      // Places that are taken, runs without a process, what is too old or too much.
      { of: 'responses', filter: { place: { in: ['1:0', '1:1'] } }, limit: 2 },
      { of: 'responses', filter: { alive_until: { lt: 5 } }, sort: [['alive_until', 1]], limit: 1000 },
      { of: 'responses', filter: { expires_at: { lte: 5 } }, sort: [['expires_at', 1]], limit: 200 },
      { of: 'responses', filter: { user_id: 1, place: { exists: false } }, sort: [['created_at', 1]], limit: 200 },
      { of: 'responses', filter: { user_id: 1 }, limit: 200 },
      { of: 'response_pieces', filter: { response_id: 'x', kind: 'items', version: 'v' }, sort: [['number', 1]], limit: 3 },
      {
        of: 'response_pieces',
        filter: { response_id: 'x', kind: 'events', number: { gt: 3 } },
        sort: [
          ['number', 1],
          ['id', 1],
        ],
        limit: 20,
      },
      { of: 'response_pieces', filter: { response_id: 'x', kind: 'events' }, sort: [['number', -1]], limit: 1 },
      { of: 'response_pieces', filter: { response_id: 'x', kind: 'events', number: 3, is_last: true } },
      { of: 'response_pieces', filter: { response_id: 'x' } },
      { of: 'response_pieces', filter: { response_id: 'x', version: 'v' } },
      { of: 'response_pieces', filter: { expires_at: { lte: 5 } }, sort: [['expires_at', 1]] },
      { of: 'response_items', filter: { id: { in: ['1:x', '1:y'] } }, limit: 2 },
      { of: 'response_items', filter: { response_id: 'x' } },
      { of: 'response_items', filter: { expires_at: { lte: 5 } }, sort: [['expires_at', 1]] },
      { of: 'conversations', filter: { id: 'x', user_id: 1, expires_at: { gt: 1 } } },
      { of: 'conversations', filter: { expires_at: { lte: 5 } }, sort: [['expires_at', 1]], limit: 200 },
      {
        of: 'conversations',
        filter: { and: [{ user_id: 1 }, { or: [{ locked_by: { exists: false } }, { locked_until: { lt: 5 } }] }] },
        sort: [['expires_at', 1]],
        limit: 200,
      },
      { of: 'conversation_items', filter: { conversation_id: 'x', position: { gt: 1, lt: 9 } }, sort: [['position', -1]], limit: 21 },
      { of: 'conversation_items', filter: { and: [{ conversation_id: 'x', position: { gte: 9 } }, { pieces: { exists: true } }] } },
      { of: 'conversation_items', filter: { id: { in: ['x:1', 'x:2'] } } },
      // Sessions as they are listed and opened.
      { of: 'call_sessions', filter: { listed: 1 }, sort: lastFirst, limit: 20 },
      { of: 'call_sessions', filter: { listed: 1, user_id: 1, last_at: { gte: 1 } }, sort: lastFirst, limit: 20 },
      { of: 'call_sessions', filter: { listed: 1, user_id: 1, token_name: 'key' }, sort: lastFirst, limit: 20 },
      {
        of: 'call_sessions',
        filter: { session: 'x', listed: { unindexedEq: 1 }, user_id: { unindexedEq: 1 } },
        sort: lastFirst,
        limit: 20,
      },
      {
        of: 'logs',
        filter: { session_key: 'x', hidden: { exists: false } },
        sort: [
          ['created_at', -1],
          ['id', -1],
        ],
        limit: 101,
      },
    ];
    for (const { of, filter, ...options } of requested) {
      const found = await plan(of, filter, options);
      expect(found, `${of} by ${JSON.stringify(filter)}`).toMatchObject({ scans: false });
      // Events of one number are parts of one; they are few.
      if (options.sort !== undefined && options.sort.at(-1)?.[0] !== 'id')
        expect(found, `${of} in the order of ${JSON.stringify(filter)}`).toMatchObject({ sorts: false });
    }
    const { db } = current();
    const byAgent = { by: ['other.session.agent'] } as const;
    const sums = [
      await db.explainGroup('responses', { filter: { user_id: 1 }, by: [], sum: { bytes: 'bytes' } }),
      await db.explainGroup('conversations', { filter: { user_id: 1 }, by: [], sum: { bytes: 'bytes' } }),
      await db.explainGroup('logs', { filter: { session_key: 'x' }, ...byAgent }),
      await db.explainGroup('logs', { filter: { refunded_session: 'x' }, ...byAgent }),
    ];
    for (const found of sums) expect(found).toMatchObject({ scans: false });
  });
});

interface Requested extends AnyFindOptions {
  of: CollectionName;
  filter: AnyFilter;
}

const lastFirst: AnySort = [
  ['last_at', -1],
  ['id', -1],
];

describe('index definitions', () => {
  it('names are unique in each collection', () => {
    for (const name of names) {
      const all = collections[name].indexes.map((index) => index.name);
      expect(new Set(all).size, name).toBe(all.length);
    }
  });
});
