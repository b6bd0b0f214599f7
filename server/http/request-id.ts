// Request ids for responses, logs and usage rows: local time in nanoseconds and 8 random characters.
import type { AppContext } from '#server/context.ts';

let second = 0;
let prefix = '';

/** `YYYYMMDDhhmmss`, the nanosecond part without padding, 8 characters of `0-9a-zA-Z`. */
export function newRequestId(context: Pick<AppContext, 'now' | 'randomText'>): string {
  const now = context.now();
  const current = Math.floor(now / 1000);
  if (current !== second) {
    second = current;
    prefix = localTime(new Date(now));
  }
  const nanoseconds = Math.floor((now - current * 1000) * 1_000_000) + (process.hrtime()[1] % 1_000_000);
  // Not a template: V8 stores its result as a tree of parts, which triples the time of serializing a log row.
  return [prefix, nanoseconds, context.randomText(8)].join('');
}

function localTime(date: Date): string {
  const pad = (value: number) => String(value).padStart(2, '0');
  return (
    `${date.getFullYear()}${pad(date.getMonth() + 1)}${pad(date.getDate())}` +
    `${pad(date.getHours())}${pad(date.getMinutes())}${pad(date.getSeconds())}`
  );
}
