import { useTranslation } from 'react-i18next';
import { RangeFilter } from '#pwa/ui/list/range-filter.tsx';
import { defaultRange, type LogSearch, ranges } from './log-address.ts';

/** The time of which the log or its sessions are listed. */
export function LogRange({ search, onChange }: { search: LogSearch; onChange: (change: Partial<LogSearch>) => void }) {
  const { t } = useTranslation();
  return (
    <RangeFilter
      label={t('logs.filter.range')}
      range={search.range ?? defaultRange}
      ranges={ranges.map((name) => ({ value: name, label: t(`logs.range.${name}`) }))}
      onRange={(next) => onChange({ range: next === defaultRange ? undefined : next })}
      from={search.from}
      to={search.to}
      labels={{ from: t('logs.filter.from'), to: t('logs.filter.to') }}
      onChange={onChange}
    />
  );
}
