import { useTranslation } from 'react-i18next';
import type { ImportOverview, ImportRun } from '#shared/imports.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import control from '#pwa/ui/styles/control.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './imports.module.css';

interface FormerImportsProps {
  overview: ImportOverview;
  /** The one that is shown above. */
  shown: number | undefined;
  onOpen: (id: number) => void;
}

/** Imports, newest first, those of the command line too. */
export function FormerImports({ overview, shown, onOpen }: FormerImportsProps) {
  const { t } = useTranslation();
  const others = overview.imports.filter(({ id }) => id !== shown);
  return (
    <Block title={t('imports.former.title')}>
      {others.length === 0 ? (
        <p className={typography.secondary}>{t(shown === undefined ? 'imports.former.none' : 'imports.former.no_others')}</p>
      ) : (
        <ul className={styles.former}>
          {others.map((run) => (
            <li key={run.id}>
              <button type="button" className={`${control.bare} ${styles.formerRow}`} onClick={() => onOpen(run.id)}>
                <FormerImport run={run} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </Block>
  );
}

function FormerImport({ run }: { run: ImportRun }) {
  const { t } = useTranslation();
  const format = useFormat();
  const name = run.label === '' ? `${t(`imports.kind.${run.source_kind}`)} ${run.source}` : run.label;
  return (
    <>
      <b className={styles.break}>{name}</b>
      <StatusMark status={statusOf(run)}>{t(`imports.state.${stateOf(run)}`)}</StatusMark>
      <span className={typography.muted}>
        {format.dateTime(run.created_at)} · {run.by === '' ? t('imports.kind.command') : run.by}
      </span>
      <span className={styles.formerRows}>
        {run.has_written && t('imports.former.rows', { added: format.count(run.added), changed: format.count(run.changed) })}
      </span>
    </>
  );
}

function stateOf({ state, is_proved: isProved, error }: ImportRun) {
  if (state === 'done' && isProved === false) return 'unproved';
  return state === 'failed' && error?.code === 'stopped' ? 'stopped' : state;
}

function statusOf({ state, is_proved: isProved, error }: ImportRun): Status {
  if (state === 'done') return isProved === false ? 'failed' : 'on';
  if (state === 'failed') return error?.code === 'stopped' ? 'off' : 'failed';
  if (state === 'running' || state === 'planning') return 'running';
  return state === 'paused' ? 'off' : 'queued';
}
