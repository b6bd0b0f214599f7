import { useTranslation } from 'react-i18next';
import { type Token, TokenStatus } from '#shared/tokens.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { BalanceMeter } from '#pwa/ui/billing/balance-meter.tsx';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';

const marks: ReadonlyMap<number, { status: Status; name: string }> = new Map([
  [TokenStatus.enabled, { status: 'on', name: 'enabled' }],
  [TokenStatus.disabled, { status: 'off', name: 'disabled' }],
  [TokenStatus.expired, { status: 'expired', name: 'expired' }],
  [TokenStatus.exhausted, { status: 'empty', name: 'exhausted' }],
]);

export function TokenMark({ status }: { status: number }) {
  const { t } = useTranslation();
  const mark = marks.get(status) ?? { status: 'note', name: 'unknown' };
  return <StatusMark status={mark.status}>{t(`tokens.status.${mark.name}`)}</StatusMark>;
}

/** What is left, standing in what was granted; without a limit only the word. */
export function Balance({ token, size }: { token: Token; size: 'row' | 'normal' }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { unlimited_quota: isUnlimited, remain_quota: left, full_mark: fullMark } = token;
  return (
    <BalanceMeter
      size={size}
      label={t('tokens.column.balance')}
      value={left}
      fullMark={fullMark}
      isUnlimited={isUnlimited}
      // A column's heading names the unit.
      valueText={isUnlimited ? t('tokens.unlimited') : size === 'row' ? format.quotaBare(left) : format.quota(left)}
      {...(size === 'normal' && !isUnlimited && fullMark > 0
        ? { caption: t('tokens.panel.granted', { amount: format.quota(fullMark) }) }
        : {})}
    />
  );
}

/** What the button that switches a token says. */
export function verbOf({ status }: Pick<Token, 'status'>): 'enable' | 'disable' {
  return status === TokenStatus.disabled ? 'enable' : 'disable';
}

/** `never`, or the moment. */
export function useExpiryText(): (expiry: number) => string {
  const { t } = useTranslation();
  const format = useFormat();
  return (expiry) => (expiry === -1 ? t('tokens.never') : format.dateTime(expiry));
}
