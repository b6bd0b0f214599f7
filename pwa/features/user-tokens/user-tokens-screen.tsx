import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UserTokenPage } from '#shared/user-tokens.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { PanelSpace } from '#pwa/ui/frame/side-panel.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { FilterBar, FilterText } from '#pwa/ui/list/filter-bar.tsx';
import { useCursorPager } from '#pwa/ui/list/use-cursor-pager.ts';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { userTokensQuery } from './queries.ts';
import { useUserTokenColumns } from './user-token-columns.tsx';
import { noFilters, type UserTokensSearch } from './user-tokens-search.ts';

// What a list does not need is loaded when it is opened.
const UserTokenPanel = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./user-token-panel.tsx'), loadTexts('limits')]);
    return part;
  },
  (part) => part.UserTokenPanel,
  <PanelSpace />,
);
const FindKeyDialog = lazyPart(
  () => import('./find-key-dialog.tsx'),
  (part) => part.FindKeyDialog,
);

interface UserTokensScreenProps {
  search: UserTokensSearch;
  onSearch: (change: Partial<UserTokensSearch>) => void;
}

/** Tokens of users, for administrators: who has a key, and what may be done about it. */
export function UserTokensScreen({ search, onSearch }: UserTokensScreenProps) {
  const { t } = useTranslation();
  const screen = useListScreen({ search, onSearch });
  const query = useQuery(userTokensQuery(search, screen.size));
  const page = query.data;
  const columns = useUserTokenColumns();
  const { row: opened, ...ways } = useOpenRecord(screen, { rows: page?.items, rowKey: ({ id }) => id });
  const [isFinding, setFinding] = useState(false);
  const narrow = (change: Partial<UserTokensSearch>): void => onSearch({ ...change, p: undefined, after: undefined, open: undefined });
  const pager = useTokenPager({ search, onSearch }, screen.size, page);
  const filtersSet = [search.user, search.keyword].filter((filter) => filter !== undefined).length;
  return (
    <Screen
      title={t('user-tokens.title')}
      back="/user"
      actions={
        <OnlineButton
          variant={search.open === undefined ? 'filled' : 'default'}
          icon={<Icon name="search" />}
          onClick={() => setFinding(true)}
          label={t('user-tokens.find.action')}
        />
      }
      filters={<Filters search={search} filtersSet={filtersSet} onNarrow={narrow} />}
      panelFollows
      panel={
        Number(search.open) > 0 && (
          <UserTokenPanel key={search.open} id={Number(search.open)} row={opened} onClose={() => onSearch({ open: undefined })} {...ways} />
        )
      }
    >
      <DataList
        query={query}
        rows={page?.items}
        label={t('user-tokens.title')}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        open={search.open}
        onOpen={screen.onOpen}
        isMuted={({ status }) => status !== 1}
        empty={{ title: t('user-tokens.empty.title'), text: t('user-tokens.empty.text') }}
        filtersSet={filtersSet}
        onClearFilters={() => narrow(noFilters)}
        {...(pager === undefined ? {} : { pager })}
      />
      {page !== undefined && <SearchedNote page={page} onContinue={(after) => onSearch({ after, open: undefined })} />}
      {isFinding && (
        <FindKeyDialog
          onOpen={(id) => {
            setFinding(false);
            onSearch({ open: String(id) });
          }}
          onClose={() => setFinding(false)}
        />
      )}
    </Screen>
  );
}

interface FiltersProps {
  search: UserTokensSearch;
  filtersSet: number;
  onNarrow: (change: Partial<UserTokensSearch>) => void;
}

function Filters({ search, filtersSet, onNarrow }: FiltersProps) {
  const { t } = useTranslation();
  return (
    <FilterBar
      count={filtersSet}
      onClear={() => onNarrow(noFilters)}
      search={{
        label: t('user-tokens.filter.name'),
        value: search.keyword ?? '',
        onChange: (keyword) => onNarrow({ keyword: keyword || undefined }),
      }}
    >
      <FilterText
        label={t('user-tokens.filter.user')}
        value={search.user ?? ''}
        onChange={(user) => onNarrow({ user: user || undefined })}
      />
    </FilterBar>
  );
}

/** Says how far a long search has come. */
function SearchedNote({ page: { searched, cursor }, onContinue }: { page: UserTokenPage; onContinue: (cursor: string) => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (searched === undefined || cursor === undefined) return null;
  return (
    <p className={`${layout.wrap} ${typography.muted}`} role="status">
      {t('user-tokens.searched', { tokens: format.count(searched) })}
      <Button onClick={() => onContinue(cursor)}>{t('user-tokens.search_on')}</Button>
    </p>
  );
}

/** Pages by cursor: tokens are not counted. */
function useTokenPager({ search, onSearch }: UserTokensScreenProps, size: number, page: UserTokenPage | undefined) {
  const counted = page === undefined ? undefined : { total: page.items.length, total_is_lower_bound: true, cursor: page.cursor };
  return useCursorPager({ search, size, page: counted, onSearch });
}
