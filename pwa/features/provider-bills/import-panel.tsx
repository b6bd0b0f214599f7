import { useTranslation } from 'react-i18next';
import type { BillImport } from '#shared/provider-bills.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { SidePanel, SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './bills.module.css';
import { daysText } from './days-text.ts';
import { dollars } from './dollars.ts';
import { ImportMark } from './import-mark.tsx';
import { useStopImport } from './queries.ts';

interface ImportPanelProps {
  bill: BillImport;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

/** One import: what it brought, and the rows that were left out. */
export function ImportPanel({ bill, ...ways }: ImportPanelProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const stop = useStopImport();
  const { id, state, matched, failure, faults, first_faults: first } = bill;
  const isOpen = state === 'running' || state === 'matching';
  return (
    <SidePanel
      {...ways}
      title={bill.file_name || t('bills.import.api')}
      note={`#${id}`}
      foot={isOpen && <OnlineButton loading={stop.isPending} onClick={() => stop.mutate(id)} label={t('bills.action.stop')} />}
    >
      <div className={`${layout.stackLg} ${styles.panel}`}>
        <ImportMark bill={bill} />
        {failure !== undefined && <p className={typography.secondary}>{t(`bills.failure_hint.${failure.code}`, { text: failure.text })}</p>}
        <SummaryList
          items={[
            { name: t('bills.column.account'), value: bill.account_name },
            ...(bill.format === '' ? [] : [{ name: t('bills.import.format'), value: bill.format }]),
            ...(bill.first_day === undefined ? [] : [{ name: t('bills.column.days'), value: daysText(bill, format) }]),
            { name: t('bills.column.rows'), value: format.count(bill.rows) },
            ...(bill.amount === undefined ? [] : [{ name: t('bills.column.billed'), value: dollars(bill.amount, format) }]),
            ...(matched === undefined
              ? []
              : (['both', 'differ', 'unbilled', 'foreign'] as const).map((name) => ({
                  name: t(`bills.matched.${name}`),
                  value: format.count(matched[name]),
                }))),
          ]}
        />
        {first.length > 0 && (
          <section className={layout.stackSm}>
            <h3 className={typography.heading}>{t('bills.import.faults', { count: faults, shown: first.length })}</h3>
            <ol className={`${layout.stackSm} ${styles.faults}`}>
              {first.map(({ line, code, text }) => (
                <li key={`${line} ${code}`}>
                  <span>{t('bills.import.line', { line: format.count(line) })}</span> {t(`bills.fault.${code}`)}{' '}
                  {text !== '' && <code>{text}</code>}
                </li>
              ))}
            </ol>
          </section>
        )}
      </div>
    </SidePanel>
  );
}
