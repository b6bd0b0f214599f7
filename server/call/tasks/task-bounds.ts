// Limits the length of texts in task requests. Images may be as long as bodies may be; texts are copied, searched and serialized
// again before they are sent, so long ones are refused first.
import { AppError } from '#shared/errors.ts';

/** Maximum bytes of a body without images. */
export const mostTextBytes = 1_000_000;
/** Maximum characters of a prompt; people write less than 10,000. */
export const longestPrompt = 100_000;

/** Maximum characters of all names and texts except images, and maximum number of values. */
const longestTogether = 200_000;
const mostValues = 10_000;
/** Characters up to which a value of an image field is not checked, because it may be a URL. */
const shortPicture = 4_000;
/** Characters of an image that are checked by the expression. */
const lookedAt = 256;
const pictureStart = /^(?:data:[\w.+/;=-]{1,100},)?[\w+/=\s-]*$/;
/** Maximum characters of a field's name in an error. */
const longestName = 60;

/** Error with a field and its rule, which each format reports in its way. */
export class BoundRefusal extends AppError {
  constructor(field: string, rule: { zh: string; en: string }) {
    const name = field.slice(0, longestName);
    super('invalid_request', { detail: { zh: `${name} ${rule.zh}`, en: `${name} ${rule.en}` } }, { field: name });
  }
}

/**
 * Checks the lengths of text fields.
 * @param longest maximum characters by field
 * @throws {BoundRefusal}
 */
export function checkTextLengths(body: Record<string, unknown>, longest: Readonly<Record<string, number>>): void {
  for (const [field, limit] of Object.entries(longest)) {
    const value = body[field];
    if (typeof value === 'string' && value.length > limit) throw tooLong(field, limit);
  }
}

/**
 * Checks a body that is forwarded as it is. Values of fields named for Base64 are images.
 * @throws {BoundRefusal}
 */
export function checkWholeBody(body: Record<string, unknown>): void {
  let characters = 0;
  let values = 0;
  // Not recursive, because bodies may be nested deeply.
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

/** Checks the start of an image, and that it contains only ASCII, which takes little time. */
function checkPicture(field: string, text: string): void {
  if (pictureStart.test(text.slice(0, lookedAt)) && Buffer.byteLength(text) === text.length) return;
  throw new BoundRefusal(field, { zh: '必须是 Base64 编码的图片', en: 'must be a picture in Base64' });
}
