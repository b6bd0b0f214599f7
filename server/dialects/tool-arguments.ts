// Arguments of tool calls in a conversation. Most formats have an object there; a model that was cut off has written less, and the
// conversation goes on all the same.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import { argumentsOfText, wrappedText } from './text-tools.ts';

/**
 * JSON text of an object, whatever was written: an object stays what it is, nothing or `null` becomes an empty one, and any other text is
 * carried as the argument `input`, so that the model sees what it wrote.
 */
export function objectArguments(written: unknown): string {
  if (isObject(written)) return JSON.stringify(written);
  if (written === undefined || written === null) return '{}';
  const text = typeof written === 'string' ? written : JSON.stringify(written);
  const isNothing = text.length < longestNothing && /^\s*(?:null\s*)?$/.test(text);
  if (isNothing) return '{}';
  if (text.length > mostParsed && isLikeObject(text)) return text;
  return parseObject(text) === null ? argumentsOfText(text) : text;
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
