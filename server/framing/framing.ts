// Interface of framings: splits a byte stream into complete events, independent of their meaning and of chunk
// boundaries. All framings produce server-sent events, so later code handles no others.

/** One event of a stream. */
export interface FramedEvent {
  /** Empty if the event has no name. */
  readonly name: string;
  readonly data: string;
}

export interface Splitter {
  /** Returns all complete events, joined; null if there are none. */
  push(chunk: Buffer): Buffer | null;
  /** The incomplete event; valid until the next `push`. */
  rest(): Buffer;
  /** Bytes of the incomplete event. */
  readonly restLength: number;
  /** Lines of the incomplete event; 0 if events are not line-based. */
  readonly restLines: number;
  /** Bytes after the events are invalid: reading must stop. */
  readonly isBroken: boolean;
}

export interface Framing {
  /** Media type of such streams. */
  readonly mediaType: string;
  /** Reports whether the first bytes of a body are those of such a stream; undefined if more bytes are needed. */
  begins(bytes: Buffer): boolean | undefined;
  createSplitter(): Splitter;
  /** Events with data in these bytes, which must be complete. */
  events(bytes: Buffer): Iterable<FramedEvent>;
  /** First event with non-blank data; null if there is none. Reads no further. */
  firstEvent(bytes: Buffer): FramedEvent | null;
  /** The event of bytes without its terminator; null if they are none. */
  lastEvent(rest: Buffer): FramedEvent | null;
  /** Terminator for an event ended by the body's end. */
  readonly eventEnd: Buffer;
}
