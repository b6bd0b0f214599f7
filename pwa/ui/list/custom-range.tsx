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
          value={localText(from)}
          max={localText(to)}
          onChange={(event) => onChange({ from: secondsOf(event.currentTarget.value) })}
        />
      </label>
      <label>
        <span className={styles.label}>{labels.to}</span>
        <input
          type="datetime-local"
          value={localText(to)}
          min={localText(from)}
          onChange={(event) => onChange({ to: secondsOf(event.currentTarget.value) })}
        />
      </label>
    </span>
  );
}

function localText(seconds: number | undefined): string {
  if (seconds === undefined) return '';
  const date = new Date(seconds * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

function secondsOf(text: string): number | undefined {
  const time = new Date(text).getTime();
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}
