import type { CSSProperties, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './balance-meter.module.css';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';

interface BalanceMeterProps {
  /** What is measured, for example "Balance". */
  label: string;
  value: number;
  /** What a full bed is: a balance right after its last credit, a token's grant. 0 or absent: unknown, no bed. */
  fullMark?: number;
  /** The low-water mark: below it the level is low. */
  lowMark?: number | undefined;
  valueText: string;
  isUnlimited?: boolean;
  /** Nothing was ever there: an empty level has not run out. */
  isUnfilled?: boolean;
  /** `hero` 10 px, one per screen · `normal` 6 px with label · `small` 6 px, label small · `row` 3 px in a table's cell. */
  size?: 'hero' | 'normal' | 'small' | 'row';
  /** Captions under a hero's bed. */
  lowText?: string;
  fullText?: string;
  /** A line under a normal level. */
  caption?: ReactNode;
}

type LevelState = 'ok' | 'low' | 'empty' | 'unfilled' | 'overdrawn' | 'free';

/** Number first, then the bed with the water standing in it. */
export function BalanceMeter(props: BalanceMeterProps) {
  const { label, value, fullMark = 0, lowMark, valueText, isUnlimited = false, isUnfilled = false, size = 'normal', caption } = props;
  const state = levelState(value, { lowMark, isUnlimited, isUnfilled });
  const number = (
    <span className={styles.number} data-state={state}>
      <StateWord state={state} />
      <span className={styles.value}>{valueText}</span>
    </span>
  );
  const bed = isUnlimited || fullMark <= 0 ? null : <Bed {...props} state={state} fullMark={fullMark} />;
  return (
    <div className={styles.level} data-size={size} data-state={state}>
      {size === 'row' ? (
        number
      ) : size === 'hero' ? (
        <div className={`${layout.baseline} ${styles.figure}`}>
          <span>{valueText}</span>
          <StateWord state={state} />
        </div>
      ) : (
        <div className={`${layout.baseline} ${styles.line}`}>
          <span className={`${typography.ellipsis} ${styles.label}`}>{label}</span>
          {number}
        </div>
      )}
      {bed}
      {caption !== undefined && <div className={typography.note}>{caption}</div>}
    </div>
  );
}

function StateWord({ state }: { state: LevelState }) {
  const { t } = useTranslation();
  if (state === 'low') return <StatusMark status="look">{t('common.level.low')}</StatusMark>;
  if (state === 'empty') return <StatusMark status="empty">{t('common.level.empty')}</StatusMark>;
  if (state === 'unfilled') return <StatusMark status="note">{t('common.level.unfilled')}</StatusMark>;
  if (state === 'overdrawn') return <StatusMark status="failed">{t('common.level.overdrawn')}</StatusMark>;
  return null;
}

function Bed({
  label,
  value,
  fullMark,
  lowMark,
  valueText,
  size,
  lowText,
  fullText,
  state,
}: BalanceMeterProps & { fullMark: number; state: LevelState }) {
  const at = percent(value, fullMark);
  const low = lowMark === undefined || lowMark <= 0 || lowMark > fullMark ? undefined : percent(lowMark, fullMark);
  const style: CSSProperties & Record<'--at' | '--low' | '--low-mark', string> = {
    '--at': `${at}%`,
    '--low': `${low ?? 0}%`,
    '--low-mark': `${low ?? 0}cqw`,
  };
  return (
    <>
      <span
        className={styles.bed}
        style={style}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(at)}
        aria-valuetext={valueText}
      >
        <i />
        {low !== undefined && state !== 'empty' && state !== 'overdrawn' && size !== 'row' && (
          <svg className={styles.notch} viewBox="0 0 12 12" preserveAspectRatio="none" aria-hidden="true">
            <path d="M0 12 6 0l6 12z" fill="currentColor" />
          </svg>
        )}
      </span>
      {size === 'hero' && (lowText !== undefined || fullText !== undefined) && (
        <div className={styles.marks} style={style}>
          {low !== undefined && lowText !== undefined && <span className={styles.lowMark}>{lowText}</span>}
          {fullText !== undefined && <span>{fullText}</span>}
        </div>
      )}
    </>
  );
}

function levelState(
  value: number,
  { lowMark, isUnlimited, isUnfilled }: { lowMark: number | undefined; isUnlimited: boolean; isUnfilled: boolean },
): LevelState {
  if (isUnlimited) return 'free';
  if (value < 0) return 'overdrawn';
  if (value === 0) return isUnfilled ? 'unfilled' : 'empty';
  return lowMark !== undefined && value < lowMark ? 'low' : 'ok';
}

function percent(value: number, fullMark: number): number {
  return Math.min(100, Math.max(0, (value / fullMark) * 100));
}
