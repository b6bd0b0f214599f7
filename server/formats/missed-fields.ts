// Reports fields that a provider does not support, unless they equal the default.
import type { EncodeInput } from './encode-input.ts';
import { fieldsByName, isRequestField, type ClientFields } from './request-fields.ts';

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
 * @param fields fields of the body's format
 */
export function missedName(field: string, value: unknown, { client, clientBody }: EncodeInput, fields: ClientFields): string | undefined {
  if (saysNothing(field, value)) return undefined;
  if (Object.hasOwn(clientBody, field)) return field;
  const meaning = fieldsByName(fields).get(field)?.field ?? field;
  return isRequestField(meaning) ? client.clientFields[meaning]?.name : undefined;
}
