import { expect, test } from 'vitest';
import { registerBody, registerProblems } from './register-form.ts';

const good = { username: ' mira ', password: 'correct horse', password2: 'correct horse', email: '', verification_code: '' };

test('registration: what is right has no problems', () => {
  expect(registerProblems(good, false)).toEqual({});
});

test('registration: lengths count characters, not bytes', () => {
  expect(registerProblems({ ...good, username: '潮'.repeat(12), password: '密'.repeat(8), password2: '密'.repeat(8) }, false)).toEqual({});
  expect(registerProblems({ ...good, username: '潮'.repeat(13) }, false)).toEqual({ username: 'username_long' });
  expect(registerProblems({ ...good, password: '🌊'.repeat(7), password2: '🌊'.repeat(7) }, false)).toEqual({ password: 'password_short' });
});

test('registration: a name that could pass for an address is refused before the server does', () => {
  expect(registerProblems({ ...good, username: 'mira@gate' }, false)).toEqual({ username: 'username_address' });
});

test('registration: the invite code goes out only when there is one', () => {
  expect(registerBody(good, undefined)).toEqual({ username: 'mira', password: 'correct horse', password2: 'correct horse' });
  expect(registerBody(good, 'Ab3d')).toMatchObject({ username: 'mira', aff_code: 'Ab3d' });
});

test('registration: where addresses are verified, one with its code is needed, and goes out', () => {
  expect(registerProblems(good, true)).toEqual({ email: 'email_required', verification_code: 'code_required' });
  const whole = { ...good, email: ' mira@example.org ', verification_code: ' ab12cd ' };
  expect(registerProblems(whole, true)).toEqual({});
  expect(registerBody(whole, undefined)).toMatchObject({ email: 'mira@example.org', verification_code: 'ab12cd' });
});
