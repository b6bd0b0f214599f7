import fc from 'fast-check';
import { expect, test } from 'vitest';
import { argumentsOfText, TextOfArguments, textOfArguments } from './text-tools.ts';

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', '\n', '\u2028', '\uD800', '\uD83C\uDF0A', '{"input":"a"}'),
);

function readInPieces(json: string, sizes: readonly number[]): { reported: string; text: string } {
  const reader = new TextOfArguments();
  let reported = '';
  let at = 0;
  for (let index = 0; at < json.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    reported += reader.push(json.slice(at, at + size));
    at += size;
  }
  const { rest, text } = reader.end();
  return { reported: reported + rest, text };
}

test('text-tools: any text is restored, complete and in any pieces', () => {
  fc.assert(
    fc.property(anyText, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (text, sizes) => {
      const json = argumentsOfText(text);
      expect(textOfArguments(json)).toBe(text);
      expect(readInPieces(json, sizes)).toEqual({ reported: text, text });
      const spaced = JSON.stringify({ input: text }, null, 2).replace(
        /[\u0080-\uffff]/g,
        (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      expect(readInPieces(spaced, sizes)).toEqual({ reported: text, text });
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['the text itself', '*** Begin Patch\n+a\n*** End Patch', '*** Begin Patch\n+a\n*** End Patch'],
  ['an object of its own', '{"patch":"*** Begin Patch"}', '{"patch":"*** Begin Patch"}'],
  ['another order', '{"why":"because of a very long reason, which stands before it all","input":"a"}', 'a'],
  ['line ends as they are', '{"input":"a\nb"}', 'a\nb'],
  ['no end', '{"input":"a', 'a'],
  ['nothing', '', ''],
])('text-tools: a model that writes %s is understood', (_, json, text) => {
  expect(readInPieces(json, [3])).toEqual({ reported: text, text });
});

test('text-tools: a long text in little pieces takes little time', () => {
  const json = argumentsOfText('x'.repeat(2_000_000));
  expect(readInPieces(json, [5]).text).toHaveLength(2_000_000);
});
