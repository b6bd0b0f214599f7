import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JsonOutline, outlineOf } from './json-outline.ts';

function outline(text: string, listed?: string): { found: JsonOutline | null; steps: number; bytes: Buffer } {
  const bytes = Buffer.from(text);
  const work = outlineOf(bytes, listed);
  for (let steps = 1; ; steps += 1) {
    const step = work.next();
    if (step.done === true) return { found: step.value, steps, bytes };
  }
}

const key = fc.string({ unit: 'binary' }).filter((name) => name !== '__proto__');
const object = fc.dictionary(key, fc.jsonValue(), { maxKeys: 8, noNullPrototype: true });
const spaced = fc
  .tuple(object, fc.constantFrom(undefined, 1, '\t'))
  .map(([value, space]) => ({ value, text: JSON.stringify(value, null, space) }));

describe('json-outline', () => {
  test('short members are all there', () => {
    fc.assert(
      fc.property(spaced, ({ value, text }) => {
        expect(JSON.parse(outline(text).found?.text ?? 'null')).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 1_000 },
    );
  });

  test('the rows of the list are where they are, however they are spaced', () => {
    const items = fc.array(fc.jsonValue(), { maxLength: 8 });
    fc.assert(
      fc.property(object, items, fc.constantFrom(undefined, 1), (around, list, space) => {
        const { found, bytes } = outline(JSON.stringify({ ...around, 'li"st': list, end: [1, [2], {}] }, null, space), 'li"st');
        const rows = found?.rows.map(({ start, end }) => JSON.parse(bytes.toString('utf8', start, end)));
        expect(rows).toEqual(JSON.parse(JSON.stringify(list)));
      }),
      { numRuns: 1_000 },
    );
  });

  test('long members are empty, but a list in which there is something', () => {
    const long = 'x"\\'.repeat(10_000);
    const { found } = outline(JSON.stringify({ a: [[long]], b: { c: long }, d: long, e: 1 }));
    expect(JSON.parse(found?.text ?? '')).toEqual({ a: [0], b: {}, d: '', e: 1 });
    expect(outline(JSON.stringify({ [long]: 1 })).found).toBeNull();
  });

  test('deep members are empty, however short they are', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(outline(`{"a":${nested(99)},"b":1}`).found).toMatchObject({ text: `{"a":${nested(99)},"b":1}`, isDeep: false });
    expect(outline(`{"a":${nested(100)},"b":1}`).found).toMatchObject({ text: '{"a":[0],"b":1}', isDeep: true });
  });

  test.each(['', '[]', '1', '"x"', '{', '{"a":1', '{"a":"x}', '{"a":1}}', '{}{}', '{"a":1,}'])(
    '%s is no object, or none that is complete',
    (text) => expect(outline(text).found).toBeNull(),
  );

  test('much of it takes many steps', () => {
    const { found, steps } = outline(JSON.stringify({ data: Array.from({ length: 400_000 }, (_, index) => index) }), 'data');
    expect(found?.rows).toHaveLength(400_000);
    expect(steps).toBeGreaterThan(4);
  });
});
