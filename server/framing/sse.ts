// Server-sent events as bytes: where events end, and what their data is. Mapping code never sees partial events.
import type { FramedEvent } from './framing.ts';

const newline = 10;
const carriageReturn = 13;

/** The first event that has data other than blanks, null when none has. Reads no further than that. */
export function firstEvent(bytes: Buffer): FramedEvent | null {
  for (let from = 0; from < bytes.length;) {
    const end = endOfEvent(bytes, from);
    const event = eventIn(bytes, from, end);
    if (event !== null && event.data.trim() !== '') return event;
    from = end;
  }
  return null;
}

/** The one event between two offsets, null when it has no data. */
export function eventIn(bytes: Buffer, from: number, to: number): FramedEvent | null {
  const data = dataIn(bytes, from, to);
  return data === null ? null : { name: nameIn(bytes, from, to), data };
}

/** The last name that the event between two offsets gives itself. */
function nameIn(bytes: Buffer, from: number, to: number): string {
  let name = '';
  for (const { start, end } of linesIn(bytes, from, to)) {
    // Names stand before data, and data may be long.
    if (isDataAt(bytes, start)) break;
    if (bytes.toString('latin1', start, Math.min(start + nameField.length, end)) !== nameField) continue;
    name = bytes.toString('utf8', start + nameField.length + Number(bytes[start + nameField.length] === space), end);
  }
  return name;
}

/** Offset behind the event that is at `from` or goes on there; the end of the bytes when it is not complete. */
export function endOfEvent(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(newline, from); at >= 0; at = bytes.indexOf(newline, at + 1)) {
    if (bytes[at + 1] === newline) return at + 2;
    if (bytes[at + 1] === carriageReturn && bytes[at + 2] === newline) return at + 3;
  }
  return bytes.length;
}

/** Offset of the event that the byte at `at` belongs to. */
export function startOfEvent(bytes: Buffer, at: number): number {
  for (let line = bytes.lastIndexOf(newline, at); line > 0; line = bytes.lastIndexOf(newline, line - 1)) {
    if (bytes[line - 1] === newline || (bytes[line - 1] === carriageReturn && bytes[line - 2] === newline)) return line + 1;
  }
  return 0;
}

/** The data of every event in these bytes, which hold whole events. */
export function* eventData(bytes: Buffer): Generator<string> {
  for (const { data } of namedEvents(bytes)) yield data;
}

/**
 * Every event with data in these bytes, which hold whole events; comments and other fields are left out. The bytes become text
 * once, because a search in short texts costs a fraction of one in bytes.
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

/** One line, without what ends it. */
export interface Line {
  start: number;
  end: number;
}

/** The lines between two offsets. One by one, because an event may consist of millions. */
export function* linesIn(bytes: Buffer, from: number, to: number): Generator<Line> {
  for (let start = from; start < to;) {
    const found = bytes.indexOf(newline, start);
    const end = found < 0 || found > to ? to : found;
    yield { start, end: end > start && bytes[end - 1] === carriageReturn ? end - 1 : end };
    start = end + 1;
  }
}

/** The joined `data` lines of the one event between two offsets, null when it has none. */
export function dataIn(bytes: Buffer, from: number, to: number): string | null {
  let end = to;
  while (end > from && isLineEnd(bytes[end - 1])) end -= 1;
  const firstEnd = bytes.indexOf(newline, from);
  if ((firstEnd < 0 || firstEnd >= end) && isDataAt(bytes, from)) return bytes.toString('utf8', valueStart(bytes, from), end);
  let joined: Buffer | null = null;
  let length = 0;
  for (const line of linesIn(bytes, from, end)) {
    if (!isDataAt(bytes, line.start)) continue;
    // The lines of an event and what joins them are never longer than the event.
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

/** Whether a line of data begins there. */
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

/** One event with that data. */
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
/** Fields of an event, and a comment. */
const streamBegins = ['data:', 'event:', 'id:', 'retry:', ':'];
/** An event stream begins within so many bytes. */
const beginBytes = 64;

/** Whether the first bytes of a body are those of an event stream; undefined while too few have come. */
export function beginsStream(bytes: Buffer): boolean | undefined {
  const begin = bytes.toString('latin1', 0, beginBytes);
  const text = (begin.startsWith(mark) ? begin.slice(mark.length) : begin).trimStart();
  if (streamBegins.some((name) => text.startsWith(name))) return true;
  const isOpen = begin.length < beginBytes && (mark.startsWith(begin) || streamBegins.some((name) => name.startsWith(text)));
  return isOpen ? undefined : false;
}
