import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Redemption } from '#shared/redemptions.ts';
import { QuotaCell } from '#pwa/ui/billing/amounts.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { useStableHandler } from '#pwa/ui/controls/stable-handler.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import { useToggleCode } from './code-actions.ts';
import { codeEnds, maskCode } from './code-key.ts';
import { CodeMark, useExpiryText } from './code-labels.tsx';
import { CodeRowActions } from './code-row-actions.tsx';

export const columnsKey = 'redemptions-table-columns';

export function useRedemptionColumns(onRemove: (code: Redemption) => void): Column<Redemption>[] {
  const { t } = useTranslation();
  const { unit } = useFormat();
  const toggle = useToggleCode();
  const handleRemove = useStableHandler(onRemove);
  const handleToggle = useStableHandler(async (code: Redemption) => {
    // A failure has been toasted.
    await toggle.mutateAsync(code).catch(() => undefined);
  });
  const isPhone = useIsPhone();
  return useMemo(() => {
    const columns = redemptionColumns(t, { unit, onToggle: handleToggle, onRemove: handleRemove });
    // Codes that were made together have one name: a card shows their ends, as a row does below the name.
    return isPhone ? [...columns, { key: 'key', heading: '', cell: (code) => <Ends code={code} />, card: 'context' }] : columns;
  }, [t, unit, isPhone, handleToggle, handleRemove]);
}

interface CodeParts {
  /** `USD`, said once in the heading of the amounts; empty when they are quota units. */
  unit: string;
  onToggle: (code: Redemption) => Promise<void>;
  onRemove: (code: Redemption) => void;
}

function redemptionColumns(t: TFunction, { unit, onToggle, onRemove }: CodeParts): Column<Redemption>[] {
  return [
    { key: 'id', heading: 'ID', cell: (code) => code.id, width: 72, align: 'end', leave: 5 },
    { key: 'name', heading: t('redemptions.column.name'), cell: (code) => <Name code={code} />, card: 'title', isLocked: true },
    { key: 'status', heading: t('redemptions.column.status'), cell: (code) => <CodeMark code={code} />, width: 108, card: 'context' },
    {
      key: 'quota',
      heading: `${t('redemptions.column.quota')}${unit === '' ? '' : ` ${unit}`}`,
      cell: (code) => <QuotaCell quota={code.quota} />,
      width: 116,
      align: 'end',
      card: 'amount',
    },
    { key: 'user', heading: t('redemptions.column.used_by'), cell: (code) => <UsedBy code={code} />, width: 116, leave: 3, card: 'note' },
    {
      key: 'redeemed',
      heading: t('redemptions.column.redeemed'),
      cell: (code) => <Moment at={code.redeemed_time} />,
      width: 168,
      leave: 6,
    },
    { key: 'created', heading: t('redemptions.column.created'), cell: (code) => <Moment at={code.created_time} />, width: 168, leave: 4 },
    { key: 'expiry', heading: t('redemptions.column.expiry'), cell: (code) => <Expiry code={code} />, width: 168, leave: 7, isOff: true },
    {
      key: 'actions',
      heading: t('redemptions.column.actions'),
      cell: (code) => <CodeRowActions code={code} onToggle={onToggle} onRemove={onRemove} />,
      width: 172,
      align: 'end',
      isLocked: true,
    },
  ];
}

function Ends({ code }: { code: Redemption }) {
  return <span className={typography.mono}>{codeEnds(code.key)}</span>;
}

function Name({ code }: { code: Redemption }) {
  if (useIsPhone())
    return (
      <>
        {code.name}
        <span className="visually-hidden"> {codeEnds(code.key)}</span>
      </>
    );
  return (
    <>
      <b>{code.name}</b>
      <small className={typography.mono}>{maskCode(code.key)}</small>
    </>
  );
}

function UsedBy({ code }: { code: Redemption }) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  if (code.used_user_id !== 0) return code.used_user_name || t('redemptions.user', { id: code.used_user_id });
  // A card has no heading that says of what there is none.
  return isPhone ? null : <span className={typography.muted}>{t('redemptions.nobody')}</span>;
}

function Moment({ at }: { at: number }) {
  const format = useFormat();
  return <span className={typography.muted}>{at > 0 ? format.dateTime(at) : '—'}</span>;
}

function Expiry({ code }: { code: Redemption }) {
  return <span className={typography.muted}>{useExpiryText()(code.expired_time)}</span>;
}
