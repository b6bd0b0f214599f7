import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { EditLabel } from '#pwa/ui/form/edit-label.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { ReasonField } from '#pwa/ui/form/reason-field.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './user-panel.module.css';
import { type BalanceMode, balanceAfter } from './user-values.ts';

interface BalanceFieldProps {
  quota: number;
  mode: BalanceMode;
  amount: number | '';
  reason: string;
  error: ReactNode;
  reasonError: ReactNode;
  onChange: (change: { mode?: BalanceMode; amount?: number | ''; reason?: string }) => void;
}

/** A balance that is left alone, set, or raised and lowered; before and after stand below. */
export function BalanceField({ quota, mode, amount, reason, error, reasonError, onChange }: BalanceFieldProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const after = balanceAfter({ mode, amount }, quota);
  const isChanged = mode !== 'keep' && amount !== '' && after !== quota;
  return (
    <div className={`${layout.stackSm} ${styles.money}`}>
      <span className={`${typography.small} ${typography.secondary}`}>
        <EditLabel was={isChanged ? true : undefined}>{t('users.balance.title')}</EditLabel>
      </span>
      <Segments<BalanceMode>
        label={t('users.balance.title')}
        value={mode}
        options={(['keep', 'set', 'change'] as const).map((value) => ({ value, label: t(`users.balance.${value}`) }))}
        onChange={(chosen) => onChange({ mode: chosen, amount: chosen === 'set' ? quota : '' })}
      />
      {mode !== 'keep' && (
        <>
          <QuotaInput
            key={mode}
            label={t(`users.balance.${mode}_label`)}
            value={amount}
            onChange={(units) => onChange({ amount: units })}
            isSigned={mode === 'change'}
            error={error}
            presets={mode === 'change' ? [1, 5, 10, 50].map((usd) => usd * format.quotaPerUnit) : []}
          />
          <ReasonField
            label={t('users.balance.reason')}
            description={t('users.balance.reason_hint')}
            value={reason}
            error={reasonError}
            onChange={(typed) => onChange({ reason: typed })}
          />
          <p className={styles.after} role="status">
            <span>
              {t('users.balance.before')} {format.quota(quota)}
            </span>
            <span>
              {t('users.balance.after')} <b>{format.quota(after)}</b>
              {isChanged && ` (${format.quotaChange(after - quota)})`}
            </span>
          </p>
          <p className={typography.note}>{t('users.balance.running')}</p>
        </>
      )}
    </div>
  );
}
