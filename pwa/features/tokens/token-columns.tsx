import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { reachesAllKeys } from '#shared/organisation-roles.ts';
import { acceptedOldKeys, type Token } from '#shared/tokens.ts';
import { useActing } from '#pwa/api/acting.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { tightestStanding } from '#pwa/records/limits/budget-standing.ts';
import { QuotaCell } from '#pwa/ui/billing/amounts.tsx';
import { useIsPhone, useIsTouched } from '#pwa/ui/frame/breakpoint.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { ManagingFile } from '#pwa/ui/controls/managed-by.tsx';
import { useStableHandler } from '#pwa/ui/controls/stable-handler.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import { useToggleToken } from './token-actions.ts';
import { shownKey } from '#pwa/api/token-key.ts';
import { Balance, TokenMark, useExpiryText } from './token-labels.tsx';
import { TokenRowActions } from './token-row-actions.tsx';

// Only lists of organisations have it.
const TokenMember = lazyPart(
  () => import('./token-member.tsx'),
  (part) => part.TokenMember,
);
// Only lists with budgets have it.
const TightestBudget = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./tightest-budget.tsx'), loadTexts('limits')]);
    return part;
  },
  (part) => part.TightestBudget,
);

export const columnsKey = 'tokens-table-columns';

export function useTokenColumns(hasBudgets: boolean, onRemove: (token: Token) => void): Column<Token>[] {
  const { t } = useTranslation();
  const { unit } = useFormat();
  const acting = useActing();
  const isShared = acting !== null && reachesAllKeys(acting.role);
  const toggle = useToggleToken();
  const isTouched = useIsTouched();
  const isPhone = useIsPhone();
  const handleRemove = useStableHandler(onRemove);
  const handleToggle = useStableHandler(async (token: Token) => {
    // A failure has been toasted.
    await toggle.mutateAsync(token).catch(() => undefined);
  });
  return useMemo(
    () => tokenColumns(t, { unit, isTouched, isPhone, hasBudgets, isShared, onToggle: handleToggle, onRemove: handleRemove }),
    [t, unit, isTouched, isPhone, hasBudgets, isShared, handleToggle, handleRemove],
  );
}

interface TokenParts {
  /** `USD`, said once in the headings of amounts; empty when they are quota units. */
  unit: string;
  isTouched: boolean;
  isPhone: boolean;
  /** A token of the list has a budget. */
  hasBudgets: boolean;
  /** Tokens of an organisation, of several members. */
  isShared: boolean;
  onToggle: (token: Token) => Promise<void>;
  onRemove: (token: Token) => void;
}

function tokenColumns(t: TFunction, { unit, isTouched, isPhone, hasBudgets, isShared, onToggle, onRemove }: TokenParts): Column<Token>[] {
  const withUnit = (heading: string): string => (unit === '' ? heading : `${heading} ${unit}`);
  return [
    {
      key: 'name',
      heading: t('tokens.column.name'),
      cell: (token) => <Name token={token} />,
      // The end of a key distinguishes it from others.
      least: 152,
      card: 'title',
      isLocked: true,
    },
    ...(isShared ? [memberColumn(t)] : []),
    {
      key: 'status',
      heading: t('tokens.column.status'),
      cell: (token) => <TokenMark status={token.status} />,
      width: 104,
      // On a tablet whose a key is says more: the button that switches it names its state, too.
      ...(isShared ? { leave: 2 } : {}),
      card: 'context',
    },
    ...(hasBudgets
      ? [
          {
            key: 'budget',
            heading: withUnit(t('tokens.column.budget')),
            cell: (token: Token) => showsBudget(token, isPhone) && <TightestBudget token={token} />,
            width: 212,
            leave: 4,
            card: 'context' as const,
          },
        ]
      : []),
    {
      key: 'group',
      heading: t('tokens.column.group'),
      cell: (token) => <GroupName group={token.group} />,
      width: 96,
      leave: 5,
      card: 'context',
    },
    {
      key: 'balance',
      heading: withUnit(t('tokens.column.balance')),
      cell: (token) => <Left token={token} />,
      width: 148,
      align: 'end',
      card: 'amount',
    },
    {
      key: 'used',
      heading: withUnit(t('tokens.column.used')),
      cell: (token) => <Used token={token} />,
      width: 92,
      align: 'end',
      leave: 3,
      card: 'note',
    },
    { key: 'models', heading: t('tokens.column.models'), cell: (token) => <Models token={token} />, width: 108, leave: 7 },
    { key: 'expiry', heading: t('tokens.column.expiry'), cell: (token) => <Expiry token={token} />, width: 152, leave: 6 },
    { key: 'created', heading: t('tokens.column.created'), cell: (token) => <Day at={token.created_time} />, width: 112, leave: 8 },
    {
      key: 'accessed',
      heading: t('tokens.column.accessed'),
      cell: (token) => <Day at={token.accessed_time} />,
      width: 112,
      leave: 9,
      isOff: true,
    },
    {
      key: 'actions',
      heading: t('tokens.column.actions'),
      cell: (token) => <TokenRowActions token={token} isRoomy={!isTouched} onToggle={onToggle} onRemove={onRemove} />,
      width: isTouched ? 172 : 216,
      align: 'end',
      isLocked: true,
    },
  ];
}

/** Whose a token of an organisation is. */
function memberColumn(t: TFunction): Column<Token> {
  return { key: 'member', heading: t('tokens.column.member'), cell: (token) => <TokenMember token={token} />, width: 132, card: 'context' };
}

/** On a card only what needs a look. */
function showsBudget({ tightest_budget: budget }: Token, isPhone: boolean): boolean {
  if (budget === undefined) return false;
  const { level } = tightestStanding(budget, Date.now() / 1000);
  return !isPhone || level === 'low' || level === 'used_up';
}

function Name({ token }: { token: Token }) {
  if (useIsPhone())
    return (
      <>
        {token.name} <OldKeyNote token={token} />
        <ManagingFile file={token.managed_by} />
      </>
    );
  return (
    <>
      <b>
        {token.name}
        <ManagingFile file={token.managed_by} />
      </b>
      {/* There is room for one more line. */}
      {acceptedOldKeys(token).length > 0 ? <OldKeyNote token={token} /> : <small className={typography.mono}>{shownKey(token)}</small>}
    </>
  );
}

/** Says of a renewed token until when an old secret is accepted. */
function OldKeyNote({ token }: { token: Token }) {
  const { t } = useTranslation();
  const format = useFormat();
  const until = Math.max(0, ...acceptedOldKeys(token));
  if (until === 0) return null;
  return (
    <small className={typography.muted} title={format.dateTime(until)}>
      {t('tokens.old_key.row', { time: format.date(until) })}
    </small>
  );
}

function GroupName({ group }: { group: string }) {
  const { t } = useTranslation();
  return group === '' ? <span className={typography.muted}>{t('tokens.own_group')}</span> : group;
}

function Left({ token }: { token: Token }) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  // The status next to it says that nothing is left.
  if (!isPhone && (token.unlimited_quota || token.remain_quota > 0)) return <Balance token={token} size="row" />;
  return token.unlimited_quota ? t('tokens.unlimited') : format.quota(token.remain_quota);
}

function Used({ token }: { token: Token }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (!useIsPhone()) return <QuotaCell quota={token.used_quota} />;
  const amount = format.quota(token.used_quota);
  if (token.unlimited_quota || token.full_mark <= 0) return t('tokens.card.used', { amount });
  return t('tokens.card.of', { amount: format.quota(token.full_mark) });
}

function Models({ token }: { token: Token }) {
  const { t } = useTranslation();
  if (!token.model_limits_enabled) return <span className={typography.muted}>{t('tokens.any_model')}</span>;
  const models = token.model_limits.split(',').filter((name) => name !== '');
  return <span title={models.join('\n')}>{models.length === 1 ? models[0] : t('tokens.model_count', { count: models.length })}</span>;
}

function Expiry({ token }: { token: Token }) {
  const text = useExpiryText()(token.expired_time);
  return <span className={token.expired_time === -1 ? typography.muted : undefined}>{text}</span>;
}

function Day({ at }: { at: number }) {
  const format = useFormat();
  return <span className={typography.muted}>{at > 0 ? format.date(at) : '—'}</span>;
}
