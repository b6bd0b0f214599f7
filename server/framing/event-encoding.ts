// Encodes the events of a stream as server-sent events or as socket messages.
import { dataIn, endOfEvent, eventData, toEvent } from './sse.ts';

const newline = 10;

export interface EventEncoding {
  /** Each event is a message: the socket delimits events, and sends keep-alives. */
  readonly isMessages: boolean;
  /**
   * Encodes one event.
   * @param json without line breaks
   */
  event(name: string, json: string): string;
  /** Converts complete server-sent events to this encoding. */
  wrap(events: Buffer): Buffer;
  /** Data of the events in these bytes, which must be complete. */
  data(bytes: Buffer): Iterable<string>;
  /** Offset after the event at `from`, in such bytes. */
  endOfEvent(bytes: Buffer, from: number): number;
  /** Data of the single event in these bytes; null if there is none. */
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

/** One line of JSON per message, until a socket splits them. */
export const messages: EventEncoding = {
  isMessages: true,
  event: (_name, json) => `${json}\n`,
  wrap(events) {
    let lines = '';
    for (const data of eventData(events)) {
      // Line breaks of JSON occur only between values. Data other than an object, such as `[DONE]`, is a mark of the
      // stream.
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
