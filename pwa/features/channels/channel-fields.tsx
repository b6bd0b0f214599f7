import { NumberInput, Select, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { tidyBaseUrl } from '#shared/channel-rules.ts';
import { keyFormsText } from '#shared/channel-type-rules.ts';
import { channelType, channelTypes, type OtherField } from '#shared/channel-types.ts';
import { groupsQuery } from '#pwa/api/groups.ts';
import { optionsQuery } from '#pwa/api/options.ts';
import { currentLanguage } from '#pwa/i18n/setup.ts';
import { ManagedFields } from '#pwa/ui/form/managed-fields.tsx';
import { SecretField } from '#pwa/ui/form/secret-field.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { AdvancedFields } from './advanced-fields.tsx';
import { typeName } from './channel-cells.tsx';
import styles from './channel-form.module.css';
import { endsInVersion, keysOf } from './channel-values.ts';
import { ModelsField } from './models-field.tsx';
import type { EditedChannel } from './use-channel-form.ts';
import { useFieldLabels } from './use-field-labels.tsx';

/** What the free field may hold. */
const otherExamples: Readonly<Record<OtherField, string>> = {
  api_version: '2024-12-01-preview',
  plugin: '',
  account_id: 'd6b5da8hk1awo8nap34ube6gh',
  regions: 'global',
  bot_id: '7342866812345',
  spark_version: 'v3.5',
  library_id: '5',
  dify_app: 'workflow:query',
};

interface ChannelFieldsProps {
  edited: EditedChannel;
  modelsByType: Readonly<Record<string, readonly string[]>>;
}

export function ChannelFields({ edited, modelsByType }: ChannelFieldsProps) {
  const { t } = useTranslation();
  const label = useFieldLabels(edited);
  const groups = useQuery(groupsQuery);
  const { form, base } = edited;
  const { values } = form;
  const type = channelType(values.type);
  return (
    <>
      <ManagedFields file={base?.managed_by}>
        <div className={styles.two}>
          <TextInput label={label('name')} placeholder={t('channel.hint.name')} {...form.getInputProps('name')} />
          <TypeField edited={edited} modelsByType={modelsByType} />
        </div>
        {type?.notice !== undefined && (
          <p className={styles.notice}>
            <StatusMark status={type.hasEnded === true ? 'look' : 'note'}>{t(`channel.notice.${type.notice}`)}</StatusMark>
          </p>
        )}
        <BaseUrl edited={edited} />
        {type?.other !== undefined && (
          <TextInput
            label={label('other', t(`channel.other.${type.other}`))}
            description={t(`channel.other_hint.${type.other}`)}
            placeholder={otherExamples[type.other]}
            {...form.getInputProps('other')}
          />
        )}
        <KeyField edited={edited} />
        <ModelsField form={form} channelId={base?.id} label={label('models')} modelsByType={modelsByType} />
        <TagsInput
          label={label('groups')}
          placeholder={values.groups.length === 0 ? t('channel.hint.groups') : ''}
          data={groups.data ?? []}
          splitChars={[',', '，']}
          {...form.getInputProps('groups')}
        />
        <RoutingFields edited={edited} />
        <div>
          <SwitchRow
            label={label('auto_ban')}
            description={t('channel.hint.auto_ban')}
            {...form.getInputProps('auto_ban', { type: 'checkbox' })}
          />
          {values.auto_ban && <AutoBanOff />}
        </div>
      </ManagedFields>
      <AdvancedFields edited={edited} />
    </>
  );
}

function TypeField({ edited, modelsByType }: ChannelFieldsProps) {
  const { t } = useTranslation();
  const label = useFieldLabels(edited);
  const { form } = edited;
  const { values } = form;

  function handleType(chosen: string | null): void {
    if (chosen === null) return;
    const next = Number(chosen);
    const related = modelsByType[values.type] ?? [];
    // Untouched models follow the type.
    const isUntouched = values.models.length === 0 || values.models.join() === related.join();
    form.setValues({ type: next, ...(isUntouched ? { models: [...(modelsByType[next] ?? [])] } : {}) });
  }
  return (
    <Select
      label={label('type')}
      searchable
      data={typeOptions(values.type, t('channel.ended_types'))}
      value={String(values.type)}
      onChange={handleType}
      onClick={({ currentTarget }) => currentTarget.select()}
      error={form.errors.type}
      nothingFoundMessage={t('common.list.no_match')}
    />
  );
}

/** A channel retains a type that is no longer offered. @param ended heading of types whose service has ended, which come last */
function typeOptions(current: number, ended: string) {
  const optionOf = (type: number) => ({ value: String(type), label: typeName(type) });
  const typesThat = (haveEnded: boolean) => channelTypes.filter(({ hasEnded = false }) => hasEnded === haveEnded).map(({ type }) => type);
  const unknown = channelType(current) === undefined ? [current] : [];
  return [...[...typesThat(false), ...unknown].map(optionOf), { group: ended, items: typesThat(true).map(optionOf) }];
}

function BaseUrl({ edited }: { edited: EditedChannel }) {
  const { t } = useTranslation();
  const label = useFieldLabels(edited);
  const { form } = edited;
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
        label={label('base_url', t(`channel.base_url.${kind}`))}
        placeholder={(type?.baseUrlHint ?? type?.baseUrl) || t(`channel.base_url_hint.${kind}`)}
        inputMode="url"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        {...form.getInputProps('base_url')}
        onBlur={() => form.setFieldValue('base_url', tidyBaseUrl(values.base_url))}
      />
      {endsInVersion(values) && (
        <p className={`${typography.small} ${styles.warning}`}>
          <StatusMark status="look">{t('channel.version.note')}</StatusMark>
        </p>
      )}
    </div>
  );
}

function KeyField({ edited }: { edited: EditedChannel }) {
  const { t } = useTranslation();
  const label = useFieldLabels(edited);
  const { form, isNew, needsKey } = edited;
  const { key, type } = form.values;
  const hint = useKeyHint(type);
  const count = keysOf(key).length;
  return (
    <div>
      <SecretField
        label={label('key')}
        isSet={!isNew && !needsKey}
        value={key}
        onChange={(typed) => form.setFieldValue('key', typed)}
        error={form.errors.key}
        isMultiline={isNew}
        {...(hint === undefined ? { placeholder: t('channel.hint.key') } : { description: hint })}
      />
      {needsKey && (
        <p className={`${typography.small} ${styles.warning}`} role="status">
          <StatusMark status="look">{t('channel.hint.key_again')}</StatusMark>
        </p>
      )}
      {isNew && (
        <p className={`${typography.note} ${styles.hint}`} role="status">
          {count > 1 ? t('channel.hint.keys_count', { count }) : t('channel.hint.keys')}
        </p>
      )}
    </div>
  );
}

/** What a key of the type is; undefined: its provider's only API key. */
function useKeyHint(type: number): string | undefined {
  const { t } = useTranslation();
  const { keyForms, keyKind, keyHint } = channelType(type) ?? {};
  const named = keyKind ?? keyHint;
  if (named !== undefined) return t(`channel.key_hint.${named}`);
  return keyForms === undefined ? undefined : t('channel.hint.key_format', { forms: keyFormsText(type)[currentLanguage()] });
}

/** Order in which channels are tried. */
function RoutingFields({ edited }: { edited: EditedChannel }) {
  const label = useFieldLabels(edited);
  const { form } = edited;
  return (
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
      <TextInput className={styles.whole} label={label('remark')} {...form.getInputProps('remark')} />
    </div>
  );
}

/** Says so when the setting for all channels leaves this one's switch without effect. */
function AutoBanOff() {
  const { t } = useTranslation();
  const options = useQuery(optionsQuery);
  if (options.data?.find(({ key }) => key === 'AutomaticDisableChannelEnabled')?.value !== 'false') return null;
  return (
    <p className={`${typography.small} ${styles.warning}`}>
      <StatusMark status="look">
        {t('channel.hint.auto_ban_off')} <Link to="/setting">{t('channel.hint.auto_ban_turn_on')}</Link>
      </StatusMark>
    </p>
  );
}
