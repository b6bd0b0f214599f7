// What registration sends.
import { type PasswordProblem, passwordProblem, type UsernameProblem, usernameProblem } from '#shared/account-rules.ts';
import type { RegisterInput } from '#shared/registration.ts';

export interface RegisterValues {
  username: string;
  password: string;
  password2: string;
  email: string;
  verification_code: string;
}

export type RegisterProblem = UsernameProblem | PasswordProblem | 'passwords_differ' | 'email_required' | 'code_required';

/** What is wrong with the values, by field. `needsMail`: the site wants an e-mail address with its code. */
export function registerProblems(values: RegisterValues, needsMail: boolean): Partial<Record<keyof RegisterValues, RegisterProblem>> {
  const problems: Partial<Record<keyof RegisterValues, RegisterProblem>> = {};
  const username = usernameProblem(values.username);
  const password = passwordProblem(values.password);
  if (username !== undefined) problems.username = username;
  if (password !== undefined) problems.password = password;
  if (values.password2 !== values.password) problems.password2 = 'passwords_differ';
  if (needsMail && values.email.trim() === '') problems.email = 'email_required';
  if (needsMail && values.verification_code.trim() === '') problems.verification_code = 'code_required';
  return problems;
}

export function registerBody(values: RegisterValues, inviteCode: string | undefined): RegisterInput {
  return {
    username: values.username.trim(),
    password: values.password,
    password2: values.password2,
    ...(values.email.trim() === '' ? {} : { email: values.email.trim(), verification_code: values.verification_code.trim() }),
    ...(inviteCode === undefined ? {} : { aff_code: inviteCode }),
  };
}
