// Ids in the vendor's format. Missing item ids are derived from their response's, so that no lookup is needed.
import { createHash } from 'node:crypto';
import type { AppContext } from '#server/context.ts';

const idDigits = 48;
const itemDigits = 6;

/** `prefix_` and 48 hexadecimal digits. */
export function newId({ randomText }: Pick<AppContext, 'randomText'>, prefix: string): string {
  return `${prefix}_${createHash('sha256').update(randomText(32)).digest('hex').slice(0, idDigits)}`;
}

const prefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  tool_search_call: 'tsc',
  tool_search_output: 'tso',
  compaction: 'cmp',
};

/**
 * @param holderId id of the response or conversation
 * @param place index of the item
 */
export function itemId(type: unknown, holderId: string, place: number): string {
  const prefix = (typeof type === 'string' ? prefixes[type] : undefined) ?? 'item';
  return `${prefix}_${digitsOf(holderId).slice(0, idDigits - itemDigits)}${place.toString(16).padStart(itemDigits, '0')}`;
}

/** Returns the digits of the response id from which an item id was derived; null if its format is another one. */
export function holderOf(id: string): string | null {
  const digits = digitsOf(id);
  return /^[0-9a-f]{48}$/.test(digits) ? digits.slice(0, idDigits - itemDigits) : null;
}

function digitsOf(id: string): string {
  return id.slice(id.indexOf('_') + 1);
}
