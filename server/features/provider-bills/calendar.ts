// Days of a time zone as bills name them: `2026-11-30`.

const hourSeconds = 3600;
const daySeconds = 86_400;
/** Hours whose offset is stored; more than a year of them. */
const mostHours = 20_000;

export interface Calendar {
  /** The day of a time, unix seconds. */
  dayOf(time: number): string;
  /** First moment of a day, unix seconds. */
  startOf(day: string): number;
}

export function isZone(zone: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: zone });
    return zone !== '' && !/^[+-]/.test(zone);
  } catch {
    return false;
  }
}

/** @throws {RangeError} for an unknown zone */
export function calendarOf(zone: string): Calendar {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const offsets = new Map<number, number>();
  const offsetAt = (time: number): number => {
    // Offsets change at quarter hours.
    const quarter = Math.floor(time / 900);
    let offset = offsets.get(quarter);
    if (offset === undefined) {
      const [, sign = '', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(quarter * 900_000)) ?? [];
      offset = (Number(hours) * hourSeconds + Number(minutes) * 60) * (sign === '-' ? -1 : 1);
      if (offsets.size >= mostHours) offsets.clear();
      offsets.set(quarter, offset);
    }
    return offset;
  };
  return {
    dayOf: (time) => new Date((time + offsetAt(time)) * 1000).toISOString().slice(0, 10),
    startOf(day) {
      const wall = Date.parse(`${day}T00:00:00Z`) / 1000;
      const first = wall - offsetAt(wall);
      const moment = wall - offsetAt(first);
      // A clock may skip midnight.
      return moment + offsetAt(moment) < wall ? Math.max(first, moment) : moment;
    },
  };
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * daySeconds * 1000).toISOString().slice(0, 10);
}

/** Days from one to the other; negative if the other is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 1000 / daySeconds);
}

export function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return /^(19|20)\d\d-\d\d-\d\d$/.test(text) && Number.isFinite(time) && new Date(time).toISOString().slice(0, 10) === text;
}

export interface Moment {
  day: string;
  /** Unix seconds; undefined if only the day is known. */
  at?: number;
}

/**
 * Day of a date or time as exports write it: a day (`2026-11-30`, `2026/11/30`, `20261130`), a time with or without its offset, unix seconds or
 * milliseconds. A time without an offset is one of the zone. Dates that may be read in two ways (`3/4/2026`) are none.
 */
export function momentOf(text: string, calendar: Calendar): Moment | undefined {
  const bare = text.trim();
  if (/^\d{10}(\.\d+)?$/.test(bare) || /^\d{13}$/.test(bare)) {
    const at = Math.floor(Number(bare.length === 13 && !bare.includes('.') ? Number(bare) / 1000 : bare));
    return { day: calendar.dayOf(at), at };
  }
  const parts =
    /^(\d{4})([-/.]?)(\d{2})\2(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s*(Z|UTC|GMT|[+-]\d{2}:?(?:\d{2})?)?)?$/i.exec(
      bare,
    );
  if (parts === null) return undefined;
  const [, year, , month, date, hours, minutes = '0', seconds = '0', zone] = parts;
  const day = `${year}-${month}-${date}`;
  if (!isDay(day)) return undefined;
  if (hours === undefined) return { day };
  const inDay = Number(hours) * hourSeconds + Number(minutes) * 60 + Number(seconds);
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 60) return undefined;
  if (zone === undefined) return { day, at: calendar.startOf(day) + inDay };
  const [, sign, ahead = '0', aheadMinutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  const offset = (Number(ahead) * hourSeconds + Number(aheadMinutes) * 60) * (sign === '-' ? -1 : 1);
  const at = Date.parse(`${day}T00:00:00Z`) / 1000 + inDay - offset;
  return { day: calendar.dayOf(at), at };
}
