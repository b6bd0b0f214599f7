// Runs the jobs of the registry, each in one process at a time, over all processes: the process that gets its lock runs it.
import { setTimeout as sleep } from 'node:timers/promises';
import { actingAsJob } from '#server/audit-log/actor.ts';
import { lockSkewMs } from '#server/clock/clock-skew.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { JobRecord } from '#server/db/records/job.ts';
import type { Job } from '#server/jobs/registry.ts';
import { jobPatienceMs } from '#server/process/shutdown-bounds.ts';

export const tickMs = 15_000;
/** A run begins at a tick. One that comes a little early, by a timer or by the clock of another process, is not left to the next. */
const earlyMs = 1_000;

export interface Scheduler {
  /** Runs what is due, one after the other; called by the timer. While it still runs: once more when it has ended. */
  tick(): Promise<void>;
  /** No further run; resolves when the current one has ended, or after some seconds. */
  stop(): Promise<void>;
}

export function startScheduler(context: AppContext, jobs: readonly Job[]): Scheduler {
  const owner = context.randomText(16);
  let isStopped = false;
  let running: Promise<void> | null = null;
  let isTickMissed = false;

  async function runDue(): Promise<void> {
    // What comes later in the list counts from the same moment: it is due again at the next tick, whatever ran before it.
    const at = context.now();
    for (const job of jobs) {
      if (isStopped) return;
      try {
        await runIfDue(context, job, { owner, at });
      } catch (failure) {
        context.log.warn({ job: job.name, reason: String(failure) }, 'a job failed and will be run again when it is next due');
      }
    }
  }

  async function runTicks(): Promise<void> {
    do {
      isTickMissed = false;
      await runDue();
    } while (isTickMissed && !isStopped);
  }

  function tick(): Promise<void> {
    isTickMissed = running !== null;
    running ??= runTicks().finally(() => {
      running = null;
    });
    return running;
  }

  const timer = setInterval(() => void tick(), tickMs);
  timer.unref();
  return {
    tick,
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await Promise.race([running, sleep(jobPatienceMs, undefined, { ref: false })]);
    },
  };
}

interface Tick {
  owner: string;
  at: number;
}

async function runIfDue(context: AppContext, job: Job, { owner, at }: Tick): Promise<void> {
  const rows = context.db.collection('jobs');
  const now = context.now();
  const expiresAt = now + job.lockSeconds * 1000;
  const id = `job:${job.name}`;
  const isFree: Filter<JobRecord> = { or: [{ expires_at: { lte: now } }, { expires_at: { gt: expiresAt + lockSkewMs } }] };
  const isDue: Filter<JobRecord> = {
    or: [{ last_run_at: { lte: at + earlyMs - job.everySeconds * 1000 } }, { last_run_at: { gt: at + lockSkewMs } }],
  };
  // The run counts from the tick, so that a job that fails is not run all the time.
  const taken = await rows.patch(
    { id, and: [isFree, isDue] },
    { set: { owner, expires_at: expiresAt, last_run_at: at } },
    { insertIfMissing: { id, owner, expires_at: expiresAt, last_run_at: at } },
  );
  if (taken === null) return;
  try {
    await actingAsJob(job.name, () => job.run(context));
  } finally {
    await rows.patch({ id, owner }, { set: { expires_at: 0 } });
  }
}
