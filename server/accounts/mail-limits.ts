import { AppError } from '#shared/errors.ts';
import { resendSeconds } from '#shared/verification.ts';
import { foldEmail } from '#server/accounts/identities.ts';
import type { AppContext } from '#server/context.ts';
import type { RequestSource } from '#server/http/call.ts';
import { subscriberOf } from '#server/http/client-address.ts';
import { clearLimit, enforceLimit, enforceSourceLimit } from '#server/http/rate-limit.ts';

/** Mails that one address of the network asks for. */
const askerLimit = { count: 20, windowSeconds: 1200 };
/** Mails to one receiver, whoever asks: a mailbox is not to be flooded, and codes are not to be guessed by asking for many. */
const receiverLimit = { count: 10, windowSeconds: 3600 };
/** Of them, those that one address of the network asks for: a stranger leaves some to the owner. */
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
 * Test notices to an address that nobody has verified. Counted apart, so that they do not use up what codes and links of its owner may take.
 * @throws {AppError} `rate_limited`
 */
export function limitNotices(context: AppContext, email: string): Promise<void> {
  return enforceLimit(context, { key: `notice-to:${context.secrets.hash(foldEmail(email))}`, ...receiverLimit });
}

/** Nothing was sent: the next try need not wait. */
export function forgiveReceiver(context: AppContext, email: string, { source }: RequestSource): Promise<void> {
  return clearLimit(context, soonKey(context, email, source));
}

/** Of who asks, so that nobody makes others wait. */
function soonKey({ secrets }: AppContext, email: string, source: string): string {
  return `mail-soon:${secrets.hash(foldEmail(email))}:${subscriberOf(source)}`;
}
