// Upstream responses are read loosely: whatever is not as expected counts as absent.
import { isTooDeep } from './json-depth.ts';

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that the text holds; null for anything else: broken JSON, or JSON that is nested too deep. */
export function parseObject(text: string): JsonObject | null {
  if (isTooDeep(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
