import { useEffect, useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { kindOfModel } from '#pwa/api/chat-models.ts';
import type { Conversation } from '#pwa/offline/conversation.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { AnswerView } from './answer-view.tsx';
import { askAgain, askInstead } from './ask.ts';
import { branch } from './conversations-state.ts';
import styles from './thread.module.css';
import { QuestionView } from './question-view.tsx';

/** Pixels from the end within which the view follows what is written. */
const nearEnd = 60;

interface ThreadProps {
  conversation: Conversation;
  /** On a phone, one of two is shown at a time. */
  shown: number | null;
  /** False: a question could not be sent in full. */
  canAsk: boolean;
  /** The user chose an example; nothing is sent yet. */
  onExample: (text: string) => void;
}

// Only a new conversation has one.
const Greeting = lazyPart(
  () => import('./greeting.tsx'),
  (part) => part.Greeting,
);

/** Questions across all columns, answers below them side by side. */
export function Thread({ conversation, shown, canAsk, onExample }: ThreadProps) {
  const { t } = useTranslation();
  const place = useFollow(conversation);
  const { turns, models } = conversation;
  const kind = kindOfModel(models[0] ?? '') ?? 'chat';
  const columns = models.map((model, column) => ({ model, column })).filter(({ column }) => shown === null || column === shown);
  return (
    // What scrolls is reached by the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles.thread} ref={place} role="log" aria-label={t('playground.thread')} aria-live="off" tabIndex={0}>
      {turns.length === 0 && <Greeting kind={kind} canAsk={canAsk} onExample={onExample} />}
      {turns.map((turn, index) => {
        const isLast = index === turns.length - 1;
        return (
          <div key={turn.id} className={styles.turn}>
            <QuestionView turn={turn} isLast={isLast} canAsk={canAsk} onEdit={(text) => askInstead(index, text)} />
            <div className={styles.columns} style={{ gridTemplateColumns: `repeat(${columns.length}, minmax(0, 1fr))` }}>
              {columns.map(({ column, model }) => {
                const answer = turn.answers[column];
                return (
                  <div key={column} className={styles.column}>
                    {answer === undefined || answer === null ? (
                      <p className={styles.unasked}>{t('playground.answer.unasked', { model })}</p>
                    ) : (
                      <AnswerView
                        answer={answer}
                        onAgain={isLast && canAsk ? () => askAgain(column) : undefined}
                        onBranch={() => branch(index, true)}
                      />
                    )}
                  </div>
                );
              })}
            </div>
          </div>
        );
      })}
    </div>
  );
}

/** The view follows the answer while it is at the end; after scrolling up it stays. */
function useFollow(conversation: Conversation) {
  const place = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const count = conversation.turns.length;
  useEffect(() => {
    const node = place.current;
    if (node === null) return;
    const handleScroll = (): void => {
      isAtEnd.current = node.scrollHeight - node.scrollTop - node.clientHeight < nearEnd;
    };
    node.addEventListener('scroll', handleScroll, { passive: true });
    return () => node.removeEventListener('scroll', handleScroll);
  }, []);
  // Another conversation, or another question: from its end on.
  useLayoutEffect(() => {
    isAtEnd.current = true;
  }, [conversation.id, count]);
  useLayoutEffect(() => {
    if (isAtEnd.current) place.current?.scrollTo({ top: place.current.scrollHeight });
  }, [conversation]);
  return place;
}
