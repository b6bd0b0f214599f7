import type { Database } from '#server/db/database.ts';

/** An option as an earlier version has stored it, which this one would refuse. */
export async function storeEarlierOption(db: Database, id: string, value: string): Promise<void> {
  const fields = { value, revision: 7, updated_at: 0, updated_by: 0 };
  await db.collection('options').patch({ id }, { set: fields }, { insertIfMissing: { id, ...fields } });
}
