// What goes along with a question: pictures, or the recording that is to be written down.
import { ActionIcon } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ModelKind } from '#pwa/api/chat-models.ts';
import type { Picture } from '#pwa/offline/conversation.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { toastNote } from '#pwa/ui/frame/toast.ts';
import { ChatIcon } from './icons.tsx';
import styles from './playground.module.css';
import { mostPictures, readPicture } from './read-picture.ts';
import { AttachedSound, SoundButtons, useSound } from './sound-picker.tsx';

const noPictures: Picture[] = [];

/** What was attached for another kind of model waits for it. */
export function useAttachments(kind: ModelKind) {
  const pictures = usePictures();
  const sound = useSound();
  return {
    pictures: kind === 'chat' || kind === 'picture' ? pictures.pictures : noPictures,
    sound: kind === 'transcript' ? sound.sound : undefined,
    add(files: readonly File[]): void {
      if (kind === 'transcript') void sound.add(files);
      else if (kind !== 'speech') void pictures.add(files);
    },
    onRemovePicture: pictures.remove,
    onRemoveSound: sound.clear,
    clear(): void {
      pictures.clear();
      sound.clear();
    },
  };
}

type Attachments = ReturnType<typeof useAttachments>;

export function Attached({
  pictures,
  sound,
  onRemovePicture,
  onRemoveSound,
}: Pick<Attachments, 'pictures' | 'sound' | 'onRemovePicture' | 'onRemoveSound'>) {
  return (
    <>
      {pictures.length > 0 && <AttachedPictures pictures={pictures} onRemove={onRemovePicture} />}
      {sound !== undefined && <AttachedSound sound={sound} onRemove={onRemoveSound} />}
    </>
  );
}

interface AttachButtonsProps {
  kind: ModelKind;
  disabled: boolean;
  onFiles: Attachments['add'];
}

export function AttachButtons({ kind, disabled, onFiles }: AttachButtonsProps) {
  if (kind === 'speech') return null;
  return kind === 'transcript' ? <SoundButtons disabled={disabled} onFiles={onFiles} /> : <AttachButton onFiles={onFiles} />;
}

function usePictures() {
  const { t } = useTranslation();
  const [pictures, setPictures] = useState<Picture[]>([]);
  async function add(files: readonly File[]): Promise<void> {
    const read = await Promise.all(files.slice(0, mostPictures).map(readPicture));
    const found = read.filter((picture) => picture !== undefined);
    if (found.length < files.length) toastNote(t('playground.ask.not_picture', { count: mostPictures }));
    setPictures((before) => [...before, ...found].slice(0, mostPictures));
  }
  return {
    pictures,
    add,
    remove: (index: number) => setPictures((before) => before.filter((_picture, place) => place !== index)),
    clear: () => setPictures([]),
  };
}

function AttachedPictures({ pictures, onRemove }: { pictures: Picture[]; onRemove: (index: number) => void }) {
  const { t } = useTranslation();
  return (
    <ul className={styles.attached}>
      {pictures.map((picture, index) => (
        // Two may have the same name.
        <li key={index}>
          <img src={picture.url} alt={picture.name} />
          <ActionIcon aria-label={t('playground.ask.detach', { name: picture.name })} onClick={() => onRemove(index)}>
            <Icon name="close" />
          </ActionIcon>
        </li>
      ))}
    </ul>
  );
}

function AttachButton({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <ActionIcon
        variant="subtle"
        aria-label={t('playground.ask.attach')}
        title={t('playground.ask.attach')}
        onClick={() => input.current?.click()}
      >
        <ChatIcon name="attach" />
      </ActionIcon>
      <input
        className="visually-hidden"
        ref={input}
        type="file"
        accept="image/*"
        multiple
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => {
          if (event.currentTarget.files !== null) onFiles([...event.currentTarget.files]);
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}
