// Tools that are called with a free text, for formats that know calls with JSON alone: there the text travels as `{"input": …}`.
import { parseObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import type { Grammar, Tool } from './parts.ts';

const member = 'input';

/** @param grammar what the text has to look like: formats that cannot hold a model to it can tell it of it */
export function textTool({ name, description, grammar }: { name: string; description?: string; grammar?: Grammar }): Tool {
  const about = [description, grammar === undefined ? undefined : `The input must match this grammar:\n${grammar.definition}`];
  const text = about.filter((part) => part !== undefined).join('\n\n');
  return {
    name,
    ...(text === '' ? {} : { description: text }),
    parameters: {
      type: 'object',
      properties: { [member]: { type: 'string', description: 'The whole input of the tool, as plain text' } },
      required: [member],
      additionalProperties: false,
    },
    freeText: { ...(description === undefined ? {} : { description }), ...(grammar === undefined ? {} : { grammar }) },
  };
}

export function argumentsOfText(text: string): string {
  return JSON.stringify(wrappedText(text));
}

/** The same, not written yet. */
export function wrappedText(text: string): JsonObject {
  return { [member]: text };
}

/** What a model that was asked for JSON meant. It may have written the text itself, or an object of its own making. */
export function textOfArguments(json: string): string {
  const value = parseObject(json);
  if (value === null) return json;
  const text = value[member];
  return typeof text === 'string' ? text : json;
}

const beginning = /^\s*\{\s*"input"\s*:\s*"/;
/** As much as may stand before the text. */
const longestBeginning = 64;

/** The same of arguments that come piece by piece: as much of the text as is certain. */
export class TextOfArguments {
  /** What has come and is not told. */
  #json = '';
  /** `free`: it is not the JSON that was asked for, and is told at the end. */
  #state: 'before' | 'within' | 'behind' | 'free' = 'before';
  #reported = '';

  /** What this piece adds to the text. */
  push(piece: string): string {
    if (this.#state === 'behind') return '';
    this.#json += piece;
    if (this.#state === 'before') this.#begin();
    return this.#state === 'within' ? this.#take() : '';
  }

  /** What is still to be told when all has come, and the whole text. */
  end(): { rest: string; text: string } {
    if (this.#state === 'within' || this.#state === 'behind') return { rest: '', text: this.#reported };
    const text = textOfArguments(this.#json);
    return { rest: text, text };
  }

  #begin(): void {
    const found = beginning.exec(this.#json);
    if (found !== null) {
      this.#state = 'within';
      this.#json = this.#json.slice(found[0].length);
    } else if (this.#json.length > longestBeginning) this.#state = 'free';
  }

  /** Letters up to the closing quote, or to where a letter is not complete. */
  #take(): string {
    const json = this.#json;
    let end = 0;
    while (end < json.length) {
      const letter = json[end];
      if (letter === '"') {
        this.#state = 'behind';
        break;
      }
      const length = letter === '\\' ? escapeLength(json, end) : 1;
      if (end + length > json.length) break;
      end += length;
    }
    this.#json = json.slice(end);
    const text = unescaped(json.slice(0, end));
    this.#reported += text;
    return text;
  }
}

/** `\n`, or `\u` and four digits; half of a letter beyond the basic plane waits for its other half. */
function escapeLength(json: string, at: number): number {
  if (json[at + 1] !== 'u') return 2;
  return /^\\u[dD][89abAB]/.test(json.slice(at, at + 4)) && (json.length < at + 8 || json.startsWith('\\u', at + 6)) ? 12 : 6;
}

/** Some models write line ends as they are, which JSON does not allow. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  try {
    const value: unknown = JSON.parse(`"${text.replace(/\p{Cc}/gu, (letter) => JSON.stringify(letter).slice(1, -1))}"`);
    return typeof value === 'string' ? value : text;
  } catch {
    return text;
  }
}
