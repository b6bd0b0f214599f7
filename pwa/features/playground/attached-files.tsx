// Files of a question, before and after it is sent.
import { ActionIcon } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AttachedFile } from '#pwa/offline/conversation.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { toastNote } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { ChatIcon } from './icons.tsx';
import styles from './attachments.module.css';
import threadStyles from './thread.module.css';
import { isSound, largestFile, mostFiles, readFile } from './read-file.ts';

/** @param isDeaf the models or their format take no sound */
export function useFiles(isDeaf: boolean) {
  const { t } = useTranslation();
  const [files, setFiles] = useState<AttachedFile[]>([]);
  async function add(chosen: readonly File[]): Promise<void> {
    const accepted = chosen.filter((file) => !isDeaf || !isSound(file));
    if (accepted.length < chosen.length) toastNote(t('playground.ask.deaf'));
    const read = await Promise.all(accepted.slice(0, mostFiles).map(readFile));
    const found = read.filter((file) => file !== undefined);
    if (found.length < accepted.length) toastNote(t('playground.ask.not_file', { count: mostFiles, size: largestFile / 1_000_000 }));
    setFiles((before) => [...before, ...found].slice(0, mostFiles));
  }
  return {
    files,
    add,
    remove: (index: number) => setFiles((before) => before.filter((_file, place) => place !== index)),
    clear: () => setFiles([]),
  };
}

/** `onRemove` missing: they have been sent. */
export function FileList({ files, onRemove }: { files: readonly AttachedFile[]; onRemove?: (index: number) => void }) {
  const { t } = useTranslation();
  return (
    <ul className={styles.files} aria-label={t('playground.ask.files')}>
      {files.map(({ name, kind }, index) => (
        // Two may have the same name.
        <li key={index} className={`${layout.row} ${threadStyles.attachedSound}`}>
          <ChatIcon name={kind === 'sound' ? 'sound' : 'file'} />
          <span className={typography.ellipsis} title={name}>
            {name}
          </span>
          {onRemove !== undefined && (
            <ActionIcon variant="subtle" aria-label={t('playground.ask.detach', { name })} onClick={() => onRemove(index)}>
              <Icon name="close" />
            </ActionIcon>
          )}
        </li>
      ))}
    </ul>
  );
}
