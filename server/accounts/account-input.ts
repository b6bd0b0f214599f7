// Validates names and passwords. The rules are shared with the console.
import {
  type DisplayNameProblem,
  displayNameProblem,
  type PasswordProblem,
  passwordProblem,
  tidyName,
  type UsernameProblem,
  usernameProblem,
} from '#shared/account-rules.ts';
import type { LocalText } from '#shared/errors.ts';
import { fieldRules, invalidInput } from '#shared/field-rules.ts';
import { displayNameLimit, passwordLimits, usernameLimit } from '#shared/user.ts';

const rules: Record<UsernameProblem | DisplayNameProblem | PasswordProblem, LocalText> = {
  username_required: fieldRules.required,
  username_long: fieldRules.longest(usernameLimit),
  username_address: fieldRules.characters,
  username_characters: fieldRules.characters,
  display_name_long: fieldRules.longest(displayNameLimit),
  display_name_characters: fieldRules.characters,
  password_short: fieldRules.shortest(passwordLimits.min),
  password_long: fieldRules.longest(passwordLimits.max),
};

/**
 * Returns the name as stored.
 * @throws {AppError} `invalid_input`
 */
export function checkUsername(given: string): string {
  refuse('username', usernameProblem(given));
  return tidyName(given);
}

/**
 * Returns the name as stored.
 * @throws {AppError} `invalid_input`
 */
export function checkDisplayName(given: string): string {
  refuse('display_name', displayNameProblem(given));
  return tidyName(given);
}

/** @throws {AppError} `invalid_input` */
export function checkPassword(password: string): void {
  refuse('password', passwordProblem(password));
}

function refuse(field: string, problem: keyof typeof rules | undefined): void {
  if (problem !== undefined) throw invalidInput(field, rules[problem]);
}
