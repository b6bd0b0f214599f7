import type { TFunction } from 'i18next';
import { displayNameLimit, passwordLimits, usernameLimit } from '#shared/user.ts';
import type { UserProblem } from './user-values.ts';

export function userProblemText(t: TFunction, problem: UserProblem): string {
  return t(`users.problem.${problem}`, {
    ...passwordLimits,
    limit: problem === 'username_long' ? usernameLimit : displayNameLimit,
  });
}
