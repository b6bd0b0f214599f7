import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Invitation } from '#shared/invitations.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { QuotaCell } from '#pwa/ui/billing/amounts.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import type { Format } from '#pwa/ui/billing/format.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { PanelSpace } from '#pwa/ui/frame/side-panel.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import { InvitationMark } from './invitation-mark.tsx';
import type { InvitationsSearch } from './invitations-search.ts';
import { invitationsQuery } from './queries.ts';

// What a list does not need is loaded when it is opened.
const InvitePanel = lazyPart(
  () => import('./invite-panel.tsx'),
  (part) => part.InvitePanel,
  <PanelSpace />,
);
const InvitationPanel = lazyPart(
  () => import('./invitation-panel.tsx'),
  (part) => part.InvitationPanel,
  <PanelSpace />,
);

interface InvitationsScreenProps {
  search: InvitationsSearch;
  onSearch: (change: Partial<InvitationsSearch>) => void;
}

const newList = 'new';

export function InvitationsScreen({ search, onSearch }: InvitationsScreenProps) {
  const { t } = useTranslation();
  const screen = useListScreen({ search, onSearch });
  const query = useQuery(invitationsQuery(screen.page, screen.size));
  const { data } = query;
  const columns = useInvitationColumns();
  const { row: opened, ...ways } = useOpenRecord(screen, { rows: data?.items, rowKey: ({ id }) => id });
  const handleClose = (): void => onSearch({ open: undefined });
  const isEmpty = data?.items.length === 0;
  const invite = (variant: 'filled' | 'default') => (
    <OnlineButton
      variant={variant}
      icon={<Icon name="plus" />}
      onClick={() => onSearch({ open: newList })}
      label={t('invitations.action.invite')}
    />
  );
  return (
    <Screen
      title={t('invitations.title')}
      back="/user"
      actions={invite(isEmpty || search.open !== undefined ? 'default' : 'filled')}
      panelFollows
      panel={
        search.open === newList ? (
          <InvitePanel onClose={handleClose} />
        ) : (
          opened !== undefined && <InvitationPanel key={opened.id} invitation={opened} onClose={handleClose} {...ways} />
        )
      }
    >
      <DataList
        query={query}
        rows={data?.items}
        label={t('invitations.title')}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ username }) => username}
        open={search.open}
        onOpen={screen.onOpen}
        isMuted={({ state }) => state !== 'open'}
        empty={{
          title: t('invitations.empty.title'),
          text: t('invitations.empty.text'),
          action: invite(search.open === undefined ? 'filled' : 'default'),
        }}
        {...(data === undefined || data.total === 0
          ? {}
          : { pager: screen.pager(data.total, data.total_is_lower_bound, data.items.length) })}
      />
    </Screen>
  );
}

function useInvitationColumns(): Column<Invitation>[] {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(() => invitationColumns(t, format), [t, format]);
}

function invitationColumns(t: TFunction, format: Format): Column<Invitation>[] {
  const { unit } = format;
  const balance = t('invitations.column.balance');
  return [
    { key: 'name', heading: t('invitations.column.name'), cell: ({ username }) => username, least: 120, card: 'title', isLocked: true },
    {
      key: 'state',
      heading: t('invitations.column.state'),
      cell: (row) => <InvitationMark invitation={row} />,
      width: 200,
      card: 'context',
    },
    { key: 'email', heading: t('invitations.column.email'), cell: ({ email }) => email || '—', width: 220, leave: 3, card: 'note' },
    { key: 'group', heading: t('invitations.column.group'), cell: ({ group }) => group, width: 110, leave: 2 },
    {
      key: 'balance',
      heading: unit === '' ? balance : `${balance} ${unit}`,
      cell: ({ quota }) => <QuotaCell quota={quota} />,
      width: 120,
      align: 'end',
      card: 'amount',
    },
    { key: 'until', heading: t('invitations.column.until'), cell: (row) => format.date(row.expires_at), width: 130, leave: 1 },
  ];
}
