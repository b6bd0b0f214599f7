// Stop sequences of Google's formats.
import { fieldRules } from '#shared/field-rules.ts';
import { badField, type StrictFields } from '#server/framing/strict-fields.ts';

/** @throws {AppError} `invalid_request` with the field at fault */
export function readStop(config: StrictFields, name: string): string[] | undefined {
  const texts = config.list(name) ?? [];
  if (!texts.every((text) => typeof text === 'string')) throw badField(config.path(name), fieldRules.text);
  return texts.length === 0 ? undefined : [...texts];
}
