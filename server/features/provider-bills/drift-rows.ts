// Rows of the comparison: each model of each day, or sums of them over a model, a day or an account.
import { storedAmount } from '#shared/bill-amounts.ts';
import { add, type Decimal, decimalText, subtract } from '#shared/decimal.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { type DriftBy, type DriftReport, type DriftRow, type DriftSide, type DriftState, longestPeriod } from '#shared/provider-bills.ts';
import type { AppContext } from '#server/context.ts';
import type { BillAccountRecord, BillDayRecord } from '#server/db/records/bill.ts';
import { addLine } from './bill-sums.ts';
import { addDays, daysBetween, isDay } from './calendar.ts';
import { type BillContext, type Bounds, boundsOf, type DriftLine, driftOf, linesOfDay, percentOf } from './compare-days.ts';
import { largestFirst, LargestRows } from './largest-rows.ts';
import { modelKey } from './model-names.ts';

export interface DriftQuery {
  from?: string | undefined;
  to?: string | undefined;
  account?: number | undefined;
  by?: DriftBy | undefined;
  state?: DriftState | undefined;
}

const usualDays = 31;
/** A day has up to a thousand models on either side. */
const daysAtOnce = 8;

/** @throws {AppError} `invalid_field` */
export function periodOf({ from, to }: DriftQuery, now: number): { from: string; to: string } {
  const today = new Date(now).toISOString().slice(0, 10);
  const last = to ?? today;
  const first = from ?? addDays(isDay(last) ? last : today, 1 - usualDays);
  if (!isDay(last)) throw invalidField('to', fieldRules.invalid);
  if (!isDay(first) || first > last || daysBetween(first, last) >= longestPeriod) throw invalidField('from', fieldRules.invalid);
  return { from: first, to: last };
}

export interface ComparedDay {
  account: BillAccountRecord;
  day: string;
  lines: DriftLine[];
}

/** Compared days of a period: those of each account, in order. */
export async function* comparedDays({ db, now }: Pick<AppContext, 'db' | 'now'>, query: DriftQuery): AsyncGenerator<ComparedDay> {
  const { from, to } = periodOf(query, now());
  const accounts = await db.collection('bill_accounts').find(query.account === undefined ? {} : { id: query.account });
  for (const account of accounts) {
    for (let next = from; next <= to;) {
      const days = await db
        .collection('bill_days')
        .find({ account_id: account.id, and: [{ day: { gte: next } }, { day: { lte: to } }] }, { sort: [['day', 1]], limit: daysAtOnce });
      for (const day of days) if (isCompared(day)) yield { account, day: day.day, lines: linesOfDay(day, account) };
      // Pricing the models of many days must not hold up calls.
      await new Promise(setImmediate);
      const last = days.at(-1);
      if (last === undefined || days.length < daysAtOnce) break;
      next = addDays(last.day, 1);
    }
  }
}

function isCompared({ ours, costs, usage }: BillDayRecord): boolean {
  return ours !== undefined && (costs !== undefined || usage !== undefined);
}

/** Rows of the comparison as they are complete: an account's, or a day's of an account if each of its models is a row. The largest difference comes first in each part. */
export async function* driftParts(context: BillContext, query: DriftQuery): AsyncGenerator<DriftRow[]> {
  const bounds = boundsOf(context.settings);
  const by = query.by ?? 'model';
  let sums = new Map<string, SummedRow>();
  let of = '';
  const completed = (): DriftRow[] => {
    const rows = [...sums.values()].map(({ sides, ...row }): DriftRow => ({ ...row, ...driftOf(sides, bounds) }));
    return largestFirst(query.state === undefined ? rows : rows.filter(({ state }) => state === query.state));
  };
  for await (const { account, day, lines } of comparedDays(context, query)) {
    const part = `${account.id} ${by === 'none' ? day : ''}`;
    if (part !== of) {
      yield completed();
      sums = new Map();
      of = part;
    }
    for (const line of lines) addTo(sums, { by, account, day, line });
  }
  yield completed();
}

type SummedRow = DriftRow & { sides: DriftLine };

function addTo(
  sums: Map<string, SummedRow>,
  { by, account, day: ofLine, line }: { by: DriftBy; account: BillAccountRecord; day: string; line: DriftLine },
): void {
  const day = by === 'day' || by === 'none' ? ofLine : '';
  const hasModel = by === 'model' || by === 'none';
  const key = `${day} ${hasModel ? modelKey(line.model) : ''}`;
  const known = sums.get(key);
  const sides =
    known === undefined
      ? line
      : { model: line.model, ours: addSide(known.sides.ours, line.ours), billed: addSide(known.sides.billed, line.billed) };
  sums.set(key, {
    day,
    account_id: account.id,
    account_name: account.name,
    model: hasModel ? (known?.model ?? line.model) : '',
    ours: sides.ours,
    billed: sides.billed,
    state: 'even',
    sides,
  });
}

/** Rows that are listed; an export has all. */
const mostListed = 10_000;

/** A page of the rows of the period, the largest difference first, and their number. */
export async function driftRows(
  context: BillContext,
  query: DriftQuery,
  { skip, size }: { skip: number; size: number },
): Promise<{ rows: DriftRow[]; total: number }> {
  const largest = new LargestRows(Math.min(skip + size, mostListed));
  for await (const rows of driftParts(context, query)) largest.add(rows);
  return { rows: largest.largest().slice(skip, skip + size), total: largest.total };
}

/** Expected and billed by day, and their sums. Expected cost whose bill has no amounts is left out. */
export async function driftReport(context: BillContext, query: DriftQuery): Promise<DriftReport> {
  const bounds: Bounds = boundsOf(context.settings);
  const days = new Map<string, { ours: Decimal; billed: Decimal | undefined }>();
  const states: Partial<Record<DriftState, number>> = {};
  const total = { ours: zero, billed: zero };
  for await (const { day, lines } of comparedDays(context, query)) {
    for (const line of lines) {
      const { state } = driftOf(line, bounds);
      states[state] = (states[state] ?? 0) + 1;
      const ours = storedAmount(line.ours.amount ?? '0');
      const billed = line.billed.amount === undefined ? undefined : storedAmount(line.billed.amount);
      const known = days.get(day) ?? { ours: zero, billed: undefined };
      days.set(day, { ours: add(known.ours, ours), billed: billed === undefined ? known.billed : add(known.billed ?? zero, billed) });
      if (billed === undefined) continue;
      total.ours = add(total.ours, ours);
      total.billed = add(total.billed, billed);
    }
  }
  const difference = subtract(total.billed, total.ours);
  const percent = percentOf(difference, total.ours);
  return {
    ...periodOf(query, context.now()),
    days: [...days]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([day, { ours, billed }]) => ({
        day,
        ours: decimalText(ours),
        ...(billed === undefined ? {} : { billed: decimalText(billed) }),
      })),
    ours: decimalText(total.ours),
    billed: decimalText(total.billed),
    difference: decimalText(difference),
    ...(percent === undefined ? {} : { percent }),
    states,
  };
}

const zero: Decimal = { digits: 0n, scale: 0 };

function addSide(one: DriftSide, other: DriftSide): DriftSide {
  const { model: _model, ...sum } = addLine({ model: '', ...one }, { model: '', ...other });
  return sum;
}
