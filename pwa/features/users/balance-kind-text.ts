import type { TFunction } from 'i18next';

const known = [
  'opening',
  'edit',
  'setup',
  'import',
  'signup',
  'invitee',
  'redemption',
  'transfer',
  'organisation_transfer',
  'topup',
  'task_refund',
  'call_refund',
  'batch_refund',
  'store_day',
  'store_refund',
  'cache_refund',
  'tuning_refund',
] as const;

/** What a change of a balance was; one that this console does not know by its short name. */
export function balanceKindText(t: TFunction, kind: string): string {
  const name = known.find((one) => one === kind);
  return name === undefined ? kind : t(`users.history.kind.${name}`);
}
