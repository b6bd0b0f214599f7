// Connection of the main thread: cached statements, transactions, and waiting for the write lock of other processes.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { DatabaseClosed, DatabaseUnavailable, UniqueConflict } from '#server/db/collection.ts';
import { collections } from '#server/db/collections.ts';
import type { Parameter } from '#server/db/embedded-sql.ts';

/** Maximum wait for a lock held by another process, including the wait behind earlier calls. */
const patience = 10_000;
/** Time for which a locked database is assumed to stay locked, for calls that have waited long enough. */
const lockedMilliseconds = 100;
/** Maximum time that one attempt blocks the event loop. */
const blockingMilliseconds = 5;
const cachedStatements = 500;
/**
 * Work runs synchronously, so a sequence of awaited calls would never yield. After this time in one turn, callers wait
 * for the next.
 */
const turnMilliseconds = 10;

export class EmbeddedConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  /** Set while a write waits for a lock; later writes queue behind it. */
  #queue: Promise<void> | undefined;
  /** Time of the first call in this turn of the event loop. */
  #turnBegan: number | undefined;
  /** Time at which an attempt last found the file locked. */
  #lockedAt = -Infinity;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(`PRAGMA busy_timeout = ${blockingMilliseconds}`);
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
  }

  all(sql: string, parameters: readonly Parameter[]): Record<string, unknown>[] {
    return this.#prepared(sql).all(...parameters);
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...parameters: readonly Parameter[]): number {
    return Number(this.#prepared(sql).run(...parameters).changes);
  }

  /** Runs at once if the database is free. */
  read<Result>(work: () => Result): Promise<Result> {
    try {
      return this.#inTurn(work());
    } catch (error) {
      return isBusy(error) ? this.#retry(work, performance.now() + patience) : Promise.reject(translate(error));
    }
  }

  /** Same as `read`, in the order of writes. `work` is one statement or one `transaction`. */
  write<Result>(work: () => Result): Promise<Result> {
    if (this.#queue === undefined) {
      try {
        return this.#inTurn(work());
      } catch (error) {
        if (!isBusy(error)) return Promise.reject(translate(error));
      }
    }
    const deadline = performance.now() + patience;
    const turn = (this.#queue ?? Promise.resolve()).then(() => this.#retry(work, deadline));
    const settled = turn.then(ignore, ignore);
    this.#queue = settled;
    void settled.then(() => {
      if (this.#queue === settled) this.#queue = undefined;
    });
    return turn;
  }

  #inTurn<Result>(result: Result): Promise<Result> {
    if (this.#turnBegan === undefined) {
      this.#turnBegan = performance.now();
      setImmediate(() => (this.#turnBegan = undefined));
    } else if (performance.now() - this.#turnBegan > turnMilliseconds) {
      return new Promise((resolve) => setImmediate(resolve, result));
    }
    return Promise.resolve(result);
  }

  transaction<Result>(work: () => Result): Result {
    this.#begin.run();
    try {
      const result = work();
      this.#commit.run();
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  async #retry<Result>(work: () => Result, deadline: number): Promise<Result> {
    for (;;) {
      const isOver = performance.now() > deadline;
      // Prevents a thousand calls that have waited long enough from each blocking the event loop once more.
      if (isOver && performance.now() - this.#lockedAt < lockedMilliseconds) throw lockedFile();
      try {
        return work();
      } catch (error) {
        if (!isBusy(error)) throw translate(error);
        this.#lockedAt = performance.now();
        if (isOver) throw lockedFile(error);
      }
      await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 8));
    }
  }

  async close(): Promise<void> {
    await this.#queue;
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepared(sql: string): StatementSync {
    const cached = this.#statements.get(sql);
    if (cached !== undefined) return cached;
    const statement = this.#database.prepare(sql);
    if (this.#statements.size >= cachedStatements) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    this.#statements.set(sql, statement);
    return statement;
  }
}

function lockedFile(cause?: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable('The database file is locked by another process', { cause });
}

function ignore(): void {}

/** SQLite's primary result codes. */
const busyCodes = new Set([5, 6]);
const constraintCode = 19;
/** Read-only, input/output error, damaged, full, cannot open, not a database. */
const unavailableCodes = new Set([8, 10, 11, 13, 14, 26]);

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}

export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code !== undefined && busyCodes.has(code);
}

/** Maps an error of node:sqlite. */
export function translate(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = resultCode(error);
  const conflict = code === constraintCode ? asConflict(error) : undefined;
  if (conflict !== undefined) return conflict;
  if (code !== undefined && unavailableCodes.has(code)) {
    return new DatabaseUnavailable(`The database file cannot be used: ${error.message}`, { cause: error });
  }
  if ('code' in error && error.code === 'ERR_INVALID_STATE') return new DatabaseClosed({ cause: error });
  return error;
}

/** Parses messages like "UNIQUE constraint failed: logs.x_process, logs.x_seq", or "…: users.id". */
function asConflict(error: Error): UniqueConflict | undefined {
  const [, name, columns] = /^UNIQUE constraint failed: (\w+)\.(.+)$/.exec(error.message) ?? [];
  if (name === undefined || columns === undefined) return undefined;
  if (columns === 'id') return new UniqueConflict(name, 'id', { cause: error });
  const fields = columns.split(`, ${name}.`).map((column) => column.replace(/^x_/, ''));
  const indexes = Object.entries(collections).find(([collection]) => collection === name)?.[1].indexes ?? [];
  const index = indexes.find((candidate) => candidate.unique === true && candidate.fields.join() === fields.join());
  return new UniqueConflict(name, index?.name, { cause: error });
}
