// What registration sends. The rules are the server's; here they only answer sooner.
import type { RegisterInput } from '#shared/session.ts';
import { passwordLimits, usernameLimit } from '#shared/users.ts';

export interface RegisterValues {
  username: string;
  password: string;
  password2: string;
}

export type RegisterProblem =
  | 'username_required'
  | 'username_long'
  | 'username_address'
  | 'password_short'
  | 'password_long'
  | 'passwords_differ';

/** What is wrong with the values, by field. */
export function registerProblems(values: RegisterValues): Partial<Record<keyof RegisterValues, RegisterProblem>> {
  const problems: Partial<Record<keyof RegisterValues, RegisterProblem>> = {};
  const username = values.username.trim();
  const length = Array.from(values.password).length;
  if (username === '') problems.username = 'username_required';
  else if (Array.from(username).length > usernameLimit) problems.username = 'username_long';
  else if (username.includes('@')) problems.username = 'username_address';
  if (length < passwordLimits.min) problems.password = 'password_short';
  else if (length > passwordLimits.max) problems.password = 'password_long';
  if (values.password2 !== values.password) problems.password2 = 'passwords_differ';
  return problems;
}

export function registerBody(values: RegisterValues, inviteCode: string | undefined): RegisterInput {
  return {
    username: values.username.trim(),
    password: values.password,
    password2: values.password2,
    ...(inviteCode === undefined ? {} : { aff_code: inviteCode }),
  };
}
