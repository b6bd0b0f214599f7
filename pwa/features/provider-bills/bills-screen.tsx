import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { AccountsView } from './accounts-view.tsx';
import { type BillsSearch, views } from './bills-search.ts';
import styles from './bills.module.css';
import { DriftView } from './drift-view.tsx';
import { ImportsView } from './imports-view.tsx';
import { billsQuery } from './queries.ts';
import { RequestsView } from './requests-view.tsx';

export interface BillsScreenProps {
  search: BillsSearch;
  onSearch: (change: Partial<BillsSearch>) => void;
}

/** Bills of providers against the log. Without an account: how to get bills, and how to begin. */
export function BillsScreen({ search, onSearch }: BillsScreenProps) {
  const query = useQuery(billsQuery);
  const view = query.data?.accounts.length === 0 ? 'accounts' : (search.view ?? 'drift');
  const shared = { search, onSearch, query };
  if (view === 'accounts') return <AccountsView {...shared} />;
  if (view === 'imports') return <ImportsView {...shared} />;
  return view === 'requests' ? <RequestsView {...shared} /> : <DriftView {...shared} />;
}

/** The four lists of the screen. */
export function ViewPicker({ search, onSearch }: BillsScreenProps) {
  const { t } = useTranslation();
  return (
    <div className={styles.views}>
      <Segments
        label={t('bills.view.label')}
        value={search.view ?? 'drift'}
        options={views.map((value) => ({ value, label: t(`bills.view.${value}`) }))}
        onChange={(view) => onSearch({ view: view === 'drift' ? undefined : view, p: undefined, open: undefined })}
      />
    </div>
  );
}
