import { fieldRules, invalidField } from '#shared/field-rules.ts';

/** A name on one line, as it is stored. @throws {AppError} `invalid_field` */
export function tidyText(field: string, given: string): string {
  const text = given.normalize('NFC').trim();
  if (text === '') throw invalidField(field, fieldRules.required);
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) throw invalidField(field, fieldRules.characters);
  return text;
}
