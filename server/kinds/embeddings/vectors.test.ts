import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readVector, shortened, toBase64 } from './vectors.ts';

const singles = fc.array(fc.float({ noNaN: true }), { minLength: 1, maxLength: 64 });

test('base64 of any vector is that of its 32-bit floats, little end first, and reads back as they are', () => {
  fc.assert(
    fc.property(singles, (vector) => {
      const bytes = new DataView(new ArrayBuffer(vector.length * 4));
      for (const [index, part] of vector.entries()) bytes.setFloat32(index * 4, part, true);
      const text = toBase64(vector);
      expect(text).toBe(Buffer.from(bytes.buffer).toString('base64'));
      expect(readVector(text)).toEqual(vector);
      expect(readVector(vector)).toBe(vector);
    }),
  );
});

test('numbers of more digits become the nearest float', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, min: -1, max: 1 }), { minLength: 1 }), (vector) => {
      expect(readVector(toBase64(vector))).toEqual(vector.map(Math.fround));
    }),
  );
});

test('what is no vector is none', () => {
  for (const value of [null, undefined, 3, {}, '', 'AAA=', ['1'], [1, null]]) expect(readVector(value)).toBeNull();
});

test('a vector that is cut has length 1 again, and is its own beginning', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, min: -1, max: 1 }), { minLength: 2, maxLength: 32 }), (vector) => {
      const cut = shortened(vector, vector.length - 1);
      expect(cut.length).toBe(vector.length - 1);
      const length = Math.hypot(...vector.slice(0, -1));
      if (length > 1e-100) expect(Math.hypot(...cut)).toBeCloseTo(1);
      expect(shortened(vector, vector.length)).toBe(vector);
    }),
  );
});
