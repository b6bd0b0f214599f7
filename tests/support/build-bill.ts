// Accounts at providers as they are entered, and imports of their bills.
import type { BillAccountInput } from '#shared/bill-accounts.ts';
import type { BillImportRecord } from '#server/db/records/bill.ts';

export function buildBillAccount(fields: Partial<BillAccountInput> = {}): BillAccountInput {
  return {
    name: 'Main',
    provider: 'other',
    channel_ids: [1],
    zone: 'UTC',
    currency: 'USD',
    rate: '1',
    factor: '1',
    models: {},
    base_url: '',
    ...fields,
  };
}

/** One that runs, of a process that is alive for a day. */
export function buildBillImport(fields: Pick<BillImportRecord, 'id' | 'account_id'> & Partial<BillImportRecord>): BillImportRecord {
  return {
    running: fields.account_id,
    source: 'file',
    file_name: '',
    format: '',
    state: 'running',
    user_id: 1,
    started_at: 1_768_464_000_000,
    alive_until: 1_768_464_000_000 + 55_000,
    rows: 0,
    faults: 0,
    first_faults: [],
    ...fields,
  };
}
