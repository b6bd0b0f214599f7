import type { Database, Write } from '#server/db/database.ts';
import type { CostHourRecord } from '#server/db/records/bill.ts';
import type { LatencyHourRecord } from '#server/db/records/latency-hour.ts';
import type { LogHourRecord } from '#server/db/records/log-hour.ts';
import type { LogSumRecord } from '#server/db/records/log-sum.ts';
import type { UsageSumRecord } from '#server/db/records/usage-sum.ts';

/** Records written per step; the event loop runs between steps. */
const batchRecords = 200;

/** `prefix`: id prefix of the old and new records. */
type Replacement = { prefix: string } & (
  | { into: 'log_hours'; records: readonly LogHourRecord[] }
  | { into: 'log_sums'; records: readonly LogSumRecord[] }
  | { into: 'usage_sums'; records: readonly UsageSumRecord[] }
  | { into: 'latency_hours'; records: readonly LatencyHourRecord[] }
  | { into: 'cost_hours'; records: readonly CostHourRecord[] }
);

/** Replaces all records with the prefix. Not atomic: readers must detect the change. */
export async function replaceRecords(db: Database, replacement: Replacement): Promise<void> {
  await db.collection(replacement.into).remove({ id: { startsWith: replacement.prefix } });
  const writes = insertionsOf(replacement);
  for (let start = 0; start < writes.length; start += batchRecords) await db.write(writes.slice(start, start + batchRecords));
}

function insertionsOf(replacement: Replacement): Write[] {
  if (replacement.into === 'log_hours')
    return replacement.records.map((insert): Write => ({ insert, into: 'log_hours', ignoreConflict: true }));
  if (replacement.into === 'usage_sums')
    return replacement.records.map((insert): Write => ({ insert, into: 'usage_sums', ignoreConflict: true }));
  if (replacement.into === 'latency_hours')
    return replacement.records.map((insert): Write => ({ insert, into: 'latency_hours', ignoreConflict: true }));
  if (replacement.into === 'cost_hours')
    return replacement.records.map((insert): Write => ({ insert, into: 'cost_hours', ignoreConflict: true }));
  return replacement.records.map((insert): Write => ({ insert, into: 'log_sums', ignoreConflict: true }));
}
