import { passwordLimits } from '#shared/users.ts';

export interface PasswordValues {
  original_password: string;
  password: string;
  again: string;
}

export type PasswordProblem = 'old_required' | 'short' | 'long' | 'differ';

/** What is wrong, by field. The rules are the server's; here they only answer sooner. */
export function passwordProblems(values: PasswordValues): Partial<Record<keyof PasswordValues, PasswordProblem>> {
  const problems: Partial<Record<keyof PasswordValues, PasswordProblem>> = {};
  const length = Array.from(values.password).length;
  if (values.original_password === '') problems.original_password = 'old_required';
  if (length < passwordLimits.min) problems.password = 'short';
  else if (length > passwordLimits.max) problems.password = 'long';
  if (values.again !== values.password) problems.again = 'differ';
  return problems;
}
