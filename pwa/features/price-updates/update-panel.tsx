import { useTranslation } from 'react-i18next';
import { PriceHistory } from '#pwa/records/prices/price-history.tsx';
import { usePriceLines } from '#pwa/records/prices/use-price-lines.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { SidePanel, SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import { ChangeLines } from '#pwa/ui/list/change-lines.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { UpdateActions } from './update-actions.tsx';
import { UpdateMark } from './update-mark.tsx';
import type { UpdateRow } from './update-rows.ts';
import styles from './price-updates.module.css';

interface UpdatePanelProps {
  row: UpdateRow;
  mayWrite: boolean;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

/** One change with all of its prices, why it waits, and the model's earlier prices. */
export function UpdatePanel({ row, mayWrite, ...ways }: UpdatePanelProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const linesOf = usePriceLines();
  const { model, lines, guards, unplaced, provider, at, plan } = row;
  return (
    <SidePanel {...ways} title={model} foot={mayWrite && <UpdateActions rows={[row]} variant="filled" onDone={ways.onClose} />}>
      <div className={layout.stackLg}>
        <UpdateMark row={row} />
        {guards.length > 0 && (
          <ul className={`${typography.secondary} ${styles.reasons}`}>
            {guards.map((guard) => (
              <li key={guard}>{t(`price-updates.guard_why.${guard}`)}</li>
            ))}
          </ul>
        )}
        {plan?.state === 'changed' && <p className={typography.secondary}>{t('price-updates.state.changed_why')}</p>}
        {plan?.state === 'held' && <p className={typography.secondary}>{t('price-updates.state.held_why')}</p>}
        <ChangeLines lines={linesOf(lines)} />
        {unplaced.length > 0 && (
          <p className={`${typography.secondary} ${styles.break}`}>{t('price-updates.unplaced_here', { names: unplaced.join(', ') })}</p>
        )}
        <SummaryList
          items={[
            ...(provider === ''
              ? []
              : [{ name: t('price-updates.panel.provider'), value: <span className={styles.break}>{provider}</span> }]),
            ...(plan === undefined
              ? [{ name: t('price-updates.panel.found'), value: format.dateTime(at) }]
              : [
                  { name: t('price-updates.panel.at'), value: format.dateTime(at) },
                  { name: t('price-updates.panel.by'), value: plan.username || '—' },
                ]),
          ]}
        />
        <PriceHistory model={model} />
      </div>
    </SidePanel>
  );
}
