import { Button, NumberInput, PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ChannelKey, channelKeyApi, type KeyPlace, longestKeyNote } from '#shared/channel-keys.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { ManagedFields } from '#pwa/ui/form/managed-fields.tsx';
import { SidePanel, SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './channel-keys.module.css';
import { endingText, KeyMark, useStateReason } from './key-mark.tsx';
import { placesQuery, useKeyMutation } from './queries.ts';
import { RemoveKeys } from './remove-keys.tsx';

interface KeyPanelProps {
  channel: number;
  of: ChannelKey;
  isSole: boolean;
  /** File that decides the key and its limits. */
  managedBy: string | undefined;
  onReplaceEverywhere: (places: readonly KeyPlace[]) => void;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

/** One key: its state and what can be done about it, its limits, its figures, and where else it is used. */
export function KeyPanel({ channel, of: key, isSole, managedBy: file, onReplaceEverywhere, ...ways }: KeyPanelProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const params = { id: String(channel), key: String(key.id) };
  const [isRemoving, setRemoving] = useState(false);
  const places = useQuery(placesQuery(channel, key.id));
  const others = places.data?.filter(({ channel_id: id }) => id !== channel) ?? [];
  return (
    <SidePanel
      {...ways}
      title={endingText(key.ending)}
      note={key.id === 0 ? undefined : `#${key.id}`}
      foot={
        file === undefined && (
          <>
            {!isSole && (
              <OnlineButton variant="subtle" data-danger onClick={() => setRemoving(true)} label={t('channel-keys.action.remove')} />
            )}
            <OnlineButton
              onClick={() => onReplaceEverywhere(places.data ?? [])}
              label={t('channel-keys.action.replace_in', { count: new Set([channel, ...others.map(({ channel_id: id }) => id)]).size })}
            />
          </>
        )
      }
    >
      <div className={layout.stackLg}>
        <KeyState params={params} of={key} />
        {isRemoving && <RemoveKeys channel={channel} removed={[key]} onRemoved={ways.onClose} onClose={() => setRemoving(false)} />}
        <ManagedFields file={file}>
          <KeyLimits key={`limits-${key.revision}`} params={params} of={key} />
        </ManagedFields>
        {file === undefined && <ReplaceOne key={`replace-${key.revision}`} params={params} />}
        <SummaryList
          items={[
            { name: t('channel-keys.figure.calls'), value: format.count(key.calls) },
            { name: t('channel-keys.figure.failures'), value: format.count(key.failures) },
            ...(key.id === 0 ? [] : [{ name: t('channel-keys.figure.tokens'), value: format.count(key.tokens) }]),
            { name: t('channel-keys.figure.total'), value: format.count(key.total_calls) },
          ]}
        />
        {others.length > 0 && (
          <section>
            <h3 className={typography.muted}>{t('channel-keys.places.title')}</h3>
            {others.map((place) => (
              <div key={`${place.channel_id}-${place.key_id}`} className={`${styles.place} ${layout.spread}`}>
                <span>{t('channel-keys.places.place', { name: place.channel_name, id: place.channel_id, position: place.position })}</span>
                <KeyMark of={{ state: place.state === 'cooling_down' ? 'healthy' : place.state, cooling_until: 0 }} />
              </div>
            ))}
          </section>
        )}
        <p className={typography.muted}>{t('channel-keys.add.secret')}</p>
      </div>
    </SidePanel>
  );
}

interface KeyPartProps {
  params: { id: string; key: string };
  of: ChannelKey;
}

function KeyState({ params, of: key }: KeyPartProps) {
  const { t } = useTranslation();
  const reasonOf = useStateReason();
  const test = useKeyMutation(() => call(channelKeyApi.test, { params, body: {} }));
  const isDisabled = key.state === 'disabled' || key.state === 'refused' || key.state === 'no_balance';
  const status = isDisabled ? 1 : 2;
  const toggle = useKeyMutation(() => call(channelKeyApi.edit, { params, body: { status } }));
  const failure = test.error ?? toggle.error;
  return (
    <section className={layout.stackSm}>
      <KeyMark of={key} />
      {reasonOf(key) !== '' && <span className={typography.muted}>{reasonOf(key)}</span>}
      {key.reason !== '' && <p>{key.reason}</p>}
      <span className={layout.wrap}>
        <OnlineButton
          loading={test.isPending}
          onClick={() => test.mutate(undefined, { onSuccess: () => toastSuccess(t('channel-keys.test.passed')) })}
          label={t('channel-keys.action.test')}
        />
        <OnlineButton
          loading={toggle.isPending}
          onClick={() => toggle.mutate(undefined)}
          label={t(isDisabled ? 'channel-keys.action.enable' : 'channel-keys.action.disable')}
        />
      </span>
      <Refusal text={failure === null ? undefined : failureOf(failure).message} />
    </section>
  );
}

function KeyLimits({ params, of: key }: KeyPartProps) {
  const { t } = useTranslation();
  const [values, setValues] = useState({ weight: key.weight, most_parallel: key.most_parallel, note: key.note });
  const save = useKeyMutation(() => call(channelKeyApi.edit, { params, body: { ...values, revision: key.revision } }));
  const isChanged = values.weight !== key.weight || values.most_parallel !== key.most_parallel || values.note !== key.note;
  return (
    <form
      noValidate
      className={layout.stackMd}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined);
      }}
    >
      <NumberInput
        label={t('channel-keys.field.weight')}
        min={1}
        allowDecimal={false}
        value={values.weight}
        onChange={(value) => setValues({ ...values, weight: Math.max(1, Number(value) || 1) })}
      />
      <NumberInput
        label={t('channel-keys.field.parallel')}
        description={t('channel-keys.field.parallel_hint')}
        min={0}
        allowDecimal={false}
        value={values.most_parallel}
        onChange={(value) => setValues({ ...values, most_parallel: Math.max(0, Number(value) || 0) })}
      />
      <TextInput
        label={t('channel-keys.field.note')}
        maxLength={longestKeyNote}
        value={values.note}
        onChange={(event) => setValues({ ...values, note: event.currentTarget.value })}
      />
      <Refusal text={save.error === null ? undefined : failureOf(save.error).message} />
      {isChanged && <OnlineButton type="submit" variant="filled" loading={save.isPending} label={t('channel-keys.action.save')} />}
    </form>
  );
}

/** Replaces this key in this channel only. */
function ReplaceOne({ params }: Pick<KeyPartProps, 'params'>) {
  const { t } = useTranslation();
  const [text, setText] = useState<string | null>(null);
  const replace = useKeyMutation((key: string) => call(channelKeyApi.replace, { params, body: { key } }));
  if (text === null) return <Button onClick={() => setText('')}>{t('channel-keys.action.replace')}</Button>;
  return (
    <div className={layout.stackSm}>
      <PasswordInput
        label={t('channel-keys.replace.new')}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Refusal text={replace.error === null ? undefined : failureOf(replace.error).message} />
      <OnlineButton
        disabled={text.trim() === ''}
        loading={replace.isPending}
        onClick={() => replace.mutate(text, { onSuccess: () => toastSuccess(t('channel-keys.replace.replaced')) })}
        label={t('channel-keys.action.replace')}
      />
    </div>
  );
}
