import { ActionIcon } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { toastNote } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { ChatIcon } from './icons.tsx';
import styles from './thread.module.css';
import { readSound, type Sound } from './read-sound.ts';

/** The one recording that is attached. */
export function useSound() {
  const { t } = useTranslation();
  const [sound, setSound] = useState<Sound>();
  return {
    sound,
    clear: () => setSound(undefined),
    async add(files: readonly File[]): Promise<void> {
      const [file] = files;
      if (file === undefined) return;
      const read = await readSound(file);
      if (read === undefined) toastNote(t('playground.sound.not_sound'));
      else setSound(read);
    },
  };
}

export function AttachedSound({ sound, onRemove }: { sound: Sound; onRemove: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { name } = sound.file;
  return (
    <p className={`${layout.row} ${styles.attachedSound}`}>
      <ChatIcon name="sound" />
      <span className={typography.ellipsis}>{name}</span>
      <span className={typography.note}>
        {sound.seconds === undefined
          ? t('playground.sound.size', { size: (sound.file.size / 1_000_000).toFixed(1) })
          : format.duration(sound.seconds * 1000)}
      </span>
      <ActionIcon variant="subtle" aria-label={t('playground.ask.detach', { name })} onClick={onRemove}>
        <Icon name="close" />
      </ActionIcon>
    </p>
  );
}
