import { expect, test } from 'vitest';
import { PartBudget } from '#server/framing/part-budget.ts';
import { toJsonSchema } from './gemini/json-schema.ts';
import { toOpenApiSchema } from './gemini/openapi-schema.ts';
import { checkSchemas, mapSchemas, MergedSchema, mostSchemaParts, SchemaCopies, SchemaReferences } from './schema-parts.ts';

const text = { type: 'string' };
const numbered = <Value>(count: number, value: (index: number) => Value) => Array.from({ length: count }, (_, index) => value(index));

test('schemas: the number of parts is limited, whatever they are parts of', () => {
  const most = { enum: numbered(mostSchemaParts - 3, () => 'a') };
  checkSchemas([most, most, undefined, 'a']);
  const refusal = expect.objectContaining({ code: 'body_too_complex', status: 400 });
  for (const one of [
    { enum: numbered(mostSchemaParts - 2, () => 'a') },
    { allOf: numbered(10_000, () => ({})), required: numbered(10_000, String) },
    { properties: Object.fromEntries(numbered(7_000, (index) => [`p${index}`, { items: {} }])) },
  ])
    expect(() => checkSchemas([text, one])).toThrow(refusal);
});

test('schemas: nested schemas are rewritten once, inner ones first, and unchanged ones stay the same object', () => {
  const schema = {
    properties: { type: text, list: { items: [text, { anyOf: [text, { $ref: '#' }] }] } },
    additionalProperties: { enum: [{ properties: 1 }] },
    $defs: { self: { not: { $ref: '#/$defs/self' } } },
  };
  let visits = 0;
  const same = mapSchemas(schema, (one) => {
    visits += 1;
    return one;
  });
  expect(same).toBe(schema);
  expect(visits).toBe(10);
  const marked = mapSchemas(schema, (one) => (one['type'] === 'string' ? { ...one, maxLength: 9 } : one));
  expect(marked).toEqual({
    ...schema,
    properties: {
      type: { ...text, maxLength: 9 },
      list: { items: [{ ...text, maxLength: 9 }, { anyOf: [{ ...text, maxLength: 9 }, { $ref: '#' }] }] },
    },
  });
  expect(marked['$defs']).toBe(schema.$defs);
});

test('schemas: references are resolved within the schema, except overlong ones', () => {
  const inner = { type: 'integer' };
  const found = new SchemaReferences({ $defs: { 'a/b~c': inner, list: [inner] } });
  expect(found.find('#/$defs/a~1b~0c')).toBe(inner);
  expect(found.find('#/$defs/list/0')).toBe(inner);
  expect(found.find('#/$defs/list')).toBeNull();
  expect(found.find('#/$defs/toString')).toBeNull();
  expect(found.find('other.json#/$defs/list')).toBeNull();
  expect(new SchemaReferences({ a: inner }).find(`#/a${'/'.repeat(1_000)}`)).toBeNull();
});

test('schemas: copies of references use the budget, by parts and characters', () => {
  const budget = new PartBudget();
  const copies = new SchemaCopies(budget);
  const target = { type: 'object', description: 'x'.repeat(64_000) };
  expect(copies.take(target)).toBe(true);
  expect(budget.left).toBe(100_000 - 1005);
  let taken = 1;
  while (copies.take(target)) taken += 1;
  // Half of a body's budget.
  expect(taken).toBe(19);
});

test('schemas: combined schemas are merged, and `__proto__` is an ordinary property', () => {
  const merged = new MergedSchema();
  merged.add('type', 'object');
  merged.add('type', 'string');
  merged.add('__proto__', { type: 'array' });
  merged.setProperty('__proto__', text);
  merged.addRequired(['a', 'b', 'a']);
  expect(JSON.stringify(merged.finish())).toBe('{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["a","b"]}');
});

/** Characters of JSON per character of input. */
const mostGrowth = 4;

/** The costliest shapes at maximum size; `$ref` by copies. */
const shapes: Record<string, Record<string, unknown>> = {
  'allOf of many': { allOf: numbered(6_000, (index) => ({ properties: { [`p${index}`]: {} } })) },
  'allOf with names': { allOf: numbered(6_000, (index) => ({ required: [`p${index}`] })) },
  'allOf within allOf': {
    allOf: numbered(60, (outer) => ({ allOf: numbered(60, (inner) => ({ properties: { [`p${outer}_${inner}`]: {} } })) })),
  },
  'allOf, deep': numbered(90, String).reduce<Record<string, unknown>>(
    (inner, name) => ({ allOf: [inner], properties: Object.fromEntries(numbered(60, (index) => [`p${name}_${index}`, {}])) }),
    {},
  ),
  'allOf of words': { allOf: numbered(6_000, (index) => ({ [`$w${index}`]: 1, $ref: '#' })) },
  'definitions in allOf': { allOf: numbered(4_000, (index) => ({ definitions: { [`d${index}`]: {} } })) },
  'names and properties': {
    required: numbered(6_000, (index) => `p${index}`),
    properties: Object.fromEntries(numbered(4_000, (index) => [`p${index}`, {}])),
  },
  'one type, often': {
    type: numbered(9_000, () => 'object'),
    properties: Object.fromEntries(numbered(4_000, (index) => [`p${index}`, {}])),
  },
  'many types': {
    type: numbered(9_000, (index) => `t${index}`),
    properties: Object.fromEntries(numbered(3_000, (index) => [`p${index}`, {}])),
  },
  'a type with the name of a method': { type: ['toString', 'constructor', '__proto__', 'array'] },
  'itself, in many places': { properties: Object.fromEntries(numbered(2_000, (index) => [`p${index}`, { $ref: '#' }])) },
  'itself at once': { allOf: numbered(2_000, () => ({ $ref: '#' })), properties: { a: { allOf: [{ $ref: '#' }] } } },
  'each other': {
    $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
    properties: Object.fromEntries(numbered(2_000, (index) => [`p${index}`, { $ref: '#/$defs/a' }])),
  },
  'one long reference': { properties: Object.fromEntries(numbered(300, (index) => [`p${index}`, { $ref: `#${'/a'.repeat(10_000)}` }])) },
  'one long text': {
    $defs: { a: { description: 'x'.repeat(1_000_000), enum: ['y'.repeat(1_000_000)] } },
    properties: Object.fromEntries(numbered(3_000, (index) => [`p${index}`, { $ref: '#/$defs/a' }])),
  },
  'long names': {
    $defs: { a: { properties: { ['n'.repeat(1_000_000)]: {} } } },
    properties: Object.fromEntries(numbered(3_000, (index) => [`p${index}`, { $ref: '#/$defs/a' }])),
  },
  'values of a reference': {
    $defs: { a: { enum: numbered(9_000, (index) => index) } },
    properties: Object.fromEntries(numbered(2_000, (index) => [`p${index}`, { $ref: '#/$defs/a' }])),
  },
};

test.each(Object.entries(shapes))('schemas: %s become a schema of limited size', (_about, schema) => {
  // Expanded references: at most a body's parts, of 64 characters each.
  const most = mostGrowth * JSON.stringify(schema).length + 20_000 * 80;
  for (const convert of [toJsonSchema, toOpenApiSchema])
    expect(JSON.stringify(convert({ type: 'object', ...schema })).length).toBeLessThan(most);
});

test('schemas: direct recursion ends after a few levels', () => {
  const schema = { properties: { a: { allOf: [{ $ref: '#' }] }, b: { allOf: [{ $ref: '#' }, { type: 'object' }] } } };
  const depth = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0;
  expect(depth(toOpenApiSchema(schema))).toBeLessThan(20);
});

test('schemas: all copies of a request share one budget', () => {
  const schema = { $defs: { a: { enum: numbered(3_000, String) } }, properties: { x: { $ref: '#/$defs/a' } } };
  const copies = new SchemaCopies(new PartBudget(100_000 - 5 * 3_003));
  const isWhole = numbered(7, () => JSON.stringify(toOpenApiSchema(schema, copies)).includes('2999'));
  expect(isWhole).toEqual([true, true, true, true, true, false, false]);
});
