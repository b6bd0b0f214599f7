// Client of a worker thread that reads the embedded database: started on first use, replaced if it dies. Reads are
// repeated if their thread dies.
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { AccountLines } from '#server/queues/account-lines.ts';
import { DatabaseClosed, DatabaseUnavailable } from '#server/db/collection.ts';
import { translate } from '#server/db/embedded-connection.ts';
import type { ReaderReply, ReaderRequest } from '#server/db/embedded-reader-worker.ts';
import type { Parameter } from '#server/db/embedded-sql.ts';
import { readingAccount } from '#server/db/reading-for.ts';
import type { ThreadLog } from '#server/db/thread-log.ts';

type Row = Record<string, unknown>;
type Query = { sql: string; parameters: Parameter[] };

const pageRows = 200;
/** Rows transferred at a time, to bound the work on the event loop. */
const partRows = 500;
const closeMilliseconds = 5_000;
/** Maximum consecutive failures of threads, before a pause. */
const mostReplacements = 5;
const pauseMilliseconds = 10_000;

interface Pending {
  request: ReaderRequest;
  isRepeated: boolean;
  resolve(rows: Row[] | undefined): void;
  reject(error: unknown): void;
}

export class EmbeddedReader {
  readonly #file: string;
  readonly #pending = new Map<number, Pending>();
  /** The thread has at most one query per account, because it processes them in order. */
  readonly #lines = new AccountLines({ atOnce: 1, places: Infinity });
  #worker: Worker | undefined;
  #numbers = 0;
  #closed = false;
  /** Number of threads that have ended since the last response, and the time of the last end. */
  #losses = 0;
  #lostAt = 0;
  readonly #log: ThreadLog;

  constructor(file: string, log: ThreadLog) {
    this.#file = file;
    this.#log = log;
  }

  async all({ sql, parameters }: Query): Promise<Row[]> {
    for (let time = 0; time < mostReplacements; time += 1) {
      const number = this.#next();
      let part = await this.#request({ number, kind: 'all', sql, parameters, count: partRows });
      const rows = part ?? [];
      while (part !== undefined && part.length === partRows) {
        part = await this.#request({ number: this.#next(), kind: 'rest', cursor: number, count: partRows });
        if (part !== undefined) rows.push(...part);
      }
      // The rest was lost with its thread: the query is repeated.
      if (part !== undefined) return rows;
    }
    throw lostThread();
  }

  /**
   * Returns all rows in pieces. If the cursor was closed because the reader was slow, `resume` builds the query that
   * continues after the last row.
   */
  async *pages(query: Query, resume: (last: Row) => Query): AsyncGenerator<Row[]> {
    let cursor = this.#next();
    let rows = await this.#request({ number: cursor, kind: 'open', cursor, ...query, count: pageRows });
    let last: Row | undefined;
    try {
      for (;;) {
        if (rows === undefined) {
          cursor = this.#next();
          rows = await this.#request({
            number: cursor,
            kind: 'open',
            cursor,
            ...(last === undefined ? query : resume(last)),
            count: pageRows,
          });
        }
        if (rows === undefined || rows.length === 0) return;
        yield rows;
        if (rows.length < pageRows) return;
        last = rows.at(-1);
        rows = await this.#request({ number: this.#next(), kind: 'next', cursor, count: pageRows });
      }
    } finally {
      // The reader may have stopped early.
      if (!this.#closed && this.#worker !== undefined) void this.#request({ number: this.#next(), kind: 'drop', cursor }).catch(ignore);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#fail(new DatabaseClosed());
    // A busy thread is terminated during its query, without waiting for it.
    if (this.#worker !== undefined) await Promise.race([this.#worker.terminate(), sleep(closeMilliseconds, undefined, { ref: false })]);
  }

  #next(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  #request(request: ReaderRequest): Promise<Row[] | undefined> {
    if (this.#closed) return Promise.reject(new DatabaseClosed());
    if (this.#losses > mostReplacements && performance.now() - this.#lostAt < pauseMilliseconds) return Promise.reject(lostThread());
    const work = () => new Promise<Row[] | undefined>((resolve, reject) => this.#send({ request, resolve, reject, isRepeated: false }));
    const account = request.kind === 'rest' || request.kind === 'drop' ? undefined : readingAccount();
    return account === undefined ? work() : this.#lines.run(account, () => (this.#closed ? Promise.reject(new DatabaseClosed()) : work()));
  }

  #send(pending: Pending): void {
    const worker = (this.#worker ??= this.#start());
    // The thread holds the process open only while it is reading.
    if (this.#pending.size === 0) worker.ref();
    this.#pending.set(pending.request.number, pending);
    worker.postMessage(pending.request);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./embedded-reader-worker.ts', import.meta.url), { workerData: this.#file, execArgv: [] });
    worker.on('message', (reply: ReaderReply) => {
      const pending = this.#pending.get(reply.number);
      if (pending === undefined) return;
      this.#pending.delete(reply.number);
      this.#losses = 0;
      if (this.#pending.size === 0) worker.unref();
      if ('failure' in reply) pending.reject(translate(restored(reply.failure)));
      else pending.resolve(reply.rows);
    });
    const lost = (cause: unknown) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      if (!this.#closed) this.#recover(cause);
    };
    worker.on('error', lost);
    worker.on('exit', lost);
    worker.unref();
    return worker;
  }

  #recover(cause: unknown): void {
    this.#losses += 1;
    this.#lostAt = performance.now();
    this.#log.warn({ err: cause, unanswered: this.#pending.size }, 'a thread that reads the database has ended and is replaced');
    const left = [...this.#pending.values()];
    this.#pending.clear();
    for (const pending of left) {
      const { kind } = pending.request;
      // Cursors are lost with the thread; `pages` handles that.
      if (kind === 'next' || kind === 'rest' || kind === 'drop') pending.resolve(undefined);
      else if (pending.isRepeated || this.#losses > mostReplacements) pending.reject(lostThread(cause));
      else this.#send({ ...pending, isRepeated: true });
    }
  }

  #fail(error: Error): void {
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }
}

function lostThread(cause?: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable('The thread that reads the database ended', { cause });
}

function restored(failure: unknown): unknown {
  if (typeof failure !== 'object' || failure === null || !('message' in failure)) return failure;
  return Object.assign(new Error(String(failure.message)), failure);
}

function ignore(): void {}
