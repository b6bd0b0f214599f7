// Periods by which charges of deleted log rows are summed: months, such that the months of every time zone consist of whole periods. A month of a time
// zone begins up to 14 hours before and up to 12 hours after the month in UTC, at a quarter of an hour; these 26 hours are divided into quarters, and the
// rest of the month is one period.
const quarterSeconds = 900;
/** UTC+14 is the earliest time zone, UTC-12 the latest. */
const earliestSeconds = 14 * 3600;
const latestSeconds = 12 * 3600;

/** Start of the period of a moment; both in unix seconds. */
export function periodOf(seconds: number): number {
  const month = monthOf(seconds);
  const core = month + latestSeconds;
  const isCore = seconds >= core && seconds < monthAfter(seconds) - earliestSeconds;
  return isCore ? core : seconds - (seconds % quarterSeconds);
}

/** Start of the first period that begins at this moment or later. */
export function nextPeriod(seconds: number): number {
  if (periodOf(seconds) === seconds) return seconds;
  const core = monthOf(seconds) + latestSeconds;
  return periodOf(seconds) === core ? monthAfter(seconds) - earliestSeconds : periodOf(seconds) + quarterSeconds;
}

function monthOf(seconds: number): number {
  const date = new Date(seconds * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000;
}

function monthAfter(seconds: number): number {
  const date = new Date(seconds * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1000;
}
