import { MultiSelect, Select, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { tokenBatchLimit } from '#shared/tokens.ts';
import { usableGroupsQuery } from '#pwa/api/groups.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { usableModelsQuery } from '#pwa/api/usable-models.ts';
import { AddressesField } from '#pwa/records/tokens/addresses-field.tsx';
import { never } from '#pwa/records/tokens/token-limits.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { CountField } from '#pwa/ui/form/count-field.tsx';
import { ExpiryField } from '#pwa/ui/form/expiry-field.tsx';
import { ManagedFields } from '#pwa/ui/form/managed-fields.tsx';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { serverWords } from '#pwa/ui/server-words.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import type { TokenForm } from './use-token-form.ts';
import styles from './tokens.module.css';

interface TokenFieldsProps {
  form: TokenForm;
  /** New tokens can be made by the dozen. */
  hasCount: boolean;
  /** File that decides all fields but the balance. */
  managedBy?: string | undefined;
}

/** One field, of one token or of many. */
interface FieldProps {
  form: Pick<TokenForm, 'values' | 'errors' | 'setFieldValue' | 'getInputProps'>;
}

/** Dollars that are offered as balances. */
export const picks = [1, 10, 50, 100, 500, 1000];
const countPicks = [10, 20, 30, 100];
const below = ['label', 'input', 'error', 'description'] as const;

export function TokenFields({ form, hasCount, managedBy: file }: TokenFieldsProps) {
  const { t } = useTranslation();
  const { values } = form;
  return (
    <>
      <ManagedFields file={file}>
        <TextInput label={t('tokens.form.name')} autoComplete="off" {...form.getInputProps('name')} />
        <GroupField form={form} />
        <AutoGroupFields form={form} />
      </ManagedFields>
      <QuotaFields form={form} managedBy={file} />
      <ManagedFields file={file}>
        <BudgetField form={form} />
        <TokenExpiry form={form} />
        <ModelsField form={form} />
        <AddressesField {...form.getInputProps('allow_ips')} />
      </ManagedFields>
      {hasCount && (
        <CountField
          label={t('tokens.form.count')}
          description={t('tokens.form.count_hint')}
          max={tokenBatchLimit}
          value={values.count}
          error={form.errors['count']}
          picks={countPicks}
          onChange={(count) => form.setFieldValue('count', count)}
        />
      )}
    </>
  );
}

/** What a token may spend: a limit of its own, or none. */
export function QuotaFields({ form, managedBy }: FieldProps & Pick<TokenFieldsProps, 'managedBy'>) {
  const { t } = useTranslation();
  const format = useFormat();
  const { values } = form;
  return (
    <div className={layout.stackSm}>
      <Switch
        className={styles.switch}
        label={t('tokens.form.unlimited')}
        checked={values.unlimited_quota}
        disabled={managedBy !== undefined}
        onChange={(event) => form.setFieldValue('unlimited_quota', event.currentTarget.checked)}
      />
      {!values.unlimited_quota && (
        <QuotaInput
          label={t('tokens.form.quota')}
          value={values.remain_quota}
          onChange={(units) => form.setFieldValue('remain_quota', units)}
          error={form.errors['remain_quota']}
          presets={picks.map((usd) => usd * format.quotaPerUnit)}
        />
      )}
      <p className={typography.note}>{t('tokens.form.quota_hint')}</p>
    </div>
  );
}

export function BudgetField({ form }: FieldProps) {
  const { t } = useTranslation();
  const { values } = form;
  return (
    <QuotaInput
      label={t('tokens.form.session_budget')}
      description={t('tokens.form.session_budget_hint')}
      value={values.session_budget}
      onChange={(units) => form.setFieldValue('session_budget', units)}
      error={form.errors['session_budget']}
      placeholder={t('tokens.no_budget')}
    />
  );
}

/** Stands for the empty name: an empty value is no choice to a select. */
const ownGroup = ':own';

export function GroupField({ form }: FieldProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const groups = useQuery(usableGroupsQuery);
  const own = useStoredUser()?.group ?? 'default';
  const known = Object.entries(groups.data ?? {}).filter(([name]) => name !== '');
  const { group } = form.values;
  const options = [
    { value: ownGroup, label: t('tokens.form.own_group', { name: own }), note: '' },
    ...known.map(([name, { ratio, desc, groups: auto }]) => ({
      value: name,
      label: auto === undefined ? `${name} ${format.factor(ratio)}` : t('tokens.form.auto', { name }),
      note: serverWords(t, desc),
    })),
    // One that may no longer be chosen stays in sight as long as it is set.
    ...(group === '' || known.some(([name]) => name === group) ? [] : [{ value: group, label: group, note: '' }]),
  ];
  const notes = new Map(options.map((option) => [option.value, option.note]));
  return (
    <Select
      label={t('tokens.form.group')}
      data={options.map(({ value, label }) => ({ value, label }))}
      value={group === '' ? ownGroup : group}
      error={form.errors['group']}
      onChange={(value) => form.setFieldValue('group', value === null || value === ownGroup ? '' : value)}
      renderOption={({ option }) => (
        <span className={styles.option}>
          {option.label}
          {notes.get(option.value) !== '' && <small>{notes.get(option.value)}</small>}
        </span>
      )}
    />
  );
}

/** Which groups a token of group `auto` uses, in their order, and whether calls move on when one fails. */
function AutoGroupFields({ form }: FieldProps) {
  const { t } = useTranslation();
  const { data: groups = {} } = useQuery(usableGroupsQuery);
  const { values } = form;
  const auto = groups[values.group]?.groups;
  if (auto === undefined) return null;
  const choices = Object.keys(groups).filter((name) => name !== values.group);
  return (
    <div className={layout.stackSm}>
      <MultiSelect
        label={t('tokens.form.auto_groups')}
        description={t('tokens.form.auto_groups_hint', { groups: auto.join(' → ') })}
        inputWrapperOrder={[...below]}
        data={[...new Set([...choices, ...values.auto_groups])]}
        value={values.auto_groups}
        error={form.errors['auto_groups']}
        onChange={(names) => form.setFieldValue('auto_groups', names)}
      />
      <Switch
        className={styles.switch}
        label={t('tokens.form.cross_group_retry')}
        description={t('tokens.form.cross_group_retry_hint')}
        checked={values.cross_group_retry}
        onChange={(event) => form.setFieldValue('cross_group_retry', event.currentTarget.checked)}
      />
    </div>
  );
}

const hour = 60 * 60;
const shortcuts = [
  { name: 'hour', seconds: hour },
  { name: 'day', seconds: 24 * hour },
  { name: 'month', seconds: 30 * 24 * hour },
] as const;

export function TokenExpiry({ form }: FieldProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { expired_time: expiry } = form.values;
  const custom = { name: 'custom', seconds: 7 * 24 * hour } as const;
  const offered = expiry === never ? [...shortcuts, custom] : shortcuts;
  return (
    <ExpiryField
      label={t('tokens.form.expiry')}
      value={expiry}
      onChange={(seconds) => form.setFieldValue('expired_time', seconds)}
      error={form.errors['expired_time']}
      neverLabel={t('tokens.never')}
      zoneText={t('tokens.form.expiry_zone', { zone: format.timeZone })}
      shortcuts={offered.map(({ name, seconds }) => ({ name, seconds, label: t(`tokens.form.expiry_${name}`) }))}
    />
  );
}

export function ModelsField({ form }: FieldProps) {
  const { t } = useTranslation();
  const models = useQuery(usableModelsQuery);
  const { model_limits_enabled: isLimited, model_limits: chosen } = form.values;
  // What a token is limited to stays choosable, also when no channel offers it now.
  const data = [...new Set([...(models.data ?? []), ...chosen])].sort();
  return (
    <div className={layout.stackSm}>
      <Switch
        className={styles.switch}
        label={t('tokens.form.limit_models')}
        checked={isLimited}
        onChange={(event) => form.setFieldValue('model_limits_enabled', event.currentTarget.checked)}
      />
      {isLimited && (
        <MultiSelect
          label={t('tokens.form.models')}
          data={data}
          value={chosen}
          error={form.errors['model_limits']}
          searchable
          clearable
          maxDropdownHeight={260}
          nothingFoundMessage={t('tokens.form.no_model')}
          onChange={(names) => form.setFieldValue('model_limits', names)}
        />
      )}
    </div>
  );
}
