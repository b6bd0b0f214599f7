// Converts callers' schemas (OpenAPI 3.0 with upper-case types, JSON Schema, or a mix) to JSON Schema.
// https://ai.google.dev/api/caching#Schema
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';
import { camelCased } from '../proto-json.ts';

type Schema = Readonly<JsonObject>;

/** Keywords with caller-chosen names and schemas as values. */
const maps: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties']);
const lists: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const single: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not']);
/** Keywords with 64-bit numbers, which Google's JSON writes as strings. */
const counts: ReadonlySet<string> = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties']);

export function readSchema(written: Schema): JsonObject {
  const schema: JsonObject = {};
  let isNullable = false;
  let order: unknown;
  for (const [name, value] of Object.entries(written)) {
    const word = camelCased(name);
    if (word === 'type') addType(schema, value);
    else if (word === 'nullable') isNullable = value === true;
    else if (word === 'propertyOrdering') order = value;
    else if (word === 'example') schema.examples = [value];
    // Format `enum` is redundant next to the list of values.
    else if (word !== 'format' || value !== 'enum') schema[word] = readWord(word, value);
  }
  if (Array.isArray(order) && isObject(schema.properties)) schema.properties = ordered(schema.properties, order);
  return isNullable ? nullable(schema) : schema;
}

function readWord(word: string, value: unknown): unknown {
  if (maps.has(word) && isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, ofSchema(one)]));
  if (lists.has(word) && Array.isArray(value)) return value.map(ofSchema);
  if (single.has(word)) return Array.isArray(value) ? value.map(ofSchema) : ofSchema(value);
  if (counts.has(word) && typeof value === 'string' && /^\d{1,16}$/.test(value)) return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
  return value;
}

function ofSchema(schema: unknown): unknown {
  return isObject(schema) ? readSchema(schema) : schema;
}

function addType(schema: JsonObject, value: unknown): void {
  if (Array.isArray(value)) schema.type = value.map((type: unknown) => (typeof type === 'string' ? type.toLowerCase() : type));
  else if (typeof value !== 'string') schema.type = value;
  else if (value !== 'TYPE_UNSPECIFIED') schema.type = value.toLowerCase();
}

function nullable(schema: JsonObject): JsonObject {
  const result: JsonObject = { ...schema };
  if (typeof schema.type === 'string') result.type = [schema.type, 'null'];
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) result.enum = [...schema.enum, null];
  if (Array.isArray(schema.anyOf) && schema.type === undefined) result.anyOf = [...schema.anyOf, { type: 'null' }];
  return result;
}

/** Sorts properties by `propertyOrdering`: other vendors generate them in the schema's order. */
function ordered(properties: JsonObject, order: readonly unknown[]): JsonObject {
  const names = order.filter((name) => typeof name === 'string').filter((name) => Object.hasOwn(properties, name));
  return { ...Object.fromEntries(names.map((name) => [name, properties[name]])), ...properties };
}
