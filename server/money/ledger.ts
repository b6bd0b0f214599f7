import type { TokenRecord, UserRecord } from '#server/db/collections.ts';
import type { AccountKind } from '#server/money/account.ts';

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

/** The only code that changes a balance; see `docs/decisions/` and the design's money rules. */
export interface Ledger {
  readonly processId: string;
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
}

export type AccountRecord = UserRecord | TokenRecord;
