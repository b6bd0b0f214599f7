// Tells whose books are abandoned. It remembers what it saw: hosts may have different clocks, and after an outage of the
// database every heartbeat is old.
import type { ProcessRecord } from '#server/db/records/process.ts';
import { living, thisHost } from '#server/money/recovery/server-process.ts';

/** Without a heartbeat for this long, a process is taken for dead. */
const deadAfterMs = 20_000;
/** A heartbeat that was this old already when we started needs no watching: no two clocks are that far apart. */
const longDeadMs = 60_000;

export interface DeathWatch {
  /** Those of the unfinished books whose keeper (the process, or whoever settles them for it) cannot be running any more. */
  abandoned(rows: readonly ProcessRecord[]): ProcessRecord[];
  /** The database was away, so silence meant nothing: it must last anew. */
  forget(): void;
  /** Books that the owner of this watch is settling. */
  readonly settling: Set<string>;
}

export function createDeathWatch(now: () => number): DeathWatch {
  let seen = new Map<string, { heartbeat: number; since: number }>();
  let isFirstLook = true;
  const settling = new Set<string>();

  function isAbandoned(row: ProcessRecord): boolean {
    // It has resigned.
    if (row.heartbeat_at === 0) return true;
    const { host, pid } = row.settler ?? row;
    if (host === thisHost) {
      const isHere = pid === process.pid;
      const isKept = row.settler === undefined ? living.has(row.id) : settling.has(row.id);
      if (isHere ? !isKept : !isRunning(pid)) return true;
    }
    const known = seen.get(row.id);
    if (known?.heartbeat === row.heartbeat_at) return performance.now() - known.since > deadAfterMs;
    // On this machine it runs, or another program has its pid by now: only watching tells.
    return host !== thisHost && isFirstLook && now() - row.heartbeat_at > longDeadMs;
  }

  return {
    settling,
    abandoned(rows) {
      const found = rows.filter(isAbandoned);
      const before = seen;
      seen = new Map();
      for (const { id, heartbeat_at: heartbeat } of rows) {
        const known = before.get(id);
        seen.set(id, known?.heartbeat === heartbeat ? known : { heartbeat, since: performance.now() });
      }
      isFirstLook = false;
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
    // EPERM: it runs, as somebody else.
    return !(failure instanceof Error && 'code' in failure && failure.code === 'ESRCH');
  }
}
