// Normalizes names in Google's JSON to JSON names (`maxOutputTokens`): parsers accept proto names (`max_output_tokens`) too.
// An object with both spellings of a name is rejected. https://protobuf.dev/programming-guides/json
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';

/** Members whose content is the caller's. */
const opaque: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'labels',
  'partMetadata',
]);

export function camelCased(name: string): string {
  return name.includes('_') ? name.replaceAll(/(?<=.)_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) : name;
}

export function snakeCased(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Normalizes the names of one object.
 * @throws {AppError} `invalid_request` for a name in both spellings
 */
export function plainNames(object: Body, path = ''): Body {
  const names = Object.keys(object);
  if (!names.some((name) => name.includes('_'))) return object;
  const plain: Record<string, unknown> = {};
  for (const name of names) {
    const known = camelCased(name);
    if (Object.hasOwn(plain, known)) throw badField(path === '' ? known : `${path}.${known}`, fieldRules.standsOnce);
    plain[known] = object[name];
  }
  return plain;
}

/** Normalizes the names of a body at any depth. */
export function plainBody(body: Body, path = ''): Body {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(plainNames(body, path))) {
    plain[name] = opaque.has(name) ? value : plainValue(value, path === '' ? name : `${path}.${name}`);
  }
  return plain;
}

function plainValue(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((item, index) => plainValue(item, `${path}.${index}`));
  return isObject(value) ? plainBody(value, path) : value;
}

/** Returns the objects of a list, or a single object as a list of one. @throws {AppError} `invalid_request` */
export function objectsOf(fields: StrictFields, field: string): StrictFields[] {
  const value = fields.raw(field);
  return isObject(value) ? [new StrictFields(value, fields.path(field))] : fields.objects(field);
}

/** Returns a member in either spelling. Read loosely. */
export function looseMember(object: Body, name: string): unknown {
  return object[name] ?? object[snakeCased(name)];
}
