import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { exactTotal, pageResponse, pageBounds, readCursor, writeCursor } from './paging.ts';

const cursors = fc.record({ time: fc.nat({ max: 999_999_999_999 }), id: fc.maxSafeNat() });

test('paging: a cursor that was written is read', () => {
  fc.assert(
    fc.property(cursors, (cursor) => {
      expect(readCursor(writeCursor(cursor))).toEqual(cursor);
      expect(writeCursor(cursor)).toMatch(/^[\w-]+$/);
    }),
  );
});

test('paging: nothing else is a cursor', () => {
  const refused = expect.objectContaining({ code: 'invalid_field', field: 'cursor' });
  for (const text of ['', 'x', 'MQ', writeCursor({ time: 1, id: 2 }) + '=', ` ${writeCursor({ time: 1, id: 2 })}`, '%00', '1.2'])
    expect(() => readCursor(text)).toThrow(refused);
  for (const plain of [
    '1',
    '1.',
    '.2',
    '1.2.3',
    '-1.2',
    '1.2 ',
    '01.2',
    '1.02',
    '1e3.2',
    `${'9'.repeat(13)}.1`,
    `1.${'9'.repeat(17)}`,
    '１.２',
  ])
    expect(() => readCursor(Buffer.from(plain).toString('base64url'))).toThrow(refused);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      try {
        expect(writeCursor(readCursor(text))).toBe(text);
      } catch (failure) {
        expect(failure).toEqual(refused);
      }
    }),
  );
});

describe('bounds of a page', () => {
  it.each([
    [{}, { page: 1, size: 10, skip: 0 }],
    [{ p: 0 }, { page: 1, size: 10, skip: 0 }],
    [
      { p: -3, page_size: -1 },
      { page: 1, size: 10, skip: 0 },
    ],
    [
      { p: 3, page_size: 20 },
      { page: 3, size: 20, skip: 40 },
    ],
    [{ page_size: 0 }, { page: 1, size: 10, skip: 0 }],
    [{ page_size: 101 }, { page: 1, size: 100, skip: 0 }],
  ])('of %o', (query, bounds) => expect(pageBounds(query)).toEqual(bounds));

  test('are numbers that every engine takes', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (p, size) => {
        const bounds = pageBounds({ p, page_size: size });
        expect(bounds.size).toBeGreaterThanOrEqual(1);
        expect(bounds.size).toBeLessThanOrEqual(100);
        expect(bounds.skip).toBeGreaterThanOrEqual(0);
        expect(bounds.skip).toBeLessThan(2 ** 31);
      }),
    );
  });
});

test('paging: a total beyond what is counted says so', () => {
  const bounds = pageBounds({});
  expect(pageResponse([], bounds, exactTotal)).toEqual({ items: [], total: exactTotal, page: 1, page_size: 10 });
  expect(pageResponse([], bounds, exactTotal + 1, 'next')).toEqual({
    items: [],
    total: exactTotal,
    page: 1,
    page_size: 10,
    total_is_lower_bound: true,
    cursor: 'next',
  });
});
