// Spans of the status page's figures, and their ids, which sort by span and time: a range of ids is a range of time.
import type { Filter } from '#server/db/collection.ts';
import type { ModelFigureRecord } from '#server/db/records/status-page.ts';

/** Five minutes, an hour, a day (UTC), in seconds. */
export const spanSeconds = { s: 300, h: 3600, d: 86_400 } as const;
export type Span = keyof typeof spanSeconds;
export const spans: readonly Span[] = ['s', 'h', 'd'];

/** How long figures are retained, in seconds. */
export const retainedSeconds: Readonly<Record<Span, number>> = { s: 2 * 3600, h: 26 * 3600, d: 91 * 86_400 };

/** Start of the span with that time, unix seconds. */
export function spanStart(span: Span, seconds: number): number {
  return seconds - (seconds % spanSeconds[span]);
}

export function figureId(span: Span, start: number, model: string): string {
  return `${prefixOf(span, start)}.${model}`;
}

/** Figures of a span that begin at `from` or later, and before `to`. */
export function figuresBetween(span: Span, from: number, to?: number): Filter<ModelFigureRecord> {
  return { and: [{ id: { gte: prefixOf(span, from) } }, { id: { lt: to === undefined ? `${span}~` : prefixOf(span, to) } }] };
}

/** Ten digits last until the year 2286. */
function prefixOf(span: Span, start: number): string {
  return `${span}${String(start).padStart(10, '0')}`;
}

/** Splits a time at the boundaries of days (UTC). */
export function splitByDay(from: number, to: number): { day: number; seconds: number }[] {
  const parts: { day: number; seconds: number }[] = [];
  for (let at = from; at < to;) {
    const day = spanStart('d', at);
    const end = Math.min(to, day + spanSeconds.d);
    parts.push({ day, seconds: end - at });
    at = end;
  }
  return parts;
}
