import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { redemptionBatchLimit } from '#shared/redemptions.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { CountField } from '#pwa/ui/form/count-field.tsx';
import { ExpiryField } from '#pwa/ui/form/expiry-field.tsx';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { never } from './code-form.ts';
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
        <CountField
          label={t('redemptions.form.count')}
          max={redemptionBatchLimit}
          clampBehavior="none"
          value={values.count}
          error={form.errors['count']}
          picks={countPicks}
          onChange={(count) => form.setFieldValue('count', count)}
        />
      )}
      <CodeExpiry form={form} />
    </>
  );
}

const day = 24 * 60 * 60;
const shortcuts = [
  { name: 'week', days: 7 },
  { name: 'month', days: 30 },
  { name: 'year', days: 365 },
] as const;

/** What the field calls never; codes have 0 for it. */
const fieldNever = -1;

function CodeExpiry({ form }: { form: CodeForm }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <ExpiryField
      label={t('redemptions.form.expiry')}
      value={form.values.expired_time === never ? fieldNever : form.values.expired_time}
      onChange={(seconds) => form.setFieldValue('expired_time', seconds === fieldNever ? never : seconds)}
      error={form.errors['expired_time']}
      neverLabel={t('redemptions.never')}
      zoneText={t('redemptions.form.expiry_zone', { zone: format.timeZone })}
      shortcuts={shortcuts.map(({ name, days }) => ({ name, seconds: days * day, label: t(`redemptions.form.expiry_${name}`) }))}
    />
  );
}
