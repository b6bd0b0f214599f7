import { AppError } from '#shared/errors.ts';
import { resendSeconds } from '#shared/verification.ts';
import { foldEmail } from '#server/accounts/identities.ts';
import type { AppContext } from '#server/context.ts';
import type { RequestSource } from '#server/http/call.ts';
import { subscriberOf } from '#server/http/client-address.ts';
import { clearLimit, enforceLimit, enforceSourceLimit } from '#server/http/rate-limit.ts';

/** Mails per requesting address. */
const askerLimit = { count: 20, windowSeconds: 1200 };
/** Mails per receiver, from all requesters: prevents flooding a mailbox and guessing codes by requesting many. */
const receiverLimit = { count: 10, windowSeconds: 3600 };
/** Mails per receiver and requesting address, so that strangers cannot use up the owner's limit. */
const pairLimit = { count: 6, windowSeconds: 3600 };

/** @throws {AppError} `rate_limited` */
export function limitAsker(context: AppContext, source: RequestSource): Promise<void> {
  return enforceSourceLimit(context, source, { key: 'mail-from', ...askerLimit });
}

/** @throws {AppError} `mail_too_soon`, `rate_limited` */
export async function limitReceiver(context: AppContext, email: string, { source }: RequestSource): Promise<void> {
  const refuse = (seconds: number) => new AppError('mail_too_soon', { seconds }, { retryAfter: seconds });
  await enforceLimit(context, { key: soonKey(context, email, source), count: 1, windowSeconds: resendSeconds, refuse });
  const receiver = context.secrets.hash(foldEmail(email));
  await enforceLimit(context, { key: `mail-from-to:${receiver}:${subscriberOf(source)}`, ...pairLimit });
  await enforceLimit(context, { key: `mail-to:${receiver}`, ...receiverLimit });
}

/**
 * Limits test notifications to an unverified address, counted separately from the owner's codes and links.
 * @throws {AppError} `rate_limited`
 */
export function limitNotices(context: AppContext, email: string): Promise<void> {
  return enforceLimit(context, { key: `notice-to:${context.secrets.hash(foldEmail(email))}`, ...receiverLimit });
}

/** Resets the interval if nothing was sent. */
export function forgiveReceiver(context: AppContext, email: string, { source }: RequestSource): Promise<void> {
  return clearLimit(context, soonKey(context, email, source));
}

/** Per requester, so that strangers do not delay the owner. */
function soonKey({ secrets }: AppContext, email: string, source: string): string {
  return `mail-soon:${secrets.hash(foldEmail(email))}:${subscriberOf(source)}`;
}
