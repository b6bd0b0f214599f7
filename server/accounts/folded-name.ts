// Names that differ only by case could be confused, so the second is rejected. Signing in requires the exact name.
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { UserRecord } from '#server/db/records/user.ts';

/** Case-folds a name; both ways, since some letters have two small forms (`σ`, `ς`) or no capital. */
export function foldName(username: string): string {
  return username.toUpperCase().toLowerCase().normalize('NFC');
}

/** Finds the user, deleted or not, with this name or one that differs by case only. */
export async function findNamesake({ db }: Pick<AppContext, 'db'>, username: string): Promise<UserRecord | null> {
  const users = db.collection('users');
  return (await users.first({ username_folded: foldName(username) })) ?? users.first({ username });
}

/** Returns the folded names among these that are taken, ignoring case. */
export async function takenNames({ db }: Pick<AppContext, 'db'>, names: readonly string[]): Promise<ReadonlySet<string>> {
  const users = db.collection('users');
  const [folded, written] = await Promise.all([
    users.find({ username_folded: { in: names.map(foldName) } }),
    users.find({ username: { in: names } }),
  ]);
  return new Set([...folded, ...written].map(({ username }) => foldName(username)));
}

/** Adds folded names to records of earlier versions. Of equal ones, the first gets it; the others stay without. */
export async function fillFoldedNames({ db }: Pick<AppContext, 'db'>): Promise<void> {
  const users = db.collection('users');
  for await (const { id, username } of users.each({ username_folded: { exists: false } })) {
    try {
      await users.patch({ id, username }, { set: { username_folded: foldName(username) } });
    } catch (failure) {
      if (!(failure instanceof UniqueConflict)) throw failure;
    }
  }
}
