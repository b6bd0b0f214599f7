// How long what describes a task may be. Pictures may be as long as bodies are; texts are copied, searched and written again on the way
// upstream, so that long ones are refused before any of that.
import { AppError } from '#shared/errors.ts';

/** Bytes of a body that holds no pictures. */
export const mostTextBytes = 1_000_000;
/** Characters of a prompt: those of people are below 10,000. */
export const longestPrompt = 100_000;

/** All names and texts but pictures, and values of any kind. */
const longestTogether = 200_000;
const mostValues = 10_000;
/** A picture that is not longer is judged by the upstream: it may be an address. */
const shortPicture = 4_000;
/** Characters of a picture that are looked at one by one. */
const lookedAt = 256;
const pictureStart = /^(?:data:[\w.+/;=-]{1,100},)?[\w+/=\s-]*$/;
/** Characters of a field's name in an error. */
const longestName = 60;

/** A field and its rule; each format reports it in its way. */
export class BoundRefusal extends AppError {
  constructor(field: string, rule: { zh: string; en: string }) {
    const name = field.slice(0, longestName);
    super('invalid_request', { detail: { zh: `${name} ${rule.zh}`, en: `${name} ${rule.en}` } }, { field: name });
  }
}

/** `longest`: characters, by the names of fields. @throws {BoundRefusal} */
export function checkTextLengths(body: Record<string, unknown>, longest: Readonly<Record<string, number>>): void {
  for (const [field, limit] of Object.entries(longest)) {
    const value = body[field];
    if (typeof value === 'string' && value.length > limit) throw tooLong(field, limit);
  }
}

/** All of a body that goes upstream as it is. Pictures are what stands in fields named for Base64. @throws {BoundRefusal} */
export function checkWholeBody(body: Record<string, unknown>): void {
  let characters = 0;
  let values = 0;
  // Not recursive: bodies may be nested.
  const left: { field: string; value: unknown }[] = [{ field: 'body', value: body }];
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    const { field, value } = part;
    if (typeof value === 'string') {
      if (value.length > shortPicture && /base64/i.test(field)) checkPicture(field, value);
      else characters += value.length;
    } else if (Array.isArray(value)) {
      checkCount((values += value.length));
      for (const item of value) left.push({ field, value: item });
    } else if (typeof value === 'object' && value !== null) {
      const parts = Object.entries(value);
      checkCount((values += parts.length));
      for (const [name, item] of parts) {
        characters += name.length;
        left.push({ field: name, value: item });
      }
    }
    if (characters > longestTogether) throw tooLong('body', longestTogether);
  }
}

function checkCount(values: number): void {
  if (values <= mostValues) return;
  throw new BoundRefusal('body', { zh: `不能超过 ${mostValues} 个值`, en: `must not have more than ${mostValues} values` });
}

function tooLong(field: string, limit: number): BoundRefusal {
  return new BoundRefusal(field, { zh: `不能超过 ${limit} 个字符`, en: `must not be longer than ${limit} characters` });
}

/** Its beginning, and that there is nothing but ASCII in it, which costs next to nothing to see. */
function checkPicture(field: string, text: string): void {
  if (pictureStart.test(text.slice(0, lookedAt)) && Buffer.byteLength(text) === text.length) return;
  throw new BoundRefusal(field, { zh: '必须是 Base64 编码的图片', en: 'must be a picture in Base64' });
}
