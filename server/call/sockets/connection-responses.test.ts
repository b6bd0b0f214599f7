import { describe, expect, it } from 'vitest';
import { createConnectionResponses, itemsUpTo, listText } from './connection-responses.ts';

const big = listText(['x'.repeat(1000)]);

describe('connection responses', () => {
  it('resolve an id to its items after those of all earlier responses, also with forks', () => {
    const remembered = createConnectionResponses().open(1);
    remembered.store('a', { before: null, items: '1,2' });
    const a = remembered.take('a') ?? null;
    remembered.store('b', { before: a, items: '' });
    remembered.store('c', { before: a, items: '3' });
    expect(['a', 'b', 'c', 'd'].map((id) => remembered.take(id)).map((one) => one && itemsUpTo(one))).toEqual([
      [1, 2],
      [1, 2],
      [1, 2, 3],
      undefined,
    ]);
  });

  it('are freed when the connection closes, except those that a running call continues', () => {
    const room = createConnectionResponses();
    const remembered = room.open(1);
    remembered.store('a', { before: null, items: big });
    const a = remembered.take('a');
    remembered.store('b', { before: a ?? null, items: big });
    expect(room.bytes).toBeGreaterThan(2000);
    remembered.clear();
    expect(room.bytes).toBeGreaterThan(1000);
    expect(a && itemsUpTo(a)).toEqual(['x'.repeat(1000)]);
    if (a !== undefined) remembered.release(a);
    expect(room.bytes).toBe(0);
  });

  it('are limited per connection, per user and in total: the oldest are evicted, and freed when no response continues them', () => {
    const room = createConnectionResponses({ perConnection: 2, perUser: 5_000, all: 8_000 });
    const remembered = room.open(1);
    remembered.store('a', { before: null, items: big });
    const a = remembered.take('a');
    remembered.store('b', { before: a ?? null, items: big });
    remembered.store('c', { before: null, items: big });
    if (a !== undefined) remembered.release(a);
    expect(remembered.take('a')).toBeUndefined();
    const b = remembered.take('b');
    expect(b && itemsUpTo(b)).toHaveLength(2);
    // A response above the limit of its user is not stored.
    remembered.store('d', { before: null, items: listText(['x'.repeat(6_000)]) });
    expect(remembered.take('d')).toBeUndefined();
    if (b !== undefined) remembered.release(b);
    const others = room.open(2);
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) others.store(id, { before: null, items: big });
    expect(room.bytes).toBeLessThan(8_000);
    expect(others.take('g')).toBeDefined();
  });
});
