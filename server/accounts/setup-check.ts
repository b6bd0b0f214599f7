// Whether there is an installation to have accounts in: before the set-up nobody can register, so that nobody but whoever
// does the set-up can be the first user, or take the name that the super admin is to have.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';

/** The fact that says where the set-up stands. */
export const setupFact = 'setup';

/** Databases whose set-up is known to be done. It never becomes undone, so a yes is remembered. */
const done = new WeakSet<AppContext['db']>();

/** Whether the set-up has been completed. */
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
