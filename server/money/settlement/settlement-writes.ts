// What a settlement writes: sums of rows per account, and the update that takes them from the account's lease.
import type { Write } from '#server/db/database.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { accountWrite } from '#server/money/account.ts';
import type { Spending } from '#server/money/account.ts';
import type { Lease } from '#server/money/leases/lease.ts';

/** What some rows of this process take from an account. */
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

/** What a row adds to a user's number of requests. Calls that used nothing do not count. */
export function callsOf(row: Pick<LogRecord, 'prompt_tokens' | 'completion_tokens' | 'quota'>): number {
  return row.quota > 0 || row.prompt_tokens + row.completion_tokens > 0 ? 1 : 0;
}

export function settlePatch(sum: Sum, processId: string): Write {
  const name = `leases.${processId}` as const;
  const applied = `applied.${processId}` as const;
  return accountWrite(sum.lease, {
    where: { [name]: { exists: true }, [applied]: { lt: sum.lastSeq } },
    increment: { [name]: -sum.charge },
    spending: sum,
    set: { [applied]: sum.lastSeq },
  });
}
