// Server-sent events as bytes: their ends and data. Mapping code never sees partial events.
import type { FramedEvent } from './framing.ts';

const newline = 10;
const carriageReturn = 13;

/** First event with non-blank data; null if there is none. Reads no further. */
export function firstEvent(bytes: Buffer): FramedEvent | null {
  for (let from = 0; from < bytes.length;) {
    const end = endOfEvent(bytes, from);
    const event = eventIn(bytes, from, end);
    if (event !== null && event.data.trim() !== '') return event;
    from = end;
  }
  return null;
}

/** The single event between two offsets; null if it has no data. */
export function eventIn(bytes: Buffer, from: number, to: number): FramedEvent | null {
  const data = dataIn(bytes, from, to);
  return data === null ? null : { name: nameIn(bytes, from, to), data };
}

/** Last name of the event between two offsets. */
function nameIn(bytes: Buffer, from: number, to: number): string {
  let name = '';
  for (const { start, end } of linesIn(bytes, from, to)) {
    // Names precede data, which may be long.
    if (isDataAt(bytes, start)) break;
    if (bytes.toString('latin1', start, Math.min(start + nameField.length, end)) !== nameField) continue;
    name = bytes.toString('utf8', start + nameField.length + Number(bytes[start + nameField.length] === space), end);
  }
  return name;
}

/** Offset after the event that contains `from`; the end of the bytes if it is incomplete. */
export function endOfEvent(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(newline, from); at >= 0; at = bytes.indexOf(newline, at + 1)) {
    if (bytes[at + 1] === newline) return at + 2;
    if (bytes[at + 1] === carriageReturn && bytes[at + 2] === newline) return at + 3;
  }
  return bytes.length;
}

/** Offset of the event that contains the byte at `at`. */
export function startOfEvent(bytes: Buffer, at: number): number {
  for (let line = bytes.lastIndexOf(newline, at); line > 0; line = bytes.lastIndexOf(newline, line - 1)) {
    if (bytes[line - 1] === newline || (bytes[line - 1] === carriageReturn && bytes[line - 2] === newline)) return line + 1;
  }
  return 0;
}

/** Data of all events in these bytes, which must be complete. */
export function* eventData(bytes: Buffer): Generator<string> {
  for (const { data } of namedEvents(bytes)) yield data;
}

/**
 * Events with data in these bytes, which must be complete; comments and other fields are dropped. Decodes the bytes
 * once, because searching short strings is much faster than searching bytes.
 */
export function* namedEvents(bytes: Buffer): Generator<FramedEvent> {
  const text = bytes.toString('utf8');
  let data: string | null = null;
  let name = '';
  for (let start = 0; start < text.length;) {
    const found = text.indexOf('\n', start);
    const next = found < 0 ? text.length : found;
    const end = next > start && text.charCodeAt(next - 1) === carriageReturn ? next - 1 : next;
    if (end === start) {
      if (data !== null) yield { name, data };
      data = null;
      name = '';
    } else if (text.startsWith('data:', start)) {
      const value = text.slice(start + (text.charCodeAt(start + 5) === space ? 6 : 5), end);
      data = data === null ? value : `${data}\n${value}`;
    } else if (text.startsWith(nameField, start)) name = text.slice(start + (text.charCodeAt(start + 6) === space ? 7 : 6), end);
    start = next + 1;
  }
  if (data !== null) yield { name, data };
}

/** A line without its terminator. */
export interface Line {
  start: number;
  end: number;
}

/** Lines between two offsets, one by one, because an event may have millions. */
export function* linesIn(bytes: Buffer, from: number, to: number): Generator<Line> {
  for (let start = from; start < to;) {
    const found = bytes.indexOf(newline, start);
    const end = found < 0 || found > to ? to : found;
    yield { start, end: end > start && bytes[end - 1] === carriageReturn ? end - 1 : end };
    start = end + 1;
  }
}

/** Joined `data` lines of the event between two offsets; null if there are none. */
export function dataIn(bytes: Buffer, from: number, to: number): string | null {
  let end = to;
  while (end > from && isLineEnd(bytes[end - 1])) end -= 1;
  const firstEnd = bytes.indexOf(newline, from);
  if ((firstEnd < 0 || firstEnd >= end) && isDataAt(bytes, from)) return bytes.toString('utf8', valueStart(bytes, from), end);
  let joined: Buffer | null = null;
  let length = 0;
  for (const line of linesIn(bytes, from, end)) {
    if (!isDataAt(bytes, line.start)) continue;
    // The joined lines are never longer than the event.
    if (joined === null) joined = Buffer.allocUnsafeSlow(end - from);
    else joined[length++] = newline;
    const start = Math.min(valueStart(bytes, line.start), line.end);
    length += bytes.copy(joined, length, start, line.end);
  }
  return joined === null ? null : joined.toString('utf8', 0, length);
}

const fieldName = Buffer.from('data:');
const nameField = 'event:';
const space = 32;

/** Reports whether a data line begins there. */
export function isDataAt(bytes: Buffer, at: number): boolean {
  return bytes.compare(fieldName, 0, fieldName.length, at, Math.min(at + fieldName.length, bytes.length)) === 0;
}

function valueStart(bytes: Buffer, line: number): number {
  const start = line + fieldName.length;
  return bytes[start] === space ? start + 1 : start;
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === newline || byte === carriageReturn;
}

/** Encodes one event with that data. */
export function toEvent(data: string): string {
  return data.includes('\n')
    ? `${data
        .split('\n')
        .map((line) => `data: ${line}`)
        .join('\n')}\n\n`
    : `data: ${data}\n\n`;
}

/** A byte order mark in UTF-8, read as single bytes. */
const mark = '\u00EF\u00BB\u00BF';
/** Beginnings of an event's fields and of a comment. */
const streamBegins = ['data:', 'event:', 'id:', 'retry:', ':'];
/** Bytes within which an event stream is recognized. */
const beginBytes = 64;

/** Reports whether the first bytes of a body are those of an event stream; undefined if more are needed. */
export function beginsStream(bytes: Buffer): boolean | undefined {
  const begin = bytes.toString('latin1', 0, beginBytes);
  const text = (begin.startsWith(mark) ? begin.slice(mark.length) : begin).trimStart();
  if (streamBegins.some((name) => text.startsWith(name))) return true;
  const isOpen = begin.length < beginBytes && (mark.startsWith(begin) || streamBegins.some((name) => name.startsWith(text)));
  return isOpen ? undefined : false;
}
