import { NumberInput, Select, Switch, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { channelType } from '#shared/channel-types.ts';
import { clientGoneChoices } from '#shared/channels.ts';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { JsonField } from '#pwa/ui/form/json-field.tsx';
import { ManagedFields } from '#pwa/ui/form/managed-fields.tsx';
import type { ChannelValues } from './channel-values.ts';
import { clientGoneOf, isTestedAutomatically, withAutomaticTests, withClientGone } from './setting-choices.ts';
import type { EditedChannel } from './use-channel-form.ts';
import { useFieldLabels } from './use-field-labels.tsx';

const jsonFields = ['model_mapping', 'status_code_mapping', 'param_override', 'setting'] as const;
const templates = {
  model_mapping: '{\n  "gpt-3.5-turbo": "gpt-3.5-turbo-0125"\n}',
  status_code_mapping: '{\n  "400": "500"\n}',
  param_override: '{\n  "temperature": 0\n}',
  setting: '{\n  "force_format": true,\n  "thinking_to_content": false,\n  "proxy": "socks5://127.0.0.1:1080"\n}',
};

/** What most channels leave as it is, folded away. */
export function AdvancedFields({ edited }: { edited: EditedChannel }) {
  const { t } = useTranslation();
  const label = useFieldLabels(edited);
  const { form, base } = edited;
  const { values, errors } = form;
  const type = channelType(values.type);
  const set =
    [...jsonFields, 'test_model', 'openai_organization'].filter((field) => textOfField(values, field) !== '').length +
    Number(values.max_input_tokens !== 0);
  const needsLook = [...jsonFields, 'openai_organization', 'test_model', 'max_input_tokens'].some((field) => errors[field] !== undefined);
  const testModels = [...new Set([...values.models, ...(values.test_model === '' ? [] : [values.test_model])])];
  return (
    <Fold
      title={t('channel.advanced.title')}
      aside={set === 0 ? undefined : t('channel.advanced.set', { count: set })}
      needsLook={needsLook}
    >
      {() => (
        <ManagedFields file={base?.managed_by}>
          {jsonFields.map((field) => (
            <JsonField
              key={field}
              label={label(field)}
              description={t(`channel.json_hint.${field}`)}
              template={templates[field]}
              minRows={2}
              value={values[field]}
              error={errors[field]}
              onChange={(text) => form.setFieldValue(field, text)}
            />
          ))}
          <Select
            label={t('channel.client_gone.label')}
            description={t('channel.client_gone.hint')}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            data={clientGoneChoices.map((choice) => ({ value: choice, label: t(`channel.client_gone.${choice}`) }))}
            value={clientGoneOf(values.setting)}
            disabled={clientGoneOf(values.setting) === null}
            allowDeselect={false}
            onChange={(choice) => form.setFieldValue('setting', withClientGone(values.setting, choice ?? 'drain'))}
          />
          <Switch
            label={t('channel.automatic_tests.label')}
            description={t('channel.automatic_tests.hint')}
            checked={isTestedAutomatically(values.setting) !== false}
            disabled={isTestedAutomatically(values.setting) === null}
            onChange={(event) => form.setFieldValue('setting', withAutomaticTests(values.setting, event.currentTarget.checked))}
          />
          {type?.hasOrganization === true && (
            <TextInput label={label('openai_organization')} placeholder="org-…" {...form.getInputProps('openai_organization')} />
          )}
          <Select
            label={label('test_model')}
            placeholder={t('channel.hint.test_model')}
            data={testModels}
            searchable
            clearable
            value={values.test_model === '' ? null : values.test_model}
            onChange={(model) => form.setFieldValue('test_model', model ?? '')}
            error={errors.test_model}
          />
          <NumberInput
            label={label('max_input_tokens')}
            description={t('channel.hint.max_input_tokens')}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            inputMode="numeric"
            {...form.getInputProps('max_input_tokens')}
          />
        </ManagedFields>
      )}
    </Fold>
  );
}

function textOfField(values: ChannelValues, field: string): string {
  const value = Object.entries(values).find(([name]) => name === field)?.[1];
  return typeof value === 'string' ? value.trim() : '';
}
