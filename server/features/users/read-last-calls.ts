import { LogType } from '#shared/logs.ts';
import type { AppContext } from '#server/context.ts';
import type { Sort } from '#server/db/collection.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { UserRecord } from '#server/db/records/user.ts';

/** Rows of a user that are searched for a call: a user who is refused all day has many others. */
const newestRows = 50;
const mostTokens = 100;

/** Returns the times of the newest calls of users, in their order: unix seconds, 0 where none is known. */
export function readLastCalls(context: Pick<AppContext, 'db'>, users: readonly UserRecord[]): Promise<number[]> {
  return Promise.all(users.map((user) => readLastCall(context, user)));
}

const newestFirst: Sort<LogRecord> = [
  ['created_at', -1],
  ['id', -1],
];

async function readLastCall({ db }: Pick<AppContext, 'db'>, { id, request_count: calls }: UserRecord): Promise<number> {
  if (calls === 0) return 0;
  const logs = db.collection('logs');
  const newest = await logs.first({ user_id: id }, { sort: newestFirst });
  if (newest === null || isCall(newest)) return newest?.created_at ?? 0;
  const rows = await logs.find({ user_id: id }, { sort: newestFirst, limit: newestRows });
  const call = rows.find(isCall);
  if (call !== undefined || rows.length < newestRows) return call?.created_at ?? 0;
  // A token notes when it was used, and when it was made.
  const tokens = await db.collection('tokens').find({ user_id: id }, { sort: [['id', -1]], limit: mostTokens });
  return Math.max(0, ...tokens.filter((token) => token.accessed_time > token.created_time).map((token) => token.accessed_time));
}

function isCall({ type }: LogRecord): boolean {
  return type === LogType.consumption;
}
