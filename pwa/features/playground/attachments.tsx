// What goes along with a question: pictures and files, or the recording that is to be written down.
import { ActionIcon } from '@mantine/core';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ModelKind } from '#pwa/api/chat-models.ts';
import type { AttachedFile, Picture } from '#pwa/offline/conversation.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { toastNote } from '#pwa/ui/frame/toast.ts';
import { FileList, useFiles } from './attached-files.tsx';
import { ChatIcon } from './icons.tsx';
import { mostPictures, readPicture } from './read-picture.ts';
import { AttachedSound, useSound } from './sound-picker.tsx';

const AttachedPictures = lazyPart(
  () => import('./attached-pictures.tsx'),
  (part) => part.AttachedPictures,
);

const SoundButtons = lazyPart(
  () => import('./sound-buttons.tsx'),
  (part) => part.SoundButtons,
);

const noPictures: Picture[] = [];
const noFiles: AttachedFile[] = [];

/** Inputs that the models of the conversation accept besides texts and pictures. */
export interface TakenAlong {
  /** They, or their format, take no sound. */
  isDeaf: boolean;
  /** Whether the models read a mask of the part to repaint. */
  isMasked: boolean;
}

/** What was attached for another kind of model waits for it. */
export function useAttachments(kind: ModelKind, { isDeaf, isMasked }: TakenAlong) {
  const pictures = usePictures();
  const files = useFiles(isDeaf);
  const sound = useSound();
  return {
    pictures: kind === 'chat' || kind === 'picture' ? pictures.pictures : kind === 'video' ? pictures.first : noPictures,
    files: kind === 'chat' ? files.files : noFiles,
    sound: kind === 'transcript' ? sound.sound : undefined,
    add(added: readonly File[]): void {
      if (kind === 'transcript') void sound.add(added);
      if (kind === 'picture') void pictures.add(added);
      if (kind === 'video') void pictures.add(added, 1);
      if (kind !== 'chat') return;
      const seen = added.filter(isPicture);
      const read = added.filter((file) => !isPicture(file));
      if (seen.length > 0) void pictures.add(seen);
      if (read.length > 0) void files.add(read);
    },
    onRemovePicture: pictures.remove,
    onMask: kind === 'picture' && isMasked ? pictures.mask : undefined,
    onRemoveFile: files.remove,
    onRemoveSound: sound.clear,
    clear(): void {
      pictures.clear();
      files.clear();
      sound.clear();
    },
  };
}

type Attachments = ReturnType<typeof useAttachments>;

export function Attached({
  pictures,
  files,
  sound,
  onRemovePicture,
  onMask,
  onRemoveFile,
  onRemoveSound,
}: Omit<Attachments, 'add' | 'clear'>) {
  return (
    <>
      {pictures.length > 0 && <AttachedPictures pictures={pictures} onRemove={onRemovePicture} onMask={onMask} />}
      {files.length > 0 && <FileList files={files} onRemove={onRemoveFile} />}
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
  return kind === 'transcript' ? <SoundButtons disabled={disabled} onFiles={onFiles} /> : <AttachButton kind={kind} onFiles={onFiles} />;
}

function isPicture({ type }: File): boolean {
  return type.startsWith('image/');
}

function usePictures() {
  const { t } = useTranslation();
  const [pictures, setPictures] = useState<Picture[]>([]);
  async function add(files: readonly File[], most = mostPictures): Promise<void> {
    const read = await Promise.all(files.slice(0, most).map(readPicture));
    const found = read.filter((picture) => picture !== undefined);
    if (found.length < files.length) toastNote(t('playground.ask.not_picture', { count: most }));
    // Where one alone goes along, the next takes its place.
    setPictures((before) => (most === 1 && found.length > 0 ? found : [...before, ...found].slice(0, most)));
  }
  return {
    pictures,
    first: useMemo(() => pictures.slice(0, 1), [pictures]),
    add,
    remove: (index: number) => setPictures((before) => before.filter((_picture, place) => place !== index)),
    /** Of the first. */
    mask: (mask: string | undefined) =>
      setPictures((before) =>
        before.map(({ mask: _old, ...picture }, place) => (place === 0 && mask !== undefined ? { ...picture, mask } : picture)),
      ),
    clear: () => setPictures([]),
  };
}

function AttachButton({ kind, onFiles }: { kind: ModelKind; onFiles: (files: readonly File[]) => void }) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const isPictures = kind !== 'chat';
  const label = t(kind === 'video' ? 'playground.ask.attach_first' : isPictures ? 'playground.ask.attach' : 'playground.ask.attach_files');
  return (
    <>
      <ActionIcon variant="subtle" aria-label={label} title={label} onClick={() => input.current?.click()}>
        <ChatIcon name="attach" />
      </ActionIcon>
      <input
        className="visually-hidden"
        ref={input}
        type="file"
        {...(isPictures && { accept: 'image/*' })}
        multiple={kind !== 'video'}
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
