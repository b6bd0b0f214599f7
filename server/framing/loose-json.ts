// Tolerant reading of upstream responses: unexpected values count as absent.
import { isTooDeep } from './json-depth.ts';

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses an object; returns null for anything else, also for broken or too deeply nested JSON. */
export function parseObject(text: string): JsonObject | null {
  return !mayBeObject(text) || isTooDeep(text) ? null : parseShallow(text);
}

/** Same for a text known not to be too deep. */
export function parseShallow(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Avoids searching megabytes of prose for brackets. */
function mayBeObject(text: string): boolean {
  const first = text.charCodeAt(0);
  return first === 0x7b || (first <= 0x20 && /^\s*\{/.test(text));
}
