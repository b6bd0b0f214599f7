import { describe, expect, it, test } from 'vitest';
import { folded, unescaped } from './folded-text.ts';

describe('texts are the same', () => {
  it.each([
    ['in capitals', 'Contraband', 'contraband'],
    ['in wide letters', 'ｃｏｎｔｒａｂａｎｄ', 'contraband'],
    ['with their marks apart', 'CAFE\u0301', 'café'],
    ['with marks in another order', 'a\u0323\u0301', 'a\u0301\u0323'],
    ['with the marks of narrow kana', 'ｶﾞ', 'ガ'],
    ['with what nobody sees between them', 'con\u200Btra\u00ADb\u2060and', 'contraband'],
    ['as letters that nobody sees', String.fromCodePoint(...[...'ebb'].map((letter) => 0xe0000 + (letter.codePointAt(0) ?? 0))), 'ebb'],
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

test.each([
  [String.raw`{"q":"\u0063ontraband"}`, '{"q":"contraband"}'],
  ['?q=%63ontra%62and', '?q=contraband'],
  ['%E8%BF%9D%e7%a6%81', '违禁'],
  // Bytes that are no letter stay, and spoil no letter next to them.
  ['100%FF%63', '100%FFc'],
  ['%63%E8%62', 'c%E8b'],
])('%s is read as %s', (text, plain) => expect(unescaped(text)).toBe(plain));

test.each(['100 %', String.raw`C:\users`, 'plain'])('%s has no escapes', (text) => expect(unescaped(text)).toBeNull());
