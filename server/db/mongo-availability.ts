// Tracks whether the MongoDB server is reachable and responds. The first failure waits for the driver's server
// selection; during an outage every call fails at once, and background pings detect the recovery. The driver's monitor
// uses separate connections, so a server may respond to it while operations hang: those are bounded here.
import { DatabaseClosed, DatabaseUnavailable, UniqueConflict } from '#server/db/collection.ts';

const pingEveryMilliseconds = 500;
const checkEveryMilliseconds = 1_000;
/** Checks after which the server is pinged. */
const pingAfterChecks = 5;
/** Checks after which an operation on single records fails although the server responds: it may have lost this one. */
const giveUpAfterChecks = 10;

interface Pending {
  /** Number of checks since its start. Counted rather than timed: its response may have arrived while this process was suspended. */
  checks: number;
  isLong: boolean;
  giveUp(reason: DatabaseUnavailable): void;
}

export class MongoAvailability {
  readonly #ping: () => Promise<unknown>;
  readonly #pingAll: () => Promise<unknown>;
  readonly #pending = new Set<Pending>();
  #lost: DatabaseUnavailable | undefined;
  #isPinging = false;
  #timer: NodeJS.Timeout | undefined;
  #checkTimer: NodeJS.Timeout | undefined;
  #closed = false;

  /** Pings have their own timeouts. `pingAll` pings over all clients, which must all work after an outage. */
  constructor({ ping, pingAll }: { ping(): Promise<unknown>; pingAll(): Promise<unknown> }) {
    this.#ping = ping;
    this.#pingAll = pingAll;
  }

  /**
   * Runs an operation. One that is given up may still be executed by the server. Long operations, which may read or
   * change many records, wait as long as the server responds to pings.
   * @throws {DatabaseUnavailable}
   * @throws {UniqueConflict}
   */
  async run<Result>(collection: string, work: () => Promise<Result>, { isLong = false } = {}): Promise<Result> {
    this.#check();
    try {
      return await this.#bounded(work, isLong);
    } catch (error) {
      const conflict = asConflict(collection, error);
      if (conflict !== undefined) throw conflict;
      if (!isUnavailable(error)) throw error;
      const unavailable = new DatabaseUnavailable(`MongoDB cannot be reached: ${messageOf(error)}`, { cause: error });
      this.#markLost(unavailable);
      throw unavailable;
    }
  }

  /**
   * Pings the server for health checks, with a short timeout. A failure does not make other operations fail.
   * @throws {DatabaseUnavailable}
   */
  async ping(): Promise<void> {
    this.#check();
    try {
      await this.#ping();
    } catch (cause) {
      throw new DatabaseUnavailable(`MongoDB does not answer: ${messageOf(cause)}`, { cause });
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#checkTimer);
  }

  #check(): void {
    if (this.#closed) throw new DatabaseClosed();
    if (this.#lost !== undefined) throw new DatabaseUnavailable(this.#lost.message, { cause: this.#lost.cause });
  }

  #bounded<Result>(work: () => Promise<Result>, isLong: boolean): Promise<Result> {
    return new Promise((resolve, reject) => {
      const pending: Pending = { checks: 0, isLong, giveUp: reject };
      const end = () => void this.#pending.delete(pending);
      work().then(resolve, reject).then(end, end);
      this.#pending.add(pending);
      this.#checkTimer ??= setInterval(() => this.#checkPending(), checkEveryMilliseconds).unref();
    });
  }

  #checkPending(): void {
    let isLate = false;
    for (const pending of this.#pending) {
      pending.checks += 1;
      if (pending.checks > pingAfterChecks) isLate = true;
      if (!pending.isLong && pending.checks > giveUpAfterChecks) {
        this.#pending.delete(pending);
        pending.giveUp(new DatabaseUnavailable('MongoDB has not answered an operation'));
      }
    }
    if (isLate && !this.#isPinging && this.#lost === undefined) void this.#pingServer();
  }

  async #pingServer(): Promise<void> {
    this.#isPinging = true;
    try {
      await this.#ping();
    } catch (cause) {
      const unavailable = new DatabaseUnavailable(`MongoDB does not answer: ${messageOf(cause)}`, { cause });
      this.#markLost(unavailable);
      for (const pending of this.#pending) pending.giveUp(unavailable);
      this.#pending.clear();
    } finally {
      this.#isPinging = false;
    }
  }

  #markLost(unavailable: DatabaseUnavailable): void {
    if (this.#lost !== undefined || this.#closed) return;
    this.#lost = unavailable;
    void this.#watch();
  }

  async #watch(): Promise<void> {
    try {
      await this.#pingAll();
      this.#lost = undefined;
    } catch {
      if (this.#closed) return;
      this.#timer = setTimeout(() => void this.#watch(), pingEveryMilliseconds).unref();
    }
  }
}

/** Driver errors without a usable connection. */
const unavailableNames = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongoPoolClearedError',
  'MongoPoolClosedError',
  'MongoPoolClearedOnNetworkError',
  'MongoPoolClearedOnNetworkTimeoutError',
  'MongoWaitQueueTimeoutError',
  'MongoTopologyClosedError',
  'MongoNotConnectedError',
  'MongoServerClosedError',
  'MongoClientClosedError',
  'MongoOperationTimeoutError',
  'MongoStalePrimaryError',
  'MongoWriteConcernError',
]);

/**
 * Server codes for: not primary, stepping or shutting down, unreachable hosts, timeouts, disk full, and revoked logins.
 */
const unavailableCodes = new Set([6, 7, 13, 18, 50, 64, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436, 14031]);

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // System errors of sockets: most are wrapped by the driver, some are not.
  if (unavailableNames.has(error.name) || 'syscall' in error) return true;
  return (
    ('code' in error && typeof error.code === 'number' && unavailableCodes.has(error.code)) ||
    (error.cause !== undefined && isUnavailable(error.cause))
  );
}

export function isDuplicate(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 11000;
}

export function asConflict(collection: string, error: unknown): UniqueConflict | undefined {
  if (!isDuplicate(error)) return undefined;
  // "… index: username dup key: …"; older servers send "index: database.users.$username". `keyPattern` may be missing.
  const named = /index: (?:\S*\$)?(\S+)/.exec(error.message)?.[1];
  return new UniqueConflict(collection, named === '_id_' ? 'id' : named, { cause: error });
}

/** Driver messages contain hosts, never credentials. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
