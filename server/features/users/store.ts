import { AppError } from '#shared/errors.ts';
import type { Page } from '#shared/paging.ts';
import type { User } from '#shared/user.ts';
import type { ListedUser, UserSort } from '#shared/users.ts';
import { presentToOthers } from '#server/accounts/present-user.ts';
import { readUsernames } from '#server/accounts/usernames.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { exactTotal, pageResponse, pageBounds } from '#server/http/paging.ts';
import { findSorted } from './find-sorted.ts';
import { readLastCalls } from './read-last-calls.ts';

interface UserQuery {
  p?: number | undefined;
  page_size?: number | undefined;
  keyword?: string | undefined;
  group?: string | undefined;
  sort?: UserSort | undefined;
  ascending?: boolean | undefined;
}

/** A page of users, deleted ones included. */
export async function listUsers(context: AppContext, query: UserQuery): Promise<Page<ListedUser>> {
  const users = context.db.collection('users');
  const filter = filterOf(query);
  const bounds = pageBounds(query);
  const { sort, ascending: isAscending = false } = query;
  const [items, count] = await Promise.all([
    sort === undefined
      ? users.find(filter, { sort: [['id', -1]], skip: bounds.skip, limit: bounds.size })
      : findSorted(users, filter, { sort, isAscending, ...bounds }),
    users.count(filter, exactTotal + 1),
  ]);
  const [names, lastCalls] = await Promise.all([inviterNames(context, items), readLastCalls(context, items)]);
  return pageResponse(
    items.map((record, place) => ({ ...withInviter(record, names), last_call: lastCalls[place] ?? 0 })),
    bounds,
    count,
  );
}

/** As administrators see an account. */
export async function presentManaged(context: AppContext, record: UserRecord): Promise<User> {
  return withInviter(record, await inviterNames(context, [record]));
}

function inviterNames({ db }: AppContext, records: readonly UserRecord[]): Promise<ReadonlyMap<number, string>> {
  return readUsernames(
    db,
    records.map((record) => record.inviter_id),
  );
}

function withInviter(record: UserRecord, names: ReadonlyMap<number, string>): User {
  return { ...presentToOthers(record), inviter_name: names.get(record.inviter_id) ?? '' };
}

/** Deleted or not. @throws {AppError} `user_not_found` */
export async function readUser(context: AppContext, id: number): Promise<UserRecord> {
  const user = await context.db.collection('users').get(id);
  if (user === null) throw new AppError('user_not_found');
  return user;
}

/** @throws {AppError} `user_not_found`, for deleted users too */
export async function readLivingUser(context: AppContext, id: number): Promise<UserRecord> {
  const user = await context.db.collection('users').get(id);
  if (user === null || user.DeletedAt !== null) throw new AppError('user_not_found');
  return user;
}

function filterOf({ keyword, group }: UserQuery): Filter<UserRecord> {
  // Organisations have a list of their own.
  const parts: Filter<UserRecord>[] = [{ kind: { exists: false } }];
  if (group !== undefined) parts.push({ group });
  if (keyword !== undefined) {
    const matches: Filter<UserRecord>[] = [
      { username: { contains: keyword } },
      { email: { contains: keyword } },
      { display_name: { contains: keyword } },
    ];
    if (/^\d{1,15}$/.test(keyword)) matches.push({ id: Number(keyword) });
    parts.push({ or: matches });
  }
  return { and: parts };
}
