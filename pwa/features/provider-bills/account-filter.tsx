import { useTranslation } from 'react-i18next';
import type { BillOverview } from '#shared/provider-bills.ts';
import { FilterSelect } from '#pwa/ui/list/filter-bar.tsx';
import type { BillsSearch } from './bills-search.ts';

interface AccountFilterProps {
  overview: BillOverview | undefined;
  account: number | undefined;
  onChange: (change: Partial<BillsSearch>) => void;
}

export function AccountFilter({ overview, account, onChange }: AccountFilterProps) {
  const { t } = useTranslation();
  return (
    <FilterSelect
      label={t('bills.filter.account')}
      value={account === undefined ? '' : String(account)}
      options={(overview?.accounts ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
      onChange={(id) => onChange({ account: id === '' ? undefined : Number(id) })}
    />
  );
}
