// Checks that the installation is set up: before that, registration is closed, so that only the person who does the
// set-up can become the first user or take the super admin's name.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';

/** Id of the fact that stores the set-up's state. */
export const setupFact = 'setup';

/** Databases known to be set up, which is permanent. */
const done = new WeakSet<AppContext['db']>();

/** Reports whether the set-up is complete. */
export async function isSetUp({ db }: Pick<AppContext, 'db'>): Promise<boolean> {
  if (done.has(db)) return true;
  if ((await db.collection('facts').first({ id: setupFact, 'value.state': 'done' })) === null) return false;
  done.add(db);
  return true;
}

/** @throws {AppError} `setup_missing` */
export async function requireSetUp(context: Pick<AppContext, 'db'>): Promise<void> {
  if (!(await isSetUp(context))) throw new AppError('setup_missing');
}
