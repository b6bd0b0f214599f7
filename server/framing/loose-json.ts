// Upstream responses are read loosely: whatever is not as expected counts as absent.
import { isTooDeep } from './json-depth.ts';

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that the text holds; null for anything else: broken JSON, or JSON that is nested too deep. */
export function parseObject(text: string): JsonObject | null {
  return !mayBeObject(text) || isTooDeep(text) ? null : parseShallow(text);
}

/** The same of a text that is known not to be too deep. */
export function parseShallow(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Prose of megabytes is not searched for brackets. */
function mayBeObject(text: string): boolean {
  const first = text.charCodeAt(0);
  return first === 0x7b || (first <= 0x20 && /^\s*\{/.test(text));
}
