// The table of all accounts as a file, written as it is read: some hundred accounts are in memory, whatever the number is.
import { csvMark, csvRow } from '#shared/csv.ts';
import { AppError } from '#shared/errors.ts';
import type { AccountBalance } from '#shared/statement.ts';
import { readingFor } from '#server/db/reading-for.ts';
import type { Download } from '#server/http/call.ts';
import { createExports } from '#server/http/exports.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { accountName } from '#server/http/fair-reads.ts';
import type { StreamReader } from '#server/http/reader-rights.ts';
import { accountsOf, addParts, balancesOf, noParts } from './account-balances.ts';
import { settingAt } from '#server/settings/setting-at.ts';
import { type BookSpan, checkedSpan, onSteadyBooks, type RequestedSpan, spanWithin } from './steady-books.ts';

const accountsAtOnce = 300;
const digits = 6;

const amounts = ['opening', 'top_ups', 'adjustments', 'refunds', 'spent', 'closing'] as const;
/** Amounts that are no part of the sum. */
const further = ['imported'] as const;
const headings = [
  'id',
  'username',
  'display_name',
  ...[amounts, further].flatMap((names) => [...names.map((name) => `${name}_usd`), ...names.map((name) => `${name}_quota`)]),
];

export interface BalanceExports {
  /** @throws {AppError} `invalid_field`, `exports_running` */
  open(query: RequestedSpan, reader: StreamReader): Download;
}

export function createBalanceExports(host: RouteHost): BalanceExports {
  const { context } = host;
  const openExport = createExports(host);

  async function* parts(requested: { from: number; to: number }, userId: number): AsyncGenerator<string> {
    const span = await onSteadyBooks(context.db, async (bounds) => spanWithin(requested, bounds));
    const unit = await settingAt(context, 'QuotaPerUnit', span.to);
    yield `${csvMark}${csvRow(headings)}`;
    let sums = noParts;
    for await (const balances of pages(span, userId)) {
      sums = balances.reduce(addParts, sums);
      yield balances.map((balance) => lineOf([balance.user_id, balance.username, balance.display_name], balance, unit)).join('');
    }
    yield lineOf(['', 'sum', ''], sums, unit);
  }

  async function* pages(span: BookSpan, userId: number): AsyncGenerator<AccountBalance[]> {
    const { db } = context;
    for (let after = 0; ;) {
      const filter = { and: [accountsOf(span), { id: { gt: after } }] };
      const { users, balances } = await readingFor(accountName(userId), async () => {
        const found = await db.collection('users').find(filter, { limit: accountsAtOnce });
        const read = await onSteadyBooks(db, async (bounds) => {
          // Rows that the lines before were counted with are deleted, and known by month only.
          const { from, to } = spanWithin(span, bounds);
          if (from !== span.from || to !== span.to) throw new AppError('log_deletion_running');
          return balancesOf(db, found, { from, to, ...bounds });
        });
        return { users: found, balances: read };
      });
      if (balances.length > 0) yield balances;
      const last = users.at(-1);
      if (last === undefined || users.length < accountsAtOnce) return;
      after = last.id;
    }
  }

  return {
    open(query, reader) {
      const requested = checkedSpan(query, Math.floor(context.now() / 1000));
      const span = { from: requested.from, to: query.end_timestamp ?? requested.to };
      return openExport(reader, {
        fileName: `accounts-${nameOfSpan(span)}.csv`,
        format: 'csv',
        parts: () => parts(requested, reader.userId),
      });
    },
  };
}

const daySeconds = 86_400;

/** The month of a month in any time zone, which its middle is in; of other spans the first day. */
function nameOfSpan({ from, to }: { from: number; to: number }): string {
  const days = (to - from) / daySeconds;
  const isMonth = days > 27.5 && days < 31.5;
  const moment = new Date((isMonth ? (from + to) / 2 : from) * 1000).toISOString();
  return moment.slice(0, isMonth ? 7 : 10);
}

type Exported = Pick<AccountBalance, (typeof amounts)[number] | (typeof further)[number]>;

function lineOf(head: readonly (string | number)[], parts: Exported, unit: number): string {
  const usd = (quota: number) => Number((quota / unit).toFixed(digits));
  const columns = [amounts, further].map((names) => names.map((name) => parts[name] ?? 0));
  return csvRow([...head, ...columns.flatMap((quotas) => [...quotas.map(usd), ...quotas])]);
}
