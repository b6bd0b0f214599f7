// Whether the MongoDB server can be reached. The first failure waits for the driver to look around; while it is known to
// be away every call fails at once, and a ping in the background notices its return.
import { DatabaseClosed, DatabaseUnavailable, UniqueConflict } from '#server/db/collection.ts';

const pingEveryMilliseconds = 500;

export class MongoAvailability {
  readonly #ping: () => Promise<unknown>;
  #lost: DatabaseUnavailable | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(ping: () => Promise<unknown>) {
    this.#ping = ping;
  }

  /** @throws {DatabaseUnavailable} @throws {UniqueConflict} */
  async run<Result>(collection: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new DatabaseClosed();
    if (this.#lost !== undefined) throw new DatabaseUnavailable(this.#lost.message, { cause: this.#lost.cause });
    try {
      return await work();
    } catch (error) {
      const conflict = asConflict(collection, error);
      if (conflict !== undefined) throw conflict;
      if (!isUnavailable(error)) throw error;
      const unavailable = new DatabaseUnavailable(`MongoDB cannot be reached: ${messageOf(error)}`, { cause: error });
      if (this.#lost === undefined && !this.#closed) {
        this.#lost = unavailable;
        void this.#watch();
      }
      throw unavailable;
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #watch(): Promise<void> {
    try {
      await this.#ping();
      this.#lost = undefined;
    } catch {
      if (this.#closed) return;
      this.#timer = setTimeout(() => void this.#watch(), pingEveryMilliseconds).unref();
    }
  }
}

/** Names of the driver's errors that mean: no usable connection. */
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
 * The server's codes for: not primary, stepping or shutting down, hosts out of reach, out of time, out of disk, and a login
 * that was taken away.
 */
const unavailableCodes = new Set([6, 7, 13, 18, 50, 64, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436, 14031]);

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A system error of a socket: most come wrapped by the driver, some do not.
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
  // "… index: username dup key: …"; older servers say "index: database.users.$username". `keyPattern` is not always there.
  const named = /index: (?:\S*\$)?(\S+)/.exec(error.message)?.[1];
  return new UniqueConflict(collection, named === '_id_' ? 'id' : named, { cause: error });
}

/** Driver messages name hosts, never credentials. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
