import { momentOf, momentText } from '#pwa/ui/form/moment-text.ts';
import styles from './custom-range.module.css';

interface CustomRangeProps {
  /** Unix seconds; undefined: open. */
  from: number | undefined;
  to: number | undefined;
  labels: { from: string; to: string };
  onChange: (change: { from?: number | undefined; to?: number | undefined }) => void;
}

/** Two moments; either may be left open. */
export function CustomRange({ from, to, labels, onChange }: CustomRangeProps) {
  return (
    <span className={styles.custom}>
      <label>
        <span className={styles.label}>{labels.from}</span>
        <input
          type="datetime-local"
          value={momentText(from)}
          max={momentText(to)}
          onChange={(event) => onChange({ from: momentOf(event.currentTarget.value) })}
        />
      </label>
      <label>
        <span className={styles.label}>{labels.to}</span>
        <input
          type="datetime-local"
          value={momentText(to)}
          min={momentText(from)}
          onChange={(event) => onChange({ to: momentOf(event.currentTarget.value) })}
        />
      </label>
    </span>
  );
}
