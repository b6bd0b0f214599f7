import { describe, expect, it } from 'vitest';
import { createKeptResponses, itemsUpTo, listText } from './connection-responses.ts';

const big = listText(['x'.repeat(1000)]);

describe('what connections remember', () => {
  it('is each response with all before it, and forks of it', () => {
    const kept = createKeptResponses().open(1);
    kept.keep('a', { before: null, items: '1,2' });
    const a = kept.take('a') ?? null;
    kept.keep('b', { before: a, items: '' });
    kept.keep('c', { before: a, items: '3' });
    expect(['a', 'b', 'c', 'd'].map((id) => kept.take(id)).map((one) => one && itemsUpTo(one))).toEqual([
      [1, 2],
      [1, 2],
      [1, 2, 3],
      undefined,
    ]);
  });

  it('ends with the connection, but for what a call still goes on from', () => {
    const room = createKeptResponses();
    const kept = room.open(1);
    kept.keep('a', { before: null, items: big });
    const a = kept.take('a');
    kept.keep('b', { before: a ?? null, items: big });
    expect(room.bytes).toBeGreaterThan(2000);
    kept.clear();
    expect(room.bytes).toBeGreaterThan(1000);
    expect(a && itemsUpTo(a)).toEqual(['x'.repeat(1000)]);
    if (a !== undefined) kept.release(a);
    expect(room.bytes).toBe(0);
  });

  it('is bounded for a connection, a user and all: the oldest goes, its text when nothing goes on from it', () => {
    const room = createKeptResponses({ perConnection: 2, perUser: 5_000, all: 8_000 });
    const kept = room.open(1);
    kept.keep('a', { before: null, items: big });
    const a = kept.take('a');
    kept.keep('b', { before: a ?? null, items: big });
    kept.keep('c', { before: null, items: big });
    if (a !== undefined) kept.release(a);
    expect(kept.take('a')).toBeUndefined();
    const b = kept.take('b');
    expect(b && itemsUpTo(b)).toHaveLength(2);
    // One that is too long by itself is not remembered at all.
    kept.keep('d', { before: null, items: listText(['x'.repeat(6_000)]) });
    expect(kept.take('d')).toBeUndefined();
    if (b !== undefined) kept.release(b);
    const others = room.open(2);
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) others.keep(id, { before: null, items: big });
    expect(room.bytes).toBeLessThan(8_000);
    expect(others.take('g')).toBeDefined();
  });
});
