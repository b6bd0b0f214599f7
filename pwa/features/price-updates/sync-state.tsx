import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { PriceSyncOverview, PriceSyncRun } from '#shared/price-sync.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Fold } from '#pwa/ui/form/fold.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './price-updates.module.css';

/** The last comparison, the schedule, and what of the catalogue has no place here. */
export function SyncState({ overview }: { overview: PriceSyncOverview }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { source, interval_hours: hours, next_at: next, runs, applies, guard_percent: percent } = overview;
  const [last] = runs;
  return (
    <div className={styles.head}>
      <p className={`${styles.state} ${layout.baseline}`}>
        {last !== undefined && <RunMark run={last} at={overview.at} />}
        <span className={styles.break}>
          {source === '' ? t('price-updates.source.none') : t('price-updates.source.of', { host: source })}
        </span>
        <span>
          {hours === 0 || next === undefined
            ? t('price-updates.schedule.off')
            : t('price-updates.schedule.on', { hours: format.count(hours), time: format.dateTime(next) })}
        </span>
        <span>{t(`price-updates.applies.${applies}`, { percent: format.count(percent) })}</span>
        <Link className={styles.settings} to="/setting" search={{ tab: 'price_sync' }}>
          {t('price-updates.action.settings')}
        </Link>
      </p>
      {last !== undefined && (
        <div className={styles.fold}>
          <Left run={last} />
        </div>
      )}
    </div>
  );
}

function RunMark({ run, at }: { run: PriceSyncRun; at: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { state, failure = 'other', detail, started_at: started, compared, applied } = run;
  const time = format.ago(started, at);
  if (state === 'failed') {
    const reason = [t(`price-updates.failure.${failure}`), ...(detail === undefined ? [] : [detail])].join(' ');
    return (
      <StatusMark status="failed" strong>
        {t('price-updates.run.failed', { time, reason })}
      </StatusMark>
    );
  }
  return (
    <StatusMark status={state === 'running' ? 'running' : 'on'}>
      {t(`price-updates.run.${state}`, { time, compared: format.count(compared), applied: format.count(applied) })}
    </StatusMark>
  );
}

function Left({ run: { unplaced, invalid } }: { run: PriceSyncRun }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (unplaced.length === 0 && invalid.length === 0) return null;
  return (
    <Fold title={t('price-updates.left.title')} aside={format.count(unplaced.length + invalid.length)}>
      {() => (
        <div className={`${layout.stackSm} ${styles.left}`}>
          {unplaced.length > 0 && <p className={typography.secondary}>{t('price-updates.left.unplaced')}</p>}
          <ul className={styles.names}>
            {unplaced.map(({ model, names }) => (
              <li key={model}>
                {model}: <span className={typography.muted}>{names.join(', ')}</span>
              </li>
            ))}
          </ul>
          {invalid.length > 0 && (
            <p className={`${typography.secondary} ${styles.break}`}>{t('price-updates.left.invalid', { names: invalid.join(', ') })}</p>
          )}
        </div>
      )}
    </Fold>
  );
}
