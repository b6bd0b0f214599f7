// What names and passwords must be like, in the console's forms and on the server alike. Lengths count characters, not bytes.
import { looksLikeAnother } from './look-alike-names.ts';
import { displayNameLimit, passwordLimits, usernameLimit } from './user.ts';

export type UsernameProblem = 'username_required' | 'username_long' | 'username_address' | 'username_characters';
export type DisplayNameProblem = 'display_name_long' | 'display_name_characters';
export type PasswordProblem = 'password_short' | 'password_long';

/** Control and formatting characters, line ends, what is drawn as nothing: they would let two names look alike. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}\u2800]/u;
/** Line ends, and what turns the direction of the text around a name (UAX #9, explicit formatting). */
const disruptive = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const invisible = /[\p{DI}\p{White_Space}\u2800]/gu;

const characters = (text: string) => Array.from(text).length;

/** A name as it is stored and looked up. */
export function tidyName(given: string): string {
  return given.normalize('NFC').trim();
}

export function usernameProblem(given: string): UsernameProblem | undefined {
  const name = tidyName(given);
  if (name === '') return 'username_required';
  // Login takes a name or an e-mail address: a name must not be able to pass for an address. Most addresses are also too long.
  if (name.includes('@')) return 'username_address';
  if (characters(name) > usernameLimit) return 'username_long';
  return unprintable.test(name) || looksLikeAnother(name) ? 'username_characters' : undefined;
}

/** An empty name is none: it is shown as the username. */
export function displayNameProblem(given: string): DisplayNameProblem | undefined {
  const name = tidyName(given);
  if (characters(name) > displayNameLimit) return 'display_name_long';
  const isBlank = name !== '' && name.replace(invisible, '') === '';
  return isBlank || disruptive.test(name) ? 'display_name_characters' : undefined;
}

export function passwordProblem(password: string): PasswordProblem | undefined {
  const length = characters(password);
  if (length < passwordLimits.min) return 'password_short';
  return length > passwordLimits.max ? 'password_long' : undefined;
}
