// Converts JSON Schemas to what newer models support. They ignore unknown keywords.
// https://ai.google.dev/gemini-api/docs/structured-output#json_schema_support
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';
import { MergedSchema, type Schema } from '../schema-parts.ts';

const refs = /^#\/definitions\//;

/** Keywords with caller-chosen names and schemas as values. */
const maps: ReadonlySet<string> = new Set(['properties', '$defs', 'patternProperties']);
const lists: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const single: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not']);

export function toJsonSchema({ $schema: _version, ...schema }: Schema): JsonObject {
  return rewritten(schema);
}

function rewritten(schema: Schema): JsonObject {
  const merged = new MergedSchema();
  merge(merged, schema);
  return merged.finish();
}

/** Merges a schema and the members of its `allOf`. */
function merge(merged: MergedSchema, schema: Schema): void {
  const { definitions, $ref: ref, const: only, nullable, allOf, ...rest } = schema;
  const hasType = merged.has('type');
  if (only !== undefined) merged.add('enum', [only]);
  for (const [word, value] of Object.entries(rest)) {
    if (word === 'properties' && isObject(value)) addProperties(merged, value);
    else if (word === 'required' && Array.isArray(value)) addRequired(merged, value);
    else if (!merged.has(word)) merged.add(word, rewrittenWord(word, value));
  }
  if (isObject(definitions)) addDefinitions(merged, definitions);
  for (const part of Array.isArray(allOf) ? allOf : []) if (isObject(part)) merge(merged, part);
  const { type } = merged.words;
  if (nullable === true && !hasType && typeof type === 'string') merged.words.type = [type, 'null'];
  if (typeof ref === 'string') addReference(merged, ref.replace(refs, '#/$defs/'));
}

function addProperties(merged: MergedSchema, properties: Schema): void {
  merged.add('properties', {});
  for (const [name, property] of Object.entries(properties)) merged.setProperty(name, ofSchema(property));
}

function addRequired(merged: MergedSchema, names: readonly unknown[]): void {
  merged.add('required', []);
  merged.addRequired(names);
}

/** Moves `definitions` to `$defs`, their name since JSON Schema 2019-09. */
function addDefinitions(merged: MergedSchema, definitions: Schema): void {
  const { $defs } = merged.words;
  // The object is converted already, so it is not the caller's and may be changed.
  const known: JsonObject = isObject($defs) ? $defs : {};
  merged.words.$defs = known;
  for (const [name, schema] of Object.entries(definitions)) if (!Object.hasOwn(known, name)) known[name] = ofSchema(schema);
}

function rewrittenWord(word: string, value: unknown): unknown {
  if (word === 'type') return lowerCase(value);
  if (maps.has(word) && isObject(value)) return eachOf(value);
  if (lists.has(word) && Array.isArray(value)) return value.map(ofSchema);
  // A list is a tuple in the syntax before JSON Schema 2020-12.
  if (single.has(word)) return Array.isArray(value) ? { anyOf: value.map(ofSchema) } : ofSchema(value);
  return value;
}

function eachOf(schemas: Schema): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, ofSchema(schema)]));
}

function ofSchema(schema: unknown): unknown {
  return isObject(schema) ? rewritten(schema) : schema;
}

/** Writes types in lower case: some callers send `STRING`. */
function lowerCase(type: unknown): unknown {
  if (Array.isArray(type)) return type.map(lowerCase);
  return typeof type === 'string' ? type.toLowerCase() : type;
}

/** Adds a reference: in `anyOf` if there are other keywords, which may not stand next to `$ref`. */
function addReference(merged: MergedSchema, ref: string): void {
  const isTaken = merged.has('$ref') || merged.has('anyOf');
  if (!isTaken && Object.keys(merged.words).every((word) => word.startsWith('$'))) merged.words.$ref = ref;
  else merged.add('anyOf', [{ $ref: ref }]);
}
