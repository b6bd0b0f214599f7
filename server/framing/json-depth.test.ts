import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTooDeep } from './json-depth.ts';

/** Makes a text long enough to be checked. */
const padding = JSON.stringify('x'.repeat(40_000));
const nested = (depth: number, inner = '1') => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`;

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('json depth: a hundred levels are allowed, one more is not', () => {
  expect(isTooDeep(nested(99, `[${padding}]`))).toBe(false);
  expect(isTooDeep(nested(100, `[${padding}]`))).toBe(true);
  expect(isTooDeep(`{"a":${padding},"b":${nested(99)}}`)).toBe(false);
  expect(isTooDeep(`{"a":${padding},"b":${nested(100)}}`)).toBe(true);
});

test('json depth: a short text costs little, however deep it is', () => {
  expect(isTooDeep(nested(1024, ''))).toBe(false);
  expect(isTooDeep(nested(1025, ''))).toBe(true);
});

test('json depth: many brackets beside each other are not deep', () => {
  expect(isTooDeep(`[${'[],{},'.repeat(20_000)}1]`)).toBe(false);
});

test('json depth: what has a million parts is not parsed either', () => {
  expect(isTooDeep(`[${'{},'.repeat(999_998)}{}]`)).toBe(false);
  expect(isTooDeep(`[${'{},'.repeat(999_999)}{}]`)).toBe(true);
});

test('json depth: brackets within texts are letters, whatever is escaped there', () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom('[', '{', ']', '}', '"', '\\', 'a', '\n') }), { maxLength: 20 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 90, max: 110 }), (inside, depth) => {
      let value: unknown = [...inside, '['.repeat(200)];
      for (let level = 1; level < depth; level += 1) value = level % 2 === 0 ? { '[{"\\': value } : [...inside.slice(0, 2), value];
      const text = `{"pad":${padding},"value":${JSON.stringify(value)}}`;
      expect(isTooDeep(text)).toBe(depthOf(JSON.parse(text)) > 100);
    }),
  );
});

test('json depth: a text that never ends is no reason to run on', () => {
  expect(isTooDeep(`"${'['.repeat(40_000)}`)).toBe(false);
  expect(isTooDeep(`"${'\\'.repeat(40_001)}`)).toBe(false);
  expect(isTooDeep(']'.repeat(40_000))).toBe(false);
});
