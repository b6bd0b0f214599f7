// Who this server process is to the books. Leases and log rows carry its id; a heartbeat tells others that it lives.
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Database } from '#server/db/database.ts';

export const heartbeatMs = 2_000;
/** Without a heartbeat for this long, a process is taken for dead. */
export const deadAfterMs = 20_000;

/** Identities that live in this very process (tests run several); what carries our pid but is not here has died. */
const living = new Set<string>();

/** The machine as far as pids mean anything on it: host name and pid namespace. */
export const thisHost = (() => {
  try {
    return `${hostname()}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname(); // no /proc: not Linux
  }
})();

export interface Identity {
  readonly id: string;
}

export interface ProcessOptions {
  db: Database;
  log: Logger;
  now(): number;
  randomText(count: number): string;
  /** Number of the last log row that is applied to every account. */
  settledSeq(): number;
  /** Called when another process took this one for dead and settled its books: the identity is gone. */
  onLost(): void;
}

export interface ServerProcess {
  readonly id: string;
  start(): Promise<void>;
  /** Takes a new identity; the old one stays lost. */
  renew(): Promise<void>;
  /** Marks the books of this identity as settled up to `settledSeq`. */
  stop(): Promise<void>;
}

export function createServerProcess(options: ProcessOptions): ServerProcess {
  const processes = options.db.collection('processes');
  let id = newId();
  let timer: NodeJS.Timeout | undefined;

  function newId(): string {
    // Field paths carry the id, so it must be letters and digits only.
    return `p${options.randomText(11)}`;
  }

  async function register(): Promise<void> {
    const now = options.now();
    await processes.insert({
      id,
      host: thisHost,
      pid: process.pid,
      started_at: now,
      heartbeat_at: now,
      state: 'alive',
      settled_seq: 0,
    });
    living.add(id);
  }

  async function beat(): Promise<void> {
    try {
      const row = await processes.patch(
        { id, state: 'alive' },
        { set: { heartbeat_at: options.now() }, max: { settled_seq: options.settledSeq() } },
      );
      if (row === null) options.onLost();
    } catch (failure) {
      options.log.warn({ reason: String(failure) }, 'the heartbeat could not be written');
    }
  }

  return {
    get id() {
      return id;
    },
    async start() {
      await register();
      timer = setInterval(() => void beat(), heartbeatMs);
      timer.unref();
    },
    async renew() {
      living.delete(id);
      id = newId();
      await register();
    },
    async stop() {
      clearInterval(timer);
      await processes.patch({ id, state: 'alive' }, { set: { state: 'settled' }, max: { settled_seq: options.settledSeq() } });
      living.delete(id);
    },
  };
}

/** True when that process cannot be running any more. `row.heartbeat_at` and `now` in milliseconds. */
export function isDead(row: { id: string; host: string; pid: number; heartbeat_at: number }, now: number): boolean {
  if (now - row.heartbeat_at > deadAfterMs) return true;
  if (row.host !== thisHost || living.has(row.id)) return false;
  if (row.pid === process.pid) return true;
  try {
    process.kill(row.pid, 0);
    return false;
  } catch (failure) {
    return failure instanceof Error && 'code' in failure && failure.code === 'ESRCH';
  }
}
