// What registration sends.
import { passwordProblem, usernameProblem } from '#shared/account-rules.ts';
import type { PasswordProblem, UsernameProblem } from '#shared/account-rules.ts';
import type { RegisterInput } from '#shared/session.ts';

export interface RegisterValues {
  username: string;
  password: string;
  password2: string;
}

export type RegisterProblem = UsernameProblem | PasswordProblem | 'passwords_differ';

/** What is wrong with the values, by field. */
export function registerProblems(values: RegisterValues): Partial<Record<keyof RegisterValues, RegisterProblem>> {
  const problems: Partial<Record<keyof RegisterValues, RegisterProblem>> = {};
  const username = usernameProblem(values.username);
  const password = passwordProblem(values.password);
  if (username !== undefined) problems.username = username;
  if (password !== undefined) problems.password = password;
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
