// Quota is a whole number; `QuotaPerUnit` of it (500,000 unless changed) is one US dollar.

export const defaultQuotaPerUnit = 500_000;

export interface QuotaDisplay {
  /** Option `DisplayInCurrencyEnabled`. */
  inCurrency: boolean;
  /** Option `QuotaPerUnit`. */
  quotaPerUnit: number;
}

/** For people: `$0.02`, or `10,000` when currency display is off. `digits` are the places of dollars. */
export function formatQuota(quota: number, { inCurrency, quotaPerUnit }: QuotaDisplay, digits = 2): string {
  if (!inCurrency) return quota.toLocaleString('en-US');
  const usd = (Math.abs(quota) / quotaPerUnit).toFixed(digits);
  return `${quota < 0 && Number(usd) !== 0 ? '-' : ''}$${usd}`;
}

/** In mails and in error texts of the relay: `＄0.020000`, or the bare number. */
export function quotaText(quota: number, { inCurrency, quotaPerUnit }: QuotaDisplay): string {
  return inCurrency ? `＄${(quota / quotaPerUnit).toFixed(6)}` : String(quota);
}

/** In the content of log rows: `＄0.020000 额度`, or `10000 点额度`. */
export function quotaLogText(quota: number, display: QuotaDisplay): string {
  return display.inCurrency ? `${quotaText(quota, display)} 额度` : `${quota} 点额度`;
}

/** `9999`, `10.0k`, `1.5M`, `2.0B`. */
export function compactCount(count: number): string {
  const size = Math.abs(count);
  // The limits allow for rounding: 999,999 is 1.0M, not 1000.0k.
  if (size >= 999_950_000) return `${(count / 1_000_000_000).toFixed(1)}B`;
  if (size >= 999_950) return `${(count / 1_000_000).toFixed(1)}M`;
  if (size >= 10_000) return `${(count / 1000).toFixed(1)}k`;
  return String(count);
}

/** The quota of an amount of dollars, rounded to the nearest unit; null when that is not a whole number of safe size. */
export function quotaOfUsd(usd: number, quotaPerUnit: number = defaultQuotaPerUnit): number | null {
  const quota = Math.round(usd * quotaPerUnit);
  return Number.isSafeInteger(quota) ? quota : null;
}

export function usdOfQuota(quota: number, quotaPerUnit: number = defaultQuotaPerUnit): number {
  return quota / quotaPerUnit;
}

/**
 * An amount as typed: a whole number of quota (`500000`, `500,000`), or dollars with a dollar sign (`$1.5`). Null when it is
 * neither, negative, or too large.
 */
export function parseQuota(text: string, quotaPerUnit: number = defaultQuotaPerUnit): number | null {
  const plain = text.trim().replace(/[,，_\s]/g, '');
  const dollars = /^[$＄](\d{1,15}(?:\.\d{1,10})?)$/.exec(plain);
  if (dollars !== null) return quotaOfUsd(Number(dollars[1]), quotaPerUnit);
  if (!/^\d{1,16}$/.test(plain)) return null;
  const quota = Number(plain);
  return Number.isSafeInteger(quota) ? quota : null;
}
