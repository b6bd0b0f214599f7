import { describe, expect, it } from 'vitest';
import { createConnectionResponses, itemsUpTo, listText } from './connection-responses.ts';

const big = listText(['x'.repeat(1000)]);

describe('what connections remember', () => {
  it('is each response with all before it, and forks of it', () => {
    const remembered = createConnectionResponses().open(1);
    remembered.keep('a', { before: null, items: '1,2' });
    const a = remembered.take('a') ?? null;
    remembered.keep('b', { before: a, items: '' });
    remembered.keep('c', { before: a, items: '3' });
    expect(['a', 'b', 'c', 'd'].map((id) => remembered.take(id)).map((one) => one && itemsUpTo(one))).toEqual([
      [1, 2],
      [1, 2],
      [1, 2, 3],
      undefined,
    ]);
  });

  it('ends with the connection, but for what a call still goes on from', () => {
    const room = createConnectionResponses();
    const remembered = room.open(1);
    remembered.keep('a', { before: null, items: big });
    const a = remembered.take('a');
    remembered.keep('b', { before: a ?? null, items: big });
    expect(room.bytes).toBeGreaterThan(2000);
    remembered.clear();
    expect(room.bytes).toBeGreaterThan(1000);
    expect(a && itemsUpTo(a)).toEqual(['x'.repeat(1000)]);
    if (a !== undefined) remembered.release(a);
    expect(room.bytes).toBe(0);
  });

  it('is bounded for a connection, a user and all: the oldest goes, its text when nothing goes on from it', () => {
    const room = createConnectionResponses({ perConnection: 2, perUser: 5_000, all: 8_000 });
    const remembered = room.open(1);
    remembered.keep('a', { before: null, items: big });
    const a = remembered.take('a');
    remembered.keep('b', { before: a ?? null, items: big });
    remembered.keep('c', { before: null, items: big });
    if (a !== undefined) remembered.release(a);
    expect(remembered.take('a')).toBeUndefined();
    const b = remembered.take('b');
    expect(b && itemsUpTo(b)).toHaveLength(2);
    // One that is too long by itself is not remembered at all.
    remembered.keep('d', { before: null, items: listText(['x'.repeat(6_000)]) });
    expect(remembered.take('d')).toBeUndefined();
    if (b !== undefined) remembered.release(b);
    const others = room.open(2);
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) others.keep(id, { before: null, items: big });
    expect(room.bytes).toBeLessThan(8_000);
    expect(others.take('g')).toBeDefined();
  });
});
