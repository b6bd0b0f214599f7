import { NumberInput, Select, TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { CSSProperties } from 'react';
import { useTranslation } from 'react-i18next';
import { kindOfModel } from '#pwa/api/chat-models.ts';
import { usableGroupsQuery } from '#pwa/api/groups.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { type ChatFormat, chatFormats, type ChatSettings } from '#pwa/offline/conversation.ts';
import { TextArea } from '#pwa/ui/form/text-area.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { PlainIconButton } from '#pwa/ui/controls/plain-button.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import { JsonField, jsonFault } from '#pwa/ui/form/json-field.tsx';
import { serverWords } from '#pwa/ui/server-words.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { chooseSettings } from './conversations-state.ts';
import { MediaParameters } from './media-parameters.tsx';
import styles from './parameters.module.css';
import { claudeLimit, lacking, listOf, objectOf } from './request-body.ts';

const efforts = ['', 'low', 'medium', 'high'] as const;
const numbers = [
  { field: 'max_tokens', min: 1, step: 1, max: 1_000_000 },
  { field: 'top_p', min: 0, step: 0.05, max: 1 },
  { field: 'presence_penalty', min: -2, step: 0.1, max: 2 },
  { field: 'frequency_penalty', min: -2, step: 0.1, max: 2 },
  { field: 'seed', min: 0, step: 1, max: 2_147_483_647 },
] as const;

/** As their makers write them. */
const formatNames: Record<ChatFormat, string> = {
  'openai-chat': 'OpenAI Chat',
  'openai-responses': 'OpenAI Responses',
  claude: 'Claude Messages',
  gemini: 'Gemini',
};

const exampleTools = JSON.stringify(
  [
    {
      type: 'function',
      function: {
        name: 'get_tide',
        description: 'Height of the tide',
        parameters: { type: 'object', properties: { port: { type: 'string' } } },
      },
    },
  ],
  null,
  2,
);

/** Parameters of this conversation's calls. Those that are not set are not sent. */
export function Parameters({ settings, model }: { settings: ChatSettings; model: string }) {
  const kind = kindOfModel(model) ?? 'chat';
  if (kind === 'chat') return <ChatParameters settings={settings} />;
  return (
    <div className={layout.stackMd}>
      <GroupField group={settings.group} />
      <MediaParameters kind={kind} model={model} settings={settings} />
    </div>
  );
}

function ChatParameters({ settings }: { settings: ChatSettings }) {
  const { t } = useTranslation();
  const unset = t('playground.parameter.unset');
  const format = settings.format ?? 'openai-chat';
  const has = (field: keyof ChatSettings): boolean => !lacking[format].has(field);
  return (
    <div className={layout.stackMd}>
      <GroupField group={settings.group} />
      <FormatField format={format} />
      <TextArea
        label={t('playground.parameter.system')}
        placeholder={t('playground.parameter.system_hint')}
        minRows={2}
        maxRows={10}
        value={settings.system}
        onChange={(event) => chooseSettings({ system: event.currentTarget.value })}
      />
      <TemperatureField value={settings.temperature} />
      {numbers
        .filter(({ field }) => has(field))
        .map(({ field, min, max, step }) => (
          <NumberInput
            key={field}
            label={t(`playground.parameter.${field}`)}
            placeholder={field === 'max_tokens' && format === 'claude' ? String(claudeLimit) : unset}
            min={min}
            max={max}
            step={step}
            allowDecimal={step < 1}
            value={settings[field] ?? ''}
            onChange={(value) => chooseSettings({ [field]: typeof value === 'number' ? value : null })}
          />
        ))}
      {has('reasoning_effort') && (
        <div className={layout.stackXs}>
          <span className={`${typography.small} ${styles.parameterName}`}>{t('playground.parameter.reasoning_effort')}</span>
          <Segments
            label={t('playground.parameter.reasoning_effort')}
            value={settings.reasoning_effort}
            options={efforts.map((value) => ({ value, label: value === '' ? unset : t(`playground.parameter.effort.${value}`) }))}
            onChange={(value) => chooseSettings({ reasoning_effort: value })}
          />
        </div>
      )}
      {has('stop') && (
        <TagsInput
          label={t('playground.parameter.stop')}
          placeholder={settings.stop.length === 0 ? unset : ''}
          maxTags={4}
          // There is no list to open.
          openOnFocus={false}
          value={settings.stop}
          onChange={(stop) => chooseSettings({ stop })}
        />
      )}
      {has('json') && (
        <SwitchRow
          label={t('playground.parameter.json')}
          checked={settings.json}
          onChange={(event) => chooseSettings({ json: event.currentTarget.checked })}
        />
      )}
      <TypedFields settings={settings} />
      <p className={typography.note}>{t('playground.parameter.unset_hint')}</p>
    </div>
  );
}

/** What is typed as JSON. */
function TypedFields({ settings }: { settings: ChatSettings }) {
  const { t } = useTranslation();
  return (
    <>
      <JsonField
        label={t('playground.parameter.tools')}
        minRows={2}
        template={exampleTools}
        value={settings.tools}
        error={
          jsonFault(settings.tools) === undefined && listOf(settings.tools) === undefined ? t('playground.parameter.not_list') : undefined
        }
        onChange={(tools) => chooseSettings({ tools })}
      />
      <JsonField
        label={t('playground.parameter.extra')}
        description={t('playground.parameter.extra_hint')}
        minRows={2}
        template={'{\n  "logit_bias": {}\n}'}
        value={settings.extra}
        error={
          jsonFault(settings.extra) === undefined && objectOf(settings.extra) === undefined
            ? t('playground.parameter.not_object')
            : undefined
        }
        onChange={(extra) => chooseSettings({ extra })}
      />
    </>
  );
}

function FormatField({ format }: { format: ChatFormat }) {
  const { t } = useTranslation();
  return (
    <Select
      label={t('playground.parameter.format')}
      description={t('playground.parameter.format_hint')}
      allowDeselect={false}
      data={chatFormats.map((value) => ({ value, label: formatNames[value] }))}
      value={format}
      onChange={(value) => chooseSettings({ format: chatFormats.find((one) => one === value) })}
    />
  );
}

function GroupField({ group }: { group: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const own = useStoredUser()?.group ?? '';
  const { data: groups = {} } = useQuery(usableGroupsQuery);
  // One that is not offered any more stays until another is chosen.
  const names = [...new Set([own, ...Object.keys(groups), group])].filter((name) => name !== '');
  const labelOf = (name: string): string => {
    const known = groups[name];
    const words = name === own ? t('playground.parameter.own_group', { name }) : name;
    return known === undefined
      ? words
      : `${words} ${format.factor(known.ratio)}${known.desc === name ? '' : ` · ${serverWords(t, known.desc)}`}`;
  };
  return (
    <Select
      label={t('playground.parameter.group')}
      allowDeselect={false}
      data={names.map((name) => ({ value: name, label: labelOf(name) }))}
      value={group === '' ? own : group}
      onChange={(name) => chooseSettings({ group: name === null || name === own ? '' : name })}
    />
  );
}

function TemperatureField({ value }: { value: number | null }) {
  const { t } = useTranslation();
  const name = t('playground.parameter.temperature');
  const filled: CSSProperties & Record<'--filled', string> = { '--filled': `${(value ?? 1) * 50}%` };
  return (
    <div className={layout.stackXs}>
      <span className={`${layout.row} ${styles.parameterHead}`}>
        <span className={`${typography.small} ${styles.parameterName}`}>{name}</span>
        <span className={value === null ? styles.unset : styles.set}>{value === null ? t('playground.parameter.unset') : value}</span>
        {value !== null && (
          <PlainIconButton label={t('playground.parameter.clear', { name })} onClick={() => chooseSettings({ temperature: null })}>
            <Icon name="close" />
          </PlainIconButton>
        )}
      </span>
      <input
        className={styles.range}
        type="range"
        aria-label={name}
        aria-valuetext={value === null ? t('playground.parameter.unset') : String(value)}
        min={0}
        max={2}
        step={0.1}
        value={value ?? 1}
        style={filled}
        data-unset={value === null || undefined}
        onChange={(event) => chooseSettings({ temperature: Number(event.currentTarget.value) })}
      />
    </div>
  );
}
