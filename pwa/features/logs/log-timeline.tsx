import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useRef, useState } from 'react';
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
  // The hour that is pointed at or has the focus stands in words above the picture.
  const [read, setRead] = useState<string>();
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
      <figcaption className={styles.caption}>{read ?? t('logs.timeline.title')}</figcaption>
      <div className={styles.plot}>
        <svg className={styles.picture} viewBox={`0 0 ${width} ${height + band}`} preserveAspectRatio="none" aria-hidden>
          {figures.steps.map((start, index) => {
            const { calls, errors } = figures.whole[index] ?? { calls: 0, errors: 0 };
            const size = calls === 0 ? 0 : Math.max(1.5, (calls / most) * height);
            return (
              <g key={start}>
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
        <Hours figures={figures} share={(figures.steps.length * place) / width} onRead={setRead} onHour={onHour} />
      </div>
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

interface HoursProps {
  figures: UsageFigures;
  /** Of the width of the picture, from 0 to 1: how far the hours reach. */
  share: number;
  onRead: (text: string | undefined) => void;
  onHour: (start: number) => void;
}

/** What is pressed: a button over each hour. Tab stops once, at the newest; arrows walk, with Ctrl by days. */
function Hours({ figures, share, onRead, onHour }: HoursProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const group = useRef<HTMLDivElement>(null);
  const [reached, setReached] = useState<number>();
  const last = figures.steps.length - 1;
  const stop = Math.min(reached ?? last, last);

  function handleKey(event: KeyboardEvent): void {
    const step = event.ctrlKey ? dayHours : 1;
    const next = { ArrowLeft: stop - step, ArrowRight: stop + step, Home: 0, End: last }[event.key];
    if (next === undefined || event.metaKey || event.altKey) return;
    event.preventDefault();
    const button = group.current?.children[Math.max(0, Math.min(last, next))];
    if (button instanceof HTMLElement) button.focus();
  }
  function handlePress(start: number): void {
    onHour(start);
    // A list of one hour has no timeline: reading goes on with the screen.
    document.getElementById('main')?.focus({ preventScroll: true });
  }
  return (
    <div
      className={styles.hours}
      style={{ width: `${share * 100}%` }}
      role="group"
      aria-label={t('logs.timeline.title')}
      ref={group}
      onKeyDown={handleKey}
      onPointerLeave={() => onRead(undefined)}
      onBlur={() => onRead(undefined)}
    >
      {figures.steps.map((start, index) => {
        const { calls, errors } = figures.whole[index] ?? { calls: 0, errors: 0 };
        const text = t('logs.timeline.hour', { time: format.dateTime(start), calls: format.count(calls), errors: format.count(errors) });
        return (
          <button
            key={start}
            type="button"
            className={styles.hour}
            aria-label={text}
            tabIndex={index === stop ? 0 : -1}
            onPointerEnter={() => onRead(text)}
            onFocus={() => {
              setReached(index);
              onRead(text);
            }}
            onClick={() => handlePress(start)}
          />
        );
      })}
    </div>
  );
}
