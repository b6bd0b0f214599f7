// Words of the status page: names of incidents, texts of days, the sentence that the page begins with.
import type { TFunction } from 'i18next';
import {
  type DayLetter,
  dayLetters,
  statusDays,
  type StatusIncident,
  type StatusModel,
  type StatusPage,
  type StatusTexts,
} from '#shared/status-page.ts';
import { createFormat, type Format } from '#pwa/ui/billing/format.ts';
import type { Status } from '#pwa/ui/controls/status-mark.tsx';

export const stateMarks = { operational: 'on', slow: 'look', down: 'failed', unknown: 'note' } as const satisfies Record<
  StatusModel['state'],
  Status
>;

/** Models in the name of an incident. */
const namedModels = 3;

export function incidentTitle(t: TFunction, { title, level, models }: StatusIncident, language: 'zh' | 'en'): string {
  if (level === undefined) return title[language];
  const named = models.slice(0, namedModels).join(', ');
  const rest = models.length - namedModels;
  return t(`status.incident.${level}`, { models: rest > 0 ? t('status.incident.more', { models: named, count: rest }) : named });
}

/** What the measures say of an incident, in a sentence; empty if they say nothing. */
export function incidentSentence(t: TFunction, incident: StatusIncident, format: Format): string {
  const { level, failed_percent: percent, first_token_ms: now, usual_ms: usual } = incident;
  if (level === 'down' && percent !== undefined) return t('status.incident.failed', { percent });
  if (level === 'down') return t('status.incident.unserved');
  if (level === 'slow' && now !== undefined && usual !== undefined)
    return t('status.incident.first_token', { now: format.duration(now), usual: format.duration(usual) });
  return '';
}

/** When an incident was: since when, from when and how long, or the window of maintenance. */
export function incidentTime(t: TFunction, incident: StatusIncident, format: Format): string {
  const { kind, started_at: from, ended_at: to, planned_until: until } = incident;
  const at = (seconds: number) => `${format.date(seconds)} ${format.clock(seconds)}`;
  if (to !== undefined)
    return t('status.incident.lasted', { date: format.date(from), minutes: format.count(Math.max(1, Math.round((to - from) / 60))) });
  if (kind === 'maintenance' && until !== undefined) return t('status.incident.window', { from: at(from), until: at(until) });
  const isToday = format.dayKey(from) === format.dayKey(Date.now() / 1000);
  return t('status.incident.since', { time: isToday ? format.clock(from) : at(from) });
}

export function updateText(text: StatusTexts, language: 'zh' | 'en'): string {
  return text[language];
}

export interface DayText {
  letter: DayLetter;
  text: string;
}

/** Each day in words, the oldest first. Days are those of UTC, whatever the zone of the device. */
export function dayTexts(
  t: TFunction,
  { days, marks }: StatusModel,
  page: Pick<StatusPage, 'first_day'>,
  language: 'zh' | 'en',
): DayText[] {
  const utc = createFormat({ language, quotaPerUnit: 1, inCurrency: true, timeZone: 'UTC' });
  const marked = new Map(marks.map((mark) => [mark.day, mark]));
  return Array.from({ length: statusDays }, (_, day) => {
    const letter = letterAt(days, day);
    const date = utc.date(page.first_day + day * 86_400);
    const mark = marked.get(day);
    const isMeasured = mark !== undefined && mark.down_minutes + mark.slow_minutes > 0;
    const parts = isMeasured ? [] : [t(`status.state.${dayLetters[letter]}`)];
    if (mark !== undefined && mark.down_minutes > 0) parts.push(t('status.day.down', { minutes: utc.count(mark.down_minutes) }));
    if (mark !== undefined && mark.slow_minutes > 0) parts.push(t('status.day.slow', { minutes: utc.count(mark.slow_minutes) }));
    if (mark?.up !== undefined) parts.push(t('status.day.up', { percent: mark.up.toFixed(2) }));
    return { letter, text: t('status.day.line', { date, text: parts.join(t('status.day.comma')) }) };
  });
}

export function letterAt(days: string, day: number): DayLetter {
  const letter = days[day] ?? '-';
  return letter === 'o' || letter === 's' || letter === 'd' ? letter : '-';
}

/** All days of a model in a sentence. */
export function daysSummary(t: TFunction, days: string): string {
  const count = (letter: DayLetter) => Array.from(days).filter((one) => one === letter).length;
  return t('status.days_summary', { operational: count('o'), slow: count('s'), down: count('d'), unknown: count('-') });
}

/** How many of the models with data are operational, and how many have none; empty without models. */
export function countSentence(t: TFunction, { models }: Pick<StatusPage, 'models'>): string {
  const shown = models.filter(({ is_hidden: isHidden }) => isHidden !== true);
  const known = shown.filter(({ state }) => state !== 'unknown');
  const operational = known.filter(({ state }) => state === 'operational').length;
  const without = shown.length - known.length;
  const of = known.length === 0 ? '' : t('status.head.of', { operational, count: known.length });
  const rest = without === 0 ? '' : t('status.head.without', { count: without });
  return of === '' || rest === '' ? of + rest : t('status.head.sentences', { first: of, second: rest });
}

/** The page in a sentence, and how it looks. */
export function pageSentence(t: TFunction, { models, current }: StatusPage): { status: Status; text: string } {
  const count = (state: StatusModel['state']) => models.filter((model) => model.state === state && model.is_hidden !== true).length;
  const [down, slow, operational] = [count('down'), count('slow'), count('operational')];
  if (down > 0)
    return { status: 'failed', text: slow > 0 ? t('status.head.both', { count: down, slow }) : t('status.head.down', { count: down }) };
  if (slow > 0) return { status: 'look', text: t('status.head.slow', { count: slow }) };
  const open = current.filter(({ kind }) => kind === 'written').length;
  if (open > 0) return { status: 'look', text: t('status.head.incidents', { count: open }) };
  return operational > 0 ? { status: 'on', text: t('status.head.operational') } : { status: 'note', text: t('status.head.unknown') };
}
