import type { Page } from '#shared/paging.ts';
import type { Log } from '#shared/logs.ts';

/** First page with the newest rows, and the number of new ones. An unchanged page is the same object, so nothing is redrawn. */
export function followed(known: Page<Log>, newest: Page<Log>): { page: Page<Log>; count: number } {
  const before = new Map(known.items.map((row) => [row.id, row]));
  const oldest = known.items.at(-1);
  // Rows below the last one that was known are older: they came up because others are gone.
  const isNew = (row: Log) => !before.has(row.id) && (oldest === undefined || row.created_at >= oldest.created_at);
  const count = newest.items.filter(isNew).length;
  const isSame = newest.items.length === known.items.length && newest.items.every((row) => before.get(row.id)?.other === row.other);
  if (isSame) return { page: known, count: 0 };
  const { cursor, ...rest } = known;
  // Only calls of one kind grow in place: refused ones of the same minute.
  const items = newest.items.map((row) => {
    const old = before.get(row.id);
    return old !== undefined && old.other === row.other ? old : row;
  });
  const total = rest.total_is_lower_bound === true ? rest.total : Math.max(rest.total + count, items.length);
  const next = newest.cursor ?? cursor;
  return { page: { ...rest, items, total, ...(next === undefined ? {} : { cursor: next }) }, count };
}
