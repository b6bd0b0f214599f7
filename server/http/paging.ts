// Reads `p`, `page_size` and `cursor` of lists. Invalid numbers count as absent (`QueryPage`).
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import type { Page } from '#shared/paging.ts';
import type { Filter } from '#server/db/collection.ts';

const defaultSize = 10;
const largestSize = 100;
/** Far beyond every list, and small enough for any engine's skip. */
const lastPage = 10_000_000;
/** Totals are exact up to this number. */
export const exactTotal = 10_000;

export interface PageBounds {
  /** From 1. */
  page: number;
  size: number;
  skip: number;
}

/** Defaults the size to 10 and limits it to 100; `page` is at least 1 (old clients start at 0) and bounded. */
export function pageBounds(query: { p?: number | undefined; page_size?: number | undefined }): PageBounds {
  const page = Math.min(lastPage, Math.max(1, query.p ?? 1));
  const size = Math.min(largestSize, query.page_size !== undefined && query.page_size > 0 ? query.page_size : defaultSize);
  return { page, size, skip: (page - 1) * size };
}

/** Position in a list ordered by (time, id), both descending. */
export interface TimeCursor {
  /** Unix seconds. */
  time: number;
  id: number;
}

export function writeCursor({ time, id }: TimeCursor): string {
  return Buffer.from(`${time}.${id}`).toString('base64url');
}

/** @throws {AppError} `invalid_field` for an invalid cursor */
export function readCursor(text: string): TimeCursor {
  const parts = /^(\d{1,12})\.(\d{1,16})$/.exec(Buffer.from(text, 'base64url').toString('latin1'));
  const cursor = { time: Number(parts?.[1]), id: Number(parts?.[2]) };
  if (parts === null || writeCursor(cursor) !== text) throw invalidField('cursor', fieldRules.invalid);
  return cursor;
}

/**
 * Filter for rows after a cursor, which walks an index on (created_at, id): a range over the time, and a remainder for
 * the cursor's own second. For `and` of a filter.
 */
export function afterCursor({ time, id }: TimeCursor): Filter<{ id: number; created_at: number }>[] {
  return [{ created_at: { lte: time } }, { or: [{ created_at: { lt: time } }, { id: { lt: id } }] }];
}

/** Reports whether the page is beyond the list. `total` may be a count that stopped at `exactTotal + 1`. */
export function isBehind(skip: number, total: number): boolean {
  return skip >= total && total <= exactTotal;
}

/** `total` of lists that are plain arrays. */
export function totalExtra(total: number): { total: number; total_is_lower_bound?: boolean } {
  return { total: Math.min(total, exactTotal), ...(total > exactTotal ? { total_is_lower_bound: true } : {}) };
}

/** Response of a list. `total` may be a count that stopped at `exactTotal + 1`. */
export function pageResponse<Item>(items: Item[], bounds: PageBounds, total: number, cursor?: string): Page<Item> {
  return {
    items,
    ...totalExtra(total),
    page: bounds.page,
    page_size: bounds.size,
    ...(cursor === undefined ? {} : { cursor }),
  };
}
