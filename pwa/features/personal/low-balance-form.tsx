import { useTranslation } from 'react-i18next';
import type { User } from '#shared/user.ts';
import { isUnfunded } from '#pwa/api/low-water.ts';
import { lowWaterKey } from '#pwa/offline/edits/own-setting.ts';
import type { QueuedEdit } from '#pwa/offline/outbox.ts';
import { Block } from '#pwa/ui/frame/block.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { BalanceMeter } from '#pwa/ui/billing/balance-meter.tsx';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { OwnFields } from './own-fields.tsx';
import styles from './personal.module.css';
import { QueuedMark } from './queued-mark.tsx';
import type { OwnForm } from './use-own-form.ts';

const presets = [100_000, 500_000, 1_000_000, 5_000_000];

/** The own low-water mark. */
export function LowBalanceForm({ user, form }: { user: User; form: OwnForm }) {
  const { t } = useTranslation();
  const format = useFormat();
  const value = amountOf(form.value(lowWaterKey));
  const shown = amountOf(form.shown(lowWaterKey));
  return (
    <Block title={t('personal.mark.title')} aside={<WaitingMark edit={form.waiting([lowWaterKey])[0]} />}>
      <OwnFields form={form}>
        <OwnBalance user={user} lowMark={value === '' ? undefined : value} />
        <QuotaInput
          label={t('personal.mark.label')}
          value={value}
          presets={presets}
          placeholder={shown === '' ? t('personal.mark.none') : format.quota(shown)}
          error={form.problems[lowWaterKey]}
          onChange={(amount) => form.change(lowWaterKey, String(amount))}
        />
        <p className={typography.note}>{t('personal.mark.hint')}</p>
      </OwnFields>
    </Block>
  );
}

function amountOf(text: string): number | '' {
  return text === '' ? '' : Number(text);
}

/** The balance with a mark in it. */
export function OwnBalance({ user, lowMark }: { user: User; lowMark: number | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <div className={styles.level}>
      <BalanceMeter
        label={t('personal.mark.balance')}
        value={user.quota}
        valueText={format.quota(user.quota)}
        fullMark={user.full_mark}
        isUnfilled={isUnfunded(user)}
        lowMark={lowMark}
      />
    </div>
  );
}

function WaitingMark({ edit }: { edit: QueuedEdit | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (edit === undefined) return null;
  return (
    <QueuedMark isInConflict={edit.state === 'conflict'}>
      {t('personal.mark.waiting', { amount: format.quota(Number(edit.mine)) })}
    </QueuedMark>
  );
}
