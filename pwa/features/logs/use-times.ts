import { useTranslation } from 'react-i18next';
import type { Log } from '#shared/logs.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { sessionSpanOf, soundOf } from './log-summary.ts';

/** Facts of a row that is charged by time: length of a sound, or the part of a realtime session. Empty for other rows. */
export function useTimes(log: Log): { name: string; value: string }[] {
  const { t } = useTranslation();
  const format = useFormat();
  const sound = soundOf(log);
  if (sound !== undefined) return [{ name: t('receipt.sound'), value: format.duration(sound) }];
  const span = sessionSpanOf(log);
  if (span === undefined) return [];
  const from = span.from === 0 ? t('receipt.session_beginning') : format.duration(span.from);
  return [{ name: t('receipt.session_time'), value: t('receipt.session_span', { from, until: format.duration(span.until) }) }];
}
