import type { TFunction } from 'i18next';

/** From the first call to the last one, as one says it. Unix seconds. */
export function spanText(t: TFunction, { first_at: from, last_at: to }: { first_at: number; last_at: number }): string {
  const minutes = Math.round(Math.max(0, to - from) / 60);
  if (minutes < 1) return t('sessions.span_short');
  if (minutes < 60) return t('sessions.span_minutes', { minutes });
  if (minutes < 48 * 60) return t('sessions.span_hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
  return t('sessions.span_days', { days: Math.round(minutes / (24 * 60)) });
}
