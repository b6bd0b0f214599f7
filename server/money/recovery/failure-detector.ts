// Detects dead processes by their heartbeats. Compares each heartbeat with the previously seen one, not with the clock:
// hosts' clocks may differ, and after a database outage all heartbeats are old. The first check therefore only finds
// processes that reported their own end or whose pids are gone from this machine; others are found once their
// heartbeats have stopped.
import type { ProcessRecord } from '#server/db/records/process.ts';
import { living, thisHost } from '#server/money/recovery/server-process.ts';

/** Time without a heartbeat after which a process counts as dead. */
const deadAfterMs = 20_000;

export interface FailureDetector {
  /** Returns dead processes. If another process is settling its books, that one must be dead as well. */
  failed(rows: readonly ProcessRecord[]): ProcessRecord[];
  /** Called after a database outage, during which silence does not count. */
  forget(): void;
  /** Processes whose books this one is settling. */
  readonly settling: Set<string>;
}

export function createFailureDetector(): FailureDetector {
  let seen = new Map<string, { heartbeat: number; since: number }>();
  const settling = new Set<string>();

  function hasFailed(row: ProcessRecord): boolean {
    // The process itself reported its end, with open books.
    if (row.heartbeat_at === 0) return true;
    const { host, pid } = row.settler ?? row;
    if (host === thisHost) {
      const isHere = pid === process.pid;
      const isKnown = row.settler === undefined ? living.has(row.id) : settling.has(row.id);
      if (isHere ? !isKnown : !isRunning(pid)) return true;
    }
    // Applies to this machine too: another program may have the pid by now.
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

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (failure) {
    // EPERM: it runs as another user.
    return !(failure instanceof Error && 'code' in failure && failure.code === 'ESRCH');
  }
}
