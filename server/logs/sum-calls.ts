// Sums the cost of calls in a time span, exact to the second: whole days and hours from sums, the rest from rows.
import type { Filter } from '#server/db/collection.ts';
import type { LogFoldRecord } from '#server/db/records/log-fold.ts';
import type { LogHourRecord } from '#server/db/records/log-hour.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { LogSumRecord } from '#server/db/records/log-sum.ts';
import type { Database } from '#server/db/database.ts';
import { allHours, dayOf, daySeconds, daysKey, hourOf, hourSeconds, keyOf, type Whose } from './rollup-shape.ts';

/** Dimensions that hourly and coarser sums share. */
export type CallKind = Pick<LogHourRecord & LogSumRecord, 'model_name' | 'channel_id' | 'group' | 'failed'>;

export interface CallQuestion extends Whose {
  /** Further filter on rows. */
  rows: readonly Filter<LogRecord>[];
  /** Same filter for refunds. */
  refunds: readonly Filter<LogRecord>[];
  /** Same filter on fields that sums have, too: model, channel, group. */
  kinds: readonly Filter<CallKind>[];
  /** The filter matches few rows. */
  isFew?: boolean;
}

/** Unix seconds, both inclusive. */
export interface Span {
  start: number;
  end: number;
}

/** Half-open, unix seconds. */
export interface Piece {
  from: number;
  to: number;
}

/** Retries if sums are rewritten while being read; then the rows are used. */
const tries = 3;

/** Quota. */
export async function sumCalls(db: Database, question: CallQuestion, span: Span): Promise<number> {
  for (let attempt = question.isFew === true ? tries : 0; attempt < tries; attempt += 1) {
    const folds = await readFolds(db);
    const sum = await sumParts(db, question, cut(span, folds));
    if ((await db.collection('log_folds').get('head'))?.generation === folds.head?.generation) return sum;
  }
  return rowSum(db, question, { from: span.start, to: span.end + 1 });
}

export interface Folds {
  head: LogFoldRecord | null;
  /** Hours that have changed since they were folded, in order. */
  changed: number[];
}

export async function readFolds(db: Database): Promise<Folds> {
  const folds = db.collection('log_folds');
  // Head first: an hour folded again meanwhile loses its mark only afterwards.
  const head = await folds.get('head');
  const marks = head === null ? [] : await folds.find({ hour: { gte: 0 } }, { sort: [['hour', 1]] });
  return { head, changed: [...new Set(marks.map((mark) => mark.hour ?? 0))] };
}

export interface Parts {
  rows: Piece[];
  hours: Piece[];
  days: Piece[];
}

/** Divides a span into parts read from rows, hourly sums and daily sums. */
export function cut({ start, end }: Span, { head, changed }: Folds): Parts {
  const parts: Parts = { rows: [], hours: [], days: [] };
  const push = (kind: keyof Parts, from: number, to: number) => void (from < to && parts[kind].push({ from, to }));
  const first = Math.ceil(start / hourSeconds) * hourSeconds;
  const last = Math.min(hourOf(end + 1), head?.until ?? 0);
  if (first >= last) {
    push('rows', start, end + 1);
    return parts;
  }
  push('rows', start, first);
  let from = first;
  for (const hour of [...changed.filter((one) => one >= first && one < last), last]) {
    cutHours(from, hour);
    if (hour < last) push('rows', hour, hour + hourSeconds);
    from = hour + hourSeconds;
  }
  push('rows', last, end + 1);
  return parts;

  function cutHours(begin: number, stop: number): void {
    const firstDay = Math.ceil(begin / daySeconds) * daySeconds;
    const lastDay = Math.min(dayOf(stop), head?.days_until ?? 0);
    if (firstDay >= lastDay) return push('hours', begin, stop);
    push('hours', begin, firstDay);
    push('days', firstDay, lastDay);
    push('hours', lastDay, stop);
  }
}

async function sumParts(db: Database, question: CallQuestion, { rows, hours, days }: Parts): Promise<number> {
  const sums = await Promise.all([
    ...rows.map((piece) => rowSum(db, question, piece)),
    ...hours.map((piece) => hourSum(db, question, piece)),
    ...days.map((piece) => daySum(db, question, piece)),
  ]);
  return sums.reduce((total, sum) => total + sum, 0);
}

async function rowSum(db: Database, { rows, refunds }: CallQuestion, { from, to }: Piece): Promise<number> {
  const logs = db.collection('logs');
  const time: Filter<LogRecord>[] = [{ created_at: { gte: from } }, { created_at: { lt: to } }];
  const [spent, refunded] = await Promise.all([
    logs.group({ filter: { and: [...rows, ...time] }, by: [], sum }),
    logs.group({ filter: { and: [...refunds, ...time] }, by: [], sum: { quota: 'refunded' } }),
  ]);
  return quotaOf(spent) - quotaOf(refunded);
}

async function hourSum(db: Database, { userId, tokenName, kinds }: CallQuestion, { from, to }: Piece): Promise<number> {
  if (userId === undefined && tokenName === undefined) return keySum(db, allHours, kinds, { from, to });
  const whose: Filter<LogHourRecord>[] = [];
  if (userId !== undefined) whose.push({ user_id: userId });
  if (tokenName !== undefined) whose.push({ token_name: tokenName });
  const filter: Filter<LogHourRecord> = { and: [...whose, { hour: { gte: from } }, { hour: { lt: to } }, ...kinds, { hidden: false }] };
  return quotaOf(await db.collection('log_hours').group({ filter, by: [], sum }));
}

async function daySum(db: Database, question: CallQuestion, piece: Piece): Promise<number> {
  const key = keyOf(question);
  if (question.userId === undefined && question.tokenName === undefined) return keySum(db, key, question.kinds, piece);
  const known = await db
    .collection('log_sums')
    .find({ key: daysKey(key), and: [{ start: { gte: piece.from } }, { start: { lt: piece.to } }] }, { sort: [['start', 1]] });
  const sums: Promise<number>[] = [keySum(db, key, question.kinds, piece)];
  // Days without sums have few hourly records.
  let from = piece.from;
  for (const start of [...known.map((record) => record.start), piece.to]) {
    if (from < start) sums.push(hourSum(db, question, { from, to: start }));
    from = start + daySeconds;
  }
  return (await Promise.all(sums)).reduce((total, one) => total + one, 0);
}

async function keySum(db: Database, key: string, kinds: readonly Filter<CallKind>[], { from, to }: Piece): Promise<number> {
  const filter: Filter<LogSumRecord> = { and: [{ key }, { start: { gte: from } }, { start: { lt: to } }, ...kinds, { hidden: false }] };
  return quotaOf(await db.collection('log_sums').group({ filter, by: [], sum }));
}

const sum = { quota: 'quota' } as const;

function quotaOf(rows: readonly Record<string, unknown>[]): number {
  return Number(rows[0]?.['quota'] ?? 0);
}
