// Splits JSON lines, one event each, and converts them to server-sent events, which all formats read.
// https://github.com/ndjson/ndjson-spec
import type { FramedEvent, Splitter } from './framing.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const openBrace = 0x7b;
const nothing = Buffer.alloc(0);
const head = Buffer.from('data: ');
const eventEnd = Buffer.from('\n\n');

/**
 * Reports whether a body begins with an object; undefined if there are only blanks. A whole response of such a provider
 * is a stream of one line.
 */
export function beginsObject(bytes: Buffer): boolean | undefined {
  for (const byte of bytes) if (!isBlank(byte)) return byte === openBrace;
  return undefined;
}

/** The line of bytes without a terminator; null if they are blank. */
export function lastLine(rest: Buffer): FramedEvent | null {
  const data = rest.toString('utf8').trim();
  return data === '' ? null : { name: '', data };
}

export class LineSplitter implements Splitter {
  /** Incomplete line; its buffer is larger, so that it can grow in place. */
  #rest = nothing;
  #restLength = 0;

  /** Any bytes may be lines. */
  readonly isBroken = false;
  readonly restLines = 0;

  get restLength(): number {
    return this.#restLength;
  }

  rest(): Buffer {
    return this.#rest.subarray(0, this.#restLength);
  }

  push(chunk: Buffer): Buffer | null {
    const events: Buffer[] = [];
    let at = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, at)) {
      const piece = chunk.subarray(at, end);
      addEvent(events, this.#restLength === 0 ? piece : Buffer.concat([this.rest(), piece]));
      this.#rest = nothing;
      this.#restLength = 0;
      at = end + 1;
    }
    if (at < chunk.length) this.#keep(chunk.subarray(at));
    return events.length === 0 ? null : Buffer.concat(events);
  }

  #keep(bytes: Buffer): void {
    const length = this.#restLength + bytes.length;
    if (length > this.#rest.length) {
      // Doubles, so that a line of many chunks is not copied for each of them.
      const grown = Buffer.allocUnsafeSlow(this.#restLength === 0 ? length : 2 * length);
      this.#rest.copy(grown, 0, 0, this.#restLength);
      this.#rest = grown;
    }
    bytes.copy(this.#rest, this.#restLength);
    this.#restLength = length;
  }
}

/** Skips blank lines. A carriage return within a line, which JSON allows between values, would end a server-sent line. */
function addEvent(events: Buffer[], line: Buffer): void {
  if (line.every(isBlank)) return;
  events.push(head, line.includes(carriageReturn) ? withoutReturns(line) : line, eventEnd);
}

function withoutReturns(line: Buffer): Buffer {
  return Buffer.from(line.filter((byte) => byte !== carriageReturn));
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === lineFeed || byte === carriageReturn;
}
