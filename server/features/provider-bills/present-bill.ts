import {
  type BillImport,
  BillImportFailure,
  type BillMapping,
  type BillOverview,
  type BillRequest,
  BillRowFault,
} from '#shared/provider-bills.ts';
import { mappedFields } from '#shared/bill-formats.ts';
import type { AppContext } from '#server/context.ts';
import type { BillImportRecord, BillMappingRecord, BillRequestRecord } from '#server/db/records/bill.ts';
import { presentAccount, seconds } from './accounts.ts';

/** Imports that are listed. */
const shown = 50;

export async function readOverview(context: AppContext): Promise<BillOverview> {
  const { db, settings, now } = context;
  const [accounts, mappings, imports, head] = await Promise.all([
    db.collection('bill_accounts').find({}),
    db.collection('bill_mappings').find({}),
    db.collection('bill_imports').find({}, { sort: [['id', -1]], limit: shown }),
    db.collection('log_folds').get('head'),
  ]);
  const names = new Map(accounts.map(({ id, name }) => [id, name]));
  return {
    accounts: await Promise.all(accounts.map((account) => presentAccount(context, account))),
    mappings: mappings.map(presentMapping),
    imports: imports.map((record) => presentImport(record, names.get(record.account_id) ?? '')),
    ...(head?.costs_from === undefined ? {} : { counted_from: head.costs_from }),
    ...(head?.costs_until === undefined ? {} : { counted_until: head.costs_until }),
    alert_percent: settings.get('BillDriftPercent'),
    alert_usd: settings.get('BillDriftUsd'),
    at: seconds(now()),
  };
}

export function presentMapping({ id: name, columns, decimal }: BillMappingRecord): BillMapping {
  const known = columns.flatMap(({ field, column }) => mappedFields.filter((one) => one === field).map((one) => [one, column] as const));
  return { name, columns: Object.fromEntries(known), decimal };
}

export function presentImport(record: BillImportRecord, accountName: string): BillImport {
  const { id, account_id, source, file_name, format, state, rows, faults, first_faults, failure } = record;
  return {
    id,
    account_id,
    account_name: accountName,
    source,
    file_name,
    format,
    state,
    started_at: seconds(record.started_at),
    ...(record.ended_at === undefined ? {} : { ended_at: seconds(record.ended_at) }),
    rows,
    faults,
    first_faults: first_faults.map(({ line, code, text }) => ({ line, code: codeOf(BillRowFault, code, 'shape'), text })),
    ...(record.first_day === undefined ? {} : { first_day: record.first_day }),
    ...(record.last_day === undefined ? {} : { last_day: record.last_day }),
    ...(record.amount === undefined ? {} : { amount: record.amount }),
    ...(failure === undefined ? {} : { failure: { code: codeOf(BillImportFailure, failure.code, 'other'), text: failure.text } }),
    ...(record.matched === undefined ? {} : { matched: record.matched }),
  };
}

/** Codes of a newer server may be unknown. */
function codeOf<Code extends string>(codes: { options: readonly Code[] }, code: string, unknown: Code): Code {
  return codes.options.find((one) => one === code) ?? unknown;
}

export function presentRequest({
  id,
  account_id,
  state,
  day,
  at,
  request_id,
  model,
  billed,
  ours,
  log_id,
}: BillRequestRecord): BillRequest {
  return {
    id,
    account_id,
    state: state === 'unbilled' || state === 'foreign' ? state : 'differs',
    day,
    at,
    request_id,
    model,
    ...(billed === undefined ? {} : { billed }),
    ...(ours === undefined ? {} : { ours }),
    ...(log_id === undefined ? {} : { log_id }),
  };
}
