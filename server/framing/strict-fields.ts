// Reads fields of a caller's body strictly: wrong types are rejected with the field's name.
import { AppError, type LocalText } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';

export type Body = Readonly<Record<string, unknown>>;

/** Error of a field or a query parameter. @param field name on the wire @returns 400 with the field at fault */
export function badField(field: string, rule: LocalText): AppError {
  return new AppError('invalid_request', { detail: { zh: `${field} ${rule.zh}`, en: `${field} ${rule.en}` } }, { field });
}

/** Readers of one object's fields; `null` counts as absent. @throws {AppError} `invalid_request` from each */
export class StrictFields {
  readonly #body: Body;
  readonly #path: string;

  /** @param path of the object in the body, empty for the body itself */
  constructor(body: Body, path = '') {
    this.#body = body;
    this.#path = path;
  }

  /** The unread object. */
  get plain(): Body {
    return this.#body;
  }

  path(field: string): string {
    return this.#path === '' ? field : `${this.#path}.${field}`;
  }

  has(field: string): boolean {
    return this.#value(field) !== undefined;
  }

  raw(field: string): unknown {
    return this.#value(field);
  }

  text(field: string): string | undefined {
    const value = this.#value(field);
    if (value !== undefined && typeof value !== 'string') throw badField(this.path(field), fieldRules.text);
    return value;
  }

  requiredText(field: string): string {
    const value = this.text(field);
    if (value === undefined) throw badField(this.path(field), fieldRules.required);
    return value;
  }

  number(field: string): number | undefined {
    const value = this.#value(field);
    if (value !== undefined && (typeof value !== 'number' || !Number.isFinite(value))) throw badField(this.path(field), fieldRules.number);
    return value;
  }

  integer(field: string, minimum: number, maximum: number): number | undefined {
    const value = this.#value(field);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum) return value;
    throw badField(this.path(field), fieldRules.wholeBetween(minimum, maximum));
  }

  boolean(field: string): boolean | undefined {
    const value = this.#value(field);
    if (value !== undefined && typeof value !== 'boolean') throw badField(this.path(field), fieldRules.boolean);
    return value;
  }

  list(field: string): readonly unknown[] | undefined {
    const value = this.#value(field);
    if (value !== undefined && !Array.isArray(value)) throw badField(this.path(field), fieldRules.list);
    return value;
  }

  object(field: string): Body | undefined {
    const value = this.#value(field);
    if (value !== undefined && !isObject(value)) throw badField(this.path(field), fieldRules.object);
    return value;
  }

  fields(field: string): StrictFields | undefined {
    const value = this.object(field);
    return value === undefined ? undefined : new StrictFields(value, this.path(field));
  }

  /** Returns the objects of a list; an absent list is empty. */
  objects(field: string): StrictFields[] {
    return (this.list(field) ?? []).map((value, index) => {
      const path = `${this.path(field)}.${index}`;
      if (!isObject(value)) throw badField(path, fieldRules.object);
      return new StrictFields(value, path);
    });
  }

  oneOf<Value extends string>(field: string, values: readonly Value[]): Value | undefined {
    const value = this.text(field);
    if (value === undefined) return undefined;
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw badField(this.path(field), fieldRules.oneOf(values));
    return found;
  }

  /** Returns the names of fields not in `known`. */
  others(known: ReadonlySet<string>): string[] {
    return Object.keys(this.#body).filter((field) => !known.has(field) && this.#value(field) !== undefined);
  }

  #value(field: string): unknown {
    const value = Object.hasOwn(this.#body, field) ? this.#body[field] : undefined;
    return value === null ? undefined : value;
  }
}

export type FieldCheck = (fields: StrictFields, field: string) => unknown;

/** Checks the optional fields that a body has: most have few of them. @throws {AppError} as the checks */
export function checkPresent(body: Body, checks: ReadonlyMap<string, FieldCheck>): void {
  let fields: StrictFields | undefined;
  for (const field in body) {
    const check = checks.get(field);
    if (check !== undefined) check((fields ??= new StrictFields(body)), field);
  }
}
