import styles from './picks.module.css';

interface QuickPick {
  key: string | number;
  label: string | number;
  /** Whether the field holds this value. If undefined, the choice is not announced. */
  isChosen?: boolean;
  onPick: () => void;
}

/** Small buttons that fill a field in. */
export function Picks({ picks, disabled = false }: { picks: readonly QuickPick[]; disabled?: boolean }) {
  return (
    <div className={styles.picks}>
      {picks.map(({ key, label, isChosen, onPick }) => (
        <button key={key} type="button" className={styles.pick} aria-pressed={isChosen} disabled={disabled} onClick={onPick}>
          {label}
        </button>
      ))}
    </div>
  );
}
