// Folds the dashboard's sums of an hour and a day, by model, channel, user and token, from the hours by all dimensions
// (`fold-hour.ts`). They are read a hundred times faster.
import type { HourSums } from '#server/db/records/call-sums.ts';
import type { LogHourRecord } from '#server/db/records/log-hour.ts';
import type { UsageSumRecord } from '#server/db/records/usage-sum.ts';
import type { Database } from '#server/db/database.ts';
import { addHour } from './hour-quarters.ts';
import { replaceRecords } from './replace-records.ts';
import { addSums, daySeconds, digestOf, emptySums, hourSeconds, timePrefix } from './rollup-shape.ts';
import { tokenUsageName, usageDayKey, usageKey } from './usage-keys.ts';

/** Minimum number of records in an hour for a user's own sums. */
export const manyInHour = 12;

export async function foldUsageHour(db: Database, hour: number): Promise<void> {
  const records: LogHourRecord[] = [];
  const counts = new Map<number, number>();
  for await (const record of db.collection('log_hours').each(idsWithin('', hour, hour + hourSeconds))) {
    if (record.hidden) continue;
    records.push(record);
    counts.set(record.user_id, (counts.get(record.user_id) ?? 0) + 1);
  }
  const sums = new SumMap(`h${timePrefix(hour)}.`, hour, addHour);
  for (const record of records) {
    const { user_id: userId, model_name: model, channel_id: channel, token_id: tokenId, token_name: tokenName } = record;
    const token = tokenUsageName({ userId, tokenId, tokenName });
    sums.add(usageKey('all'), '', record);
    sums.add(usageKey('model'), model, record);
    sums.add(usageKey('channel'), String(channel), record);
    sums.add(usageKey('user'), String(userId), record);
    sums.add(usageKey('token'), token, record);
    if ((counts.get(userId) ?? 0) < manyInHour) continue;
    sums.add(usageKey('model', userId), model, record);
    sums.add(usageKey('channel', userId), String(channel), record);
    sums.add(usageKey('token', userId), token, record);
  }
  await replaceRecords(db, { into: 'usage_sums', prefix: sums.prefix, records: sums.records() });
}

export async function foldUsageDay(db: Database, day: number): Promise<void> {
  const sums = new SumMap(`d${timePrefix(day)}.`, day, addSums);
  for await (const record of db.collection('usage_sums').each(idsWithin('h', day, day + daySeconds))) {
    const key = usageDayKey(record.key);
    if (key !== undefined) sums.add(key, record.name, record);
  }
  await replaceRecords(db, { into: 'usage_sums', prefix: sums.prefix, records: sums.records() });
}

function idsWithin(head: string, from: number, to: number): { and: { id: { gte: string } | { lt: string } }[] } {
  return { and: [{ id: { gte: `${head}${timePrefix(from)}` } }, { id: { lt: `${head}${timePrefix(to)}` } }] };
}

class SumMap {
  readonly prefix: string;
  readonly #start: number;
  readonly #add: (to: HourSums, from: HourSums) => void;
  readonly #sums = new Map<string, UsageSumRecord>();

  constructor(prefix: string, start: number, add: (to: HourSums, from: HourSums) => void) {
    this.prefix = prefix;
    this.#start = start;
    this.#add = add;
  }

  add(key: string, name: string, sums: HourSums): void {
    const place = `${key}\n${name}`;
    let known = this.#sums.get(place);
    if (known === undefined) {
      known = { id: `${this.prefix}${digestOf([key, name])}`, key, start: this.#start, name, ...emptySums() };
      this.#sums.set(place, known);
    }
    this.#add(known, sums);
  }

  records(): UsageSumRecord[] {
    return [...this.#sums.values()];
  }
}
