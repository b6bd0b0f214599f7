import { ActionIcon } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Answer } from '#pwa/offline/conversation.ts';
import { useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { CopyIcon } from '#pwa/ui/controls/copy-text.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import surface from '#pwa/ui/styles/surface.module.css';
import control from '#pwa/ui/styles/control.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { AnswerText } from './answer-text.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { ChatIcon } from './icons.tsx';
import styles from './answer.module.css';
import threadStyles from './thread.module.css';
import { RunningFacts } from './running-facts.tsx';

const MadeMedia = lazyPart(
  () => import('./answer-media.tsx'),
  (part) => part.MadeMedia,
);

interface AnswerViewProps {
  answer: Answer;
  /** Absent: the answer cannot be requested again here. */
  onAgain?: (() => void) | undefined;
  onBranch: () => void;
}

/** One model's answer, with what it took and what it cost. */
export const AnswerView = memo(({ answer, onAgain, onBranch }: AnswerViewProps) => {
  const { t } = useTranslation();
  const isRunning = answer.state === 'running';
  return (
    <article
      className={styles.answer}
      aria-label={t('playground.answer.of', { model: answer.model })}
      aria-busy={isRunning && answer.text === '' && answer.video === undefined}
    >
      {/* The column may be another model's by now. */}
      <p className={styles.by}>{answer.model}</p>
      {answer.reasoning !== '' && <Reasoning answer={answer} />}
      {answer.text !== '' &&
        (answer.kind === undefined ? (
          <AnswerText text={answer.text} isGrowing={isRunning} />
        ) : (
          <p className={threadStyles.asked}>{answer.text}</p>
        ))}
      {answer.kind !== undefined && <MadeMedia answer={answer} />}
      {answer.text === '' && isRunning && answer.awaited === undefined && <span className={styles.caret} />}
      {answer.tool_calls.map((called, index) => (
        // A call never changes its place.
        <pre key={index} className={`${surface.well} ${styles.toolCall}`}>
          {`${called.name}(${called.arguments})`}
        </pre>
      ))}
      {answer.problem !== undefined && (
        <p className={styles.problem} role="alert">
          {answer.problem}
        </p>
      )}
      <AnswerFoot answer={answer} onAgain={onAgain} onBranch={onBranch} />
    </article>
  );
});

function Reasoning({ answer }: { answer: Answer }) {
  const { t } = useTranslation();
  const format = useFormat();
  const isThinking = answer.state === 'running' && answer.text === '';
  const took = answer.textMs ?? answer.ms;
  const [isOpen, setOpen] = useState(false);
  const tokens = answer.reasoningTokens === undefined ? '' : ` · ${t('playground.answer.tokens', { count: answer.reasoningTokens })}`;
  return (
    <div className={styles.reasoning}>
      <button
        type="button"
        className={`${control.bare} ${styles.fold}`}
        aria-expanded={isOpen || isThinking}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen || isThinking ? 'down' : 'right'} />
        {isThinking || took === undefined
          ? t('playground.answer.thinking')
          : t('playground.answer.thought', { time: format.duration(took) })}
        {tokens}
      </button>
      {(isOpen || isThinking) && <p className={`${typography.compact} ${styles.thoughts}`}>{answer.reasoning}</p>}
    </div>
  );
}

function AnswerFoot({ answer, onAgain, onBranch }: AnswerViewProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  if (answer.state === 'running') {
    return (
      <footer className={styles.foot}>
        <RunningFacts answer={answer} />
      </footer>
    );
  }
  return (
    <footer className={styles.foot}>
      <Facts answer={answer} />
      <span className={styles.actions}>
        {answer.text !== '' && <CopyIcon text={answer.text} label={t('playground.answer.copy')} />}
        {onAgain !== undefined && (
          <ActionIcon
            variant="subtle"
            aria-label={needs(t('playground.answer.again'))}
            title={t('playground.answer.again')}
            disabled={!isOnline}
            onClick={onAgain}
          >
            <Icon name="refresh" />
          </ActionIcon>
        )}
        <ActionIcon variant="subtle" aria-label={t('playground.answer.branch')} title={t('playground.answer.branch')} onClick={onBranch}>
          <ChatIcon name="branch" />
        </ActionIcon>
        {answer.logId !== undefined && (
          <Link
            className={styles.receipt}
            to="/log"
            search={{ request: answer.requestId, open: answer.logId }}
            aria-label={t('playground.answer.receipt')}
            title={t('playground.answer.receipt')}
          >
            <Icon name="list" />
          </Link>
        )}
      </span>
    </footer>
  );
}

const marks = { done: 'on', stopped: 'off', cut: 'look', failed: 'failed' } as const;

function Facts({ answer }: { answer: Answer }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { state, finish, promptTokens, completionTokens } = answer;
  const word = answer.ms === undefined ? '' : format.duration(answer.ms);
  const isShort = state === 'done' && (finish === 'length' || finish === 'content_filter');
  return (
    <>
      {state !== 'running' && (
        <StatusMark status={isShort ? 'look' : marks[state]}>
          {state === 'done' ? (isShort ? t(`playground.answer.finish.${finish}`) : word) : t(`playground.answer.state.${state}`)}
        </StatusMark>
      )}
      {(state !== 'done' || isShort) && word !== '' && <span>{word}</span>}
      {answer.kind === undefined && answer.firstMs !== undefined && (
        <span>{t('playground.answer.first', { time: format.duration(answer.firstMs) })}</span>
      )}
      {answer.kind === undefined && promptTokens !== undefined && completionTokens !== undefined && (
        <span>{t('playground.answer.usage', { input: format.count(promptTokens), output: format.count(completionTokens) })}</span>
      )}
      {answer.quota !== undefined && (
        <span
          className={styles.cost}
        >{`${format.charge(answer.quota - (answer.video?.refunded ?? 0))} ${format.unit || t('common.quota.name')}`}</span>
      )}
    </>
  );
}
