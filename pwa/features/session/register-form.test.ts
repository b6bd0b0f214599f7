import { expect, test } from 'vitest';
import { registerBody, registerProblems } from './register-form.ts';

const good = { username: ' mira ', password: 'correct horse', password2: 'correct horse', email: '', verification_code: '' };

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

test('registration: e-mail and code go out only where they are asked for, the invite code only when there is one', () => {
  expect(registerBody({ ...good, email: 'x@y.z' }, { asksEmail: false, inviteCode: undefined })).toEqual({
    username: 'mira',
    password: 'correct horse',
    password2: 'correct horse',
  });
  expect(registerBody({ ...good, email: ' x@y.z ', verification_code: ' 123456 ' }, { asksEmail: true, inviteCode: 'Ab3d' })).toMatchObject(
    {
      email: 'x@y.z',
      verification_code: '123456',
      aff_code: 'Ab3d',
    },
  );
});
