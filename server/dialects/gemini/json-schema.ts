// JSON Schemas of callers in the words of JSON Schema that the newer models take. Words that they do not know they ignore.
// https://ai.google.dev/gemini-api/docs/structured-output#json_schema_support
import { isObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';

type Schema = Readonly<JsonObject>;

const refs = /^#\/definitions\//;

/** Words below which names are the caller's own and values are schemas. */
const maps: ReadonlySet<string> = new Set(['properties', '$defs', 'patternProperties']);
const lists: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const single: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not']);

export function toJsonSchema({ $schema: _version, ...schema }: Schema): JsonObject {
  return rewritten(schema);
}

function rewritten(schema: Schema): JsonObject {
  const { definitions, $ref: ref, const: only, nullable, allOf, ...rest } = schema;
  const result: JsonObject = {};
  for (const [word, value] of Object.entries(rest)) result[word] = rewrittenWord(word, value);
  if (isObject(definitions)) result.$defs = { ...(isObject(result.$defs) ? result.$defs : {}), ...eachOf(definitions) };
  if (Array.isArray(allOf)) addAll(result, allOf.filter(isObject).map(rewritten));
  if (only !== undefined) result.enum = [only];
  if (nullable === true && typeof result.type === 'string') result.type = [result.type, 'null'];
  if (typeof ref === 'string') addReference(result, ref.replace(refs, '#/$defs/'));
  return result;
}

function rewrittenWord(word: string, value: unknown): unknown {
  if (word === 'type') return lowerCase(value);
  if (maps.has(word) && isObject(value)) return eachOf(value);
  if (lists.has(word) && Array.isArray(value)) return value.map(ofSchema);
  // Tuples, as they were written before 2020.
  if (single.has(word)) return Array.isArray(value) ? { anyOf: value.map(ofSchema) } : ofSchema(value);
  return value;
}

function eachOf(schemas: Schema): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, ofSchema(schema)]));
}

function ofSchema(schema: unknown): unknown {
  return isObject(schema) ? rewritten(schema) : schema;
}

/** Some vendors write `STRING`. */
function lowerCase(type: unknown): unknown {
  if (Array.isArray(type)) return type.map(lowerCase);
  return typeof type === 'string' ? type.toLowerCase() : type;
}

/** All of them at once, as far as they are objects; a single one is itself. */
function addAll(result: JsonObject, schemas: readonly JsonObject[]): void {
  for (const schema of schemas) {
    if (typeof schema.$ref === 'string') {
      addReference(result, schema.$ref);
      continue;
    }
    const properties = {
      ...(isObject(result.properties) ? result.properties : {}),
      ...(isObject(schema.properties) ? schema.properties : {}),
    };
    const required = [...namesIn(result.required), ...namesIn(schema.required)];
    Object.assign(result, { ...schema, ...result });
    if (Object.keys(properties).length > 0) result.properties = properties;
    if (required.length > 0) result.required = [...new Set(required)];
  }
}

function namesIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Beside a reference nothing else may stand. */
function addReference(result: JsonObject, ref: string): void {
  const isAlone = Object.keys(result).every((word) => word.startsWith('$'));
  if (isAlone && result.$ref === undefined) result.$ref = ref;
  else if (result.anyOf === undefined) result.anyOf = [{ $ref: ref }];
}
