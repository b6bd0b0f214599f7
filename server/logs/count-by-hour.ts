// How many calls there were in each hour under the filters of the log: folded hours from their sums, the others by index.
import type { Filter } from '#server/db/collection.ts';
import type { LogHourRecord } from '#server/db/records/log-hour.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { LogSumRecord } from '#server/db/records/log-sum.ts';
import type { Database } from '#server/db/database.ts';
import { allHours, hourOf, hourSeconds } from './rollup-shape.ts';
import { type CallQuestion, readFolds } from './sum-calls.ts';

export interface HourCount {
  calls: number;
  /** Of those the ones that did not end well. */
  errors: number;
}

/** Unix seconds, half-open. */
interface Span {
  from: number;
  to: number;
}

/** What is written anew while it is being read is read once more. */
const tries = 3;
/** Hours that are not folded are few, unless an old log is being folded: then the newest are counted. */
const mostRowHours = 26;

/** By when the hour began; hours without calls are absent. */
export async function countCallsByHour(db: Database, question: CallQuestion, span: Span): Promise<Map<number, HourCount>> {
  const from = hourOf(span.from);
  for (let attempt = 1; ; attempt += 1) {
    const { head, changed } = await readFolds(db);
    const until = question.isFew === true ? from : Math.max(from, Math.min(head?.until ?? 0, span.to));
    const unfolded = changed.filter((hour) => hour >= from && hour < until);
    for (let hour = until; hour < span.to; hour += hourSeconds) unfolded.push(hour);
    const counts = await countFolded(db, question, { from, to: until });
    const rows = new Map(
      await Promise.all(unfolded.slice(-mostRowHours).map(async (hour) => [hour, await countRows(db, question, hour)] as const)),
    );
    for (const hour of unfolded) counts.delete(hour);
    for (const [hour, count] of rows) if (count.calls > 0) counts.set(hour, count);
    const isSame = attempt >= tries || (await db.collection('log_folds').get('head'))?.generation === head?.generation;
    if (isSame) return counts;
  }
}

async function countFolded(db: Database, { userId, tokenName, kinds }: CallQuestion, { from, to }: Span): Promise<Map<number, HourCount>> {
  if (from >= to) return new Map();
  const sum = { calls: 'calls', errors: 'errors' } as const;
  if (userId === undefined && tokenName === undefined) {
    const filter: Filter<LogSumRecord> = {
      and: [{ key: allHours }, { start: { gte: from } }, { start: { lt: to } }, ...kinds, { hidden: false }],
    };
    return byHour(await db.collection('log_sums').group({ filter, by: ['start'], sum }), 'start');
  }
  const whose: Filter<LogHourRecord>[] = [];
  if (userId !== undefined) whose.push({ user_id: userId });
  if (tokenName !== undefined) whose.push({ token_name: tokenName });
  const filter: Filter<LogHourRecord> = { and: [...whose, { hour: { gte: from } }, { hour: { lt: to } }, ...kinds, { hidden: false }] };
  return byHour(await db.collection('log_hours').group({ filter, by: ['hour'], sum }), 'hour');
}

function byHour(rows: readonly Record<string, unknown>[], field: 'hour' | 'start'): Map<number, HourCount> {
  return new Map(rows.map((row) => [Number(row[field]), { calls: Number(row['calls']), errors: Number(row['errors']) }]));
}

async function countRows(db: Database, { rows }: CallQuestion, hour: number): Promise<HourCount> {
  const time: Filter<LogRecord>[] = [{ created_at: { gte: hour } }, { created_at: { lt: hour + hourSeconds } }];
  const groups = await db.collection('logs').group({ filter: { and: [...rows, ...time] }, by: ['failed'] });
  const count = { calls: 0, errors: 0 };
  for (const group of groups) {
    count.calls += group.count;
    if (group['failed'] === 1) count.errors += group.count;
  }
  return count;
}
