// Splits AWS event streams: binary frames with checksums, converted to server-sent events, which all formats read.
// https://docs.aws.amazon.com/lexv2/latest/dg/event-stream-encoding.html
// https://smithy.io/2.0/aws/amazon-eventstream.html
import { crc32 } from 'node:zlib';
import type { Splitter } from './framing.ts';

export interface AwsFrame {
  /** String headers. */
  headers: ReadonlyMap<string, string>;
  payload: Buffer;
}

/** Converts a frame to the text of server-sent events; empty to ignore it, null if it is invalid. */
export type EventsOfFrame = (frame: AwsFrame) => string | null;

const preludeBytes = 12;
const checksumBytes = 4;
const leastBytes = preludeBytes + checksumBytes;
const mostHeaderBytes = 128 * 1024;
const mostBytes = 16 * 1024 * 1024;
/** AWS sends three or four. */
const mostHeaders = 64;
const nothing = Buffer.alloc(0);

/** Reports whether a body begins like a frame; undefined if more bytes are needed. */
export function beginsFrames(bytes: Buffer): boolean | undefined {
  if (bytes.length >= preludeBytes) return lengthsOf(bytes) !== null;
  // Largest first byte of a valid frame length.
  return bytes.length > 0 && (bytes[0] ?? 0) > mostBytes >>> 24 ? false : undefined;
}

export class FrameSplitter implements Splitter {
  readonly #eventsOf: EventsOfFrame;
  /** Bytes of the incomplete frame. Grows with received bytes, not with the announced length. */
  #held = nothing;
  #heldLength = 0;
  #isBroken = false;

  constructor(eventsOf: EventsOfFrame) {
    this.#eventsOf = eventsOf;
  }

  get restLength(): number {
    return this.#heldLength;
  }

  readonly restLines = 0;

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Half a frame is never an event. */
  rest(): Buffer {
    return nothing;
  }

  push(chunk: Buffer): Buffer | null {
    let events = '';
    let at = 0;
    while (!this.#isBroken && at < chunk.length) {
      const taken = this.#heldLength === 0 ? this.#wholeAt(chunk, at) : null;
      const frame = taken ?? this.#complete(chunk, at);
      at = frame === null ? chunk.length : at + frame.taken;
      if (frame === null || frame.bytes === null) continue;
      const read = readFrame(frame.bytes);
      const said = read === null ? null : this.#eventsOf(read);
      if (said === null) this.#isBroken = true;
      else events += said;
    }
    return events === '' ? null : Buffer.from(events);
  }

  /** Reads a frame that is completely in the chunk, without copying. */
  #wholeAt(chunk: Buffer, at: number): Taken | null {
    if (chunk.length - at < preludeBytes) return null;
    const lengths = lengthsOf(chunk.subarray(at, at + preludeBytes));
    if (lengths === null || chunk.length - at < lengths.total) return null;
    return { bytes: chunk.subarray(at, at + lengths.total), taken: lengths.total };
  }

  /** Returns null if the chunk is stored and more is needed. */
  #complete(chunk: Buffer, at: number): Taken | null {
    const missing = this.#heldLength < preludeBytes ? preludeBytes - this.#heldLength : this.#missing();
    const piece = chunk.subarray(at, at + missing);
    this.#hold(piece);
    if (this.#heldLength < preludeBytes) return null;
    if (lengthsOf(this.#held) === null) {
      this.#isBroken = true;
      return null;
    }
    if (this.#missing() > 0) return { bytes: null, taken: piece.length };
    const bytes = this.#held.subarray(0, this.#heldLength);
    this.#held = nothing;
    this.#heldLength = 0;
    return { bytes, taken: piece.length };
  }

  #missing(): number {
    return (lengthsOf(this.#held)?.total ?? 0) - this.#heldLength;
  }

  #hold(piece: Buffer): void {
    const length = this.#heldLength + piece.length;
    if (length > this.#held.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(2 * this.#held.length, length));
      this.#held.copy(grown, 0, 0, this.#heldLength);
      this.#held = grown;
    }
    piece.copy(this.#held, this.#heldLength);
    this.#heldLength = length;
  }
}

/** `bytes`: null if incomplete. `taken`: bytes consumed from the chunk. */
interface Taken {
  bytes: Buffer | null;
  taken: number;
}

/** Lengths in the prelude of a frame; null if invalid. */
function lengthsOf(prelude: Buffer): { total: number; headers: number } | null {
  const total = prelude.readUInt32BE(0);
  const headers = prelude.readUInt32BE(4);
  if (total < leastBytes || total > mostBytes || headers > Math.min(total - leastBytes, mostHeaderBytes)) return null;
  return crc32(prelude.subarray(0, 8)) === prelude.readUInt32BE(8) ? { total, headers } : null;
}

/**
 * @param bytes one whole frame
 * @returns null if it was corrupted, or its headers are invalid
 */
function readFrame(bytes: Buffer): AwsFrame | null {
  const lengths = lengthsOf(bytes);
  const end = bytes.length - checksumBytes;
  if (lengths === null || crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) return null;
  const payloadAt = preludeBytes + lengths.headers;
  const headers = readHeaders(bytes.subarray(preludeBytes, payloadAt));
  return headers === null ? null : { headers, payload: bytes.subarray(payloadAt, end) };
}

/** Bytes of a header value by type; two boolean types have none, two others are length-prefixed. */
const sizes: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const textType = 7;

function readHeaders(bytes: Buffer): Map<string, string> | null {
  const headers = new Map<string, string>();
  for (let at = 0, count = 0; at < bytes.length; count += 1) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const type = bytes[nameEnd];
    if (count === mostHeaders || type === undefined || type >= sizes.length) return null;
    const size = sizes[type];
    const from = nameEnd + 1 + (size === undefined ? 2 : 0);
    if (from > bytes.length) return null;
    const to = from + (size ?? bytes.readUInt16BE(nameEnd + 1));
    if (to > bytes.length) return null;
    if (type === textType) headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', from, to));
    at = to;
  }
  return headers;
}
