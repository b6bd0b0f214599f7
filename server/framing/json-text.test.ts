import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endOfText, endOfTextBytes } from './json-text.ts';

/** Texts with quotes, backslashes and multi-byte letters. */
const text = fc.string({ unit: fc.constantFrom('"', '\\', 'a', 'ü', '\n', '潮'), maxLength: 40 });

test('json-text: a text ends where it was written to its end, in letters and in bytes', () => {
  fc.assert(
    fc.property(text, text, (value, behind) => {
      const written = JSON.stringify(value);
      const json = `${written}${behind}`;
      expect(endOfText(json, 1)).toBe(written.length - 1);
      expect(endOfTextBytes(Buffer.from(json), 1)).toBe(Buffer.byteLength(written) - 1);
      expect(endOfText(written.slice(0, -1), 1)).toBe(-1);
      expect(endOfTextBytes(Buffer.from(written.slice(0, -1)), 1)).toBe(-1);
    }),
    { numRuns: 2000 },
  );
});
