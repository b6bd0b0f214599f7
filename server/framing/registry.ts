// Framings by the name in a provider's record.
import { namedEventOf, wrappedEventOf } from './aws-events.ts';
import { beginsFrames, type EventsOfFrame, FrameSplitter } from './aws-frames.ts';
import { EventSplitter } from './event-splitter.ts';
import type { Framing } from './framing.ts';
import { beginsObject, lastLine, LineSplitter } from './line-splitter.ts';
import { beginsSound, SoundSplitter } from './sound-splitter.ts';
import { beginsStream, eventIn, firstEvent, namedEvents } from './sse.ts';

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
const sse: Framing = {
  mediaType: 'text/event-stream',
  begins: beginsStream,
  createSplitter: () => new EventSplitter(),
  events: namedEvents,
  firstEvent,
  lastEvent: (rest) => eventIn(rest, 0, rest.length),
  eventEnd: Buffer.from('\n\n'),
};

/** https://github.com/ndjson/ndjson-spec */
const jsonLines: Framing = {
  ...sse,
  mediaType: 'application/x-ndjson',
  begins: beginsObject,
  createSplitter: () => new LineSplitter(),
  lastEvent: lastLine,
  eventEnd: Buffer.from('\n'),
};

/** https://www.iana.org/assignments/media-types/media-types.xhtml#audio */
const sound: Framing = { ...sse, mediaType: 'audio/', begins: beginsSound, createSplitter: () => new SoundSplitter() };

function awsFrames(eventsOf: EventsOfFrame): Framing {
  const mediaType = 'application/vnd.amazon.eventstream';
  return { ...sse, mediaType, begins: beginsFrames, createSplitter: () => new FrameSplitter(eventsOf) };
}

export const framings = {
  sse,
  /** One object per line. */
  'json-lines': jsonLines,
  /** Raw sound, or events that contain it. */
  sound,
  /** Frames that are events. */
  'aws-events': awsFrames(namedEventOf),
  /** Frames that wrap events of another format. */
  'aws-wrapped': awsFrames(wrappedEventOf),
} satisfies Record<string, Framing>;

export type FramingName = keyof typeof framings;
