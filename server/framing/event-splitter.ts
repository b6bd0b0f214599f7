// Splits an upstream's bytes into complete events. Every byte is searched once and copied at most a few times, for any
// chunks and event sizes.

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** A byte order mark, in UTF-8. */
const mark = Buffer.from([0xef, 0xbb, 0xbf]);
const nothing = Buffer.alloc(0);

export class EventSplitter {
  /** Incomplete event; its buffer is larger, so that it can grow in place. */
  #rest = nothing;
  #restLength = 0;
  #restLines = 0;
  #hasBegun = false;
  /** Lines end with a lone carriage return; they are converted to line feeds. */
  #endsWithReturns = false;
  #lastWasReturn = false;

  /** Any bytes may be lines. */
  readonly isBroken = false;

  /** Bytes of the incomplete event. */
  get restLength(): number {
    return this.#restLength;
  }

  /** Complete lines of the incomplete event. */
  get restLines(): number {
    return this.#restLines;
  }

  /** The incomplete event; valid until the next `push`. */
  rest(): Buffer {
    return this.#rest.subarray(0, this.#restLength);
  }

  /**
   * Returns all complete events, joined; null if there are none. An event ends with an empty line.
   * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
   */
  push(chunk: Buffer): Buffer | null {
    const bytes = this.#withLineFeeds(this.#hasBegun ? chunk : this.#begin(chunk));
    const end = this.#endOfLastEvent(bytes);
    if (end < 0) {
      this.#keep(bytes);
      return null;
    }
    const head = end === bytes.length ? bytes : bytes.subarray(0, end);
    const events = this.#restLength === 0 ? head : Buffer.concat([this.rest(), head]);
    this.#rest = nothing;
    this.#restLength = 0;
    this.#restLines = 0;
    if (end < bytes.length) this.#keep(bytes.subarray(end));
    return events;
  }

  /** Removes the byte order mark, which may be split. */
  #begin(chunk: Buffer): Buffer {
    if (this.#restLength === 0 && chunk[0] !== mark[0]) {
      this.#hasBegun = chunk.length > 0;
      return chunk;
    }
    const bytes = Buffer.concat([this.rest(), chunk]);
    this.#restLength = 0;
    this.#restLines = 0;
    if (bytes.length < mark.length && mark.subarray(0, bytes.length).equals(bytes)) {
      this.#keep(bytes);
      return nothing;
    }
    this.#hasBegun = true;
    return bytes.subarray(0, mark.length).equals(mark) ? bytes.subarray(mark.length) : bytes;
  }

  /** Converts lone carriage returns, which the specification allows, for all later readers. */
  #withLineFeeds(bytes: Buffer): Buffer {
    if (bytes.length === 0) return bytes;
    if (!this.#endsWithReturns) {
      if (this.#restLength > 0 && this.#rest[this.#restLength - 1] === carriageReturn && bytes[0] !== lineFeed) {
        this.#rest[this.#restLength - 1] = lineFeed;
        this.#endsWithReturns = true;
      } else if (!hasLoneReturn(bytes)) return bytes;
      this.#endsWithReturns = true;
    }
    const out = Buffer.allocUnsafeSlow(bytes.length);
    let length = 0;
    for (const byte of bytes) {
      const isSecond = byte === lineFeed && this.#lastWasReturn;
      this.#lastWasReturn = byte === carriageReturn;
      if (!isSecond) out[length++] = byte === carriageReturn ? lineFeed : byte;
    }
    return out.subarray(0, length);
  }

  /** Offset in `bytes`, which follow the rest, after the last empty line; -1 if there is none. */
  #endOfLastEvent(bytes: Buffer): number {
    for (let at = bytes.lastIndexOf(lineFeed); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(lineFeed, at - 1)) {
      const before = this.#byteAt(bytes, at - 1);
      if (before === lineFeed || (before === carriageReturn && this.#byteAt(bytes, at - 2) === lineFeed)) return at + 1;
    }
    // The last byte of the rest has turned out to be the end of a line.
    const isEnd = this.#endsWithReturns && this.#byteAt(bytes, -1) === lineFeed && this.#byteAt(bytes, -2) === lineFeed;
    return isEnd ? 0 : -1;
  }

  /** Byte of what follows the rest; of the rest at negative offsets. */
  #byteAt(bytes: Buffer, at: number): number | undefined {
    if (at >= 0) return bytes[at];
    return this.#restLength + at < 0 ? undefined : this.#rest[this.#restLength + at];
  }

  #keep(bytes: Buffer): void {
    const length = this.#restLength + bytes.length;
    if (length > this.#rest.length) {
      // Doubles, so that an event of many chunks is not copied for each of them.
      const grown = Buffer.allocUnsafeSlow(this.#restLength === 0 ? length : 2 * length);
      this.#rest.copy(grown, 0, 0, this.#restLength);
      this.#rest = grown;
    }
    bytes.copy(this.#rest, this.#restLength);
    this.#restLength = length;
    this.#restLines += lineFeedsIn(bytes);
  }
}

function lineFeedsIn(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === lineFeed) count += 1;
  return count;
}

/** Reports whether a line ends with a lone carriage return. The last byte may be the first of two. */
function hasLoneReturn(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(carriageReturn); at >= 0 && at < bytes.length - 1; at = bytes.indexOf(carriageReturn, at + 1)) {
    if (bytes[at + 1] !== lineFeed) return true;
  }
  return false;
}
