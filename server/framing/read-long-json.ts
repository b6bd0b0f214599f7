// Reads large JSON text by text, in steps; long texts are stored separately.
import { isUtf8 } from 'node:buffer';
import { AppError } from '#shared/errors.ts';
import { freeBytes } from './free-bytes.ts';
import { isEscapedAt } from './json-text.ts';
import { leastBytes, LongTexts } from './long-json.ts';
import { control, type LongText } from './written-json.ts';

/** Bytes per step of texts with escapes, which take several times as long. */
const escapedBytes = 64 * 1024;
const stepBytes = 1024 * 1024;
const textsInAStep = 5_000;
const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
/** Bytes of the longest escape, `\u003d`. */
const longestEscape = 6;
/** Skipped, as for a short body. */
const byteOrderMark = Buffer.from('\uFEFF');

export interface LongJson {
  /** JSON with marks in place of long texts. */
  json: string;
  texts: LongTexts;
}

/** Returns null if it must be read as a whole, because it is broken or has a long name. */
export function* readLongJson(bytes: Buffer): Generator<void, LongJson | null> {
  if (!isUtf8(bytes)) return null;
  const texts = new LongTexts();
  const stored: Buffer[] = [];
  let [from, looked, stepped] = [hasMark(bytes) ? byteOrderMark.length : 0, 0, 0];
  for (let at = bytes.indexOf(quote); at >= 0;) {
    const end = yield* endOf(bytes, at + 1);
    if (end < 0) return null;
    if (end - at > leastBytes) {
      const read = isName(bytes, end + 1) ? null : yield* readText(bytes, at + 1, end);
      if (read === null) return null;
      stored.push(bytes.subarray(from, at + 1), Buffer.from(texts.addText(read)));
      from = end;
    }
    looked += 1;
    if (looked % textsInAStep === 0 || end - stepped > stepBytes) {
      stepped = end;
      yield;
    }
    at = bytes.indexOf(quote, end + 1);
  }
  stored.push(bytes.subarray(from));
  return { json: Buffer.concat(stored).toString('utf8'), texts };
}

function hasMark(bytes: Buffer): boolean {
  return byteOrderMark.equals(bytes.subarray(0, byteOrderMark.length));
}

/** Same as `endOfTextBytes`, in steps: a text may contain millions of quotes. */
function* endOf(bytes: Buffer, from: number): Generator<void, number> {
  let looked = 0;
  for (let at = bytes.indexOf(quote, from); at >= 0; at = bytes.indexOf(quote, at + 1)) {
    if (!isEscapedAt(bytes, from, at)) return at;
    looked += 1;
    if (looked % textsInAStep === 0) yield;
  }
  return -1;
}

function isName(bytes: Buffer, after: number): boolean {
  let at = after;
  while ((bytes[at] ?? colon) <= 0x20) at += 1;
  return bytes[at] === colon;
}

/** Decodes a text between two quotes; returns null if it is invalid JSON. */
function* readText(bytes: Buffer, start: number, end: number): Generator<void, LongText | null> {
  if (!bytes.subarray(start, end).includes(backslash)) return yield* readPlainText(bytes, start, end);
  if (end - start <= escapedBytes) {
    const text = lettersIn(bytes, start, end);
    return text === null ? null : { text, isPlain: false };
  }
  // A decoded letter takes no more bytes than written, and concatenating strings would produce garbage.
  const letters = Buffer.allocUnsafeSlow(end - start);
  let length = 0;
  for (let at = start; at < end;) {
    const until = end - at <= escapedBytes ? end : cutBefore(bytes, at, at + escapedBytes);
    const piece = lettersIn(bytes, at, until);
    if (piece === null || !piece.isWellFormed()) {
      freeBytes(letters);
      return piece === null ? null : yield* readHalves(bytes, start, end);
    }
    length += letters.write(piece, length, 'utf8');
    at = until;
    if (at < end) yield;
  }
  return { text: '', isPlain: false, utf8: letters.subarray(0, length) };
}

/** Decodes a text with lone surrogates, which UTF-8 cannot represent. */
function* readHalves(bytes: Buffer, start: number, end: number): Generator<void, LongText | null> {
  const pieces: string[] = [];
  for (let at = start; at < end;) {
    const until = end - at <= escapedBytes ? end : cutBefore(bytes, at, at + escapedBytes);
    const piece = lettersIn(bytes, at, until);
    if (piece === null) return null;
    pieces.push(piece);
    at = until;
    yield;
  }
  return { text: pieces.join(''), isPlain: false };
}

/**
 * Decodes a text without escapes. A long one is decoded in one step, like joining its parts would take, and checked in
 * others.
 */
function* readPlainText(bytes: Buffer, start: number, end: number): Generator<void, LongText | null> {
  const isLong = end - start > stepBytes;
  if (isLong) yield;
  const text = bytes.toString('utf8', start, end);
  if (isLong) yield;
  for (let at = 0; at < text.length; at += stepBytes) {
    if (at > 0) yield;
    if (control.test(isLong ? text.slice(at, at + stepBytes) : text)) return null;
  }
  return { text, isPlain: text.length === end - start };
}

/** Returns null if it is invalid JSON. */
function lettersIn(bytes: Buffer, start: number, end: number): string | null {
  const written = bytes.toString('utf8', start, end);
  if (!bytes.subarray(start, end).includes(backslash)) return control.test(written) ? null : written;
  try {
    return String(JSON.parse(`"${written}"`));
  } catch {
    return null;
  }
}

/** Last offset before `to` that is not within an escape or a character. */
function cutBefore(bytes: Buffer, from: number, to: number): number {
  let at = to;
  while (isWithinCharacter(bytes[at])) at -= 1;
  for (let escape = at - 1; escape > at - longestEscape && escape >= from; escape -= 1) {
    if (bytes[escape] !== backslash) continue;
    let run = escape;
    while (run > from && bytes[run - 1] === backslash) run -= 1;
    // In a run of backslashes, every second one is a letter: cuts before the run, unless there is nothing else.
    return run > from ? run : run + ((escape - run + 1) >>> 1) * 2;
  }
  return at;
}

function isWithinCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/**
 * Parses the value with its texts.
 * @throws {AppError} `invalid_json_long`
 */
export function parseLongJson({ json, texts }: LongJson): unknown {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new AppError('invalid_json_long', {}, { cause });
  }
  return texts.fill(value);
}
