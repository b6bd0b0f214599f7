// Days and months of the device's own time zone, in unix seconds. A day may have 23 or 25 hours.

/** Midnight of the day of `now` (milliseconds), so many days later. */
export function midnight(now: number, days = 0): number {
  const date = new Date(now);
  return Math.floor(new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime() / 1000);
}

/** Midnight of the first of the month of `now` (milliseconds), so many months later. */
export function monthStart(now: number, months = 0): number {
  const date = new Date(now);
  return Math.floor(new Date(date.getFullYear(), date.getMonth() + months, 1).getTime() / 1000);
}
