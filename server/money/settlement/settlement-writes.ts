// Writes of a settlement: sums of rows per account, and the update that charges the account's lease.
import type { Write } from '#server/db/database.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { type AccountKind, type AccountShape, accountShape, type Spending } from '#server/money/account.ts';
import type { Lease } from '#server/money/leases/lease.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';

/** Amounts that rows of this process charge to an account. */
export interface Sum extends Spending {
  lease: Lease;
  lastSeq: number;
  seenAt: number;
}

export function addTo(sums: Map<Lease, Sum>, lease: Lease, charge: number, row: LogRecord): void {
  const { quota, seq = 0, created_at: seenAt } = row;
  const sum = sums.get(lease);
  if (sum === undefined) {
    sums.set(lease, { lease, charge, used: quota, calls: callsOf(row), lastSeq: seq, seenAt });
    return;
  }
  sum.charge += charge;
  sum.used += quota;
  sum.calls += callsOf(row);
  sum.lastSeq = Math.max(sum.lastSeq, seq);
  sum.seenAt = Math.max(sum.seenAt, seenAt);
}

/** Number of calls that a row adds to the account's counter: 0 without usage and charge, else 1. */
export function callsOf(row: Pick<LogRecord, 'prompt_tokens' | 'completion_tokens' | 'quota'>): number {
  return row.quota > 0 || row.prompt_tokens + row.completion_tokens > 0 ? 1 : 0;
}

/** Shapes of the updates of one process, by kind of account. */
export type SettleShapes = Readonly<Record<AccountKind, AccountShape>>;

export function settleShapes(processId: string): SettleShapes {
  return { user: settleShape('user', processId), token: settleShape('token', processId), budget: settleShape('budget', processId) };
}

function settleShape(kind: AccountKind, processId: string): AccountShape {
  const name = `leases.${processId}` as const;
  const applied = `applied.${processId}` as const;
  return accountShape(kind, 7, ([id = 0, lastSeq = 0, fromLease = 0, charge = 0, used = 0, calls = 0, seenAt = 0]) => ({
    id,
    where: { [name]: { exists: true }, [applied]: { lt: lastSeq } },
    increment: { [name]: fromLease },
    spending: { charge, used, calls, seenAt },
    set: { [applied]: lastSeq },
  }));
}

export function settlePatch({ lease, lastSeq, charge, used, calls, seenAt }: Sum, shapes: SettleShapes): Write {
  return shapes[lease.kind].with([lease.id, lastSeq, -charge, charge, used, calls, seenAt]);
}

/** State of a batch before it is written. */
interface BatchState {
  /** Rows that may be stored already are written again under the same identity. */
  processId: string;
  /** Rows without a number. */
  numberless: number;
  /** A lease is not open under this identity, to which the rows belong. */
  isUnopened: boolean;
}

/** @param current the present identity */
export function stateOf(batch: readonly { stored: LogRecord | undefined; reservation: Reservation }[], current: string): BatchState {
  let processId: string | undefined;
  let numberless = 0;
  let isUnopened = false;
  for (const { stored, reservation } of batch) {
    if (stored === undefined) numberless += 1;
    else processId ??= stored.process;
    const { user, token, budgets } = reservation;
    if (user.openedAs !== current || (token !== null && token.openedAs !== current)) isUnopened = true;
    for (const { lease } of budgets) if (lease.openedAs !== current) isUnopened = true;
  }
  return { processId: processId ?? current, numberless, isUnopened: isUnopened && (processId ?? current) === current };
}
