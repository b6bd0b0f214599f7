// Tables of new-api that have no counterpart, with their money.
import type { LocalText } from '#shared/errors.ts';
import type { ImportReason } from '#shared/import-reasons.ts';
import type { NamedNote } from '../program.ts';
import { AmountError, flag, integer, isDeleted, quota, text, trimmed } from '../sources/row-values.ts';
import { pagesOf, type SourceDatabase, type SourceRow } from '../sources/source-database.ts';

/** Tables that hold nothing but copies and the program's own bookkeeping are not named. */
const counted: Readonly<Record<string, LocalText>> = {
  subscription_plans: { zh: '套餐', en: 'plans' },
  subscription_orders: { zh: '套餐订单', en: 'orders of plans' },
  passkey_credentials: { zh: '通行密钥', en: 'passkeys' },
  custom_oauth_providers: { zh: '自定义登录方式', en: 'sign-in providers' },
  user_oauth_bindings: { zh: '自定义登录方式的绑定', en: 'identities at such providers' },
  models: { zh: '模型目录', en: 'model catalogue' },
  vendors: { zh: '供应商', en: 'vendors' },
  prefill_groups: { zh: '预填分组', en: 'prefilled groups' },
  casbin_rule: { zh: '管理员权限', en: 'permissions of administrators' },
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
    notes.push(note(`user_id ${text(row, 'user_id')}`, 'second_factor'));
  });
  await each(source, 'user_subscriptions', (row) => {
    const total = amountOf(row, 'amount_total');
    const isActive = trimmed(row, 'status') === 'active';
    const end = new Date(integer(row, 'end_time') * 1000);
    const ends = Number.isNaN(end.getTime()) ? '' : end.toISOString().slice(0, 10);
    const name = `user_id ${text(row, 'user_id')}, plan_id ${text(row, 'plan_id')}, ${isActive ? `→ ${ends}` : trimmed(row, 'status')}`;
    // A total of 0 is unlimited.
    const reason = isActive && total === 0 ? 'plan_unlimited' : 'plan_left';
    const left = isActive && total > 0 ? Math.max(0, total - amountOf(row, 'amount_used')) : 0;
    notes.push({ ...note(name, reason), note: { reason, quota: left } });
  });
  return notes;
}

function note(name: string, reason: ImportReason): NamedNote {
  return { kind: 'other', name, note: { reason }, isLeftOut: true };
}

/** An amount that cannot be stored is in no sum. */
function amountOf(row: SourceRow, column: string): number {
  try {
    return quota(row, column);
  } catch (failure) {
    if (failure instanceof AmountError) return 0;
    throw failure;
  }
}

async function each(source: SourceDatabase, table: string, look: (row: SourceRow) => void): Promise<void> {
  for await (const page of pagesOf(source, table)) for (const row of page) look(row);
}
