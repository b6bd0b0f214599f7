// How the events of a stream leave: as server-sent events, or as messages of a socket.
import { dataIn, endOfEvent, eventData, toEvent } from './sse.ts';

const newline = 10;

export interface EventEncoding {
  /** Each event is a message by itself: who carries it tells where it ends, and that the connection lives. */
  readonly isMessages: boolean;
  /** One event. @param json on one line */
  event(name: string, json: string): string;
  /** Server-sent events, which are whole, in this envelope. */
  wrap(events: Buffer): Buffer;
  /** What the events say, in bytes that hold whole ones. */
  data(bytes: Buffer): Iterable<string>;
  /** Offset behind the event at `from`, in such bytes. */
  endOfEvent(bytes: Buffer, from: number): number;
  /** What the one event in these bytes says; null: nothing. */
  dataIn(event: Buffer): string | null;
}

export const serverSentEvents: EventEncoding = {
  isMessages: false,
  event: (name, json) => `event: ${name}\n${toEvent(json)}`,
  wrap: (events) => events,
  data: eventData,
  endOfEvent,
  dataIn: (event) => dataIn(event, 0, event.length),
};

/** One line of JSON each, until a socket takes them apart. */
export const messages: EventEncoding = {
  isMessages: true,
  event: (_name, json) => `${json}\n`,
  wrap(events) {
    let lines = '';
    for (const data of eventData(events)) {
      // Line breaks of JSON stand between its values. What is no object is a mark of the stream's own, as `[DONE]` is.
      const line = data.replaceAll(/[\r\n]/g, ' ').trim();
      if (line.startsWith('{')) lines += `${line}\n`;
    }
    return Buffer.from(lines);
  },
  *data(bytes) {
    for (const line of bytes.toString('utf8').split('\n')) if (line !== '') yield line;
  },
  endOfEvent(bytes, from) {
    const end = bytes.indexOf(newline, from);
    return end < 0 ? bytes.length : end + 1;
  },
  dataIn(event) {
    const line = event.toString('utf8').trim();
    return line === '' ? null : line;
  },
};
