// Schedules recovery of dead processes, and the removal of orphans and old marks, while this process runs.
import { removeOldMarks } from '#server/money/ledger-entries.ts';
import { finishOrphanEntries, type OrphansOptions, removeOrphanRows, returnOrphanLeases } from '#server/money/recovery/orphans.ts';

const recoveryMs = 5_000;
const orphansMs = 600_000;
const dayMs = 24 * 3600 * 1000;

/** Returns a function that stops the timers. */
export function scheduleRecovery(options: OrphansOptions & { recover(): Promise<unknown> }): () => void {
  const timers: NodeJS.Timeout[] = [];
  function every(ms: number, work: () => Promise<unknown>): void {
    const timer = setInterval(() => {
      work().catch((failure: unknown) => options.log.warn({ reason: String(failure) }, 'a periodic money job failed and will be repeated'));
    }, ms);
    timer.unref();
    timers.push(timer);
  }
  every(recoveryMs, () => options.recover());
  every(orphansMs, async () => {
    await removeOrphanRows(options);
    await finishOrphanEntries(options);
  });
  every(dayMs, async () => {
    await returnOrphanLeases(options);
    await removeOldMarks(options);
  });
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}
