// Compares days of bills with the calls of the log. The log's side is counted by the hour (`server/logs/fold-costs.ts`) and stored with the day, so
// that it remains when hours and rows are deleted.
import { storedAmount } from '#shared/bill-amounts.ts';
import { add, type Decimal, decimalOf, decimalText, multiply, subtract } from '#shared/decimal.ts';
import type { DriftSide, DriftState } from '#shared/provider-bills.ts';
import type { AppContext } from '#server/context.ts';
import type { BillAccountRecord, BillDayRecord, BillLine } from '#server/db/records/bill.ts';
import { alertOfBill } from '#server/notify/notifications.ts';
import { addDays, calendarOf } from './calendar.ts';
import { addLine } from './bill-sums.ts';
import { modelKey } from './model-names.ts';

/** Days compared again whenever the job runs: rows of calls may be late. */
const recentDays = 4;
const daysAtOnce = 31;
const hoursAtOnce = 1_000;
const daySeconds = 86_400;
/** Retention of cost hours. */
export const hourRetentionDays = 400;

export type BillContext = Pick<AppContext, 'db' | 'now' | 'settings' | 'log'>;

export function dayId(accountId: number, day: string): string {
  return `${accountId}:${day}`;
}

/** Compares the days of an account from one to another, and alerts of those beyond the bounds. */
export async function compareDays(context: BillContext, account: BillAccountRecord, span: { from: string; to: string }): Promise<void> {
  const { db, now } = context;
  const calendar = calendarOf(account.zone);
  const head = await db.collection('log_folds').get('head');
  const counted = head?.costs_until ?? 0;
  const swept = now() / 1000 - (hourRetentionDays - 1) * daySeconds;
  let from = span.from;
  for (;;) {
    const days = await db
      .collection('bill_days')
      .find(
        { account_id: account.id, and: [{ day: { gte: from } }, { day: { lte: span.to } }] },
        { sort: [['day', 1]], limit: daysAtOnce },
      );
    for (const { id, day, ours: known } of days) {
      const [start, end] = [calendar.startOf(day), calendar.startOf(addDays(day, 1))];
      // Hours of this day were never counted, or are no longer there.
      if (start < (head?.costs_from ?? Number.POSITIVE_INFINITY) || (known !== undefined && start < swept)) continue;
      const ours = await countCalls(context, account, { start, end });
      const isPartial = end > counted;
      await db
        .collection('bill_days')
        .patch({ id }, isPartial ? { set: { ours, is_partial: true } } : { set: { ours }, unset: ['is_partial'] });
    }
    const last = days.at(-1);
    if (last === undefined || days.length < daysAtOnce) break;
    from = addDays(last.day, 1);
  }
  await alertBeyond(context, account, span);
}

/** Cost and tokens of the account's calls by model, as the provider was called. */
async function countCalls(
  { db }: BillContext,
  account: BillAccountRecord,
  { start, end }: { start: number; end: number },
): Promise<BillLine[]> {
  const lines = new Map<string, BillLine>();
  const factor = storedAmount(account.factor);
  for (const channelId of account.channel_ids) {
    for (let from = start, skip = 0; ;) {
      const hours = await db
        .collection('cost_hours')
        .find(
          { channel_id: channelId, and: [{ start: { gte: from } }, { start: { lt: end } }] },
          { sort: [['start', 1]], skip, limit: hoursAtOnce },
        );
      for (const { model, calls, input_tokens, output_tokens, cost } of hours) {
        const amount = decimalText(multiply(storedAmount(cost), factor));
        lines.set(model, addLine(lines.get(model) ?? { model }, { model, calls, input_tokens, output_tokens, amount }));
      }
      const last = hours.at(-1);
      if (last === undefined || hours.length < hoursAtOnce) break;
      // Records of the last hour that were read come again, and are skipped.
      skip = hours.filter((hour) => hour.start === last.start).length + (last.start === from ? skip : 0);
      from = last.start;
    }
  }
  return [...lines.values()];
}

/** Job: the last days, and those whose account has changed. */
export async function compareRecent(context: BillContext, account: BillAccountRecord): Promise<void> {
  const { db, now } = context;
  const today = calendarOf(account.zone).dayOf(Math.floor(now() / 1000));
  const recent = addDays(today, -recentDays);
  const from = account.compare_from !== undefined && account.compare_from < recent ? account.compare_from : recent;
  await compareDays(context, account, { from, to: today });
  if (account.compare_from === undefined) return;
  // An account that was edited meanwhile is compared again.
  const { id, revision, compare_from } = account;
  await db.collection('bill_accounts').patch({ id, revision, compare_from }, { unset: ['compare_from'] });
}

/** A model of a day on both sides. */
export interface DriftLine {
  model: string;
  ours: DriftSide;
  billed: DriftSide;
}

/** The models of a day, under our names where there is one. */
export function linesOfDay(day: Pick<BillDayRecord, 'costs' | 'usage' | 'ours'>, account: Pick<BillAccountRecord, 'models'>): DriftLine[] {
  const names = new Map(account.models.map(({ billed, here }) => [modelKey(billed), here]));
  const lines = new Map<string, { model: string; ours?: BillLine; costs?: BillLine; usage?: BillLine }>();
  // Names of the log come first.
  for (const side of ['ours', 'costs', 'usage'] as const) {
    for (const line of day[side] ?? []) {
      const model = side === 'ours' ? line.model : (names.get(modelKey(line.model)) ?? line.model);
      const key = modelKey(model);
      const known = lines.get(key) ?? { model };
      lines.set(key, { ...known, [side]: addLine(known[side] ?? { model: known.model }, line) });
    }
  }
  const hasAmounts = day.costs !== undefined;
  return [...lines.values()].map(({ model, ours, costs, usage }) => {
    const amount = costs?.amount ?? (hasAmounts ? '0' : undefined);
    const { calls, input_tokens, output_tokens } = { ...costs, ...usage };
    const billed = {
      ...(calls === undefined ? {} : { calls }),
      ...(input_tokens === undefined ? {} : { input_tokens }),
      ...(output_tokens === undefined ? {} : { output_tokens }),
      ...(amount === undefined ? {} : { amount }),
    };
    const mine = ours ?? { calls: 0, input_tokens: 0, output_tokens: 0, amount: '0' };
    return {
      model,
      ours: { calls: mine.calls, input_tokens: mine.input_tokens, output_tokens: mine.output_tokens, amount: mine.amount ?? '0' },
      billed,
    };
  });
}

export interface Bounds {
  percent: number;
  usd: number;
}

export function boundsOf(settings: BillContext['settings']): Bounds {
  return { percent: settings.get('BillDriftPercent'), usd: settings.get('BillDriftUsd') };
}

export interface Drift {
  difference?: string;
  percent?: number;
  state: DriftState;
}

/** Compares both sides. Tokens count where the bill has no amounts. */
export function driftOf({ ours, billed }: Pick<DriftLine, 'ours' | 'billed'>, bounds: Bounds): Drift {
  const hasAmount = billed.amount !== undefined;
  const expected = hasAmount ? storedAmount(ours.amount ?? '0') : tokensOf(ours);
  const reported = hasAmount ? storedAmount(billed.amount ?? '0') : tokensOf(billed);
  const difference = subtract(reported, expected);
  const percent = percentOf(difference, expected);
  const facts = { ...(hasAmount ? { difference: decimalText(difference) } : {}), ...(percent === undefined ? {} : { percent }) };
  // An amount of 0 for usage that is free is no bill that lacks it.
  if (reported.digits === 0n && expected.digits > 0n) return { ...facts, state: 'unbilled' };
  if ((ours.calls ?? 0) === 0 && expected.digits === 0n && reported.digits !== 0n) return { ...facts, state: 'foreign' };
  const isBeyond = isBeyondBounds({ difference, expected, isMoney: hasAmount }, bounds);
  return { ...facts, state: !isBeyond ? 'even' : difference.digits > 0n ? 'over' : 'under' };
}

/** Reports whether it is beyond both bounds: a large percentage of a cent needs no one's attention. */
export function isBeyondBounds(
  { difference, expected, isMoney }: { difference: Decimal; expected: Decimal; isMoney: boolean },
  { percent, usd }: Bounds,
): boolean {
  const size = magnitude(difference);
  if (isMoney && isLess(size, decimalOf(usd))) return false;
  return isLess(multiply(expected, multiply(decimalOf(percent), { digits: 1n, scale: 2 })), size);
}

function tokensOf({ input_tokens: input = 0, output_tokens: output = 0 }: DriftSide): Decimal {
  return { digits: BigInt(input) + BigInt(output), scale: 0 };
}

/** In per cent with one place; undefined: nothing was expected. */
export function percentOf(difference: Decimal, expected: Decimal): number | undefined {
  const base = Number(decimalText(expected));
  if (base === 0) return undefined;
  return Math.round((Number(decimalText(difference)) / base) * 1_000) / 10;
}

function magnitude({ digits, scale }: Decimal): Decimal {
  return { digits: digits < 0n ? -digits : digits, scale };
}

function isLess(one: Decimal, other: Decimal): boolean {
  return subtract(one, other).digits < 0n;
}

/** Sums of a day; undefined: its bill has no amounts, or it is not over. */
export function sumsOfDay(day: BillDayRecord): { ours: Decimal; billed: Decimal } | undefined {
  if (day.costs === undefined || day.ours === undefined) return undefined;
  const sum = (lines: readonly BillLine[]) => lines.map(({ amount }) => storedAmount(amount ?? '0')).reduce(add, { digits: 0n, scale: 0 });
  return { ours: sum(day.ours), billed: sum(day.costs) };
}

/** One alert for all days that are beyond the bounds and were not yet, so that each day is reported once. */
async function alertBeyond(context: BillContext, account: BillAccountRecord, { from, to }: { from: string; to: string }): Promise<void> {
  const { db, settings } = context;
  const bounds = boundsOf(settings);
  if (bounds.percent === 0) return;
  const days = db.collection('bill_days');
  const found = await days.find(
    { account_id: account.id, and: [{ day: { gte: from } }, { day: { lte: to } }] },
    { sort: [['day', 1]], limit: 400 },
  );
  const beyond: { day: string; ours: Decimal; billed: Decimal }[] = [];
  for (const record of found) {
    const sums = record.is_partial === true || record.is_alerted === true ? undefined : sumsOfDay(record);
    if (sums === undefined) continue;
    if (!isBeyondBounds({ difference: subtract(sums.billed, sums.ours), expected: sums.ours, isMoney: true }, bounds)) continue;
    const claimed = await days.patch({ id: record.id, is_alerted: { exists: false } }, { set: { is_alerted: true } });
    if (claimed !== null) beyond.push({ day: record.day, ...sums });
  }
  const [first] = beyond;
  if (first === undefined) return;
  const total = (side: 'ours' | 'billed') => decimalText(beyond.map((day) => day[side]).reduce(add));
  await alertOfBill(context, {
    id: account.id,
    name: account.name,
    from: first.day,
    to: beyond.at(-1)?.day ?? first.day,
    days: beyond.length,
    ours: total('ours'),
    billed: total('billed'),
  });
}
