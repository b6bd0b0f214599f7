// Budgets of this process: finds those that bind a call, in memory while their periods are known.
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { SiteBudget } from '#shared/budgets.ts';
import { concernsModel } from '#shared/limit-models.ts';
import type { AppError } from '#shared/errors.ts';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { Database } from '#server/db/database.ts';
import { type BudgetAccount, BudgetReached, type Budgets, type Payer } from '#server/money/budgets.ts';
import type { Ledger } from '#server/money/ledger.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';
import type { Settings } from '#server/settings/settings.ts';
import { BoundAccount } from './bound-account.ts';
import { type BoundBudget, boundBudgets } from './bound-budgets.ts';
import { budgetHeaders } from './budget-headers.ts';
import { type BudgetNotes, createBudgetNotes } from './budget-notes.ts';
import { currentPeriod } from './periods.ts';

export interface BudgetDependencies {
  db: Database;
  changes: ChangeFeed;
  settings: Settings;
  ledger: Ledger;
  log: Logger;
  now(): number;
}

/** Current period of a key, as last read. */
interface KnownPeriod {
  /** 0 if none is known. */
  id: number;
  terms: string;
  amount: number;
  /** Milliseconds; Infinity for a period without an end. */
  endsAt: number;
  /** Milliseconds of the last read; 0 if it must be read again. */
  readAt: number;
  /** Announced changes: a read that one overtakes may have found the former period. */
  changes: number;
  reading: Promise<void> | undefined;
}

interface Bound {
  readonly bound: BoundBudget;
  readonly period: KnownPeriod;
  account: BoundAccount | undefined;
}

interface CompiledBudgets extends Pick<Payer, 'user' | 'group' | 'standing'> {
  revision: number;
  bounds: readonly Bound[];
}

const mostKeys = 20_000;
/** Maximum age of a known period, in case the change feed misses a change. */
const maxAgeMs = 30_000;
const refusalMs = 1_000;
/** Reads for one call: one that began before an edit may have found the former budget. */
const mostReads = 2;

const none: readonly BudgetAccount[] = [];

export class BudgetFinder implements Budgets {
  readonly #parts: BudgetDependencies;
  readonly #periods = new LRUCache<string, KnownPeriod>({ maxSize: mostKeys, sizeCalculation: () => 1 });
  /** By token, or by user for calls of the console. */
  readonly #compiled = new WeakMap<object, CompiledBudgets>();
  readonly #notes: BudgetNotes;
  readonly #stops: readonly (() => void)[];
  #site: readonly SiteBudget[] = [];
  /** Refusals that are not stored yet, by period. */
  #refusals = new Map<number, number>();
  #writing: NodeJS.Timeout | undefined;
  isOfSite = false;

  constructor(parts: BudgetDependencies) {
    const { changes, settings, ledger } = parts;
    this.#parts = parts;
    this.#notes = createBudgetNotes(parts);
    const readSettings = () => {
      this.#site = settings.get('SiteBudgets');
      this.isOfSite = this.#site.length > 0;
    };
    readSettings();
    settings.onChange(readSettings);
    ledger.onBudgetCharged(this.#notes.charged);
    this.#stops = [
      changes.listen('budget', (key) => {
        const known = this.#periods.get(String(key));
        if (known !== undefined) expire(known);
      }),
      changes.onGap(() => {
        for (const known of this.#periods.values()) expire(known);
      }),
    ];
  }

  of(payer: Payer, model: string): readonly BudgetAccount[] | Promise<readonly BudgetAccount[]> {
    const bounds = this.#boundsOf(payer);
    if (bounds.length === 0) return none;
    const now = this.#parts.now();
    const accounts: BudgetAccount[] = [];
    for (let index = 0; index < bounds.length; index += 1) {
      const one = bounds[index];
      if (one === undefined || !concernsModel(one.bound.budget.models, model)) continue;
      if (!isFresh(one, now)) return this.#readFirst(bounds, model);
      if (one.period.id !== 0) accounts.push(accountOf(one, model));
    }
    return accounts;
  }

  headers(reservation: Reservation, seesAccount: boolean): Readonly<Record<string, string>> {
    return budgetHeaders(reservation, this.#parts.settings.get('QuotaPerUnit'), seesAccount);
  }

  refused(error: AppError): void {
    if (!(error instanceof BudgetReached)) return;
    const { id } = error.budget;
    this.#refusals.set(id, (this.#refusals.get(id) ?? 0) + 1);
    this.#writing ??= setTimeout(() => void this.#storeRefusals(), refusalMs).unref();
  }

  check(): Promise<void> {
    return this.#notes.check();
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#storeRefusals();
  }

  #boundsOf(payer: Payer): readonly Bound[] {
    const { token, user, group, standing } = payer;
    const { revision } = this.#parts.settings;
    const known = this.#compiled.get(token ?? user);
    if (known !== undefined && known.user === user && known.group === group && known.standing === standing && known.revision === revision)
      return known.bounds;
    const bounds = boundBudgets(payer, this.#site).map((bound) => ({ bound, period: this.#periodOf(bound.key), account: undefined }));
    this.#compiled.set(token ?? user, { user, group, standing, revision, bounds });
    return bounds;
  }

  #periodOf(key: string): KnownPeriod {
    const known = this.#periods.get(key);
    if (known !== undefined) return known;
    const fresh: KnownPeriod = { id: 0, terms: '', amount: 0, endsAt: 0, readAt: 0, changes: 0, reading: undefined };
    this.#periods.set(key, fresh);
    return fresh;
  }

  async #readFirst(bounds: readonly Bound[], model: string): Promise<readonly BudgetAccount[]> {
    const accounts: BudgetAccount[] = [];
    for (const one of bounds) {
      if (!concernsModel(one.bound.budget.models, model)) continue;
      for (let reads = 0; reads < mostReads && !isFresh(one, this.#parts.now()); reads += 1) await (one.period.reading ??= this.#read(one));
      if (one.period.id !== 0) accounts.push(accountOf(one, model));
    }
    return accounts;
  }

  async #read({ bound, period }: Bound): Promise<void> {
    const { now } = this.#parts;
    try {
      const [readAt, changes] = [now(), period.changes];
      const found = await currentPeriod(this.#parts, bound);
      // With the budget of this caller's record: another caller's, which may be older or newer, is compared with the stored one again.
      Object.assign(period, { id: found?.id ?? 0, terms: bound.terms, amount: bound.budget.amount });
      period.readAt = period.changes === changes ? readAt : 0;
      period.endsAt = found === null || found.ends_at === 0 ? Infinity : found.ends_at * 1000;
    } finally {
      period.reading = undefined;
    }
  }

  async #storeRefusals(): Promise<void> {
    clearTimeout(this.#writing);
    this.#writing = undefined;
    const { db, log } = this.#parts;
    const counted = this.#refusals;
    this.#refusals = new Map();
    for (const [id, refused] of counted) {
      // A figure for people.
      await db
        .collection('budget_periods')
        .patch({ id }, { increment: { refused } })
        .catch((failure: unknown) => log.warn({ reason: String(failure) }, 'refusals by a budget were not counted'));
    }
  }
}

function expire(period: KnownPeriod): void {
  period.readAt = 0;
  period.changes += 1;
}

function isFresh({ bound, period }: Bound, now: number): boolean {
  const { readAt, endsAt, terms, amount } = period;
  return readAt !== 0 && now < endsAt && now - readAt < maxAgeMs && terms === bound.terms && amount === bound.budget.amount;
}

function accountOf(one: Bound, model: string): BudgetAccount {
  const { bound, period, account: known } = one;
  if (known?.id === period.id && bound.budget.at_end !== 'cheaper') return known;
  const account = new BoundAccount(bound, { id: period.id, endsAt: period.endsAt === Infinity ? 0 : period.endsAt / 1000, model });
  one.account = account;
  return account;
}
