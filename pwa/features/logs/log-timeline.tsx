import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { UsageFigures } from '#shared/dashboard.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import type { LogSearch, Range } from './log-address.ts';
import styles from './log-timeline.module.css';
import logs from './logs.module.css';
import { type LogList, timelineQuery } from './queries.ts';

const hourSeconds = 3600;
const dayHours = 24;
const place = 10;
const height = 30;
const band = 10;

interface LogTimelineProps {
  list: LogList;
  onNarrow: (change: Partial<LogSearch>) => void;
}

/** Above the list: when there was much, and when it failed. An hour that is pressed becomes the range of the list. */
export function LogTimeline({ list, onNarrow }: LogTimelineProps) {
  const { data, isError, fetchStatus } = useQuery(timelineQuery(list.isAdmin, list.range.range));
  // What cannot be read takes no room; what is being read has its place.
  if (data === undefined && (isError || fetchStatus === 'paused')) return null;
  return (
    <div className={logs.timeline}>
      {data !== undefined && (
        <Picture
          figures={data}
          range={list.range.range}
          onHour={(start) => onNarrow({ range: 'custom', from: start, to: start + hourSeconds - 1 })}
        />
      )}
    </div>
  );
}

interface PictureProps {
  figures: UsageFigures;
  range: Range;
  onHour: (start: number) => void;
}

export function Picture({ figures, range, onHour }: PictureProps) {
  const { t } = useTranslation();
  const format = useFormat();
  // The rest of today is empty: a day has its whole length, so that a morning looks like one.
  const missing = range === 'today' ? Math.max(0, dayHours - figures.steps.length) : 0;
  const width = (figures.steps.length + missing) * place;
  const most = Math.max(1, ...figures.whole.map(({ calls }) => calls));
  const mostErrors = Math.max(1, ...figures.whole.map(({ errors }) => errors));
  const first = figures.steps[0] ?? 0;
  const marks =
    range === 'today'
      ? [0, 6, 12, 18].map((index) => ({ start: first + index * hourSeconds, index }))
      : figures.steps.flatMap((start, index) => (format.clock(start) === '00:00' ? [{ start, index }] : []));
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.caption}>{t('logs.timeline.title')}</figcaption>
      <svg
        className={styles.picture}
        viewBox={`0 0 ${width} ${height + band}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('logs.timeline.title')}
      >
        {figures.steps.map((start, index) => {
          const { calls, errors } = figures.whole[index] ?? { calls: 0, errors: 0 };
          const size = calls === 0 ? 0 : Math.max(1.5, (calls / most) * height);
          return (
            <g key={start} className={styles.hour} onClick={() => onHour(start)}>
              <title>
                {t('logs.timeline.hour', { time: format.dateTime(start), calls: format.count(calls), errors: format.count(errors) })}
              </title>
              <rect x={index * place} width={place} height={height + band} className={styles.ground} />
              {size > 0 && <rect x={index * place + 1} y={height - size} width={place - 2} height={size} className={styles.calls} />}
              {errors > 0 && (
                <rect
                  x={index * place + 1}
                  y={height + 1}
                  width={place - 2}
                  height={Math.max(3, (errors / mostErrors) * (band - 1))}
                  className={styles.failed}
                />
              )}
            </g>
          );
        })}
        <path d={`M0 ${height}H${width}`} className={styles.base} />
      </svg>
      <div className={styles.axis} aria-hidden>
        {marks.map((mark) => (
          <span key={mark.start} style={{ insetInlineStart: `${(mark.index * place * 100) / width}%` }}>
            {range === 'today' ? format.clock(mark.start) : format.day(mark.start)}
          </span>
        ))}
      </div>
    </figure>
  );
}
