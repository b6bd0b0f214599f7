// The account statement of a user over a time: what was there, what came, what went, what is left.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { PageQuery, pageOf } from '#shared/paging.ts';
import { QueryInt } from '#shared/query-values.ts';

/** A change of the balance that was no call. Amounts are quota, signed. */
export const StatementEntry = z.object({
  id: z.int(),
  /** Unix seconds. */
  created_at: z.int(),
  /** One of `EntryKind`, or of a newer server. */
  kind: z.string(),
  amount: z.int(),
});
export type StatementEntry = z.infer<typeof StatementEntry>;

/** What calls of one model took, at the time at which they began; positive. */
export const StatementCalls = z.object({ model_name: z.string(), calls: z.int(), amount: z.int() });
export type StatementCalls = z.infer<typeof StatementCalls>;

/** `opening` + `entries` + `more_entries` − `calls` − `more_calls` = `closing`, to the last unit. */
export const Statement = z.object({
  user_id: z.int(),
  username: z.string(),
  display_name: z.string(),
  /**
   * Unix seconds, half-open. Of deleted rows of the log the sums of months are known, so within a month with deleted rows `from` is later and `to` earlier
   * than requested; `from` is also later if the user is younger.
   */
  from: z.int(),
  to: z.int(),
  /** Rows of the log before this moment may be deleted; 0: none is. Unix seconds. Absent from servers that do not report it. */
  rows_from: z.optional(z.int()),
  /** Quota of one dollar at the end of the time. */
  quota_per_unit: z.number(),
  opening: z.int(),
  closing: z.int(),
  /** Oldest first, as many as a statement shows. */
  entries: z.array(StatementEntry),
  more_entries: z.object({ count: z.int(), amount: z.int() }),
  /** Most expensive first, as many as a statement shows. */
  calls: z.array(StatementCalls),
  more_calls: z.object({ models: z.int(), calls: z.int(), amount: z.int() }),
  /** Calls at the gateway before an import, with what they cost there: charged there, so they are no part of the sum. Absent if there are none. */
  imported_calls: z.optional(z.object({ calls: z.int(), amount: z.int() })),
});
export type Statement = z.infer<typeof Statement>;

/** The longest time of one statement: a year and the day that it may have more, in seconds. */
export const longestStatement = 366 * 86_400;

/** What an account's balance was made of in a time. Amounts are quota: `opening` + `top_ups` + `adjustments` + `refunds` − `spent` = `closing`. */
const BalanceParts = {
  opening: z.int(),
  /** Orders and redemption codes. */
  top_ups: z.int(),
  /** Bonuses, starting credit, invite earnings, what administrators changed; signed. */
  adjustments: z.int(),
  refunds: z.int(),
  /** What calls took at the time at which they began, and storage. */
  spent: z.int(),
  closing: z.int(),
  /** What calls cost at the gateway before an import: charged there, so it is no part of the sum. Absent from servers that do not report it. */
  imported: z.optional(z.int()),
};

/** An account in the table of all accounts. */
export const AccountBalance = z.object({
  user_id: z.int(),
  username: z.string(),
  display_name: z.string(),
  is_deleted: z.boolean(),
  ...BalanceParts,
});
export type AccountBalance = z.infer<typeof AccountBalance>;

/** The time of the table: half-open, unix seconds, as in a statement. */
const TableSpan = { from: z.int(), to: z.int(), rows_from: z.optional(z.int()), quota_per_unit: z.number() };

/** The sums over all accounts. */
export const BalanceSums = z.object({ ...TableSpan, accounts: z.int(), ...BalanceParts });
export type BalanceSums = z.infer<typeof BalanceSums>;

const SpanQuery = z.object({ start_timestamp: QueryInt, end_timestamp: QueryInt });

export const statementApi = {
  /** By id, oldest accounts first; deleted ones stay in it. */
  ofAll: endpoint('GET', '/api/statement/accounts', {
    access: 'admin',
    query: z.extend(SpanQuery, PageQuery.shape),
    reply: pageOf(AccountBalance),
    extra: z.object(TableSpan),
    summary: 'Opening balance, changes and closing balance of every account',
  }),
  sumOfAll: endpoint('GET', '/api/statement/accounts/sum', {
    access: 'admin',
    query: SpanQuery,
    reply: BalanceSums,
    summary: 'The sums of the table of all accounts',
  }),
  /** A file that is written as it is read, its last line the sums. It has no envelope unless it is refused. */
  exportAll: endpoint('GET', '/api/statement/accounts/export', {
    access: 'admin',
    audit: { exempt: 'reads' },
    query: SpanQuery,
    changesState: true,
    summary: 'The table of all accounts as CSV',
  }),
  own: endpoint('GET', '/api/user/self/statement', {
    access: 'user',
    organisation: 'billing',
    query: SpanQuery,
    reply: Statement,
    summary: 'The account statement of the caller',
  }),
  ofUser: endpoint('GET', '/api/user/:id/statement', {
    access: 'admin',
    params: z.object({ id: z.string().check(z.regex(/^\d{1,15}$/)) }),
    query: SpanQuery,
    reply: Statement,
    summary: 'The account statement of a user',
  }),
};
