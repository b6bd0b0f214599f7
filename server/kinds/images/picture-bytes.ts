// Reads image responses without decoding their long base64 texts.
import { pictureSize, mostLooked } from '#server/formats/picture-size.ts';
import { endOfTextBytes } from '#server/framing/json-text.ts';
import { parseObject } from '#server/framing/loose-json.ts';

const key = Buffer.from('"b64_json"');
const beginning = /^\s*:\s*"/;
/** Bytes after the name within which the base64 begins. */
const beginBytes = 64;

/**
 * Returns the JSON without the base64 of its images. Quotes inside JSON strings are escaped, so a match is a member
 * name.
 */
export function withoutPictures(json: Buffer): Buffer {
  const stored: Buffer[] = [];
  let from = 0;
  for (let at = json.indexOf(key); at >= 0; at = json.indexOf(key, at + key.length)) {
    const behind = at + key.length;
    const begin = beginning.exec(json.toString('latin1', behind, behind + beginBytes));
    if (begin === null) continue;
    const start = behind + begin[0].length;
    const end = endOfTextBytes(json, start);
    if (end < 0) break;
    stored.push(json.subarray(from, start));
    from = end;
    at = end - key.length;
  }
  return stored.length === 0 ? json : Buffer.concat([...stored, json.subarray(from)]);
}

/** Base64 of the first image, with its escapes; null if there is none. */
export function base64In(json: Buffer): Buffer | null {
  const at = json.indexOf(key);
  if (at < 0) return null;
  const behind = at + key.length;
  const begin = beginning.exec(json.toString('latin1', behind, behind + beginBytes));
  const start = behind + (begin?.[0].length ?? 0);
  const end = begin === null ? -1 : endOfTextBytes(json, start);
  return end <= start ? null : json.subarray(start, end);
}

/** Size of the first image, like `1024x1024`, read from its first bytes; undefined if unknown. */
export function sizeInBytes(json: Buffer): string | undefined {
  const at = json.indexOf(key);
  if (at < 0) return undefined;
  const behind = at + key.length;
  const begin = beginning.exec(json.toString('latin1', behind, behind + beginBytes));
  if (begin === null) return undefined;
  const start = behind + begin[0].length;
  // Some providers send a data URL.
  const letters = json.toString('latin1', start, start + mostLooked).replace(/^data:[\w\\/+.-]{1,40};base64,/, '');
  const size = pictureSize(letters);
  return size === null ? undefined : `${size.width}x${size.height}`;
}

/**
 * Prompts as revised by the model, one per line.
 * @param rows images as JSON objects
 */
export function revisedPrompts(rows: readonly Buffer[]): string {
  const reported = rows.map((row) => parseObject(withoutPictures(row).toString('utf8'))?.['revised_prompt']);
  return reported.filter((prompt) => typeof prompt === 'string').join('\n');
}
