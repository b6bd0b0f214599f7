// Quota is a whole number; `QuotaPerUnit` of it (500,000 unless changed) is one US dollar.

export const defaultQuotaPerUnit = 500_000;

export interface QuotaDisplay {
  /** Setting `DisplayInCurrencyEnabled`. */
  inCurrency: boolean;
  /** Setting `QuotaPerUnit`. */
  quotaPerUnit: number;
}

/** In mails, and in error texts that existing clients read: `＄0.020000`, or the bare number. */
export function quotaText(quota: number, { inCurrency, quotaPerUnit }: QuotaDisplay): string {
  return inCurrency ? `＄${(quota / quotaPerUnit).toFixed(6)}` : String(quota);
}

/** In texts about budgets: `$5.00`, with more decimals if the amount needs them, or the bare number. */
export function amountText(quota: number, { inCurrency, quotaPerUnit }: QuotaDisplay): string {
  if (!inCurrency) return String(quota);
  const [whole = '', decimals = ''] = (quota / quotaPerUnit).toFixed(6).split('.');
  return `$${whole}.${decimals.replace(/0+$/, '').padEnd(2, '0')}`;
}

/** In the content of log rows: `＄0.020000 额度`, or `10000 点额度`. */
export function quotaLogText(quota: number, display: QuotaDisplay): string {
  return display.inCurrency ? `${quotaText(quota, display)} 额度` : `${quota} 点额度`;
}
