// What names and passwords must look like, wherever they come in. Lengths count characters, not bytes.
import { fieldRules, invalidInput } from '#shared/field-rules.ts';
import { displayNameLimit, passwordLimits, usernameLimit } from '#shared/users.ts';

const characters = (text: string) => Array.from(text).length;
/** Control and formatting characters, line ends, what is drawn as nothing: they would let two names look alike. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}\u2800]/u;
/** Line ends, and what turns the direction of the text around a name (UAX #9, explicit formatting). */
const disruptive = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const invisible = /[\p{DI}\p{White_Space}\u2800]/gu;

/** The name as it is stored. @throws {AppError} `invalid_input` */
export function checkUsername(given: string): string {
  const name = given.normalize('NFC').trim();
  if (name === '') throw invalidInput('username', fieldRules.required);
  if (characters(name) > usernameLimit) throw invalidInput('username', fieldRules.longest(usernameLimit));
  // Login takes a name or an e-mail address: a name must not be able to pass for an address.
  if (name.includes('@') || unprintable.test(name)) throw invalidInput('username', fieldRules.characters);
  return name;
}

/** @throws {AppError} `invalid_input` */
export function checkDisplayName(given: string): string {
  const name = given.normalize('NFC').trim();
  if (characters(name) > displayNameLimit) throw invalidInput('display_name', fieldRules.longest(displayNameLimit));
  const isBlank = name !== '' && name.replace(invisible, '') === '';
  if (isBlank || disruptive.test(name)) throw invalidInput('display_name', fieldRules.characters);
  return name;
}

/** @throws {AppError} `invalid_input` */
export function checkPassword(password: string): void {
  const length = characters(password);
  if (length < passwordLimits.min) throw invalidInput('password', fieldRules.shortest(passwordLimits.min));
  if (length > passwordLimits.max) throw invalidInput('password', fieldRules.longest(passwordLimits.max));
}

/** A name as somebody typed it at login. */
export function normaliseLoginName(given: string): string {
  return given.normalize('NFC').trim();
}
