// The only code that changes a balance. Credits, edits and refunds use `change` and `setBalance`; relayed calls reserve
// from this process's leases in memory and settle in groups. Nothing else in the server writes `quota`, `remain_quota`,
// `leases`, `applied`, `fencing_tokens` or `marks`.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ChangeFeed } from '#server/db/changes.ts';
import { DatabaseClosed, DatabaseUnavailable } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import type { AccountKind, AccountRef } from '#server/money/account.ts';
import { changed, type LedgerObserver, observedReserving } from '#server/money/ledger-observer.ts';
import { changeBalance, finishOpenEntries, openAccount, setBalance } from '#server/money/ledger-entries.ts';
import { Leases } from '#server/money/leases/leases.ts';
import { leasesOf, type Reservation, shortfall } from '#server/money/leases/reservation.ts';
import { Reservations, type ReserveRequest, type ReserveResult } from '#server/money/leases/reservations.ts';
import { recoverCrashed } from '#server/money/recovery/crash-recovery.ts';
import { createFailureDetector } from '#server/money/recovery/failure-detector.ts';
import { createIdentity, type Identity } from '#server/money/recovery/identity.ts';
import { removeOrphanRows } from '#server/money/recovery/orphans.ts';
import { scheduleRecovery } from '#server/money/recovery/recovery-schedule.ts';
import { covered, payable } from '#server/money/settlement/overdraft.ts';
import type { ChargeRow } from '#server/money/settlement/settled-call.ts';
import { Settlement } from '#server/money/settlement/settlement.ts';

export interface LedgerRequest {
  account: AccountKind;
  id: number;
  /** Unique reference of the event. A second request with the same one changes nothing and returns the same result. */
  ref: string;
  /** Short reason, e.g. `setup`, `signup`, `edit`, `redemption`. */
  kind: string;
  /** User who did it; 0 for the system. */
  actorId: number;
  /** Entered by the actor. */
  reason?: string;
}

export interface LedgerChange {
  /** Quota, signed. */
  amount: number;
  /** Refunds: part of the used amount that was not used. For an unlimited token, more than is returned to it. */
  unused?: number | undefined;
  /** If false, a negative amount may exceed the balance. */
  isBounded?: boolean;
}

export interface Opening {
  /** Quota, signed. */
  amount: number;
  /** Amount that was used before, in quota. */
  used: number;
}

export interface BalanceTarget {
  balance: number;
  /** Revision of the record after the editor's write. If undefined, concurrent edits are not detected. */
  revision?: number;
  knownUsed?: number;
  knownCharged?: number;
}

export interface LedgerResult {
  /** False if `ref` was applied before. */
  isNew: boolean;
  /** Quota, signed. */
  amount: number;
  /** Balance afterwards, leases included. */
  balance: number;
}

export interface Ledger {
  readonly processId: string;
  /** Number of reservations neither settled nor released. */
  readonly openReservations: number;
  /** Number of calls that wait to be settled. */
  readonly waitingSettlements: number;
  /** Settlements of this process are blocked: the database is unavailable or rejects them. */
  readonly isStuck: boolean;
  /** False if the last heartbeat could not be written: the database may be read-only. */
  readonly canWrite: boolean;
  /** Takes an identity for this process and settles the books of dead ones. */
  start(): Promise<void>;
  /** Waits, at most for that time, until no call has a reservation, then until all calls are settled. */
  idle(milliseconds: number): Promise<void>;
  /** Settles the queue and returns all leases; no call may be running. */
  stop(): Promise<void>;
  /**
   * Adds `amount` (negative to subtract) exactly once per `ref`, and subtracts `unused` from the used amount. Completes
   * a change that another process began under that reference.
   * @throws {AppError} `balance_too_small` if the balance would become negative; nothing is changed then
   */
  change(request: LedgerRequest & LedgerChange): Promise<LedgerResult>;
  /**
   * Credits the balance (negative: the debt) and adds the used amount of an account that was moved in, exactly once per
   * `ref`.
   */
  open(request: LedgerRequest & Opening): Promise<LedgerResult>;
  /**
   * Sets the balance. With `knownUsed` (the account's `used_quota` as the editor last saw it) or `knownCharged` (a
   * token's `charged_quota`), later spending is subtracted from the target, so that an edit based on an old view loses
   * no usage. With `revision`, fails once the record has another one: a stalled edit detects a later one.
   * @throws {AppError} `revision_conflict`; nothing is changed then
   */
  setBalance(request: LedgerRequest & BalanceTarget): Promise<LedgerResult>;
  /**
   * Reserves for a call, from the token and the budgets first: `amount`, or what is available down to `least` (see
   * `reservation.amount`). Synchronous while the leases suffice, which is usual.
   * @throws {DatabaseUnavailable} from the promise
   */
  reserve(request: ReserveRequest): ReserveResult | Promise<ReserveResult>;
  /** Reserves `more` for a running call; returns false if the balance is too low or the reservation has ended. */
  extend(reservation: Reservation, more: number): boolean | Promise<boolean>;
  /**
   * Reserves `more` beyond the balance, for one call of the account at a time; returns false if it has a debt already.
   */
  overdraw(reservation: Reservation, more: number): Promise<boolean>;
  /**
   * Charges `row.quota` and writes the row; resolves when both are durable. Has no effect on an ended reservation.
   * Charges beyond the reservation are taken from the balance, then as a debt, of one call at a time; the rest is not
   * charged.
   */
  settle(reservation: Reservation, row: ChargeRow): Promise<void>;
  /**
   * Resolves when the record of that session, or of all, includes its settled calls.
   * @throws {DatabaseUnavailable}
   */
  sessionSettled(key?: string): Promise<void>;
  /** Quota of an account that calls of this process can reserve, as far as it knows; undefined if it has not read the account. */
  left(account: AccountRef): number | undefined;
  /** Calls `listener` with the id of each budget's period that a call was charged to. */
  onBudgetCharged(listener: (id: number) => void): void;
  /** Ends a reservation without a charge and a row. */
  release(reservation: Reservation): void;
  /**
   * Settles the books of dead processes, and completes this process's ledger entries with unknown outcomes. Returns the
   * number of processes.
   */
  recoverCrashed(): Promise<number>;
}

export interface LedgerOptions {
  db: Database;
  changes: ChangeFeed;
  log: Logger;
  now(): number;
  randomText(count: number): string;
  /** Maximum wait of a call for quota held elsewhere; a second by default. */
  waitMs?: number | undefined;
  observer?: LedgerObserver | undefined;
}

const idlePollMs = 10;

export function createLedger(options: LedgerOptions): Ledger {
  const { db, changes, log, now, randomText, waitMs, observer } = options;
  const recovery = { db, log, now, detector: createFailureDetector() };
  const identity: Identity = createIdentity({
    ...recovery,
    randomText,
    settledSeq: () => settlement.settledSeq,
    onRenewed: () => leases.reset(),
  });
  const processId = () => identity.processId;
  const leases: Leases = new Leases({
    db,
    changes,
    log,
    processId,
    isAlive: (id) => identity.isAlive(id),
    onLost: (id) => identity.lose(id),
    lastSeq: () => settlement.lastSeq,
    waitMs,
  });
  const settlement: Settlement = new Settlement({ db, leases, log, now, processId, closedBooks: (id) => identity.closedBooks(id) });
  const reservations = new Reservations(leases);
  /** Entries being applied. */
  const running = new Set<number>();
  const entries = { db, changes, now, processId, running };
  let stopRecovery = () => {};

  async function recover(): Promise<number> {
    const count = await recoverCrashed(recovery);
    await finishOpenEntries({ db, now }, processId(), running);
    return count;
  }

  return {
    get processId() {
      return identity.processId;
    },
    get openReservations() {
      return reservations.running;
    },
    get waitingSettlements() {
      return settlement.waiting;
    },
    get isStuck() {
      return settlement.isStuck || settlement.hasRefused;
    },
    get canWrite() {
      return identity.canWrite;
    },
    async start() {
      await identity.start();
      await recoverCrashed(recovery);
      await removeOrphanRows(recovery);
      leases.start();
      stopRecovery = scheduleRecovery({ ...recovery, recover });
    },
    async idle(milliseconds) {
      const deadline = performance.now() + milliseconds;
      while (reservations.running > 0 && performance.now() < deadline) await sleep(idlePollMs);
      await settlement.idle();
    },
    async stop() {
      stopRecovery();
      await settlement.idle();
      try {
        await settlement.sessions.write();
        await identity.stop(await leases.stop());
      } catch (failure) {
        log.warn({ reason: String(failure) }, 'the books could not be closed; the next process to start does it');
      }
    },
    ...changingOf(entries, observer),
    ...reservingOf({ reservations, settlement, observer }),
    settle: (reservation, row) => settle({ reservations, settlement, log, observer }, reservation, row),
    sessionSettled: (key) => (key === undefined ? settlement.sessions.write() : settlement.sessions.settled(key)),
    ...watchingOf(leases, settlement),
    release: (reservation) => reservations.release(reservation),
    recoverCrashed: recover,
  };
}

interface CallDependencies {
  reservations: Reservations;
  settlement: Settlement;
}

function reserve({ reservations, settlement }: CallDependencies, request: ReserveRequest): ReserveResult | Promise<ReserveResult> {
  // Nothing could be settled, so no call could be answered.
  if (settlement.isStuck) return Promise.reject(new DatabaseUnavailable('Settlements wait for the database'));
  const reservation = reservations.prepare(request);
  if (settlement.hasRefused && leasesOf(reservation).some((lease) => settlement.isRefused(lease))) {
    return Promise.reject(new DatabaseUnavailable('Usage of this account cannot be settled'));
  }
  return reservations.reserve(reservation, request);
}

function changingOf(
  entries: Parameters<typeof changeBalance>[0],
  observer: LedgerObserver | undefined,
): Pick<Ledger, 'change' | 'open' | 'setBalance'> {
  return {
    change: (request) => changed(observer, request, changeBalance(entries, request)),
    open: (request) => changed(observer, request, openAccount(entries, request)),
    setBalance: (request) => changed(observer, request, setBalance(entries, request)),
  };
}

function watchingOf(leases: Leases, settlement: Settlement): Pick<Ledger, 'left' | 'onBudgetCharged'> {
  return { left: (account) => leases.left(account), onBudgetCharged: (listener) => settlement.onBudgetCharged(listener) };
}

/** Reserving, as the observer sees it. */
function reservingOf({
  reservations,
  settlement,
  observer,
}: CallDependencies & { observer: LedgerObserver | undefined }): Pick<Ledger, 'reserve' | 'extend' | 'overdraw'> {
  const reserving: ReturnType<typeof reservingOf> = {
    reserve: (request) => reserve({ reservations, settlement }, request),
    extend: (reservation, more) => reservations.extend(reservation, more),
    overdraw: (reservation, more) => reservations.overdraw(reservation, more),
  };
  return observer === undefined ? reserving : observedReserving(observer, reserving);
}

interface SettleDependencies extends CallDependencies {
  log: Logger;
  observer: LedgerObserver | undefined;
}

function settle(parts: SettleDependencies, reservation: Reservation, row: ChargeRow): Promise<void> {
  if (reservation.isEnded) return Promise.resolve();
  reservation.isEnded = true;
  if (shortfall(reservation, row.quota) > 0) return settleUncovered(parts, reservation, row);
  parts.reservations.settled();
  parts.observer?.charged(row);
  return parts.settlement.settle(reservation, row);
}

async function settleUncovered(
  { reservations, settlement, log, observer }: SettleDependencies,
  reservation: Reservation,
  row: ChargeRow,
): Promise<void> {
  try {
    row = await payable(reservations, reservation, row);
  } catch (failure) {
    if (failure instanceof DatabaseClosed) throw failure;
    // After any failure, the call is charged what was reserved.
    log.error({ err: failure }, 'a charge could not be covered and is settled with what was reserved');
    row = covered(reservation, row);
  } finally {
    reservations.settled();
  }
  observer?.charged(row);
  await settlement.settle(reservation, row);
}
