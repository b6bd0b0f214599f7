// Runs the thread that checkpoints the write-ahead log (`embedded-checkpoint-worker.ts`). Without it the log only
// grows, so a thread that ends is replaced.
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { ThreadLog } from '#server/db/thread-log.ts';

/** Delay of the first thread: databases that are open only briefly need none. */
const startMs = 1_000;
/** Doubled whenever a thread ends soon after its start. */
const firstPauseMs = 500;
const longestPauseMs = 60_000;
/** A thread that lived this long does not count as failing repeatedly. */
const soundMs = 60_000;
/** Maximum replacements in a row; the log is truncated at the next start. */
const mostReplacements = 10;
const closeMs = 5_000;

export class Checkpoints {
  readonly #file: string;
  readonly #log: ThreadLog;
  #timer: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;
  #replacements = 0;
  #isClosed = false;

  constructor(file: string, log: ThreadLog) {
    this.#file = file;
    this.#log = log;
    this.#startIn(startMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.ref();
    worker.postMessage('end');
    // A slow disk finishes the last checkpoint after this process.
    await Promise.race([ended, sleep(closeMs, undefined, { ref: false })]);
  }

  #startIn(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#start(), milliseconds).unref();
  }

  #start(): void {
    const began = performance.now();
    let cause: unknown;
    const worker = new Worker(new URL('./embedded-checkpoint-worker.ts', import.meta.url), { workerData: this.#file, execArgv: [] });
    this.#worker = worker;
    worker.on('error', (failure) => (cause = failure));
    worker.once('exit', () => {
      this.#worker = undefined;
      if (!this.#isClosed) this.#replace(performance.now() - began, cause);
    });
    worker.unref();
  }

  #replace(livedMs: number, cause: unknown): void {
    this.#replacements = livedMs >= soundMs ? 1 : this.#replacements + 1;
    if (this.#replacements > mostReplacements) {
      this.#log.error({ err: cause }, 'the thread that keeps the write-ahead log short ends again and again: restart the server');
      return;
    }
    this.#log.warn({ err: cause }, 'the thread that keeps the write-ahead log short has ended and is started again');
    this.#startIn(Math.min(longestPauseMs, firstPauseMs * 2 ** (this.#replacements - 1)));
  }
}
