// Fields that the upstream format does not support: dropped and reported to the caller, or rejected.
import { AppError, type LocalText } from '#shared/errors.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { type CarriedFields, type ExtraField, type RequestField, requestFields, type ClientFields } from './request-fields.ts';

/** Title for errors about state that only one provider has. */
export const otherProviders: LocalText = { zh: '其他提供商', en: 'other providers' };

export const thisChannel: LocalText = { zh: '此渠道', en: 'this channel' };

/** Returns the error for a field that the upstream cannot carry and without which the response would be wrong. */
export function untranslatable(field: string, dialect: string | LocalText): AppError {
  return new AppError('untranslatable', { field, dialect }, { field });
}

/** Adds fields to a body; several may be in one object. */
function addFields(body: Record<string, unknown>, fields: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(fields)) {
    const before = body[name];
    body[name] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
}

/** Collects the names of lost fields in the caller's format, each once, in order. */
export class Losses {
  readonly #names = new Set<string>();
  readonly #fields: ClientFields;

  /** @param fields request fields of the client's format, for their names */
  constructor(fields: ClientFields) {
    this.#fields = fields;
  }

  drop(field: RequestField): void {
    this.#names.add(this.#fields[field]?.name ?? field);
  }

  dropNamed(name: string): void {
    this.#names.add(name);
  }

  /**
   * Returns the body fields of extras that the upstream format carries; others are dropped.
   * @param title title of the upstream format
   * @throws {AppError} `untranslatable` for a field that must not be dropped
   */
  carry(extras: readonly ExtraField[], carried: CarriedFields, title: string): Record<string, unknown> {
    const body: Record<string, unknown> = {};
    for (const { field, name, value } of extras) {
      const write = field === null ? undefined : carried[field];
      if (typeof write === 'function') addFields(body, write(value));
      else if (field !== null && requestFields[field].isEssential) throw untranslatable(name, title);
      else if (field === null || this.#fields[field]?.isDoneHere !== true) this.#names.add(name);
    }
    return body;
  }

  get names(): readonly string[] {
    return [...this.#names];
  }
}
