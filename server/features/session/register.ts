import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidInput } from '#shared/field-rules.ts';
import type { RegisterInput } from '#shared/session.ts';
import { checkPassword, checkUsername } from '#server/accounts/account-input.ts';
import { createAccount, findInviter } from '#server/accounts/create-account.ts';
import { hashPassword } from '#server/accounts/password.ts';
import { limitRegistrations } from '#server/accounts/registration-limit.ts';
import { requireSetUp } from '#server/accounts/setup-check.ts';
import type { AppContext } from '#server/context.ts';
import { subscriberOf } from '#server/http/client-address.ts';
import { defaultTokenFields, insertTokens } from '#server/tokens/insert-token.ts';

const longestEmail = 50;
/** $1; counts only if the owner makes the token limited. */
const defaultTokenQuota = 500_000;

export async function register(context: AppContext, input: RegisterInput, ip: string): Promise<void> {
  await requireSetUp(context);
  const { settings } = context;
  if (!settings.get('RegisterEnabled')) throw new AppError('registration_closed');
  if (!settings.get('PasswordRegisterEnabled')) throw new AppError('password_registration_disabled');
  // Codes are sent by `GET /api/verification`; while that call does not exist nobody can have one.
  if (settings.get('EmailVerificationEnabled')) throw new AppError('email_verification_unavailable');
  const username = checkUsername(input.username);
  checkPassword(input.password);
  if (input.password2 !== undefined && input.password2 !== '' && input.password2 !== input.password) {
    throw new AppError('setup_passwords_differ', {}, { field: 'password2' });
  }
  const email = (input.email ?? '').trim();
  if (Array.from(email).length > longestEmail) {
    throw invalidInput('email', fieldRules.longest(longestEmail));
  }
  await limitRegistrations(context, ip);
  if (email !== '' && (await context.db.collection('users').first({ email })) !== null) {
    throw new AppError('username_taken', {}, { field: 'email' });
  }
  const user = await createAccount(context, {
    username,
    displayName: username,
    passwordHash: await hashPassword(input.password, `address:${subscriberOf(ip)}`),
    inviter: await findInviter(context, input.aff_code),
    actorId: 0,
  });
  if (!context.env.GENERATE_DEFAULT_TOKEN) return;
  const token = { ...defaultTokenFields, name: `${user.username}的初始令牌`, remain_quota: defaultTokenQuota, unlimited_quota: true };
  await insertTokens(context, { userId: user.id, actorId: user.id }, [token]);
}
