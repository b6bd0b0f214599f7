// Version of the stored data, in the database. Indexes are not part of it: both engines update them at every start.
import { UniqueConflict } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';

/** A change of stored records that programs before it cannot read or would damage. */
export interface Upgrade {
  /** Version that it produces: one more than that of the upgrade before it. */
  to: number;
  /** One sentence for the operator. */
  changes: string;
  /** Repeatable: a start that was interrupted runs it again. */
  run(db: Database): Promise<void>;
}

/** In order; never removed, so that any older database can be upgraded. */
export const upgrades: readonly Upgrade[] = [];

/** Version of databases that store none: they are older than this record. */
const firstVersion = 1;

export function newestVersion(known: readonly Upgrade[] = upgrades): number {
  return known.at(-1)?.to ?? firstVersion;
}

const factId = 'schema_version';

/** The database was written by a newer program; the message is one line for the operator. */
export class NewerSchemaError extends Error {
  constructor(found: number, known: number) {
    super(
      `The database was written by a newer version of Tidegate (data version ${found}, known is ${known}) and was left unchanged: ` +
        'start that version, or restore the backup that its upgrade has made',
    );
    this.name = 'NewerSchemaError';
  }
}

/** @throws {NewerSchemaError} */
export async function readSchemaVersion(db: Database, known: readonly Upgrade[] = upgrades): Promise<number> {
  const facts = db.collection('facts');
  let fact = await facts.get(factId);
  if (fact === null) {
    // A new database has the newest form; others are as old as this record.
    const isNew = (await facts.first({})) === null;
    fact = { id: factId, value: isNew ? newestVersion(known) : firstVersion };
    try {
      await facts.insert(fact);
    } catch (error) {
      if (!(error instanceof UniqueConflict)) throw error;
      fact = (await facts.get(factId)) ?? fact;
    }
  }
  const version = Number(fact.value);
  if (!(version <= newestVersion(known))) throw new NewerSchemaError(version, newestVersion(known));
  return version;
}

export async function storeSchemaVersion(db: Database, version: number): Promise<void> {
  await db.collection('facts').patch({ id: factId }, { set: { value: version } }, { insertIfMissing: { id: factId, value: version } });
}
