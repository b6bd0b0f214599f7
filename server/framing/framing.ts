// How a stream of bytes is cut into events: bytes in, whole events out, whatever they mean. Any split of the bytes gives the same.
// However they come, they are handed out as server-sent events: what reads and passes them on knows no other bytes.

/** One event of a stream. */
export interface FramedEvent {
  /** Empty where the stream names none. */
  readonly name: string;
  readonly data: string;
}

export interface Splitter {
  /** All whole events that there are by now, as one; null when there are none. */
  push(chunk: Buffer): Buffer | null;
  /** What has come of the event that is not complete; valid until the next `push`. */
  rest(): Buffer;
  /** Bytes of that. */
  readonly restLength: number;
  /** Lines of that; 0 where events do not consist of lines. */
  readonly restLines: number;
  /** What has come behind the events cannot be any: nothing more is to be read. */
  readonly isBroken: boolean;
}

export interface Framing {
  /** Media type of such streams. */
  readonly mediaType: string;
  /** Whether the first bytes of a body are those of such a stream; undefined while too few have come. */
  begins(bytes: Buffer): boolean | undefined;
  createSplitter(): Splitter;
  /** Every event that has data in these bytes, which hold whole events. */
  events(bytes: Buffer): Iterable<FramedEvent>;
  /** The first event that has data other than blanks; null when none has. Read no further than that. */
  firstEvent(bytes: Buffer): FramedEvent | null;
  /** The event that these bytes are, although nothing has ended it; null when they are none. */
  lastEvent(rest: Buffer): FramedEvent | null;
  /** What ends an event that the end of the body has ended. */
  readonly eventEnd: Buffer;
}
