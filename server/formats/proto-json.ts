// Names in Google's JSON: a reader of it takes those of the definitions (`max_output_tokens`) as well as those of JSON
// (`maxOutputTokens`). Here the second kind is read; whoever gives both at once is refused. https://protobuf.dev/programming-guides/json
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { badField, StrictFields } from './strict-fields.ts';
import type { Body } from './strict-fields.ts';

/** What stands below is the caller's own. */
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

/** One object, its names as JSON has them. @throws {AppError} `invalid_request` for a name that is there in both spellings */
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

/** The same at any depth. */
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

/** The objects of a list; an object that stands for a list of one is it. @throws {AppError} `invalid_request` */
export function objectsOf(fields: StrictFields, field: string): StrictFields[] {
  const value = fields.raw(field);
  return isObject(value) ? [new StrictFields(value, fields.path(field))] : fields.objects(field);
}

/** A member, whichever way it is spelled. Read loosely. */
export function looseMember(object: Body, name: string): unknown {
  return object[name] ?? object[snakeCased(name)];
}
