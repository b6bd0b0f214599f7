import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import { mayWriteSetting } from '#shared/settings.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { usePriceLines } from '#pwa/records/prices/use-price-lines.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { PanelSpace } from '#pwa/ui/frame/side-panel.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { useSelection } from '#pwa/ui/list/selection.ts';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import type { PriceUpdatesSearch } from './price-updates-search.ts';
import styles from './price-updates.module.css';
import { priceUpdatesQuery, useRunSync } from './queries.ts';
import { SyncState } from './sync-state.tsx';
import { UpdateActions } from './update-actions.tsx';
import { UpdateMark } from './update-mark.tsx';
import { type UpdateRow, updateRows } from './update-rows.ts';

const UpdatePanel = lazyPart(
  () => import('./update-panel.tsx'),
  (part) => part.UpdatePanel,
  <PanelSpace />,
);

interface PriceUpdatesScreenProps {
  search: PriceUpdatesSearch;
  onSearch: (change: Partial<PriceUpdatesSearch>) => void;
}

/** Price changes of the catalogue that wait for a person, and those that are planned. */
export function PriceUpdatesScreen({ search, onSearch }: PriceUpdatesScreenProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const screen = useListScreen({ search, onSearch });
  const query = useQuery(priceUpdatesQuery);
  const { data } = query;
  const rows = useMemo(() => (data === undefined ? undefined : updateRows(data)), [data]);
  const shown = rows?.slice((screen.page - 1) * screen.size, screen.page * screen.size);
  const columns = useUpdateColumns();
  const selection = useSelection<string>();
  const ticked = rows?.filter(({ key }) => selection.keys.has(key)) ?? [];
  const mayWrite = mayWriteSetting('ModelRatio', useStoredUser()?.role ?? Role.guest);
  const { row: opened, ...ways } = useOpenRecord(screen, { rows: shown, rowKey: ({ key }) => key });
  const hasSource = data !== undefined && data.source !== '';
  return (
    <Screen
      title={t('price-updates.title')}
      parent={
        isPhone ? undefined : (
          <Link to="/setting" search={{ tab: 'prices' }}>
            {t('price-updates.prices')}
          </Link>
        )
      }
      back="/setting"
      actions={<RunButton variant={rows?.length === 0 || opened !== undefined ? 'default' : 'filled'} hasSource={hasSource} />}
      panelFollows
      panel={
        opened !== undefined && (
          <UpdatePanel key={opened.key} row={opened} mayWrite={mayWrite} onClose={() => onSearch({ open: undefined })} {...ways} />
        )
      }
    >
      {data !== undefined && <SyncState overview={data} />}
      <DataList
        query={query}
        rows={shown}
        isTwoLine
        label={t('price-updates.title')}
        columns={columns}
        rowKey={({ key }) => key}
        rowName={({ model }) => model}
        open={search.open}
        onOpen={screen.onOpen}
        {...(mayWrite ? { selection } : {})}
        allRows={undefined}
        bulkActions={<UpdateActions rows={ticked} variant="subtle" onDone={selection.clear} />}
        empty={{
          title: t('price-updates.empty.title'),
          text: t(hasSource ? 'price-updates.empty.text' : 'price-updates.empty.no_source'),
          action: hasSource ? <RunButton variant="filled" hasSource /> : <SourceButton />,
        }}
        {...(rows === undefined || rows.length === 0 ? {} : { pager: screen.pager(rows.length, false, shown?.length) })}
      />
    </Screen>
  );
}

/** Where the catalogue is set. */
function SourceButton() {
  const { t } = useTranslation();
  return (
    <Button renderRoot={(attributes) => <Link {...attributes} to="/setting" search={{ tab: 'price_sync' }} />} variant="filled">
      {t('price-updates.action.set_source')}
    </Button>
  );
}

function RunButton({ variant, hasSource }: { variant: 'filled' | 'default'; hasSource: boolean }) {
  const { t } = useTranslation();
  const run = useRunSync();
  return (
    <OnlineButton
      variant={variant}
      loading={run.isPending}
      disabled={!hasSource}
      onClick={() => run.mutate()}
      label={t('price-updates.action.run')}
    />
  );
}

function useUpdateColumns(): Column<UpdateRow>[] {
  const { t } = useTranslation();
  const format = useFormat();
  const linesOf = usePriceLines();
  return [
    { key: 'model', heading: t('price-updates.column.model'), cell: ({ model }) => model, least: 180, card: 'title', isLocked: true },
    {
      key: 'change',
      heading: t('price-updates.column.change'),
      cell: ({ lines }) => <Summary lines={linesOf(lines)} />,
      least: 260,
      card: 'context',
    },
    { key: 'state', heading: t('price-updates.column.state'), cell: (row) => <UpdateMark row={row} />, width: 230, card: 'amount' },
    { key: 'provider', heading: t('price-updates.column.provider'), cell: ({ provider }) => provider || '—', width: 150, leave: 2 },
    {
      key: 'at',
      heading: t('price-updates.column.found'),
      cell: ({ at, plan }) => (plan === undefined ? format.dateTime(at) : '—'),
      width: 170,
      leave: 1,
    },
  ];
}

/** The first two prices; the panel has all. */
const listed = 2;

function Summary({ lines }: { lines: ReturnType<ReturnType<typeof usePriceLines>> }) {
  const { t } = useTranslation();
  return (
    <span className={styles.summary}>
      {lines.slice(0, listed).map(({ name, before, after, share }, index) => (
        <span key={name} className={typography.ellipsis}>
          {name} <s>{before}</s> → <span className={styles.after}>{after}</span> {share}
          {index === listed - 1 && lines.length > listed && ` · ${t('price-updates.more', { count: lines.length - listed })}`}
        </span>
      ))}
    </span>
  );
}
