// Converts JSON Schemas to the OpenAPI 3.0 subset of models before 2.5, which reject other keywords.
// https://ai.google.dev/api/caching#Schema
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';
import { MergedSchema, type Schema, SchemaCopies, SchemaReferences } from '../schema-parts.ts';

/** Keywords with the same meaning. */
const copied = ['description', 'minimum', 'maximum', 'pattern', 'propertyOrdering'] as const;
/** Keywords with 64-bit integers, which the subset writes as strings. */
const counts = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'] as const;

const formats: ReadonlyMap<string, readonly unknown[]> = new Map([
  ['string', ['enum', 'date-time']],
  ['number', ['float', 'double']],
  ['integer', ['int32', 'int64']],
]);

/** Maximum depth to which a recursive schema is expanded. */
const mostReferences = 4;
/** Maximum schemas of all expansions. */
const mostSchemas = 2000;

/** @param copies budget for copies of references, shared by all schemas of a request */
export function toOpenApiSchema(schema: Schema, copies = new SchemaCopies()): JsonObject {
  const budget = { left: mostSchemas };
  return converted(schema, { references: 0, shared: { found: new SchemaReferences(schema), copies, budget } });
}

interface Place {
  /** Number of references followed to reach this schema. */
  references: number;
  shared: { found: SchemaReferences; copies: SchemaCopies; budget: { left: number } };
}

function converted(written: Schema, at: Place): JsonObject {
  const { budget } = at.shared;
  budget.left -= 1;
  if (budget.left < 0) return { type: 'object' };
  const { schema, place } = resolved(written, at);
  const variants = [...schemasIn(schema.anyOf), ...schemasIn(schema.oneOf)];
  const types = new Set([schema.type].flat().flatMap((type) => (typeof type === 'string' ? [type.toLowerCase()] : [])));
  const values = schema.const === undefined ? schema.enum : [schema.const];
  const isNullable =
    schema.nullable === true || types.has('null') || variants.some(isNull) || (Array.isArray(values) && values.includes(null));
  types.delete('null');
  const [own, ...otherTypes] = types;

  let result: JsonObject = {};
  for (const word of copied) if (schema[word] !== undefined) result[word] = schema[word];
  for (const word of counts) if (Number.isSafeInteger(schema[word])) result[word] = schema[word];
  const others = variants.filter((variant) => !isNull(variant)).map((variant) => converted(variant, place));
  const [only] = others;
  const isOfSeveral = otherTypes.length > 0;
  if (isOfSeveral) result.anyOf = [...types].map((type) => typed(schema, { type, isVariant: true }, place));
  else if (others.length > 1) result.anyOf = others;
  else if (only !== undefined) result = { ...only, ...result };
  if (!isOfSeveral) Object.assign(result, typed(schema, { type: own ?? typeOf(schema, values), isVariant: false }, place));
  if (Array.isArray(values)) addValues(result, values);
  if (isNullable) result.nullable = true;
  return result;
}

/** Resolves references and combinations. */
function resolved(written: Schema, place: Place): { schema: Schema; place: Place } {
  if (written.$ref === undefined && written.allOf === undefined) return { schema: written, place };
  const merged = new MergedSchema();
  const references = merge(merged, written, place);
  return { schema: merged.finish(), place: { ...place, references } };
}

/** Merges a schema with its reference and combinations. Returns the most references followed on any path. */
function merge(merged: MergedSchema, written: Schema, place: Place): number {
  const { found, copies, budget } = place.shared;
  let { references } = place;
  let longest = references;
  let schema: Schema | null = written;
  const parts: Schema[] = [];
  while (schema !== null) {
    const { $ref: reference, allOf, properties, required, ...words }: Schema = schema;
    for (const [word, value] of Object.entries(words)) merged.add(word, value);
    if (isObject(properties)) {
      merged.add('properties', properties);
      for (const [name, property] of Object.entries(properties)) if (!merged.hasProperty(name)) merged.setProperty(name, property);
    }
    merged.addRequired(namesIn(required));
    for (const part of schemasIn(allOf)) parts.push(part);
    if (typeof reference !== 'string') break;
    references += 1;
    longest = Math.max(longest, references);
    const next: Schema | null = references > mostReferences ? null : found.find(reference);
    if (references > mostReferences || (next !== null && !copies.take(next))) {
      merged.add('type', 'object');
      break;
    }
    schema = next;
  }
  for (const part of parts) {
    budget.left -= 1;
    if (budget.left < 0) break;
    longest = Math.max(longest, merge(merged, part, { ...place, references }));
  }
  return longest;
}

/** Returns the keywords that depend on the type: format, properties, items. */
function typed(schema: Schema, { type, isVariant }: { type: string | undefined; isVariant: boolean }, place: Place): JsonObject {
  if (type === undefined) return {};
  const result: JsonObject = { type };
  if (formats.get(type)?.includes(schema.format) === true) result.format = schema.format;
  // The variants of a type share one description, which is next to their list.
  if (type === 'object') addProperties(result, { ...schema, ...(isVariant ? { description: undefined } : {}) }, place);
  if (type === 'array') result.items = itemsOf(schema, place);
  return result;
}

function addProperties(result: JsonObject, schema: Schema, place: Place): void {
  const names = new Set<unknown>();
  if (isObject(schema.properties)) {
    const properties: [string, JsonObject][] = [];
    for (const [name, property] of Object.entries(schema.properties)) {
      if (property === false) continue;
      names.add(name);
      properties.push([name, isObject(property) ? converted(property, place) : { type: 'string' }]);
    }
    result.properties = Object.fromEntries(properties);
  }
  // `required` may only have names of `properties`.
  const required = [...new Set(namesIn(schema.required))].filter((name) => names.has(name));
  if (required.length > 0) result.required = required;
  // The subset has no `additionalProperties`: the description states them.
  if (isObject(schema.additionalProperties)) {
    const text = `Further properties: ${JSON.stringify(schema.additionalProperties)}`;
    result.description = typeof schema.description === 'string' ? `${schema.description}\n${text}` : text;
  }
}

function itemsOf({ items, prefixItems }: Schema, place: Place): JsonObject {
  const tuple = [...schemasIn(prefixItems), ...schemasIn(items)].map((item) => converted(item, place));
  if (tuple.length > 1) return { anyOf: tuple };
  // Arrays must have an item schema.
  return tuple[0] ?? (isObject(items) ? converted(items, place) : { type: 'string' });
}

/** Adds enum values, which are strings in the subset. */
function addValues(result: JsonObject, values: readonly unknown[]): void {
  if (result.type === 'boolean') return;
  result.enum = values.filter((value) => value !== null).map(textOf);
  if (result.type !== 'string') result.format = 'enum';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Infers the type of a schema without one. */
function typeOf(schema: Schema, values: unknown): string | undefined {
  if (isObject(schema.properties)) return 'object';
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array';
  const first = Array.isArray(values) ? values.find((value) => value !== null) : undefined;
  if (typeof first === 'number') return Number.isInteger(first) ? 'integer' : 'number';
  return typeof first === 'string' || typeof first === 'boolean' ? typeof first : undefined;
}

function isNull(schema: Schema): boolean {
  return schema.type === 'null';
}

function schemasIn(value: unknown): Schema[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function namesIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
