import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '#shared/user.ts';
import type { ListedUser } from '#shared/users.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { QuotaCell, ShortCount } from '#pwa/ui/billing/amounts.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import type { Format } from '#pwa/ui/billing/format.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Tag } from '#pwa/ui/controls/tag.tsx';
import { useStableHandler } from '#pwa/ui/controls/stable-handler.ts';
import { LastCall, UserBalance, UserName, UserRole, UserState } from './user-cells.tsx';
import { type UserCommand, UserMenu } from './user-menu.tsx';

interface ColumnParts {
  actor: Pick<User, 'role'>;
  onCommand: (command: UserCommand, user: User) => void;
}

export function useUserColumns({ actor, onCommand }: ColumnParts): Column<ListedUser>[] {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  const handleCommand = useStableHandler(onCommand);
  return useMemo(() => userColumns({ t, format, isPhone, actor, onCommand: handleCommand }), [t, format, isPhone, actor, handleCommand]);
}

interface UserColumnParts extends ColumnParts {
  t: TFunction;
  format: Format;
  isPhone: boolean;
}

function userColumns({ t, format, isPhone, actor, onCommand }: UserColumnParts): Column<ListedUser>[] {
  const unit = format.unit === '' ? '' : ` ${format.unit}`;
  return [
    { key: 'id', heading: 'ID', cell: (row) => row.id, width: 64, align: 'end', leave: 5 },
    { key: 'username', heading: t('users.column.username'), cell: (row) => <UserName user={row} />, card: 'title', isLocked: true },
    { key: 'status', heading: t('users.column.status'), cell: (row) => <UserState user={row} />, width: 116, card: 'context' },
    { key: 'role', heading: t('users.column.role'), cell: (row) => <UserRole user={row} />, width: 116, leave: 2, card: 'context' },
    {
      key: 'group',
      heading: t('users.column.group'),
      cell: (row) => (isPhone ? row.group : <Tag>{row.group}</Tag>),
      width: 116,
      leave: 4,
      card: 'note',
    },
    {
      key: 'last_call',
      heading: t('users.column.last_call'),
      cell: (row) => <LastCall user={row} />,
      width: 116,
      leave: 7,
    },
    { key: 'email', heading: t('users.column.email'), cell: (row) => row.email, width: 180, leave: 10, isOff: true },
    {
      key: 'requests',
      heading: t('users.column.requests'),
      cell: (row) => <ShortCount count={row.request_count} />,
      sort: 'requests',
      width: 92,
      align: 'end',
      leave: 6,
    },
    {
      key: 'used',
      heading: t('users.column.used') + unit,
      cell: (row) => <QuotaCell quota={row.used_quota} />,
      sort: 'used',
      width: 120,
      align: 'end',
      leave: 3,
    },
    {
      key: 'balance',
      heading: t('users.column.balance') + unit,
      cell: (row) => <UserBalance user={row} />,
      sort: 'balance',
      width: 150,
      align: 'end',
      card: 'amount',
    },
    {
      key: 'invited',
      heading: t('users.column.invited'),
      cell: (row) => format.count(row.aff_count),
      width: 84,
      align: 'end',
      leave: 9,
      isOff: true,
    },
    { key: 'created', heading: t('users.column.created'), cell: (row) => format.date(row.created_time), width: 112, leave: 8, isOff: true },
    {
      key: 'operate',
      heading: t('users.column.actions'),
      cell: (row) =>
        row.DeletedAt === null ? <UserMenu actor={actor} user={row} onCommand={(command) => onCommand(command, row)} /> : null,
      width: 84,
      align: 'end',
      isLocked: true,
    },
  ];
}
