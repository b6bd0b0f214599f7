import type { Database } from '#server/db/database.ts';

/** Names of these accounts by id, in one query; who is gone has none. Only administrators are told other people's names. */
export async function readUsernames(db: Database, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const wanted = [...new Set(ids)].filter((id) => id !== 0);
  const users = wanted.length === 0 ? [] : await db.collection('users').find({ id: { in: wanted } });
  return new Map(users.map(({ id, username }) => [id, username]));
}
