// Query of the log screen, from its search parameters.
import { type LogCache, type LogResult, LogType } from '#shared/logs.ts';
import { midnight, monthStart } from '#pwa/ui/local-days.ts';
import { defaultRange, type LogSearch, type Range } from './log-address.ts';

/** In the order in which they are offered. */
export const filterKeys = [
  'type',
  'result',
  'cache',
  'request',
  'session',
  'token',
  'model',
  'group',
  'member',
  'team',
  'user',
  'channel',
] as const;
export type FilterKey = (typeof filterKeys)[number];

/** Of other people's calls only. */
export const forAdmins: ReadonlySet<FilterKey> = new Set(['user', 'channel']);

/** Of calls on behalf of an organisation, for those who read its usage. */
export const forOrganisations: ReadonlySet<FilterKey> = new Set(['member', 'team']);

/** What narrows the list, the time range apart: the part of the address that sums and pages share. */
export type LogFilters = Pick<LogSearch, FilterKey>;

export function filtersOf(search: LogSearch, isAdmin: boolean): LogFilters {
  const { type, result, cache, request, session, token, model, group, member, team, user, channel } = search;
  return { type, result, cache, request, session, token, model, group, ...(isAdmin ? { user, channel } : { member, team }) };
}

/** A change that takes every filter away. */
export const noFilters: Readonly<Record<FilterKey, undefined>> = {
  type: undefined,
  result: undefined,
  cache: undefined,
  request: undefined,
  session: undefined,
  token: undefined,
  model: undefined,
  group: undefined,
  member: undefined,
  team: undefined,
  user: undefined,
  channel: undefined,
};

export function countFilters(filters: LogFilters): number {
  return filterKeys.filter((key) => filters[key] !== undefined).length;
}

/** Whether the rows are calls: sums say nothing above others. */
export function isAboutCalls({ type, result }: LogFilters): boolean {
  return (type ?? LogType.consumption) === LogType.consumption && result !== 'refused';
}

/** Range as a name, so that stored responses do not depend on the clock. */
export interface RangeChoice {
  range: Range;
  from?: number | undefined;
  to?: number | undefined;
}

export function rangeOf({ range = defaultRange, from, to }: LogSearch): RangeChoice {
  return range === 'custom' ? { range, from, to } : { range };
}

export interface Bounds {
  start?: number | undefined;
  end?: number | undefined;
}

/** Unix seconds of a range at a moment (milliseconds). A day starts at local midnight. */
export function boundsOf({ range, from, to }: RangeChoice, now: number): Bounds {
  const seconds = Math.floor(now / 1000);
  if (range === 'quarter') return { start: seconds - 15 * 60 };
  if (range === 'hour') return { start: seconds - 60 * 60 };
  if (range === 'today') return { start: midnight(now) };
  if (range === 'week') return { start: midnight(now, -6) };
  if (range === 'this_month') return { start: monthStart(now) };
  if (range === 'last_month') return { start: monthStart(now, -1), end: monthStart(now) - 1 };
  // A moment that was typed is a minute: what begins with it belongs to the time after, so that months side by side share no call.
  return { start: from, end: to !== undefined && to % 60 === 0 ? to - 1 : to };
}

/** What a picture of a list spans, unix seconds, half-open: whole days, the rest of today too. */
export interface TimelineSpan {
  start: number;
  end: number;
  step: 'hour' | 'day';
}

/** More days than these are drawn by the day. */
const mostDaysByHour = 8;
const mostDays = 92;
const daySeconds = 86_400;

/** The days around the bounds of a list: a part of today stands in today, and one of the last days in the week. */
export function timelineSpan({ start = 0, end }: Bounds, now: number): TimelineSpan {
  const tomorrow = midnight(now, 1);
  if (start >= midnight(now)) return { start: midnight(now), end: tomorrow, step: 'hour' };
  if (start >= midnight(now, -6)) return { start: midnight(now, -6), end: tomorrow, step: 'hour' };
  const last = end === undefined ? tomorrow : Math.min(tomorrow, midnight(end * 1000, 1));
  const first = Math.max(midnight(start * 1000), midnight(last * 1000, -mostDays));
  return { start: first, end: last, step: last - first > (mostDaysByHour + 0.5) * daySeconds ? 'day' : 'hour' };
}

/** The day of a moment (unix seconds), cut to the bounds of a list. */
export function dayWithin(seconds: number, bounds: Bounds): { start: number; end: number } {
  const start = midnight(seconds * 1000);
  const end = midnight(seconds * 1000, 1) - 1;
  return { start: Math.max(start, bounds.start ?? start), end: Math.min(end, bounds.end ?? end) };
}

/** Query values that list and sums take alike. */
export function serverFilters(filters: LogFilters): {
  type?: number | undefined;
  result?: LogResult | undefined;
  cache?: LogCache | undefined;
  request_id?: string | undefined;
  session?: string | undefined;
  token_name?: string | undefined;
  model_name?: string | undefined;
  group?: string | undefined;
  member_id?: number | undefined;
  team_id?: number | undefined;
  username?: string | undefined;
  channel?: number | undefined;
} {
  return {
    type: filters.type,
    result: filters.result,
    cache: filters.cache,
    request_id: filters.request?.trim(),
    session: filters.session?.trim(),
    token_name: filters.token,
    model_name: modelPattern(filters.model),
    group: filters.group,
    member_id: filters.member,
    team_id: filters.team,
    username: filters.user,
    channel: filters.channel,
  };
}

/** Typed names are beginnings; `"gpt-4o"` is that model and not `gpt-4o-mini`. */
export function modelPattern(typed: string | undefined): string | undefined {
  if (typed === undefined) return undefined;
  const quoted = /^"(.+)"$/.exec(typed)?.[1];
  if (quoted !== undefined) return quoted;
  return typed.includes('%') ? typed : `${typed}%`;
}

export function exactModel(name: string): string {
  return `"${name}"`;
}
