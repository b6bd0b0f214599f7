// One quota edit of an account at a time, over all processes. A quota edit is two steps (the record with its revision,
// then the ledger); without this a second editor could read between them and overwrite what the first one added.
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';

/** An editor that died holds the others up no longer than this. */
const lockMs = 5000;
const pollMs = 15;
const patienceMs = 15_000;

/** Editors of this process queue here, so that only one of them asks the database. */
const queues = new Map<string, Promise<unknown>>();

/** Runs `work` while nobody else runs work of the same name. @throws {AppError} `database_unavailable` after 15 s of waiting */
export async function withEditLock<Result>(context: AppContext, name: string, work: () => Promise<Result>): Promise<Result> {
  const key = `edit:${name}`;
  const before = queues.get(key) ?? Promise.resolve();
  const mine = before.then(() => holdLock(context, key, work));
  const settled = mine.catch(() => undefined);
  queues.set(key, settled);
  try {
    return await mine;
  } finally {
    if (queues.get(key) === settled) queues.delete(key);
  }
}

async function holdLock<Result>(context: AppContext, key: string, work: () => Promise<Result>): Promise<Result> {
  const jobs = context.db.collection('jobs');
  const owner = context.randomText(16);
  for (let waited = 0; ; waited += pollMs) {
    const now = context.now();
    const lock = { id: key, owner, expires_at: now + lockMs, last_run_at: now };
    const taken = await jobs.patch(
      { id: key, expires_at: { lte: now } },
      { set: { owner, expires_at: lock.expires_at, last_run_at: now } },
      { insertIfMissing: lock },
    );
    if (taken !== null) break;
    if (waited >= patienceMs) throw new AppError('database_unavailable', {}, { retryAfter: 1 });
    await wait(pollMs);
  }
  try {
    return await work();
  } finally {
    // The work is done; a lock that cannot be given back now ends by itself.
    await jobs.remove({ id: key, owner }).catch((failure: unknown) => {
      context.log.warn({ reason: String(failure) }, 'an edit lock could not be given back');
    });
  }
}
