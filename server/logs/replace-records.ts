import type { Stored } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';

/** Written at once; the event loop runs between. */
const batchRecords = 200;

interface Replacement {
  into: 'log_hours' | 'log_sums';
  /** How the ids of the old and the new records begin. */
  prefix: string;
  records: readonly Stored[];
}

/** Replaces all records whose ids begin alike. Not at once: whoever reads them is to know that they are changing. */
export async function replaceRecords(db: Database, { into, prefix, records }: Replacement): Promise<void> {
  await db.collection(into).remove({ id: { startsWith: prefix } });
  for (let start = 0; start < records.length; start += batchRecords) {
    await db.write(records.slice(start, start + batchRecords).map((insert) => ({ insert, into, ignoreConflict: true })));
  }
}
