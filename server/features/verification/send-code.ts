import { AppError } from '#shared/errors.ts';
import { emailProblem, isAddress } from '#server/accounts/email-rules.ts';
import { bindEmail, findByEmail } from '#server/accounts/identities.ts';
import { forgiveReceiver, limitAsker, limitReceiver } from '#server/accounts/mail-limits.ts';
import { isCode, issueCode, takeCode, tidyCode } from '#server/accounts/verification-codes.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Caller, RequestFacts } from '#server/http/call.ts';
import { subscriberOf } from '#server/http/client-address.ts';
import { codeMail } from './mail-texts.ts';

const minutes = 3;
/** Hexadecimal: 16 million, of which five can be tried. */
const codeLength = 6;

/** Sends a code to an address that no account has. `caller` null: to register with it. */
export async function sendCode(
  context: AppContext,
  { facts, caller }: { facts: RequestFacts; caller: Caller | null },
  given: string | undefined,
): Promise<void> {
  const email = (given ?? '').trim();
  const problem = emailProblem(context.settings, email);
  // What is no address at all is a wrong parameter on this path.
  if (problem !== undefined) throw new AppError(isAddress(email) ? problem : 'invalid_parameter', {}, { field: 'email' });
  if (!context.mail.isConfigured) throw new AppError('mail_unconfigured');
  await limitAsker(context, facts);
  if ((await findByEmail(context, email)) !== null) throw new AppError('email_taken', {}, { field: 'email' });
  await limitReceiver(context, email, facts);
  const code = Buffer.from(context.secrets.hash(context.randomText(43)), 'base64url')
    .toString('hex')
    .slice(0, codeLength);
  await issueCode(context, { ...subjectOf(caller), email, place: subscriberOf(facts.source) }, { code, seconds: minutes * 60 });
  try {
    await context.mail.send({ to: email, ...codeMail(facts.language, { systemName: context.settings.get('SystemName'), code, minutes }) });
  } catch (failure) {
    await forgiveReceiver(context, email, facts);
    throw failure;
  }
}

/** @throws {AppError} `invalid_parameter`, `code_wrong`, `email_taken` */
export async function bindOwnEmail(
  context: AppContext,
  { caller, facts }: { caller: Caller; facts: RequestFacts },
  { email: given = '', code: typed = '' }: { email?: string | undefined; code?: string | undefined },
): Promise<UserRecord> {
  const email = given.trim();
  const code = tidyCode(typed);
  if (email === '' || code === '') throw new AppError('invalid_parameter', {}, { field: email === '' ? 'email' : 'code' });
  const problem = emailProblem(context.settings, email);
  if (problem !== undefined) throw new AppError(problem, {}, { field: 'email' });
  const subject = { ...subjectOf(caller), email, place: subscriberOf(facts.source) };
  const isRight = (await isCode(context, subject, code)) && (await takeCode(context, subject, code));
  if (!isRight) throw new AppError('code_wrong', {}, { field: 'code' });
  return bindEmail(context, caller.user.id, email);
}

function subjectOf(caller: Caller | null): { purpose: 'register' | 'bind'; userId: number } {
  return caller === null ? { purpose: 'register', userId: 0 } : { purpose: 'bind', userId: caller.user.id };
}
