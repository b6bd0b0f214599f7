// Bills of providers, compared with the log: usage exports and usage APIs, matched by request id or by sums of a day and model.
import { z } from 'zod/mini';
import { Amount, BillAccount, BillAccountInput, Name } from '#shared/bill-accounts.ts';
import { mappedFields } from '#shared/bill-formats.ts';
import { endpoint } from '#shared/contract.ts';
import { pageOf, PageQuery } from '#shared/paging.ts';
import { QueryInt, QueryText } from '#shared/query-values.ts';

const Day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/));

const Columns = z.partialRecord(z.enum(mappedFields), z.string().check(z.trim(), z.minLength(1), z.maxLength(200)));

/** Columns of a table, remembered by name. */
export const BillMapping = z.object({
  name: Name,
  columns: Columns,
  decimal: z.enum(['.', ',']),
});
export type BillMapping = z.infer<typeof BillMapping>;

/** Why a row of a file was left out. */
export const BillRowFault = z.enum(['cells', 'date', 'span', 'model', 'amount', 'count', 'currency', 'shape']);
export type BillRowFault = z.infer<typeof BillRowFault>;

/** Why a file was not imported. `interrupted`: its process or the upload ended. */
export const BillImportFailure = z.enum([
  'interrupted',
  'stopped',
  'too_large',
  'too_many_rows',
  'too_many_lines',
  'too_many_faults',
  'encoding',
  'unknown_format',
  'zone',
  'empty',
  'csv',
  'json',
  'database',
  'api',
  'other',
]);
export type BillImportFailure = z.infer<typeof BillImportFailure>;

export const BillImport = z.object({
  id: z.int(),
  account_id: z.int(),
  account_name: z.string(),
  /** `file`: uploaded. `api`: by the clock or on request. */
  source: z.enum(['file', 'api']),
  file_name: z.string(),
  /** Format, or the name of the mapping; empty: not known yet. */
  format: z.string(),
  state: z.enum(['running', 'matching', 'done', 'failed']),
  started_at: z.int(),
  ended_at: z.optional(z.int()),
  rows: z.int(),
  /** Rows that were left out, and the first of them with their line. */
  faults: z.int(),
  first_faults: z.array(z.object({ line: z.int(), code: BillRowFault, text: z.string() })),
  first_day: z.optional(z.string()),
  last_day: z.optional(z.string()),
  /** Sum of the bill. */
  amount: z.optional(Amount),
  failure: z.optional(z.object({ code: BillImportFailure, text: z.string() })),
  /** Of a bill with request ids: rows of both, calls that it lacks, and rows without a call. */
  matched: z.optional(z.object({ both: z.int(), differ: z.int(), unbilled: z.int(), foreign: z.int() })),
});
export type BillImport = z.infer<typeof BillImport>;

/**
 * - `even`: within the bounds of the alert
 * - `unbilled`: calls that are not in the bill
 * - `foreign`: in the bill, and there are no calls
 * - `over`, `under`: the bill is higher or lower than expected
 */
export const DriftState = z.enum(['even', 'unbilled', 'foreign', 'over', 'under']);
export type DriftState = z.infer<typeof DriftState>;

const Side = z.object({
  calls: z.optional(z.int()),
  input_tokens: z.optional(z.int()),
  output_tokens: z.optional(z.int()),
  amount: z.optional(Amount),
});
export type DriftSide = z.infer<typeof Side>;

/** Ours: by the log and the model's prices. Billed: by the provider; absent values are not in its bill. */
export const DriftRow = z.object({
  /** Empty in sums over several. */
  day: z.string(),
  account_id: z.int(),
  account_name: z.string(),
  /** Our name, or that of the bill if no call has it; empty in sums over several. */
  model: z.string(),
  ours: Side,
  billed: Side,
  /** Billed less expected, USD; absent if the bill has no amounts. */
  difference: z.optional(Amount),
  /** The same in per cent of what was expected, or of tokens if the bill has no amounts; absent if nothing was expected. */
  percent: z.optional(z.number()),
  state: DriftState,
});
export type DriftRow = z.infer<typeof DriftRow>;

/** What rows are sums over: a model, day or account of the period, or nothing: each model of each day. */
export const DriftBy = z.enum(['model', 'day', 'account', 'none']);
export type DriftBy = z.infer<typeof DriftBy>;

const driftFilters = {
  /** First and last day, in the zones of the accounts; by default the last 31 days. */
  from: z.pipe(QueryText, z.optional(Day)),
  to: z.pipe(QueryText, z.optional(Day)),
  account: QueryInt,
  by: z.pipe(QueryText, z.optional(DriftBy)),
  state: z.pipe(QueryText, z.optional(DriftState)),
};

/** Longest period, in days. */
export const longestPeriod = 92;

export const DriftReport = z.object({
  from: z.string(),
  to: z.string(),
  days: z.array(z.object({ day: z.string(), ours: Amount, billed: z.optional(Amount) })),
  ours: Amount,
  billed: Amount,
  /** Expected cost of days and models whose bill has no amounts is not in the sums. */
  difference: Amount,
  percent: z.optional(z.number()),
  /** Rows of each state, of each model and day. */
  states: z.record(z.string(), z.int()),
});
export type DriftReport = z.infer<typeof DriftReport>;

export const BillRequestState = z.enum(['unbilled', 'foreign', 'differs']);
export type BillRequestState = z.infer<typeof BillRequestState>;

/** A call that the bill lacks, a row of the bill without a call, or both with different amounts. */
export const BillRequest = z.object({
  id: z.string(),
  account_id: z.int(),
  state: BillRequestState,
  day: z.string(),
  /** Unix seconds. */
  at: z.int(),
  request_id: z.string(),
  model: z.string(),
  billed: z.optional(Amount),
  ours: z.optional(Amount),
  log_id: z.optional(z.int()),
});
export type BillRequest = z.infer<typeof BillRequest>;

export const BillOverview = z.object({
  accounts: z.array(BillAccount),
  mappings: z.array(BillMapping),
  /** Newest first. */
  imports: z.array(BillImport),
  /** The log is counted from and up to these times, unix seconds; absent: not begun. Days before cannot be compared. */
  counted_from: z.optional(z.int()),
  counted_until: z.optional(z.int()),
  alert_percent: z.number(),
  alert_usd: z.number(),
  /** Of the server, unix seconds. */
  at: z.int(),
});
export type BillOverview = z.infer<typeof BillOverview>;

const IdParam = z.object({ id: z.string().check(z.regex(/^\d{1,15}$/)) });
const requestFilters = { account: QueryInt, state: z.pipe(QueryText, z.optional(BillRequestState)) };

/** Bytes of a file. */
export const largestBill = 1024 ** 3;

export const billApi = {
  read: endpoint('GET', '/api/bill/', {
    access: 'admin',
    reply: BillOverview,
    summary: 'Accounts at providers, mappings and the last imports',
  }),
  drift: endpoint('GET', '/api/bill/drift', {
    access: 'admin',
    query: z.object(driftFilters),
    reply: DriftReport,
    summary: 'Bills against the log, by day',
  }),
  rows: endpoint('GET', '/api/bill/rows', {
    access: 'admin',
    query: z.extend(PageQuery, driftFilters),
    reply: pageOf(DriftRow),
    summary: 'Bills against the log by model, day or account, the largest difference first',
  }),
  exportRows: endpoint('GET', '/api/bill/rows/export', {
    access: 'admin',
    audit: { exempt: 'reads' },
    query: z.object(driftFilters),
    changesState: true,
    summary: 'The same as CSV',
  }),
  requests: endpoint('GET', '/api/bill/requests', {
    access: 'admin',
    query: z.extend(PageQuery, requestFilters),
    reply: pageOf(BillRequest),
    summary: 'Calls that a bill lacks, and rows of bills without a call, newest day first',
  }),
  exportRequests: endpoint('GET', '/api/bill/requests/export', {
    access: 'admin',
    audit: { exempt: 'reads' },
    query: z.object(requestFilters),
    changesState: true,
    summary: 'The same as CSV',
  }),
  create: endpoint('POST', '/api/bill/account', {
    access: 'root',
    audit: { kind: 'bill', action: 'created', by: 'call', object: 'name' },
    body: BillAccountInput,
    reply: BillAccount,
    summary: 'Add an account at a provider',
  }),
  update: endpoint('PUT', '/api/bill/account/:id', {
    access: 'root',
    audit: { kind: 'bill', action: 'changed', by: 'call', object: 'id' },
    params: IdParam,
    body: BillAccountInput,
    reply: BillAccount,
    summary: 'Change an account at a provider',
  }),
  remove: endpoint('DELETE', '/api/bill/account/:id', {
    access: 'root',
    audit: { kind: 'bill', action: 'deleted', by: 'call', object: 'id' },
    params: IdParam,
    summary: 'Delete an account at a provider with its bills',
  }),
  fetch: endpoint('POST', '/api/bill/account/:id/fetch', {
    access: 'admin',
    audit: { kind: 'bill', action: 'started', by: 'call', object: 'id' },
    params: IdParam,
    reply: BillImport,
    summary: 'Request the last days from the usage API now',
  }),
  /** The body is the file: CSV in UTF-8 or UTF-16, or JSON, as `application/octet-stream`. It is read while it arrives. */
  upload: endpoint('POST', '/api/bill/account/:id/import', {
    access: 'admin',
    audit: { kind: 'bill', action: 'started', by: 'call', object: 'id' },
    params: IdParam,
    query: z.object({ file_name: QueryText, mapping: QueryText }),
    takesBytes: true,
    maxBytes: largestBill,
    reply: BillImport,
    summary: 'Import a usage export; the bills of its days are replaced',
  }),
  stop: endpoint('POST', '/api/bill/import/:id/stop', {
    access: 'admin',
    audit: { kind: 'bill', action: 'stopped', by: 'call', object: 'id' },
    params: IdParam,
    summary: 'Stop an import',
  }),
  saveMapping: endpoint('PUT', '/api/bill/mapping', {
    access: 'admin',
    audit: { kind: 'bill', action: 'changed', by: 'call', object: 'name' },
    body: BillMapping,
    reply: BillMapping,
    summary: 'Remember the columns of a table by name',
  }),
  removeMapping: endpoint('DELETE', '/api/bill/mapping', {
    access: 'admin',
    audit: { kind: 'bill', action: 'deleted', by: 'call', object: 'name' },
    query: z.object({ name: QueryText }),
    summary: 'Forget a mapping',
  }),
};
