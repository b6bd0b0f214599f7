// Converts JSON Schemas for Claude's structured output and strict tools, which reject most constraints. Rejected constraints
// move into the description, as in Anthropic's SDKs (`lib/transform-json-schema` of @anthropic-ai/sdk).
// https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
import { isObject } from '#server/framing/loose-json.ts';

type Schema = Readonly<Record<string, unknown>>;
type Json = Record<string, unknown>;

const formats: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);
/** Keywords that constrain nothing. */
const meaningless: ReadonlySet<string> = new Set(['$schema', '$id', '$comment']);
const definitions = ['$defs', 'definitions'] as const;
const combinations = ['anyOf', 'oneOf', 'allOf'] as const;

/** Returns a schema that structured output accepts, with rejected keywords in its descriptions. */
export function describedSchema(schema: Schema): Json {
  const rest: Json = Object.fromEntries(Object.entries(schema).filter(([word]) => !meaningless.has(word)));
  const written: Json = {};
  for (const word of definitions) if (isObject(rest[word])) written[word] = ofEach(take(rest, word));
  if (typeof rest['$ref'] === 'string' && rest['$ref'].startsWith('#')) return { ...written, $ref: rest['$ref'] };
  const types = typesOf(rest);
  const declared = take(rest, 'type');
  writeLiterals(rest, written);
  const hasLiterals = 'enum' in written || 'const' in written;
  const isCombined = writeCombination(rest, written);
  if (!hasLiterals && !isCombined && (declared !== undefined || types.length > 0)) written['type'] = declared ?? types[0];
  for (const word of ['description', 'title']) if (rest[word] !== undefined) written[word] = take(rest, word);
  if (types.includes('object')) writeObject(rest, written);
  if (types.includes('array')) writeArray(rest, written);
  if (formats.has(rest['format'])) written['format'] = take(rest, 'format');
  describe(rest, written);
  return written;
}

/** Removes a keyword from the rest and returns its value. */
function take(rest: Json, word: string): unknown {
  const value = rest[word];
  delete rest[word];
  return value;
}

/** Types of a schema, inferred from its keywords if it names none. */
function typesOf({ type, properties, required, items, prefixItems }: Json): readonly unknown[] {
  if (Array.isArray(type)) return type;
  if (type !== undefined) return [type];
  if (isObject(properties) || Array.isArray(required)) return ['object'];
  return items !== undefined || prefixItems !== undefined ? ['array'] : [];
}

function writeLiterals(rest: Json, written: Json): void {
  const { enum: values, const: value } = rest;
  if (Array.isArray(values) && values.length > 0 && !values.some(isStructured)) written['enum'] = take(rest, 'enum');
  if (value !== undefined && !isStructured(value)) written['const'] = take(rest, 'const');
}

/** Writes the first combination of the schema; others move into the description. */
function writeCombination(rest: Json, written: Json): boolean {
  const word = combinations.find((each) => Array.isArray(rest[each]));
  if (word === undefined) return false;
  const schemas = take(rest, word);
  written[word === 'oneOf' ? 'anyOf' : word] = Array.isArray(schemas) ? schemas.map(described) : [];
  return true;
}

function writeObject(rest: Json, written: Json): void {
  const properties = take(rest, 'properties');
  written['properties'] = isObject(properties) ? ofEach(properties) : {};
  if (!isObject(rest['additionalProperties'])) take(rest, 'additionalProperties');
  written['additionalProperties'] = false;
  if (Array.isArray(rest['required'])) written['required'] = take(rest, 'required');
}

function writeArray(rest: Json, written: Json): void {
  if (isObject(rest['items'])) written['items'] = describedSchema(rest['items']);
  if (isObject(rest['items']) || typeof rest['items'] === 'boolean') take(rest, 'items');
  if (rest['minItems'] === 0 || rest['minItems'] === 1) written['minItems'] = take(rest, 'minItems');
}

function describe(rest: Json, written: Json): void {
  const left = Object.entries(rest).filter(([, value]) => value !== undefined);
  if (left.length === 0) return;
  const words = `{${left.map(([word, value]) => `${word}: ${JSON.stringify(value)}`).join(', ')}}`;
  const { description } = written;
  written['description'] = typeof description === 'string' && description !== '' ? `${description}\n\n${words}` : words;
}

function described(schema: unknown): unknown {
  return isObject(schema) ? describedSchema(schema) : schema;
}

function ofEach(schemas: unknown): Json {
  return isObject(schemas) ? Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, described(schema)])) : {};
}

function isStructured(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
