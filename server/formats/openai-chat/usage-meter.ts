// Watches a chat stream go by in constant memory. Nothing is parsed while it runs well: events are kept as raw bytes and
// looked at when the stream ends, or when they pile up: for usage and ending, and for the text where no usage was reported.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { dataIn, endOfEvent, eventData, startOfEvent } from '#server/framing/sse.ts';
import { textOf, textsIn } from '../text-in-events.ts';
import type { TextTally } from '../text-tally.ts';
import { textKeys } from './text-keys.ts';
import { usageOf } from './token-usage.ts';

/** Raw bytes kept before they are turned into text. Short streams never get there. */
const rawBytes = 16 * 1024;
const tailBytes = 4 * 1024;

const lastEvents = 6;
const usageKey = Buffer.from('"usage"');
const finishKey = Buffer.from('"finish_reason"');

// Buffers are used again: a new one per stream costs the collector milliseconds at high rates.
const spare: Buffer[] = [];

export interface ReportedUsage {
  /** Whatever stood there. */
  value: unknown;
  /** What its event names as the lane; whatever stood there. */
  tier?: unknown;
  /** The model wrote on after it: that is not in it. */
  hasTextAfter: boolean;
}

export class UsageMeter {
  readonly #tally: TextTally;
  /** The first bytes, while they are all there is and need no copy. */
  #first: Buffer | null = null;
  #raw: Buffer | null = null;
  #rawLength = 0;
  #tail: Buffer | null = null;
  /** What the events told that are no longer kept. */
  #usage: ReportedUsage | undefined;
  #hasFinished = false;
  #finishWord: string | undefined;
  #bytes = 0;

  constructor(tally: TextTally) {
    this.#tally = tally;
  }

  /** Bytes of complete events that have gone by. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Takes whole events. The bytes are copied, because a slice would keep the socket's whole read buffer alive; unless they
   * are `isOwned` and the first, as when a whole short response comes in one burst.
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

  /** The data of the last events, newest last. */
  lastEvents(): string[] {
    // The first piece may be the rest of an event that was cut.
    return [...eventData(this.#tailBytes())].slice(-lastEvents);
  }

  /** The last `usage` of an event with a number in it; else the last of whatever form; undefined without any. */
  lastUsage(): ReportedUsage | undefined {
    return usageIn(this.#stored(), this.#usage);
  }

  /** Whether the model has written anything. */
  hasContent(): boolean {
    return this.#tail !== null || writesText(this.#stored().toString('utf8'));
  }

  /** Whether the model has said why it ends, and has ended. */
  hasFinished(): boolean {
    return finishIn(this.#stored(), this.#hasFinished);
  }

  /** The last reason that a choice gave to end; undefined: none has. */
  finishWord(): string | undefined {
    return finishWordIn(this.#stored()) ?? this.#finishWord;
  }

  /** Rough number of tokens so far; for growing a reservation while the stream runs. */
  roughTokens(): number {
    // Most upstreams send a token or two an event of some 220 bytes; others send whole paragraphs.
    return Math.max(Math.ceil(this.#bytes / 220), this.#tally.roughTokens);
  }

  /** Tokens of all text that has gone by: contents, reasoning, tool calls. */
  countTokens(): Promise<number> {
    if (this.#first !== null) {
      const first = this.#first;
      this.#first = null;
      this.#copy(first);
    }
    this.#drainToText();
    return this.#tally.countTokens();
  }

  /** Gives the buffer back. Nothing may be asked afterwards. */
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

  /** Keeps of whole events what they tell. */
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

/** The last usage in these whole events that says something; where there is none, the one before them. */
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
    // Once: looking behind every one of thousands would take quadratic time.
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

/** Whether one of these whole events, or one before them, gave a reason to end, and nothing was written after it. */
function finishIn(events: Buffer, before: boolean): boolean {
  for (const { at, valueAt } of valuesOf(events, finishKey)) {
    // Some say `""` until then.
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

/** Bytes of a reason that is looked at. */
const longestWord = 128;
const letterN = 0x6e;
const quote = 0x22;
const blanks: ReadonlySet<number | undefined> = new Set([0x20, 0x3a, 0x0a, 0x0d, 0x09]);

/** Where a key has a value other than `null`, which is what it has in most events of most upstreams; the last one first. */
function* valuesOf(events: Buffer, key: Buffer): Generator<{ at: number; valueAt: number }> {
  for (let at = events.lastIndexOf(key); at > 0; at = events.lastIndexOf(key, at - 1)) {
    let valueAt = at + key.length;
    while (blanks.has(events[valueAt])) valueAt += 1;
    if (events[valueAt] !== letterN) yield { at, valueAt };
  }
}

function writesText(events: string): boolean {
  for (const text of textsIn(events, textKeys)) if (text !== '') return true;
  return false;
}

/** Whether the model wrote something from there on. Other things have names and texts as well, but no delta. */
function hasText(events: Buffer, from: number): boolean {
  if (from >= events.length || !events.includes('"delta"', from)) return false;
  return writesText(events.toString('utf8', from));
}
