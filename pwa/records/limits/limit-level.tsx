import type { CSSProperties, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import type { BudgetStanding } from './budget-standing.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './limit-level.module.css';

interface LimitLevelProps {
  name: string;
  /** After the name. */
  aside?: ReactNode;
  /** Name of the level for a screen reader. */
  label: string;
  /** `$7.90`, and what it is of: `of $20.00`. Without the second: what is allowed, nothing is measured. */
  left: string;
  of?: string | undefined;
  /** Absent: nothing is measured, no bed. */
  standing?: Pick<BudgetStanding, 'level' | 'left' | 'pace'> | undefined;
  /** Under the bed at its beginning and at its end. */
  begin?: ReactNode;
  end?: ReactNode;
  /** `row`: in a table's cell. */
  size?: 'row' | 'normal';
}

/** What is left of a limit: number first, then the bed with the mark of an even pace. */
export function LimitLevel({ name, aside, label, left, of, standing, begin, end, size = 'normal' }: LimitLevelProps) {
  const { t } = useTranslation();
  const level = standing?.level;
  const isMarked = level === 'low' || level === 'used_up';
  return (
    <span className={styles.level} data-level={level} data-size={size}>
      <span className={styles.line}>
        <span className={styles.name}>
          {!(isMarked && size === 'row') && <span>{name}</span>}
          {isMarked && (
            <StatusMark status={level === 'low' ? 'look' : 'empty'}>
              {size === 'row' && name !== '' ? t(`limits.level.${level}_named`, { name }) : t(`limits.level.${level}`)}
            </StatusMark>
          )}
          {aside}
        </span>
        <span className={styles.amount}>
          {left} {of !== undefined && <span>{of}</span>}
        </span>
      </span>
      {standing !== undefined && <Bed standing={standing} label={label} text={of === undefined ? left : `${left} ${of}`} />}
      {(begin !== undefined || end !== undefined) && (
        <span className={`${typography.small} ${styles.line} ${styles.under}`}>
          <span>{begin}</span>
          {end !== undefined && <span>{end}</span>}
        </span>
      )}
    </span>
  );
}

function Bed({ standing: { left, pace }, label, text }: { standing: Pick<BudgetStanding, 'left' | 'pace'>; label: string; text: string }) {
  const style: CSSProperties & Record<'--at' | '--pace', string> = { '--at': `${left * 100}%`, '--pace': `${(pace ?? 0) * 100}%` };
  return (
    <span
      className={styles.bed}
      style={style}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(left * 100)}
      aria-valuetext={text}
    >
      <i />
      {pace !== undefined && (
        <svg className={styles.pace} viewBox="0 0 12 12" preserveAspectRatio="none" aria-hidden="true">
          <path d="M0 0h12L6 12z" fill="currentColor" />
        </svg>
      )}
    </span>
  );
}
