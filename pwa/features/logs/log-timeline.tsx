import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type LogTimeline as Timeline, LogType } from '#shared/logs.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import control from '#pwa/ui/styles/control.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import type { LogSearch } from './log-address.ts';
import { type Bounds, isAboutCalls, timelineSpan } from './log-search.ts';
import styles from './log-timeline.module.css';
import logs from './logs.module.css';
import { boundsOfList, type LogList, timelineQuery } from './queries.ts';

const hourSeconds = 3600;
const dayHours = 24;
const place = 10;
const height = 30;
const band = 10;
/** Names of days that stand below a picture. */
const mostMarks = 8;

interface LogTimelineProps {
  list: LogList;
  onNarrow: (change: Partial<LogSearch>) => void;
}

/** Above the list: when there was much, and when it failed. A bar that is pressed becomes the range of the list. */
export function LogTimeline({ list, onNarrow }: LogTimelineProps) {
  const { data, isError, fetchStatus } = useQuery(timelineQuery(list));
  // What cannot be read takes no room; what is being read has its place.
  if (data === undefined && (isError || fetchStatus === 'paused')) return null;
  const bounds = boundsOfList(list);
  const chosen = list.range.range === 'custom' ? bounds : undefined;
  return (
    <div className={logs.timeline} aria-busy={data === undefined || undefined}>
      {data !== undefined && (
        <Picture
          timeline={data}
          end={timelineSpan(bounds, data.at * 1000).end}
          chosen={chosen}
          countsCalls={isAboutCalls(list.filters)}
          isAllFailed={list.filters.result === 'refused' || list.filters.result === 'failed' || list.filters.type === LogType.refusal}
          onStep={(from, to) => onNarrow({ range: 'custom', from, to })}
        />
      )}
    </div>
  );
}

interface PictureProps {
  timeline: Timeline;
  /** Up to where its axis goes, unix seconds: a day has its whole length, so that a morning looks like one. */
  end: number;
  /** What the list is cut to, where that is less. */
  chosen?: Bounds | undefined;
  countsCalls: boolean;
  /** The list has nothing else: each is drawn once, as what it is. */
  isAllFailed?: boolean;
  /** Of the step that was pressed: unix seconds, both inclusive. */
  onStep: (from: number, to: number) => void;
}

export function Picture({ timeline, end, chosen, countsCalls, isAllFailed = false, onStep }: PictureProps) {
  const { t } = useTranslation();
  const format = useFormat();
  // The step that is pointed at or has the focus stands in words above the picture.
  const [read, setRead] = useState<string>();
  const { steps, step, at } = timeline;
  const isByHour = step === 'hour';
  const missing = isByHour ? Math.max(0, Math.round((end - timeline.end) / hourSeconds)) : 0;
  const width = (steps.length + missing) * place;
  const most = Math.max(1, ...timeline.calls);
  const mostErrors = Math.max(1, ...timeline.errors);
  const isOver = (index: number): boolean => (steps[index + 1] ?? timeline.end) <= at;
  const isChosen = (index: number): boolean =>
    chosen !== undefined && (steps[index] ?? 0) <= (chosen.end ?? at) && (steps[index + 1] ?? timeline.end) > (chosen.start ?? 0);
  const running = steps.findIndex((_, index) => !isOver(index));
  const now = running === -1 ? undefined : ((running + shareOf(timeline, running)) * place * 100) / width;
  return (
    <figure className={styles.figure}>
      <figcaption className={`${typography.note} ${styles.caption}`} data-start={(now ?? 0) > 50 || undefined}>
        {read ?? t(`logs.timeline.${countsCalls ? 'calls' : 'rows'}_${step}`)}
      </figcaption>
      <div className={styles.plot}>
        <svg className={styles.picture} viewBox={`0 0 ${width} ${height + band}`} preserveAspectRatio="none" aria-hidden>
          {steps.map((start, index) => {
            const calls = timeline.calls[index] ?? 0;
            const errors = timeline.errors[index] ?? 0;
            const size = sizeOf(calls, most);
            const box = { x: index * place + 1, width: place - 2 };
            return (
              <g key={start}>
                {isChosen(index) && <rect x={index * place} y={0} width={place} height={height + band} className={styles.chosen} />}
                {size > 0 && (isOver(index) || isAllFailed) && (
                  <rect {...box} y={height - size} height={size} className={isAllFailed ? styles.failed : styles.calls} />
                )}
                {errors > 0 && !isAllFailed && (
                  <rect {...box} y={height + 1} height={Math.max(3, (errors / mostErrors) * (band - 1))} className={styles.failed} />
                )}
              </g>
            );
          })}
          <path d={`M0 ${height}H${width}`} className={styles.base} />
        </svg>
        {running !== -1 && !isAllFailed && (
          // Not in the picture, which is stretched: its hatching would be, too.
          <span
            className={styles.running}
            style={{
              insetInlineStart: `${((running * place + 1) * 100) / width}%`,
              width: `${((place - 2) * 100) / width}%`,
              bottom: `${(band * 100) / (height + band)}%`,
              height: `${(sizeOf(timeline.calls[running] ?? 0, most) * 100) / (height + band)}%`,
            }}
            aria-hidden
          />
        )}
        {now !== undefined && (
          <span
            className={`${typography.small} ${styles.now}`}
            style={{ insetInlineStart: `${now}%` }}
            data-late={now > 90 || undefined}
            aria-hidden
          >
            <span>{t('logs.timeline.now')}</span>
          </span>
        )}
        <Steps timeline={timeline} share={(steps.length * place) / width} onRead={setRead} onStep={onStep} />
      </div>
      <div className={`${typography.note} ${styles.axis}`} aria-hidden>
        {marksOf(timeline, steps.length + missing).map(({ start, index, isDay }) => (
          <span key={start} style={{ insetInlineStart: `${(index * place * 100) / width}%` }}>
            {isDay ? format.day(start) : format.clock(start)}
          </span>
        ))}
      </div>
    </figure>
  );
}

/** Of a bar; few are still seen. */
function sizeOf(calls: number, most: number): number {
  return calls === 0 ? 0 : Math.max(1.5, (calls / most) * height);
}

/** How much of a step is over, from 0 to 1. */
function shareOf({ steps, end, at }: Timeline, index: number): number {
  const start = steps[index] ?? end;
  return Math.min(1, Math.max(0, (at - start) / ((steps[index + 1] ?? end) - start)));
}

interface Mark {
  start: number;
  index: number;
  isDay: boolean;
}

/** What stands below: of one day every sixth hour, else days. */
function marksOf({ steps, step }: Timeline, length: number): Mark[] {
  const first = steps[0] ?? 0;
  if (step === 'hour' && length <= dayHours + 1) {
    return [0, 6, 12, 18].map((index) => ({ start: first + index * hourSeconds, index, isDay: false }));
  }
  const days = steps.flatMap((start, index) =>
    new Date(start * 1000).getHours() === 0 || step === 'day' ? [{ start, index, isDay: true }] : [],
  );
  const apart = Math.ceil(days.length / mostMarks);
  return days.filter((_, index) => index % apart === 0);
}

interface StepsProps {
  timeline: Timeline;
  /** Of the width of the picture, from 0 to 1: how far the steps reach. */
  share: number;
  onRead: (text: string | undefined) => void;
  onStep: (from: number, to: number) => void;
}

/** What is pressed: a button over each step. Tab stops once, at the newest; arrows walk, with Ctrl by days, or weeks of them. */
function Steps({ timeline, share, onRead, onStep }: StepsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const group = useRef<HTMLDivElement>(null);
  const [reached, setReached] = useState<number>();
  const { steps, step: kind, end } = timeline;
  const last = steps.length - 1;
  const stop = Math.min(reached ?? last, last);

  function handleKey(event: KeyboardEvent): void {
    const step = event.ctrlKey ? (kind === 'hour' ? dayHours : 7) : 1;
    const next = { ArrowLeft: stop - step, ArrowRight: stop + step, Home: 0, End: last }[event.key];
    if (next === undefined || event.metaKey || event.altKey) return;
    event.preventDefault();
    const button = group.current?.children[Math.max(0, Math.min(last, next))];
    if (button instanceof HTMLElement) button.focus();
  }
  return (
    <div
      className={styles.hours}
      style={{ width: `${share * 100}%` }}
      role="group"
      aria-label={t('logs.timeline.label')}
      ref={group}
      onKeyDown={handleKey}
      onPointerLeave={() => onRead(undefined)}
      onBlur={() => onRead(undefined)}
    >
      {steps.map((start, index) => {
        const calls = timeline.calls[index] ?? 0;
        const errors = timeline.errors[index] ?? 0;
        const time = kind === 'hour' ? format.dateTime(start) : format.day(start);
        const text = t('logs.timeline.step', { time, calls: format.count(calls), errors: format.count(errors) });
        return (
          <button
            key={start}
            type="button"
            className={`${control.bare} ${layout.fill} ${styles.hour}`}
            aria-label={text}
            tabIndex={index === stop ? 0 : -1}
            onPointerEnter={() => onRead(text)}
            onFocus={() => {
              setReached(index);
              onRead(text);
            }}
            onClick={() => onStep(start, (steps[index + 1] ?? end) - 1)}
          />
        );
      })}
    </div>
  );
}
