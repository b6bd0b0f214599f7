// Identity under which this process takes leases and writes log rows. Another process may consider it dead, e.g. after
// it was suspended, and settle its books: it then continues under a new identity.
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClosedBooks, closedBooksOf, type CrashRecoveryOptions, recoverCrashed } from '#server/money/recovery/crash-recovery.ts';
import { createServerProcess } from '#server/money/recovery/server-process.ts';

export interface Identity {
  readonly processId: string;
  /** False if the last heartbeat could not be written. */
  readonly canWrite: boolean;
  start(): Promise<void>;
  /** Closes the books. If they are not clean, other processes settle the rest. */
  stop(isClean: boolean): Promise<void>;
  /** Returns false if another process has begun to settle the books of that identity. */
  isAlive(processId: string): Promise<boolean>;
  /** Handles the loss of an identity. Resolves when there is a new one. */
  lose(processId: string): Promise<void>;
  /**
   * Returns the charged rows of a lost identity, once its books are settled and there is a new identity. Null if the
   * database has no record of it any more.
   */
  closedBooks(processId: string): Promise<ClosedBooks | null>;
}

export interface IdentityOptions extends CrashRecoveryOptions {
  randomText(count: number): string;
  /** Number of the last log row applied to every account. */
  settledSeq(): number;
  /** Called synchronously when `processId` changes. */
  onRenewed(): void;
}

const pollMs = 100;

export function createIdentity(options: IdentityOptions): Identity {
  const { db, log, now, randomText, settledSeq, onRenewed } = options;
  const serverProcess = createServerProcess({
    db,
    log,
    now,
    randomText,
    settledSeq,
    onLost: (id) => {
      lose(id).catch((failure: unknown) => log.warn({ reason: String(failure) }, 'a new identity could not be taken yet'));
    },
  });
  let renewing: Promise<void> | null = null;

  function lose(id: string): Promise<void> {
    if (serverProcess.id !== id) return renewing ?? Promise.resolve();
    renewing ??= serverProcess.renew(onRenewed).finally(() => {
      log.warn({ process: id, now: serverProcess.id }, 'this process was taken for dead and goes on under a new identity');
      renewing = null;
    });
    return renewing;
  }

  return {
    get processId() {
      return serverProcess.id;
    },
    get canWrite() {
      return serverProcess.canWrite;
    },
    start: () => serverProcess.start(),
    stop: (isClean) => serverProcess.stop(isClean),
    isAlive: (id) => serverProcess.isAlive(id),
    lose,
    async closedBooks(id) {
      await lose(id);
      for (;;) {
        const row = await db.collection('processes').get(id);
        if (row === null) return null;
        const books = closedBooksOf(row);
        if (books !== null) return books;
        // Has no effect if another process is settling them.
        await recoverCrashed(options);
        await sleep(pollMs);
      }
    },
  };
}
