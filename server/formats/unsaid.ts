// Reports fields that a provider does not support, unless they equal the default.
import type { EncodeInput } from './encode-input.ts';
import { fieldsByName, isRequestField, type SaidFields } from './request-fields.ts';

/** Default values in OpenAI's formats. */
const defaults: ReadonlyMap<string, unknown> = new Map([
  ['temperature', 1],
  ['top_p', 1],
  ['presence_penalty', 0],
  ['frequency_penalty', 0],
]);

function saysNothing(field: string, value: unknown): boolean {
  return value === null || value === undefined || defaults.get(field) === value;
}

/**
 * Returns the caller's name of a dropped field; undefined if the field had no effect.
 * @param said fields of the body's format
 */
export function missedName(field: string, value: unknown, { client, clientBody }: EncodeInput, said: SaidFields): string | undefined {
  if (saysNothing(field, value)) return undefined;
  if (Object.hasOwn(clientBody, field)) return field;
  const meaning = fieldsByName(said).get(field)?.field ?? field;
  return isRequestField(meaning) ? client.saidFields[meaning]?.name : undefined;
}
