// Outline of a long JSON object: its short members, and the positions of one list's rows. Scans in steps, so that the
// event loop can run, and copies no text.
import { endOfTextBytes } from './json-text.ts';

export interface Span {
  start: number;
  end: number;
}

export interface JsonOutline {
  /** The object with its short members. Long and deep ones are empty, except lists, which contain one number. */
  text: string;
  /** A part is nested deeper than responses are. */
  isDeep: boolean;
  /** Items of the list, in order. */
  rows: readonly Span[];
}

/** Bytes scanned per step. */
const stepBytes = 512 * 1024;
/** Maximum bytes of a member in the outline. */
const shortBytes = 16 * 1024;
/** Maximum members; a response has about ten. */
const mostMembers = 1000;
/** Same limit as for callers' bodies. */
const deepest = 100;

const [quote, comma, colon] = [0x22, 0x2c, 0x3a];
const [openingBracket, closingBracket, openingBrace, closingBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Returns null if it is no object, or incomplete.
 * @param listed member whose rows are wanted
 */
export function* outlineOf(bytes: Buffer, listed: string | undefined): Generator<void, JsonOutline | null> {
  const reader = new OutlineReader(bytes, listed === undefined ? undefined : JSON.stringify(listed));
  while (reader.step()) yield;
  return reader.outline();
}

/** Same without steps, for short texts. */
export function outlineAtOnce(bytes: Buffer): JsonOutline | null {
  const steps = outlineOf(bytes, undefined);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

class OutlineReader {
  readonly #bytes: Buffer;
  readonly #listed: string | undefined;
  readonly #members: string[] = [];
  readonly #rows: Span[] = [];
  #at = 0;
  #depth = 0;
  /** Name of the member being read, with quotes. */
  #key = '';
  #isKey = true;
  #valueAt = 0;
  /** -1 outside of the list. */
  #rowAt = -1;
  #isBroken = false;
  #isMemberDeep = false;
  #isDeep = false;
  #isComplete = false;

  constructor(bytes: Buffer, listed: string | undefined) {
    this.#bytes = bytes;
    this.#listed = listed;
  }

  /** Returns false at the end. */
  step(): boolean {
    const bytes = this.#bytes;
    const until = this.#at + stepBytes;
    while (this.#at < until && this.#at < bytes.length && !this.#isBroken) {
      const byte = bytes[this.#at];
      if (byte === quote) this.#passText();
      else {
        if (byte === openingBrace || byte === openingBracket) this.#open(byte);
        else if (byte === closingBrace || byte === closingBracket) this.#close();
        else if (byte === comma) this.#separate();
        else if (byte === colon && this.#depth === 1) this.#beginValue();
        this.#at += 1;
      }
    }
    return this.#at < bytes.length && !this.#isBroken;
  }

  outline(): JsonOutline | null {
    if (this.#isBroken || !this.#isComplete || this.#members.length > mostMembers) return null;
    return { text: `{${this.#members.join(',')}}`, rows: this.#rows, isDeep: this.#isDeep };
  }

  #passText(): void {
    const start = this.#at;
    const end = endOfTextBytes(this.#bytes, start + 1);
    this.#isBroken ||= end < 0 || this.#depth === 0;
    this.#at = end + 1;
    if (this.#depth !== 1 || !this.#isKey || this.#isBroken) return;
    this.#isBroken = end - start > shortBytes;
    if (!this.#isBroken) this.#key = this.#bytes.toString('utf8', start, this.#at);
  }

  #open(byte: number): void {
    this.#isBroken ||= this.#depth === 0 && (byte !== openingBrace || this.#isComplete);
    this.#depth += 1;
    this.#isMemberDeep ||= this.#depth > deepest;
    if (this.#depth === 2 && byte === openingBracket && this.#key === this.#listed) this.#rowAt = this.#at + 1;
  }

  #close(): void {
    if (this.#depth === 1) this.#endMember();
    else if (this.#depth === 2) this.#endRow(-1);
    this.#depth -= 1;
    this.#isBroken ||= this.#depth < 0;
    this.#isComplete ||= this.#depth === 0;
  }

  #separate(): void {
    if (this.#depth === 1) this.#endMember();
    else if (this.#depth === 2) this.#endRow(this.#at + 1);
  }

  #beginValue(): void {
    this.#isKey = false;
    this.#valueAt = this.#at + 1;
  }

  #endMember(): void {
    if (this.#isKey) {
      // Only an empty object has nothing there.
      this.#isBroken ||= this.#members.length > 0;
      return;
    }
    const length = this.#at - this.#valueAt;
    const value =
      length <= shortBytes && !this.#isMemberDeep
        ? this.#bytes.toString('utf8', this.#valueAt, this.#at)
        : emptyLike(this.#bytes, this.#valueAt);
    if (this.#members.length <= mostMembers) this.#members.push(`${this.#key}:${value}`);
    this.#isKey = true;
    this.#isDeep ||= this.#isMemberDeep;
    this.#isMemberDeep = false;
  }

  #endRow(next: number): void {
    if (this.#rowAt < 0) return;
    const row = withoutBlanks(this.#bytes, this.#rowAt, this.#at);
    if (row.end > row.start) this.#rows.push(row);
    this.#rowAt = next;
  }
}

function emptyLike(bytes: Buffer, from: number): string {
  const first = bytes[withoutBlanks(bytes, from, bytes.length).start];
  if (first === openingBracket) return '[0]';
  if (first === openingBrace) return '{}';
  return first === quote ? '""' : '0';
}

function withoutBlanks(bytes: Buffer, from: number, to: number): Span {
  let [start, end] = [from, to];
  while (start < end && isBlank(bytes[start])) start += 1;
  while (end > start && isBlank(bytes[end - 1])) end -= 1;
  return { start, end };
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
