import { useTranslation } from 'react-i18next';
import type { UsageFigures, UsageSums } from '#shared/dashboard.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { tokensOf } from './chart-steps.ts';

/** Calls a minute below which a rate by the minute says nothing. */
const leastRate = 0.05;

/** Calls and tokens a minute on average, in words; undefined if calls are rare. */
export function useCallRates(figures: Pick<UsageFigures, 'start' | 'end' | 'at'>, whole: UsageSums): string | undefined {
  const { t } = useTranslation();
  const format = useFormat();
  const rates = ratesOf(figures, whole);
  if (rates === undefined) return undefined;
  return t('dashboard.calls.rates', { rpm: rate(rates.calls, format.countShort), tpm: rate(rates.tokens, format.countShort) });
}

/** By the minute of the time that has passed. */
export function ratesOf({ start, end, at }: Pick<UsageFigures, 'start' | 'end' | 'at'>, whole: UsageSums) {
  const minutes = Math.max(1, (Math.min(at, end) - start) / 60);
  const calls = whole.calls / minutes;
  return calls < leastRate ? undefined : { calls, tokens: tokensOf(whole) / minutes };
}

function rate(value: number, short: (value: number) => string): string {
  return value < 10 ? value.toLocaleString('en-US', { maximumSignificantDigits: 2 }) : short(value);
}
