// Pictures stand in their responses as long texts of base64. What stands around them is read without turning them into text.
import { pictureSize, mostLooked } from '#server/formats/picture-size.ts';
import { endOfTextBytes } from '#server/framing/json-text.ts';
import { parseObject } from '#server/framing/loose-json.ts';

const key = Buffer.from('"b64_json"');
const beginning = /^\s*:\s*"/;
/** Bytes in which the text behind its name begins. */
const beginBytes = 64;

/** The same without the letters of its pictures. Quotes within texts of JSON are escaped: what is found is a name. */
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

/** Base64 of the first picture in it, with its escapes; null: there is none. */
export function base64In(json: Buffer): Buffer | null {
  const at = json.indexOf(key);
  if (at < 0) return null;
  const behind = at + key.length;
  const begin = beginning.exec(json.toString('latin1', behind, behind + beginBytes));
  const start = behind + (begin?.[0].length ?? 0);
  const end = begin === null ? -1 : endOfTextBytes(json, start);
  return end <= start ? null : json.subarray(start, end);
}

/** Of the first picture in it, like `1024x1024`, by its first bytes; undefined: there is none, or they do not say it. */
export function sizeInBytes(json: Buffer): string | undefined {
  const at = json.indexOf(key);
  if (at < 0) return undefined;
  const behind = at + key.length;
  const begin = beginning.exec(json.toString('latin1', behind, behind + beginBytes));
  if (begin === null) return undefined;
  const start = behind + begin[0].length;
  // Some say the type of their bytes before them.
  const letters = json.toString('latin1', start, start + mostLooked).replace(/^data:[\w\\/+.-]{1,40};base64,/, '');
  const size = pictureSize(letters);
  return size === null ? undefined : `${size.width}x${size.height}`;
}

/** What models have made of the prompts, a line each. @param rows pictures as objects of JSON */
export function revisedPrompts(rows: readonly Buffer[]): string {
  const reported = rows.map((row) => parseObject(withoutPictures(row).toString('utf8'))?.['revised_prompt']);
  return reported.filter((prompt) => typeof prompt === 'string').join('\n');
}
