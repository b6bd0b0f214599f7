// Folds one day (UTC) of the log: sums by model, channel and group of all calls, and of each user and token with many
// hourly records. For few records, reading them is as fast.
import type { LogHourRecord } from '#server/db/records/log-hour.ts';
import type { LogSumRecord } from '#server/db/records/log-sum.ts';
import type { Database } from '#server/db/database.ts';
import { addSums, allDays, daysKey, daySeconds, digestOf, emptySums, keyOf, timePrefix } from './rollup-shape.ts';
import { replaceRecords } from './replace-records.ts';

/** Minimum number of hourly records for daily sums. */
export const manyRecords = 200;

export async function foldDay(db: Database, day: number): Promise<void> {
  const counts = new Map<string, number>();
  for await (const record of hoursOf(db, day)) {
    for (const key of ownKeys(record)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const prefix = `d${timePrefix(day)}.`;
  const sums = new Map<string, LogSumRecord>();
  for (const [key, count] of counts) {
    if (count < manyRecords) counts.delete(key);
    else add(sums, prefix, { key: daysKey(key), start: day, model_name: '', channel_id: 0, group: '', hidden: false, failed: false }, null);
  }
  for await (const record of hoursOf(db, day)) {
    const { model_name, channel_id, group, hidden, failed, imported } = record;
    const kind = { model_name, channel_id, group, hidden, failed, ...(imported && { imported }) };
    for (const key of [allDays, ...ownKeys(record)]) {
      if (key === allDays || counts.has(key)) add(sums, prefix, { key, start: day, ...kind }, record);
    }
  }
  await replaceRecords(db, { into: 'log_sums', prefix, records: [...sums.values()] });
}

function hoursOf(db: Database, day: number): AsyncIterable<LogHourRecord> {
  return db.collection('log_hours').each({ and: [{ id: { gte: timePrefix(day) } }, { id: { lt: timePrefix(day + daySeconds) } }] });
}

function ownKeys({ user_id: userId, token_name: tokenName }: LogHourRecord): string[] {
  return [keyOf({ userId }), keyOf({ tokenName }), keyOf({ userId, tokenName })];
}

type Fields = Pick<LogSumRecord, 'key' | 'start' | 'model_name' | 'channel_id' | 'group' | 'hidden' | 'failed' | 'imported'>;

function add(sums: Map<string, LogSumRecord>, prefix: string, fields: Fields, record: LogHourRecord | null): void {
  const id = `${prefix}${digestOf(Object.values(fields))}`;
  let known = sums.get(id);
  if (known === undefined) sums.set(id, (known = { id, ...fields, ...emptySums() }));
  if (record !== null) addSums(known, record);
}
