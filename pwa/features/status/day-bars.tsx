import { useTranslation } from 'react-i18next';
import { type DayLetter, statusDays, statusHours } from '#shared/status-page.ts';
import { daysSummary, letterAt } from './status-words.ts';
import styles from './status.module.css';

const step = 5;
const height = 26;

/** Marks of the days by their letter: a bar; slow and down days hang below the line, days without data are dots. */
const shapes: Readonly<Record<DayLetter, (x: number) => string>> = {
  o: (x) => `M${x} 5h2v10h-2z`,
  s: (x) => `M${x - 1} 17h4v4h-4z`,
  d: (x) => `M${x - 1} 17h4v9h-4zM${x - 2} 0h6l-3 4z`,
  '-': (x) => `M${x} 11h2v2h-2z`,
};

/** Ninety days as thin marks, the oldest first. A good row stays quiet. */
export function DayBars({ days }: { days: string }) {
  const { t } = useTranslation();
  const paths: Record<DayLetter, string> = { o: '', s: '', d: '', '-': '' };
  for (let day = 0; day < statusDays; day += 1) {
    const letter = letterAt(days, day);
    paths[letter] += shapes[letter](day * step + 2);
    // The day itself, above what hangs below the line.
    if (letter === 'd' || letter === 's') paths.o += shapes.o(day * step + 2);
  }
  return (
    <svg
      className={styles.bars}
      viewBox={`0 0 ${statusDays * step + 2} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={daysSummary(t, days)}
    >
      <path d={paths['-']} data-day="none" />
      <path d={paths.o} data-day="good" />
      <path d={paths.s} data-day="slow" />
      <path d={paths.d} data-day="down" />
    </svg>
  );
}

const lineWidth = 96;
const lineHeight = 24;

/** Medians of the first token of the last 24 hours, as a line; hours without calls are gaps. */
export function HourLine({ hours, label }: { hours: readonly (number | null)[]; label: string }) {
  const known = hours.filter((one) => one !== null);
  if (known.length < 2) return null;
  // Twice the usual is twice as high: a quiet line is flat, whatever its scale.
  const top = Math.max(...known, 1) * 1.1;
  let path = '';
  let isOpen = false;
  for (const [hour, value] of hours.entries()) {
    if (value !== null)
      path += `${isOpen ? 'L' : 'M'}${((hour + 0.5) * lineWidth) / statusHours} ${(lineHeight - 2 - (value / top) * (lineHeight - 4)).toFixed(1)}`;
    isOpen = value !== null;
  }
  return (
    <svg
      className={styles.line}
      width={lineWidth}
      height={lineHeight}
      viewBox={`0 0 ${lineWidth} ${lineHeight}`}
      role="img"
      aria-label={label}
    >
      <path d={`M0 ${lineHeight - 0.5}h${lineWidth}`} data-base />
      <path d={path} />
    </svg>
  );
}
