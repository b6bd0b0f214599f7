import { passwordProblem } from '#shared/account-rules.ts';

export interface PasswordValues {
  original_password: string;
  password: string;
  again: string;
}

export type PasswordProblem = 'old_required' | 'short' | 'long' | 'differ';

/** What is wrong, by field. */
export function passwordProblems(values: PasswordValues): Partial<Record<keyof PasswordValues, PasswordProblem>> {
  const problems: Partial<Record<keyof PasswordValues, PasswordProblem>> = {};
  if (values.original_password === '') problems.original_password = 'old_required';
  const password = passwordProblem(values.password);
  if (password !== undefined) problems.password = password === 'password_short' ? 'short' : 'long';
  if (values.again !== values.password) problems.again = 'differ';
  return problems;
}
