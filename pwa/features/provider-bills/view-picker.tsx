import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { BillOverview } from '#shared/provider-bills.ts';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { type BillsSearch, views } from './bills-search.ts';
import styles from './bills.module.css';

export interface BillsScreenProps {
  search: BillsSearch;
  onSearch: (change: Partial<BillsSearch>) => void;
}

export interface BillsViewProps extends BillsScreenProps {
  query: UseQueryResult<BillOverview>;
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
