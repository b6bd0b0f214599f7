// Presents figures of a model to visitors: shares and times, rounded, never numbers of calls.
import { type DayLetter, statusDays, statusHours, type StatusModel } from '#shared/status-page.ts';
import type { ModelFigureRecord, ModelStateRecord } from '#server/db/records/status-page.ts';
import { firstByteQuantile } from '#server/exchange/first-byte-buckets.ts';
import { spanSeconds, spanStart } from '#server/slices/status-page/figure-spans.ts';
import type { ListedModel } from '#server/slices/status-page/status-models.ts';
import { isDisturbed } from '#server/slices/status-page/judge-model.ts';
import { addFigure, emptySums, type FigureSums, firstTokensOf } from '#server/slices/status-page/sum-figures.ts';

/** Calls from which on a share is shown, and first tokens from which on a time is. A few would show each call. */
const leastCalls = 20;
const leastFirstTokens = 5;
/** A day with a smaller share of answered calls counts as down. */
const leastUp = 0.9;
/** Shortest disturbance of a day that is marked, in seconds. */
const leastDisturbance = 60;

export interface ModelFigures {
  days: readonly ModelFigureRecord[];
  hours: readonly ModelFigureRecord[];
  slots: readonly ModelFigureRecord[];
}

/** @param at unix seconds */
export function presentModel(
  { model, kind }: ListedModel,
  state: ModelStateRecord | undefined,
  figures: ModelFigures,
  at: number,
): StatusModel {
  const firstDay = firstDayOf(at);
  const letters: DayLetter[] = Array.from({ length: statusDays }, () => '-');
  const marks: StatusModel['marks'] = [];
  for (const figure of figures.days) {
    const day = (figure.start - firstDay) / spanSeconds.d;
    if (day < 0 || day >= statusDays) continue;
    const up = upOf(figure);
    const letter = letterOf(figure, up);
    letters[day] = letter;
    const { down_seconds: down = 0, slow_seconds: slow = 0 } = figure;
    if (letter === 'o' && (up === undefined || up === 100)) continue;
    if (letter !== '-') marks.push({ day, ...(up === undefined ? {} : { up }), down_minutes: minutes(down), slow_minutes: minutes(slow) });
  }
  const all = sumOf(figures.days.filter(({ start }) => start >= firstDay));
  const hour = sumOf(figures.slots.filter(({ start }) => start > at - spanSeconds.h));
  const known = state?.state ?? 'unknown';
  return {
    model,
    kind,
    state: known,
    ...(state !== undefined && isDisturbed(known) ? { since: state.since } : {}),
    days: letters.join(''),
    marks,
    ...present('up', upOf(all)),
    ...present('p50', timeOf(hour, 0.5)),
    ...present('p95', timeOf(hour, 0.95)),
    hours: hoursOf(figures.hours, at),
  };
}

/** Start of the first day that is shown, unix seconds. */
export function firstDayOf(at: number): number {
  return spanStart('d', at) - (statusDays - 1) * spanSeconds.d;
}

function letterOf({ answered, failed, down_seconds = 0, slow_seconds = 0 }: ModelFigureRecord, up: number | undefined): DayLetter {
  if (down_seconds >= leastDisturbance || (up !== undefined && up < leastUp * 100)) return 'd';
  if (slow_seconds >= leastDisturbance) return 's';
  return answered + failed > 0 ? 'o' : '-';
}

/** Per cent of calls that were answered, rounded down to hundredths, so that 100 means all; undefined of few. */
function upOf({ answered, failed }: Pick<FigureSums, 'answered' | 'failed'>): number | undefined {
  const calls = answered + failed;
  return calls < leastCalls ? undefined : Math.floor((answered / calls) * 10_000) / 100;
}

function timeOf(sums: FigureSums, share: number): number | undefined {
  return firstTokensOf(sums) < leastFirstTokens ? undefined : rounded(firstByteQuantile(sums.firstBytes, share) ?? 0);
}

/** Two digits: buckets say no more, and a mean of few would show each call. */
function rounded(milliseconds: number): number {
  return milliseconds < 1 ? 0 : Number(milliseconds.toPrecision(2));
}

function hoursOf(figures: readonly ModelFigureRecord[], at: number): (number | null)[] {
  const first = spanStart('h', at) - (statusHours - 1) * spanSeconds.h;
  const hours = Array.from({ length: statusHours }, (): number | null => null);
  for (const figure of figures) {
    const hour = (figure.start - first) / spanSeconds.h;
    if (hour >= 0 && hour < statusHours) hours[hour] = timeOf(sumOf([figure]), 0.5) ?? null;
  }
  return hours;
}

function sumOf(figures: readonly ModelFigureRecord[]): FigureSums {
  const sums = emptySums();
  for (const figure of figures) addFigure(sums, figure);
  return sums;
}

function minutes(seconds: number): number {
  return Math.round(seconds / 60);
}

function present<Name extends string>(name: Name, value: number | undefined): { [Key in Name]?: number } {
  const field: { [Key in Name]?: number } = {};
  if (value !== undefined) field[name] = value;
  return field;
}
