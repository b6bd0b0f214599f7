// Limits metadata that callers attach to requests, as pairs of name and text. It is free of charge and repeated in responses,
// so the vendors' limits apply.
import { fieldRules } from '#shared/field-rules.ts';
import { badField, type Body, type FieldCheck, type StrictFields } from '#server/framing/strict-fields.ts';

export interface MetadataBounds {
  pairs: number;
  /** Maximum characters of a name and of a value. */
  name: number;
  value: number;
}

/** https://platform.openai.com/docs/api-reference/responses/create */
export const openaiMetadata: MetadataBounds = { pairs: 16, name: 64, value: 512 };
/** Metadata of Codex, which is also in a header of limited length. */
export const clientMetadata: MetadataBounds = { pairs: 32, name: 64, value: 16_384 };

/** Maximum characters of id fields. */
export type IdBounds = Readonly<Record<string, number>>;

/** Sources: the API reference, the `openai` package's types, and the API's errors. `user` had no limit until it was deprecated. */
export const openaiIds: IdBounds = { user: 512, safety_identifier: 128, prompt_cache_key: 64 };
/** Limits of chat completions, whose other vendors accept longer keys. https://inference-docs.cerebras.ai/capabilities/prompt-caching */
export const chatIds: IdBounds = { ...openaiIds, prompt_cache_key: 1024 };

/** @throws {AppError} `invalid_request` with the field at fault */
export function checkIds(fields: StrictFields, bounds: IdBounds): void {
  for (const [field, most] of Object.entries(bounds)) {
    const id = fields.text(field);
    if (id !== undefined && isLonger(id, most)) throw badField(fields.path(field), fieldRules.longest(most));
  }
}

/** Returns a check for each field. */
export function idChecks(bounds: IdBounds): (readonly [field: string, check: FieldCheck])[] {
  return Object.entries(bounds).map(([field, most]) => [field, (fields) => checkIds(fields, { [field]: most })]);
}

/** https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/add-labels-to-api-calls */
export const googleLabels: MetadataBounds = { pairs: 64, name: 63, value: 63 };

/**
 * Reads the pairs; undefined if there are none.
 * @throws {AppError} `invalid_request` with the field at fault
 */
export function readMetadata(fields: StrictFields, field: string, bounds: MetadataBounds): Body | undefined {
  return checked(fields, field, bounds, (value, path) => {
    if (typeof value !== 'string') throw badField(path, fieldRules.text);
    return value;
  });
}

/**
 * Checks metadata of a format whose providers accept values other than texts; those count by their JSON length.
 * @throws {AppError} as `readMetadata`
 */
export function checkLooseMetadata(fields: StrictFields, field: string, bounds: MetadataBounds): void {
  checked(fields, field, bounds, (value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

function checked(
  fields: StrictFields,
  field: string,
  bounds: MetadataBounds,
  textOf: (value: unknown, path: string) => string,
): Body | undefined {
  const metadata = fields.object(field);
  if (metadata === undefined) return undefined;
  const pairs = Object.entries(metadata);
  if (pairs.length > bounds.pairs) throw badField(fields.path(field), fieldRules.most(bounds.pairs));
  for (const [name, value] of pairs) {
    if (isLonger(name, bounds.name)) throw badField(`${fields.path(field)}.${name.slice(0, bounds.name)}`, longName(bounds.name));
    const path = `${fields.path(field)}.${name}`;
    if (isLonger(textOf(value, path), bounds.value)) throw badField(path, fieldRules.longest(bounds.value));
  }
  return metadata;
}

function longName(most: number) {
  return { zh: `的名称最多 ${most} 个字符`, en: `has a name of more than ${most} characters` };
}

/** Reports whether a text has more code points than allowed: vendors count code points, not UTF-16 units. */
function isLonger(text: string, most: number): boolean {
  if (text.length <= most || text.length > most * 2) return text.length > most;
  return [...text].length > most;
}
