// Reads batch results concurrently with the job's further work, a few at a time, so gigabytes do not delay other jobs.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppContext } from '#server/context.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import { claimMs } from '#server/work/poll-work.ts';

/** The claim is renewed while results are read. */
const renewMs = claimMs / 3;
/** Maximum batches read by a process at a time. */
export const mostConcurrent = 4;

export interface Turn {
  /** Monotonic milliseconds until which the job waits for readings. */
  until: number;
}

/** Ids being read, per process. */
const reading = new WeakMap<AppContext['db'], Set<string>>();

/**
 * Resolves when the results are read or the turn's time is over. If the process dies, its claim expires and the batch
 * is read again from the start. Returns false if too many are being read, or this one is.
 */
export async function readConcurrently(
  context: AppContext,
  batch: BatchRecord,
  { until }: Turn,
  read: () => Promise<void>,
): Promise<boolean> {
  const ids = reading.get(context.db) ?? new Set();
  reading.set(context.db, ids);
  if (ids.size >= mostConcurrent || ids.has(batch.id)) return false;
  ids.add(batch.id);
  const renewing = setInterval(() => void renew(context, batch), renewMs);
  renewing.unref();
  let isAwaited = true;
  const work = read()
    .finally(() => {
      clearInterval(renewing);
      ids.delete(batch.id);
    })
    .catch((failure: unknown) => {
      if (isAwaited) throw failure;
      context.log.warn({ batch: batch.id, reason: String(failure) }, 'the results of a batch could not be read and will be read again');
    });
  const waiting = new AbortController();
  const waited = sleep(Math.max(0, until - performance.now()), undefined, { signal: waiting.signal, ref: false }).catch(() => undefined);
  try {
    await Promise.race([work, waited]);
  } finally {
    isAwaited = false;
    waiting.abort();
  }
  return true;
}

async function renew({ db, now, log }: AppContext, { id }: BatchRecord): Promise<void> {
  try {
    await db.collection('batches').patch({ id, state: 'running' }, { set: { poll_at: now() + claimMs } });
  } catch (failure) {
    log.warn({ batch: id, reason: String(failure) }, 'the claim of a batch could not be renewed');
  }
}
