// What the wizard asks and what it sends. The rules are the server's; here they only answer sooner.
import type { SetupInput } from '#shared/setup.ts';
import { passwordLimits, usernameLimit } from '#shared/users.ts';

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
  asksAccount: boolean;
  asksSecret: boolean;
}

export type SetupProblem =
  | 'username_required'
  | 'username_long'
  | 'password_short'
  | 'password_long'
  | 'passwords_differ'
  | 'secret_required';

/** What is wrong with the values, by field. */
export function setupProblems(
  values: SetupValues,
  { asksAccount, asksSecret }: SetupNeeds,
): Partial<Record<keyof SetupValues, SetupProblem>> {
  const account: Partial<Record<keyof SetupValues, SetupProblem>> = {};
  if (asksAccount) {
    const username = Array.from(values.username.trim()).length;
    const password = Array.from(values.password).length;
    if (username === 0) account.username = 'username_required';
    else if (username > usernameLimit) account.username = 'username_long';
    if (password < passwordLimits.min) account.password = 'password_short';
    else if (password > passwordLimits.max) account.password = 'password_long';
    if (values.confirmPassword !== values.password) account.confirmPassword = 'passwords_differ';
  }
  return { ...account, ...(asksSecret && values.setup_secret === '' ? { setup_secret: 'secret_required' } : {}) };
}

export function setupBody(values: SetupValues, { asksAccount, asksSecret }: SetupNeeds): SetupInput {
  return {
    ...(asksAccount ? { username: values.username.trim(), password: values.password, confirmPassword: values.confirmPassword } : {}),
    ...(asksSecret ? { setup_secret: values.setup_secret } : {}),
    SelfUseModeEnabled: values.mode === 'self',
    DemoSiteEnabled: values.mode === 'demo',
  };
}
