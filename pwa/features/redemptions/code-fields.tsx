import { NumberInput, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { redemptionBatchLimit } from '#shared/redemptions.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { never } from './code-form.ts';
import styles from './redemptions.module.css';
import type { CodeForm } from './use-code-form.ts';

/** Dollars that are offered as the worth of a code. */
const picks = [1, 10, 50, 100, 500, 1000];
const countPicks = [10, 20, 50, 100];
const below = ['label', 'input', 'error', 'description'] as const;

export function CodeFields({ form, isNew }: { form: CodeForm; isNew: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { values } = form;
  return (
    <>
      <TextInput
        label={t('redemptions.form.name')}
        description={isNew ? t('redemptions.form.name_hint') : undefined}
        inputWrapperOrder={[...below]}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
      <QuotaInput
        label={t('redemptions.form.quota')}
        value={values.quota}
        onChange={(units) => form.setFieldValue('quota', units)}
        error={form.errors['quota']}
        presets={picks.map((usd) => usd * format.quotaPerUnit)}
      />
      {isNew && (
        <div className={styles.part}>
          <NumberInput
            label={t('redemptions.form.count')}
            min={1}
            max={redemptionBatchLimit}
            clampBehavior="none"
            allowDecimal={false}
            allowNegative={false}
            value={values.count}
            error={form.errors['count']}
            onChange={(count) => form.setFieldValue('count', typeof count === 'number' ? count : '')}
          />
          <div className={styles.picks}>
            {countPicks.map((count) => (
              <button
                key={count}
                type="button"
                className={styles.pick}
                aria-pressed={values.count === count}
                onClick={() => form.setFieldValue('count', count)}
              >
                {count}
              </button>
            ))}
          </div>
        </div>
      )}
      <ExpiryField form={form} />
    </>
  );
}

const day = 24 * 60 * 60;
const shortcuts = [
  { name: 'week', days: 7 },
  { name: 'month', days: 30 },
  { name: 'year', days: 365 },
] as const;

function ExpiryField({ form }: { form: CodeForm }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { expired_time: expiry } = form.values;
  const set = (seconds: number): void => form.setFieldValue('expired_time', seconds);
  const isNever = expiry === never;
  return (
    <div className={styles.part} role="group" aria-label={t('redemptions.form.expiry')}>
      <span className={styles.label} aria-hidden="true">
        {t('redemptions.form.expiry')}
      </span>
      <div className={styles.picks}>
        <button type="button" className={styles.pick} aria-pressed={isNever} onClick={() => set(never)}>
          {t('redemptions.never')}
        </button>
        {shortcuts.map(({ name, days }) => (
          <button key={name} type="button" className={styles.pick} onClick={() => set(Math.ceil(Date.now() / 1000) + days * day)}>
            {t(`redemptions.form.expiry_${name}`)}
          </button>
        ))}
      </div>
      {!isNever && (
        <TextInput
          aria-label={t('redemptions.form.expiry')}
          description={t('redemptions.form.expiry_zone', { zone: format.timeZone })}
          inputWrapperOrder={[...below]}
          type="datetime-local"
          value={localText(expiry)}
          error={form.errors['expired_time']}
          onChange={(event) => set(secondsOf(event.currentTarget.value))}
        />
      )}
    </div>
  );
}

function localText(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Nothing entered means never. */
function secondsOf(text: string): number {
  const time = new Date(text).getTime();
  return Number.isNaN(time) ? never : Math.floor(time / 1000);
}
