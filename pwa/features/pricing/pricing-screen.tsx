import { useTranslation } from 'react-i18next';
import { useStoredUser } from '#pwa/api/self.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { CopyButton } from '#pwa/ui/controls/copy-text.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import { useSelection } from '#pwa/ui/list/selection.ts';
import { GroupBanner } from './group-banner.tsx';
import { PricePanel } from './price-panel.tsx';
import { groupsOf, isAvailableIn } from './price-list.ts';
import { cardOnly, pricingColumns } from './pricing-columns.tsx';
import { GroupChoice, PricingFilters } from './pricing-filters.tsx';
import type { PricingSearch } from './pricing-search.ts';
import { usePriceRows } from './use-price-rows.ts';
import styles from './pricing.module.css';

interface PricingScreenProps {
  search: PricingSearch;
  onSearch: (change: Partial<PricingSearch>) => void;
}

export function PricingScreen({ search, onSearch }: PricingScreenProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const user = useStoredUser();
  const screen = useListScreen({ search, onSearch });
  const { query, list, rows, group, ownGroup, filters } = usePriceRows({ search, onSearch });
  const { row: opened, ...ways } = useOpenRecord(screen, { rows, rowKey: (row) => row.model_name });
  const handleGroup = (name: string): void => onSearch({ group: name === ownGroup ? undefined : name });
  const columns = pricingColumns(t, { list, group, onGroup: handleGroup });
  const selection = useSelection<string>();
  const ticked = (list?.entries ?? []).map((entry) => entry.model_name).filter((name) => selection.keys.has(name));

  return (
    <Screen
      title={t('pricing.title')}
      filters={
        <PricingFilters
          search={search}
          filters={filters}
          groups={list !== undefined && <GroupChoice groups={groupsOf(list)} group={group} onGroup={handleGroup} />}
          onSearch={onSearch}
        />
      }
      panelFollows
      panel={
        opened !== undefined &&
        list !== undefined && (
          <PricePanel
            entry={opened}
            list={list}
            group={group}
            onGroup={handleGroup}
            onClose={() => onSearch({ open: undefined })}
            {...ways}
          />
        )
      }
    >
      {/* For visitors the top bar of a phone names the site, not the screen. */}
      {isPhone && user === null && <h1 className="visually-hidden">{t('pricing.title')}</h1>}
      {/* Its space is reserved, so that nothing moves when it loads. */}
      {list === undefined && query.error === null && query.fetchStatus !== 'paused' && <div className={styles.bannerSpace} />}
      {list !== undefined && (
        <GroupBanner list={list} group={group} ownGroup={ownGroup} isVisitor={user === null} onGroup={handleGroup}>
          <RowCount shown={rows?.length ?? 0} count={list.entries.length} />
        </GroupBanner>
      )}
      <DataList
        label={t('pricing.title')}
        query={query}
        rows={rows}
        columns={isPhone ? columns : columns.filter((column) => !cardOnly.has(column.key))}
        rowKey={(row) => row.model_name}
        rowName={(row) => row.model_name}
        open={search.open}
        onOpen={screen.onOpen}
        selection={selection}
        bulkActions={<CopyButton variant="subtle" label={t('pricing.copy_selected')} text={ticked.join(',')} />}
        isMuted={(row) => !isAvailableIn(row, group)}
        empty={{ title: t('pricing.empty.title'), text: t('pricing.empty.text') }}
        {...filters}
      />
    </Screen>
  );
}

function RowCount({ shown, count }: { shown: number; count: number }) {
  const { t } = useTranslation();
  if (shown === 0) return null;
  return shown === count ? t('pricing.count', { count }) : t('pricing.count_of', { shown, count });
}
