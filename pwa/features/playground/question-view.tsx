import { ActionIcon, Button } from '@mantine/core';
import { memo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import type { Turn } from '#pwa/offline/conversation.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { TextArea } from '#pwa/ui/form/text-area.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { FileList } from './attached-files.tsx';
import { ChatIcon } from './icons.tsx';
import styles from './thread.module.css';

interface QuestionViewProps {
  turn: Turn;
  /** A further conversation is made where it is not the last question. */
  isLast: boolean;
  /** False: it could not be sent in full. */
  canAsk: boolean;
  onEdit: (text: string) => void;
}

/** Question, with an action to rephrase it. */
export const QuestionView = memo(({ turn, isLast, canAsk, onEdit }: QuestionViewProps) => {
  const { t } = useTranslation();
  const format = useFormat();
  const [draft, setDraft] = useState<string | null>(null);
  const editButton = useRef<HTMLButtonElement>(null);

  function handleCancel(): void {
    flushSync(() => setDraft(null));
    editButton.current?.focus({ preventScroll: true });
  }
  return (
    <section className={styles.question} aria-label={t('playground.question.label')}>
      <header className={`${layout.row} ${styles.questionHead}`}>
        <span>{t('playground.question.you')}</span>
        <span>{format.clock(turn.at / 1000)}</span>
        <span className={styles.space} />
        <ActionIcon
          ref={editButton}
          variant="subtle"
          aria-label={t('playground.question.edit')}
          title={t('playground.question.edit')}
          aria-expanded={draft !== null}
          onClick={() => setDraft(draft === null ? turn.text : null)}
        >
          <Icon name="edit" />
        </ActionIcon>
      </header>
      <SentAlong turn={turn} />
      {draft === null ? (
        turn.text !== '' && <p className={styles.asked}>{turn.text}</p>
      ) : (
        <form
          className={layout.stackSm}
          onSubmit={(event) => {
            event.preventDefault();
            setDraft(null);
            onEdit(draft);
          }}
        >
          <TextArea
            aria-label={t('playground.question.edit')}
            minRows={2}
            maxRows={12}
            autoFocus
            value={draft}
            onChange={(event) => setDraft(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
              event.preventDefault();
              handleCancel();
            }}
          />
          <p className={typography.note}>{t(isLast ? 'playground.question.replaces' : 'playground.question.branches')}</p>
          <div className={`${layout.wrap} ${styles.editActions}`}>
            <Button onClick={handleCancel}>{t('common.action.cancel')}</Button>
            <OnlineButton
              type="submit"
              label={t('playground.question.send')}
              disabled={
                !canAsk || (draft.trim() === '' && turn.pictures.length === 0 && turn.files === undefined && turn.sound === undefined)
              }
            />
          </div>
        </form>
      )}
    </section>
  );
});

/** What went along. */
function SentAlong({ turn }: { turn: Turn }) {
  const format = useFormat();
  return (
    <>
      {turn.pictures.length > 0 && (
        <div className={`${layout.wrap} ${styles.pictures}`}>
          {turn.pictures.map((picture, index) => (
            // A picture never changes its place.
            <img key={index} src={picture.url} alt={picture.name} title={`${picture.name} · ${picture.width} × ${picture.height}`} />
          ))}
        </div>
      )}
      {turn.files !== undefined && <FileList files={turn.files} />}
      {turn.sound !== undefined && (
        <p className={`${layout.row} ${styles.attachedSound}`}>
          <ChatIcon name="sound" />
          <span className={typography.ellipsis}>{turn.sound.name}</span>
          {turn.sound.seconds !== undefined && <span className={typography.note}>{format.duration(turn.sound.seconds * 1000)}</span>}
        </p>
      )}
    </>
  );
}
