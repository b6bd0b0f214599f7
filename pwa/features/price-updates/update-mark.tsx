import { useTranslation } from 'react-i18next';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import type { UpdateRow } from './update-rows.ts';

/** Why a change waits. */
export function UpdateMark({ row: { guards, isNew, plan, at } }: { row: UpdateRow }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (plan !== undefined) {
    if (plan.state === 'changed') return <StatusMark status="failed">{t('price-updates.state.changed')}</StatusMark>;
    if (plan.state === 'held') return <StatusMark status="look">{t('price-updates.state.held')}</StatusMark>;
    return <StatusMark status="queued">{t('price-updates.state.planned', { time: format.date(at) })}</StatusMark>;
  }
  const [first] = guards;
  if (first !== undefined) return <StatusMark status="look">{t(`price-updates.guard.${first}`)}</StatusMark>;
  return <StatusMark status="note">{t(isNew ? 'price-updates.state.new' : 'price-updates.state.waiting')}</StatusMark>;
}
