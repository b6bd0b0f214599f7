// Every framing by the name that a provider's record has for it.
import { EventSplitter } from './event-splitter.ts';
import type { Framing } from './framing.ts';
import { beginsStream, eventIn, firstEvent, namedEvents } from './sse.ts';

export const framings = {
  /** https://html.spec.whatwg.org/multipage/server-sent-events.html */
  sse: {
    mediaType: 'text/event-stream',
    begins: beginsStream,
    createSplitter: () => new EventSplitter(),
    events: namedEvents,
    firstEvent,
    lastEvent: (rest) => eventIn(rest, 0, rest.length),
    eventEnd: Buffer.from('\n\n'),
  },
} satisfies Record<string, Framing>;

export type FramingName = keyof typeof framings;
