import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { membersQuery, teamsQuery } from '#pwa/api/organisations.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { mayInOrganisation } from '#shared/organisation-roles.ts';
import type { Member, Organisation, Team } from '#shared/organisations.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { QuotaCell, ShortCount } from '#pwa/ui/billing/amounts.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import type { Format } from '#pwa/ui/billing/format.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { PanelSpace } from '#pwa/ui/frame/side-panel.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { DataList, type RowGroup } from '#pwa/ui/list/data-list.tsx';
import { useSelection, useTickedRows } from '#pwa/ui/list/selection.ts';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import { BudgetCell } from './budget-cell.tsx';
import { memberName } from './member-name.ts';
import { monthBudgetOf } from './month-budget.ts';
import type { OrganisationSearch } from './organisation-search.ts';
import { useUsageOfOthers } from './usage-of-others.ts';
import styles from './organisations.module.css';

const MemberPanel = lazyPart(
  () => import('./member-panel.tsx'),
  (part) => part.MemberPanel,
  <PanelSpace />,
);
const ManyMembersPanel = lazyPart(
  () => import('./many-members-panel.tsx'),
  (part) => part.ManyMembersPanel,
  <PanelSpace />,
);
const RemoveMemberDialog = lazyPart(
  () => import('./remove-member-dialog.tsx'),
  (part) => part.RemoveMemberDialog,
);

export interface TabProps {
  organisation: Organisation;
  search: OrganisationSearch;
  onSearch: (change: Partial<OrganisationSearch>) => void;
  /** Whether the reader may change members, teams and limits. */
  manages: boolean;
}

/** What is shared by the list of members and the panel next to it. */
export function useMembers({ organisation: { id }, search, onSearch }: TabProps, isShown: boolean) {
  const screen = useListScreen({ search, onSearch });
  const query = useQuery({ ...membersQuery(id, screen), enabled: isShown });
  const teams = useQuery({ ...teamsQuery(id), enabled: isShown }).data;
  const selection = useSelection<number>();
  const rows = query.data?.items;
  const { ticked } = useTickedRows(selection, rows, memberId);
  const [many, setMany] = useState<readonly Member[]>();
  const opened = useOpenRecord(screen, { rows, rowKey: memberId });
  return { screen, query, rows, teams: teams ?? noTeams, selection, ticked, many, setMany, opened };
}

const noTeams: readonly Team[] = [];

type MembersProps = TabProps & { state: ReturnType<typeof useMembers> };

/** Members with their budgets. */
export function MembersTab({ organisation, search, manages, state }: MembersProps) {
  const { t } = useTranslation();
  const { screen, query, rows, teams, selection, ticked, setMany } = state;
  const total = useSumRow(organisation.id, rows, query.data?.total);
  const edit = (
    <OnlineButton variant="subtle" disabled={ticked.length === 0} onClick={() => setMany(ticked)} label={t('organisations.many.action')} />
  );
  return (
    <DataList
      query={query}
      rows={rows}
      isTwoLine
      label={t('organisations.tab.members')}
      columns={useMemberColumns(teams, organisation)}
      rowKey={memberId}
      rowName={memberName}
      open={search.open}
      onOpen={(key) => {
        setMany(undefined);
        screen.onOpen(key);
      }}
      {...(manages ? { selection, bulkActions: edit } : {})}
      isMuted={({ is_suspended: isSuspended }) => isSuspended}
      empty={{ title: t('organisations.members.none'), text: t('organisations.members.none_text') }}
      {...(total === undefined ? {} : { total })}
      {...(query.data === undefined || query.data.total <= screen.size
        ? {}
        : { pager: screen.pager(query.data.total, query.data.total_is_lower_bound, query.data.items.length) })}
    />
  );
}

/** The panel of the member that is open, or of those that are ticked. */
export function MemberPart({ organisation, onSearch, manages, state }: MembersProps) {
  const ownId = useStoredUser()?.id;
  const [removed, setRemoved] = useState<Member>();
  const { teams, selection, many, setMany, opened } = state;
  const { row, ...ways } = opened;
  const handleClose = (): void => onSearch({ open: undefined, part: undefined });
  const end = (isDone: boolean): void => {
    setMany(undefined);
    if (isDone) selection.clear();
  };
  if (many !== undefined) {
    return (
      <ManyMembersPanel organisation={organisation} members={many} teams={teams} onClose={() => end(false)} onDone={() => end(true)} />
    );
  }
  if (row === undefined) return null;
  return (
    <>
      <MemberPanel
        key={row.user_id}
        organisation={organisation}
        member={row}
        teams={teams}
        isReadOnly={!manages}
        isSelf={row.user_id === ownId}
        onSearch={onSearch}
        {...ways}
        onClose={handleClose}
        onRemove={() => setRemoved(row)}
      />
      {removed !== undefined && (
        <RemoveMemberDialog
          organisation={organisation}
          member={removed}
          onClose={() => setRemoved(undefined)}
          onRemoved={() => {
            setRemoved(undefined);
            handleClose();
          }}
        />
      )}
    </>
  );
}

const memberId = ({ user_id: id }: Member): number => id;

/** What the members of this page were given and have used; that of a longer list is in the usage. */
function useSumRow(organisationId: number, rows: readonly Member[] | undefined, total: number | undefined): RowGroup | undefined {
  const { t } = useTranslation();
  const format = useFormat();
  const others = useUsageOfOthers(organisationId, rows);
  if (rows === undefined || rows.length < 2 || rows.length !== total || rows.some(({ used_quota: used }) => used === undefined))
    return undefined;
  const now = Date.now();
  const budgets = rows.flatMap((member) => monthBudgetOf(member, now) ?? []);
  const left = budgets.reduce((sum, one) => sum + Math.max(0, one.left), 0);
  const given = budgets.reduce((sum, { budget }) => sum + budget.amount, 0);
  const used = rows.reduce((sum, member) => sum + (member.used_quota ?? 0), 0);
  const budget =
    budgets.length === 0 ? '' : t('organisations.members.given', { left: format.quotaBare(left), amount: format.quotaBare(given) });
  return {
    key: 'sum',
    label: format.month(now / 1000),
    sum:
      others === 0
        ? t('organisations.members.sum', { amount: format.quota(used) })
        : t('organisations.members.sum_and_others', { amount: format.quota(used), others: format.quota(others) }),
    cells: {
      budget: <span className={styles.end}>{budget}</span>,
      calls: <ShortCount count={rows.reduce((sum, member) => sum + (member.calls ?? 0), 0)} />,
      tokens: format.count(rows.reduce((sum, member) => sum + member.tokens, 0)),
      used: <QuotaCell quota={used} />,
    },
  };
}

function useMemberColumns(teams: readonly Team[], { role = 'reader' }: Organisation): Column<Member>[] {
  const readsUsage = mayInOrganisation(role, 'usage');
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  return useMemo(() => memberColumns(t, { format, isPhone, teams, readsUsage }), [t, format, isPhone, teams, readsUsage]);
}

interface ColumnParts {
  format: Format;
  isPhone: boolean;
  teams: readonly Team[];
  readsUsage: boolean;
}

function memberColumns(t: TFunction, { format, isPhone, teams, readsUsage }: ColumnParts): Column<Member>[] {
  const withUnit = (heading: string): string => (format.unit === '' ? heading : `${heading} ${format.unit}`);
  const teamName = (id: number): string => teams.find((team) => team.id === id)?.name ?? '';
  const role = (member: Member) =>
    member.is_suspended ? <StatusMark status="off">{t('organisations.members.suspended')}</StatusMark> : t(`acting.role.${member.role}`);
  return [
    {
      key: 'name',
      heading: t('organisations.column.member'),
      cell: (member) =>
        isPhone ? (
          memberName(member)
        ) : (
          <span className={styles.two}>
            <b>{memberName(member)}</b>
            <small className={typography.muted}>{role(member)}</small>
          </span>
        ),
      least: 150,
      card: 'title',
      isLocked: true,
    },
    ...(isPhone ? [{ key: 'role', heading: '', cell: role, card: 'context' as const }] : []),
    {
      key: 'team',
      heading: t('organisations.column.team'),
      cell: ({ team_id: id }) => teamName(id),
      width: 120,
      leave: 3,
      card: 'context',
    },
    {
      key: 'budget',
      heading: withUnit(t('organisations.column.budget')),
      cell: (member) => <BudgetCell name={memberName(member)} of={member} />,
      width: 280,
      align: 'end',
      card: 'note',
    },
    {
      key: 'end',
      heading: t('organisations.column.at_end'),
      cell: ({ budgets: [budget] = [] }) => (budget === undefined ? '' : t(`limits.choice.${budget.at_end}`)),
      width: 110,
      leave: 2,
    },
    ...(readsUsage ? [callsColumn(t)] : []),
    {
      key: 'tokens',
      heading: t('organisations.column.tokens'),
      cell: ({ tokens }) => format.count(tokens),
      width: 76,
      align: 'end',
      leave: 4,
    },
    ...(readsUsage ? [spentColumn(t, withUnit)] : []),
  ];
}

function callsColumn(t: TFunction): Column<Member> {
  return {
    key: 'calls',
    heading: t('organisations.column.calls'),
    cell: ({ calls }) => (calls === undefined ? '' : <ShortCount count={calls} />),
    width: 84,
    align: 'end',
    leave: 5,
  };
}

function spentColumn(t: TFunction, withUnit: (heading: string) => string): Column<Member> {
  return {
    key: 'used',
    heading: withUnit(t('organisations.column.spent')),
    cell: ({ used_quota: used }) => (used === undefined ? '' : <QuotaCell quota={used} />),
    width: 100,
    align: 'end',
    card: 'amount',
  };
}
