// What a settlement writes: sums of rows per account, and the update that takes them from the account's lease.
import type { Write } from '#server/db/database.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { Account } from '#server/money/leases/lease.ts';

/** What some rows of one process take from an account. */
export interface Sum {
  account: Account;
  charge: number;
  used: number;
  calls: number;
  lastSeq: number;
  seenAt: number;
}

export function addTo(sums: Map<Account, Sum>, account: Account, charge: number, row: LogRecord): void {
  const { quota, seq = 0, created_at: seenAt } = row;
  const sum = sums.get(account);
  if (sum === undefined) {
    sums.set(account, { account, charge, used: quota, calls: callsOf(row), lastSeq: seq, seenAt });
    return;
  }
  sum.charge += charge;
  sum.used += quota;
  sum.calls += callsOf(row);
  sum.lastSeq = Math.max(sum.lastSeq, seq);
  sum.seenAt = Math.max(sum.seenAt, seenAt);
}

/** What a row adds to an account's number of requests: calls that used nothing do not count. */
export function callsOf(row: Pick<LogRecord, 'prompt_tokens' | 'completion_tokens' | 'quota'>): number {
  return row.quota > 0 || row.prompt_tokens + row.completion_tokens > 0 ? 1 : 0;
}

export function settlePatch(sum: Sum, processId: string): Write {
  const lease = `leases.${processId}`;
  const applied = `applied.${processId}`;
  const where = { id: sum.account.id, [lease]: { exists: true }, [applied]: { lt: sum.lastSeq } };
  if (sum.account.kind === 'user') {
    const increment = { [lease]: -sum.charge, used_quota: sum.used, request_count: sum.calls };
    return { anyOrder: true, patch: { increment, set: { [applied]: sum.lastSeq } }, of: 'users', where };
  }
  const increment = { [lease]: -sum.charge, used_quota: sum.used, charged_quota: sum.charge };
  return { anyOrder: true, patch: { increment, set: { [applied]: sum.lastSeq, accessed_time: sum.seenAt } }, of: 'tokens', where };
}
