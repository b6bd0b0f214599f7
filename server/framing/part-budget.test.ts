import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonScan } from './json-scan.ts';
import { jsonSize, mostParts, mostValues, partBytes, PartBudget } from './part-budget.ts';

/** Includes the list in the count. */
const objects = (count: number) => `[${'{},'.repeat(count - 2)}{}]`;

test('part budget: a text has the parts and values that a scan of its bytes finds', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      const scan = new JsonScan();
      scan.push(Buffer.from(text));
      const { parts, values } = jsonSize(text);
      expect(values).toBe(scan.values);
      expect(parts).toBeGreaterThanOrEqual(scan.parts);
      expect(parts).toBeLessThanOrEqual(scan.parts + text.length / 16);
    }),
  );
});

test('part budget: counting stops where nothing is left', () => {
  expect(jsonSize(objects(1_000), 10)).toEqual({ parts: 11, values: 10 });
  expect(jsonSize(`[${'1,'.repeat(1_000)}1]`, 10, 100)).toEqual({ parts: 2, values: 101 });
  // An unterminated text takes the rest, as for a parser.
  expect(jsonSize(`"${'[{'.repeat(1_000)}`)).toEqual({ parts: 1, values: 1 });
});

test('part budget: blanks, numbers and escaped quotes cost the time that they take', () => {
  expect(jsonSize(' '.repeat(6_400))).toEqual({ parts: 100, values: 1 });
  expect(jsonSize(' '.repeat(1_000_000), 10)).toEqual({ parts: 11, values: 1 });
  expect(jsonSize(JSON.stringify('"'.repeat(1_600)))).toEqual({ parts: 101, values: 1 });
  expect(jsonSize(JSON.stringify('"'.repeat(1_000_000)), 10)).toEqual({ parts: 11, values: 1 });
  expect(jsonSize('1'.repeat(1_000_000), 10)).toEqual({ parts: 11, values: 1 });
  expect(jsonSize(JSON.stringify('word '.repeat(100_000)))).toEqual({ parts: 1, values: 1 });
  expect(jsonSize(`{"${'n'.repeat(6_400)}" : 1}`)).toEqual({ parts: 102, values: 1 });
});

test('part budget: what an upstream wrote is read as far as there is something left', () => {
  const budget = new PartBudget(mostParts - 5);
  expect(budget.parseObject('{"a":[{}]}')).toEqual({ a: [{}] });
  expect(budget.parseObject('{}')).toEqual({});
  expect(budget.parseObject('{}')).toBeNull();
  expect(new PartBudget().parseObject('[1]')).toBeNull();
});

test('part budget: what a body has is not there for the texts in it', () => {
  const budget = new PartBudget(90_000);
  budget.takeText(objects(6_000));
  expect(budget.left).toBe(4_000);
  expect(() => budget.takeText(objects(4_001))).toThrow('too many parts');
  budget.takeText(objects(4_000));
  expect(budget.left).toBe(0);
  expect(() => budget.takeText('{}')).toThrow('too many parts');
});

test('part budget: numbers have a bound of their own', () => {
  const budget = new PartBudget();
  const numbers = `[${'1,'.repeat(mostValues / 2)}1]`;
  budget.takeText(numbers);
  expect(() => budget.takeText(numbers)).toThrow('too many parts');
});

test('part budget: memory is held before anything is built, and what does not fit is refused', () => {
  let held = 0;
  const budget = new PartBudget(0, (bytes) => {
    if (held + bytes > 100 * partBytes) throw new Error('no room');
    held += bytes;
  });
  budget.takeText(objects(100));
  expect(held).toBe(100 * partBytes);
  expect(() => budget.take(1)).toThrow('no room');
  expect(budget.left).toBe(mostParts - 100);
  expect(budget.tryTake(mostParts)).toBe(false);
});
