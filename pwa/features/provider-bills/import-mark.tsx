import { useTranslation } from 'react-i18next';
import type { BillImport } from '#shared/provider-bills.ts';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';

const marks: Record<BillImport['state'], Status> = { running: 'running', matching: 'running', done: 'on', failed: 'failed' };

/** State of an import; of a failed one, its cause. */
export function ImportMark({ bill: { state, failure, faults } }: { bill: BillImport }) {
  const { t } = useTranslation();
  if (failure !== undefined) return <StatusMark status="failed">{t(`bills.failure.${failure.code}`)}</StatusMark>;
  if (state === 'done' && faults > 0) return <StatusMark status="look">{t('bills.import.with_faults', { count: faults })}</StatusMark>;
  return <StatusMark status={marks[state]}>{t(`bills.import.${state}`)}</StatusMark>;
}
