// A worker thread that reads the embedded database: started when first needed, replaced when it dies.
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { DatabaseClosed, DatabaseUnavailable } from '#server/db/collection.ts';
import { translate } from '#server/db/embedded-connection.ts';
import type { ReaderReply, ReaderRequest } from '#server/db/embedded-reader-worker.ts';
import type { Parameter } from '#server/db/embedded-sql.ts';

type Row = Record<string, unknown>;
type Query = { sql: string; parameters: Parameter[] };

const pageRows = 200;
const closeMilliseconds = 5_000;

interface Pending {
  resolve(rows: Row[] | undefined): void;
  reject(error: unknown): void;
}

export class EmbeddedReader {
  readonly #file: string;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #numbers = 0;
  #closed = false;

  constructor(file: string) {
    this.#file = file;
  }

  async all({ sql, parameters }: Query): Promise<Row[]> {
    return (await this.#ask({ number: this.#next(), kind: 'all', sql, parameters })) ?? [];
  }

  /**
   * All rows of a query in pieces. When the reader dropped it because the consumer was slow, `resume` gives the query
   * that continues after the last row that was handed out.
   */
  async *pages(query: Query, resume: (last: Row) => Query): AsyncGenerator<Row[]> {
    let cursor = this.#next();
    let rows = await this.#ask({ number: cursor, kind: 'open', cursor, ...query, count: pageRows });
    let last: Row | undefined;
    try {
      for (;;) {
        if (rows === undefined) {
          cursor = this.#next();
          rows = await this.#ask({ number: cursor, kind: 'open', cursor, ...(last === undefined ? query : resume(last)), count: pageRows });
        }
        if (rows === undefined || rows.length === 0) return;
        yield rows;
        if (rows.length < pageRows) return;
        last = rows.at(-1);
        rows = await this.#ask({ number: this.#next(), kind: 'next', cursor, count: pageRows });
      }
    } finally {
      // The consumer may have left early.
      if (!this.#closed && this.#worker !== undefined) void this.#ask({ number: this.#next(), kind: 'drop', cursor }).catch(ignore);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#fail(new DatabaseClosed());
    // A thread that is in the middle of a query ends with it; nobody waits for that.
    if (this.#worker !== undefined) await Promise.race([this.#worker.terminate(), sleep(closeMilliseconds, undefined, { ref: false })]);
  }

  #next(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  #ask(request: ReaderRequest): Promise<Row[] | undefined> {
    if (this.#closed) return Promise.reject(new DatabaseClosed());
    return new Promise((resolve, reject) => {
      const worker = (this.#worker ??= this.#start());
      // Only a reader that is at work keeps the process alive.
      if (this.#pending.size === 0) worker.ref();
      this.#pending.set(request.number, { resolve, reject });
      worker.postMessage(request);
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL('./embedded-reader-worker.ts', import.meta.url), { workerData: this.#file, execArgv: [] });
    worker.on('message', (reply: ReaderReply) => {
      const pending = this.#pending.get(reply.number);
      if (pending === undefined) return;
      this.#pending.delete(reply.number);
      if (this.#pending.size === 0) worker.unref();
      if ('failure' in reply) pending.reject(translate(restored(reply.failure)));
      else pending.resolve(reply.rows);
    });
    const lost = (cause: unknown) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#fail(new DatabaseUnavailable('The thread that reads the database ended', { cause }));
    };
    worker.on('error', lost);
    worker.on('exit', lost);
    worker.unref();
    return worker;
  }

  #fail(error: Error): void {
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }
}

function restored(failure: unknown): unknown {
  if (typeof failure !== 'object' || failure === null || !('message' in failure)) return failure;
  return Object.assign(new Error(String(failure.message)), failure);
}

function ignore(): void {}
