import { expect, test } from 'vitest';
import { displayNameProblem, passwordProblem, tidyName, usernameProblem } from '#shared/account-rules.ts';
import { displayNameLimit, passwordLimits, usernameLimit } from '#shared/user.ts';

test.each([
  ['', 'username_required'],
  [' \u3000 ', 'username_required'],
  ['a'.repeat(usernameLimit + 1), 'username_long'],
  ['😀'.repeat(usernameLimit), undefined],
  ['a@b', 'username_address'],
  ['a\u200bb', 'username_characters'],
  ['a\u2800', 'username_characters'],
  ['a\nb', 'username_characters'],
  [' 王小明 ', undefined],
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
