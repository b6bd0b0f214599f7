// Tells which processes have died by their heartbeats. It compares each heartbeat with the one that it saw before, not with the
// clock: hosts may have different clocks, and after an outage of the database every heartbeat is old. So at its first look it finds
// those that ended on this machine, whose pids are gone; those that ended elsewhere only when their heartbeats have stood still.
import type { ProcessRecord } from '#server/db/records/process.ts';
import { living, thisHost } from '#server/money/recovery/server-process.ts';

/** Without a heartbeat for this long, a process is taken for dead. */
const deadAfterMs = 20_000;

export interface FailureDetector {
  /** Those that have died. Of a process that is being settled by another one, that other one must have died. */
  failed(rows: readonly ProcessRecord[]): ProcessRecord[];
  /** After an outage of the database: silence during it does not count. */
  forget(): void;
  /** Processes whose books this one is settling. */
  readonly settling: Set<string>;
}

export function createFailureDetector(): FailureDetector {
  let seen = new Map<string, { heartbeat: number; since: number }>();
  const settling = new Set<string>();

  function hasFailed(row: ProcessRecord): boolean {
    // It said so itself.
    if (row.heartbeat_at === 0) return true;
    const { host, pid } = row.settler ?? row;
    if (host === thisHost) {
      const isHere = pid === process.pid;
      const isStored = row.settler === undefined ? living.has(row.id) : settling.has(row.id);
      if (isHere ? !isStored : !isRunning(pid)) return true;
    }
    // Also on this machine, where its pid may belong to another program by now.
    const known = seen.get(row.id);
    return known?.heartbeat === row.heartbeat_at && performance.now() - known.since > deadAfterMs;
  }

  return {
    settling,
    failed(rows) {
      const found = rows.filter(hasFailed);
      const before = seen;
      seen = new Map();
      for (const { id, heartbeat_at: heartbeat } of rows) {
        const known = before.get(id);
        seen.set(id, known?.heartbeat === heartbeat ? known : { heartbeat, since: performance.now() });
      }
      return found;
    },
    forget() {
      seen.clear();
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (failure) {
    // EPERM: it runs, as another user.
    return !(failure instanceof Error && 'code' in failure && failure.code === 'ESRCH');
  }
}
