// Counts calls by hour under the log's filters: folded hours from their sums, others by index. Hours that contain a
// step's start are counted by quarter.
import type { Condition, Filter, GroupRow } from '#server/db/collection.ts';
import type { LogHourRecord } from '#server/db/records/log-hour.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { LogSumRecord } from '#server/db/records/log-sum.ts';
import type { Database } from '#server/db/database.ts';
import { cutHours, inQuarters, nextHour, partsOf, quarterSumsOf } from './hour-quarters.ts';
import { allHours, emptySums, hourOf, hourSeconds } from './rollup-shape.ts';
import { type CallQuestion, readFolds } from './sum-calls.ts';

export interface HourCount {
  calls: number;
  /** Calls that failed. */
  errors: number;
}

/** Unix seconds, half-open. */
interface Span {
  from: number;
  to: number;
}

/** `bounds`: times at which counts are split; these and both ends are multiples of a quarter hour. */
type BoundSpan = Span & { bounds: readonly number[] };

/** Retries if hours are rewritten while being read. */
const tries = 3;
/** Maximum hours counted from rows; while an old log is being folded, only the newest are. */
const mostRowHours = 26;

/** Counts by start of the hour or quarter; those without calls are absent. */
export async function countCallsByHour(db: Database, question: CallQuestion, requested: BoundSpan): Promise<Map<number, HourCount>> {
  const span = { from: hourOf(requested.from), to: nextHour(requested.to) };
  const cut = cutHours([...requested.bounds, requested.from, requested.to]);
  const { from } = span;
  for (let attempt = 1; ; attempt += 1) {
    const { head, changed } = await readFolds(db);
    const until = question.isFew === true ? from : Math.max(from, Math.min(head?.until ?? 0, span.to));
    const unfolded = changed.filter((hour) => hour >= from && hour < until);
    for (let hour = until; hour < span.to; hour += hourSeconds) unfolded.push(hour);
    const counts = await countFolded(db, question, { from, to: until, cut });
    const parts = unfolded.slice(-mostRowHours).flatMap((hour) => partsOf(hour, cut.has(hour)));
    const rows = new Map(await Promise.all(parts.map(async (part) => [part.start, await countRows(db, question, part)] as const)));
    const changedHours = new Set(unfolded);
    for (const start of counts.keys())
      if (changedHours.has(hourOf(start)) || start < requested.from || start >= requested.to) counts.delete(start);
    for (const [start, count] of rows) if (count.calls > 0 && start >= requested.from && start < requested.to) counts.set(start, count);
    const isSame = attempt >= tries || (await db.collection('log_folds').get('head'))?.generation === head?.generation;
    if (isSame) return counts;
  }
}

type Counting = Span & { cut: ReadonlySet<number> };

async function countFolded(db: Database, question: CallQuestion, { from, to, cut }: Counting): Promise<Map<number, HourCount>> {
  if (from >= to) return new Map();
  const hours = [...cut].filter((hour) => hour >= from && hour < to);
  const [rows, quarters] = await Promise.all([
    sumFolded(db, question, { from, to }, wholeSums),
    hours.length === 0 ? [] : sumFolded(db, question, hours, quarterSums),
  ]);
  const later = new Map(quarters.map((row) => [Number(row['hour']), row]));
  const counts = new Map<number, HourCount>();
  for (const row of rows) {
    const hour = Number(row['hour']);
    const whole = { ...emptySums(), calls: Number(row['calls']), errors: Number(row['errors']) };
    const parts = cut.has(hour) ? inQuarters(hour, whole, later.get(hour)) : [{ start: hour, sums: whole }];
    for (const { start, sums } of parts) if (sums.calls > 0) counts.set(start, { calls: sums.calls, errors: sums.errors });
  }
  return counts;
}

const wholeSums = { calls: 'calls', errors: 'errors' } as const;
const quarterSums = quarterSumsOf(['calls', 'errors']);

/** Sums of a time span, or of single hours. */
async function sumFolded(
  db: Database,
  { userId, tokenName, kinds }: CallQuestion,
  time: Span | readonly number[],
  sum: typeof wholeSums | typeof quarterSums,
): Promise<GroupRow[]> {
  const when: Condition<number> = 'from' in time ? { gte: time.from, lt: time.to } : { in: time };
  if (userId === undefined && tokenName === undefined) {
    const filter: Filter<LogSumRecord> = { and: [{ key: allHours }, { start: when }, ...kinds, { hidden: false }] };
    const rows = await db.collection('log_sums').group({ filter, by: ['start'], sum });
    return rows.map((row) => ({ ...row, hour: Number(row['start']) }));
  }
  const whose: Filter<LogHourRecord>[] = [];
  if (userId !== undefined) whose.push({ user_id: userId });
  if (tokenName !== undefined) whose.push({ token_name: tokenName });
  const filter: Filter<LogHourRecord> = { and: [...whose, { hour: when }, ...kinds, { hidden: false }] };
  return db.collection('log_hours').group({ filter, by: ['hour'], sum });
}

async function countRows(db: Database, { rows }: CallQuestion, { start, seconds }: { start: number; seconds: number }): Promise<HourCount> {
  const time: Filter<LogRecord>[] = [{ created_at: { gte: start } }, { created_at: { lt: start + seconds } }];
  const groups = await db.collection('logs').group({ filter: { and: [...rows, ...time] }, by: ['failed'] });
  const count = { calls: 0, errors: 0 };
  for (const group of groups) {
    count.calls += group.count;
    if (group['failed'] === 1) count.errors += group.count;
  }
  return count;
}
