import { expect, it } from 'vitest';
import type { ListSearch } from './list-search.ts';
import { useListScreen } from './use-list-screen.ts';

const rows = [{ id: 7 }, { id: 8 }, { id: 9 }];
const rowKey = (row: { id: number }) => row.id;

it('list-screen: the open record has ways to its neighbours, and none beyond the page', () => {
  const changes: Partial<ListSearch>[] = [];
  const useAt = (open: string | undefined) =>
    useListScreen({ search: { size: 20, ...(open === undefined ? {} : { open }) }, onSearch: (change) => changes.push(change) }).walk({
      rows,
      rowKey,
    });
  expect(useAt('8').row).toEqual({ id: 8 });
  useAt('8').onPrevious?.();
  useAt('8').onNext?.();
  expect(changes).toEqual([{ open: '7' }, { open: '9' }]);
  expect(useAt('7').onPrevious).toBeUndefined();
  expect(useAt('9').onNext).toBeUndefined();
  expect(useAt('70')).toEqual({ row: undefined, onPrevious: undefined, onNext: undefined });
  expect(useAt(undefined).row).toBeUndefined();
});

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
