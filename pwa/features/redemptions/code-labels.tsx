import { useTranslation } from 'react-i18next';
import { type Redemption, RedemptionStatus } from '#shared/redemptions.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { never } from './code-form.ts';

const marks: ReadonlyMap<number, { status: Status; name: string }> = new Map([
  [RedemptionStatus.unused, { status: 'on', name: 'unused' }],
  [RedemptionStatus.disabled, { status: 'off', name: 'disabled' }],
  [RedemptionStatus.used, { status: 'spent', name: 'used' }],
]);

export function CodeMark({ code }: { code: Pick<Redemption, 'status' | 'expired_time'> }) {
  const { t } = useTranslation();
  if (code.status === RedemptionStatus.unused && isExpired(code)) {
    return <StatusMark status="expired">{t('redemptions.status.expired')}</StatusMark>;
  }
  const mark = marks.get(code.status) ?? { status: 'note', name: 'unknown' };
  return <StatusMark status={mark.status}>{t(`redemptions.status.${mark.name}`)}</StatusMark>;
}

function isExpired({ expired_time }: Pick<Redemption, 'expired_time'>): boolean {
  return expired_time !== never && expired_time * 1000 <= Date.now();
}

/** `never`, or the moment. */
export function useExpiryText(): (expiry: number) => string {
  const { t } = useTranslation();
  const format = useFormat();
  return (expiry) => (expiry === never ? t('redemptions.never') : format.dateTime(expiry));
}

/** What the button that switches a code says; a used one has none. */
export function verbOf({ status }: Pick<Redemption, 'status'>): 'enable' | 'disable' | undefined {
  if (status === RedemptionStatus.used) return undefined;
  return status === RedemptionStatus.disabled ? 'enable' : 'disable';
}
