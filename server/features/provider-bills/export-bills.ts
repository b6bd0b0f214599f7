// Both lists as CSV, written as they are read.
import type { Endpoint } from '#shared/contract.ts';
import { csvMark, csvRow } from '#shared/csv.ts';
import { AppError } from '#shared/errors.ts';
import { billApi } from '#shared/provider-bills.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { BillRequestRecord } from '#server/db/records/bill.ts';
import { Download } from '#server/http/call.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { type LogReader, mayStillRead } from '#server/http/reader-rights.ts';
import { type DriftQuery, driftRows, periodOf } from './drift-rows.ts';
import { requestFilter, type RequestQuery } from './list-requests.ts';

/** Of one caller at a time. */
const mostExports = 2;
const rowsAtOnce = 500;

type Reader = Pick<LogReader, 'facts' | 'userId'>;

export interface BillExports {
  /** @throws {AppError} `invalid_field`, `exports_running` */
  rows(query: DriftQuery, reader: Reader): Download;
  requests(query: RequestQuery, reader: Reader): Download;
}

export function createBillExports(host: RouteHost): BillExports {
  const { context } = host;
  const running = new Map<number, number>();

  async function* counted(reader: Reader, endpoint: Endpoint, parts: AsyncGenerator<string>): AsyncGenerator<string> {
    running.set(reader.userId, (running.get(reader.userId) ?? 0) + 1);
    try {
      for await (const part of parts) {
        // A file that lacks its end is not taken for a whole one: its connection is cut.
        if (!(await mayStillRead(host, { ...reader, endpoint }))) throw new AppError('not_logged_in');
        yield part;
      }
    } finally {
      const left = (running.get(reader.userId) ?? 1) - 1;
      if (left > 0) running.set(reader.userId, left);
      else running.delete(reader.userId);
    }
  }

  function open(reader: Reader, endpoint: Endpoint, file: { name: string; parts: AsyncGenerator<string> }): Download {
    if ((running.get(reader.userId) ?? 0) >= mostExports) throw new AppError('exports_running', {}, { retryAfter: 5 });
    return new Download({ type: 'text/csv; charset=utf-8', fileName: `${file.name}.csv`, parts: counted(reader, endpoint, file.parts) });
  }

  return {
    rows(query, reader) {
      const { from, to } = periodOf(query, context.now());
      return open(reader, billApi.exportRows, { name: `bills-${from}-${to}`, parts: rowParts(context, { ...query, from, to }) });
    },
    requests(query, reader) {
      const day = new Date(context.now()).toISOString().slice(0, 10);
      return open(reader, billApi.exportRequests, {
        name: `bill-requests-${query.state ?? 'unbilled'}-${day}`,
        parts: requestParts(context, query),
      });
    },
  };
}

/** Rows of the comparison. */
async function* rowParts(context: AppContext, query: DriftQuery): AsyncGenerator<string> {
  yield csvMark + csvRow(rowColumns);
  for (const row of await driftRows(context, query)) {
    const { ours, billed } = row;
    yield csvRow([
      row.day,
      row.account_id,
      row.account_name,
      row.model,
      row.state,
      numberOf(ours.amount),
      numberOf(billed.amount),
      numberOf(row.difference),
      row.percent ?? '',
      ours.calls ?? '',
      billed.calls ?? '',
      ours.input_tokens ?? '',
      billed.input_tokens ?? '',
      ours.output_tokens ?? '',
      billed.output_tokens ?? '',
    ]);
  }
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
