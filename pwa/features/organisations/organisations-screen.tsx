import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Organisation } from '#shared/organisations.ts';
import { Role } from '#shared/roles.ts';
import { UserStatus } from '#shared/user.ts';
import { organisationsQuery } from '#pwa/api/organisations.ts';
import { useActing } from '#pwa/api/acting.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { QuotaCell } from '#pwa/ui/billing/amounts.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import type { Format } from '#pwa/ui/billing/format.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { PanelSpace } from '#pwa/ui/frame/side-panel.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { FilterBar } from '#pwa/ui/list/filter-bar.tsx';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './organisations.module.css';
import type { OrganisationsSearch } from './organisations-search.ts';
import { allOrganisationsQuery } from './queries.ts';

const FoundPanel = lazyPart(
  () => import('./found-panel.tsx'),
  (part) => part.FoundPanel,
  <PanelSpace />,
);
const ManagePanel = lazyPart(
  () => import('./manage-panel.tsx'),
  (part) => part.ManagePanel,
  <PanelSpace />,
);

interface OrganisationsScreenProps {
  search: OrganisationsSearch;
  onSearch: (change: Partial<OrganisationsSearch>) => void;
}

const newOrganisation = 'new';

/** Organisations of the user; for administrators of the site, of everybody. */
export function OrganisationsScreen(props: OrganisationsScreenProps) {
  const isAdmin = (useStoredUser()?.role ?? 0) >= Role.admin;
  return isAdmin && props.search.show !== 'mine' ? <AllOrganisations {...props} /> : <OwnOrganisations {...props} isAdmin={isAdmin} />;
}

function OwnOrganisations({ search, onSearch, isAdmin }: OrganisationsScreenProps & { isAdmin: boolean }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const query = useQuery(organisationsQuery);
  const columns = useOrganisationColumns('mine');
  const isNew = search.open === newOrganisation;
  return (
    <Screen
      title={t('organisations.list.title')}
      filters={
        isAdmin ? (
          <span className={`${layout.row} ${styles.filters}`}>
            <WhoseFilter show="mine" onSearch={onSearch} />
          </span>
        ) : undefined
      }
      actions={<FoundButton isMain={!isNew && query.data?.length !== 0} onFound={() => onSearch({ open: newOrganisation })} />}
      panel={isNew && <FoundPanel onClose={() => onSearch({ open: undefined })} />}
    >
      <DataList
        query={query}
        rows={query.data}
        isTwoLine
        label={t('organisations.list.title')}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        onOpen={(id) => id !== undefined && void navigate({ to: '/organisation/$id', params: { id } })}
        isMuted={({ status }) => status !== UserStatus.active}
        empty={{
          title: t('organisations.list.none'),
          text: t('organisations.list.none_text'),
          action: <FoundButton isMain={!isNew} onFound={() => onSearch({ open: newOrganisation })} />,
        }}
      />
    </Screen>
  );
}

function AllOrganisations({ search, onSearch }: OrganisationsScreenProps) {
  const { t } = useTranslation();
  const screen = useListScreen({ search, onSearch });
  const query = useQuery(allOrganisationsQuery(screen.page, screen.size, search.keyword ?? ''));
  const columns = useOrganisationColumns('all');
  const rows = query.data?.items;
  const { row: opened, ...ways } = useOpenRecord(screen, { rows, rowKey: ({ id }) => id });
  const isNew = search.open === newOrganisation;
  const handleClose = (): void => onSearch({ open: undefined });
  return (
    <Screen
      title={t('organisations.list.title')}
      filters={
        <FilterBar
          count={search.keyword === undefined ? 0 : 1}
          onClear={() => onSearch({ keyword: undefined, p: undefined })}
          presets={<WhoseFilter show="all" onSearch={onSearch} />}
          search={{
            label: t('organisations.list.keyword'),
            value: search.keyword ?? '',
            onChange: (text) => onSearch({ keyword: text === '' ? undefined : text, p: undefined }),
          }}
        />
      }
      actions={<FoundButton isMain={search.open === undefined} onFound={() => onSearch({ open: newOrganisation })} />}
      panelFollows
      panel={
        isNew ? (
          <FoundPanel onClose={handleClose} />
        ) : (
          opened !== undefined && <ManagePanel key={opened.id} organisation={opened} {...ways} onClose={handleClose} />
        )
      }
    >
      <DataList
        query={query}
        rows={rows}
        isTwoLine
        label={t('organisations.list.title')}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        open={search.open}
        onOpen={screen.onOpen}
        isMuted={({ status }) => status !== UserStatus.active}
        empty={{ title: t('organisations.list.none_all'), text: t('organisations.list.none_text') }}
        filtersSet={search.keyword === undefined ? 0 : 1}
        onClearFilters={() => onSearch({ keyword: undefined, p: undefined })}
        {...(query.data === undefined || query.data.total === 0
          ? {}
          : { pager: screen.pager(query.data.total, query.data.total_is_lower_bound, query.data.items.length) })}
      />
    </Screen>
  );
}

function WhoseFilter({ show, onSearch }: Pick<OrganisationsScreenProps, 'onSearch'> & { show: 'mine' | 'all' }) {
  const { t } = useTranslation();
  return (
    <Segments
      label={t('organisations.list.show')}
      value={show}
      options={(['all', 'mine'] as const).map((value) => ({ value, label: t(`organisations.list.${value}`) }))}
      onChange={(value) => onSearch({ show: value === 'all' ? undefined : value, open: undefined, p: undefined })}
    />
  );
}

function FoundButton({ isMain, onFound }: { isMain: boolean; onFound: () => void }) {
  const { t } = useTranslation();
  // Organisations are founded in the own name.
  if (useActing() !== null) return null;
  return (
    <OnlineButton
      variant={isMain ? 'filled' : 'default'}
      icon={<Icon name="plus" />}
      onClick={onFound}
      label={t('organisations.found.action')}
    />
  );
}

function useOrganisationColumns(whose: 'mine' | 'all'): Column<Organisation>[] {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(() => organisationColumns(t, format, whose), [t, format, whose]);
}

function organisationColumns(t: TFunction, format: Format, whose: 'mine' | 'all'): Column<Organisation>[] {
  const withUnit = (heading: string): string => (format.unit === '' ? heading : `${heading} ${format.unit}`);
  const isAll = whose === 'all';
  return [
    {
      key: 'name',
      heading: t('organisations.column.name'),
      cell: ({ name, id }) => (
        <>
          <bdi>{name}</bdi> {isAll && <small className={typography.muted}>#{id}</small>}
        </>
      ),
      least: 160,
      card: 'title',
      isLocked: true,
    },
    ...(isAll ? [] : [roleColumn(t)]),
    {
      key: 'status',
      heading: t('organisations.column.status'),
      cell: ({ status, is_ownerless: isOwnerless = false }) => (
        <StatusMark status={status !== UserStatus.active ? 'off' : isOwnerless ? 'look' : 'on'}>
          {t(`organisations.status.${status !== UserStatus.active ? 'disabled' : isOwnerless ? 'ownerless' : 'active'}`)}
        </StatusMark>
      ),
      width: 112,
      leave: 3,
      card: 'context',
    },
    { key: 'members', heading: t('organisations.column.members'), cell: ({ members }) => format.count(members), width: 88, align: 'end' },
    {
      key: 'tokens',
      heading: t('organisations.column.tokens'),
      cell: ({ tokens }) => format.count(tokens),
      width: 88,
      align: 'end',
      leave: 4,
    },
    ...(isAll ? siteColumns(t) : []),
    ...amountColumns(t, withUnit),
  ];
}

function roleColumn(t: TFunction): Column<Organisation> {
  return {
    key: 'role',
    heading: t('organisations.column.your_role'),
    cell: ({ role }) => (role === undefined ? '' : t(`acting.role.${role}`)),
    width: 128,
    card: 'context',
  };
}

/** What administrators of the site look at. */
function siteColumns(t: TFunction): Column<Organisation>[] {
  return [
    { key: 'group', heading: t('organisations.column.group'), cell: ({ group }) => group, width: 112, leave: 5 },
    { key: 'domains', heading: t('organisations.column.domains'), cell: ({ domains }) => domains.join(', '), width: 180, leave: 6 },
  ];
}

/** Absent for who does not read usage. */
function amountColumns(t: TFunction, withUnit: (heading: string) => string): Column<Organisation>[] {
  return [
    {
      key: 'used',
      heading: withUnit(t('organisations.column.used')),
      cell: ({ used_quota: used }) => (used === undefined ? '' : <QuotaCell quota={used} />),
      width: 112,
      align: 'end',
      leave: 2,
    },
    {
      key: 'quota',
      heading: withUnit(t('organisations.column.balance')),
      cell: ({ quota }) => (quota === undefined ? '' : <QuotaCell quota={quota} />),
      width: 120,
      align: 'end',
      card: 'amount',
    },
  ];
}
