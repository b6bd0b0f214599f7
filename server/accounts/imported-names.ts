// Names of accounts that were moved in. They may be longer than those of people who register, be addresses, and differ from another name by case only.
import { tidyName } from '#shared/account-rules.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { foldName } from './folded-name.ts';

/** Characters. */
export const importedNameLimit = 64;

/** Returns the name as stored and looked up at sign-in; null if it is empty or too long. */
export function importedUsername(given: string): string | null {
  const name = tidyName(given);
  return name === '' || Array.from(name).length > importedNameLimit ? null : name;
}

/**
 * Fields of that name. The folded name is unique: of names that differ by case only, the first has it, and no new
 * account can take any of them.
 * @param taken folded names of other accounts
 */
export function importedNameFields(username: string, taken: ReadonlySet<string>): Pick<UserRecord, 'username' | 'username_folded'> {
  const folded = foldName(username);
  return taken.has(folded) ? { username } : { username, username_folded: folded };
}
