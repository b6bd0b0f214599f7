import { useMutation } from '@tanstack/react-query';
import { toastFailure } from '#pwa/ui/frame/toast.ts';
import { type AllRows, mostSelected } from '#pwa/ui/list/select-all.tsx';
import type { Selection } from '#pwa/ui/list/selection.ts';
import { failureOf } from './failure.ts';

const rowsAtOnce = 100;

interface SelectAllOptions<Row, Key extends string | number> {
  /** Of all pages; undefined while it is not known. */
  total: number | undefined;
  rowKey: (row: Row) => Key;
  /** One page, from 1. */
  readPage: (page: number, size: number) => Promise<readonly Row[]>;
  selection: Selection<Key>;
  /** Is given all rows that were read. */
  onRead?: (rows: readonly Row[]) => void;
}

/** Ticks the rows of all pages of a list; as `DataList` takes it. */
export function useSelectAll<Row, Key extends string | number>(options: SelectAllOptions<Row, Key>): AllRows | undefined {
  const { total, rowKey, readPage, selection, onRead } = options;
  const { isPending, mutate } = useMutation({
    mutationFn: async (wanted: number) => {
      const rows: Row[] = [];
      for (let page = 1; rows.length < wanted; page += 1) {
        const next = await readPage(page, rowsAtOnce);
        rows.push(...next);
        if (next.length < rowsAtOnce) break;
      }
      return rows.slice(0, mostSelected);
    },
    meta: { quiet: true },
    onSuccess: (rows) => {
      onRead?.(rows);
      selection.set(rows.map(rowKey), true);
    },
    onError: (error) => toastFailure(failureOf(error)),
  });
  if (total === undefined || selection.keys.size >= Math.min(total, mostSelected)) return undefined;
  return { total, isPending, onTick: () => mutate(Math.min(total, mostSelected)) };
}
