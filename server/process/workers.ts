// The primary process of several workers. It serves nothing: it starts workers, replaces those that die, and restarts all of them one after the other,
// so that a new version takes over while open calls end in the old processes.
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

export interface Workers {
  /** Replaces every worker by a new one of the program as it is on disk now. A call during a restart starts another one after it. */
  restart(): void;
  /** Ends all workers in order, then this process. */
  end(): void;
}

export interface WorkerOptions {
  count: number;
  log: Pick<Logger, 'info' | 'error'>;
}

/** Message that makes a worker end: another one has taken over. */
export const retireMessage = 'retire';

/** Pause before a dead worker is replaced, so that one that cannot start does not burn the machine. */
const restartMs = 1000;
/** Deaths per worker and minute after which the pause doubles with each further one, to a minute. */
const usualDeaths = 3;
const longestPause = 60;
/** A new version may have to build indexes before it listens. */
const startMs = 600_000;

/**
 * `serving` is replaced when it dies. `starting` belongs to a restart: if it dies, its predecessor continues. `retired` ends its calls.
 */
type Role = 'serving' | 'starting' | 'retired';

/** Starts the workers. */
export function runWorkers(options: WorkerOptions): Workers {
  // Workers accept connections themselves. One that was accepted here and is on its way to a worker when that is killed would
  // stay open, and its client would wait for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  return new Supervisor(options);
}

class Supervisor implements Workers {
  readonly #count: number;
  readonly #log: WorkerOptions['log'];
  readonly #roles = new Map<Worker, Role>();
  /** Times of deaths in the last minute. */
  #deaths: number[] = [];
  #isEnding = false;
  #hasServed = false;
  #isRestarting = false;
  #isRestartWanted = false;
  /** Exit code of the workers after a stop signal: the primary process ends with it. */
  #endCode = 0;

  constructor({ count, log }: WorkerOptions) {
    this.#count = count;
    this.#log = log;
    cluster.on('listening', () => {
      this.#hasServed = true;
    });
    cluster.on('exit', (worker, code: number, signal: NodeJS.Signals | null) => this.#ended(worker, code, signal));
    this.#fill();
  }

  restart(): void {
    this.#isRestartWanted = true;
    void this.#restartWhileWanted();
  }

  end(): void {
    this.#isEnding = true;
    for (const worker of this.#roles.keys()) worker.process.kill('SIGTERM');
    if (this.#roles.size === 0) process.exit(0);
  }

  #ended(worker: Worker, code: number, signal: NodeJS.Signals | null): void {
    const role = this.#roles.get(worker);
    this.#roles.delete(worker);
    if (this.#isEnding) {
      // A worker that is still starting just ends.
      this.#endCode = Math.max(this.#endCode, signal === 'SIGTERM' ? 0 : signal === null ? code : 1);
      if (this.#roles.size === 0) process.exit(this.#endCode);
      return;
    }
    // None ever came up: what is wrong will not go away by trying again, and the worker has said what it is.
    if (!this.#hasServed) process.exit(code === 0 ? 1 : code);
    if (role === 'serving') this.#replaceLater({ pid: worker.process.pid, code, signal });
  }

  #fork(role: Role): Worker {
    const worker = cluster.fork();
    this.#roles.set(worker, role);
    return worker;
  }

  #having(role: Role): Worker[] {
    return [...this.#roles].filter(([, each]) => each === role).map(([worker]) => worker);
  }

  #fill(): void {
    while (this.#having('serving').length < this.#count) this.#fork('serving');
  }

  #replaceLater(dead: { pid: number | undefined; code: number; signal: NodeJS.Signals | null }): void {
    const now = performance.now();
    this.#deaths = [...this.#deaths.filter((time) => now - time < 60_000), now];
    const pauseMs = restartMs * Math.min(longestPause, 2 ** Math.max(0, this.#deaths.length - usualDeaths * this.#count));
    this.#log.error({ ...dead, pauseMs }, 'a worker has died and is replaced');
    setTimeout(() => !this.#isEnding && this.#fill(), pauseMs);
  }

  async #restartWhileWanted(): Promise<void> {
    if (this.#isRestarting) return;
    this.#isRestarting = true;
    while (this.#isRestartWanted && !this.#isEnding) {
      this.#isRestartWanted = false;
      await this.#restartAll();
    }
    this.#isRestarting = false;
  }

  async #restartAll(): Promise<void> {
    // Never more than two processes per worker.
    while (this.#having('retired').length > 0) await sleep(restartMs);
    this.#log.info({ workers: this.#count }, 'all workers are restarted');
    for (const former of this.#having('serving')) {
      if (this.#isEnding) return;
      // It died meanwhile, and its replacement is new.
      if (this.#roles.get(former) !== 'serving') continue;
      if (!(await this.#replace(former))) {
        this.#log.error('a new worker does not start; the workers that are left continue, and the restart ends here');
        return;
      }
    }
    for (const surplus of this.#having('serving').slice(0, this.#surplus())) this.#retire(surplus);
    this.#log.info('all workers have been restarted; the former ones end their open calls');
  }

  /** Returns false if the new worker does not start. */
  async #replace(former: Worker): Promise<boolean> {
    if (this.#surplus() > 0) {
      this.#retire(former);
      return true;
    }
    const fresh = this.#fork('starting');
    if (!(await isListening(fresh))) {
      fresh.process.kill('SIGKILL');
      return false;
    }
    this.#roles.set(fresh, 'serving');
    if (this.#roles.get(former) === 'serving') this.#retire(former);
    return true;
  }

  #retire(worker: Worker): void {
    this.#roles.set(worker, 'retired');
    worker.send(retireMessage, () => {});
  }

  /** Workers beyond their number: a former one died while its successor started, and was replaced as well. */
  #surplus(): number {
    return Math.max(0, this.#having('serving').length - this.#count);
  }
}

function isListening(worker: Worker): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), startMs);
    const settle = (isUp: boolean) => () => {
      clearTimeout(timer);
      resolve(isUp);
    };
    worker.once('listening', settle(true));
    worker.once('exit', settle(false));
  });
}
