import { expect, it } from 'vitest';
import { isStrictSchema } from './strict-schema.ts';

const place = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'], additionalProperties: false };

it('strict-schema: a schema that requires all its properties is strict, at every depth', () => {
  expect(isStrictSchema(place)).toBe(true);
  expect(isStrictSchema({ type: 'array', items: { anyOf: [place, { type: 'null' }] } })).toBe(true);
  expect(isStrictSchema({ ...place, properties: { name: { $ref: '#/$defs/name' } }, $defs: { name: place } })).toBe(true);
});

it.each<[unknown, string]>([
  [{ ...place, additionalProperties: undefined }, 'further properties'],
  [{ ...place, required: [] }, 'a property that may be missing'],
  [{ type: 'object' }, 'an object of anything'],
  [{ type: ['object', 'null'], properties: {} }, 'the same, or null'],
  [{ type: 'array', items: { type: 'object', properties: { name: {} } } }, 'an object within a list'],
  [{ oneOf: [place] }, 'a keyword that is refused'],
  [{ ...place, $defs: { any: { type: 'object' } } }, 'a definition'],
  [true, 'anything'],
])('strict-schema: %j is not: %s', (schema, lacks) => {
  expect(isStrictSchema(schema), lacks).toBe(false);
});
