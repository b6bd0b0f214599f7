// What one format can say and another cannot: left out and named to the caller, or refused.
import { AppError } from '#shared/errors.ts';
import type { LocalText } from '#shared/errors.ts';
import type { Loss, LossFields } from './loss.ts';

/** Where what runs at one provider cannot: at any other. */
export const otherProviders: LocalText = { zh: '其他提供商', en: 'other providers' };

/** A field that the upstream's format cannot carry and without which the response would be a wrong one. */
export function untranslatable(field: string, dialect: string | LocalText): AppError {
  return new AppError('untranslatable', { field, dialect }, { field });
}

/** Collects names as the caller knows them, each once, in order. */
export class DroppedFields {
  readonly #names = new Set<string>();
  readonly #fields: LossFields;

  constructor(fields: LossFields) {
    this.#fields = fields;
  }

  lose(loss: Loss): void {
    this.add(this.#fields[loss]?.field ?? loss);
  }

  add(name: string): void {
    this.#names.add(name);
  }

  get names(): readonly string[] {
    return [...this.#names];
  }
}
