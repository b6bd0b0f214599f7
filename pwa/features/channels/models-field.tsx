import { Button, TagsInput } from '@mantine/core';
import type { useForm } from '@mantine/form';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './channel-form.module.css';
import type { ChannelValues } from './channel-values.ts';
import { ProviderModels } from './provider-models.tsx';

/** What the fields use of the form. */
export type ChannelFormState = Pick<
  ReturnType<typeof useForm<ChannelValues>>,
  'values' | 'errors' | 'getValues' | 'setValues' | 'setFieldValue' | 'getInputProps'
>;

interface ModelsFieldProps {
  form: ChannelFormState;
  /** Undefined: a new channel. */
  channelId: number | undefined;
  label: ReactNode;
  modelsByType: Readonly<Record<string, readonly string[]>>;
}

/** The models of a channel: chosen from those of its type, from all, or typed. */
export function ModelsField({ form, channelId, label, modelsByType }: ModelsFieldProps) {
  const { t } = useTranslation();
  const { models, type } = form.values;
  const related = modelsByType[type] ?? [];
  const all = [...new Set(Object.values(modelsByType).flat())].sort();
  const missing = related.filter((model) => !models.includes(model));
  const offered = [...related, ...all.filter((model) => !related.includes(model))];
  const [search, setSearch] = useState('');
  useFirstModels(form, related);

  const add = (added: readonly string[]): void => form.setFieldValue('models', [...new Set([...models, ...added])]);
  return (
    <div className={styles.models}>
      <TagsInput
        label={
          <>
            {label} <span className={typography.muted}>{t('channel.models.count', { count: models.length })}</span>
          </>
        }
        placeholder={models.length === 0 ? t('channel.hint.models') : t('channel.hint.custom_model')}
        // What other types have is for who looks for it: else it would lie over the form's foot after each name.
        data={search.trim() === '' ? missing : offered}
        searchValue={search}
        onSearchChange={setSearch}
        limit={60}
        splitChars={[',', '，', '\n', ' ']}
        {...form.getInputProps('models')}
        onChange={(next) => form.setFieldValue('models', [...new Set(next.map((model) => model.trim()).filter((model) => model !== ''))])}
      />
      <span className={styles.tools}>
        <Button variant="subtle" disabled={missing.length === 0} onClick={() => add(missing)}>
          {t('channel.models.fill_related', { count: related.length })}
        </Button>
        <Button variant="subtle" disabled={all.length === 0} onClick={() => add(all)}>
          {t('channel.models.fill_all')}
        </Button>
        <Button variant="subtle" disabled={models.length === 0} onClick={() => form.setFieldValue('models', [])}>
          {t('channel.models.clear')}
        </Button>
      </span>
      <ProviderModels form={form} channelId={channelId} filled={related} />
    </div>
  );
}

/** A new channel begins with the models of its type, as soon as they are known. */
function useFirstModels(form: ChannelFormState, related: readonly string[]): void {
  const isPristine = useRef(form.values.name === '' && form.values.models.length === 0);
  useEffect(() => {
    if (!isPristine.current || related.length === 0) return;
    isPristine.current = false;
    if (form.getValues().models.length === 0) form.setFieldValue('models', [...related]);
  });
}
