// Reads tool arguments in a conversation. Most formats require an object, but a model that was cut off has written invalid
// JSON, and the conversation must continue.
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import { LongTexts } from '#server/framing/long-json.ts';
import type { ToolCallPart } from './parts.ts';
import { argumentsOfText, wrappedText } from './text-tools.ts';

/**
 * Returns the JSON of an object for any input: objects are unchanged, empty input and `null` become an empty object, other text
 * becomes the argument `input`, so that the model sees what it wrote.
 */
export function objectArguments(written: unknown): string {
  if (isObject(written)) return objectText(written);
  if (written === undefined || written === null) return '{}';
  const text = typeof written === 'string' ? written : JSON.stringify(written);
  const isNothing = text.length < longestNothing && /^\s*(?:null\s*)?$/.test(text);
  if (isNothing) return '{}';
  if (text.length > mostParsed && isLikeObject(text)) return text;
  return parseObject(text) === null ? argumentsOfText(text) : text;
}

export function objectText(object: JsonObject): string {
  return prepared.get(object) ?? JSON.stringify(object);
}

/** Texts of objects that were serialized in advance, as long as the object exists. */
const prepared = new WeakMap<object, string>();
/** Characters from which serialization is slow. */
const leastLong = 64 * 1024;

/** Serializes long objects in steps, for `objectText` to return. */
export function* prepareTexts(objects: Iterable<unknown>): Generator<void, void> {
  for (const object of objects) {
    if (!isObject(object) || prepared.has(object)) continue;
    const text = yield* new LongTexts(undefined, leastLong).text(object);
    if (text !== undefined) prepared.set(object, text);
    yield;
  }
}

/** Converts a call's arguments to parts. */
export function argumentsOfCall(written: unknown): Pick<ToolCallPart, 'arguments' | 'object'> {
  const text = objectArguments(written);
  return isObject(written) && text.length > mostParsed ? { arguments: text, object: written } : { arguments: text };
}

/** Converts free text input to parts. */
export function argumentsOfFreeText(text: string): Pick<ToolCallPart, 'arguments' | 'object'> {
  return text.length > mostParsed ? { arguments: argumentsOfText(text), object: wrappedText(text) } : { arguments: argumentsOfText(text) };
}

export function objectOfCall({ arguments: text, object }: Pick<ToolCallPart, 'arguments' | 'object'>): JsonObject {
  return object ?? argumentsObject(text);
}

/** Parses the output of `objectArguments`. */
export function argumentsObject(text: string): JsonObject {
  return parseObject(text) ?? wrappedText(text);
}

function isLikeObject(text: string): boolean {
  return text.startsWith('{') && text.endsWith('}');
}

/** Maximum characters of a text that may be an empty value, such as `null` or `{ }`. */
const longestNothing = 64;

/** Maximum characters of arguments parsed for validation per request; of further ones only start and end are checked. */
const mostParsed = 512 * 1024;

/** Validates arguments of one request for a provider that parses them. */
export class ArgumentsCheck {
  #left = mostParsed;

  /** Returns the JSON of an object; the same text if it is one. */
  sound(text: string): string {
    this.#left -= text.length;
    if (this.#left < 0 && isLikeObject(text)) return text;
    return this.#left < 0 ? argumentsOfText(text) : objectArguments(text);
  }
}
