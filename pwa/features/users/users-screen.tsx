import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import { type ManageAction, type User, UserStatus } from '#shared/users.ts';
import { groupsQuery } from '#pwa/api/groups.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { ColumnPicker, useColumns } from '#pwa/ui/list/columns.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { FilterBar, FilterSelect } from '#pwa/ui/list/filter-bar.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { useListScreen } from '#pwa/ui/list/use-list-screen.ts';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { usersQuery } from './queries.ts';
import { useManageUser } from './use-manage-user.ts';
import { useUserColumns } from './user-columns.tsx';
import type { UserCommand } from './user-menu.tsx';
import type { UsersSearch } from './users-search.ts';

// What a list does not need is loaded when it is opened.
const NewUserPanel = lazyPart(
  () => import('./new-user-panel.tsx'),
  (part) => part.NewUserPanel,
);
const UserPanel = lazyPart(
  () => import('./user-panel.tsx'),
  (part) => part.UserPanel,
);

interface UsersScreenProps {
  search: UsersSearch;
  onSearch: (change: Partial<UsersSearch>) => void;
  /** The user in the panel; `add` for a new one. */
  open: string | undefined;
  onOpen: (open: string | undefined) => void;
}

const nobody = { role: Role.guest, id: 0 };

export function UsersScreen({ search, onSearch, open, onOpen }: UsersScreenProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  const actor = useStoredUser() ?? nobody;
  const groups = useQuery(groupsQuery);
  const users = useManageUser();
  const [asked, setAsked] = useState<{ action: ManageAction; user: User }>();
  const columns = useColumns(useUserColumns({ actor, onCommand: handleCommand }), 'users-table-columns');
  const screen = useListScreen({ search, onSearch, open, onOpen });
  const { page, size } = screen;
  const filter = { keyword: search.keyword ?? '', group: search.group ?? '' };
  const query = useQuery(usersQuery({ p: page, size, ...filter }));
  const rows = query.data?.items;
  const filtersSet = Object.values(filter).filter((value) => value !== '').length;
  const clearFilters = (): void => onSearch({ keyword: undefined, group: undefined, p: undefined });

  function handleCommand(command: UserCommand, user: User): void {
    if (command === 'edit') onOpen(String(user.id));
    // Harmless and undone in one step; the others are asked about.
    else if (command === 'enable') void users.manage(user.id, command).catch(shown);
    else setAsked({ action: command, user });
  }
  async function handleYes({ action, user }: { action: ManageAction; user: User }): Promise<void> {
    if (action === 'delete' && open === String(user.id)) onOpen(undefined);
    await users.manage(user.id, action).catch(shown);
    setAsked(undefined);
  }
  const { row: opened, ...ways } = screen.walk({ rows, rowKey: (row) => row.id });

  return (
    <Screen
      title={t('users.title')}
      actions={
        // The open form has the one button that is filled.
        <OnlineButton
          variant={open === undefined ? 'filled' : 'default'}
          icon={<Icon name="plus" />}
          onClick={() => onOpen('add')}
          label={t('users.action.add')}
        />
      }
      filters={
        <FilterBar
          count={filtersSet}
          onClear={clearFilters}
          search={{
            label: t('users.filter.keyword'),
            value: filter.keyword,
            onChange: (keyword) => onSearch({ keyword: keyword || undefined, p: undefined }),
          }}
          tools={isPhone ? null : <ColumnPicker chosen={columns} />}
        >
          <FilterSelect
            label={t('users.column.group')}
            value={filter.group}
            options={(groups.data ?? []).map((group) => ({ value: group, label: group }))}
            onChange={(group) => onSearch({ group: group || undefined, p: undefined })}
          />
        </FilterBar>
      }
      panel={
        open === undefined ? undefined : open === 'add' ? (
          <NewUserPanel onClose={() => onOpen(undefined)} onCreated={() => onOpen(undefined)} />
        ) : (
          <UserPanel
            key={open}
            id={Number(open)}
            row={opened}
            actor={actor}
            busyId={users.busyId}
            onCommand={handleCommand}
            onClose={() => onOpen(undefined)}
            {...ways}
          />
        )
      }
    >
      <DataList
        label={t('users.title')}
        query={query}
        rows={rows}
        columns={columns.shown}
        room={columns.room}
        rowKey={(row) => row.id}
        rowName={(row) => row.username}
        open={open}
        onOpen={onOpen}
        isTwoLine
        isMuted={(row) => row.DeletedAt !== null || row.status !== UserStatus.active}
        empty={{ title: t('users.empty.title'), text: t('users.empty.text') }}
        filtersSet={filtersSet}
        onClearFilters={clearFilters}
        {...(rows?.length === 0 && page === 1 ? {} : { pager: screen.pager(query.data?.total ?? 0, query.data?.total_is_lower_bound) })}
      />
      {asked !== undefined && (
        <ConfirmDialog
          opened
          title={t(`users.confirm.${asked.action}_title`, { name: asked.user.username })}
          text={t(`users.confirm.${asked.action}_text`, { balance: format.quota(asked.user.quota) })}
          confirmLabel={t(`users.action.${asked.action}`)}
          isDanger={asked.action === 'delete'}
          onConfirm={() => handleYes(asked)}
          onCancel={() => setAsked(undefined)}
        />
      )}
    </Screen>
  );
}

function shown(): void {
  // The mutation has told it already.
}
