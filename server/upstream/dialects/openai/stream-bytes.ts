// What is looked for in the bytes of a stream without reading it event by event.
import { isUsageOnly } from './stream.ts';
import { dataOf, endOfEvent, startOfEvent } from '#server/upstream/sse.ts';

// Errors and usage end a stream, so they stand near the end of what arrives together with them. Searching all of a long
// burst would cost more than passing it on.
const endingBytes = 4 * 1024;
const errorKey = Buffer.from('"error"');
const usageKey = Buffer.from('"usage"');

/** Whether one of the last of these whole events may be an error. */
export function mayHoldError(events: Buffer): boolean {
  return events.includes(errorKey, Math.max(0, events.length - endingBytes));
}

/** Offset of the event `[DONE]` when it is the last of whole events, else -1. */
export function doneAt(events: Buffer): number {
  let end = events.length - 1;
  while (end > 0 && (events[end] === 0x0a || events[end] === 0x0d)) end -= 1;
  if (events[end] !== 0x5d) return -1; // ends with `]`
  const from = Math.max(0, end - 32);
  const match = /(?:^|\n)data: ?\[DONE\]$/.exec(events.toString('latin1', from, end + 1));
  if (match === null) return -1;
  return from + match.index + (match[0].startsWith('\n') ? 1 : 0);
}

/** Cuts the usage chunk out. Most events say `"usage":null`, so only those with an object are read. */
export function withoutUsage(events: Buffer): readonly Buffer[] {
  const kept: Buffer[] = [];
  let from = 0;
  for (let at = events.indexOf(usageKey, Math.max(0, events.length - endingBytes)); at >= 0; at = events.indexOf(usageKey, at)) {
    let next = at + usageKey.length;
    while (events[next] === 0x20 || events[next] === 0x3a || events[next] === 0x0a) next += 1;
    at = next;
    if (events[next] !== 0x7b) continue;
    const start = startOfEvent(events, next);
    const end = endOfEvent(events, next);
    at = end;
    const data = dataOf(events.toString('utf8', start, end).trimEnd());
    if (data === null || !isUsageOnly(data)) continue;
    kept.push(events.subarray(from, start));
    from = end;
  }
  kept.push(events.subarray(from));
  return kept;
}
