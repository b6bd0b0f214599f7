// Settles calls in groups: calls that end in the same turn of the event loop, or under load in the next ones, share a
// batch: their log rows first, then one update per account. A call is answered only after its settlement.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DatabaseClosed, DatabaseUnavailable } from '#server/db/collection.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { Database, Write } from '#server/db/database.ts';
import { readAccount } from '#server/money/account.ts';
import { beginWrite, endWrite, type Lease } from '#server/money/leases/lease.ts';
import { budgetsOf, leasesOf, type Reservation } from '#server/money/leases/reservation.ts';
import { lateMarks } from '#server/money/settlement/late-rows.ts';
import type { Leases } from '#server/money/leases/leases.ts';
import { type ClosedBooks, isCounted } from '#server/money/recovery/crash-recovery.ts';
import type { ChargeRow, SettledCall } from '#server/money/settlement/settled-call.ts';
import { addTo, settlePatch, type SettleShapes, settleShapes, stateOf, type Sum } from '#server/money/settlement/settlement-writes.ts';
import { sharesAccount } from '#server/money/settlement/shares-account.ts';
import { SessionSums } from '#server/money/settlement/session-sums.ts';
import { bareRow, storableRow } from '#server/money/settlement/storable-row.ts';

export interface SettlementOptions {
  db: Database;
  leases: Leases;
  log: Logger;
  now(): number;
  processId(): string;
  /** See `Identity`. */
  closedBooks(processId: string): Promise<ClosedBooks | null>;
}

/**
 * A commit writes every page that its rows touch, so twenty rows cost hardly more than ten. If several calls end at
 * once, it pays to wait this many turns for more. Longer waits gain nothing, because clients that wait for responses
 * send no new calls. Calls that end during a write form the next batch.
 */
const furtherTurns = 2;
/** Delay before a rejected settlement is retried: an administrator may have repaired the cause. */
const parkedMs = 1_000;

export class Settlement {
  readonly #options: SettlementOptions;
  /** Sums of settled calls' sessions. */
  readonly sessions: SessionSums;
  #queue: SettledCall[] = [];
  #isFlushing = false;
  #seq = 0;
  #settledSeq = 0;
  #shapes: { processId: string; shapes: SettleShapes } | undefined;
  #isStuck = false;
  /** Calls that the database refuses to settle, and later calls of the same accounts, in order. */
  #parked: SettledCall[] = [];
  /** Calls being retried. */
  #retrying: SettledCall[] = [];
  #idle: (() => void)[] = [];
  #budgetCharged: ((id: number) => void) | undefined;

  constructor(options: SettlementOptions) {
    this.#options = options;
    this.sessions = new SessionSums(options);
  }

  /** Number of the last row issued. */
  get lastSeq(): number {
    return this.#seq;
  }
  /**
   * Number up to which every row is applied to its accounts and sessions. A rejected row that has no number yet will get
   * a greater one.
   */
  get settledSeq(): number {
    const settled = Math.min(this.#settledSeq, this.sessions.oldestSeq - 1);
    return this.#refused.reduce((least, { stored }) => Math.min(least, (stored?.seq ?? Infinity) - 1), settled);
  }

  /** The database was unavailable at the last attempt. Calls that end now wait for it. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /** The database responds but rejects some settlements, which an administrator must look at. */
  get hasRefused(): boolean {
    return this.#parked.length + this.#retrying.length > 0;
  }

  get waiting(): number {
    return this.#queue.length + this.#parked.length + this.#retrying.length;
  }

  /** Reports whether usage of that lease's account cannot be settled now. */
  isRefused(lease: Lease): boolean {
    return this.#refused.some(({ reservation }) => leasesOf(reservation).includes(lease));
  }

  get #refused(): readonly SettledCall[] {
    return this.#retrying.length === 0 ? this.#parked : [...this.#retrying, ...this.#parked];
  }

  /**
   * Charges `row.quota` against the reservation; resolves when durable.
   * @throws {DatabaseClosed} if it never will be
   */
  settle(reservation: Reservation, row: ChargeRow): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#queue.push({ reservation, row, stored: undefined, settledAs: '', isBare: false, resolve, reject });
    if (!this.#isFlushing) {
      this.#isFlushing = true;
      setImmediate(() => this.#gather(1, furtherTurns));
    }
    return promise;
  }

  onBudgetCharged(listener: (id: number) => void): void {
    this.#budgetCharged = listener;
  }

  /** Resolves when nothing waits to be settled. */
  idle(): Promise<void> {
    if (!this.#isFlushing && this.#parked.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Waits a few turns while each brings more calls. A single call is settled at once. */
  #gather(seen: number, turns: number): void {
    const size = this.#queue.length;
    if (size > seen && turns > 0) setImmediate(() => this.#gather(size, turns - 1));
    else void this.#flush();
  }

  // A batch is repeated until its outcome is certain, which changes nothing twice: rows are unique by (process, seq),
  // and accounts store the last applied number. The clients wait meanwhile.
  async #flush(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      for (const { reservation } of batch) {
        beginWrite(reservation.user);
        if (reservation.token !== null) beginWrite(reservation.token);
        for (const { lease } of reservation.budgets) beginWrite(lease);
      }
      const ready = this.#parked.length === 0 ? batch : this.#parkBehind(batch);
      try {
        const outcome = await this.#write(ready);
        if (outcome === 'refused') for (const entry of ready) await this.#settleAlone(entry);
        else for (const entry of ready) this.#finish(entry);
      } catch (failure) {
        for (const entry of [...batch, ...this.#parked.splice(0)]) entry.reject(failure);
      }
    }
    this.#isFlushing = false;
    if (this.#parked.length > 0) this.#retryParkedLater();
    else for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Numbers are applied in order, so a call that shares an account with a parked one is parked behind it. Returns the others. */
  #parkBehind(batch: readonly SettledCall[]): readonly SettledCall[] {
    for (const entry of batch) if (this.#parked.some((other) => sharesAccount(entry, other))) this.#parked.push(entry);
    return batch.filter((entry) => !this.#parked.includes(entry));
  }

  /** Settles the calls of a rejected batch individually, so that only the cause is parked. */
  async #settleAlone(entry: SettledCall): Promise<void> {
    if (this.#parked.some((other) => sharesAccount(entry, other))) {
      this.#parked.push(entry);
      return;
    }
    let outcome = await this.#write([entry]);
    if (outcome === 'refused' && !entry.isBare) {
      entry.isBare = true;
      if (entry.stored !== undefined) entry.stored = bareRow(entry.stored);
      this.#options.log.error({ requestId: entry.row.request_id }, 'a log row could not be stored: the call is charged with a bare one');
      outcome = await this.#write([entry]);
    }
    if (outcome === 'refused') this.#parked.push(entry);
    else this.#finish(entry);
  }

  #retryParkedLater(): void {
    setTimeout(() => {
      if (this.#isFlushing) return; // Called again at the end of the flush.
      this.#isFlushing = true;
      void this.#retryParked();
    }, parkedMs).unref();
  }

  async #retryParked(): Promise<void> {
    this.#retrying = this.#parked;
    this.#parked = [];
    try {
      for (let entry = this.#retrying[0]; entry !== undefined; entry = this.#retrying[0]) {
        await this.#settleAlone(entry);
        // Removed only after its outcome is known: until then, `settledSeq` must stay below its number.
        this.#retrying.shift();
      }
    } catch (failure) {
      for (const entry of [...this.#retrying.splice(0), ...this.#parked.splice(0)]) entry.reject(failure);
    }
    await this.#flush();
  }

  /**
   * Repeats the writes of these calls until they are done or rejected. After a rejection, some may be done.
   * @throws {DatabaseClosed}
   */
  async #write(batch: readonly SettledCall[]): Promise<'done' | 'refused'> {
    let left = batch;
    for (let attempt = 0; left.length > 0; attempt += 1) {
      try {
        const current = this.#options.processId();
        const { processId, numberless, isUnopened } = stateOf(left, current);
        // Before rows get their numbers: opening a lease marks everything up to the last number as applied.
        const isLost = isUnopened && !(await this.#openLeases(left, current));
        let isDone = false;
        if (!isLost) {
          const ids = await this.#options.db.nextIds('logs', numberless);
          const { writes, sums } = this.#writesOf(left, processId, ids);
          const updates = writes.length - sums.length;
          const results = await this.#options.db.write(writes);
          isDone = true;
          for (let at = updates; at < writes.length; at += 1) if (results[at] !== true) isDone = false;
          if (!isDone)
            isDone = await this.#areApplied(
              sums.filter((_, at) => results[updates + at] !== true),
              processId,
            );
        }
        left = isDone ? none : await this.#notCharged(left, processId);
        this.#isStuck = false;
      } catch (failure) {
        if (failure instanceof DatabaseClosed) throw failure;
        this.#isStuck = failure instanceof DatabaseUnavailable;
        if (!this.#isStuck) {
          this.#options.log.error({ err: failure, calls: left.length }, 'a settlement was refused');
          return 'refused';
        }
        this.#options.log.warn({ attempt }, 'settlements wait for the database');
        await sleep(Math.min(1_000, 50 * 2 ** Math.min(attempt, 5)));
      }
    }
    return 'done';
  }

  #finish(entry: SettledCall): void {
    const { user, token, isTokenLimited, budgets, amount } = entry.reservation;
    const { quota } = entry.row;
    this.#endUse(entry, user, { reserved: amount, quota });
    if (token !== null) this.#endUse(entry, token, isTokenLimited ? { reserved: amount, quota } : nothing);
    for (const { lease, isHard } of budgets) {
      this.#endUse(entry, lease, { reserved: isHard ? amount : 0, quota });
      if (quota > 0) this.#budgetCharged?.(lease.id);
    }
    this.#settledSeq = Math.max(this.#settledSeq, entry.stored?.seq ?? 0);
    if (entry.stored?.session_key !== undefined) this.sessions.add(entry.stored);
    entry.resolve();
  }

  #endUse({ settledAs }: SettledCall, lease: Lease, { reserved, quota }: { reserved: number; quota: number }): void {
    // A charge to a former identity's lease is not missing in the present one.
    const charge = lease.openedAs === settledAs ? quota : 0;
    endWrite(lease);
    lease.calls -= 1;
    this.#options.leases.release(lease, reserved, charge);
  }

  /** Returns false if the identity `processId` has lost its leases. */
  async #openLeases(batch: readonly SettledCall[], processId: string): Promise<boolean> {
    const { leases } = this.#options;
    for (const { reservation } of batch) {
      for (const lease of leasesOf(reservation)) if (lease.openedAs !== processId) await leases.open(lease);
    }
    // The loss of the identity may be detected while opening a lease.
    return processId === this.#options.processId();
  }

  /** Numbers the rows that have none, and returns the writes: the updates of the accounts last. */
  #writesOf(batch: readonly SettledCall[], processId: string, ids: readonly number[]): { writes: Write[]; sums: readonly Sum[] } {
    const rows: ChargeRow[] = [];
    let used = 0;
    for (const entry of batch) {
      rows.push(entry.row);
      if (entry.stored !== undefined) continue;
      const id = ids[used];
      if (id === undefined) throw new Error('A row was to be written that has no number');
      entry.stored = this.#toRecord(entry, id, processId);
      used += 1;
    }
    const writes = lateMarks(rows, { now: this.#options.now(), by: processId });
    const charged = new Map<Lease, Sum>();
    for (const entry of batch) {
      const { stored, reservation } = entry;
      if (stored === undefined) continue;
      entry.settledAs = processId;
      writes.push({ insert: stored, into: 'logs', ignoreConflict: true });
      addTo(charged, reservation.user, stored.quota, stored);
      if (reservation.token !== null) addTo(charged, reservation.token, stored.token_quota ?? 0, stored);
      for (const { lease } of reservation.budgets) addTo(charged, lease, stored.quota, stored);
    }
    const sums = [...charged.values()];
    const shapes = this.#shapesOf(processId);
    for (const sum of sums) writes.push(settlePatch(sum, shapes));
    return { writes, sums };
  }

  #shapesOf(processId: string): SettleShapes {
    if (this.#shapes?.processId !== processId) this.#shapes = { processId, shapes: settleShapes(processId) };
    return this.#shapes.shapes;
  }

  /** Reports whether updates without effect were applied before, by an earlier attempt of the batch. */
  async #areApplied(sums: readonly Sum[], processId: string): Promise<boolean> {
    let areAll = true;
    for (const { lease, lastSeq } of sums) {
      const record = await readAccount(this.#options.db, lease);
      if (record === null) this.#options.log.error({ account: lease.kind, id: lease.id }, 'an account that was charged does not exist');
      else if ((record.applied[processId] ?? -1) < lastSeq) areAll = false;
    }
    return areAll;
  }

  // Another process considered this one dead and settled its books. Rows that it found are charged; the others are
  // removed, and written again under the new identity.
  async #notCharged(batch: readonly SettledCall[], lost: string): Promise<SettledCall[]> {
    if (batch.every((entry) => entry.stored === undefined)) return [...batch];
    const books = await this.#options.closedBooks(lost);
    const logs = this.#options.db.collection('logs');
    const left: SettledCall[] = [];
    for (const entry of batch) {
      const { stored } = entry;
      if (stored !== undefined) {
        if (books === null ? (await logs.get(stored.id)) !== null : isCounted(books, stored.seq ?? 0)) continue;
        await this.#options.db.write(lateMarks([stored], { now: this.#options.now(), by: lost }));
        await logs.take({ id: stored.id, process: lost });
        entry.stored = undefined;
      }
      left.push(entry);
    }
    return left;
  }

  #toRecord({ reservation, row, isBare }: SettledCall, id: number, processId: string): LogRecord {
    this.#seq += 1;
    const tokenQuota = reservation.token !== null && reservation.isTokenLimited ? row.quota : 0;
    const record: LogRecord = { id, ...row, process: processId, seq: this.#seq, token_quota: tokenQuota };
    if (reservation.budgets.length > 0) record.budgets = budgetsOf(reservation);
    return isBare ? bareRow(record) : storableRow(record);
  }
}

const none: readonly SettledCall[] = [];
const nothing = { reserved: 0, quota: 0 };
