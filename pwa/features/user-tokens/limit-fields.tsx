import { Switch, TagsInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type HeldLimit, heldLimits } from '#shared/tokens.ts';
import type { UserToken } from '#shared/user-tokens.ts';
import { LimitsPart } from '#pwa/records/limits/limits-part.tsx';
import { AddressesField } from '#pwa/records/tokens/addresses-field.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { ExpiryField } from '#pwa/ui/form/expiry-field.tsx';
import { ManagedFields } from '#pwa/ui/form/managed-fields.tsx';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import type { LimitForm, useLimitForm } from './use-limit-form.ts';

const day = 86_400;

/** Limits of a token as its owner has them, and which of them the owner cannot change. */
export function LimitFields({ form, managedBy: file }: { form: LimitForm; managedBy: string | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { values } = form;
  return (
    <>
      <div className={layout.stackSm}>
        <Switch
          label={t('tokens.form.unlimited')}
          checked={values.unlimited_quota}
          disabled={file !== undefined}
          onChange={(event) => form.setFieldValue('unlimited_quota', event.currentTarget.checked)}
        />
        {!values.unlimited_quota && (
          <QuotaInput
            label={t('tokens.form.quota')}
            value={values.remain_quota}
            error={form.errors['remain_quota']}
            onChange={(units) => form.setFieldValue('remain_quota', units)}
          />
        )}
      </div>
      <ManagedFields file={file}>
        <ExpiryField
          label={t('tokens.form.expiry')}
          value={values.expired_time}
          error={form.errors['expired_time']}
          neverLabel={t('tokens.never')}
          zoneText={t('tokens.form.expiry_zone', { zone: format.timeZone })}
          shortcuts={[
            { name: 'day', seconds: day, label: t('tokens.form.expiry_day') },
            { name: 'month', seconds: 30 * day, label: t('tokens.form.expiry_month') },
          ]}
          onChange={(seconds) => form.setFieldValue('expired_time', seconds)}
        />
        <ModelsField form={form} />
        <AddressesField {...form.getInputProps('allow_ips')} />
      </ManagedFields>
      <HeldField form={form} />
    </>
  );
}

function ModelsField({ form }: { form: LimitForm }) {
  const { t } = useTranslation();
  const { values } = form;
  return (
    <div className={layout.stackSm}>
      <Switch
        label={t('tokens.form.limit_models')}
        checked={values.model_limits_enabled}
        onChange={(event) => form.setFieldValue('model_limits_enabled', event.currentTarget.checked)}
      />
      {values.model_limits_enabled && (
        <TagsInput
          label={t('tokens.form.models')}
          value={values.model_limits}
          error={form.errors['model_limits']}
          onChange={(names) => form.setFieldValue('model_limits', names)}
        />
      )}
    </div>
  );
}

/** Budgets and rate limits of the token, each with whether the owner may change them. */
export function TokenLimits({ token, edited: { form, base } }: { token: UserToken; edited: ReturnType<typeof useLimitForm> }) {
  const { t } = useTranslation();
  const { values, errors } = form;
  const edit = (field: 'budgets' | 'rate_limits') => ({
    error: errors[field],
    lock: token.managed_by === undefined ? undefined : t('common.managed.by', { file: token.managed_by }),
    foot: (
      <SwitchRow
        label={t('user-tokens.held.lock')}
        description={t('user-tokens.held.hint')}
        checked={values.held.includes(field)}
        onChange={(event) => hold(form, field, event.currentTarget.checked)}
      />
    ),
  });
  return (
    <LimitsPart
      owner={{ token_id: String(token.id) }}
      scope="token"
      before={base}
      budgets={{ ...edit('budgets'), drafts: values.budgets, onChange: (drafts) => form.setFieldValue('budgets', drafts) }}
      rates={{ ...edit('rate_limits'), drafts: values.rate_limits, onChange: (drafts) => form.setFieldValue('rate_limits', drafts) }}
    />
  );
}

function hold(form: LimitForm, limit: HeldLimit, isHeld: boolean): void {
  const { held } = form.values;
  form.setFieldValue(
    'held',
    heldLimits.filter((one) => (one === limit ? isHeld : held.includes(one))),
  );
}

/** Limits that the owner's edits cannot change. */
function HeldField({ form }: { form: LimitForm }) {
  const { t } = useTranslation();
  const { held } = form.values;
  return (
    <div className={layout.stackSm} role="group" aria-label={t('user-tokens.held.label')}>
      <span className={`${typography.small} ${typography.secondary}`} aria-hidden="true">
        {t('user-tokens.held.label')}
      </span>
      {heldLimits
        .filter((limit) => limit !== 'rate_limits' && limit !== 'budgets')
        .map((limit) => (
          <SwitchRow
            key={limit}
            label={t(`user-tokens.held.${limit}`)}
            checked={held.includes(limit)}
            onChange={(event) => hold(form, limit, event.currentTarget.checked)}
          />
        ))}
      <p className={typography.note}>{t('user-tokens.held.hint')}</p>
    </div>
  );
}
