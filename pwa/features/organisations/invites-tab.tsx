import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { teamsQuery } from '#pwa/api/organisations.ts';
import type { OrganisationInvite, Team } from '#shared/organisations.ts';
import { useLimitWords } from '#pwa/records/limits/use-limit-words.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import type { Format } from '#pwa/ui/billing/format.ts';
import { useStableHandler } from '#pwa/ui/controls/stable-handler.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import type { TabProps } from './members-tab.tsx';
import { invitesQuery, useWithdrawInvite } from './queries.ts';

/** Invitations that are open. */
export function InvitesTab({ organisation }: TabProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useLimitWords();
  const query = useQuery(invitesQuery(organisation.id));
  const teams = useQuery(teamsQuery(organisation.id)).data;
  const withdraw = useWithdrawInvite(organisation.id);
  const handleWithdraw = useStableHandler((id: number) => withdraw.mutate(id));
  const budgetText = useStableHandler((invite: OrganisationInvite) => (invite.budgets.length === 0 ? '' : words.budgets(invite.budgets)));
  const columns = useMemo(
    () => inviteColumns(t, { format, teams: teams ?? [], budgetText, onWithdraw: handleWithdraw }),
    [t, format, teams, budgetText, handleWithdraw],
  );
  return (
    <DataList
      query={query}
      rows={query.data}
      label={t('organisations.tab.invites')}
      columns={columns}
      rowKey={({ id }) => id}
      rowName={({ email, id }) => (email === '' ? `#${id}` : email)}
      empty={{ title: t('organisations.invites.none'), text: t('organisations.invites.none_text') }}
    />
  );
}

interface ColumnParts {
  format: Format;
  teams: readonly Team[];
  budgetText: (invite: OrganisationInvite) => string;
  onWithdraw: (id: number) => void;
}

function inviteColumns(t: TFunction, { format, teams, budgetText, onWithdraw }: ColumnParts): Column<OrganisationInvite>[] {
  return [
    {
      key: 'email',
      heading: t('organisations.column.invited'),
      cell: ({ email }) => (email === '' ? t('organisations.invites.by_link') : email),
      least: 180,
      card: 'title',
      isLocked: true,
    },
    {
      key: 'role',
      heading: t('organisations.column.role'),
      cell: ({ role }) => t(`acting.role.${role}`),
      width: 128,
      card: 'context',
    },
    {
      key: 'team',
      heading: t('organisations.column.team'),
      cell: ({ team_id: id }) => teams.find((team) => team.id === id)?.name ?? '',
      width: 128,
      leave: 3,
      card: 'context',
    },
    { key: 'budget', heading: t('organisations.field.budgets'), cell: budgetText, width: 210, leave: 2, card: 'note' },
    {
      key: 'mail',
      heading: t('organisations.invites.mail'),
      cell: ({ mail }) => (
        <StatusMark status={mail === 'failed' ? 'failed' : mail === 'sent' ? 'on' : 'note'}>
          {t(`organisations.invites.mail_${mail}`)}
        </StatusMark>
      ),
      width: 140,
      leave: 4,
    },
    {
      key: 'until',
      heading: t('organisations.invites.until'),
      cell: ({ expires_at: at }) => format.date(at),
      width: 120,
      leave: 1,
      card: 'context',
    },
    {
      key: 'withdraw',
      heading: '',
      cell: ({ id }) => (
        <OnlineButton data-danger size="compact-sm" onClick={() => onWithdraw(id)} label={t('organisations.invites.withdraw')} />
      ),
      width: 110,
      align: 'end',
      isLocked: true,
      card: 'amount',
    },
  ];
}
