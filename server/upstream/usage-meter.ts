// Watches a chat stream go by in constant memory. Nothing is parsed while it runs well: the last bytes tell usage and
// ending; the text is kept as raw bytes and only read when the upstream reported no usage, or when the bytes pile up.
import { parseObject } from '#server/upstream/loose-json.ts';
import { dataOf, endOfEvent, startOfEvent } from '#server/upstream/sse.ts';
import { estimateTextTokens } from '#server/upstream/token-estimate.ts';

/** Raw bytes kept before they are turned into text. Short streams never get there. */
const rawBytes = 16 * 1024;
/** Characters of text kept; what is beyond is counted in the background and dropped. */
const textLimit = 48 * 1024;
const tailBytes = 4 * 1024;

/** Usage and finish reason are looked for in so many events at the end. */
const lastEvents = 6;
const usageKey = Buffer.from('"usage"');

// Buffers are used again: a new one per stream costs the collector milliseconds at high rates.
const spare: Buffer[] = [];

export interface MeterOptions {
  /** Counts the tokens of a piece of text; never rejects. */
  countText(text: string): Promise<number>;
}

export interface ReportedUsage {
  /** Whatever stood there. */
  value: unknown;
  /** How many events came after it: what they hold is not in it. */
  eventsAfter: number;
}

export class UsageMeter {
  readonly #options: MeterOptions;
  /** The first bytes, while they are all there is and need no copy. */
  #first: Buffer | null = null;
  #raw: Buffer | null = null;
  #rawLength = 0;
  #tail: Buffer | null = null;
  #text = '';
  #counted: Promise<number>[] = [];
  /** Estimated tokens of the text so far. */
  #estimate = 0;
  #bytes = 0;

  constructor(options: MeterOptions) {
    this.#options = options;
  }

  /** Bytes of complete events that have gone by. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Takes whole events. The bytes are copied, because a slice would keep the socket's whole read buffer alive; unless they
   * are `isOwned` and the first, as when a whole short answer comes in one burst.
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
      this.#keepTail(events);
      this.#addText(events.toString('utf8'));
      return;
    }
    this.#raw ??= spare.pop() ?? Buffer.allocUnsafeSlow(rawBytes);
    events.copy(this.#raw, this.#rawLength);
    this.#rawLength += events.length;
  }

  /** The data of the last events, newest last: where usage and finish reasons are. */
  lastEvents(): string[] {
    return lastEventsOf(this.#tailBytes().toString('utf8'));
  }

  /** The last `usage` that is not null, at the top of one of the last events; undefined when none of them has any. */
  lastUsage(): ReportedUsage | undefined {
    const tail = this.#tailBytes();
    for (let at = tail.lastIndexOf(usageKey); at > 0; at = tail.lastIndexOf(usageKey, at - 1)) {
      // Most events of most upstreams say `null`.
      if (isNullAt(tail, at + usageKey.length)) continue;
      const [start, end] = [startOfEvent(tail, at), endOfEvent(tail, at)];
      const eventsAfter = countEvents(tail, end);
      if (eventsAfter >= lastEvents) break;
      const data = dataOf(tail.toString('utf8', start, end).trimEnd());
      const value = data === null ? undefined : parseObject(data)?.['usage'];
      if (value !== undefined && value !== null) return { value, eventsAfter };
      if (start === 0) break;
      at = start;
    }
    return undefined;
  }

  /** Rough number of tokens so far; for growing a reservation while the stream runs. */
  roughTokens(): number {
    // Most upstreams send a token or two an event of some 220 bytes; others send whole paragraphs.
    return Math.max(Math.ceil(this.#bytes / 220), this.#estimate);
  }

  /** Tokens of all text that has gone by: contents, reasoning, tool calls. */
  async countTokens(): Promise<number> {
    if (this.#first !== null) {
      const first = this.#first;
      this.#first = null;
      this.#copy(first);
    }
    this.#drainToText();
    const parts = await Promise.all(this.#counted);
    const rest = this.#text === '' ? 0 : await this.#options.countText(this.#text);
    return parts.reduce((sum, part) => sum + part, rest);
  }

  /** Gives the buffer back. Nothing may be asked afterwards. */
  close(): void {
    if (this.#raw !== null && spare.length < 2048) spare.push(this.#raw);
    this.#first = null;
    this.#raw = null;
    this.#tail = null;
    this.#text = '';
  }

  #tailBytes(): Buffer {
    if (this.#first !== null) return this.#first.subarray(Math.max(0, this.#first.length - tailBytes));
    if (this.#raw === null) return this.#tail ?? Buffer.alloc(0);
    const raw = this.#raw.subarray(Math.max(0, this.#rawLength - tailBytes), this.#rawLength);
    return this.#rawLength >= tailBytes || this.#tail === null ? raw : Buffer.concat([this.#tail, raw]);
  }

  #drainToText(): void {
    if (this.#raw === null || this.#rawLength === 0) return;
    const raw = this.#raw.toString('utf8', 0, this.#rawLength);
    this.#keepTail(this.#raw.subarray(0, this.#rawLength));
    this.#rawLength = 0;
    this.#addText(raw);
  }

  #keepTail(bytes: Buffer): void {
    this.#tail = Buffer.from(bytes.subarray(Math.max(0, bytes.length - tailBytes)));
  }

  #addText(raw: string): void {
    const text = textOf(raw);
    this.#estimate += estimateTextTokens(text);
    this.#text += text;
    if (this.#text.length < textLimit) return;
    this.#counted.push(this.#options.countText(this.#text));
    this.#text = '';
  }
}

/** Whether `null` stands there, behind the colon of its key. */
function isNullAt(bytes: Buffer, from: number): boolean {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x3a || bytes[at] === 0x0a || bytes[at] === 0x09) at += 1;
  return bytes[at] === 0x6e;
}

/** How many events begin from there on, as far as it matters. */
function countEvents(bytes: Buffer, from: number): number {
  let count = 0;
  for (let at = from; at < bytes.length && count < lastEvents; at = endOfEvent(bytes, at)) count += 1;
  return count;
}

/** Finds what a model wrote in raw chat chunks: the string values of `content`, reasoning and tool call fields. */
export function textOf(raw: string): string {
  let text = '';
  // Values are JSON strings; keys with these names appear in chat chunks only where a model's own output stands.
  const pattern = /"(?:content|reasoning_content|reasoning|arguments|name|refusal|text)"\s*:\s*("(?:[^"\\]|\\.)*")/g;
  for (const match of raw.matchAll(pattern)) {
    const literal = match[1] ?? '""';
    if (!literal.includes('\\')) {
      text += literal.slice(1, -1);
      continue;
    }
    try {
      const value: unknown = JSON.parse(literal);
      if (typeof value === 'string') text += value;
    } catch {
      text += literal.slice(1, -1); // a broken escape: as it stands
    }
  }
  return text;
}

function lastEventsOf(text: string): string[] {
  const events = text.includes('\r') ? text.split(/\r?\n\r?\n/) : text.split('\n\n');
  // The first piece may be the rest of an event that was cut.
  return events
    .slice(-lastEvents)
    .map(dataOf)
    .filter((data) => data !== null);
}
