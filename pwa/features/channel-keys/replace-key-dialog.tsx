import { Button, Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { channelKeyApi, type KeyPlace, type KeyReplacement } from '#shared/channel-keys.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import { Dialog, DialogFoot } from '#pwa/ui/frame/dialog.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './channel-keys.module.css';
import { endingText, KeyMark } from './key-mark.tsx';
import { useKeyMutation, useKeyReading } from './queries.ts';

interface ReplaceKeyDialogProps {
  /** Places of the old key, if one is open; else it is searched. */
  places: readonly KeyPlace[];
  onClose: () => void;
}

/** Replaces a key in all channels that have it; afterwards the replacement can be undone. */
export function ReplaceKeyDialog({ places: given, onClose }: ReplaceKeyDialogProps) {
  const { t } = useTranslation();
  const [done, setDone] = useState<KeyReplacement | null>(null);
  const title = done === null ? t('channel-keys.replace.title') : t('channel-keys.replace.done', { count: done.places.length });
  return (
    <Dialog title={title} onClose={onClose}>
      {done === null ? (
        <ReplaceForm given={given} onDone={setDone} onClose={onClose} />
      ) : (
        <Replaced of={done} onUndone={setDone} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface ReplaceFormProps {
  given: readonly KeyPlace[];
  onDone: (done: KeyReplacement) => void;
  onClose: () => void;
}

function ReplaceForm({ given, onDone, onClose }: ReplaceFormProps) {
  const { t } = useTranslation();
  const [fresh, setFresh] = useState('');
  const [enables, setEnables] = useState(true);
  const [found, setFound] = useState(given);
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const [first] = found;
  const isUnclear = found.some(({ group }) => group !== first?.group);
  const channels = [...new Set(found.map(({ channel_id: id }) => id))].filter((id) => !left.has(id));
  const replace = useKeyMutation(() => {
    const from = { channel_id: first?.channel_id ?? 0, key_id: first?.key_id ?? 0 };
    return call(channelKeyApi.replaceAll, { body: { from, channels, key: fresh, enable: enables } });
  });
  return (
    <div className={layout.stackMd}>
      {given.length === 0 && <FindKey onFound={setFound} />}
      {isUnclear && <p role="alert">{t('channel-keys.replace.unclear')}</p>}
      <Places of={found} left={left} onLeft={setLeft} />
      <PasswordInput
        label={t('channel-keys.replace.new')}
        autoComplete="off"
        value={fresh}
        onChange={(event) => setFresh(event.currentTarget.value)}
      />
      <SwitchRow label={t('channel-keys.replace.enable')} checked={enables} onChange={(event) => setEnables(event.currentTarget.checked)} />
      <Refusal text={replace.error === null ? undefined : failureOf(replace.error).message} />
      <p className={typography.muted}>{t('channel-keys.replace.undo_hint')}</p>
      <DialogFoot>
        <Button onClick={onClose}>{t('common.action.cancel')}</Button>
        <OnlineButton
          variant="filled"
          disabled={fresh.trim() === '' || channels.length === 0 || isUnclear}
          loading={replace.isPending}
          onClick={() => replace.mutate(undefined, { onSuccess: onDone })}
          label={t('channel-keys.action.replace_in', { count: channels.length })}
        />
      </DialogFoot>
    </div>
  );
}

function FindKey({ onFound }: { onFound: (places: readonly KeyPlace[]) => void }) {
  const { t } = useTranslation();
  const [old, setOld] = useState('');
  const find = useKeyReading((key: string) => call(channelKeyApi.find, { body: { key } }));
  return (
    <>
      <span className={layout.wrap}>
        <TextInput
          label={t('channel-keys.replace.old')}
          autoComplete="off"
          value={old}
          onChange={(event) => setOld(event.currentTarget.value)}
        />
        <OnlineButton
          disabled={old.trim() === ''}
          loading={find.isPending}
          onClick={() => find.mutate(old, { onSuccess: onFound })}
          label={t('channel-keys.action.find')}
        />
      </span>
      {find.data?.length === 0 && <p className={typography.muted}>{t('channel-keys.replace.none')}</p>}
      <Refusal text={find.error === null ? undefined : failureOf(find.error).message} />
    </>
  );
}

interface PlacesProps {
  of: readonly KeyPlace[];
  /** Ids of channels that are left out. */
  left: ReadonlySet<number>;
  onLeft: (left: ReadonlySet<number>) => void;
}

function Places({ of: found, left, onLeft }: PlacesProps) {
  const { t } = useTranslation();
  const handleTick = (id: number): void => {
    const next = new Set(left);
    if (!next.delete(id)) next.add(id);
    onLeft(next);
  };
  return found.map((place) => (
    <div key={`${place.channel_id}-${place.key_id}`} className={`${styles.place} ${layout.spread}`}>
      <Checkbox
        checked={!left.has(place.channel_id)}
        onChange={() => handleTick(place.channel_id)}
        label={t('channel-keys.replace.place', {
          name: place.channel_name,
          ending: endingText(place.ending),
          position: place.position,
          of: place.of,
        })}
      />
      <KeyMark of={{ state: place.state === 'cooling_down' ? 'healthy' : place.state, cooling_until: 0 }} />
    </div>
  ));
}

function Replaced({ of: done, onUndone, onClose }: { of: KeyReplacement; onUndone: (done: KeyReplacement) => void; onClose: () => void }) {
  const { t } = useTranslation();
  const undo = useKeyMutation(() => call(channelKeyApi.undo, { params: { id: String(done.id) } }));
  return (
    <div className={layout.stackMd}>
      {done.places.map((place) => (
        <div key={`${place.channel_id}-${place.key_id}`} className={`${styles.place} ${layout.spread}`}>
          <span>{t('channel-keys.replace.changed', { name: place.channel_name, old: done.old_ending, new: done.new_ending })}</span>
          <KeyMark of={{ state: place.state, cooling_until: 0 }} />
        </div>
      ))}
      <p>{t(done.undone_time === 0 ? 'channel-keys.replace.revoke' : 'channel-keys.replace.undone')}</p>
      <Refusal text={undo.error === null ? undefined : failureOf(undo.error).message} />
      <span className={layout.wrap}>
        {done.undo_until !== 0 && (
          <OnlineButton
            loading={undo.isPending}
            onClick={() => undo.mutate(undefined, { onSuccess: onUndone })}
            label={t('channel-keys.action.undo')}
          />
        )}
        <Button variant="filled" onClick={onClose}>
          {t('channel-keys.action.done')}
        </Button>
      </span>
    </div>
  );
}
