// Replaces the model name in the text of a body, without serializing it again.

type Body = Readonly<Record<string, unknown>>;

const modelKey = '"model"';

/**
 * Returns the text with another model; null if the position of the model is ambiguous.
 * @param body the parsed text
 */
export function withModel(text: string, body: Body, model: string): string | null {
  const at = text.indexOf(modelKey);
  // Parsers differ on which of two `model` keys applies, and escapes may hide a second key. In both cases the caller
  // serializes the parsed body.
  const isPlain = at >= 0 && text.indexOf(modelKey, at + modelKey.length) < 0 && !text.includes('\\u00');
  const end = isPlain && typeof body['model'] === 'string' ? modelEnd(text, at, body['model']) : -1;
  if (end < 0) return null;
  return body['model'] === model ? text : `${text.slice(0, at)}"model":${JSON.stringify(model)}${text.slice(end)}`;
}

/** Returns the end of the value after the key at `at`; -1 if the value is not written plainly. */
function modelEnd(text: string, at: number, model: string): number {
  let start = at + modelKey.length;
  while (text.charCodeAt(start) <= 32) start++;
  if (text[start] !== ':') return -1;
  start++;
  while (text.charCodeAt(start) <= 32) start++;
  const value = JSON.stringify(model);
  return text.startsWith(value, start) ? start + value.length : -1;
}
