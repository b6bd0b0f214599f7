import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteOffsets } from './byte-offsets.ts';

test('byte offsets of a letter do not depend on how the text is split', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 3_000 }), { maxLength: 5 });
  fc.assert(
    fc.property(texts, fc.nat(), (parts, place) => {
      const places = new ByteOffsets();
      for (const part of parts) places.add(part);
      const text = parts.join('');
      const letters = Array.from(text.slice(0, place % (text.length + 1))).join('').length;
      expect(places.byteAt(letters)).toBe(Buffer.byteLength(text.slice(0, letters)));
      expect(places.byteAt(text.length)).toBe(Buffer.byteLength(text));
    }),
    { numRuns: 100 },
  );
});
