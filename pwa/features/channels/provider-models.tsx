import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { channelType } from '#shared/channel-types.ts';
import { channelApi } from '#shared/channels.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Checkbox } from '#pwa/ui/list/checkbox.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { draftBody, keysOf } from './channel-values.ts';
import { applyDiff, firstDiff, type ModelDiff, modelDiff } from './model-diff.ts';
import type { ChannelFormState } from './models-field.tsx';
import styles from './provider-models.module.css';

interface ProviderModelsProps {
  form: ChannelFormState;
  /** Undefined: a new channel. */
  channelId: number | undefined;
  /** What a new channel of its type is filled with. */
  filled: readonly string[];
}

// Longer than the server gives a provider.
const patience = 25_000;

/** Requests the provider's models, and shows the changes before they are applied. */
export function ProviderModels({ form, channelId, filled }: ProviderModelsProps) {
  const { t } = useTranslation();
  const [found, setFound] = useState<Found>();
  const [lacksKey, setLacksKey] = useState(false);
  const listModels = useMutation({
    mutationFn: () => call(channelApi.fetchDraftModels, { body: draftBody(form.getValues(), channelId), timeout: patience }),
    meta: { quiet: true },
    onSuccess: handleListed,
  });
  if (channelType(form.values.type)?.listsModels !== true)
    return <p className={`${typography.note} ${styles.hint}`}>{t('channel.provider.unlisted')}</p>;

  /** The form takes over what was found at once: what is ticked is what is tested and saved. */
  function handleListed(listed: readonly string[]): void {
    const values = form.getValues();
    const isNew = channelId === undefined;
    const diff = isNew ? firstDiff(values, listed, filled) : modelDiff(values, listed);
    setFound({ ...diff, count: listed.length, before: values.models });
    const remaining = isNew ? values.models.filter((model) => listed.includes(model) || !filled.includes(model)) : values.models;
    form.setFieldValue('models', applyDiff(remaining, { added: diff.added, gone: isNew ? diff.gone : [] }));
  }
  function handleAsk(): void {
    const isMissing = channelId === undefined && keysOf(form.getValues().key).length === 0;
    setLacksKey(isMissing);
    setFound(undefined);
    if (!isMissing) listModels.mutate();
  }
  const label = t('channel.provider.ask');
  return (
    <div className={styles.provider}>
      <OnlineButton loading={listModels.isPending} icon={<Icon name="refresh" />} onClick={handleAsk} label={label} />
      {(lacksKey || listModels.error !== null) && (
        <p className={styles.failure} role="alert">
          <StatusMark status={lacksKey ? 'note' : 'failed'}>
            {lacksKey || listModels.error === null ? t('channel.provider.key_first') : failureOf(listModels.error).message}
          </StatusMark>
        </p>
      )}
      {found !== undefined && <Diff found={found} form={form} onClose={() => setFound(undefined)} />}
    </div>
  );
}

interface Found extends ModelDiff {
  /** How many the provider lists. */
  count: number;
  /** Models of the form before the request. */
  before: readonly string[];
}

interface DiffProps {
  form: ChannelFormState;
  found: Found;
  onClose: () => void;
}

function Diff({ form, found: { added, gone, count, before }, onClose }: DiffProps) {
  const { t } = useTranslation();
  if (added.length + gone.length === 0) {
    return (
      <p role="status">
        <StatusMark status="on">{t('channel.provider.same', { count })}</StatusMark>
      </p>
    );
  }
  const { models } = form.values;
  const chosen = new Set(models);
  const toAdd = new Set(added.filter((model) => chosen.has(model)));
  const toRemove = new Set(gone.filter((model) => !chosen.has(model)));
  const set = (names: readonly string[]): void => form.setFieldValue('models', [...names]);
  return (
    <div className={styles.diff} role="group" aria-label={t('channel.provider.ask')}>
      <p role="status">{t('channel.provider.found', { count })}</p>
      <Group
        sign="+"
        names={added}
        title={t('channel.provider.added', { count: added.length })}
        ticked={toAdd}
        onTick={(ticked) => set(applyDiff(models, { added: [...ticked], gone: added.filter((model) => !ticked.has(model)) }))}
      />
      <Group
        sign={'\u2212'}
        names={gone}
        title={t('channel.provider.gone', { count: gone.length })}
        ticked={toRemove}
        onTick={(ticked) => set(applyDiff(models, { added: gone.filter((model) => !ticked.has(model)), gone: [...ticked] }))}
      />
      <span className={layout.wrap}>
        <Button onClick={onClose}>{t('common.action.done')}</Button>
        <Button
          variant="subtle"
          onClick={() => {
            set(before);
            onClose();
          }}
        >
          {t('channel.provider.undo')}
        </Button>
      </span>
    </div>
  );
}

interface GroupProps {
  sign: string;
  title: string;
  names: readonly string[];
  ticked: ReadonlySet<string>;
  onTick: (ticked: ReadonlySet<string>) => void;
}

/** More are not drawn one by one: they go with the tick of all. */
const mostShown = 200;

function Group({ sign, title, names, ticked, onTick }: GroupProps) {
  const { t } = useTranslation();
  if (names.length === 0) return null;
  const isAll = ticked.size === names.length;
  const toggle = (name: string): void => {
    const next = new Set(ticked);
    if (!next.delete(name)) next.add(name);
    onTick(next);
  };
  return (
    <fieldset className={styles.group}>
      <legend>
        <label className={`${layout.row} ${styles.name}`}>
          <Checkbox
            label={title}
            isTicked={isAll}
            isMixed={!isAll && ticked.size > 0}
            onChange={() => onTick(new Set(isAll ? [] : names))}
          />
          {title}
        </label>
      </legend>
      <ul className={styles.names}>
        {names.slice(0, mostShown).map((name) => (
          <li key={name}>
            <label className={`${layout.row} ${styles.name}`}>
              <Checkbox label={name} isTicked={ticked.has(name)} onChange={() => toggle(name)} />
              <span className={styles.sign} aria-hidden="true">
                {sign}
              </span>
              {name}
            </label>
          </li>
        ))}
      </ul>
      {names.length > mostShown && (
        <p className={`${typography.note} ${styles.hint}`}>{t('channel.provider.more', { count: names.length - mostShown })}</p>
      )}
    </fieldset>
  );
}
