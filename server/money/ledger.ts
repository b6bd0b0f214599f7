// The only code that changes a balance. Credits, edits and refunds go through `change` and `setBalance`; relayed calls
// reserve from this process' lease in memory and settle in groups. Nothing else in the server writes `quota`,
// `remain_quota`, `leases`, `applied` or `marks`.
import type { Logger } from 'pino';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { Database } from '#server/db/database.ts';
import type { AccountKind } from '#server/money/account.ts';
import { changeBalance, removeOldMarks, setBalance } from '#server/money/entries.ts';
import { Leases } from '#server/money/leases.ts';
import type { Refusal } from '#server/money/leases.ts';
import { createServerProcess } from '#server/money/process.ts';
import { Settlement } from '#server/money/settlement.ts';
import type { ChargeRow, Reservation } from '#server/money/settlement.ts';
import { settleLeftovers } from '#server/money/settle-leftovers.ts';

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
}

export type ReserveResult = { reservation: Reservation } | { refusal: Refusal };

export interface Ledger {
  readonly processId: string;
  /** Takes this process' identity and settles what dead ones left. */
  start(): Promise<void>;
  /** Settles what is queued and returns every lease; nothing may be running any more. */
  stop(): Promise<void>;
  /**
   * Adds `amount` (negative: takes) exactly once per `ref`.
   * @throws {AppError} `balance_too_small` when the balance would fall below zero; nothing is changed then.
   */
  change(request: LedgerRequest & { amount: number }): Promise<LedgerResult>;
  /**
   * Makes the balance `balance`. With `knownUsed` (the account's `used_quota` as the editor last saw it), what was spent
   * since then is taken off the target, so an edit based on an older view loses no running consumption.
   */
  setBalance(request: LedgerRequest & { balance: number; knownUsed?: number }): Promise<LedgerResult>;
  /** Reserves for a call, from the token first. Synchronous while the leases suffice, which is the usual case. */
  reserve(request: ReserveRequest): ReserveResult | Promise<ReserveResult>;
  /** Reserves `more` for a running call; false when the money is not there. */
  extend(reservation: Reservation, more: number): boolean | Promise<boolean>;
  /** Charges `row.quota` and writes the row; resolves when both are durable. The first end of a reservation counts. */
  settle(reservation: Reservation, row: ChargeRow): Promise<void>;
  /** Ends a reservation that costs nothing and leaves no row. */
  release(reservation: Reservation): void;
  /** Settles the books of processes that died meanwhile. */
  settleLeftovers(): Promise<number>;
}

export interface LedgerOptions {
  db: Database;
  changes: ChangeFeed;
  log: Logger;
  now(): number;
  randomText(count: number): string;
}

const leftoversMs = 5_000;
const marksMs = 24 * 3600 * 1000;

export function createLedger(options: LedgerOptions): Ledger {
  const { db, changes, log, now, randomText } = options;
  let isLost = false;
  const serverProcess = createServerProcess({
    db,
    log,
    now,
    randomText,
    settledSeq: () => settlement.settledSeq,
    onLost: () => {
      isLost = true;
      void settlement.idle().then(renew);
    },
  });
  const processId = () => serverProcess.id;
  const leases: Leases = new Leases({ db, changes, log, processId, lastSeq: () => settlement.lastSeq });
  const settlement: Settlement = new Settlement({
    db,
    leases,
    log,
    processId,
    onLost: async () => {
      isLost = true;
      await renew();
    },
  });
  const timers: NodeJS.Timeout[] = [];

  async function renew(): Promise<void> {
    if (!isLost) return;
    isLost = false;
    log.warn({ process: processId() }, 'this process was taken for dead and goes on under a new identity');
    await serverProcess.renew();
    leases.reset();
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
    leases.release(reservation.user, reservation.amount, 0);
    if (reservation.token !== null) leases.release(reservation.token, reservation.isTokenLimited ? reservation.amount : 0, 0);
  }

  const entryOptions = { db, changes, now, processId };
  return {
    get processId() {
      return serverProcess.id;
    },
    async start() {
      await serverProcess.start();
      await settleLeftovers({ db, log, now });
      leases.start();
      every(leftoversMs, () => settleLeftovers({ db, log, now }));
      every(marksMs, () => removeOldMarks({ db, now }));
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await settlement.idle();
      await leases.stop();
      await serverProcess.stop();
    },
    change: (request) => changeBalance(entryOptions, request),
    setBalance: (request) => setBalance(entryOptions, request),
    reserve({ userId, token, amount }) {
      const user = leases.account('user', userId);
      const tokenAccount = token === null ? null : leases.account('token', token.id);
      const reservation: Reservation = { user, token: tokenAccount, isTokenLimited: token?.isLimited === true, amount, isEnded: false };
      const first = tokenAccount === null ? null : leases.reserve(tokenAccount, reservation.isTokenLimited ? amount : 0);
      if (first === null) {
        const second = leases.reserve(user, amount);
        if (second === null) return { reservation };
        return second.then((refusal) => finishReserve(reservation, refusal), (failure: unknown) => failReserve(reservation, failure));
      }
      return first.then(async (refusal) => {
        if (refusal !== null) return { refusal };
        try {
          return finishReserve(reservation, await leases.reserve(user, amount));
        } catch (failure) {
          return failReserve(reservation, failure);
        }
      });
    },
    extend(reservation, more) {
      if (reservation.isEnded) return false;
      const parts: (null | Promise<Refusal | null>)[] = [];
      if (reservation.token !== null && reservation.isTokenLimited) parts.push(leases.reserve(reservation.token, more));
      const first = parts[0] ?? null;
      if (first === null) {
        const second = leases.reserve(reservation.user, more);
        if (second === null) {
          reservation.amount += more;
          return true;
        }
        return second.then((refusal) => finishExtend(reservation, more, refusal));
      }
      return first.then(async (refusal) => (refusal === null ? finishExtend(reservation, more, await leases.reserve(reservation.user, more)) : false));
    },
    settle(reservation, row) {
      if (reservation.isEnded) return Promise.resolve();
      reservation.isEnded = true;
      return settlement.settle(reservation, row);
    },
    release,
    settleLeftovers: () => settleLeftovers({ db, log, now }),
  };

  function finishReserve(reservation: Reservation, refusal: Refusal | null): ReserveResult {
    if (refusal === null) return { reservation };
    releaseToken(reservation, reservation.amount);
    return { refusal };
  }

  function failReserve(reservation: Reservation, failure: unknown): never {
    releaseToken(reservation, reservation.amount);
    throw failure;
  }

  function finishExtend(reservation: Reservation, more: number, refusal: Refusal | null): boolean {
    if (refusal !== null) {
      releaseToken(reservation, more);
      return false;
    }
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
    if (reservation.token !== null && reservation.isTokenLimited) leases.release(reservation.token, amount, 0);
  }
}
