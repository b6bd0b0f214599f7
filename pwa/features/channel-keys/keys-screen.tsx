import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ChannelKey, type ChannelKeySheet, type KeyPlace, keyStates } from '#shared/channel-keys.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
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
  const name = useQuery(keyChannelQuery(channel)).data?.name ?? `#${channel}`;
  const keys = query.data?.keys;
  const isPhone = useIsPhone();
  const columns = useKeyColumns(query.data);
  const { row: opened, ...ways } = useOpenRecord(screen, { rows: keys, rowKey: ({ id }) => id });
  const [dialog, setDialog] = useState<'add' | { places: readonly KeyPlace[] } | null>(null);
  const closeDialog = (): void => setDialog(null);
  const selection = useSelection<number>();
  const ticked = keys?.filter(({ id }) => selection.keys.has(id)) ?? [];
  function handleRemoved(): void {
    if (ticked.some(({ id }) => String(id) === search.open)) onSearch({ open: undefined });
    selection.clear();
  }
  return (
    <Screen
      title={isPhone ? t('channel-keys.title', { name }) : name}
      parent={isPhone ? undefined : <Link to="/channel">{t('channel-keys.channels')}</Link>}
      back="/channel"
      filters={<StateCounts keys={keys ?? []} />}
      actions={<Actions isMain={opened === undefined} onAdd={() => setDialog('add')} onReplace={() => setDialog({ places: [] })} />}
      panelFollows
      panel={
        opened !== undefined && (
          <KeyPanel
            key={opened.id}
            channel={channel}
            of={opened}
            isSole={keys?.length === 1}
            onReplaceEverywhere={(places) => setDialog({ places })}
            onClose={() => onSearch({ open: undefined })}
            {...ways}
          />
        )
      }
    >
      <DataList
        query={query}
        rows={keys}
        isTwoLine
        label={t('channel-keys.title', { name })}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ ending }) => endingText(ending)}
        open={search.open}
        onOpen={screen.onOpen}
        selection={(keys?.length ?? 0) > 1 ? selection : undefined}
        bulkActions={<KeyBulkActions channel={channel} ticked={ticked} total={keys?.length ?? 0} onRemoved={handleRemoved} />}
        isMuted={({ state }) => state === 'disabled'}
        empty={{ title: t('channel-keys.empty.title'), text: t('channel-keys.empty.text') }}
      />
      <NextChannel next={query.data?.next} />
      {dialog === 'add' && <AddKeysDialog channel={channel} name={name} onClose={closeDialog} />}
      {dialog !== null && dialog !== 'add' && <ReplaceKeyDialog places={dialog.places} onClose={closeDialog} />}
    </Screen>
  );
}

/** The channel that takes the calls while every key cools down. */
function NextChannel({ next }: { next: ChannelKeySheet['next'] | undefined }) {
  const { t } = useTranslation();
  if (next === undefined || next === null) return null;
  const { name, id } = next;
  return <p className={`${styles.second} ${typography.small} ${typography.ellipsis}`}>{t('channel-keys.next', { name, id })}</p>;
}

function Actions({ isMain, onAdd, onReplace }: { isMain: boolean; onAdd: () => void; onReplace: () => void }) {
  const { t } = useTranslation();
  return (
    <>
      <OnlineButton onClick={onReplace} label={t('channel-keys.action.replace_everywhere')} />
      <OnlineButton
        variant={isMain ? 'filled' : 'default'}
        icon={<Icon name="plus" />}
        onClick={onAdd}
        label={t('channel-keys.action.add')}
      />
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
