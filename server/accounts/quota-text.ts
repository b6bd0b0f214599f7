import { quotaLogText } from '#shared/quota.ts';
import type { AppContext } from '#server/context.ts';

/** Formats an amount for log texts, in the configured display unit. */
export function quotaText({ settings }: Pick<AppContext, 'settings'>, quota: number): string {
  return quotaLogText(quota, { quotaPerUnit: settings.get('QuotaPerUnit'), inCurrency: settings.get('DisplayInCurrencyEnabled') });
}
