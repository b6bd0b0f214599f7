// Meters a chat stream in constant memory. Events are buffered as raw bytes and examined at the end, or when the buffer is full: for usage
// and finish reason, and for text if no usage was reported.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { dataIn, endOfEvent, eventData, startOfEvent } from '#server/framing/sse.ts';
import { textOf, textsIn } from '../text-in-events.ts';
import type { TextTally } from '../text-tally.ts';
import { textKeys } from './text-keys.ts';
import { usageOf } from './token-usage.ts';

/** Raw bytes buffered before conversion to text. Short streams stay below. */
const rawBytes = 16 * 1024;
const tailBytes = 4 * 1024;

const lastEvents = 6;
const usageKey = Buffer.from('"usage"');
const finishKey = Buffer.from('"finish_reason"');

// Buffers are reused: allocating one per stream costs milliseconds of garbage collection at high rates.
const spare: Buffer[] = [];

export interface ReportedUsage {
  /** Usage object, not validated. */
  value: unknown;
  /** Service tier of the event, not validated. */
  tier?: unknown;
  /** Whether the model wrote text after the usage, which does not count that text. */
  hasTextAfter: boolean;
}

export class UsageMeter {
  readonly #tally: TextTally;
  /** The first bytes, not copied as long as they are the only ones. */
  #first: Buffer | null = null;
  #raw: Buffer | null = null;
  #rawLength = 0;
  #tail: Buffer | null = null;
  /** Facts of events that are no longer buffered. */
  #usage: ReportedUsage | undefined;
  #hasFinished = false;
  #finishWord: string | undefined;
  #bytes = 0;

  constructor(tally: TextTally) {
    this.#tally = tally;
  }

  /** Bytes of complete events so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Takes whole events. Bytes are copied, because a slice would retain the socket's read buffer, unless they are `isOwned` and the first,
   * as for a short response in one burst.
   */
  push(events: Buffer, isOwned = false): void {
    this.#bytes += events.length;
    if (isOwned && this.#raw === null && this.#first === null && this.#tail === null) {
      this.#first = events;
      return;
    }
    if (this.#first !== null) {
      const first = this.#first;
      this.#first = null;
      this.#copy(first);
    }
    this.#copy(events);
  }

  #copy(events: Buffer): void {
    if (this.#rawLength + events.length > rawBytes) this.#drainToText();
    if (events.length > rawBytes) {
      this.#drop(events);
      return;
    }
    this.#raw ??= spare.pop() ?? Buffer.allocUnsafeSlow(rawBytes);
    events.copy(this.#raw, this.#rawLength);
    this.#rawLength += events.length;
  }

  /** Data of the last events, newest last. */
  lastEvents(): string[] {
    // The first piece may be the rest of a cut event.
    return [...eventData(this.#tailBytes())].slice(-lastEvents);
  }

  /** Last `usage` with a number in it, or else the last of any form. If undefined, there is none. */
  lastUsage(): ReportedUsage | undefined {
    return usageIn(this.#stored(), this.#usage);
  }

  /** Whether the model has written anything. */
  hasContent(): boolean {
    return this.#tail !== null || beginsText(this.#stored());
  }

  /** Whether the model has ended with a finish reason. */
  hasFinished(): boolean {
    return finishIn(this.#stored(), this.#hasFinished);
  }

  /** Last finish reason of a choice. If undefined, there is none. */
  finishWord(): string | undefined {
    return finishWordIn(this.#stored()) ?? this.#finishWord;
  }

  /** Approximate tokens so far, to extend a reservation. */
  roughTokens(): number {
    // Most upstreams send one or two tokens in an event of about 220 bytes; others send paragraphs.
    return Math.max(Math.ceil(this.#bytes / 220), this.#tally.roughTokens);
  }

  /** Tokens of all text so far: content, reasoning, tool calls. */
  countTokens(): Promise<number> {
    if (this.#first !== null) {
      const first = this.#first;
      this.#first = null;
      this.#copy(first);
    }
    this.#drainToText();
    return this.#tally.countTokens();
  }

  /** Releases the buffer. No method may be called afterwards. */
  close(): void {
    if (this.#raw !== null && spare.length < 2048) spare.push(this.#raw);
    this.#first = null;
    this.#raw = null;
    this.#tail = null;
    this.#tally.clear();
  }

  #stored(): Buffer {
    return this.#first ?? this.#raw?.subarray(0, this.#rawLength) ?? Buffer.alloc(0);
  }

  #tailBytes(): Buffer {
    if (this.#first !== null) return this.#first.subarray(Math.max(0, this.#first.length - tailBytes));
    if (this.#raw === null) return this.#tail ?? Buffer.alloc(0);
    const raw = this.#raw.subarray(Math.max(0, this.#rawLength - tailBytes), this.#rawLength);
    return this.#rawLength >= tailBytes || this.#tail === null ? raw : Buffer.concat([this.#tail, raw]);
  }

  #drainToText(): void {
    if (this.#raw === null || this.#rawLength === 0) return;
    this.#drop(this.#raw.subarray(0, this.#rawLength));
    this.#rawLength = 0;
  }

  /** Extracts the facts of whole events before they are dropped. */
  #drop(events: Buffer): void {
    this.#usage = usageIn(events, this.#usage);
    this.#hasFinished = finishIn(events, this.#hasFinished);
    this.#finishWord = finishWordIn(events) ?? this.#finishWord;
    this.#keepTail(events);
    this.#tally.add(textOf(events.toString('utf8'), textKeys));
  }

  #keepTail(bytes: Buffer): void {
    this.#tail = Buffer.from(bytes.subarray(Math.max(0, bytes.length - tailBytes)));
  }
}

/** Returns the last meaningful usage in whole events, or the earlier one. */
function usageIn(events: Buffer, before: ReportedUsage | undefined): ReportedUsage | undefined {
  let useless: ReportedUsage | undefined;
  let readFrom = events.length;
  for (const { at } of valuesOf(events, usageKey)) {
    if (at >= readFrom) continue; // another key in the same event
    readFrom = startOfEvent(events, at);
    const end = endOfEvent(events, at);
    const reported = reportedIn(events, readFrom, end);
    const value = reported?.value;
    if (reported === null || value === undefined || value === null) continue;
    if (saysSomething(value)) return { ...reported, hasTextAfter: hasText(events, end) };
    // Once only: repeating it for each of thousands of events would be quadratic.
    useless ??= { ...reported, hasTextAfter: hasText(events, end) };
  }
  if (before === undefined || (useless !== undefined && !saysSomething(before.value))) return useless;
  return before.hasTextAfter ? before : { ...before, hasTextAfter: hasText(events, 0) };
}

function reportedIn(events: Buffer, from: number, to: number): Pick<ReportedUsage, 'value' | 'tier'> | null {
  const data = dataIn(events, from, to);
  const event = data === null ? null : parseObject(data);
  return event === null ? null : { value: usageOf(event), ...(event['service_tier'] === undefined ? {} : { tier: event['service_tier'] }) };
}

function saysSomething(usage: unknown): boolean {
  return isObject(usage) && Object.values(usage).some((value) => typeof value === 'number' && value !== 0);
}

/** Whether there is a finish reason, now or before, with no text after it. */
function finishIn(events: Buffer, before: boolean): boolean {
  for (const { at, valueAt } of valuesOf(events, finishKey)) {
    // Some servers send `""` until the end.
    if (events[valueAt] === quote && events[valueAt + 1] !== quote) return !hasText(events, endOfEvent(events, at));
  }
  return before && !hasText(events, 0);
}

function finishWordIn(events: Buffer): string | undefined {
  for (const { valueAt } of valuesOf(events, finishKey)) {
    if (events[valueAt] !== quote || events[valueAt + 1] === quote) continue;
    const word = events.toString('utf8', valueAt + 1, Math.min(valueAt + longestWord, endOfEvent(events, valueAt)));
    return word.slice(0, Math.max(0, word.indexOf('"')));
  }
  return undefined;
}

/** Maximum bytes of a finish reason. */
const longestWord = 128;
const letterN = 0x6e;
const quote = 0x22;
const blanks: ReadonlySet<number | undefined> = new Set([0x20, 0x3a, 0x0a, 0x0d, 0x09]);

/** Positions where a key has a value other than `null`, from last to first. */
function* valuesOf(events: Buffer, key: Buffer): Generator<{ at: number; valueAt: number }> {
  for (let at = events.lastIndexOf(key); at > 0; at = events.lastIndexOf(key, at - 1)) {
    let valueAt = at + key.length;
    while (blanks.has(events[valueAt])) valueAt += 1;
    if (events[valueAt] !== letterN) yield { at, valueAt };
  }
}

/** Bytes of whole events in which most responses have begun. */
const beginning = 1024;

/** Whether the model has written anything in whole events. */
function beginsText(events: Buffer): boolean {
  if (events.length > beginning && writesText(events.toString('utf8', 0, endOfEvent(events, beginning)))) return true;
  return writesText(events.toString('utf8'));
}

function writesText(events: string): boolean {
  for (const text of textsIn(events, textKeys)) if (text !== '') return true;
  return false;
}

/** Whether the model wrote text from there on. Other objects have names and texts as well, but no delta. */
function hasText(events: Buffer, from: number): boolean {
  if (from >= events.length || !events.includes('"delta"', from)) return false;
  return writesText(events.toString('utf8', from));
}
