// Blocked words in what a model writes, looked for in what is about to leave for the client, whatever its format. Each text of a
// response (of a choice, a block, a tool call) is followed by itself, over all the events that bring it.
import { folded } from './folded-text.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { EventEncoding } from '#server/framing/event-encoding.ts';
import type { WordMatcher } from './word-matcher.ts';
import type { OutputWatch } from '#server/call/text-guard.ts';

/** Fields that hold what a model writes, in any format. */
const textFields: ReadonlySet<string> = new Set([
  'content',
  'reasoning_content',
  'reasoning',
  'refusal',
  'text',
  'thinking',
  'arguments',
  'partial_json',
  'delta',
  'name',
  'transcript',
  'revised_prompt',
  'code',
]);
/** What a tool is called with, under names of its own, and code that runs at the provider. */
const toolFields: ReadonlySet<string> = new Set(['input', 'args', 'arguments', 'executableCode', 'codeExecutionResult']);
/** An error's code is nothing that a model writes. */
const otherFields: ReadonlySet<string> = new Set(['error']);
/** Texts of one response that are followed at the same time; the oldest is given up for a further one. */
const mostTexts = 256;
/** Characters that are searched at once: a few milliseconds. */
const pieceLength = 64 * 1024;

export class BlockedOutput implements OutputWatch {
  readonly #follow: () => WordMatcher;
  readonly #texts = new Map<string, WordMatcher>();

  /** @param follow begins to look for words in a text of small letters */
  constructor(follow: () => WordMatcher) {
    this.#follow = follow;
  }

  /** Whether a word ends in these events, which are whole. */
  inEvents(pieces: readonly Buffer[], { data: eventsIn }: EventEncoding): boolean {
    const bytes = Buffer.concat(pieces);
    return this.inReported(isListed(bytes) ? itemsIn(bytes) : eventsIn(bytes));
  }

  /** The same of what events say. */
  inReported(events: Iterable<string>): boolean {
    for (const data of events) {
      const event = parseObject(data);
      if (event !== null && this.inObject(event)) return true;
    }
    return false;
  }

  /** The same of one. @param response whose it is, where several are written at a time */
  inObject(event: Readonly<Record<string, unknown>>, response = ''): boolean {
    const search = this.#inValue(event, response, false);
    let step = search.next();
    while (step.done !== true) step = search.next();
    return step.value;
  }

  /** The same of a whole body, in steps. */
  *inBody(body: Buffer): Generator<void, boolean> {
    const value = parseObject(body.toString('utf8'));
    return value !== null && (yield* this.#inValue(value, '', false));
  }

  /** @param place path in the response; parts of a list are distinguished by their `index` */
  *#inValue(value: unknown, place: string, isTool: boolean): Generator<void, boolean> {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        const name = isObject(item) && typeof item['index'] === 'number' ? item['index'] : index;
        if (yield* this.#inField(item, `${place}[${name}]`, { isTool, isText: isTool })) return true;
      }
      return false;
    }
    if (!isObject(value)) return false;
    const index = value['index'] ?? value['output_index'];
    const own = typeof index === 'number' && !place.endsWith(']') ? `${place}#${index}` : place;
    for (const [name, field] of Object.entries(value)) {
      if (otherFields.has(name)) continue;
      const isInTool = isTool || toolFields.has(name);
      if (yield* this.#inField(field, `${own}.${name}`, { isTool: isInTool, isText: isInTool || textFields.has(name) })) return true;
    }
    return false;
  }

  *#inField(value: unknown, place: string, { isTool, isText }: { isTool: boolean; isText: boolean }): Generator<void, boolean> {
    if (typeof value !== 'string') return yield* this.#inValue(value, place, isTool);
    if (!isText || value === '') return false;
    const holds = this.#textAt(place);
    for (let start = 0; start < value.length; start += pieceLength) {
      if (holds(folded(value.slice(start, start + pieceLength)))) return true;
      yield;
    }
    return false;
  }

  #textAt(place: string): WordMatcher {
    const known = this.#texts.get(place);
    if (known !== undefined) return known;
    const [oldest] = this.#texts.keys();
    if (oldest !== undefined && this.#texts.size >= mostTexts) this.#texts.delete(oldest);
    const text = this.#follow();
    this.#texts.set(place, text);
    return text;
  }
}

/** No event begins so: it is a list that is written bit by bit. */
function isListed(bytes: Buffer): boolean {
  return bytes[0] === 0x5b || bytes[0] === 0x2c;
}

/** Its items in these bytes, which hold whole ones, each behind a bracket or a comma. */
function itemsIn(bytes: Buffer): string[] {
  const items = bytes.toString('utf8').slice(1).trim();
  try {
    const list: unknown = JSON.parse(`[${items}${items.endsWith(']') ? '' : ']'}`);
    return Array.isArray(list) ? list.map((item: unknown) => JSON.stringify(item)) : [];
  } catch {
    return [];
  }
}
