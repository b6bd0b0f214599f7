// Values of the wizard and the body that it sends.
import { type PasswordProblem, passwordProblem, type UsernameProblem, usernameProblem } from '#shared/account-rules.ts';
import type { SetupInput } from '#shared/setup.ts';

export const usageModes = ['external', 'self', 'demo'] as const;
export type UsageMode = (typeof usageModes)[number];

export interface SetupValues {
  username: string;
  password: string;
  confirmPassword: string;
  setup_secret: string;
  mode: UsageMode;
}

export const emptySetup: SetupValues = { username: '', password: '', confirmPassword: '', setup_secret: '', mode: 'external' };

export interface SetupNeeds {
  /** There is no administrator yet. */
  needsAccount: boolean;
  needsSecret: boolean;
}

export type SetupProblem = UsernameProblem | PasswordProblem | 'passwords_differ' | 'secret_required';

/** What is wrong with the values, by field. */
export function setupProblems(
  values: SetupValues,
  { needsAccount, needsSecret }: SetupNeeds,
): Partial<Record<keyof SetupValues, SetupProblem>> {
  const account: Partial<Record<keyof SetupValues, SetupProblem>> = {};
  if (needsAccount) {
    const username = usernameProblem(values.username);
    const password = passwordProblem(values.password);
    if (username !== undefined) account.username = username;
    if (password !== undefined) account.password = password;
    if (values.confirmPassword !== values.password) account.confirmPassword = 'passwords_differ';
  }
  return { ...account, ...(needsSecret && values.setup_secret === '' ? { setup_secret: 'secret_required' } : {}) };
}

export function setupBody(values: SetupValues, { needsAccount, needsSecret }: SetupNeeds): SetupInput {
  return {
    ...(needsAccount ? { username: values.username.trim(), password: values.password, confirmPassword: values.confirmPassword } : {}),
    ...(needsSecret ? { setup_secret: values.setup_secret } : {}),
    SelfUseModeEnabled: values.mode === 'self',
    DemoSiteEnabled: values.mode === 'demo',
  };
}
