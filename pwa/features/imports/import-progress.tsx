import { useTranslation } from 'react-i18next';
import type { ImportDetails } from '#shared/imports.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Progress } from '#pwa/ui/controls/progress.tsx';
import styles from './imports.module.css';

/** Rows that are done, their rate, the time left, and each kind of rows. */
export function ImportProgress({ run, at }: { run: ImportDetails; at: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { progress, state, started_at: started } = run;
  if (progress === undefined) return null;
  const { done, total, rate, kinds } = progress;
  const isMoving = (state === 'running' || state === 'planning') && !run.is_waiting;
  const left = isMoving && rate > 0 && done < total ? (total - done) / rate : undefined;
  return (
    <div className={styles.progress}>
      <Progress
        name={t('imports.progress.name')}
        text={t('imports.progress.rows', { done: format.count(done), total: format.count(total) })}
        left={left === undefined ? undefined : t('imports.progress.left', { time: format.duration(left * 1000) })}
        done={done}
        all={total}
      >
        {isMoving && rate > 0 && <span>{t('imports.progress.rate', { rate: format.count(rate) })}</span>}
        {isMoving && started > 0 && at > started && (
          <span>{t('imports.progress.since', { time: format.duration((at - started) * 1000) })}</span>
        )}
      </Progress>
      <ul className={styles.kinds}>
        {kinds
          .filter((kind) => kind.total > 0)
          .map((kind) => (
            <li key={kind.kind}>
              <span>{t(`imports.rowkind.${kind.kind}`)}</span>
              <span>{t('imports.progress.of', { done: format.count(kind.done), total: format.count(kind.total) })}</span>
            </li>
          ))}
      </ul>
    </div>
  );
}
