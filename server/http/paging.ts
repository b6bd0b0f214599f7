// How `p`, `page_size` and `cursor` of a list are read. What is no number counts as absent (`QueryPage`).
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import type { Page } from '#shared/paging.ts';
import type { Filter } from '#server/db/collection.ts';

const defaultSize = 10;
const largestSize = 100;
/** Far beyond every list; further on, the number of rows to skip would be none that an engine takes. */
const lastPage = 10_000_000;
/** Totals are exact up to here. */
export const exactTotal = 10_000;

export interface PageBounds {
  /** From 1. */
  page: number;
  size: number;
  skip: number;
}

/** No size or one of 0 is 10, above 100 is 100; `page` is at least 1 (old clients begin at 0) and no absurd number. */
export function pageBounds(query: { p?: number | undefined; page_size?: number | undefined }): PageBounds {
  const page = Math.min(lastPage, Math.max(1, query.p ?? 1));
  const size = Math.min(largestSize, query.page_size !== undefined && query.page_size > 0 ? query.page_size : defaultSize);
  return { page, size, skip: (page - 1) * size };
}

/** Where a list ordered by (time, id), both descending, goes on. */
export interface TimeCursor {
  /** Unix seconds. */
  time: number;
  id: number;
}

export function writeCursor({ time, id }: TimeCursor): string {
  return Buffer.from(`${time}.${id}`).toString('base64url');
}

/** @throws {AppError} `invalid_field` when it is not one of ours */
export function readCursor(text: string): TimeCursor {
  const parts = /^(\d{1,12})\.(\d{1,16})$/.exec(Buffer.from(text, 'base64url').toString('latin1'));
  const cursor = { time: Number(parts?.[1]), id: Number(parts?.[2]) };
  if (parts === null || writeCursor(cursor) !== text) throw invalidField('cursor', fieldRules.invalid);
  return cursor;
}

/**
 * What follows a cursor, in a form that walks an index on (created_at, id): a range over the time with a remainder that only
 * concerns the cursor's own second. For the `and` of a filter.
 */
export function afterCursor({ time, id }: TimeCursor): Filter<{ id: number; created_at: number }>[] {
  return [{ created_at: { lte: time } }, { or: [{ created_at: { lt: time } }, { id: { lt: id } }] }];
}

/** No row of a list has that many before it. `total` may be a count that stopped at `exactTotal + 1`: there may be pages behind. */
export function isBehind(skip: number, total: number): boolean {
  return skip >= total && total <= exactTotal;
}

/** `total` of lists that are bare arrays. */
export function totalExtra(total: number): { total: number; total_is_lower_bound?: boolean } {
  return { total: Math.min(total, exactTotal), ...(total > exactTotal ? { total_is_lower_bound: true } : {}) };
}

/** The response of a list. `total` may be a count that stopped at `exactTotal + 1`. */
export function pageResponse<Item>(items: Item[], bounds: PageBounds, total: number, cursor?: string): Page<Item> {
  return {
    items,
    ...totalExtra(total),
    page: bounds.page,
    page_size: bounds.size,
    ...(cursor === undefined ? {} : { cursor }),
  };
}
