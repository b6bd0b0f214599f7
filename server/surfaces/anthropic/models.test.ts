import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AppError } from '#shared/errors.ts';
import { writeModelList } from './models.ts';

const listed = (names: readonly string[]) => names.map((id) => ({ id, owner: 'custom' }));
const list = (names: readonly string[], query: Record<string, string> = {}) => writeModelList(listed(names), new URLSearchParams(query));
const idsOf = ({ data }: ReturnType<typeof writeModelList>) => data.map(({ id }) => id);
const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 6, unit: 'grapheme' }), { maxLength: 60 }).map((all) => all.toSorted());
const limits = fc.integer({ min: 1, max: 25 });

/** All pages, from first to last. */
function walk(all: readonly string[], limit: number, route: 'after_id' | 'before_id'): string[][] {
  const pages: string[][] = [];
  for (let from: string | null = route === 'after_id' ? '' : '\uffff'.repeat(20); from !== null;) {
    const page = list(all, { limit: String(limit), [route]: from });
    pages.push(idsOf(page));
    from = page.has_more ? (route === 'after_id' ? page.last_id : page.first_id) : null;
  }
  return pages;
}

test('a list of models: paging forward returns every model once, in order', () => {
  fc.assert(
    fc.property(names, limits, (all, limit) => {
      const pages = walk(all, limit, 'after_id');
      expect(pages.flat()).toEqual(all);
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    }),
  );
});

test('a list of models: pages backward do so too', () => {
  fc.assert(
    fc.property(names, limits, (all, limit) => {
      expect(walk(all, limit, 'before_id').toReversed().flat()).toEqual(all);
    }),
  );
});

test('a list of models: a removed model is still a valid cursor', () => {
  fc.assert(
    fc.property(names, fc.string({ minLength: 1, maxLength: 6, unit: 'grapheme' }), (all, gone) => {
      const rest = all.filter((id) => id !== gone);
      expect(idsOf(list(rest, { after_id: gone, limit: '1000' }))).toEqual(rest.filter((id) => id > gone));
      expect(idsOf(list(rest, { before_id: gone, limit: '1000' }))).toEqual(rest.filter((id) => id < gone));
    }),
  );
});

test('a list of models: twenty at a time, and the ends of nothing are null', () => {
  const many = Array.from({ length: 21 }, (_, index) => `model-${String(index).padStart(2, '0')}`);
  expect(list(many)).toMatchObject({ has_more: true, first_id: 'model-00', last_id: 'model-19' });
  expect(list([])).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
  expect(list(['a']).data).toMatchObject([{ type: 'model', id: 'a', display_name: 'a', created_at: '1970-01-01T00:00:00Z' }]);
});

test.each<[Record<string, string>, string]>([
  [{ limit: '0' }, 'limit'],
  [{ limit: '1001' }, 'limit'],
  [{ limit: '-1' }, 'limit'],
  [{ limit: '1e2' }, 'limit'],
  [{ limit: '' }, 'limit'],
  [{ limit: ' 5' }, 'limit'],
  [{ limit: '99999999999999999999' }, 'limit'],
  [{ after_id: 'a', before_id: 'b' }, 'before_id'],
])('a list of models: %o is refused', (query, field) => {
  expect(() => list(['a', 'b'], query)).toThrow(expect.objectContaining<Partial<AppError>>({ code: 'invalid_request', field }));
});

test.each(['1', '1000', '0020'])('a list of models: a limit of %s is allowed', (limit) => {
  expect(idsOf(list(['a'], { limit }))).toEqual(['a']);
});
