import { expect, test } from 'vitest';
import { registerBody, registerProblems } from './register-form.ts';

const good = { username: ' mira ', password: 'correct horse', password2: 'correct horse' };

test('registration: what is right has no problems', () => {
  expect(registerProblems(good)).toEqual({});
});

test('registration: lengths count characters, not bytes', () => {
  expect(registerProblems({ ...good, username: '潮'.repeat(12), password: '密'.repeat(8), password2: '密'.repeat(8) })).toEqual({});
  expect(registerProblems({ ...good, username: '潮'.repeat(13) })).toEqual({ username: 'username_long' });
  expect(registerProblems({ ...good, password: '🌊'.repeat(7), password2: '🌊'.repeat(7) })).toEqual({ password: 'password_short' });
});

test('registration: a name that could pass for an address is refused before the server does', () => {
  expect(registerProblems({ ...good, username: 'mira@gate' })).toEqual({ username: 'username_address' });
});

test('registration: the invite code goes out only when there is one', () => {
  expect(registerBody(good, undefined)).toEqual({ username: 'mira', password: 'correct horse', password2: 'correct horse' });
  expect(registerBody(good, 'Ab3d')).toMatchObject({ username: 'mira', aff_code: 'Ab3d' });
});
