import type { AppContext } from '#server/context.ts';
import { subscriberOf } from '#server/http/client-address.ts';
import { enforceLimit } from '#server/http/rate-limit.ts';

/** Registrations from one address, successful ones included, whichever way. */
const addressLimit = { count: 20, windowSeconds: 1200 };

/** @throws {AppError} `rate_limited` */
export function limitRegistrations(context: AppContext, ip: string): Promise<void> {
  return enforceLimit(context, { key: `register:${subscriberOf(ip)}`, ...addressLimit });
}
