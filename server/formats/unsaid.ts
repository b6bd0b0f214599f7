// What becomes of fields that a provider does not take: whether anybody misses them, and by which name.
import type { EncodeInput } from './encode-input.ts';
import { fieldsByName, isRequestField } from './request-fields.ts';
import type { SaidFields } from './request-fields.ts';

/** Fields of OpenAI's formats that say what is so anyway: nobody misses them. */
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
 * What the caller calls a field that is left out of a body; undefined: the caller said nothing by it.
 * @param said how the body's own format says things
 */
export function missedName(field: string, value: unknown, { client, clientBody }: EncodeInput, said: SaidFields): string | undefined {
  if (saysNothing(field, value)) return undefined;
  if (Object.hasOwn(clientBody, field)) return field;
  const meaning = fieldsByName(said).get(field)?.field ?? field;
  return isRequestField(meaning) ? client.saidFields[meaning]?.name : undefined;
}
