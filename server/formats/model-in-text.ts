// Replaces the model name in a body whose text otherwise stays unchanged.

type Body = Readonly<Record<string, unknown>>;

const modelKey = '"model"';

/** Returns null if the model's position is ambiguous. @param body the parsed text */
export function withModel(text: string, body: Body, model: string): string | null {
  const at = text.indexOf(modelKey);
  // With two `model` keys, parsers disagree on which one counts. If that is possible, the parsed body is serialized again. Escapes may hide
  // a second key.
  const isPlain = at >= 0 && text.indexOf(modelKey, at + modelKey.length) < 0 && !text.includes('\\u00');
  const end = isPlain && typeof body['model'] === 'string' ? modelEnd(text, at, body['model']) : -1;
  if (end < 0) return null;
  return body['model'] === model ? text : `${text.slice(0, at)}"model":${JSON.stringify(model)}${text.slice(end)}`;
}

/** Returns the end of the value after the key at `at`, or -1 if it is not written as expected. */
function modelEnd(text: string, at: number, model: string): number {
  let start = at + modelKey.length;
  while (text.charCodeAt(start) <= 32) start++;
  if (text[start] !== ':') return -1;
  start++;
  while (text.charCodeAt(start) <= 32) start++;
  const value = JSON.stringify(model);
  return text.startsWith(value, start) ? start + value.length : -1;
}
