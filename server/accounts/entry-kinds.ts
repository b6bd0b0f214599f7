// Kinds of ledger entries for display.
import type { EntryKind } from '#shared/wallet.ts';

/** All others are `other`. */
export const entryKinds: Record<Exclude<EntryKind, 'other'>, readonly string[]> = {
  order: ['topup'],
  redemption: ['redemption'],
  transfer: ['transfer'],
  organisation: ['organisation_transfer'],
  refund: ['task_refund', 'call_refund', 'batch_refund', 'store_refund', 'cache_refund', 'tuning_refund'],
  storage: ['store_day'],
  bonus: ['signup', 'invitee'],
  setup: ['setup', 'opening'],
  import: ['import'],
  edit: ['edit'],
};

/** @param name kind in the ledger */
export function entryKindOf(name: string): string {
  return Object.entries(entryKinds).find(([, names]) => names.includes(name))?.[0] ?? 'other';
}
