import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ChannelKey, type ChannelKeySheet, type KeyPlace, keyStates } from '#shared/channel-keys.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { isFree } from '#pwa/records/managed-record.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { ManagedNote } from '#pwa/ui/controls/managed-by.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { PanelSpace } from '#pwa/ui/frame/side-panel.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { useSelection } from '#pwa/ui/list/selection.ts';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './channel-keys.module.css';
import { KeyBulkActions } from './key-bulk-actions.tsx';
import { useKeyColumns } from './key-columns.tsx';
import { endingText, keyMarks } from './key-mark.tsx';
import type { KeysSearch } from './keys-search.ts';
import { keyChannelQuery, keysQuery } from './queries.ts';

// What a list does not need is loaded when it is opened.
const KeyPanel = lazyPart(
  () => import('./key-panel.tsx'),
  (part) => part.KeyPanel,
  <PanelSpace />,
);
const AddKeysDialog = lazyPart(
  () => import('./add-keys-dialog.tsx'),
  (part) => part.AddKeysDialog,
);
const ReplaceKeyDialog = lazyPart(
  () => import('./replace-key-dialog.tsx'),
  (part) => part.ReplaceKeyDialog,
);

interface KeysScreenProps {
  channel: number;
  search: KeysSearch;
  onSearch: (change: Partial<KeysSearch>) => void;
}

/** The keys of a channel with their states. */
export function KeysScreen({ channel, search, onSearch }: KeysScreenProps) {
  const { t } = useTranslation();
  const screen = useListScreen({ search, onSearch });
  const query = useQuery(keysQuery(channel));
  const { name, file } = useKeysChannel(channel);
  const keys = query.data?.keys;
  const isPhone = useIsPhone();
  const { row: opened, ...ways } = useOpenRecord(screen, { rows: keys, rowKey: ({ id }) => id });
  const [dialog, setDialog] = useState<KeyDialogProps['of'] | null>(null);
  return (
    <Screen
      title={isPhone ? t('channel-keys.title', { name }) : name}
      parent={isPhone ? undefined : <Link to="/channel">{t('channel-keys.channels')}</Link>}
      back="/channel"
      filters={<StateCounts keys={keys ?? []} />}
      actions={
        <Actions
          isMain={opened === undefined}
          hasFile={file !== undefined}
          onAdd={() => setDialog('add')}
          onReplace={() => setDialog({ places: [] })}
        />
      }
      panelFollows
      panel={
        opened !== undefined && (
          <KeyPanel
            key={opened.id}
            channel={channel}
            of={opened}
            isSole={keys?.length === 1}
            managedBy={file}
            onReplaceEverywhere={(places) => setDialog({ places })}
            onClose={() => onSearch({ open: undefined })}
            {...ways}
          />
        )
      }
    >
      <ManagedNote file={file} />
      <KeyList {...{ channel, name, file, query, search, onSearch }} onOpen={screen.onOpen} />
      <NextChannel next={query.data?.next} />
      {dialog !== null && <KeyDialog of={dialog} channel={channel} name={name} onClose={() => setDialog(null)} />}
    </Screen>
  );
}

interface KeyListProps extends KeysScreenProps {
  name: string;
  file: string | undefined;
  query: UseQueryResult<ChannelKeySheet>;
  onOpen: (id: string | undefined) => void;
}

function KeyList({ channel, name, file, query, search, onSearch, onOpen }: KeyListProps) {
  const { t } = useTranslation();
  const keys = query.data?.keys;
  const columns = useKeyColumns(query.data);
  const selection = useSelection<number>();
  const ticked = keys?.filter(({ id }) => selection.keys.has(id)) ?? [];
  function handleRemoved(): void {
    if (ticked.some(({ id }) => String(id) === search.open)) onSearch({ open: undefined });
    selection.clear();
  }
  return (
    <DataList
      query={query}
      rows={keys}
      isTwoLine
      label={t('channel-keys.title', { name })}
      columns={columns}
      rowKey={({ id }) => id}
      rowName={({ ending }) => endingText(ending)}
      open={search.open}
      onOpen={onOpen}
      selection={(keys?.length ?? 0) > 1 ? selection : undefined}
      bulkActions={
        <KeyBulkActions channel={channel} ticked={ticked} total={keys?.length ?? 0} managedBy={file} onRemoved={handleRemoved} />
      }
      isMuted={({ state }) => state === 'disabled'}
      empty={{ title: t('channel-keys.empty.title'), text: t('channel-keys.empty.text') }}
    />
  );
}

interface KeyDialogProps {
  of: 'add' | { places: readonly KeyPlace[] };
  channel: number;
  name: string;
  onClose: () => void;
}

function KeyDialog({ of, ...props }: KeyDialogProps) {
  return of === 'add' ? <AddKeysDialog {...props} /> : <ReplaceKeyDialog places={of.places} onClose={props.onClose} />;
}

/** The name of the channel, and the file that decides its keys, if one does. */
function useKeysChannel(id: number): { name: string; file: string | undefined } {
  const record = useQuery(keyChannelQuery(id)).data;
  const file = record === undefined || isFree(record, 'key') ? undefined : record.managed_by;
  return { name: record?.name ?? `#${id}`, file };
}

/** The channel that takes the calls while every key cools down. */
function NextChannel({ next }: { next: ChannelKeySheet['next'] | undefined }) {
  const { t } = useTranslation();
  if (next === undefined || next === null) return null;
  const { name, id } = next;
  return <p className={`${styles.next} ${typography.small} ${typography.ellipsis}`}>{t('channel-keys.next', { name, id })}</p>;
}

function Actions({ isMain, hasFile, onAdd, onReplace }: { isMain: boolean; hasFile: boolean; onAdd: () => void; onReplace: () => void }) {
  const { t } = useTranslation();
  return (
    <>
      <OnlineButton onClick={onReplace} label={t('channel-keys.action.replace_everywhere')} />
      {!hasFile && (
        <OnlineButton
          variant={isMain ? 'filled' : 'default'}
          icon={<Icon name="plus" />}
          onClick={onAdd}
          label={t('channel-keys.action.add')}
        />
      )}
    </>
  );
}

function StateCounts({ keys }: { keys: readonly ChannelKey[] }) {
  const { t } = useTranslation();
  return (
    <span className={styles.counts}>
      {keyStates.map((state) => {
        const count = keys.filter((key) => key.state === state).length;
        return (
          count > 0 && (
            <StatusMark key={state} status={keyMarks[state]}>
              {`${count} ${t(`channel-keys.state.${state}`)}`}
            </StatusMark>
          )
        );
      })}
    </span>
  );
}
