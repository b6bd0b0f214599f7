// Maps fields of Google's other formats to Gemini's. https://ai.google.dev/api/generate-content
import { isObject } from '#server/framing/loose-json.ts';

/** Writes modalities in upper case. */
export function writeModalities(value: unknown): { generationConfig: object } {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return { generationConfig: { responseModalities: list.map(inCapitals) } };
}

/** Writes safety settings: Interactions abbreviate the categories. */
export function writeSafety(value: unknown): { safetySettings: unknown } {
  if (!Array.isArray(value)) return { safetySettings: value };
  return { safetySettings: value.map((setting: unknown) => (isObject(setting) ? written(setting) : setting)) };
}

function written({ type, ...setting }: Readonly<Record<string, unknown>>): object {
  const inOtherForm = Object.fromEntries(Object.entries(setting).map(([name, value]) => [name, inCapitals(value)]));
  return { ...(typeof type === 'string' ? { category: `HARM_CATEGORY_${type.toUpperCase()}` } : {}), ...inOtherForm };
}

function inCapitals(value: unknown): unknown {
  return typeof value === 'string' ? value.toUpperCase() : value;
}
