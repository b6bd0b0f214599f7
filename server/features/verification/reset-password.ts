import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { UserStatus } from '#shared/user.ts';
import { editAccount } from '#server/accounts/edit-account.ts';
import { endAccess } from '#server/accounts/end-access.ts';
import { findByEmail } from '#server/accounts/identities.ts';
import { limitAsker, limitReceiver } from '#server/accounts/mail-limits.ts';
import { hashPassword, ownerSource } from '#server/accounts/password.ts';
import { issueCode, isUnguessableCode, takeCode } from '#server/accounts/verification-codes.ts';
import type { AppContext } from '#server/context.ts';
import type { RequestFacts } from '#server/http/call.ts';
import { enforceSourceLimit } from '#server/http/rate-limit.ts';
import { siteAddress } from '#server/settings/site-address.ts';
import { resetMail } from './mail-texts.ts';

const minutes = 10;
/** 32 characters of 62: 190 random bits. */
const tokenLength = 32;
const passwordLength = 12;
/** Links that one address of the network tries: each of the right ones costs as much as a login. */
const tryLimit = { count: 20, windowSeconds: 1200 };
const address = z.email().max(254);

/**
 * Sends a link to the address's account. Neither the response nor its time reveals whether there is one: the mail leaves after it.
 * @throws {AppError} `invalid_parameter`, `mail_unconfigured`, `rate_limited`, `mail_too_soon`
 */
export async function requestReset(context: AppContext, facts: RequestFacts, given: string | undefined): Promise<void> {
  const email = (given ?? '').trim();
  if (!address.safeParse(email).success) throw new AppError('invalid_parameter', {}, { field: 'email' });
  if (!context.mail.isConfigured) throw new AppError('mail_unconfigured');
  await limitAsker(context, facts);
  await limitReceiver(context, email, facts);
  context.waitUntil(sendLink(context, facts, email));
}

async function sendLink(context: AppContext, { language }: RequestFacts, requested: string): Promise<void> {
  const user = await findByEmail(context, requested);
  if (user === null || user.DeletedAt !== null || user.status !== UserStatus.active) return;
  const { settings } = context;
  const token = context.randomText(tokenLength);
  await issueCode(context, { purpose: 'reset', userId: 0, email: user.email }, { code: token, seconds: minutes * 60 });
  const site = siteAddress(settings);
  const link = site === undefined ? undefined : `${site}/user/reset?${new URLSearchParams({ email: user.email, token }).toString()}`;
  const text = resetMail(language, { systemName: settings.get('SystemName'), token, link, minutes });
  await context.mail.send({ to: user.email, ...text });
}

/** Sets a new password by a link; ends every session, and the access token. @throws {AppError} `invalid_parameter`, `reset_link_invalid` */
export async function resetPassword(
  context: AppContext,
  facts: RequestFacts,
  { email, token }: { email: string; token: string },
): Promise<string> {
  if (email.trim() === '' || token.trim() === '') throw new AppError('invalid_parameter');
  await enforceSourceLimit(context, facts, { key: 'reset-from', ...tryLimit });
  const subject = { purpose: 'reset', userId: 0, email } as const;
  if (!(await isUnguessableCode(context, subject, token))) throw new AppError('reset_link_invalid');
  const user = await findByEmail(context, email);
  if (user === null || user.DeletedAt !== null || user.status !== UserStatus.active) throw new AppError('reset_link_invalid');
  const password = context.randomText(passwordLength);
  const hash = await hashPassword(password, ownerSource(user.id, facts.source));
  // Of two at once one gets the password that counts.
  if (!(await takeCode(context, subject, token))) throw new AppError('reset_link_invalid');
  await editAccount(context, { id: user.id, change: () => ({ set: { password_hash: hash } }) });
  await endAccess(context, user.id);
  return password;
}
