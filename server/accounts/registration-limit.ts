import type { AppContext } from '#server/context.ts';
import type { RequestSource } from '#server/http/call.ts';
import { enforceSourceLimit } from '#server/http/rate-limit.ts';

/** Registrations per address, successful ones included, of every kind. */
const addressLimit = { count: 20, windowSeconds: 1200 };

/** @throws {AppError} `rate_limited` */
export function limitRegistrations(context: AppContext, source: RequestSource): Promise<void> {
  return enforceSourceLimit(context, source, { key: 'register', ...addressLimit });
}
