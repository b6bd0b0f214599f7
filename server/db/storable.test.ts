import { describe, expect, test } from 'vitest';
import { storable, storableText } from './storable.ts';

const limits = { text: 10, total: 40, elements: 3, levels: 3 };

describe('storable', () => {
  test('a value within the limits is returned itself', () => {
    const value = { a: 'text', b: [1, null, true], c: { d: '你好' } };
    expect(storable(value, limits)).toBe(value);
  });

  test('long texts are truncated, lone surrogates and NUL are replaced', () => {
    expect(storable({ a: 'x'.repeat(50), b: 'a\ud800b', c: 'n\0n' }, limits)).toEqual({ a: 'xxxxxxxxx…', b: 'a\ufffdb', c: 'n\ufffdn' });
  });

  test('truncation never splits a surrogate pair', () => {
    expect(storableText('😀'.repeat(20), 10).isWellFormed()).toBe(true);
  });

  test('keys with a special meaning for a database are omitted', () => {
    expect(storable({ 'a.b': 1, $set: 2, ['__proto__']: 3, '': 4, good: 5 }, { ...limits, elements: 9 })).toEqual({ good: 5 });
  });

  test('depth, elements and the total length of texts are limited', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 200; level += 1) deep = [deep];
    expect(storable(deep, limits)).toEqual([[[null]]]);
    expect(storable([1, 2, 3, 4, 5], limits)).toEqual([1, 2, 3]);
    const many = storable(
      Array.from({ length: 100 }, () => 'x'.repeat(10)),
      { ...limits, elements: 1000 },
    );
    expect(JSON.stringify(many).length).toBeLessThan(700);
  });

  test('numbers that are not finite become 0', () => {
    expect(storable({ a: NaN, b: Infinity }, limits)).toEqual({ a: 0, b: 0 });
  });
});
