// Updates sums of sessions shortly after their calls were settled: callers do not wait for it, and rows without a
// session are unaffected. Until a row is in its session's sums, it counts as unsettled (`oldestSeq`), and a process
// that settles these books adds it (`recover-sessions.ts`).
import type { Logger } from 'pino';
import { DatabaseClosed, DatabaseUnavailable } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { addToSession, beganAt, bySession, lacksRows, modelsOf, mostModels, newSession, type SessionRows } from './session-writes.ts';

/** Calls of a session come in bursts, and are written together. */
const gatherMs = 50;
const retryMs = 500;
const rowsAtOnce = 500;
/** Maximum cached sessions that are known to have records. */
const mostKnown = 5_000;

interface KnownSession {
  firstAt: number;
  models: Set<string>;
}

export class SessionSums {
  readonly #db: Database;
  readonly #log: Logger;
  #waiting: LogRecord[] = [];
  /** Rows of a write with an unknown outcome, written again unchanged. */
  #writing: LogRecord[] = [];
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #known = new Map<string, KnownSession>();

  constructor({ db, log }: { db: Database; log: Logger }) {
    this.#db = db;
    this.#log = log;
  }

  /** Adds a settled row. Rows of one process and session come in the order of their numbers. */
  add(row: LogRecord): void {
    if (row.session_key === undefined) return;
    this.#waiting.push(row);
    this.#writeSoon(gatherMs);
  }

  /** Smallest number of a row missing in its session's sums; `Infinity` if there is none. */
  get oldestSeq(): number {
    let oldest = Infinity;
    for (const { seq = 0 } of this.#writing) oldest = Math.min(oldest, seq);
    for (const { seq = 0 } of this.#waiting) oldest = Math.min(oldest, seq);
    return oldest;
  }

  /**
   * Resolves when a session's record includes its settled rows.
   * @throws {DatabaseUnavailable}
   */
  async settled(key: string): Promise<void> {
    const isPending = (row: LogRecord) => row.session_key === key;
    if (this.#waiting.some(isPending) || this.#writing.some(isPending)) await this.write();
  }

  /**
   * Writes all waiting rows.
   * @throws {DatabaseUnavailable}, and the rows stay
   */
  write(): Promise<void> {
    this.#running ??= this.#writeOrRetry().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #writeOrRetry(): Promise<void> {
    try {
      await this.#writeAll();
    } catch (failure) {
      if (!(failure instanceof DatabaseClosed)) this.#writeSoon(retryMs);
      throw failure;
    }
  }

  #writeSoon(milliseconds: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // `#writeOrRetry` has scheduled a retry.
      this.write().catch(() => undefined);
    }, milliseconds).unref();
  }

  async #writeAll(): Promise<void> {
    for (;;) {
      if (this.#writing.length === 0) this.#writing = this.#waiting.splice(0, rowsAtOnce);
      if (this.#writing.length === 0) return;
      const sessions = bySession(this.#writing);
      try {
        await this.#add(sessions);
      } catch (failure) {
        if (failure instanceof DatabaseUnavailable) throw failure;
        for (const one of sessions) await this.#addAlone(one);
      }
      this.#writing = [];
    }
  }

  /** A session that the database rejects must not block others. */
  async #addAlone(session: SessionRows): Promise<void> {
    try {
      await this.#add([session]);
    } catch (failure) {
      if (failure instanceof DatabaseUnavailable) throw failure;
      this.#log.error({ err: failure, session: session.id }, 'calls could not be added to the sums of their session');
    }
  }

  async #add(sessions: readonly SessionRows[]): Promise<void> {
    const fresh = sessions.filter(({ id }) => !this.#known.has(id));
    const writes = sessions.map((session) => this.#addition(session));
    const results = await this.#db.write([...fresh.map(newSession), ...writes, ...this.#earlier(sessions)]);
    // A known record may have been deleted with old rows; otherwise it includes the rows already.
    const lost = sessions.filter(({ id }, index) => results[fresh.length + index] !== true && this.#known.has(id));
    if (lost.length > 0) await this.#db.write([...lost.map(newSession), ...lost.map((session) => this.#addition(session, true))]);
    for (const session of sessions) this.#learn(session);
  }

  #addition(session: SessionRows, isNew = false) {
    const known = isNew ? undefined : this.#known.get(session.id);
    const models = modelsOf(session.rows).filter((name) => known?.models.has(name) !== true);
    return addToSession(session, { where: lacksRows(session), models: models.slice(0, mostModels - (known?.models.size ?? 0)) });
  }

  #earlier(sessions: readonly SessionRows[]) {
    return sessions
      .map((session) => ({ session, at: Math.min(...session.rows.map((row) => row.created_at)) }))
      .filter(({ session, at }) => at < (this.#known.get(session.id)?.firstAt ?? Infinity))
      .map(({ session, at }) => beganAt(session, at));
  }

  #learn({ id, rows }: SessionRows): void {
    const at = Math.min(...rows.map((row) => row.created_at));
    const known = this.#known.get(id) ?? { firstAt: at, models: new Set() };
    known.firstAt = Math.min(known.firstAt, at);
    for (const name of modelsOf(rows)) if (known.models.size < mostModels) known.models.add(name);
    if (this.#known.size >= mostKnown && !this.#known.has(id)) this.#known.clear();
    this.#known.set(id, known);
  }
}
