// Matches rows of a bill with calls by the provider's request id. The account's calls are read page by page in the order of time, and looked up among
// the bill's rows: the log needs no index of ids for it.
import { storedAmount } from '#shared/bill-amounts.ts';
import { decimalText, multiply, subtract } from '#shared/decimal.ts';
import type { Filter } from '#server/db/collection.ts';
import type { UnorderedWrite, Write } from '#server/db/database.ts';
import type { BillAccountRecord, BillImportRecord, BillRequestRecord } from '#server/db/records/bill.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { costedTypes, listCostOf } from '#server/logs/list-cost.ts';
import type { BillContext } from './compare-days.ts';
import { addDays, type Calendar, calendarOf } from './calendar.ts';

const rowsAtOnce = 200;
/** Calls near both ends of the bill may be in the bill before or after it. */
const edgeSeconds = 900;
/** Amounts that differ by no more than this share are the same: prices may be rounded. */
const tolerated = { digits: 1n, scale: 2 };
const dust = { digits: 1n, scale: 6 };

export function requestRowId(accountId: number, requestId: string): string {
  return `${accountId}:${requestId}`;
}

/** Undefined: no call of the period has a request id, so nothing can be said. `onPage` throws to stop. */
export async function matchRequests(
  context: BillContext,
  account: BillAccountRecord,
  { from, to, onPage }: { from: string; to: string; onPage: () => void },
): Promise<NonNullable<BillImportRecord['matched']> | undefined> {
  const { db } = context;
  const requests = db.collection('bill_requests');
  const calendar = calendarOf(account.zone);
  const within = { account_id: account.id, and: [{ day: { gte: from } }, { day: { lte: to } }] };
  await requests.remove({ ...within, state: 'unbilled' });
  const bounds = await timesOf(context, within);
  if (bounds === undefined) return undefined;
  // Deleted calls look like calls that were never made.
  const removed = (await db.collection('log_closings').get('head'))?.removed_before ?? 0;
  if (bounds.first - edgeSeconds < removed) return undefined;
  let isKnown = false;
  for (const channelId of account.channel_ids) {
    const span = { start: calendar.startOf(addDays(from, -1)), end: calendar.startOf(addDays(to, 2)) };
    for await (const rows of pagesOf(context, channelId, span)) {
      onPage();
      const calls = callsOf(rows, account);
      isKnown ||= calls.length > 0;
      await matchPage(context, calls, { account, calendar, bounds });
    }
  }
  if (!isKnown) return undefined;
  await requests.patchAll({ ...within, state: 'new' }, { set: { state: 'foreign' } });
  const count = (state: BillRequestRecord['state']) => requests.count({ ...within, state });
  return { both: await count('both'), differ: await count('differs'), unbilled: await count('unbilled'), foreign: await count('foreign') };
}

/** A call that the bill may name. */
interface NamedCall {
  /** Id of its row in the bill, if there is one. */
  id: string;
  row: LogRecord;
  upstreamId: string;
  model: string;
  /** USD by the account's terms. */
  ours: string;
}

function callsOf(rows: readonly LogRecord[], account: BillAccountRecord): NamedCall[] {
  const factor = storedAmount(account.factor);
  return rows.flatMap((row) => {
    const found = costedTypes.has(row.type) ? listCostOf(row) : null;
    if (found?.upstreamId === undefined) return [];
    const { upstreamId, model, cost } = found;
    return [{ id: requestRowId(account.id, upstreamId), row, upstreamId, model, ours: decimalText(multiply(cost, factor)) }];
  });
}

interface Matching {
  account: BillAccountRecord;
  calendar: Calendar;
  /** Times of the bill's first and last row. */
  bounds: { first: number; last: number };
}

async function matchPage({ db }: BillContext, calls: readonly NamedCall[], { account, calendar, bounds }: Matching): Promise<void> {
  if (calls.length === 0) return;
  const billed = await db.collection('bill_requests').find({ id: { in: calls.map(({ id }) => id) } });
  const byId = new Map(billed.map((record) => [record.id, record]));
  const changes: UnorderedWrite[] = [];
  const unbilled: Write[] = [];
  for (const { row, id, ours, model, upstreamId } of calls) {
    const record = byId.get(id);
    if (record !== undefined) {
      const state = isSame(ours, record.billed) ? 'both' : 'differs';
      changes.push({ patch: { set: { state, ours, log_id: row.id } }, of: 'bill_requests', where: { id }, anyOrder: true });
      continue;
    }
    const isWithin = row.created_at > bounds.first + edgeSeconds && row.created_at < bounds.last - edgeSeconds;
    if (!isWithin || storedAmount(ours).digits === 0n) continue;
    const insert: BillRequestRecord = {
      id: `${account.id}:log:${row.id}`,
      account_id: account.id,
      state: 'unbilled',
      day: calendar.dayOf(row.created_at),
      at: row.created_at,
      request_id: upstreamId,
      model,
      input_tokens: row.prompt_tokens,
      output_tokens: row.completion_tokens,
      ours,
      log_id: row.id,
    };
    unbilled.push({ insert, into: 'bill_requests', ignoreConflict: true });
  }
  if (changes.length > 0) await db.writeUnordered(changes);
  if (unbilled.length > 0) await db.write(unbilled);
}

function isSame(ours: string, billed = '0'): boolean {
  const difference = subtract(storedAmount(ours), storedAmount(billed));
  const size = { digits: difference.digits < 0n ? -difference.digits : difference.digits, scale: difference.scale };
  const bound = multiply(storedAmount(ours), tolerated);
  return subtract(size, bound).digits <= 0n || subtract(size, dust).digits <= 0n;
}

/** Times of the first and last row of the bill. */
async function timesOf({ db }: BillContext, within: Filter<BillRequestRecord>): Promise<{ first: number; last: number } | undefined> {
  let times: { first: number; last: number } | undefined;
  const requests = db.collection('bill_requests');
  const [first, last] = await Promise.all([
    requests.first(within, { sort: [['day', 1]] }),
    requests.first(within, { sort: [['day', -1]] }),
  ]);
  for (const day of [first?.day, last?.day]) {
    if (day === undefined) continue;
    for (let after = ''; ;) {
      const filter: Filter<BillRequestRecord> = { account_id: Number(first?.account_id), day, and: [{ id: { gt: after } }] };
      const rows = await requests.find(filter, { sort: [['id', 1]], limit: 1_000 });
      for (const { at } of rows) times = { first: Math.min(at, times?.first ?? at), last: Math.max(at, times?.last ?? at) };
      const end = rows.at(-1);
      if (end === undefined || rows.length < 1_000) break;
      after = end.id;
    }
  }
  return times;
}

async function* pagesOf(
  { db }: BillContext,
  channelId: number,
  { start, end }: { start: number; end: number },
): AsyncGenerator<LogRecord[]> {
  let after: { time: number; id: number } | undefined;
  for (;;) {
    const filter: Filter<LogRecord>[] = [{ created_at: { gte: after?.time ?? start } }, { created_at: { lt: end } }];
    if (after !== undefined) filter.push({ or: [{ created_at: { gt: after.time } }, { id: { gt: after.id } }] });
    const rows = await db.collection('logs').find(
      { channel_id: channelId, and: filter },
      {
        sort: [
          ['created_at', 1],
          ['id', 1],
        ],
        limit: rowsAtOnce,
      },
    );
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return;
    after = { time: last.created_at, id: last.id };
  }
}
