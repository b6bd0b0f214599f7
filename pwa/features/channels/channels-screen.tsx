import { ActionIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Channel, ChannelStatus } from '#shared/channels.ts';
import { groupsQuery } from '#pwa/api/groups.ts';
import { OnlineButton, useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { ColumnPicker, useColumns } from '#pwa/ui/list/columns.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { Disclosure, DisclosureItem } from '#pwa/ui/controls/disclosure.tsx';
import { FilterBar, FilterSelect, FilterText } from '#pwa/ui/list/filter-bar.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { useListScreen } from '#pwa/ui/list/use-list-screen.ts';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { useSelection } from '#pwa/ui/list/selection.ts';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import { BulkActions } from './bulk-actions.tsx';
import { useChannelColumns } from './channel-columns.tsx';
import { useChannelFigures } from './channel-figures.ts';
import { statusName, type StatusName } from './channel-summary.ts';
import { type ChannelsSearch, isSortedById, rememberSort } from './channels-search.ts';
import { channelPageQuery, channelSearchQuery, searchLimit } from './queries.ts';
import type { RowCommand } from './channel-menu.tsx';
import { useChannelActions } from './use-channel-actions.ts';
import { useChannelTests } from './use-channel-tests.ts';

// What a list does not need is loaded when it is opened.
const ChannelEditor = lazyPart(
  () => import('./channel-editor.tsx'),
  (part) => part.ChannelEditor,
);
const TestDialog = lazyPart(
  () => import('./test-dialog.tsx'),
  (part) => part.TestDialog,
);

interface ChannelsScreenProps {
  search: ChannelsSearch;
  onSearch: (change: Partial<ChannelsSearch>) => void;
  /** The channel in the editor; `add` for a new one. */
  open: string | undefined;
  onOpen: (open: string | undefined) => void;
}

type Question =
  | { kind: 'delete'; channel: Channel }
  | { kind: 'copy'; channel: Channel }
  | { kind: 'delete_many'; ids: number[] }
  | { kind: 'delete_disabled' };

export function ChannelsScreen({ search, onSearch, open, onOpen }: ChannelsScreenProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  const actions = useChannelActions();
  const tests = useChannelTests();
  const selection = useSelection<number>();
  const groups = useQuery(groupsQuery);
  const [question, setQuestion] = useState<Question>();
  const [tested, setTested] = useState<Channel>();
  const screen = useListScreen({ search, onSearch, open, onOpen });
  const list = useChannelList(search, screen);
  const figures = useChannelFigures(list.query.dataUpdatedAt);
  const columns = useColumns(
    useChannelColumns({ channels: list.rows, actions, tests, figures, onCommand: handleCommand }),
    'channels-table-columns',
  );

  function handleCommand(command: RowCommand, channel: Channel): void {
    if (command === 'test_model') setTested(channel);
    else if (command === 'edit') onOpen(String(channel.id));
    else if (command === 'toggle') void actions.setStatus(channel, channel.status !== ChannelStatus.enabled).catch(shown);
    else setQuestion({ kind: command, channel });
  }
  const handleFilter = (change: Partial<ChannelsSearch>): void => onSearch({ ...change, p: undefined });
  const handleSort = (by: string): void => {
    rememberSort(by === 'id');
    handleFilter({ sort: by === 'id' ? 'id' : 'priority' });
  };
  const clearFilters = (): void => handleFilter({ keyword: undefined, group: undefined, model: undefined, status: undefined });
  // Then the list itself says what to do first.
  const isEmpty = list.rows?.length === 0 && list.filtersSet === 0;
  const { row: opened, ...ways } = screen.walk({ rows: list.rows, rowKey: (row) => row.id });

  return (
    <Screen
      title={t('channels.title')}
      actions={
        <>
          {/* One button is filled: the one in the empty list, or that of the open form, when there is one. */}
          <AddButton variant={isEmpty || open !== undefined ? 'default' : 'filled'} onAdd={() => onOpen('add')} />
          <Disclosure
            button={(attributes) => (
              <ActionIcon variant="default" aria-label={t('channels.action.more_all')} {...attributes}>
                <Icon name="more" />
              </ActionIcon>
            )}
          >
            {(close) => (
              <DisclosureItem
                icon={<Icon name="trash" />}
                onClick={() => {
                  close();
                  if (isOnline) setQuestion({ kind: 'delete_disabled' });
                }}
              >
                {needs(t('channels.action.delete_disabled'))}
              </DisclosureItem>
            )}
          </Disclosure>
        </>
      }
      filters={
        <FilterBar
          count={list.filtersSet}
          onClear={clearFilters}
          search={{
            label: t('channels.filter.keyword'),
            value: search.keyword ?? '',
            onChange: (keyword) => handleFilter({ keyword: keyword || undefined }),
          }}
          presets={
            <Segments<StatusName | 'all'>
              label={t('channels.column.status')}
              value={search.status ?? 'all'}
              options={(['all', 'on', 'off', 'auto'] as const).map((value) => ({ value, label: t(`channels.filter.${value}`) }))}
              onChange={(status) => handleFilter({ status: status === 'all' ? undefined : status })}
            />
          }
          tools={isPhone ? null : <ColumnPicker chosen={columns} />}
        >
          <FilterSelect
            label={t('channels.column.group')}
            value={search.group ?? ''}
            options={(groups.data ?? []).map((group) => ({ value: group, label: group }))}
            onChange={(group) => handleFilter({ group: group || undefined })}
          />
          <FilterText
            label={t('channels.filter.model')}
            value={search.model ?? ''}
            onChange={(model) => handleFilter({ model: model || undefined })}
          />
          {isPhone && (
            <Segments
              label={t('channels.filter.sort')}
              value={list.byId ? 'id' : 'priority'}
              options={[
                { value: 'priority', label: t('channels.filter.by_priority') },
                { value: 'id', label: t('channels.filter.by_id') },
              ]}
              onChange={handleSort}
            />
          )}
        </FilterBar>
      }
      panel={
        open === undefined ? undefined : (
          <ChannelEditor
            key={open}
            id={open === 'add' ? undefined : Number(open)}
            row={opened}
            actions={actions}
            tests={tests}
            figures={figures}
            onCommand={handleCommand}
            onClose={() => onOpen(undefined)}
            onCreated={(ids) => onOpen(ids.length === 1 && search.next === undefined ? String(ids[0]) : undefined)}
            {...ways}
          />
        )
      }
    >
      <DataList
        label={t('channels.title')}
        query={list.query}
        rows={list.rows}
        columns={columns.shown}
        room={columns.room}
        rowKey={(row) => row.id}
        rowName={(row) => row.name}
        open={open}
        onOpen={onOpen}
        selection={selection}
        bulkActions={
          <BulkActions
            ids={[...selection.keys]}
            actions={actions}
            tests={tests}
            onDelete={() => setQuestion({ kind: 'delete_many', ids: [...selection.keys] })}
          />
        }
        sort={{ by: list.byId ? 'id' : 'priority', isDescending: true, onSort: handleSort }}
        isTwoLine
        isMuted={(row) => row.status !== ChannelStatus.enabled}
        empty={{
          title: t('channels.empty.title'),
          text: t('channels.empty.text'),
          action: <AddButton variant={open === undefined ? 'filled' : 'default'} onAdd={() => onOpen('add')} />,
        }}
        filtersSet={list.filtersSet}
        onClearFilters={clearFilters}
        {...(list.total === 0 ? {} : { pager: screen.pager(list.total, list.isCut) })}
      />
      {question !== undefined && <QuestionDialog question={question} onClose={() => setQuestion(undefined)} onYes={handleYes} />}
      {tested !== undefined && <TestDialog channel={tested} tests={tests} onClose={() => setTested(undefined)} />}
    </Screen>
  );

  async function handleYes(asked: Question): Promise<void> {
    if (asked.kind === 'copy') {
      const id = await actions.copy(asked.channel.id, (name) => t('channels.copy.name', { name }));
      toastSuccess(t('channels.copy.done'));
      if (id !== undefined) onOpen(String(id));
      return;
    }
    if (asked.kind === 'delete_disabled') {
      toastSuccess(t('channels.delete.done', { count: await actions.removeDisabled() }));
      return;
    }
    const ids = asked.kind === 'delete' ? [asked.channel.id] : asked.ids;
    if (ids.some((id) => String(id) === open)) onOpen(undefined);
    const count = await actions.remove(ids);
    selection.clear();
    if (asked.kind === 'delete_many') toastSuccess(t('channels.delete.done', { count }));
  }
}

function AddButton({ variant, onAdd }: { variant: 'default' | 'filled'; onAdd: () => void }) {
  const { t } = useTranslation();
  const label = t('channels.action.add');
  return <OnlineButton variant={variant} icon={<Icon name="plus" />} onClick={onAdd} label={label} />;
}

function QuestionDialog({
  question,
  onClose,
  onYes,
}: {
  question: Question;
  onClose: () => void;
  onYes: (question: Question) => Promise<void>;
}) {
  const { t } = useTranslation();
  const texts = ((): { title: string; text: ReactNode; confirmLabel: string } => {
    switch (question.kind) {
      case 'copy':
        return {
          title: t('channels.copy.title', { name: question.channel.name }),
          text: t('channels.copy.text'),
          confirmLabel: t('channels.action.copy'),
        };
      case 'delete':
        return {
          title: t('channels.delete.title', { name: question.channel.name }),
          text: t('channels.delete.text'),
          confirmLabel: t('channels.action.delete'),
        };
      case 'delete_many':
        return {
          title: t('channels.delete.title_many', { count: question.ids.length }),
          text: t('channels.delete.text'),
          confirmLabel: t('channels.delete.confirm_many', { count: question.ids.length }),
        };
      case 'delete_disabled':
        return {
          title: t('channels.delete.title_disabled'),
          text: t('channels.delete.text_disabled'),
          confirmLabel: t('channels.action.delete_disabled'),
        };
    }
  })();
  return (
    <ConfirmDialog
      opened
      {...texts}
      isDanger={question.kind !== 'copy'}
      // A failure has been toasted.
      onConfirm={() => onYes(question).catch(shown).finally(onClose)}
      onCancel={onClose}
    />
  );
}

/** The rows of the page that the address asks for. A status is not something the server searches by. */
function useChannelList(search: ChannelsSearch, { page, size }: { page: number; size: number }) {
  const byId = isSortedById(search);
  const filter = { keyword: search.keyword ?? '', group: search.group ?? '', model: search.model ?? '' };
  const filtersSet = [...Object.values(filter), search.status ?? ''].filter((value) => value !== '').length;
  const isSearch = filtersSet > 0;
  const paged = useQuery({ ...channelPageQuery({ p: page, size, byId }), enabled: !isSearch });
  const found = useQuery({ ...channelSearchQuery({ ...filter, byId }), enabled: isSearch });
  const query = isSearch ? found : paged;
  const channels = query.data?.channels;
  const { status } = search;
  const matching = useMemo(
    () => (status === undefined ? channels : channels?.filter((channel) => statusName(channel.status) === status)),
    [channels, status],
  );
  const rows = useMemo(
    () => (isSearch ? matching?.slice((page - 1) * size, page * size) : channels),
    [isSearch, matching, channels, page, size],
  );
  return {
    query,
    rows,
    total: isSearch ? (matching?.length ?? 0) : (query.data?.total ?? 0),
    isCut: isSearch && (channels?.length ?? 0) >= searchLimit,
    filtersSet,
    byId,
  };
}

function shown(): void {
  // The mutation has told it already.
}
