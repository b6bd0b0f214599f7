/** Settings that are amounts of quota: shown as money wherever they are shown. */
export const quotaSettings: ReadonlySet<string> = new Set([
  'QuotaForNewUser',
  'QuotaForInviter',
  'QuotaForInvitee',
  'QuotaRemindThreshold',
]);
