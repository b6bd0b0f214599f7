import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidInput } from '#shared/field-rules.ts';
import type { RegisterInput } from '#shared/registration.ts';
import { checkPassword, checkUsername } from '#server/accounts/account-input.ts';
import { AlreadyBound, createAccount, findInviter } from '#server/accounts/create-account.ts';
import { emailProblem, longestEmail } from '#server/accounts/email-rules.ts';
import { findByEmail, foldEmail } from '#server/accounts/identities.ts';
import { findNamesake } from '#server/accounts/folded-name.ts';
import { hashPassword, strangerSource } from '#server/accounts/password.ts';
import { limitRegistrations } from '#server/accounts/registration-limit.ts';
import { requireSetUp } from '#server/accounts/setup-check.ts';
import { type CodeSubject, isCode, takeCode, tidyCode } from '#server/accounts/verification-codes.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { RequestFacts, RequestSource } from '#server/http/call.ts';
import { subscriberOf } from '#server/http/client-address.ts';
import { defaultTokenFields, insertTokens } from '#server/tokens/insert-token.ts';

/** $1; counts only if the owner makes the token limited. */
const defaultTokenQuota = 500_000;

/** The account that was made. */
export async function register(
  context: AppContext,
  input: RegisterInput,
  facts: RequestSource & Pick<RequestFacts, 'language'>,
): Promise<UserRecord> {
  await requireSetUp(context);
  const { settings } = context;
  if (!settings.get('RegisterEnabled')) throw new AppError('registration_closed');
  if (!settings.get('PasswordRegisterEnabled')) throw new AppError('password_registration_disabled');
  const username = checkUsername(input.username);
  checkPassword(input.password);
  if (input.password2 !== undefined && input.password2 !== '' && input.password2 !== input.password) {
    throw new AppError('setup_passwords_differ', {}, { field: 'password2' });
  }
  const verified = await checkEmail(context, input, facts.source);
  await limitRegistrations(context, facts);
  const email = (input.email ?? '').trim();
  if (email !== '' && (await findByEmail(context, email)) !== null) throw new AppError('username_taken', {}, { field: 'email' });
  // Before the code is used up: who has to choose another name needs it once more.
  if ((await findNamesake(context, username)) !== null) throw new AppError('username_taken', {}, { field: 'username' });
  const passwordHash = await hashPassword(input.password, strangerSource(facts.source));
  if (verified !== null && !(await takeCode(context, verified.subject, verified.code))) throw wrongCode();
  const user = await createAccount(context, {
    username,
    displayName: username,
    passwordHash,
    inviter: await findInviter(context, input.aff_code),
    actorId: 0,
    language: facts.language,
    // An unverified address is not stored: it could belong to another person.
    ...(verified === null ? {} : { bound: { email, email_folded: foldEmail(email) } }),
  }).catch((failure: unknown) => {
    if (!(failure instanceof AlreadyBound)) throw failure;
    throw new AppError('username_taken', {}, { cause: failure, field: 'email' });
  });
  if (!context.env.GENERATE_DEFAULT_TOKEN) return user;
  const token = { ...defaultTokenFields, name: `${user.username}的初始令牌`, remain_quota: defaultTokenQuota, unlimited_quota: true };
  await insertTokens(context, { userId: user.id, actorId: user.id }, [token]);
  return user;
}

/** The address with its code, where this site wants one; null where it does not. The code is not used up yet. */
async function checkEmail(
  context: AppContext,
  input: RegisterInput,
  source: string,
): Promise<{ subject: CodeSubject; code: string } | null> {
  const email = (input.email ?? '').trim();
  if (Array.from(email).length > longestEmail) throw invalidInput('email', fieldRules.longest(longestEmail));
  if (!context.settings.get('EmailVerificationEnabled')) return null;
  const code = tidyCode(input.verification_code ?? '');
  if (email === '' || code === '') {
    throw new AppError('email_code_required', {}, { field: email === '' ? 'email' : 'verification_code' });
  }
  const problem = emailProblem(context.settings, email);
  if (problem !== undefined) throw new AppError(problem, {}, { field: 'email' });
  const subject: CodeSubject = { purpose: 'register', email, userId: 0, place: subscriberOf(source) };
  if (!(await isCode(context, subject, code))) throw wrongCode();
  return { subject, code };
}

function wrongCode(): AppError {
  return new AppError('code_wrong', {}, { field: 'verification_code' });
}
