// The only code that changes a balance. Credits, edits and refunds go through `change` and `setBalance`; relayed calls
// reserve from this process' lease in memory and settle in groups. Nothing else in the server writes `quota`,
// `remain_quota`, `leases`, `applied` or `marks`.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { Database } from '#server/db/database.ts';
import type { AccountKind } from '#server/money/account.ts';
import { DatabaseClosed, DatabaseUnavailable } from '#server/db/collection.ts';
import { createDeathWatch } from '#server/money/recovery/failure-detector.ts';
import { changeBalance, finishOpenEntries, removeOldMarks, setBalance } from '#server/money/ledger-entries.ts';
import { Leases } from '#server/money/leases/leases.ts';
import type { Refusal } from '#server/money/leases/lease.ts';
import { covered, overdraw, payable, shortfall } from '#server/money/settlement/overdraft.ts';
import { createServerProcess } from '#server/money/recovery/server-process.ts';
import { Settlement } from '#server/money/settlement/settlement.ts';
import type { ChargeRow, Reservation } from '#server/money/settlement/settlement.ts';
import { closedBooksOf, settleLeftovers } from '#server/money/recovery/crash-recovery.ts';
import type { ClosedBooks } from '#server/money/recovery/crash-recovery.ts';
import { finishStrayEntries, removeStrayRows, returnStrayLeases } from '#server/money/recovery/orphans.ts';

export interface LedgerRequest {
  account: AccountKind;
  id: number;
  /** Unique name of what happened. A second request with the same name changes nothing and answers the same. */
  ref: string;
  /** Short reason, e.g. `setup`, `signup`, `edit`, `redemption`. */
  kind: string;
  /** The user who did it; 0: the system. */
  actorId: number;
}

export interface BalanceTarget {
  balance: number;
  knownUsed?: number;
  knownCharged?: number;
}

export interface LedgerResult {
  /** False when `ref` had been applied before. */
  isNew: boolean;
  /** Quota, signed. */
  amount: number;
  /** Balance afterwards, leases included. */
  balance: number;
}

export interface ReserveRequest {
  userId: number;
  /** Null for calls without a token. */
  token: { id: number; isLimited: boolean } | null;
  /** Quota. */
  amount: number;
  /** With less than `amount` the call can still begin, when it is all that there is: at least this. `amount` when absent. */
  least?: number;
}

export type ReserveResult = { reservation: Reservation } | { refusal: Refusal };

export interface Ledger {
  readonly processId: string;
  /** Something of this process cannot be settled: the database is away, or refuses it. */
  readonly isStuck: boolean;
  /** Takes this process' identity and settles what dead ones left. */
  start(): Promise<void>;
  /** Resolves when no call holds a reservation and all is settled, at the latest after that time. */
  idle(milliseconds: number): Promise<void>;
  /** Settles what is queued and returns every lease; nothing may be running any more. */
  stop(): Promise<void>;
  /**
   * Adds `amount` (negative: takes) exactly once per `ref`.
   * @throws {AppError} `balance_too_small` when the balance would fall below zero; nothing is changed then.
   */
  change(request: LedgerRequest & { amount: number }): Promise<LedgerResult>;
  /**
   * Makes the balance `balance`. With `knownUsed` (the account's `used_quota` as the editor last saw it) or `knownCharged` (a
   * token's `charged_quota`), what was spent since then is taken off the target, so an edit based on an older view loses
   * no running consumption.
   */
  setBalance(request: LedgerRequest & BalanceTarget): Promise<LedgerResult>;
  /**
   * Reserves for a call, from the token first: `amount`, or what there is down to `least` (`reservation.amount` says it).
   * Synchronous while the leases suffice, which is the usual case.
   * @throws {DatabaseUnavailable} from the promise
   */
  reserve(request: ReserveRequest): ReserveResult | Promise<ReserveResult>;
  /** Reserves `more` for a running call; false when the money is not there. */
  extend(reservation: Reservation, more: number): boolean | Promise<boolean>;
  /** Reserves `more` that the account does not have, for one call of it at a time; false when it owes something already. */
  overdraw(reservation: Reservation, more: number): Promise<boolean>;
  /**
   * Charges `row.quota` and writes the row; resolves when both are durable. The first end of a reservation counts. What is more
   * than was reserved is taken from what there is, then as a debt, of one call at a time; the rest is not charged.
   */
  settle(reservation: Reservation, row: ChargeRow): Promise<void>;
  /** Ends a reservation that costs nothing and leaves no row. */
  release(reservation: Reservation): void;
  /** Settles the books of processes that died meanwhile, and finishes own entries whose outcome was not known. */
  settleLeftovers(): Promise<number>;
}

export interface LedgerOptions {
  db: Database;
  changes: ChangeFeed;
  log: Logger;
  now(): number;
  randomText(count: number): string;
  /** How long a call waits for money that others hold; a second unless told. */
  waitMs?: number;
}

const leftoversMs = 5_000;
const straysMs = 600_000;
const dayMs = 24 * 3600 * 1000;
const closedBooksPollMs = 100;
const idlePollMs = 10;

export function createLedger(options: LedgerOptions): Ledger {
  const { db, changes, log, now, randomText } = options;
  const watch = createDeathWatch(now);
  const serverProcess = createServerProcess({
    db,
    log,
    now,
    randomText,
    settledSeq: () => settlement.settledSeq,
    onLost: (id) => {
      loseIdentity(id).catch((failure: unknown) => log.warn({ reason: String(failure) }, 'a new identity could not be taken yet'));
    },
  });
  const processId = () => serverProcess.id;
  const leases: Leases = new Leases({
    db,
    changes,
    log,
    processId,
    isAlive: serverProcess.isAlive,
    onLost: loseIdentity,
    lastSeq: () => settlement.lastSeq,
    ...(options.waitMs === undefined ? {} : { waitMs: options.waitMs }),
  });
  const settlement: Settlement = new Settlement({ db, leases, log, now, processId, closedBooks });
  /** Entries that are being applied right now. */
  const running = new Set<number>();
  const timers: NodeJS.Timeout[] = [];
  /** Reservations that are neither settled nor released. */
  let open = 0;
  let renewing: Promise<void> | null = null;

  /** Somebody settles the books of that identity: everything goes on under a new one. */
  function loseIdentity(id: string): Promise<void> {
    if (serverProcess.id !== id) return renewing ?? Promise.resolve();
    renewing ??= serverProcess
      .renew(() => leases.reset())
      .finally(() => {
        log.warn({ process: id, now: serverProcess.id }, 'this process was taken for dead and goes on under a new identity');
        renewing = null;
      });
    return renewing;
  }

  async function closedBooks(id: string): Promise<ClosedBooks | null> {
    await loseIdentity(id);
    for (;;) {
      const row = await db.collection('processes').get(id);
      if (row === null) return null;
      const books = closedBooksOf(row);
      if (books !== null) return books;
      // Unless somebody else is at it.
      await settleLeftovers({ db, log, now, watch });
      await sleep(closedBooksPollMs);
    }
  }

  async function finishLeftovers(): Promise<number> {
    const count = await settleLeftovers({ db, log, now, watch });
    await finishOpenEntries({ db, now }, processId(), running);
    return count;
  }

  function every(ms: number, work: () => Promise<unknown>): void {
    const timer = setInterval(() => {
      work().catch((failure: unknown) => log.warn({ reason: String(failure) }, 'a periodic money job failed and will be repeated'));
    }, ms);
    timer.unref();
    timers.push(timer);
  }

  function release(reservation: Reservation): void {
    if (reservation.isEnded) return;
    reservation.isEnded = true;
    leave(reservation);
    leases.release(reservation.user, reservation.amount, 0);
    releaseToken(reservation, reservation.amount);
  }

  function leave({ user, token }: Reservation): void {
    open -= 1;
    user.calls -= 1;
    if (token !== null) token.calls -= 1;
  }

  const strays = { db, log, now };
  const entryOptions = { db, changes, now, processId, running };
  return {
    get processId() {
      return serverProcess.id;
    },
    get isStuck() {
      return settlement.isStuck || settlement.hasRefused;
    },
    async start() {
      await serverProcess.start();
      await settleLeftovers({ db, log, now, watch });
      await removeStrayRows(strays);
      leases.start();
      every(leftoversMs, finishLeftovers);
      every(straysMs, async () => {
        await removeStrayRows(strays);
        await finishStrayEntries(strays);
      });
      every(dayMs, async () => {
        await returnStrayLeases(strays);
        await removeOldMarks({ db, now });
      });
    },
    async idle(milliseconds) {
      const deadline = performance.now() + milliseconds;
      while (open > 0 && performance.now() < deadline) await sleep(idlePollMs);
      await settlement.idle();
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await settlement.idle();
      try {
        await serverProcess.stop(await leases.stop());
      } catch (failure) {
        log.warn({ reason: String(failure) }, 'the books could not be closed; the next process to start does it');
      }
    },
    change: (request) => changeBalance(entryOptions, request),
    setBalance: (request) => setBalance(entryOptions, request),
    reserve({ userId, token, amount, least = amount }) {
      // Nothing could be settled, so nothing could be answered.
      if (settlement.isStuck) return Promise.reject(new DatabaseUnavailable('Settlements wait for the database'));
      const user = leases.account('user', userId);
      const tokenAccount = token === null ? null : leases.account('token', token.id);
      if (settlement.hasRefused && [user, tokenAccount].some((account) => account !== null && settlement.isRefused(account))) {
        return Promise.reject(new DatabaseUnavailable('What this account has used cannot be settled'));
      }
      const reservation: Reservation = { user, token: tokenAccount, isTokenLimited: token?.isLimited === true, amount, isEnded: false };
      open += 1;
      user.calls += 1;
      if (tokenAccount !== null) tokenAccount.calls += 1;
      const reserving = reserveBoth(reservation, amount, least);
      return reserving === null ? { reservation } : finishReserve(reservation, reserving);
    },
    extend(reservation, more) {
      if (reservation.isEnded) return false;
      const reserving = reserveBoth(reservation, more, more);
      if (reserving !== null) return finishExtend(reservation, more, reserving);
      reservation.amount += more;
      return true;
    },
    async overdraw(reservation, more) {
      if (reservation.isEnded || !(await overdraw(leases, reservation, more))) return false;
      if (!reservation.isEnded) {
        reservation.amount += more;
        return true;
      }
      // Settled meanwhile, by what it held before.
      leases.release(reservation.user, more, 0);
      releaseToken(reservation, more);
      return false;
    },
    settle(reservation, row) {
      if (reservation.isEnded) return Promise.resolve();
      reservation.isEnded = true;
      if (shortfall(reservation, row.quota) > 0) return settleUncovered(reservation, row);
      open -= 1;
      return settlement.settle(reservation, row);
    },
    release,
    settleLeftovers: finishLeftovers,
  };

  async function settleUncovered(reservation: Reservation, row: ChargeRow): Promise<void> {
    try {
      row = await payable({ leases, extendBy }, reservation, row);
    } catch (failure) {
      if (failure instanceof DatabaseClosed) throw failure;
      // Whatever it was, the call is charged with what is there.
      log.error({ err: failure }, 'a charge could not be covered and is settled with what was reserved');
      row = covered(reservation, row);
    } finally {
      open -= 1;
    }
    await settlement.settle(reservation, row);
  }

  async function extendBy(reservation: Reservation, more: number): Promise<number> {
    const result = (await reserveBoth(reservation, more, 1)) ?? more;
    return typeof result === 'number' ? result : 0;
  }

  /** From the token, then from the user; what is refused or fails leaves nothing reserved. Null: all of it, at once. */
  function reserveBoth(reservation: Reservation, amount: number, least: number): null | Promise<number | Refusal> {
    const { token, isTokenLimited } = reservation;
    const first = token === null ? null : isTokenLimited ? leases.reserve(token, amount, least) : leases.reserve(token, 0);
    if (first === null) return reserveUser(reservation, amount, least);
    return first.then((result) => {
      if (typeof result !== 'number') return result;
      const there = isTokenLimited ? result : amount;
      return reserveUser(reservation, there, Math.min(least, there)) ?? there;
    });
  }

  /** `amount` is reserved from the token already. */
  function reserveUser(reservation: Reservation, amount: number, least: number): null | Promise<number | Refusal> {
    const second = leases.reserve(reservation.user, amount, least);
    if (second === null) return null;
    return second.then(
      (result) => {
        releaseToken(reservation, typeof result === 'number' ? amount - result : amount);
        return result;
      },
      (failure: unknown) => {
        releaseToken(reservation, amount);
        throw failure;
      },
    );
  }

  async function finishReserve(reservation: Reservation, reserving: Promise<number | Refusal>): Promise<ReserveResult> {
    try {
      const result = await reserving;
      if (typeof result === 'number') {
        reservation.amount = result;
        return { reservation };
      }
      leave(reservation);
      return { refusal: result };
    } catch (failure) {
      leave(reservation);
      throw failure;
    }
  }

  async function finishExtend(reservation: Reservation, more: number, reserving: Promise<number | Refusal>): Promise<boolean> {
    if (typeof (await reserving) !== 'number') return false;
    if (reservation.isEnded) {
      // Settled meanwhile: what was just reserved goes back.
      leases.release(reservation.user, more, 0);
      releaseToken(reservation, more);
      return false;
    }
    reservation.amount += more;
    return true;
  }

  function releaseToken(reservation: Reservation, amount: number): void {
    if (amount > 0 && reservation.token !== null && reservation.isTokenLimited) leases.release(reservation.token, amount, 0);
  }
}
