// Another model's name in a body that otherwise stays the very text of its client.

type Body = Readonly<Record<string, unknown>>;

const modelKey = '"model"';

/** Null: it cannot be told for sure where the model stands. @param body the text, parsed */
export function withModel(text: string, body: Body, model: string): string | null {
  const at = text.indexOf(modelKey);
  // A text with two keys `model` means different things to different readers: one for whoever bills, another upstream.
  // Where that could be, what was read here is written anew. Escaped letters may hide a second key.
  const isPlain = at >= 0 && text.indexOf(modelKey, at + modelKey.length) < 0 && !text.includes('\\u00');
  const end = isPlain && typeof body['model'] === 'string' ? modelEnd(text, at, body['model']) : -1;
  if (end < 0) return null;
  return body['model'] === model ? text : `${text.slice(0, at)}"model":${JSON.stringify(model)}${text.slice(end)}`;
}

/** Where the value after the key at `at` ends, when it is written as expected; else -1. */
function modelEnd(text: string, at: number, model: string): number {
  let start = skipBlanks(text, at + modelKey.length);
  if (text[start] !== ':') return -1;
  start = skipBlanks(text, start + 1);
  const value = JSON.stringify(model);
  return text.startsWith(value, start) ? start + value.length : -1;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 32) at++;
  return at;
}
