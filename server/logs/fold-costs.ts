// Folds the cost of calls by channel and upstream model, which bills of providers are compared with. The sums remain when the log's rows are
// deleted. Nothing is folded before there is an account at a provider.
import { decimalText, add } from '#shared/decimal.ts';
import { storedAmount } from '#shared/bill-amounts.ts';
import type { Filter } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import type { CostHourRecord } from '#server/db/records/bill.ts';
import type { LogFoldRecord } from '#server/db/records/log-fold.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { openHead } from './fold-head.ts';
import { costedTypes, listCostOf } from './list-cost.ts';
import { replaceRecords } from './replace-records.ts';
import { digestOf, hourOf, hourSeconds, quarterSeconds, timePrefix } from './rollup-shape.ts';

/** Rows read at a time, because they are priced on the event loop. */
const rowsAtOnce = 200;
/** Days before the first account whose calls are counted, as far as the log has them. */
const earlierDays = 62;
const daySeconds = 86_400;

/** Begins counting costs, from the first row of the log that may be compared. */
export async function beginCosts(db: Database, now: number): Promise<void> {
  const removed = (await db.collection('log_closings').get('head'))?.removed_before ?? 0;
  const from = hourOf(Math.max(0, removed + hourSeconds - 1, Math.floor(now / 1000) - earlierDays * daySeconds));
  await openHead({ db, now: () => now });
  await db.collection('log_folds').patch({ id: 'head', costs_until: { exists: false } }, { set: { costs_until: from, costs_from: from } });
}

interface FoldOptions {
  until: number;
  isOverdue: () => boolean;
}

/** Folds the hours up to `until`. Hours without rows are skipped. */
export async function foldCosts(db: Database, head: LogFoldRecord, { until, isOverdue }: FoldOptions): Promise<void> {
  if (head.costs_until === undefined) return;
  let at = head.costs_until;
  const step = at < until ? await stepOf(db) : hourSeconds;
  while (at < until && !isOverdue()) {
    const row = await db.collection('logs').first({ created_at: { gte: at } }, { sort: [['created_at', 1]] });
    const hour = row === null ? until : Math.min(hourOf(row.created_at), until);
    if (hour < until) await foldCostHour(db, hour, step);
    const after = Math.min(until, hour + hourSeconds);
    if ((await db.collection('log_folds').patch({ id: 'head', costs_until: at }, { set: { costs_until: after } })) === null) return;
    head.costs_until = at = after;
  }
}

/** Leaves hours with deleted rows unchanged. */
export async function refoldCosts(db: Database, head: LogFoldRecord, hour: number): Promise<void> {
  if (hour < (head.costs_until ?? 0) && hour >= (head.deleted_until ?? 0)) await foldCostHour(db, hour, await stepOf(db));
}

/** Quarter hours, if days of an account begin within an hour of UTC. */
async function stepOf(db: Database): Promise<number> {
  const accounts = await db.collection('bill_accounts').find({});
  return accounts.some(({ zone }) => !hasWholeHours(zone)) ? quarterSeconds : hourSeconds;
}

/** Whether the zone is whole hours from UTC, at the middle of winter and of summer. */
function hasWholeHours(zone: string): boolean {
  return [1_767_225_600, 1_782_864_000].every((time) => {
    const text = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).format(time * 1000);
    return !/GMT[+-]\d\d:(?!00)\d\d/.test(text);
  });
}

async function foldCostHour(db: Database, hour: number, step: number): Promise<void> {
  const sums = new Map<string, CostHourRecord>();
  const prefix = `${timePrefix(hour)}.`;
  for await (const row of rowsOf(db, hour)) {
    const found = listCostOf(row);
    if (found === null) continue;
    const start = row.created_at - (row.created_at % step);
    const key = digestOf([start, row.channel_id, found.model]);
    const known = sums.get(key) ?? {
      id: `${prefix}${key}`,
      start,
      channel_id: row.channel_id,
      model: found.model,
      calls: 0,
      input_tokens: 0,
      output_tokens: 0,
      cost: '0',
    };
    sums.set(key, {
      ...known,
      calls: known.calls + 1,
      input_tokens: known.input_tokens + row.prompt_tokens,
      output_tokens: known.output_tokens + row.completion_tokens,
      cost: decimalText(add(storedAmount(known.cost), found.cost)),
    });
  }
  await replaceRecords(db, { into: 'cost_hours', prefix, records: [...sums.values()] });
}

/** Rows of an hour that a provider may bill, in pages. */
async function* rowsOf(db: Database, hour: number): AsyncGenerator<LogRecord> {
  let after: { time: number; id: number } | undefined;
  for (;;) {
    const filter: Filter<LogRecord>[] = [{ created_at: { gte: after?.time ?? hour } }, { created_at: { lt: hour + hourSeconds } }];
    if (after !== undefined) filter.push({ or: [{ created_at: { gt: after.time } }, { id: { gt: after.id } }] });
    const rows = await db.collection('logs').find(
      { and: filter },
      {
        sort: [
          ['created_at', 1],
          ['id', 1],
        ],
        limit: rowsAtOnce,
      },
    );
    for (const row of rows) if (costedTypes.has(row.type)) yield row;
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return;
    after = { time: last.created_at, id: last.id };
  }
}
