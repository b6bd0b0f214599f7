// Replacement of a MongoDB database by renamed collections: `restoring_users` becomes `users`, which becomes
// `replaced_<stamp>_users`.
import { MongoClient, type Db } from 'mongodb';
import { collections } from '#server/db/collections.ts';
import { copyClientOptions, openMongo } from '#server/db/mongo.ts';
import { readCopyState, removeCopyState, saveCopyState } from '#server/db/rows/mongo-copy-state.ts';
import { openMongoTarget } from '#server/db/rows/mongo-rows.ts';
import type { Replacement } from '#server/db/rows/replacement.ts';
import type { CopyState } from '#server/db/rows/rows.ts';

const prefix = 'restoring_';
const names: readonly string[] = [...Object.keys(collections), 'counters'];

/** @param writer this process */
export function openMongoReplacement(url: string, name: string, writer: CopyState['writer']): Replacement {
  async function withDb<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    const client = new MongoClient(url, copyClientOptions);
    try {
      return await work(client.db(name));
    } finally {
      await client.close();
    }
  }

  return {
    isResumable: true,
    state: () =>
      withDb(async (db) => {
        const replacing = await readCopyState(db);
        return replacing?.kind === 'restore' ? replacing : readCopyState(db, prefix);
      }),
    async fill() {
      const target = await openMongoTarget(url, name, prefix);
      await target.clear();
      return target;
    },
    open: () => openMongo(url, name, { prefix }),
    replace: (stamp) =>
      withDb(async (db) => {
        // From here no server starts on the database before all collections are renamed.
        await saveCopyState(db, { kind: 'restore', source: stamp, writer, written_at: Date.now(), done: [] });
        return (await renameAll(db, stamp)) ? `${replacedPrefix(stamp)}*` : null;
      }),
    complete: () =>
      withDb(async (db) => {
        const state = await readCopyState(db);
        if (state?.kind !== 'restore') return false;
        await renameAll(db, state.source);
        return true;
      }),
    discard: () =>
      withDb(async (db) => {
        const present = await presentIn(db);
        for (const each of [...names, 'copy_state']) if (present.has(prefix + each)) await db.dropCollection(prefix + each);
      }),
  };
}

function replacedPrefix(stamp: string): string {
  return `replaced_${stamp}_`;
}

/** Repeatable at any point. Returns whether collections were replaced. */
async function renameAll(db: Db, stamp: string): Promise<boolean> {
  const present = await presentIn(db);
  let hasReplaced = false;
  for (const name of names) {
    const aside = replacedPrefix(stamp) + name;
    if (!present.has(prefix + name)) continue;
    if (present.has(name) && !present.has(aside)) {
      await db.collection(name).rename(aside);
      hasReplaced = true;
    }
    await db.collection(prefix + name).rename(name);
  }
  await removeCopyState(db);
  return hasReplaced;
}

async function presentIn(db: Db): Promise<Set<string>> {
  return new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
}
