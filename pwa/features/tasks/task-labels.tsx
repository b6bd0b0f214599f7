import { useTranslation } from 'react-i18next';
import { drawingActions, SubmitCode } from '#shared/drawings.ts';
import { taskActions, videoActions } from '#shared/tasks.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { ProgressBar } from '#pwa/ui/controls/progress.tsx';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { isSlow, isUnfinished, type Standing, type TaskRow } from './task-row.ts';
import styles from './tasks.module.css';

const shapes: Record<Standing, Status> = {
  queued: 'queued',
  running: 'running',
  asking: 'look',
  done: 'on',
  failed: 'failed',
  unknown: 'note',
};

const knownStatuses = new Set(['NOT_START', 'SUBMITTED', 'QUEUED', 'IN_PROGRESS', 'MODAL', 'SUCCESS', 'FAILURE', 'UNKNOWN']);
const knownActions = new Set<string>([...drawingActions, ...taskActions, ...videoActions]);

/** What the upstream calls it, in words. */
export function useStatusText(): (status: string) => string {
  const { t } = useTranslation();
  return (status) => {
    if (status === '') return t('tasks.status.none');
    return knownStatuses.has(status) ? t(`tasks.status.${status.toLowerCase()}`) : t('tasks.status.unknown');
  };
}

export function useActionText(): (action: string) => string {
  const { t } = useTranslation();
  return (action) => (knownActions.has(action) ? t(`tasks.action.${action.toLowerCase()}`) : t('tasks.action.other'));
}

export function TaskMark({ row }: { row: TaskRow }) {
  const text = useStatusText();
  return <StatusMark status={shapes[row.standing]}>{text(row.status)}</StatusMark>;
}

/** What became of the submission of a drawing. */
export function useCodeText(): (code: number) => string {
  const { t } = useTranslation();
  return (code) => {
    const name = Object.entries(SubmitCode).find(([, known]) => known === code)?.[0];
    return t(`tasks.code.${name ?? 'other'}`, { code });
  };
}

/** Progress as a bar and a number. A task that has ended has no bar. */
export function Progress({ row }: { row: TaskRow }) {
  const { t } = useTranslation();
  const { percent } = row;
  if (percent === undefined || !isUnfinished(row))
    return <span className={typography.muted}>{percent === undefined ? '—' : `${percent}%`}</span>;
  return (
    <span className={`${layout.row} ${styles.progress}`}>
      <ProgressBar name={t('tasks.column.progress')} done={percent} all={100} />
      {percent}%
    </span>
  );
}

/** How long it took; long ones have a shape and a word. */
export function Duration({ milliseconds }: { milliseconds: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const text = format.duration(milliseconds);
  if (!isSlow(milliseconds)) return text;
  return (
    <StatusMark status="look">
      <span title={t('tasks.slow')}>
        {text}
        <span className="visually-hidden"> {t('tasks.slow')}</span>
      </span>
    </StatusMark>
  );
}
