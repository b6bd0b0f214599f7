// Converts tools with free text input for formats with JSON arguments only: the text is sent as `{"input": …}`.
import { type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import type { Grammar, Tool } from './parts.ts';

const member = 'input';

/** @param grammar grammar of the text, added to the description because the format cannot enforce it */
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

/** Returns the arguments before serialization. */
export function wrappedText(text: string): JsonObject {
  return { [member]: text };
}

/** Extracts the text from JSON arguments. The model may have written plain text or another object. */
export function textOfArguments(json: string): string {
  const value = parseObject(json);
  if (value === null) return json;
  const text = value[member];
  return typeof text === 'string' ? text : json;
}

const beginning = /^\s*\{\s*"input"\s*:\s*"/;
/** Maximum characters before the text. */
const longestBeginning = 64;

/** Extracts the text from streamed arguments as far as it is certain. */
export class TextOfArguments {
  /** JSON received and not returned yet. */
  #json = '';
  /** Position in relation to the text. `free`: the JSON is not the expected object and is returned at the end. */
  #state: 'before' | 'within' | 'behind' | 'free' = 'before';
  #reported = '';

  /** Returns the text that a piece adds. */
  push(piece: string): string {
    if (this.#state === 'behind') return '';
    this.#json += piece;
    if (this.#state === 'before') this.#begin();
    return this.#state === 'within' ? this.#take() : '';
  }

  /** Returns the rest and the whole text at the end. */
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

  /** Takes characters up to the closing quote or an incomplete escape. */
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

/** Returns the length of an escape: `\n`, or `\u` with four digits, for a high surrogate with its low one. */
function escapeLength(json: string, at: number): number {
  if (json[at + 1] !== 'u') return 2;
  return /^\\u[dD][89abAB]/.test(json.slice(at, at + 4)) && (json.length < at + 8 || json.startsWith('\\u', at + 6)) ? 12 : 6;
}

/** Decodes escapes; raw line breaks, which some models write, are accepted. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  try {
    const value: unknown = JSON.parse(`"${text.replace(/\p{Cc}/gu, (letter) => JSON.stringify(letter).slice(1, -1))}"`);
    return typeof value === 'string' ? value : text;
  } catch {
    return text;
  }
}
