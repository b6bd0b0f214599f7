// Server-sent events as bytes: where events end, and what their data is. Mapping code never sees partial events.

const newline = 10;
const carriageReturn = 13;

/**
 * Offset behind the last complete event in `bytes`, 0 when there is none. An event ends with an empty line, of LF or CRLF.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function endOfLastEvent(bytes: Buffer): number {
  let at = bytes.lastIndexOf(newline);
  while (at > 0) {
    const before = bytes[at - 1];
    if (before === newline) return at + 1;
    if (before === carriageReturn && at > 1 && bytes[at - 2] === newline) return at + 1;
    at = bytes.lastIndexOf(newline, at - 1);
  }
  return 0;
}

/** The data of the first event that has any but blanks, null when none has. Reads no further than that. */
export function firstEventData(bytes: Buffer): string | null {
  for (let from = 0; from < bytes.length;) {
    const end = endOfEvent(bytes, from);
    const data = dataOf(bytes.toString('utf8', from, end).trimEnd());
    if (data !== null && data.trim() !== '') return data;
    from = end;
  }
  return null;
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

/** The data of every event in `text`, which holds whole events; comments and other fields are left out. */
export function* eventData(text: string): Generator<string> {
  for (const event of text.split(/\r?\n\r?\n/)) {
    const data = dataOf(event);
    if (data !== null) yield data;
  }
}

/** The joined `data` lines of one event, null when it has none. */
export function dataOf(event: string): string | null {
  if (event.startsWith('data: ') && !event.includes('\n')) return event.slice(6);
  let data: string | null = null;
  for (const line of event.split(/\r?\n/)) {
    if (!line.startsWith('data:')) continue;
    const value = line.startsWith('data: ') ? line.slice(6) : line.slice(5);
    data = data === null ? value : `${data}\n${value}`;
  }
  return data;
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

export const doneEvent = Buffer.from('data: [DONE]\n\n');
export const keepAliveComment = Buffer.from(': keep-alive\n\n');
