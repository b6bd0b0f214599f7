import { useTranslation } from 'react-i18next';
import { type Redemption, RedemptionStatus } from '#shared/redemptions.ts';
import type { RecordComparison } from '#pwa/records/record-panel.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { changesBetween, type ComparedField } from './code-form.ts';
import { useExpiryText } from './code-labels.tsx';

/** Changes of a code that others made while its form was open, in words. */
export function useCodeComparison(): RecordComparison<Redemption, ComparedField> {
  const { t } = useTranslation();
  const format = useFormat();
  const expiry = useExpiryText();
  return {
    changesBetween,
    nameOf: (field) => t(`redemptions.column.${field === 'expired_time' ? 'expiry' : field}`),
    show: (field, code) => {
      if (field === 'quota') return format.quota(code.quota);
      if (field === 'expired_time') return expiry(code.expired_time);
      if (field === 'status')
        return t(code.status === RedemptionStatus.disabled ? 'redemptions.status.disabled' : 'redemptions.status.unused');
      return code.name;
    },
  };
}
