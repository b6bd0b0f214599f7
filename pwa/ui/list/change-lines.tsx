import type { EntryValue } from '#shared/settings.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './change-lines.module.css';

export interface ChangeLine {
  /** Of an entry of a map; '' of a value that is one. */
  name: string;
  before: string;
  after: string;
  /** `+10%`, of figures. */
  share: string;
}

/** Of many only so many. */
const most = 8;

interface ChangeLinesProps {
  lines: readonly ChangeLine[];
  /** Text about lines that are left out; absent: all are shown. */
  more?: (count: number) => string;
}

/** Old value struck, new value next to it, and the difference. */
export function ChangeLines({ lines, more }: ChangeLinesProps) {
  const shown = more === undefined ? lines : lines.slice(0, most);
  return (
    <ul className={styles.lines}>
      {shown.map((line) => (
        <li key={line.name} data-named={line.name !== '' || undefined}>
          {line.name !== '' && <span className={styles.name}>{line.name}</span>}
          <span className={styles.values}>
            <s>{line.before}</s> <span aria-hidden="true">→</span> <span className={styles.after}>{line.after}</span>
          </span>
          {line.share !== '' && <span className={styles.share}>{line.share}</span>}
        </li>
      ))}
      {shown.length < lines.length && <li className={typography.muted}>{more?.(lines.length - shown.length)}</li>}
    </ul>
  );
}

/** `+10%`; '' where there is nothing to compare. */
export function shareOf(before: EntryValue, after: EntryValue): string {
  if (typeof before !== 'number' || typeof after !== 'number' || before === 0) return '';
  const percent = Math.round(((after - before) / Math.abs(before)) * 1000) / 10;
  return `${percent < 0 ? '\u2212' : '+'}${Math.abs(percent)}%`;
}
