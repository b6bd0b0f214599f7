import type { DataListProps } from './data-list.tsx';

/** Those that are drawn: not those of a folded group. */
export function shownRows<Row, Key extends string | number>({
  rows,
  group,
}: Pick<DataListProps<Row, Key>, 'rows' | 'group'>): readonly Row[] {
  if (rows === undefined) return [];
  return group === undefined ? rows : rows.filter((row) => group(row).isFolded !== true);
}
