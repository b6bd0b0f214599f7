import { ActionIcon, Button } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Picture } from '#pwa/offline/conversation.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { TextArea } from '#pwa/ui/form/text-area.tsx';
import { useIsTouched } from '#pwa/ui/frame/breakpoint.ts';
import { type Shortcut, useShortcuts } from '#pwa/ui/frame/shortcuts.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { toastNote } from '#pwa/ui/frame/toast.ts';
import { ChatIcon } from './icons.tsx';
import styles from './playground.module.css';
import { mostPictures, readPicture } from './read-picture.ts';

interface ComposerProps {
  isRunning: boolean;
  /** Why nothing can be asked. */
  reason?: string | undefined;
  /** More than one model is asked. */
  isForSeveral: boolean;
  onAsk: (text: string, pictures: Picture[]) => void;
  onStop: () => void;
  /** A text that another app has shared; '': none. */
  shared: string;
  onSharedTaken: () => void;
  /** Who pays, and what may be to pay for the text. */
  costText: (text: string) => string;
  /** Beside the attachment. */
  extra?: ReactNode;
}

const questionKeys: readonly Shortcut[] = [
  { keys: ['Enter'], text: 'playground.key.send' },
  { keys: ['Shift', 'Enter'], text: 'playground.key.line' },
  { keys: ['Esc'], text: 'playground.key.stop' },
];
const noKeys: readonly Shortcut[] = [];

/** Where questions are written. Enter sends at a desk; under a finger it breaks the line, as that keyboard has no other key for it. */
export function Composer({ isRunning, reason, isForSeveral, onAsk, onStop, shared, onSharedTaken, costText, extra }: ComposerProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const isTouched = useQuestionKeys();
  const [text, setText] = useQuestion(shared, onSharedTaken);
  const field = useRef<HTMLTextAreaElement>(null);
  const { pictures, add, remove, clear } = usePictures();
  const isEmpty = text.trim() === '' && pictures.length === 0;
  const canAsk = !isEmpty && !isRunning && isOnline && reason === undefined;

  function send(): void {
    if (!canAsk) return;
    onAsk(text.trim(), pictures);
    setText('');
    clear();
    goOn();
  }
  /** Sending and stopping take each other's place: the focus goes to the question, where keys do both. A finger would open the keyboard. */
  function goOn(): void {
    if (!isTouched) field.current?.focus({ preventScroll: true });
  }

  function handleStop(): void {
    onStop();
    goOn();
  }

  function handleKey(event: KeyboardEvent): void {
    if (event.key === 'Escape' && isRunning) onStop();
    // A candidate of an input method is chosen with Enter, too.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || isTouched) return;
    event.preventDefault();
    send();
  }

  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void add(event.dataTransfer.files);
      }}
    >
      {pictures.length > 0 && <Attached pictures={pictures} onRemove={remove} />}
      <TextArea
        ref={field}
        inputClassName={styles.input}
        aria-label={t('playground.ask.label')}
        placeholder={reason ?? t(invitation(isForSeveral, isTouched))}
        minRows={1}
        maxRows={8}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={handleKey}
        onPaste={(event) => {
          if (event.clipboardData.files.length > 0) void add(event.clipboardData.files);
        }}
      />
      {/* While nothing is typed it stands in the field. */}
      {reason !== undefined && text !== '' && (
        <p className={styles.reason} role="status">
          <StatusMark status="look">{reason}</StatusMark>
        </p>
      )}
      <div className={styles.composerFoot}>
        <AttachButton onFiles={(files) => void add(files)} />
        {extra}
        <span className={styles.hint}>{text !== '' ? costText(text) : !isTouched && t('playground.ask.keys')}</span>
        <span className={styles.space} />
        <SendOrStop isRunning={isRunning} isForSeveral={isForSeveral} disabled={isEmpty || reason !== undefined} onStop={handleStop} />
      </div>
    </form>
  );
}

/** What is typed. A shared text is written, not sent: whoever shared it says what they want to know of it. */
function useQuestion(shared: string, onSharedTaken: () => void) {
  const question = useState('');
  const [, setText] = question;
  useEffect(() => {
    if (shared === '') return;
    setText((typed) => (typed === '' ? shared : `${typed}\n${shared}`));
    onSharedTaken();
  }, [shared, onSharedTaken, setText]);
  return question;
}

interface SendOrStopProps extends Pick<ComposerProps, 'isRunning' | 'isForSeveral' | 'onStop'> {
  disabled: boolean;
}

function SendOrStop({ isRunning, isForSeveral, disabled, onStop }: SendOrStopProps) {
  const { t } = useTranslation();
  if (!isRunning)
    return (
      <OnlineButton type="submit" variant="filled" icon={<ChatIcon name="send" />} label={t('playground.ask.send')} disabled={disabled} />
    );
  return (
    <Button variant="filled" leftSection={<ChatIcon name="stop" />} onClick={onStop}>
      {t(isForSeveral ? 'playground.ask.stop_all' : 'playground.ask.stop')}
    </Button>
  );
}

/** Tells of the keys where there are some: not under a finger. True there. */
function useQuestionKeys(): boolean {
  const isTouched = useIsTouched();
  useShortcuts(isTouched ? noKeys : questionKeys);
  return isTouched;
}

function usePictures() {
  const { t } = useTranslation();
  const [pictures, setPictures] = useState<Picture[]>([]);
  async function add(files: FileList): Promise<void> {
    const read = await Promise.all([...files].slice(0, mostPictures).map(readPicture));
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

function Attached({ pictures, onRemove }: { pictures: Picture[]; onRemove: (index: number) => void }) {
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

function AttachButton({ onFiles }: { onFiles: (files: FileList) => void }) {
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
          if (event.currentTarget.files !== null) onFiles(event.currentTarget.files);
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}

/** Nobody drops a picture with a finger. */
function invitation(isForSeveral: boolean, isTouched: boolean) {
  if (isTouched) return isForSeveral ? 'playground.ask.several_touched' : 'playground.ask.one_touched';
  return isForSeveral ? 'playground.ask.several' : 'playground.ask.one';
}
