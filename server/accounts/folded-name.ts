// Names that differ only by the case of their letters would be taken for one another: the second is refused. Whoever signs in
// gives their name as it is.
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { UserRecord } from '#server/db/records/user.ts';

/** The name without its letters' case; both ways, since some letters have two small forms (`σ`, `ς`) or none that is large. */
export function foldName(username: string): string {
  return username.toUpperCase().toLowerCase().normalize('NFC');
}

/** Who has the name, or one that differs by case only, deleted or not. */
export async function findNamesake({ db }: Pick<AppContext, 'db'>, username: string): Promise<UserRecord | null> {
  const users = db.collection('users');
  return (await users.first({ username_folded: foldName(username) })) ?? users.first({ username });
}

/** Which of these names, folded, somebody has, or one that differs by case only. */
export async function takenNames({ db }: Pick<AppContext, 'db'>, names: readonly string[]): Promise<ReadonlySet<string>> {
  const users = db.collection('users');
  const [folded, written] = await Promise.all([
    users.find({ username_folded: { in: names.map(foldName) } }),
    users.find({ username: { in: names } }),
  ]);
  return new Set([...folded, ...written].map(({ username }) => foldName(username)));
}

/**
 * Gives the records of earlier versions their folded name. Of names that were alike by then, the first has it; the others
 * stay as they are.
 */
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
