import { useTranslation } from 'react-i18next';
import { ShortCount } from '#pwa/ui/billing/amounts.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { SummaryItem } from '#pwa/ui/frame/page-header.tsx';

interface LogFactsProps {
  sums: { quota: number; rpm: number; tpm: number };
  /** Undefined: not known yet. */
  page: { total: number; total_is_lower_bound?: boolean | undefined } | undefined;
  unit: string;
  /** Sums are about calls: above a list of other rows they would say nothing. */
  isAboutCalls: boolean;
}

/** What the listed calls cost, how many rows there are, and the traffic of the last minute. */
export function LogFacts({ sums, page, unit, isAboutCalls }: LogFactsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <>
      {isAboutCalls && (
        <SummaryItem label={t('logs.fact.spent')} unit={unit}>
          {format.charge(sums.quota)}
        </SummaryItem>
      )}
      {page !== undefined && (
        <SummaryItem label={t('logs.fact.rows')}>
          {format.count(page.total)}
          {page.total_is_lower_bound === true && '+'}
        </SummaryItem>
      )}
      {isAboutCalls && (
        <>
          <SummaryItem label="RPM">
            <ShortCount count={sums.rpm} />
          </SummaryItem>
          <SummaryItem label="TPM">
            <ShortCount count={sums.tpm} />
          </SummaryItem>
        </>
      )}
    </>
  );
}
