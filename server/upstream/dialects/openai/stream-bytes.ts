// What is looked for in the bytes of a stream without reading it event by event.
import { isUsageOnly } from './stream.ts';
import { dataOf, endOfEvent, startOfEvent } from '#server/upstream/sse.ts';

// Errors and usage end a stream, so they stand near the end of what arrives together with them. Searching all of a long
// burst would cost more than passing it on.
const endingBytes = 4 * 1024;
const emptyList = Buffer.from('[]');

const afterError = keySearch('error', 'r');
const afterUsage = keySearch('usage', 'u');

/** Whether one of the last of these whole events may be an error. */
export function mayHoldError(events: Buffer): boolean {
  return afterError(events, Math.max(0, events.length - endingBytes)) >= 0;
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

/**
 * Cuts the usage chunk out. Most events say `"usage":null`, so only those with an object are read, and those with an empty
 * list, which may be that of the choices.
 */
export function withoutUsage(events: Buffer): readonly Buffer[] {
  const from = Math.max(0, events.length - endingBytes);
  const cuts: Cut[] = [];
  for (let at = afterUsage(events, from); at >= 0; at = afterUsage(events, at)) {
    while (events[at] === 0x20 || events[at] === 0x3a || events[at] === 0x0a) at += 1;
    if (events[at] === 0x7b) at = lookAt(events, at, cuts);
  }
  for (let at = events.indexOf(emptyList, from); at >= 0; at = events.indexOf(emptyList, at)) at = lookAt(events, at, cuts);
  if (cuts.length === 0) return [events];
  const kept: Buffer[] = [];
  let end = 0;
  for (const cut of cuts.toSorted((a, b) => a.start - b.start)) {
    kept.push(events.subarray(end, cut.start));
    end = cut.end;
  }
  kept.push(events.subarray(end));
  return kept;
}

/**
 * A search for a key in its quotes: the offset behind the next one, -1 when there is none. Quotes stand everywhere in JSON, and
 * a search stops wherever its first letter is: it begins at a letter that is rarer, and looks back.
 */
function keySearch(name: string, rare: string): (bytes: Buffer, from: number) => number {
  const key = Buffer.from(`"${name}"`);
  const skipped = key.indexOf(rare);
  const rest = key.subarray(skipped);
  return (bytes, from) => {
    for (let at = bytes.indexOf(rest, from); at >= 0; at = bytes.indexOf(rest, at + 1)) {
      const start = at - skipped;
      if (start >= from && bytes.compare(key, 0, skipped, start, at) === 0) return at + rest.length;
    }
    return -1;
  };
}

interface Cut {
  start: number;
  end: number;
}

/** Adds the event at that place to the cuts when it is a usage chunk; returns its end. */
function lookAt(events: Buffer, at: number, cuts: Cut[]): number {
  const start = startOfEvent(events, at);
  const end = endOfEvent(events, at);
  if (cuts.every((cut) => cut.start !== start)) {
    const data = dataOf(events.toString('utf8', start, end).trimEnd());
    if (data !== null && isUsageOnly(data)) cuts.push({ start, end });
  }
  return end;
}
