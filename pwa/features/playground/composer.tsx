import { Button } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMarkUnsaved } from '#pwa/ui/form/unsaved-store.ts';
import type { ModelKind } from '#pwa/api/chat-models.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { TextArea } from '#pwa/ui/form/text-area.tsx';
import { useIsTouched } from '#pwa/ui/frame/breakpoint.ts';
import { type Shortcut, useShortcuts } from '#pwa/ui/frame/shortcuts.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import type { SentAlong } from './ask.ts';
import { Attached, AttachButtons, type TakenAlong, useAttachments } from './attachments.tsx';
import { ChatIcon } from './icons.tsx';
import styles from './thread.module.css';
import type { Sound } from './read-sound.ts';
import { wordsOf } from './request-body.ts';

interface ComposerProps {
  isRunning: boolean;
  /** Reason why no question can be sent. */
  reason?: string | undefined;
  /** Whether the question goes to several models. */
  isForSeveral: boolean;
  /** What the models make of it. */
  kind: ModelKind;
  taken: TakenAlong;
  onAsk: (text: string, along: SentAlong) => void;
  onStop: () => void;
  /** A text that another app has shared; '': none. */
  shared: string;
  onSharedTaken: () => void;
  /** Who pays, and what may be to pay for the text. */
  costText: (text: string, sound: Sound | undefined) => string;
  /** Next to the attachment. */
  extra?: ReactNode;
}

const questionKeys: readonly Shortcut[] = [
  { keys: ['Enter'], text: 'playground.key.send' },
  { keys: ['Shift', 'Enter'], text: 'playground.key.line' },
  { keys: ['Esc'], text: 'playground.key.stop' },
];
const noKeys: readonly Shortcut[] = [];

/** Where questions are written. Enter sends at a desk; under a finger it breaks the line, as that keyboard has no other key for it. */
export function Composer(props: ComposerProps) {
  const { isRunning, reason, kind, isForSeveral, onAsk, onStop, shared, onSharedTaken } = props;
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const isTouched = useQuestionKeys();
  const [text, setText] = useQuestion(shared, onSharedTaken);
  useMarkUnsaved(text.trim() !== '');
  const field = useRef<HTMLTextAreaElement>(null);
  const attached = useAttachments(kind, props.taken);
  const { pictures, files, sound } = attached;
  const isAlone = kind !== 'chat' || pictures.length + files.length === 0;
  const isEmpty = kind === 'transcript' ? sound === undefined : text.trim() === '' && isAlone;
  const canAsk = !isEmpty && !isRunning && isOnline && reason === undefined;

  function send(): void {
    if (!canAsk) return;
    onAsk(text.trim(), { pictures, files, sound });
    setText('');
    attached.clear();
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
        attached.add([...event.dataTransfer.files]);
      }}
    >
      <Attached {...attached} />
      <TextArea
        ref={field}
        inputClassName={styles.input}
        aria-label={t(labels[kind])}
        placeholder={reason ?? (kind === 'chat' ? t(invitation(isForSeveral, isTouched)) : t(`playground.invite.${kind}`))}
        minRows={1}
        maxRows={8}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={handleKey}
        onPaste={(event) => {
          if (event.clipboardData.files.length > 0) attached.add([...event.clipboardData.files]);
        }}
      />
      <ComposerFoot {...props} text={text} attached={attached} disabled={isEmpty || reason !== undefined} onStop={handleStop} />
    </form>
  );
}

interface ComposerFootProps extends ComposerProps {
  text: string;
  attached: ReturnType<typeof useAttachments>;
  disabled: boolean;
}

/** What goes along, what it may cost, and the way to send it. */
function ComposerFoot(props: ComposerFootProps) {
  const { kind, isRunning, isForSeveral, reason, text, attached, costText, extra, disabled, onStop } = props;
  const { t } = useTranslation();
  const isTouched = useIsTouched();
  return (
    <>
      {/* While nothing is typed it stands in the field. */}
      {reason !== undefined && text !== '' && (
        <p className={`${typography.compact} ${styles.reason}`} role="status">
          <StatusMark status="look">{reason}</StatusMark>
        </p>
      )}
      <div className={`${layout.row} ${layout.wrap} ${styles.composerFoot}`}>
        <AttachButtons kind={kind} disabled={isRunning} onFiles={attached.add} />
        {extra}
        <span className={`${typography.note} ${styles.hint}`}>
          {text !== '' || attached.files.length > 0 || attached.sound !== undefined
            ? costText(wordsOf({ text, files: attached.files }), attached.sound)
            : !isTouched && t('playground.ask.keys')}
        </span>
        <span className={styles.space} />
        <SendOrStop kind={kind} isRunning={isRunning} isForSeveral={isForSeveral} disabled={disabled} onStop={onStop} />
      </div>
    </>
  );
}

/** Typed text. A shared text is filled in, not sent: the user adds the question. */
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

interface SendOrStopProps extends Pick<ComposerProps, 'kind' | 'isRunning' | 'isForSeveral' | 'onStop'> {
  disabled: boolean;
}

function SendOrStop({ kind, isRunning, isForSeveral, disabled, onStop }: SendOrStopProps) {
  const { t } = useTranslation();
  // What was ordered is paid for, and made.
  if (!isRunning || kind === 'video')
    return (
      <OnlineButton
        type="submit"
        variant="filled"
        icon={<ChatIcon name="send" />}
        label={t(kind === 'chat' ? 'playground.ask.send' : `playground.send.${kind}`)}
        disabled={disabled || isRunning}
      />
    );
  return (
    <Button variant="filled" leftSection={<ChatIcon name="stop" />} onClick={onStop}>
      {t(isForSeveral ? 'playground.ask.stop_all' : 'playground.ask.stop')}
    </Button>
  );
}

/** Registers the shortcuts on devices with a keyboard. Returns true on touch devices. */
function useQuestionKeys(): boolean {
  const isTouched = useIsTouched();
  useShortcuts(isTouched ? noKeys : questionKeys);
  return isTouched;
}

const labels = {
  chat: 'playground.ask.label',
  picture: 'playground.label.picture',
  speech: 'playground.label.speech',
  transcript: 'playground.label.transcript',
  video: 'playground.label.video',
} as const;

/** Touch devices cannot drop a picture. */
function invitation(isForSeveral: boolean, isTouched: boolean) {
  if (isTouched) return isForSeveral ? 'playground.ask.several_touched' : 'playground.ask.one_touched';
  return isForSeveral ? 'playground.ask.several' : 'playground.ask.one';
}
