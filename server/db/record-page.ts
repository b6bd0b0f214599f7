// Pages of records by creation time, newest first unless ascending, as the lists of vendors' APIs have them.
import type { Filter, Sort } from './collection.ts';

interface Created<Id> {
  id: Id;
  created_at: number;
}

interface PageBounds<Id> {
  limit: number;
  isAscending?: boolean;
  /** The page begins after this record. */
  after?: Created<Id> | undefined;
  /** The page ends before this record; without `after` the records nearest to it come first. */
  before?: Created<Id> | undefined;
}

interface PageQuery<Id> {
  /** For `and` of a filter. */
  where: Filter<Created<Id>>[];
  /** Reads one more than the page size if there are more. */
  options: { sort: Sort<Created<Id>>; limit: number };
}

export function pageQuery(bounds: PageBounds<string>): PageQuery<string>;
export function pageQuery(bounds: PageBounds<number>): PageQuery<number>;
export function pageQuery({ limit, isAscending = false, after, before }: PageBounds<string | number>): object {
  const isBackwards = before !== undefined && after === undefined;
  const direction = isAscending === isBackwards ? -1 : 1;
  const where = [
    ...(after === undefined ? [] : [beyond(after, isAscending)]),
    ...(before === undefined ? [] : [beyond(before, !isAscending)]),
  ];
  const sort = [
    ['created_at', direction],
    ['id', direction],
  ];
  return { where, options: { sort, limit: limit + 1 } };
}

function beyond({ created_at: at, id }: Created<string | number>, isLater: boolean): object {
  return isLater
    ? { or: [{ created_at: { gt: at } }, { created_at: at, id: { gt: id } }] }
    : { or: [{ created_at: { lt: at } }, { created_at: at, id: { lt: id } }] };
}
