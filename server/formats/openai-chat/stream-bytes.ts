// What is looked for in the bytes of a stream without reading it event by event.
import { parseObject } from '#server/framing/loose-json.ts';
import { dataIn, endOfEvent, linesIn, startOfEvent, toEvent } from '#server/framing/sse.ts';
import { keySearch } from './key-search.ts';
import { isUsageOnly } from './stream-transform.ts';
import { includeReasoning } from './token-usage.ts';

// Errors end a stream, so they stand near the end of what arrives together with them. Searching all of a long burst for what
// begins with a frequent letter would cost more than passing it on.
const endingBytes = 4 * 1024;
const emptyList = Buffer.from('[]');

const afterError = keySearch('error', 'r');
const afterUsage = keySearch('usage', 'u');
const afterReasoning = keySearch('reasoning_tokens', '_');

/** Whether one of the last of these whole events may be an error. @param marker what errors of the provider's own kind contain */
export function mayHoldError(events: Buffer, marker?: string): boolean {
  const from = ending(events);
  return afterError(events, from) >= 0 || (marker !== undefined && events.includes(marker, from));
}

const reasonStarts = ['_reason":"', '_reason": "'].map((key) => Buffer.from(key));

/** Whether a choice ends in the last of these whole events with a word that is none of the format's, or of failure. */
export function mayEndOddly(events: Buffer): boolean {
  const from = ending(events);
  return reasonStarts.some((key) => {
    for (let at = events.indexOf(key, from); at >= 0; at = events.indexOf(key, at)) {
      at += key.length;
      if (!plainReasons.some((word) => word.equals(events.subarray(at, at + word.length)))) return true;
    }
    return false;
  });
}

/** With the quote behind them; some say nothing until there is a reason. */
const plainReasons = ['stop', 'tool_calls', 'length', 'content_filter', 'function_call', ''].map((word) => Buffer.from(`${word}"`));

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
    const kind = kindOf(events, at, end);
    if (typeof kind === 'number') return { end: kind, next: 'done' };
    if (kind === 'garbage') return { end: at, next: 'garbage' };
    at = end;
  }
  return { end: events.length, next: 'nothing' };
}

const sideData: ReadonlySet<string> = new Set(['', 'null', '""']);
const eventField = Buffer.from('event:');

/** What the event between two offsets is; a number is the offset of the line `[DONE]` in it. */
function kindOf(events: Buffer, from: number, to: number): 'sound' | 'garbage' | number {
  let isNamed = false;
  let hasOnlyFields = true;
  for (const { start, end } of linesIn(events, from, to)) {
    if (isDone(events, start, end)) return start;
    isNamed ||= events.subarray(start, Math.min(end, start + eventField.length)).equals(eventField);
    hasOnlyFields &&= isField(events, start, end);
  }
  const data = dataIn(events, from, to)?.trim();
  // Comments, and fields that readers do not know. https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
  if (data === undefined) return hasOnlyFields ? 'sound' : 'garbage';
  if (data.startsWith('{') ? data.endsWith('}') : sideData.has(data)) return 'sound';
  // A ping, say.
  return isNamed ? 'sound' : 'garbage';
}

/** Longer lines are not `[DONE]`, whatever blanks are in them. */
const longestDone = 64;

/** `[DONE]`, also in quotes or without `data:`. */
function isDone(events: Buffer, start: number, end: number): boolean {
  if (end - start > longestDone || end - start < 6) return false;
  return /^(?:data:)?[ \t]*"?\[DONE\]"?[ \t]*$/.test(events.toString('latin1', start, end));
}

/** An empty line, a comment, or a field with or without a value. */
function isField(events: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = events[at];
    if (byte === colon) return true;
    if (byte === undefined || !isNameByte(byte)) return false;
  }
  return true;
}

/** Letters, digits, `-` and `_`. */
function isNameByte(byte: number): boolean {
  const letter = byte | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x5f;
}

const [newline, space, colon, letterD, openingBrace, closingBrace] = [0x0a, 0x20, 0x3a, 0x64, 0x7b, 0x7d];

/** Whether an object begins there as the data of an event. */
function isObjectAt(bytes: Buffer, at: number): boolean {
  if (bytes[at] !== letterD || bytes[at + 4] !== colon) return false;
  return bytes[at + 5] === openingBrace || (bytes[at + 5] === space && bytes[at + 6] === openingBrace);
}

/** Writes reasoning that is reported beside the completion into it. Returns the same bytes where there is none. */
export function withReasoning(events: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let stored = 0;
  for (let at = afterReasoning(events, 0); at >= 0; at = afterReasoning(events, at)) {
    const start = startOfEvent(events, at);
    at = endOfEvent(events, at);
    const data = dataIn(events, start, at);
    const chunk = data === null ? null : parseObject(data);
    if (chunk === null || !includeReasoning(chunk)) continue;
    pieces.push(events.subarray(stored, start), Buffer.from(toEvent(JSON.stringify(chunk))));
    stored = at;
  }
  return pieces.length === 0 ? events : Buffer.concat([...pieces, events.subarray(stored)]);
}

/**
 * Cuts the usage chunk out. Most events say `"usage":null`, so only those with an object are read, and those with an empty
 * list, which may be that of the choices.
 */
export function withoutUsage(events: Buffer): readonly Buffer[] {
  const cuts = new Map<number, Cut>();
  for (let at = afterUsage(events, 0); at >= 0; at = afterUsage(events, at)) {
    while (events[at] === 0x20 || events[at] === 0x3a || events[at] === 0x0a) at += 1;
    if (events[at] === 0x7b) at = lookAt(events, at, cuts);
  }
  for (let at = events.indexOf(emptyList, ending(events)); at >= 0; at = events.indexOf(emptyList, at)) at = lookAt(events, at, cuts);
  if (cuts.size === 0) return [events];
  const stored: Buffer[] = [];
  let end = 0;
  for (const cut of [...cuts.values()].toSorted((a, b) => a.start - b.start)) {
    stored.push(events.subarray(end, cut.start));
    end = cut.end;
  }
  stored.push(events.subarray(end));
  return stored;
}

interface Cut {
  start: number;
  end: number;
}

/** Adds the event at that place to the cuts when it is a usage chunk; returns its end. */
function lookAt(events: Buffer, at: number, cuts: Map<number, Cut>): number {
  const start = startOfEvent(events, at);
  const end = endOfEvent(events, at);
  if (!cuts.has(start)) {
    const data = dataIn(events, start, end);
    if (data !== null && isUsageOnly(data)) cuts.set(start, { start, end });
  }
  return end;
}
