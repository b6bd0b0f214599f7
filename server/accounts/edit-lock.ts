// Serializes quota edits of an account over all processes. A quota edit has two steps (the record with its revision,
// then the ledger); without the lock, a second editor could read between them and overwrite the first edit.
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { type Collection, UniqueConflict } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import type { JobRecord } from '#server/db/records/job.ts';

/**
 * Time without a change after which a lock's holder counts as dead. Measured locally, because hosts' clocks may differ.
 */
const lockMs = 5000;
const prolongMs = 2000;
const pollMs = 15;
const patienceMs = 15_000;

/** Queues of this process, so that only one editor polls the database. */
const queuesOf = new WeakMap<Database, Map<string, Promise<void>>>();

/**
 * Runs `work` exclusively for this name.
 * @throws {AppError} `database_unavailable` after 15 s of waiting
 */
export async function withEditLock<Result>(context: AppContext, name: string, work: () => Promise<Result>): Promise<Result> {
  const key = `edit:${name}`;
  const deadline = performance.now() + patienceMs;
  const queues = queuesOf.get(context.db) ?? new Map<string, Promise<void>>();
  queuesOf.set(context.db, queues);
  const before = queues.get(key) ?? Promise.resolve();
  const mine = Promise.withResolvers<void>();
  const place = before.then(() => mine.promise);
  queues.set(key, place);
  void place.then(() => queues.get(key) === place && queues.delete(key));
  try {
    await within(patienceMs, before);
    return await holdLock(context, { key, deadline }, work);
  } finally {
    mine.resolve();
  }
}

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const late = wait(milliseconds, true, { signal: timer.signal });
  // Rejected by the abort below, after the race.
  late.catch(() => undefined);
  const isLate = await Promise.race([work.then(() => false), late]);
  timer.abort();
  if (isLate) throw waitedTooLong();
}

async function holdLock<Result>(
  context: AppContext,
  { key, deadline }: { key: string; deadline: number },
  work: () => Promise<Result>,
): Promise<Result> {
  const jobs = context.db.collection('jobs');
  const owner = context.randomText(16);
  const now = context.now();
  const lock = { id: key, owner, expires_at: now + lockMs, last_run_at: now };
  let seen: { lock: JobRecord; since: number } | undefined;
  while (!(await isInserted(jobs, lock))) {
    const held = await jobs.get(key);
    if (held !== null) {
      if (seen === undefined || !isSame(seen.lock, held)) seen = { lock: held, since: performance.now() };
      else if (performance.now() - seen.since > lockMs && (await takeOver(jobs, held, lock))) break;
    }
    // Queries on a slow database take time as well.
    if (performance.now() > deadline) throw waitedTooLong();
    await wait(pollMs);
  }
  // Work on a slow database outlasts a lock that is not renewed.
  const prolonging = setInterval(() => {
    // Changes the value, whatever the clocks do.
    jobs.patch({ id: key, owner }, { increment: { expires_at: prolongMs } }).catch(() => null);
  }, prolongMs);
  try {
    return await work();
  } finally {
    clearInterval(prolonging);
    // A lock that cannot be released now expires.
    await jobs.remove({ id: key, owner }).catch((failure: unknown) => {
      context.log.warn({ reason: String(failure) }, 'an edit lock could not be given back');
    });
  }
}

async function isInserted(jobs: Collection<JobRecord>, lock: JobRecord): Promise<boolean> {
  try {
    await jobs.insert(lock);
    return true;
  } catch (failure) {
    if (failure instanceof UniqueConflict) return false;
    throw failure;
  }
}

/** Returns false if its holder has renewed it, or another editor was first. */
async function takeOver(jobs: Collection<JobRecord>, held: JobRecord, lock: JobRecord): Promise<boolean> {
  const { owner, expires_at, last_run_at } = lock;
  const isUnmoved = { id: held.id, owner: held.owner, expires_at: held.expires_at };
  return (await jobs.patch(isUnmoved, { set: { owner, expires_at, last_run_at } })) !== null;
}

function isSame(one: JobRecord, other: JobRecord): boolean {
  return one.owner === other.owner && one.expires_at === other.expires_at;
}

function waitedTooLong(): AppError {
  return new AppError('database_unavailable', {}, { retryAfter: 1 });
}
