import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '#shared/user.ts';
import { isUnfunded } from '#pwa/api/low-water.ts';
import { lowWaterKey } from '#pwa/offline/edits/own-setting.ts';
import type { QueuedEdit } from '#pwa/offline/outbox.ts';
import { Block } from '#pwa/ui/frame/block.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { BalanceMeter } from '#pwa/ui/billing/balance-meter.tsx';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import styles from './personal.module.css';
import { SaveButton } from './save-button.tsx';
import { useOwnSettings } from './use-own-settings.ts';

const presets = [100_000, 500_000, 1_000_000, 5_000_000];

/** The own low-water mark. Without a connection it waits in the outbox. */
export function LowBalanceForm({ user }: { user: User }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [typed, setTyped] = useState<number | ''>();
  const [error, setError] = useState<string>();
  const own = useOwnSettings(user, {
    onDone: () => setTyped(undefined),
    onRefused(failure) {
      if (failure.field !== lowWaterKey) return false;
      setError(failure.message);
      return true;
    },
  });
  const text = own.shown(lowWaterKey);
  const shown = text === '' ? undefined : Number(text);
  const value = typed ?? shown ?? '';

  function handleSave(): void {
    if (value === '') setError(t('personal.mark.required'));
    else own.save(value === shown ? {} : { [lowWaterKey]: String(value) });
  }
  return (
    <Block title={t('personal.mark.title')} aside={<WaitingMark edit={own.waiting([lowWaterKey])[0]} />}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          handleSave();
        }}
      >
        <OwnBalance user={user} lowMark={value === '' ? undefined : value} />
        <QuotaInput
          label={t('personal.mark.label')}
          value={value}
          presets={presets}
          placeholder={shown === undefined ? t('personal.mark.none') : format.quota(shown)}
          error={error}
          onChange={(amount) => {
            setTyped(amount);
            setError(undefined);
          }}
        />
        <p className={styles.hint}>{t('personal.mark.hint')}</p>
        <SaveButton of="mark" isDirty={typed !== undefined && typed !== (shown ?? '')} isSaving={own.isSaving} />
      </form>
    </Block>
  );
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
    <StatusMark status={edit.state === 'conflict' ? 'conflict' : 'waiting'}>
      {t('personal.mark.waiting', { amount: format.quota(Number(edit.mine)) })}
    </StatusMark>
  );
}
