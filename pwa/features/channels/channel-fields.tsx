import { NumberInput, Select, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { channelType, channelTypes } from '#shared/channel-types.ts';
import { clientGoneChoices } from '#shared/channels.ts';
import { groupsQuery } from '#pwa/api/groups.ts';
import { optionsQuery } from '#pwa/api/options.ts';
import { EditLabel } from '#pwa/ui/form/edit-label.tsx';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { JsonField } from '#pwa/ui/form/json-field.tsx';
import { Later } from '#pwa/ui/frame/later.tsx';
import { SecretField } from '#pwa/ui/form/secret-field.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import { typeName } from './channel-cells.tsx';
import { clientGoneOf, withClientGone } from './client-gone.ts';
import styles from './channel-form.module.css';
import { type ChannelField, type ChannelValues, endsInVersion, keysOf, textOf } from './channel-values.ts';
import { type ChannelFormState, ModelsField } from './models-field.tsx';

export interface ChannelFieldsProps {
  form: ChannelFormState;
  isNew: boolean;
  channelId: number | undefined;
  /** The stored key may not go where the values send it. */
  asksKey: boolean;
  /** What an existing channel has; undefined for a new one. */
  before: ChannelValues | undefined;
  changed: readonly ChannelField[];
  modelsByType: Readonly<Record<string, readonly string[]>>;
}

export function ChannelFields(props: ChannelFieldsProps) {
  const { form, isNew, asksKey, channelId, modelsByType } = props;
  const { t } = useTranslation();
  const groups = useQuery(groupsQuery);
  const label = useLabels(props);
  const { values } = form;
  const type = channelType(values.type);
  const keyCount = keysOf(values.key).length;

  function handleType(chosen: string | null): void {
    if (chosen === null) return;
    const next = Number(chosen);
    const related = modelsByType[values.type] ?? [];
    // Untouched models follow the type.
    const isUntouched = values.models.length === 0 || values.models.join() === related.join();
    form.setValues({ type: next, ...(isUntouched ? { models: [...(modelsByType[next] ?? [])] } : {}) });
  }

  return (
    <>
      <div className={styles.two}>
        <TextInput
          label={label('name')}
          placeholder={t('channels.hint.name')}
          data-autofocus={isNew || undefined}
          {...form.getInputProps('name')}
        />
        <Select
          label={label('type')}
          searchable
          data={typeOptions(values.type)}
          value={String(values.type)}
          onChange={handleType}
          error={form.errors.type}
          nothingFoundMessage={t('common.list.no_match')}
        />
      </div>
      {type?.notice !== undefined && (
        <p className={styles.notice}>
          <StatusMark status="note">{t(`channels.notice.${type.notice}`)}</StatusMark>
        </p>
      )}
      <BaseUrl {...props} />
      {type?.other !== undefined && (
        <TextInput
          label={label('other', t(`channels.other.${type.other}`))}
          placeholder={t(`channels.other_hint.${type.other}`)}
          {...form.getInputProps('other')}
        />
      )}
      <div>
        <SecretField
          label={label('key')}
          isSet={!isNew && !asksKey}
          value={values.key}
          onChange={(key) => form.setFieldValue('key', key)}
          error={form.errors.key}
          isMultiline={isNew}
          placeholder={keyHint()}
        />
        {asksKey && (
          <p className={styles.warning} role="status">
            <StatusMark status="look">{t('channels.hint.key_again')}</StatusMark>
          </p>
        )}
        {isNew && (
          <p className={styles.hint} role="status">
            {keyCount > 1 ? t('channels.hint.keys_count', { count: keyCount }) : t('channels.hint.keys')}
          </p>
        )}
      </div>
      <ModelsField form={form} channelId={channelId} label={label('models')} modelsByType={modelsByType} />
      <TagsInput
        label={label('groups')}
        placeholder={values.groups.length === 0 ? t('channels.hint.groups') : ''}
        data={groups.data ?? []}
        splitChars={[',', '，']}
        {...form.getInputProps('groups')}
      />
      <div className={styles.three}>
        <NumberInput
          label={label('priority')}
          allowDecimal={false}
          thousandSeparator=","
          inputMode="text"
          {...form.getInputProps('priority')}
        />
        <NumberInput
          label={label('weight')}
          allowDecimal={false}
          thousandSeparator=","
          allowNegative={false}
          inputMode="numeric"
          {...form.getInputProps('weight')}
        />
        <TextInput label={label('tag')} {...form.getInputProps('tag')} />
      </div>
      <div>
        <SwitchRow
          label={label('auto_ban')}
          description={t('channels.hint.auto_ban')}
          {...form.getInputProps('auto_ban', { type: 'checkbox' })}
        />
        {values.auto_ban && <AutoBanOff />}
      </div>
      {isNew ? (
        <Advanced {...props} />
      ) : (
        <Later>
          <Advanced {...props} />
        </Later>
      )}
    </>
  );

  function keyHint(): string {
    return type?.keyFormat === undefined ? t('channels.hint.key') : t('channels.hint.key_format', { format: type.keyFormat });
  }
}

/** Says so when the setting for all channels leaves this one's switch without effect. */
function AutoBanOff() {
  const { t } = useTranslation();
  const options = useQuery(optionsQuery);
  if (options.data?.find(({ key }) => key === 'AutomaticDisableChannelEnabled')?.value !== 'false') return null;
  return (
    <p className={styles.warning}>
      <StatusMark status="look">
        {t('channels.hint.auto_ban_off')} <Link to="/setting">{t('channels.hint.auto_ban_turn_on')}</Link>
      </StatusMark>
    </p>
  );
}

function BaseUrl(props: ChannelFieldsProps) {
  const { form } = props;
  const { t } = useTranslation();
  const label = useLabels(props);
  const { values } = form;
  const type = channelType(values.type);
  const kind =
    type?.notice === 'full_url'
      ? 'full_url'
      : type?.notice === 'azure_deployment'
        ? 'azure'
        : type?.baseUrl === ''
          ? 'required'
          : 'optional';
  return (
    <div>
      <TextInput
        label={label('base_url', t(`channels.base_url.${kind}`))}
        placeholder={type?.baseUrl === '' || type === undefined ? t(`channels.base_url_hint.${kind}`) : type.baseUrl}
        inputMode="url"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        {...form.getInputProps('base_url')}
        onBlur={() => form.setFieldValue('base_url', values.base_url.trim().replace(/\/+$/, ''))}
      />
      {endsInVersion(values) && (
        <p className={styles.warning}>
          <StatusMark status="look">{t('channels.version.note')}</StatusMark>
        </p>
      )}
    </div>
  );
}

const jsonFields = ['model_mapping', 'status_code_mapping', 'param_override', 'setting'] as const;
const templates = {
  model_mapping: '{\n  "gpt-3.5-turbo": "gpt-3.5-turbo-0125"\n}',
  status_code_mapping: '{\n  "400": "500"\n}',
  param_override: '{\n  "temperature": 0\n}',
  setting: '{\n  "force_format": true,\n  "thinking_to_content": false,\n  "proxy": "socks5://127.0.0.1:1080"\n}',
};

function Advanced(props: ChannelFieldsProps) {
  const { form } = props;
  const { t } = useTranslation();
  const label = useLabels(props);
  const { values, errors } = form;
  const type = channelType(values.type);
  const set =
    [...jsonFields, 'test_model', 'openai_organization'].filter((field) => textOfField(values, field) !== '').length +
    Number(values.max_input_tokens !== 0);
  const needsLook = [...jsonFields, 'openai_organization', 'test_model', 'max_input_tokens'].some((field) => errors[field] !== undefined);
  const testModels = [...new Set([...values.models, ...(values.test_model === '' ? [] : [values.test_model])])];
  return (
    <Fold
      title={t('channels.advanced.title')}
      aside={set === 0 ? undefined : t('channels.advanced.set', { count: set })}
      needsLook={needsLook}
    >
      {jsonFields.map((field) => (
        <JsonField
          key={field}
          label={label(field)}
          description={t(`channels.json_hint.${field}`)}
          template={templates[field]}
          minRows={2}
          value={values[field]}
          error={errors[field]}
          onChange={(text) => form.setFieldValue(field, text)}
        />
      ))}
      <Select
        label={t('channels.client_gone.label')}
        description={t('channels.client_gone.hint')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        data={clientGoneChoices.map((choice) => ({ value: choice, label: t(`channels.client_gone.${choice}`) }))}
        value={clientGoneOf(values.setting)}
        disabled={clientGoneOf(values.setting) === null}
        allowDeselect={false}
        onChange={(choice) => form.setFieldValue('setting', withClientGone(values.setting, choice ?? 'drain'))}
      />
      {type?.hasOrganization === true && (
        <TextInput label={label('openai_organization')} placeholder="org-…" {...form.getInputProps('openai_organization')} />
      )}
      <Select
        label={label('test_model')}
        placeholder={t('channels.hint.test_model')}
        data={testModels}
        searchable
        clearable
        value={values.test_model === '' ? null : values.test_model}
        onChange={(model) => form.setFieldValue('test_model', model ?? '')}
        error={errors.test_model}
      />
      <NumberInput
        label={label('max_input_tokens')}
        description={t('channels.hint.max_input_tokens')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        allowDecimal={false}
        allowNegative={false}
        thousandSeparator=","
        inputMode="numeric"
        {...form.getInputProps('max_input_tokens')}
      />
    </Fold>
  );
}

/** Labels that tell what a changed field held before. */
function useLabels({ before, changed }: ChannelFieldsProps): (field: ChannelField, name?: string) => ReactNode {
  const { t } = useTranslation();
  return (field, name) => {
    const isShort = field === 'name' || field === 'priority' || field === 'weight' || field === 'tag' || field === 'other';
    const was =
      before === undefined || !changed.includes(field)
        ? undefined
        : field === 'type'
          ? typeName(before.type)
          : isShort
            ? textOf(before, field)
            : true;
    return <EditLabel was={was}>{name ?? t(`channels.field.${field}`)}</EditLabel>;
  };
}

/** A channel of a type that is no longer offered keeps it. */
function typeOptions(current: number): { value: string; label: string }[] {
  const types = channelTypes.map((entry) => entry.type);
  return [...types, ...(types.includes(current) ? [] : [current])].map((type) => ({ value: String(type), label: typeName(type) }));
}

function textOfField(values: ChannelValues, field: string): string {
  const value = Object.entries(values).find(([name]) => name === field)?.[1];
  return typeof value === 'string' ? value.trim() : '';
}
