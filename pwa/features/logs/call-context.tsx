import { useTranslation } from 'react-i18next';
import { otherOf } from '#shared/log-other.ts';
import type { Log } from '#shared/logs.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Paced } from './log-columns.tsx';
import { durationOf, firstBytePace, isHandedIn, paceOf } from './log-summary.ts';

/** Time, and how it was answered. */
export function CallContext({ log }: { log: Log }) {
  const { t } = useTranslation();
  const format = useFormat();
  const duration = durationOf(log);
  const other = otherOf(log);
  const first = log.is_stream ? other?.frt : undefined;
  if (isHandedIn(log)) return format.dateTime(log.created_at);
  return (
    <>
      {format.dateTime(log.created_at)}
      {other?.task === undefined && ` · ${t(log.is_stream ? 'receipt.streamed' : 'receipt.whole')}`}
      {first !== undefined && (
        <>
          {' · '}
          {t('receipt.first')} <Paced pace={firstBytePace(first / 1000)} text={format.duration(first)} />
        </>
      )}
      {' · '}
      {t('receipt.total')} <Paced pace={paceOf(duration / 1000)} text={format.duration(duration)} />
    </>
  );
}
