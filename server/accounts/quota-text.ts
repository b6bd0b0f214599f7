import { quotaLogText } from '#shared/quota.ts';
import type { AppContext } from '#server/context.ts';

/** An amount in a log text, as this installation shows amounts. */
export function quotaText({ settings }: Pick<AppContext, 'settings'>, quota: number): string {
  return quotaLogText(quota, { quotaPerUnit: settings.get('QuotaPerUnit'), inCurrency: settings.get('DisplayInCurrencyEnabled') });
}
