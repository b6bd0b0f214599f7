// Tables of new-api that have no counterpart, with their money.
import type { ImportReason } from '#shared/import-reasons.ts';
import type { NamedNote } from '../program.ts';
import { flag, integer, isDeleted, quota, text, trimmed } from '../sources/row-values.ts';
import { pagesOf, type SourceDatabase, type SourceRow } from '../sources/source-database.ts';

/** Tables that hold nothing but copies and the program's own bookkeeping are not named. */
const counted: Readonly<Record<string, string>> = {
  subscription_plans: 'plans',
  subscription_orders: 'orders of plans',
  passkey_credentials: 'passkeys',
  custom_oauth_providers: 'sign-in providers',
  user_oauth_bindings: 'identities at such providers',
  models: 'model catalogue',
  vendors: 'vendors',
  prefill_groups: 'prefilled groups',
  casbin_rule: 'permissions of administrators',
};

export async function tablesWithoutPlace(source: SourceDatabase): Promise<NamedNote[]> {
  const notes: NamedNote[] = [];
  for (const [table, detail] of Object.entries(counted)) {
    if (!source.tables.has(table)) continue;
    const { count } = await source.total(table, { where: [{ column: 'deleted_at', is: 'null' }] });
    if (count > 0) notes.push({ kind: 'other', name: table, note: { reason: 'table_no_place', detail }, isLeftOut: true, rows: count });
  }
  await each(source, 'two_fas', (row) => {
    if (isDeleted(row) || !flag(row, 'is_enabled')) return;
    notes.push(note(`user ${text(row, 'user_id')}`, 'second_factor'));
  });
  await each(source, 'user_subscriptions', (row) => {
    const total = quota(row, 'amount_total');
    const isActive = trimmed(row, 'status') === 'active';
    const ends = new Date(integer(row, 'end_time') * 1000).toISOString().slice(0, 10);
    const name = `user ${text(row, 'user_id')}, plan ${text(row, 'plan_id')}, ${isActive ? `until ${ends}` : trimmed(row, 'status')}`;
    // A total of 0 is unlimited.
    const left = isActive && total > 0 ? Math.max(0, total - quota(row, 'amount_used')) : 0;
    notes.push({ ...note(name, 'plan_left'), note: { reason: 'plan_left', quota: left } });
  });
  return notes;
}

function note(name: string, reason: ImportReason): NamedNote {
  return { kind: 'other', name, note: { reason }, isLeftOut: true };
}

async function each(source: SourceDatabase, table: string, look: (row: SourceRow) => void): Promise<void> {
  for await (const page of pagesOf(source, table)) for (const row of page) look(row);
}
