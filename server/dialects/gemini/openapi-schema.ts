// JSON Schemas of callers in the words of OpenAPI 3.0 that the models before 2.5 take; anything else is refused there.
// https://ai.google.dev/api/caching#Schema
import { isObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';

type Schema = Readonly<JsonObject>;

/** Words that mean the same there. */
const kept = ['description', 'minimum', 'maximum', 'pattern', 'propertyOrdering'] as const;
/** Counts, which are whole numbers of 64 bits there. */
const counts = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'] as const;

const formats: Readonly<Record<string, readonly string[]>> = {
  string: ['enum', 'date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
};

/** A schema that refers to itself is followed this far, */
const mostReferences = 4;
/** and one that does so in many places no further than to so many schemas. */
const mostSchemas = 2000;

export function toOpenApiSchema(schema: Schema): JsonObject {
  return converted(schema, { root: schema, references: 0, budget: { left: mostSchemas } });
}

interface Place {
  root: Schema;
  /** That were followed on the way here. */
  references: number;
  budget: { left: number };
}

function converted(written: Schema, at: Place): JsonObject {
  at.budget.left -= 1;
  if (at.budget.left < 0) return { type: 'object' };
  const { schema, place } = resolved(written, at);
  const variants = [...schemasIn(schema.anyOf), ...schemasIn(schema.oneOf)];
  const types = [schema.type]
    .flat()
    .filter((type) => typeof type === 'string')
    .map((type) => type.toLowerCase());
  const values = schema.const === undefined ? schema.enum : [schema.const];
  const isNullable =
    schema.nullable === true || types.includes('null') || variants.some(isNull) || (Array.isArray(values) && values.includes(null));
  const own = types.filter((type) => type !== 'null');

  let result: JsonObject = {};
  for (const word of kept) if (schema[word] !== undefined) result[word] = schema[word];
  for (const word of counts) if (Number.isSafeInteger(schema[word])) result[word] = schema[word];
  const others = variants.filter((variant) => !isNull(variant)).map((variant) => converted(variant, place));
  const [only] = others;
  if (own.length > 1) result.anyOf = own.map((type) => typed({ ...schema, description: undefined }, type, place));
  else if (others.length > 1) result.anyOf = others;
  else if (only !== undefined) result = { ...only, ...result };
  if (own.length <= 1) Object.assign(result, typed(schema, own[0] ?? typeOf(schema, values), place));
  if (Array.isArray(values)) addValues(result, values);
  if (isNullable) result.nullable = true;
  return result;
}

/** Without references, and with all that it shall be at once. */
function resolved(schema: Schema, place: Place): { schema: Schema; place: Place } {
  let merged = schema;
  let { references } = place;
  while (typeof merged.$ref === 'string' && references <= mostReferences) {
    const { $ref: ref, ...rest } = merged;
    references += 1;
    merged = { ...(references > mostReferences ? { type: 'object' } : target(place.root, ref)), ...rest };
  }
  for (const part of schemasIn(merged.allOf)) {
    place.budget.left -= 1;
    if (place.budget.left < 0) break;
    const { schema: one } = resolved(part, { ...place, references });
    const properties = { ...propertiesOf(one), ...propertiesOf(merged) };
    const required = [...new Set([...namesIn(merged.required), ...namesIn(one.required)])];
    merged = {
      ...one,
      ...merged,
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required } : {}),
    };
  }
  return { schema: merged, place: { ...place, references } };
}

/** What a reference within the same schema means. */
function target(root: Schema, ref: unknown): Schema {
  if (typeof ref !== 'string' || !ref.startsWith('#')) return {};
  let value: unknown = root;
  for (const part of ref.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return isObject(value) ? value : {};
}

/** What a schema of that type says of its members. */
function typed(schema: Schema, type: string | undefined, place: Place): JsonObject {
  if (type === undefined) return {};
  const result: JsonObject = { type };
  if (typeof schema.format === 'string' && formats[type]?.includes(schema.format) === true) result.format = schema.format;
  if (type === 'object') addProperties(result, schema, place);
  if (type === 'array') result.items = itemsOf(schema, place);
  return result;
}

function addProperties(result: JsonObject, schema: Schema, place: Place): void {
  const properties = Object.entries(propertiesOf(schema)).filter(([, property]) => property !== false);
  if (isObject(schema.properties)) {
    result.properties = Object.fromEntries(
      properties.map(([name, property]) => [name, isObject(property) ? converted(property, place) : { type: 'string' }]),
    );
  }
  // Names that are defined nowhere are refused.
  const required = namesIn(schema.required).filter((name) => properties.some(([known]) => known === name));
  if (required.length > 0) result.required = required;
  // There is no word for it.
  if (isObject(schema.additionalProperties)) {
    const text = `Further properties: ${JSON.stringify(schema.additionalProperties)}`;
    result.description = typeof schema.description === 'string' ? `${schema.description}\n${text}` : text;
  }
}

function itemsOf({ items, prefixItems }: Schema, place: Place): JsonObject {
  const tuple = [...schemasIn(prefixItems), ...schemasIn(items)].map((item) => converted(item, place));
  if (tuple.length > 1) return { anyOf: tuple };
  // An array has to say what of.
  return tuple[0] ?? (isObject(items) ? converted(items, place) : { type: 'string' });
}

/** Values are texts, whatever they are values of. */
function addValues(result: JsonObject, values: readonly unknown[]): void {
  if (result.type === 'boolean') return;
  result.enum = values.filter((value) => value !== null).map(textOf);
  if (result.type !== 'string') result.format = 'enum';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Where no type is said. */
function typeOf(schema: Schema, values: unknown): string | undefined {
  if (isObject(schema.properties)) return 'object';
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array';
  const [first] = Array.isArray(values) ? values.filter((value) => value !== null) : [];
  if (typeof first === 'number') return Number.isInteger(first) ? 'integer' : 'number';
  return typeof first === 'string' || typeof first === 'boolean' ? typeof first : undefined;
}

function isNull(schema: Schema): boolean {
  return schema.type === 'null';
}

function schemasIn(value: unknown): Schema[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function propertiesOf({ properties }: Schema): JsonObject {
  return isObject(properties) ? properties : {};
}

function namesIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
