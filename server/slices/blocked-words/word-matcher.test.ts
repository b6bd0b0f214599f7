import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWordMatcher, createWordSearch } from './word-matcher.ts';

/** Few letters, so that words overlap, hold each other and begin with each other's ends. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 });
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 60 });

describe('word matcher', () => {
  it('finds exactly what one search per word finds', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 40 }), text, (words, searched) => {
        expect(createWordMatcher(words)(searched)).toBe(words.some((one) => searched.includes(one)));
      }),
      { numRuns: 3000 },
    );
  });

  it('finds in a text that comes in pieces what it finds in the whole, wherever it is cut', () => {
    const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 7 }), { maxLength: 12 });
    const lists = fc.oneof(fc.array(word, { minLength: 1, maxLength: 8 }), fc.array(word, { minLength: 9, maxLength: 40 }));
    fc.assert(
      fc.property(lists, pieces, (words, cut) => {
        const follow = createWordSearch(words).follow();
        expect(cut.some((piece) => follow(piece))).toBe(words.some((one) => cut.join('').includes(one)));
      }),
      { numRuns: 3000 },
    );
  });

  it('finds a word at the end of another that did not come to its end', () => {
    const words = ['abcde', 'cdx', ...Array.from({ length: 20 }, (_, index) => `filler${index}`)];
    const holds = createWordMatcher(words);
    expect(holds('..abcdx..')).toBe(true);
    expect(holds('..abcd..')).toBe(false);
  });

  it('finds words of other scripts, and of characters outside the first plane', () => {
    const holds = createWordMatcher(['违禁词', '𠮷野家', ...Array.from({ length: 20 }, (_, index) => `filler${index}`)]);
    expect(holds('这里有违禁词。')).toBe(true);
    expect(holds('我去𠮷野家')).toBe(true);
    expect(holds('违禁的词')).toBe(false);
  });

  it('finds nothing without words, and an empty one is none', () => {
    expect(createWordMatcher([])('anything')).toBe(false);
    expect(createWordMatcher(['', ''])('anything')).toBe(false);
  });

  it('holds as many words as the setting can', () => {
    const words = Array.from({ length: 60_000 }, (_, index) => `w${index.toString(36)}x`);
    const holds = createWordMatcher(words);
    expect(words.every((one) => holds(`before ${one} after`))).toBe(true);
    expect(holds('w x '.repeat(10_000))).toBe(false);
  });
});
