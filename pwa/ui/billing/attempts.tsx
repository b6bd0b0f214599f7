import type { CSSProperties } from 'react';
import { useTranslation } from 'react-i18next';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './attempts.module.css';
import { useFormat } from './format-context.ts';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';

export interface AttemptBar {
  key: string | number;
  /** `#12 azure-east`, or "attempt 1" for those who must not see channels. */
  name: string;
  /** HTTP status and reason: `429 限流`. */
  note?: string;
  /** How it ended, as a shape and the word for it. */
  status: Status;
  word: string;
  /** Milliseconds after the call began. */
  start: number;
  firstByte?: number;
  end: number;
}

/** The tries of a call in order, each with a bar on the call's one time axis: failed, waiting, streaming. */
export function Attempts({ attempts, total }: { attempts: readonly AttemptBar[]; total: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const axis = Math.max(total, ...attempts.map((attempt) => attempt.end), 1);
  return (
    <ol>
      {attempts.map((attempt) => (
        <li key={attempt.key} className={styles.attempt}>
          <StatusMark status={attempt.status} wordHidden>
            {attempt.word}
          </StatusMark>
          <span className={styles.name}>
            {attempt.name} {attempt.note !== undefined && <span className={typography.muted}>{attempt.note}</span>}
          </span>
          <span className={styles.time}>
            {attempt.firstByte !== undefined && attempt.status !== 'failed' && (
              <span className={typography.muted}>
                {t('common.receipt.first_byte', { time: format.duration(attempt.firstByte - attempt.start) })} ·{' '}
              </span>
            )}
            {format.duration(attempt.end - attempt.start)}
          </span>
          <Bar attempt={attempt} axis={axis} />
        </li>
      ))}
    </ol>
  );
}

function Bar({ attempt, axis }: { attempt: AttemptBar; axis: number }) {
  const { start, end, firstByte, status } = attempt;
  return (
    <span className={styles.bar} aria-hidden="true">
      {status === 'failed' ? (
        <i data-kind="failed" style={place(start, end, axis)} />
      ) : (
        <>
          {firstByte !== undefined && <i data-kind="waiting" style={place(start, firstByte, axis)} />}
          <i data-kind="streaming" style={place(firstByte ?? start, end, axis)} />
        </>
      )}
    </span>
  );
}

function place(from: number, to: number, axis: number): CSSProperties {
  return { left: `${(from / axis) * 100}%`, width: `${Math.max(0, ((to - from) / axis) * 100)}%` };
}
