import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Channel, ChannelStatus } from '#shared/channels.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { useColumns } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { PanelSpace } from '#pwa/ui/frame/side-panel.tsx';
import { useSelection } from '#pwa/ui/list/selection.ts';
import { useSelectAll } from '#pwa/api/use-select-all.ts';
import { useChannelColumns } from './channel-columns.tsx';
import type { ChannelAction } from './channel-dialog.tsx';
import { ChannelFilters } from './channel-filters.tsx';
import { AddChannelButton, AllChannelsMenu, ChannelListActions } from './channel-list-actions.tsx';
import type { ChannelsSearch } from './channels-search.ts';
import { RunProgress } from './run-progress.tsx';
import { useTagGroup } from './use-tag-group.tsx';
import { useChannelControls } from './use-channel-controls.ts';
import { useChannelList } from './use-channel-list.ts';

// What a list does not need is loaded when it is opened.
const ChannelEditor = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./channel-editor.tsx'), loadTexts('channel')]);
    return part;
  },
  (part) => part.ChannelEditor,
  <PanelSpace />,
);

const channelId = ({ id }: Channel): number => id;

const ChannelDialog = lazyPart(
  () => import('./channel-dialog.tsx'),
  (part) => part.ChannelDialog,
);
const BulkActions = lazyPart(
  () => import('./bulk-actions.tsx'),
  (part) => part.BulkActions,
);

interface ChannelsScreenProps {
  search: ChannelsSearch;
  onSearch: (change: Partial<ChannelsSearch>) => void;
  /** The channel in the editor; `add` for a new one. */
  open: string | undefined;
  onOpen: (open: string | undefined) => void;
}

export function ChannelsScreen({ search, onSearch, open, onOpen }: ChannelsScreenProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const screen = useListScreen({ search, onSearch, open, onOpen });
  const { listed, byTag, counts, failing, count, isEmpty, onFilter, readPage } = useChannelList({ search, onSearch, screen });
  const [action, setAction] = useState<ChannelAction>();
  const selection = useSelection<number>();
  const allRows = useSelectAll({ total: count, rowKey: channelId, readPage, selection });
  const controls = useChannelControls({
    listAt: listed.query.dataUpdatedAt,
    open,
    onOpen,
    onAsk: setAction,
    onDeleted: selection.clear,
  });
  const columns = useColumns(
    useChannelColumns({ controls, channels: listed.rows, isByTag: byTag.tags !== undefined }),
    'channels-table-columns',
  );
  const { row: opened, ...ways } = useOpenRecord(screen, { rows: listed.rows, rowKey: (row) => row.id });
  const handleAdd = (): void => onOpen('add');
  const grouped = useTagGroup({ ...byTag, selection, controls, onAsk: setAction });

  return (
    <Screen
      title={t('channels.title')}
      actions={
        <>
          {!isPhone && <RunProgress {...controls.runs} />}
          <ChannelListActions>
            {/* One button is filled: the one in the empty list, or that of the open form, when there is one. */}
            <AddChannelButton variant={isEmpty || open !== undefined ? 'default' : 'filled'} onAdd={handleAdd} />
            <AllChannelsMenu runs={controls.runs} onAsk={setAction} />
          </ChannelListActions>
        </>
      }
      filters={<ChannelFilters {...{ search, listed, failing, columns, onFilter }} counts={open === undefined ? counts : undefined} />}
      panelFollows
      panel={
        open === undefined ? undefined : (
          <ChannelEditor
            key={open}
            id={open === 'add' ? undefined : Number(open)}
            row={opened}
            controls={controls}
            onClose={() => onOpen(undefined)}
            onCreated={(ids) => onOpen(ids.length === 1 && search.next === undefined ? String(ids[0]) : undefined)}
            {...ways}
          />
        )
      }
    >
      {isPhone && <RunProgress {...controls.runs} />}
      <DataList
        {...listed}
        {...grouped}
        label={t('channels.title')}
        columns={columns.shown}
        room={columns.room}
        rowKey={(row) => row.id}
        rowName={(row) => row.name}
        open={open}
        onOpen={onOpen}
        selection={selection}
        allRows={allRows}
        bulkActions={<BulkActions {...controls} ids={[...selection.keys]} rows={listed.rows ?? []} onAsk={setAction} />}
        isTwoLine
        isMuted={(row) => row.status !== ChannelStatus.enabled}
        empty={{
          title: t('channels.empty.title'),
          text: t('channels.empty.text'),
          action: <AddChannelButton variant={open === undefined ? 'filled' : 'default'} onAdd={handleAdd} />,
        }}
      />
      {action !== undefined && <ChannelDialog {...controls} asked={action} onOpen={onOpen} onClose={() => setAction(undefined)} />}
    </Screen>
  );
}
