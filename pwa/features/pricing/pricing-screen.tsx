import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useStoredUser } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { CopyButton } from '#pwa/ui/controls/copy-text.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { FilterBar, FilterSelect } from '#pwa/ui/list/filter-bar.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { useListScreen } from '#pwa/ui/list/use-list-screen.ts';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { useSelection } from '#pwa/ui/list/selection.ts';
import { GroupBanner } from './group-banner.tsx';
import { PricePanel } from './price-panel.tsx';
import { acceptsUnpriced, defaultGroup, filterEntries, groupsOf, isAvailableIn, withoutPriceNeeded } from './price-list.ts';
import { cardOnly, pricingColumns } from './pricing-columns.tsx';
import type { PricingSearch } from './pricing-search.ts';
import { pricingQuery } from './queries.ts';
import styles from './pricing.module.css';

interface PricingScreenProps {
  search: PricingSearch;
  onSearch: (change: Partial<PricingSearch>) => void;
}

export function PricingScreen({ search, onSearch }: PricingScreenProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const user = useStoredUser();
  const query = useQuery(pricingQuery(user?.id ?? 0));
  const needsNoPrice = useSiteStatus()?.self_use_mode_enabled === true || acceptsUnpriced(user);
  const data = query.data;
  // Then calls need no price: the ratios that the list has for such models are the ones that count.
  const list = useMemo(() => (needsNoPrice && data !== undefined ? withoutPriceNeeded(data) : data), [needsNoPrice, data]);
  const ownGroup = user?.group || defaultGroup;
  const group = search.group ?? ownGroup;
  const all = list?.entries;
  const rows = useMemo(
    () =>
      all === undefined
        ? undefined
        : filterEntries(all, {
            keyword: search.keyword ?? '',
            billing: search.billing,
            availableIn: search.available === 'yes' ? group : undefined,
          }),
    [all, search.keyword, search.billing, search.available, group],
  );
  const onGroup = (name: string): void => onSearch({ group: name === ownGroup ? undefined : name });
  const columns = pricingColumns(t, { list, group, onGroup });
  const selection = useSelection<string>();
  const ticked = (all ?? []).filter((entry) => selection.keys.has(entry.model_name)).map((entry) => entry.model_name);

  const screen = useListScreen({ search, onSearch });
  const { row: opened, ...ways } = screen.walk({ rows, rowKey: (row) => row.model_name });
  const filtersSet = [search.keyword, search.billing, search.available].filter((value) => value !== undefined).length;
  const clear = (): void => onSearch({ keyword: undefined, billing: undefined, available: undefined });

  return (
    <Screen
      title={t('pricing.title')}
      filters={
        <FilterBar
          count={filtersSet}
          onClear={clear}
          search={{
            label: t('pricing.filter.keyword'),
            value: search.keyword ?? '',
            onChange: (text) => onSearch({ keyword: text === '' ? undefined : text }),
          }}
          presets={list !== undefined && <GroupChoice groups={groupsOf(list)} group={group} onGroup={onGroup} />}
        >
          <FilterSelect
            label={t('pricing.filter.billing')}
            value={search.billing ?? ''}
            options={[
              { value: 'usage', label: t('pricing.by_usage') },
              { value: 'call', label: t('pricing.per_call') },
            ]}
            onChange={(billing) => onSearch({ billing: billing === 'usage' || billing === 'call' ? billing : undefined })}
          />
          <FilterSelect
            label={t('pricing.filter.available')}
            value={search.available ?? ''}
            options={[{ value: 'yes', label: t('pricing.filter.only_available') }]}
            onChange={(available) => onSearch({ available: available === 'yes' ? 'yes' : undefined })}
          />
        </FilterBar>
      }
      panel={
        opened !== undefined &&
        list !== undefined && (
          <PricePanel entry={opened} list={list} group={group} onGroup={onGroup} onClose={() => onSearch({ open: undefined })} {...ways} />
        )
      }
    >
      {/* For visitors the top bar of a phone names the site, not the screen. */}
      {isPhone && user === null && <h1 className="visually-hidden">{t('pricing.title')}</h1>}
      {/* Its place is kept, so that nothing moves when it comes. */}
      {list === undefined && query.error === null && query.fetchStatus !== 'paused' && <div className={styles.bannerSpace} />}
      {list !== undefined && (
        <GroupBanner list={list} group={group} ownGroup={ownGroup} isVisitor={user === null} onGroup={onGroup}>
          {rows !== undefined &&
            rows.length > 0 &&
            (rows.length === all?.length
              ? t('pricing.count', { count: rows.length })
              : t('pricing.count_of', { shown: rows.length, count: all?.length ?? rows.length }))}
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
        onOpen={(open) => onSearch({ open })}
        selection={selection}
        bulkActions={<CopyButton variant="subtle" label={t('pricing.copy_selected')} text={ticked.join(',')} />}
        isMuted={(row) => !isAvailableIn(row, group)}
        empty={{ title: t('pricing.empty.title'), text: t('pricing.empty.text') }}
        filtersSet={filtersSet}
        onClearFilters={clear}
      />
    </Screen>
  );
}

/** So many groups stand side by side; more go into a list. */
const segmentLimit = 4;

function GroupChoice({ groups, group, onGroup }: { groups: readonly string[]; group: string; onGroup: (group: string) => void }) {
  const { t } = useTranslation();
  const label = t('pricing.filter.group');
  if (groups.length < 2) return null;
  if (groups.length <= segmentLimit)
    return <Segments label={label} value={group} options={groups.map((name) => ({ value: name, label: name }))} onChange={onGroup} />;
  return (
    <FilterSelect
      label={label}
      value={group}
      options={groups.map((name) => ({ value: name, label: name }))}
      onChange={(name) => onGroup(name === '' ? (groups[0] ?? name) : name)}
    />
  );
}
