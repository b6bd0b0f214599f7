import { Segments } from '#pwa/ui/controls/segments.tsx';
import { momentOf, momentText } from '#pwa/ui/form/moment-text.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './range-filter.module.css';

interface RangeFilterProps<Range extends string> extends CustomRangeProps {
  /** What is chosen, read aloud. */
  label: string;
  range: Range;
  /** With `custom` the user enters both moments. */
  ranges: readonly { value: Range; label: string }[];
  onRange: (range: Range) => void;
}

/** From when to when a list is shown: a few usual times, or two moments. */
export function RangeFilter<Range extends string>({ label, range, ranges, onRange, ...custom }: RangeFilterProps<Range>) {
  return (
    <>
      <Segments label={label} value={range} options={ranges} onChange={onRange} />
      {range === 'custom' && <CustomRange {...custom} />}
    </>
  );
}

interface CustomRangeProps {
  /** Unix seconds; undefined: open. */
  from: number | undefined;
  to: number | undefined;
  labels: { from: string; to: string };
  onChange: (change: { from?: number | undefined; to?: number | undefined }) => void;
}

/** Two moments; either may be left open. */
function CustomRange({ from, to, labels, onChange }: CustomRangeProps) {
  return (
    <span className={styles.custom}>
      <label>
        <span className={typography.muted}>{labels.from}</span>
        <input
          type="datetime-local"
          value={momentText(from)}
          max={momentText(to)}
          onChange={(event) => onChange({ from: momentOf(event.currentTarget.value) })}
        />
      </label>
      <label>
        <span className={typography.muted}>{labels.to}</span>
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
