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
  return data.includes('\n') ? `${data.split('\n').map((line) => `data: ${line}`).join('\n')}\n\n` : `data: ${data}\n\n`;
}

export const doneEvent = Buffer.from('data: [DONE]\n\n');
export const keepAliveComment = Buffer.from(': keep-alive\n\n');
