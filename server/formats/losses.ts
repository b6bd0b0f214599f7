// What one format can say and another cannot: left out and named to the caller, or refused.
import { AppError } from '#shared/errors.ts';
import type { LocalText } from '#shared/errors.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { requestFields } from './request-fields.ts';
import type { CarriedFields, ExtraField, RequestField, SaidFields } from './request-fields.ts';

/** Where what runs at one provider cannot: at any other. */
export const otherProviders: LocalText = { zh: '其他提供商', en: 'other providers' };

/** Where another one may have it. */
export const thisChannel: LocalText = { zh: '此渠道', en: 'this channel' };

/** A field that the upstream's format cannot carry and without which the response would be a wrong one. */
export function untranslatable(field: string, dialect: string | LocalText): AppError {
  return new AppError('untranslatable', { field, dialect }, { field });
}

/** Several fields may stand in one object of the body. */
function addFields(body: Record<string, unknown>, fields: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(fields)) {
    const before = body[name];
    body[name] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
}

/** Collects names as the caller knows them, each once, in order. */
export class Losses {
  readonly #names = new Set<string>();
  readonly #said: SaidFields;

  /** @param said how the client's format says things */
  constructor(said: SaidFields) {
    this.#said = said;
  }

  drop(field: RequestField): void {
    this.#names.add(this.#said[field]?.name ?? field);
  }

  dropNamed(name: string): void {
    this.#names.add(name);
  }

  /**
   * Fields of a body that carry what has no place in the parts; what is not carried is dropped.
   * @param title the upstream's format, as people call it
   * @throws {AppError} `untranslatable` for what must not be dropped
   */
  carry(extras: readonly ExtraField[], carried: CarriedFields, title: string): Record<string, unknown> {
    const body: Record<string, unknown> = {};
    for (const { field, name, value } of extras) {
      const write = field === null ? undefined : carried[field];
      if (typeof write === 'function') addFields(body, write(value));
      else if (field !== null && requestFields[field].isEssential) throw untranslatable(name, title);
      else if (field === null || this.#said[field]?.isDoneHere !== true) this.#names.add(name);
    }
    return body;
  }

  get names(): readonly string[] {
    return [...this.#names];
  }
}
