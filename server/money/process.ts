// Who this server process is to the books. Leases and log rows carry its id; a heartbeat tells others that it lives.
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Database } from '#server/db/database.ts';

export const heartbeatMs = 2_000;

/** Identities that live in this very process (tests run several); what carries our pid but is not here has died. */
export const living = new Set<string>();

/** The machine as far as pids mean anything on it: host name and pid namespace. */
export const thisHost = (() => {
  try {
    return `${hostname()}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname(); // no /proc: not Linux
  }
})();

export interface ProcessOptions {
  db: Database;
  log: Logger;
  now(): number;
  randomText(count: number): string;
  /** Number of the last log row that is applied to every account. */
  settledSeq(): number;
  /** Called when another process has taken this one for dead: the identity is gone. */
  onLost(id: string): void;
}

export interface ServerProcess {
  readonly id: string;
  start(): Promise<void>;
  /** Whether the books of that identity are still its own. */
  isAlive(id: string): Promise<boolean>;
  /** Takes a new identity; the old one stays lost. `switchOver` runs in the same turn in which `id` changes. */
  renew(switchOver: () => void): Promise<void>;
  /** Closes the books of this identity up to `settledSeq`; when they are not clean, others settle what is left of them. */
  stop(isClean: boolean): Promise<void>;
}

export function createServerProcess(options: ProcessOptions): ServerProcess {
  const processes = options.db.collection('processes');
  let id = newId();
  let timer: NodeJS.Timeout | undefined;

  function newId(): string {
    // Field paths carry the id, so it must be letters and digits only.
    return `p${options.randomText(11)}`;
  }

  async function register(newcomer: string): Promise<void> {
    const now = options.now();
    // Before anybody here can see it in the database and take it for one that died with our pid.
    living.add(newcomer);
    await processes.insert({
      id: newcomer,
      host: thisHost,
      pid: process.pid,
      started_at: now,
      heartbeat_at: now,
      state: 'alive',
      settled_seq: options.settledSeq(),
    });
  }

  async function beat(): Promise<void> {
    const beating = id;
    try {
      const row = await processes.patch(
        { id: beating, state: 'alive' },
        { set: { heartbeat_at: options.now() }, max: { settled_seq: options.settledSeq() } },
      );
      if (row === null) options.onLost(beating);
    } catch (failure) {
      options.log.warn({ reason: String(failure) }, 'the heartbeat could not be written');
    }
  }

  return {
    get id() {
      return id;
    },
    async start() {
      await register(id);
      timer = setInterval(() => void beat(), heartbeatMs);
      timer.unref();
    },
    async isAlive(asked) {
      return (await processes.get(asked))?.state === 'alive';
    },
    async renew(switchOver) {
      const newcomer = newId();
      await register(newcomer);
      living.delete(id);
      id = newcomer;
      switchOver();
    },
    async stop(isClean) {
      clearInterval(timer);
      living.delete(id);
      const end = isClean ? { state: 'settled' } : { heartbeat_at: 0 };
      await processes.patch({ id, state: 'alive' }, { set: end, max: { settled_seq: options.settledSeq() } });
    },
  };
}
