import { expect, test } from 'vitest';
import { displayNameProblem, passwordProblem, tidyName, usernameProblem } from '#shared/account-rules.ts';
import { displayNameLimit, passwordLimits, usernameLimit } from '#shared/user.ts';

test.each([
  ['', 'username_required'],
  [' \u3000 ', 'username_required'],
  ['a'.repeat(usernameLimit + 1), 'username_long'],
  ['😀'.repeat(usernameLimit), undefined],
  ['a@b', 'username_address'],
  ['long.name@example.org', 'username_address'],
  ['a\u200bb', 'username_characters'],
  ['a\u2800', 'username_characters'],
  ['a\nb', 'username_characters'],
  [' 王小明 ', undefined],
  // Wide, mathematical, encircled, with a Cyrillic, Greek or phonetic letter, all Cyrillic or Cherokee.
  ['ａdmin', 'username_characters'],
  ['𝐫𝐨𝐨𝐭', 'username_characters'],
  ['ⓡoot', 'username_characters'],
  ['user１', 'username_characters'],
  ['аdmin', 'username_characters'],
  ['rοot', 'username_characters'],
  ['ɑdmin', 'username_characters'],
  ['ᴀdmin', 'username_characters'],
  ['ѕсоре1', 'username_characters'],
  ['ᎠᎪᎳ', 'username_characters'],
  ['张三（研发）', undefined],
  ['王a', undefined],
  ['山田ユウ-dev', undefined],
  ['홍길동kim', undefined],
  ['Иван Петров', undefined],
  ['Σίσυφος', undefined],
  ['Łukasz Groß', undefined],
  ['สมชาย2', undefined],
  ['2026-11', undefined],
  // Cyrillic names whose letters are not all drawn like Latin ones.
  ['Антон', undefined],
  ['Оксана', undefined],
  ['мама', undefined],
])('usernameProblem(%j)', (name, problem) => {
  expect(usernameProblem(name)).toBe(problem);
});

test.each([
  ['', undefined],
  ['a'.repeat(displayNameLimit + 1), 'display_name_long'],
  ['\u200b\u200b', 'display_name_characters'],
  ['a\u202eb', 'display_name_characters'],
  ['👩‍👩‍👧', undefined],
])('displayNameProblem(%j)', (name, problem) => {
  expect(displayNameProblem(name)).toBe(problem);
});

test('passwords are measured in characters and not tidied', () => {
  expect(passwordProblem('a'.repeat(passwordLimits.min - 1))).toBe('password_short');
  expect(passwordProblem(' '.repeat(passwordLimits.min))).toBeUndefined();
  expect(passwordProblem('😀'.repeat(passwordLimits.max))).toBeUndefined();
  expect(passwordProblem('a'.repeat(passwordLimits.max + 1))).toBe('password_long');
});

test('a name is stored in one form, however it was typed', () => {
  expect(tidyName(' e\u0301 ')).toBe('\u00e9');
});
