import { expect, it } from 'vitest';
import { fillingPageSize, type ListSearch } from './list-search.ts';
import { useListScreen } from './use-list-screen.ts';

it('list-screen: another page closes the record that is on this one, the first page has no number', () => {
  const changes: Partial<ListSearch>[] = [];
  const { pager } = useListScreen({ search: { p: 2, size: 20, open: '8' }, onSearch: (change) => changes.push(change) });
  const pages = pager(55);
  if (pages.cursor === true) throw new Error('not pages');
  expect(pages).toMatchObject({ page: 2, size: 20, total: 55 });
  pages.onPage(3);
  pages.onPage(1);
  pages.onSize(50);
  expect(changes).toEqual([
    { p: 3, open: undefined },
    { p: undefined, open: undefined },
    { size: 50, p: undefined },
  ]);
});

it('list-search: the first page reaches the lower edge of the window', () => {
  expect(fillingPageSize({ width: 1280, height: 500 })).toBe(10);
  expect(fillingPageSize({ width: 1440, height: 700 })).toBe(12);
  // Seventeen rows of 40 px stand between the filters and the pager; a twentieth would be below the edge.
  expect(fillingPageSize({ width: 1440, height: 900 })).toBe(17);
  expect(fillingPageSize({ width: 1920, height: 1200 })).toBe(24);
  expect(fillingPageSize({ width: 768, height: 1024 })).toBe(16);
  expect(fillingPageSize({ width: 360, height: 780 })).toBe(10);
  expect(fillingPageSize({ width: 3840, height: 9000 })).toBe(100);
});
