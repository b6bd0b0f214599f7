// Operations of PATCH as Entra ID, Okta and others send them (RFC 7644, 3.5.2): names of operations in any case, texts for booleans, paths with URNs, and
// values without a path whose names are paths.
import { withoutUrn } from './read-filter.ts';
import { refuse } from './scim-error.ts';

export interface PatchStep {
  op: 'add' | 'replace' | 'remove';
  /** In lower case, without the URN of the core schemas: `active`, `name.givenname`, `members`. */
  path: string;
  /** Values that `members[value eq "…"]` selects. */
  selected: readonly string[] | undefined;
  value: unknown;
}

/** Also of the attributes of values without a path, each of which is a write. */
const mostOperations = 1000;
const isOp = (op: unknown): op is PatchStep['op'] => op === 'add' || op === 'replace' || op === 'remove';

/** @throws {ScimError} `invalidSyntax`, `invalidPath`, `noTarget` */
export function readPatch(body: Readonly<Record<string, unknown>>): PatchStep[] {
  const operations = memberOf(body, 'operations');
  if (!Array.isArray(operations) || operations.length === 0) return refuse(400, 'Operations must be a list', 'invalidSyntax');
  if (operations.length > mostOperations) return refuse(413, `At most ${mostOperations} operations are accepted`);
  const steps = operations.flatMap((operation: unknown): PatchStep[] => {
    if (!isObject(operation)) return refuse(400, 'An operation must be an object', 'invalidSyntax');
    const op: unknown = String(memberOf(operation, 'op')).toLowerCase();
    if (!isOp(op)) return refuse(400, 'op must be add, replace or remove', 'invalidSyntax');
    const path = memberOf(operation, 'path');
    const value = memberOf(operation, 'value');
    if (typeof path === 'string' && path.trim() !== '') return [stepOf(op, path, value)];
    if (op === 'remove') return refuse(400, 'remove requires a path', 'noTarget');
    if (!isObject(value)) return refuse(400, 'Without a path, value must be an object', 'invalidValue');
    return Object.entries(value).map(([name, part]) => stepOf(op, name, part));
  });
  return steps.length > mostOperations ? refuse(413, `At most ${mostOperations} operations are accepted`) : steps;
}

/** Member of an object by its name in any case: names of attributes are case-insensitive (RFC 7643, 2.1). */
export function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  const key = Object.keys(object).find((one) => one.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : object[key];
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A boolean, also as a text: Entra ID sends `"False"`. @throws {ScimError} `invalidValue` */
export function booleanIn(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (text === 'true' || text === 'false') return text === 'true';
  return refuse(400, `${name} must be a boolean`, 'invalidValue');
}

/** @throws {ScimError} `invalidValue` */
export function textIn(name: string, value: unknown, longest = 254): string {
  const text = typeof value === 'string' ? value.normalize('NFC').trim() : '';
  const isUsable = text !== '' && Array.from(text).length <= longest && !/\p{Cc}/u.test(text) && text.isWellFormed();
  return isUsable ? text : refuse(400, `${name} must be a text of 1 to ${longest} characters`, 'invalidValue');
}

function stepOf(op: PatchStep['op'], given: string, value: unknown): PatchStep {
  const path = withoutUrn(given.trim());
  const [, name = '', filter, sub = ''] = /^([\w$:.-]+)(?:\[([^\]]*)\])?(\.[\w$-]+)?$/.exec(path) ?? [];
  if (name === '') return refuse(400, `The path ${given.slice(0, 100)} is not understood`, 'invalidPath');
  const values = [...(filter ?? '').matchAll(/\bvalue\s+eq\s+"([^"]*)"/gi)].map(([, one = '']) => one);
  return { op, path: `${name}${sub}`.toLowerCase(), selected: filter === undefined ? undefined : values, value };
}
