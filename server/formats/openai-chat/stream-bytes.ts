// Searches in raw bytes of a stream, without parsing events.
import { parseObject } from '#server/framing/loose-json.ts';
import { dataIn, endOfEvent, linesIn, startOfEvent, toEvent } from '#server/framing/sse.ts';
import { keySearch } from './key-search.ts';
import { isUsageOnly } from './stream-transform.ts';
import { includeReasoning } from './token-usage.ts';

// Errors end a stream, so they are near the end of a burst. Searching all of it for a frequent letter would cost more than forwarding.
const endingBytes = 4 * 1024;
const emptyList = Buffer.from('[]');

const afterError = keySearch('error', 'r');
const afterUsage = keySearch('usage', 'u');
const afterReasoning = keySearch('reasoning_tokens', '_');

/** Whether one of the last whole events may be an error. @param marker text in the provider's own errors */
export function mayHoldError(events: Buffer, marker?: string): boolean {
  const from = ending(events);
  return afterError(events, from) >= 0 || (marker !== undefined && events.includes(marker, from));
}

const reasonKey = Buffer.from('_reason":');

/** Whether a choice in the last whole events ends with an unknown or failure reason. */
export function mayEndOddly(events: Buffer): boolean {
  for (let at = events.indexOf(reasonKey, ending(events)); at >= 0; at = events.indexOf(reasonKey, at)) {
    at += reasonKey.length;
    if (events[at] === space) at += 1;
    if (events[at] === quote && !plainReasons.some((word) => word.equals(events.subarray(at + 1, at + 1 + word.length)))) return true;
  }
  return false;
}

/** Known finish reasons with the closing quote; some servers send an empty reason until the end. */
const plainReasons = ['stop', 'tool_calls', 'length', 'content_filter', 'function_call', ''].map((word) => Buffer.from(`${word}"`));

/** Returns the start of the last bytes, or of the last event if it is longer. */
function ending(events: Buffer): number {
  const from = events.length - endingBytes;
  return from <= 0 ? 0 : Math.min(from, startOfEvent(events, events.length - 3));
}

export interface SoundPart {
  /** End of what may be forwarded: whole events, or the lines before `[DONE]` in its event. */
  end: number;
  /** Kind of what follows: nothing, the event `[DONE]`, or an invalid event. */
  next: 'nothing' | 'done' | 'garbage';
}

/**
 * Finds the valid part of whole events. Only frames are checked; the JSON is for the client. Ignorable additions of providers are
 * forwarded, since SSE parsers skip them.
 */
export function soundPart(events: Buffer): SoundPart {
  for (let at = 0; at < events.length;) {
    const lineEnd = events.indexOf(newline, at);
    // Nearly all events are `data: {…}` and an empty line.
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

/** Returns the kind of the event between two offsets; a number is the offset of its `[DONE]` line. */
function kindOf(events: Buffer, from: number, to: number): 'sound' | 'garbage' | number {
  let isNamed = false;
  let hasOnlyFields = true;
  for (const { start, end } of linesIn(events, from, to)) {
    if (isDone(events, start, end)) return start;
    isNamed ||= events.subarray(start, Math.min(end, start + eventField.length)).equals(eventField);
    hasOnlyFields &&= isField(events, start, end);
  }
  const data = dataIn(events, from, to)?.trim();
  // Comments and unknown fields. https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
  if (data === undefined) return hasOnlyFields ? 'sound' : 'garbage';
  if (data.startsWith('{') ? data.endsWith('}') : sideData.has(data)) return 'sound';
  // For example a ping.
  return isNamed ? 'sound' : 'garbage';
}

/** Longer lines are not `[DONE]`, whatever spaces they have. */
const longestDone = 64;

/** Whether the line is `[DONE]`, also quoted or without `data:`. */
function isDone(events: Buffer, start: number, end: number): boolean {
  if (end - start > longestDone || end - start < 6) return false;
  return /^(?:data:)?[ \t]*"?\[DONE\]"?[ \t]*$/.test(events.toString('latin1', start, end));
}

/** Whether the line is empty, a comment, or a field with or without a value. */
function isField(events: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = events[at];
    if (byte === colon) return true;
    if (byte === undefined || !isNameByte(byte)) return false;
  }
  return true;
}

function isNameByte(byte: number): boolean {
  const letter = byte | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x5f;
}

const [newline, space, quote, colon, letterD, openingBrace, closingBrace] = [0x0a, 0x20, 0x22, 0x3a, 0x64, 0x7b, 0x7d];

/** Whether an event's data begins with an object there. */
function isObjectAt(bytes: Buffer, at: number): boolean {
  if (bytes[at] !== letterD || bytes[at + 4] !== colon) return false;
  return bytes[at + 5] === openingBrace || (bytes[at + 5] === space && bytes[at + 6] === openingBrace);
}

/** Adds separately reported reasoning to the completion. Returns the same bytes if there is none. */
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
 * Removes the usage chunk. Most events have `"usage":null`, so only events with an object or with an empty list (of choices) are parsed.
 */
export function withoutUsage(events: Buffer): readonly Buffer[] {
  let cuts: Map<number, Cut> | undefined;
  for (let at = afterUsage(events, 0); at >= 0; at = afterUsage(events, at)) {
    while (events[at] === 0x20 || events[at] === 0x3a || events[at] === 0x0a) at += 1;
    if (events[at] === openingBrace) at = lookAt(events, at, (cuts ??= new Map()));
  }
  for (let at = events.indexOf(emptyList, ending(events)); at >= 0; at = events.indexOf(emptyList, at)) {
    at = lookAt(events, at, (cuts ??= new Map()));
  }
  if (cuts === undefined || cuts.size === 0) return [events];
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

/** Adds an event to the cuts if it is a usage chunk; returns its end. */
function lookAt(events: Buffer, at: number, cuts: Map<number, Cut>): number {
  const start = startOfEvent(events, at);
  const end = endOfEvent(events, at);
  if (!cuts.has(start)) {
    const data = dataIn(events, start, end);
    if (data !== null && isUsageOnly(data)) cuts.set(start, { start, end });
  }
  return end;
}
