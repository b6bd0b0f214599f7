// One apply at a time, over all processes. A second one is refused at once; the lock of a process that has died ends by itself.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';

const key = 'edit:as-code';
const lockMs = 15_000;
const renewMs = 5000;

/** @throws {AppError} `apply_running` */
export async function withApplyLock<Result>(context: AppContext, work: () => Promise<Result>): Promise<Result> {
  const jobs = context.db.collection('jobs');
  const owner = context.randomText(16);
  const now = context.now();
  const lock = { owner, expires_at: now + lockMs, last_run_at: now };
  try {
    await jobs.insert({ id: key, ...lock });
  } catch (failure) {
    if (!(failure instanceof UniqueConflict)) throw failure;
    if ((await jobs.patch({ id: key, expires_at: { lt: now } }, { set: lock })) === null) throw new AppError('apply_running');
  }
  const renewing = setInterval(() => {
    jobs.patch({ id: key, owner }, { set: { expires_at: context.now() + lockMs } }).catch(() => null);
  }, renewMs);
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    // A lock that cannot be released now expires.
    await jobs.remove({ id: key, owner }).catch(() => null);
  }
}
