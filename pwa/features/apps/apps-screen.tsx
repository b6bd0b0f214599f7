import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type Token, TokenStatus } from '#shared/tokens.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { QuotaCell } from '#pwa/ui/billing/amounts.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import type { Format } from '#pwa/ui/billing/format.ts';
import { useStableHandler } from '#pwa/ui/controls/stable-handler.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { PanelSpace } from '#pwa/ui/frame/side-panel.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import { AppMark } from './app-mark.tsx';
import type { AppsSearch } from './apps-search.ts';
import { appKeysQuery, useRevokeKey } from './queries.ts';

const AppPanel = lazyPart(
  () => import('./app-panel.tsx'),
  (part) => part.AppPanel,
  <PanelSpace />,
);

interface AppsScreenProps {
  search: AppsSearch;
  onSearch: (change: Partial<AppsSearch>) => void;
}

/** What may do what: applications and devices with their keys. */
export function AppsScreen({ search, onSearch }: AppsScreenProps) {
  const { t } = useTranslation();
  const screen = useListScreen({ search, onSearch });
  const query = useQuery(appKeysQuery);
  const revoke = useRevokeKey();
  const columns = useAppColumns((token) => revoke.mutate(token));
  const { row: opened, ...ways } = useOpenRecord(screen, { rows: query.data, rowKey: ({ id }) => id });
  const handleClose = (): void => onSearch({ open: undefined });
  const device = <Button renderRoot={(attributes) => <Link {...attributes} to="/device" />}>{t('apps.list.device')}</Button>;
  return (
    <Screen
      title={t('apps.list.title')}
      back="/token"
      actions={device}
      panelFollows
      panel={
        opened !== undefined && (
          <AppPanel
            key={opened.id}
            token={opened}
            {...ways}
            isRevoking={revoke.isPending}
            onRevoke={() => revoke.mutate(opened, { onSuccess: handleClose })}
            onClose={handleClose}
          />
        )
      }
    >
      <DataList
        query={query}
        rows={query.data}
        label={t('apps.list.title')}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ application, name }) => application?.name ?? name}
        open={search.open}
        onOpen={screen.onOpen}
        isMuted={({ status }) => status !== TokenStatus.enabled}
        empty={{ title: t('apps.list.empty'), text: t('apps.list.empty_text') }}
      />
    </Screen>
  );
}

function useAppColumns(onRevoke: (token: Token) => void): Column<Token>[] {
  const { t } = useTranslation();
  const format = useFormat();
  const handleRevoke = useStableHandler(onRevoke);
  const isPhone = useIsPhone();
  return useMemo(() => appColumns(t, { format, isPhone }, handleRevoke), [t, format, isPhone, handleRevoke]);
}

interface Shown {
  format: Format;
  /** Cards have no headings, so the cells have words. */
  isPhone: boolean;
}

function appColumns(t: TFunction, { format, isPhone }: Shown, onRevoke: (token: Token) => void): Column<Token>[] {
  return [
    {
      key: 'name',
      heading: t('apps.column.name'),
      cell: ({ application, name }) => (
        <>
          <bdi>{application?.name}</bdi> {application?.name !== name && <small className={typography.muted}>{name}</small>}
        </>
      ),
      least: 140,
      card: 'title',
      isLocked: true,
    },
    {
      key: 'target',
      heading: t('apps.column.target'),
      cell: ({ application }) => (application?.way === 'device' ? t('apps.list.by_device') : application?.target),
      width: 190,
      card: 'context',
    },
    { key: 'status', heading: t('tokens.column.status'), cell: (token) => <AppMark token={token} />, width: 104, card: 'context' },
    ...limitColumns(t, { format, isPhone }),
    {
      key: 'accessed',
      heading: t('tokens.column.accessed'),
      cell: ({ accessed_time: at, created_time: created }) => (at > created ? format.date(at) : '—'),
      width: 112,
      leave: 4,
    },
    {
      key: 'created',
      heading: t('apps.column.created'),
      cell: ({ application, created_time: at }) => `${format.date(at)} · ${application?.ip ?? ''}`,
      width: 200,
      leave: 5,
    },
    {
      key: 'revoke',
      heading: t('tokens.column.actions'),
      cell: (token) => <OnlineButton data-danger size="compact-sm" onClick={() => onRevoke(token)} label={t('apps.list.revoke')} />,
      width: 110,
      align: 'end',
      isLocked: true,
    },
  ];
}

/** What the key may spend, and until when. */
function limitColumns(t: TFunction, { format, isPhone }: Shown): Column<Token>[] {
  const withUnit = (heading: string): string => (format.unit === '' ? heading : `${heading} ${format.unit}`);
  return [
    {
      key: 'balance',
      heading: withUnit(t('tokens.column.balance')),
      cell: ({ unlimited_quota: isUnlimited, remain_quota: left }) =>
        isUnlimited ? t('tokens.unlimited') : isPhone ? t('apps.list.left', { amount: format.quota(left) }) : <QuotaCell quota={left} />,
      width: 110,
      align: 'end',
      card: 'amount',
    },
    {
      key: 'used',
      heading: withUnit(t('tokens.column.used')),
      cell: ({ used_quota: used }) => <QuotaCell quota={used} />,
      width: 92,
      align: 'end',
      leave: 2,
    },
    {
      key: 'expiry',
      heading: t('tokens.column.expiry'),
      cell: ({ expired_time: at }) =>
        isPhone
          ? at === -1
            ? t('apps.grant.for_ever')
            : t('apps.grant.until', { time: format.date(at) })
          : at === -1
            ? t('tokens.never')
            : format.date(at),
      width: 120,
      leave: 3,
      card: 'note',
    },
  ];
}
