// What is looked for in the bytes of a stream without reading it event by event.
import { isUsageOnly } from './stream.ts';
import { dataOf, endOfEvent, startOfEvent } from '#server/upstream/sse.ts';

// Errors end a stream, so they stand near the end of what arrives together with them. Searching all of a long burst for what
// begins with a frequent letter would cost more than passing it on.
const endingBytes = 4 * 1024;
const emptyList = Buffer.from('[]');

const afterError = keySearch('error', 'r');
const afterUsage = keySearch('usage', 'u');

/** Whether one of the last of these whole events may be an error. */
export function mayHoldError(events: Buffer): boolean {
  return afterError(events, ending(events)) >= 0;
}

/** Where the last bytes begin, or the last event when that is longer. */
function ending(events: Buffer): number {
  const from = events.length - endingBytes;
  return from <= 0 ? 0 : Math.min(from, startOfEvent(events, events.length - 3));
}

export interface SoundPart {
  /** Offset behind what may go on: whole events, or the lines before `[DONE]` in its event. */
  end: number;
  /** What comes then: nothing, the event `[DONE]`, or something that is no event of a chat stream. */
  next: 'nothing' | 'done' | 'garbage';
}

/**
 * How far these whole events are what they should be. Only the frame of each is looked at; its JSON is the client's to read.
 * Providers add much that says nothing, and readers of event streams pass over it, so it goes on.
 */
export function soundPart(events: Buffer): SoundPart {
  for (let at = 0; at < events.length;) {
    const lineEnd = events.indexOf(newline, at);
    // Nearly all are `data: {…}` and an empty line.
    if (isObjectAt(events, at) && events[lineEnd - 1] === closingBrace && events[lineEnd + 1] === newline) {
      at = lineEnd + 2;
      continue;
    }
    const end = endOfEvent(events, at);
    const event = events.toString('utf8', at, end).trimEnd();
    const done = doneLine.exec(event);
    if (done !== null) return { end: at + Buffer.byteLength(event.slice(0, done.index)), next: 'done' };
    if (!isSound(event)) return { end: at, next: 'garbage' };
    at = end;
  }
  return { end: events.length, next: 'nothing' };
}

/** `[DONE]` as the last line, also in quotes or without `data:`. */
const doneLine = /^(?:data:)?[ \t]*"?\[DONE\]"?$/m;
const sideData: ReadonlySet<string> = new Set(['', 'null', '""']);

function isSound(event: string): boolean {
  const data = dataOf(event)?.trim();
  // Comments, and fields that readers do not know. https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
  if (data === undefined) return event.split(/\r?\n/).every((line) => /^(?:$|:|[\w-]+(?:$|:))/.test(line));
  if (data.startsWith('{') ? data.endsWith('}') : sideData.has(data)) return true;
  // A ping, say.
  return /^event:/m.test(event);
}

const [newline, space, colon, letterD, openingBrace, closingBrace] = [0x0a, 0x20, 0x3a, 0x64, 0x7b, 0x7d];

/** Whether an object begins there as the data of an event. */
function isObjectAt(bytes: Buffer, at: number): boolean {
  if (bytes[at] !== letterD || bytes[at + 4] !== colon) return false;
  return bytes[at + 5] === openingBrace || (bytes[at + 5] === space && bytes[at + 6] === openingBrace);
}

/**
 * Cuts the usage chunk out. Most events say `"usage":null`, so only those with an object are read, and those with an empty
 * list, which may be that of the choices.
 */
export function withoutUsage(events: Buffer): readonly Buffer[] {
  const cuts: Cut[] = [];
  for (let at = afterUsage(events, 0); at >= 0; at = afterUsage(events, at)) {
    while (events[at] === 0x20 || events[at] === 0x3a || events[at] === 0x0a) at += 1;
    if (events[at] === 0x7b) at = lookAt(events, at, cuts);
  }
  for (let at = events.indexOf(emptyList, ending(events)); at >= 0; at = events.indexOf(emptyList, at)) at = lookAt(events, at, cuts);
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
