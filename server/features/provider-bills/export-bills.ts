// Both lists as CSV, written as they are read.
import { csvMark, csvRow } from '#shared/csv.ts';
import { billApi, type DriftRow } from '#shared/provider-bills.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { BillRequestRecord } from '#server/db/records/bill.ts';
import type { Download } from '#server/http/call.ts';
import { createExports } from '#server/http/exports.ts';
import type { RouteHost } from '#server/http/mount.ts';
import type { StreamReader } from '#server/http/reader-rights.ts';
import { type DriftQuery, driftParts, periodOf } from './drift-rows.ts';
import { requestFilter, type RequestQuery } from './list-requests.ts';

const rowsAtOnce = 500;

type Reader = Pick<StreamReader, 'facts' | 'userId'>;

export interface BillExports {
  /** @throws {AppError} `invalid_field`, `exports_running` */
  rows(query: DriftQuery, reader: Reader): Download;
  requests(query: RequestQuery, reader: Reader): Download;
}

export function createBillExports(host: RouteHost): BillExports {
  const { context } = host;
  const open = createExports(host);
  return {
    rows(query, reader) {
      const { from, to } = periodOf(query, context.now());
      const file = { fileName: `bills-${from}-${to}.csv`, format: 'csv', parts: () => rowParts(context, { ...query, from, to }) } as const;
      return open({ ...reader, endpoint: billApi.exportRows }, file);
    },
    requests(query, reader) {
      const day = new Date(context.now()).toISOString().slice(0, 10);
      const fileName = `bill-requests-${query.state ?? 'unbilled'}-${day}.csv`;
      return open({ ...reader, endpoint: billApi.exportRequests }, { fileName, format: 'csv', parts: () => requestParts(context, query) });
    },
  };
}

/** Rows of the comparison, by account. */
async function* rowParts(context: AppContext, query: DriftQuery): AsyncGenerator<string> {
  yield csvMark + csvRow(rowColumns);
  for await (const rows of driftParts(context, query)) yield rows.map((row) => csvRow(rowCells(row))).join('');
}

function rowCells({ day, account_id, account_name, model, state, ours, billed, difference, percent }: DriftRow): (string | number)[] {
  const counts = (['calls', 'input_tokens', 'output_tokens'] as const).flatMap((name) => [ours[name] ?? '', billed[name] ?? '']);
  const amounts = [ours.amount, billed.amount, difference].map(numberOf);
  return [day, account_id, account_name, model, state, ...amounts, percent ?? '', ...counts];
}

/** Rows of the bill, or calls that it lacks, oldest day first. */
async function* requestParts({ db }: AppContext, query: RequestQuery): AsyncGenerator<string> {
  yield csvMark + csvRow(requestColumns);
  const filter = requestFilter(query);
  let after: { day: string; id: string } | undefined;
  for (;;) {
    const later: Filter<BillRequestRecord>[] =
      after === undefined ? [] : [{ day: { gte: after.day } }, { or: [{ day: { gt: after.day } }, { id: { gt: after.id } }] }];
    const rows = await db.collection('bill_requests').find(
      { and: [filter, ...later] },
      {
        sort: [
          ['day', 1],
          ['id', 1],
        ],
        limit: rowsAtOnce,
      },
    );
    yield rows.map((row) => csvRow(requestCells(row))).join('');
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return;
    after = last;
  }
}

const sides = ['calls', 'input_tokens', 'output_tokens'].flatMap((name) => [`${name}_ours`, `${name}_billed`]);
const rowColumns = [
  'day',
  'account_id',
  'account',
  'model',
  'state',
  'expected_usd',
  'billed_usd',
  'difference_usd',
  'difference_percent',
  ...sides,
];
const requestColumns = ['day', 'time', 'account_id', 'state', 'request_id', 'model', 'expected_usd', 'billed_usd', 'log_id'];

function requestCells({ day, at, account_id, state, request_id, model, ours, billed, log_id }: BillRequestRecord): (string | number)[] {
  const time = at === 0 ? '' : new Date(at * 1000).toISOString();
  return [day, time, account_id, state, request_id, model, numberOf(ours), numberOf(billed), log_id ?? ''];
}

/** Decimal text of our own: a negative amount is no formula, and its digits are all there. */
function numberOf(amount: string | undefined): number | string {
  if (amount === undefined) return '';
  const value = Number(amount);
  return amount.startsWith('-') || String(value) === amount ? value : amount;
}
