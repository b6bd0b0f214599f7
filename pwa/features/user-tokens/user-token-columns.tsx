import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { UserToken } from '#shared/user-tokens.ts';
import { appText } from '#pwa/api/app-text.ts';
import { QuotaCell } from '#pwa/ui/billing/amounts.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import type { Format } from '#pwa/ui/billing/format.ts';
import type { Column } from '#pwa/ui/list/columns.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { endingText, UserTokenMark } from './user-token-mark.tsx';

export function useUserTokenColumns(): Column<UserToken>[] {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(() => columns(t, format), [t, format]);
}

function columns(t: TFunction, format: Format): Column<UserToken>[] {
  const withUnit = (heading: string): string => (format.unit === '' ? heading : `${heading} ${format.unit}`);
  return [
    { key: 'name', heading: t('tokens.column.name'), cell: ({ name }) => name, least: 130, card: 'title', isLocked: true },
    {
      key: 'owner',
      heading: t('user-tokens.column.owner'),
      cell: ({ owner }) => owner.username,
      width: 140,
      card: 'context',
    },
    {
      key: 'application',
      heading: t('tokens.column.application'),
      cell: ({ application }) => (application === undefined ? '—' : appText(application)),
      width: 160,
      leave: 4,
    },
    {
      key: 'ending',
      heading: t('user-tokens.column.ending'),
      cell: (token) => <span className={typography.mono}>{endingText(token)}</span>,
      width: 96,
      card: 'context',
    },
    {
      key: 'status',
      heading: t('tokens.column.status'),
      cell: (token) => <UserTokenMark token={token} />,
      width: 150,
      comfort: { width: 210, leave: 4 },
      card: 'note',
    },
    {
      key: 'balance',
      heading: withUnit(t('tokens.column.balance')),
      cell: (token) => (token.unlimited_quota ? t('tokens.unlimited') : <QuotaCell quota={token.remain_quota} />),
      width: 112,
      align: 'end',
      card: 'amount',
    },
    {
      key: 'used',
      heading: withUnit(t('tokens.column.used')),
      cell: (token) => <QuotaCell quota={token.used_quota} />,
      width: 104,
      align: 'end',
      leave: 2,
    },
    {
      key: 'accessed',
      heading: t('tokens.column.accessed'),
      cell: ({ accessed_time: at }) => <span className={typography.muted}>{at > 0 ? format.date(at) : '—'}</span>,
      width: 120,
      align: 'end',
      leave: 3,
    },
  ];
}
