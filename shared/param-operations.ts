// `operations` of a channel's parameter override: edits of the provider's request by path, each under conditions. Paths have points between names;
// numbers are positions in a list (negative ones from its end), `*` is each member. What an edit does not find stays as it is.
import { z } from 'zod/mini';

const comparisons = ['full', 'prefix', 'suffix', 'contains', 'gt', 'gte', 'lt', 'lte'] as const;

const mostOperations = 100;
const Path = z.string().check(z.minLength(1), z.maxLength(500));

const Condition = z.object({
  path: Path,
  mode: z.enum(comparisons),
  value: z.unknown(),
  /** Whether the comparison must fail. */
  invert: z.optional(z.boolean()),
  /** Whether the condition holds if there is no value. */
  pass_missing_key: z.optional(z.boolean()),
});
type Condition = z.infer<typeof Condition>;

const conditions = {
  conditions: z.optional(z.array(Condition).check(z.maxLength(50))),
  /** Whether all conditions or, by default, one of them must hold. */
  logic: z.optional(z.enum(['AND', 'OR', 'and', 'or'])),
};
const keep = { keep_origin: z.optional(z.boolean()) };
const moving = { from: Path, to: Path, ...conditions };
const joining = { path: Path, value: z.unknown(), ...keep, ...conditions };
const affix = { path: Path, value: z.string(), ...conditions };
const plain = { path: Path, ...conditions };

export const ParamOperation = z.discriminatedUnion('mode', [
  z.object({ mode: z.literal('set'), ...joining }),
  z.object({ mode: z.literal('delete'), ...plain }),
  z.object({ mode: z.literal('move'), ...moving }),
  z.object({ mode: z.literal('copy'), ...moving }),
  z.object({ mode: z.literal('append'), ...joining }),
  z.object({ mode: z.literal('prepend'), ...joining }),
  z.object({ mode: z.literal('trim_prefix'), ...affix }),
  z.object({ mode: z.literal('trim_suffix'), ...affix }),
  z.object({ mode: z.literal('ensure_prefix'), ...affix }),
  z.object({ mode: z.literal('ensure_suffix'), ...affix }),
  z.object({ mode: z.literal('trim_space'), ...plain }),
  z.object({ mode: z.literal('to_lower'), ...plain }),
  z.object({ mode: z.literal('to_upper'), ...plain }),
  z.object({ mode: z.literal('replace'), path: Path, from: z.string().check(z.minLength(1)), to: z.optional(z.string()), ...conditions }),
]);
export type ParamOperation = z.infer<typeof ParamOperation>;

export const ParamOperations = z.array(ParamOperation).check(z.maxLength(mostOperations));

type Container = Readonly<Record<string, unknown>> | readonly unknown[];
type Body = Readonly<Record<string, unknown>>;

/** Facts that conditions may name besides the request's fields. */
export interface OperationFacts {
  /** Model of the caller's request, and of the provider's. */
  original_model: string;
  upstream_model: string;
}

/** Returns the edited request; the given one stays as it is. */
export function applyOperations(body: Body, operations: readonly ParamOperation[], facts: OperationFacts): Record<string, unknown> {
  let edited: Body = body;
  for (const operation of operations) {
    if (!holds(operation, edited, facts)) continue;
    const result = applyOne(edited, operation);
    if (isContainer(result) && !Array.isArray(result)) edited = { ...result };
  }
  return { ...edited };
}

function applyOne(body: Body, operation: ParamOperation): unknown {
  if (operation.mode === 'move' || operation.mode === 'copy') {
    const [from, to] = [namesOf(operation.from), namesOf(operation.to)];
    const value = valueAt(body, from);
    if (value === undefined) return body;
    return change(operation.mode === 'move' ? change(body, from, () => undefined) : body, to, () => value);
  }
  const path = namesOf(operation.path);
  if (operation.mode === 'delete') return change(body, path, (value) => (value === undefined ? missing : undefined));
  if (operation.mode === 'set') {
    return change(body, path, (value) => (operation.keep_origin === true && value !== undefined ? value : operation.value));
  }
  if (operation.mode === 'append' || operation.mode === 'prepend') {
    return change(body, path, (value) => joined(value, operation) ?? (value === undefined ? missing : value));
  }
  return change(body, path, (value) => (typeof value === 'string' ? editedText(value, operation) : value === undefined ? missing : value));
}

/** Adds to a list, a text or an object; undefined for any other value. */
function joined(
  value: unknown,
  { mode, value: added, keep_origin: keeps }: Extract<ParamOperation, { mode: 'append' | 'prepend' }>,
): unknown {
  const isFirst = mode === 'prepend';
  if (Array.isArray(value)) {
    const items: unknown[] = Array.isArray(added) ? added : [added];
    return isFirst ? [...items, ...value] : [...value, ...items];
  }
  if (typeof value === 'string') return isFirst ? `${textOf(added)}${value}` : `${value}${textOf(added)}`;
  if (!isContainer(value) || !isContainer(added)) return undefined;
  return keeps === true ? { ...added, ...value } : { ...value, ...added };
}

function editedText(
  text: string,
  operation: Exclude<ParamOperation, { mode: 'set' | 'delete' | 'move' | 'copy' | 'append' | 'prepend' }>,
): string {
  switch (operation.mode) {
    case 'trim_space':
      return text.trim();
    case 'to_lower':
      return text.toLowerCase();
    case 'to_upper':
      return text.toUpperCase();
    case 'replace':
      return text.replaceAll(operation.from, () => operation.to ?? '');
    case 'trim_prefix':
      return text.startsWith(operation.value) ? text.slice(operation.value.length) : text;
    case 'trim_suffix':
      return text.endsWith(operation.value) ? text.slice(0, text.length - operation.value.length) : text;
    case 'ensure_prefix':
      return text.startsWith(operation.value) ? text : `${operation.value}${text}`;
    case 'ensure_suffix':
      return text.endsWith(operation.value) ? text : `${text}${operation.value}`;
  }
}

function holds({ conditions: listed = [], logic }: ParamOperation, body: Body, facts: OperationFacts): boolean {
  if (listed.length === 0) return true;
  const isTrue = (condition: Condition): boolean => {
    const value = valueAt(body, namesOf(condition.path)) ?? factOf(facts, condition.path);
    if (value === undefined) return condition.pass_missing_key === true;
    return compared(value, condition) !== (condition.invert === true);
  };
  return logic?.toUpperCase() === 'AND' ? listed.every(isTrue) : listed.some(isTrue);
}

function factOf(facts: OperationFacts, name: string): string | undefined {
  if (name === 'original_model') return facts.original_model;
  return name === 'upstream_model' || name === 'model' ? facts.upstream_model : undefined;
}

function compared(value: unknown, { mode, value: wanted }: Condition): boolean {
  if (mode === 'full') return JSON.stringify(value) === JSON.stringify(wanted);
  if (mode === 'prefix') return textOf(value).startsWith(textOf(wanted));
  if (mode === 'suffix') return textOf(value).endsWith(textOf(wanted));
  if (mode === 'contains') return textOf(value).includes(textOf(wanted));
  if (typeof value !== 'number' || typeof wanted !== 'number') return false;
  return mode === 'gt' ? value > wanted : mode === 'gte' ? value >= wanted : mode === 'lt' ? value < wanted : value <= wanted;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** A point within a name is written `\.`. */
function namesOf(path: string): string[] {
  return path.split(/(?<!\\)\./).map((name) => name.replaceAll('\\.', '.'));
}

/** Result of a change that must create nothing. */
const missing = Symbol('missing');

/**
 * Returns the value with the one at the path changed. Undefined removes it, `missing` leaves it absent. Objects on the way are created; positions
 * beyond a list are not.
 */
function change(at: unknown, [name, ...rest]: readonly string[], edit: (value: unknown) => unknown): unknown {
  if (name === undefined) return edit(at);
  if (name === '*') return eachChanged(at, rest, edit);
  if (Array.isArray(at)) {
    const index = positionIn(at, name);
    if (index === undefined) return at;
    const value = change(at[index], rest, edit);
    return value === missing ? at : value === undefined ? at.toSpliced(index, 1) : at.with(index, value);
  }
  if (at !== undefined && !isContainer(at)) return at;
  const own = at === undefined ? {} : at;
  const value = change(Object.hasOwn(own, name) ? memberOf(own, name) : undefined, rest, edit);
  if (value === missing) return at ?? missing;
  if (value !== undefined) return { ...own, [name]: value };
  return at === undefined ? missing : Object.fromEntries(Object.entries(own).filter(([other]) => other !== name));
}

function eachChanged(at: unknown, rest: readonly string[], edit: (value: unknown) => unknown): unknown {
  const isThere = (value: unknown) => value !== undefined;
  const changed = (value: unknown): unknown => {
    const result = change(value, rest, edit);
    return result === missing ? value : result;
  };
  if (Array.isArray(at)) return at.map(changed).filter(isThere);
  if (!isContainer(at)) return at ?? missing;
  return Object.fromEntries(
    Object.entries(at)
      .map(([name, value]): [string, unknown] => [name, changed(value)])
      .filter(([, value]) => isThere(value)),
  );
}

function valueAt(body: unknown, names: readonly string[]): unknown {
  let value = body;
  for (const name of names) {
    if (Array.isArray(value)) {
      const index = positionIn(value, name);
      value = index === undefined ? undefined : value[index];
    } else value = isContainer(value) && Object.hasOwn(value, name) ? memberOf(value, name) : undefined;
  }
  return value;
}

/** `-1` is the last position; undefined for one that is not in the list. */
function positionIn(list: readonly unknown[], name: string): number | undefined {
  if (!/^-?\d{1,9}$/.test(name)) return undefined;
  const index = Number(name) < 0 ? list.length + Number(name) : Number(name);
  return index >= 0 && index < list.length ? index : undefined;
}

function memberOf(container: Container, name: string): unknown {
  return Object.getOwnPropertyDescriptor(container, name)?.value;
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}
