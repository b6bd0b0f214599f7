// Reads large JSON text by text, in steps: the long ones stand by themselves from then on.
import { isUtf8 } from 'node:buffer';
import { AppError } from '#shared/errors.ts';
import { freeBytes } from './free-bytes.ts';
import { isEscapedAt } from './json-text.ts';
import { leastBytes, LongTexts } from './long-json.ts';
import { control } from './written-json.ts';
import type { LongText } from './written-json.ts';

/** Of texts with escapes, which take several times as long to read. */
const escapedBytes = 64 * 1024;
const stepBytes = 1024 * 1024;
const textsInAStep = 5_000;
const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
/** Bytes of the longest escape, `\u003d`. */
const longestEscape = 6;
/** No part of the JSON, as of a short body. */
const byteOrderMark = Buffer.from('\uFEFF');

export interface LongJson {
  /** With marks in the place of long texts. */
  json: string;
  texts: LongTexts;
}

/** Null: it has to be read as it is, be it because it is broken, or because a name in it is long. */
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

/** As `endOfTextBytes`, in steps: a text may be millions of quotes. */
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

/** The letters between two quotes; null: they are none that JSON allows. */
function* readText(bytes: Buffer, start: number, end: number): Generator<void, LongText | null> {
  if (!bytes.subarray(start, end).includes(backslash)) return yield* readPlainText(bytes, start, end);
  if (end - start <= escapedBytes) {
    const text = lettersIn(bytes, start, end);
    return text === null ? null : { text, isPlain: false };
  }
  // No letter takes more bytes than it is written with, and those of strings would be garbage beside the text.
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

/** With halves of characters, which are none in UTF-8. */
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

/** Without escapes. A long one is decoded in one step, which is what putting it together would take, and looked at in others. */
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

/** Null: they are none that JSON allows. */
function lettersIn(bytes: Buffer, start: number, end: number): string | null {
  const written = bytes.toString('utf8', start, end);
  if (!bytes.subarray(start, end).includes(backslash)) return control.test(written) ? null : written;
  try {
    return String(JSON.parse(`"${written}"`));
  } catch {
    return null;
  }
}

/** The last place before `to` that is within no escape and no character. */
function cutBefore(bytes: Buffer, from: number, to: number): number {
  let at = to;
  while (isWithinCharacter(bytes[at])) at -= 1;
  for (let escape = at - 1; escape > at - longestEscape && escape >= from; escape -= 1) {
    if (bytes[escape] !== backslash) continue;
    let run = escape;
    while (run > from && bytes[run - 1] === backslash) run -= 1;
    // Of backslashes that follow each other every second one is a letter; cut before all of them, unless there is nothing else.
    return run > from ? run : run + ((escape - run + 1) >>> 1) * 2;
  }
  return at;
}

function isWithinCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** The value, its texts in it. @throws {AppError} `invalid_json_long` */
export function parseLongJson({ json, texts }: LongJson): unknown {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new AppError('invalid_json_long', {}, { cause });
  }
  return texts.fill(value);
}
