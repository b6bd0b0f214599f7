import type { Database } from '#server/db/database.ts';

/** Usernames by account id, in one query; deleted rows have none. Only administrators see other users' names. */
export async function readUsernames(db: Database, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const wanted = [...new Set(ids)].filter((id) => id !== 0);
  const users = wanted.length === 0 ? [] : await db.collection('users').find({ id: { in: wanted } });
  return new Map(users.map(({ id, username }) => [id, username]));
}
