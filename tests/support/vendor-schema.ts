// What vendors' packages say that their responses consist of (`tests/fixtures/vendor-schemas/`, made by
// `scripts/write-vendor-schemas.mjs`), and where a response differs.
import { readFileSync } from 'node:fs';

type Json = Readonly<Record<string, unknown>>;

export type Vendor = 'openai' | 'anthropic-ai-sdk' | 'google-genai';

interface Schemas {
  package: string;
  version: string;
  definitions: Readonly<Record<string, Json>>;
}

const read = new Map<Vendor, Schemas>();

export function vendorSchemas(vendor: Vendor): Schemas {
  const known = read.get(vendor);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(`../fixtures/vendor-schemas/${vendor}.json`, import.meta.url), 'utf8');
  const schemas: Schemas = JSON.parse(text);
  read.set(vendor, schemas);
  return schemas;
}

/** Where a value differs from the vendor's type, one line each: `choices.0.logprobs: is missing`. Fields beyond the type are allowed. */
export function faultsOf(vendor: Vendor, type: string, value: unknown): string[] {
  const { definitions } = vendorSchemas(vendor);
  const properties = definitions['Vendor']?.['properties'];
  const schema = isObject(properties) ? properties[type] : undefined;
  if (!isObject(schema)) throw new Error(`${vendor} has no type ${type}`);
  return check(definitions, schema, value, '');
}

function check(definitions: Schemas['definitions'], schema: Json, value: unknown, place: string): string[] {
  const { $ref: reference, anyOf } = schema;
  if (typeof reference === 'string') {
    const name = decodeURIComponent(reference.replace('#/definitions/', ''));
    return check(definitions, definitions[name] ?? {}, value, place);
  }
  if (Array.isArray(anyOf)) return nearest(anyOf.filter(isObject).map((branch) => check(definitions, branch, value, place)));
  if ('const' in schema && schema['const'] !== value) return [`${place}: ${reported(value)} is not ${reported(schema['const'])}`];
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(value))
    return [`${place}: ${reported(value)} is none of ${reported(schema['enum'])}`];
  const types = [schema['type']].flat().filter((type) => typeof type === 'string');
  if (types.length > 0 && !types.includes(typeOf(value))) return [`${place}: ${reported(value)} is no ${types.join(' or ')}`];
  if (Array.isArray(value)) {
    const { items } = schema;
    return isObject(items) ? value.flatMap((item, index) => check(definitions, items, item, join(place, String(index)))) : [];
  }
  return isObject(value) ? members(definitions, schema, value, place) : [];
}

function members(definitions: Schemas['definitions'], schema: Json, value: Json, place: string): string[] {
  const { required, properties, additionalProperties: others } = schema;
  const missing = (Array.isArray(required) ? required : []).filter((name) => value[String(name)] === undefined);
  const faults = missing.map((name) => `${join(place, String(name))}: is missing`);
  for (const [name, member] of Object.entries(value)) {
    const own = isObject(properties) ? properties[name] : undefined;
    const rule = own ?? others;
    if (isObject(rule) && member !== undefined) faults.push(...check(definitions, rule, member, join(place, name)));
  }
  return faults;
}

/** Returns the faults of the intended branch of a union: one of another kind fails at its first member. */
function nearest(branches: readonly string[][]): string[] {
  const weight = (faults: readonly string[]) =>
    faults.reduce((sum, fault) => sum + (/(?:^|\.)(?:type|role|object): .* is not /.test(fault) ? 1000 : 1), 0);
  return branches.toSorted((a, b) => weight(a) - weight(b))[0] ?? [];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function reported(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 80);
}

function join(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`;
}
