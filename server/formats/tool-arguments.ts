// Arguments of tool calls in a conversation. Most formats have an object there; a model that was cut off has written less, and the
// conversation goes on all the same.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import { LongTexts } from '#server/framing/long-json.ts';
import type { ToolCallPart } from './parts.ts';
import { argumentsOfText, wrappedText } from './text-tools.ts';

/**
 * JSON text of an object, whatever was written: an object stays what it is, nothing or `null` becomes an empty one, and any other text is
 * carried as the argument `input`, so that the model sees what it wrote.
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

/** JSON of an object of the caller's. */
export function objectText(object: JsonObject): string {
  return prepared.get(object) ?? JSON.stringify(object);
}

/** What was written before it was asked for, as long as the object is there. */
const prepared = new WeakMap<object, string>();
/** Characters of texts that take long to write. */
const leastLong = 64 * 1024;

/** Writes those that are long, in steps: `objectText` has them then. */
export function* prepareTexts(objects: Iterable<unknown>): Generator<void, void> {
  for (const object of objects) {
    if (!isObject(object) || prepared.has(object)) continue;
    const text = yield* new LongTexts(undefined, leastLong).text(object);
    if (text !== undefined) prepared.set(object, text);
    yield;
  }
}

/** Arguments of a call in the form of a request's parts. */
export function argumentsOfCall(written: unknown): Pick<ToolCallPart, 'arguments' | 'object'> {
  const text = objectArguments(written);
  return isObject(written) && text.length > mostParsed ? { arguments: text, object: written } : { arguments: text };
}

/** The same of a tool that is called with a free text. */
export function argumentsOfFreeText(text: string): Pick<ToolCallPart, 'arguments' | 'object'> {
  return text.length > mostParsed ? { arguments: argumentsOfText(text), object: wrappedText(text) } : { arguments: argumentsOfText(text) };
}

/** The object of a call's arguments. */
export function objectOfCall({ arguments: text, object }: Pick<ToolCallPart, 'arguments' | 'object'>): JsonObject {
  return object ?? argumentsObject(text);
}

/** The object of arguments that `objectArguments` returned. */
export function argumentsObject(text: string): JsonObject {
  return parseObject(text) ?? wrappedText(text);
}

function isLikeObject(text: string): boolean {
  return text.startsWith('{') && text.endsWith('}');
}

/** Longer texts are not looked at for being empty. */
const longestNothing = 64;

/** Characters of arguments, and of all those of a request, that are parsed to judge them; of others only where they begin and end is looked at. */
const mostParsed = 512 * 1024;

/** Arguments of one request to a provider that reads them, as they may stand there. */
export class ArgumentsCheck {
  #left = mostParsed;

  /** The very text where it is that of an object. */
  sound(text: string): string {
    this.#left -= text.length;
    if (this.#left < 0 && isLikeObject(text)) return text;
    return this.#left < 0 ? argumentsOfText(text) : objectArguments(text);
  }
}
