// Record of this server process in the database. Leases and log rows carry its id; its heartbeat shows that it is
// alive.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import type { Logger } from 'pino';
import type { Database } from '#server/db/database.ts';

const heartbeatMs = 2_000;

/** Ids used by this process (several in tests). Another id with this pid belongs to a dead process. */
export const living = new Set<string>();

/**
 * Identifies the scope in which pids are unique: one boot of one machine, and one pid namespace. Host names are not enough:
 * images and containers share them.
 */
export function hostOf({ name, boot, namespace }: { name: string; boot: string; namespace: string }): string {
  return [name, boot, namespace].join('/');
}

export const thisHost = hostOf({ name: hostname(), boot: bootId(), namespace: pidNamespace() });

/** Random id that the kernel generates at each boot; outside of Linux, the MAC addresses. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    const cards = Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ mac }) => mac) ?? []);
    return [...new Set(cards)]
      .filter((mac) => /[1-9a-f]/.test(mac))
      .toSorted()
      .join(',');
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return ''; // Not Linux.
  }
}

export interface ProcessOptions {
  db: Database;
  log: Logger;
  now(): number;
  randomText(count: number): string;
  /** Number of the last log row applied to every account. */
  settledSeq(): number;
  /** Called if another process considers this one dead and settles the books of that id. */
  onLost(id: string): void;
}

export interface ServerProcess {
  readonly id: string;
  /** False if the last heartbeat could not be written: the database may be read-only, or its disk full. */
  readonly canWrite: boolean;
  start(): Promise<void>;
  /** Returns false if another process has begun to settle the books of that id. */
  isAlive(id: string): Promise<boolean>;
  /** Takes a new id. `switchOver` is called synchronously when `id` changes. */
  renew(switchOver: () => void): Promise<void>;
  /** Closes the books up to `settledSeq`. If they are not clean, other processes settle the rest. */
  stop(isClean: boolean): Promise<void>;
}

export function createServerProcess(options: ProcessOptions): ServerProcess {
  const processes = options.db.collection('processes');
  let id = newId();
  let timer: NodeJS.Timeout | undefined;
  let canWrite = true;

  function newId(): string {
    // Field paths contain the id, so it has letters and digits only.
    return `p${options.randomText(11)}`;
  }

  async function register(newcomer: string): Promise<void> {
    const now = options.now();
    // Before the insert: otherwise it could be taken for a dead process with the same pid.
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
      canWrite = true;
      if (row === null) options.onLost(beating);
    } catch (failure) {
      canWrite = false;
      options.log.warn({ reason: String(failure) }, 'the heartbeat could not be written');
    }
  }

  return {
    get id() {
      return id;
    },
    get canWrite() {
      return canWrite;
    },
    async start() {
      await register(id);
      timer = setInterval(() => void beat(), heartbeatMs);
      timer.unref();
    },
    async isAlive(requested) {
      return (await processes.get(requested))?.state === 'alive';
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
      const end = isClean ? ({ state: 'settled' } as const) : { heartbeat_at: 0 };
      await processes.patch({ id, state: 'alive' }, { set: end, max: { settled_seq: options.settledSeq() } });
    },
  };
}
