import type { UserSort } from '#shared/users.ts';
import type { Collection, Filter } from '#server/db/collection.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { exactTotal } from '#server/http/paging.ts';
import { balanceOf } from '#server/money/account.ts';

const figures: Readonly<Record<UserSort, (user: UserRecord) => number>> = {
  balance: balanceOf,
  used: (user) => user.used_quota,
  requests: (user) => user.request_count,
};

interface SortedPage {
  sort: UserSort;
  isAscending: boolean;
  skip: number;
  size: number;
}

/**
 * Returns one page of users sorted by a figure, the newest first among equals. Reads every user that matches, in constant memory: an
 * index on a figure would be written by every call. Pages end where the list's total is no longer exact.
 */
export async function findSorted(
  users: Collection<UserRecord>,
  filter: Filter<UserRecord>,
  { sort, isAscending, skip, size }: SortedPage,
): Promise<UserRecord[]> {
  if (skip >= exactTotal) return [];
  const most = skip + size;
  const direction = isAscending ? 1 : -1;
  let best: { id: number; figure: number }[] = [];
  const cut = (): void => {
    best.sort((one, other) => direction * (one.figure - other.figure) || other.id - one.id);
    best = best.slice(0, most);
  };
  for await (const user of users.each(filter)) {
    best.push({ id: user.id, figure: figures[sort](user) });
    if (best.length >= 2 * most + size) cut();
  }
  cut();
  const ids = best.slice(skip).map(({ id }) => id);
  if (ids.length === 0) return [];
  const found = new Map((await users.find({ id: { in: ids } })).map((user) => [user.id, user]));
  return ids.flatMap((id) => found.get(id) ?? []);
}
