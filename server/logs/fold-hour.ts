// Folds one hour of the log: sums of its rows by all dimensions, and by model, channel and group.
import { LogType } from '#shared/logs.ts';
import type { Filter, GroupRow } from '#server/db/collection.ts';
import type { HourSums } from '#server/db/records/call-sums.ts';
import type { LogHourRecord } from '#server/db/records/log-hour.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { LogSumRecord } from '#server/db/records/log-sum.ts';
import type { Database } from '#server/db/database.ts';
import { addHour, addQuarter } from './hour-quarters.ts';
import { allHours, digestOf, emptySums, timePrefix } from './rollup-shape.ts';
import { replaceRecords } from './replace-records.ts';
import { rowSlices } from './row-slices.ts';
import { countedRows, rowSums, summedRows } from './summed-rows.ts';

/** `isOld`: rows of earlier versions do not have `failed`, which is added now. */
export async function foldHour(db: Database, hour: number, { isOld }: { isOld: boolean }): Promise<void> {
  const logs = db.collection('logs');
  const hours = new Map<string, LogHourRecord>();
  for (const { filter, quarter } of await rowSlices(db, hour)) {
    if (isOld) await reportFailures(db, filter);
    const groups = await logs.group({ filter: { and: [filter, countedRows] }, by: [...keys, 'imported', 'type'], sum: summedRows });
    for (const group of groups) addGroup(hours, { hour, quarter }, group);
  }
  const prefix = timePrefix(hour);
  const all = new Map<string, LogSumRecord>();
  for (const record of hours.values()) {
    const { model_name, channel_id, group, hidden, failed, imported } = record;
    const fields = { key: allHours, start: hour, model_name, channel_id, group, hidden, failed, ...(imported && { imported }) };
    const id = `h${prefix}.${digestOf(Object.values(fields))}`;
    const known = all.get(id);
    if (known === undefined) all.set(id, { id, ...fields, ...sumsOf(record) });
    else addHour(known, record);
  }
  await replaceRecords(db, { into: 'log_hours', prefix: `${prefix}.`, records: [...hours.values()] });
  await replaceRecords(db, { into: 'log_sums', prefix: `h${prefix}.`, records: [...all.values()] });
}

const keys = ['user_id', 'token_id', 'token_name', 'model_name', 'channel_id', 'group', 'hidden', 'failed'] as const;

async function reportFailures(db: Database, filter: Filter<LogRecord>): Promise<void> {
  const isUntold: Filter<LogRecord> = { type: LogType.consumption, failed: { exists: false }, 'other.ending': { exists: true } };
  await db.collection('logs').patchAll({ and: [filter, isUntold] }, { set: { failed: 1 } });
}

function addGroup(hours: Map<string, LogHourRecord>, { hour, quarter }: { hour: number; quarter: number }, row: GroupRow): void {
  const fields = {
    user_id: Number(row['user_id']),
    token_id: Number(row['token_id']),
    token_name: String(row['token_name'] ?? ''),
    model_name: String(row['model_name'] ?? ''),
    channel_id: Number(row['channel_id']),
    group: String(row['group'] ?? ''),
    hidden: row['hidden'] === true,
    failed: row['failed'] === 1,
    ...(row['imported'] === 1 && { imported: 1 as const }),
  };
  const id = `${timePrefix(hour)}.${digestOf(Object.values(fields))}`;
  let known = hours.get(id);
  if (known === undefined) hours.set(id, (known = { id, hour, ...fields, ...emptySums() }));
  addQuarter(known, quarter, rowSums(row));
}

function sumsOf(record: HourSums): HourSums {
  const sums: HourSums = emptySums();
  addHour(sums, record);
  return sums;
}
