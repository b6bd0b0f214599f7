import { describe, expect, it, test } from 'vitest';
import { folded } from './folded-text.ts';

describe('texts are the same', () => {
  it.each([
    ['in capitals', 'Contraband', 'contraband'],
    ['in wide letters', 'ｃｏｎｔｒａｂａｎｄ', 'contraband'],
    ['with their marks apart', 'CAFE\u0301', 'café'],
    ['with marks in another order', 'a\u0323\u0301', 'a\u0301\u0323'],
    ['with the marks of narrow kana', 'ｶﾞ', 'ガ'],
  ])('%s', (_how, one, other) => expect(folded(one)).toBe(folded(other)));
});

// V8 puts marks in order in seconds where there are a piece's worth of them, and everybody waits meanwhile.
test.each([
  ['two that alternate', '\u0301\u0323'],
  ['one of them narrow', '\u0301\uFF9E'],
])('marks that no letter has are left out: %s', (_name, marks) => {
  const text = `before ${marks.repeat(30_000)}after`;
  const { length } = folded(text);
  expect(length).toBeLessThan(50);
  expect(folded(text)).toMatch(/^before .*after$/s);
});
