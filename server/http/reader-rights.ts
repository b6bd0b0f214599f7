// Ends long streams when their reader loses access: signed out, banned, demoted, deleted.
import { AppError } from '#shared/errors.ts';
import type { Endpoint } from '#shared/contract.ts';
import { mayInOrganisation } from '#shared/organisation-roles.ts';
import { Role } from '#shared/roles.ts';
import type { RequestFacts } from './call.ts';
import type { RouteHost } from './mount.ts';

export interface StreamReader {
  endpoint: Endpoint;
  facts: RequestFacts;
  userId: number;
  /** Restricts the stream to that user's rows, without data for administrators. */
  ownId?: number;
  /** Whether the stream has calls of other members of the organisation, which the reader must still be allowed to read. */
  readsUsage?: boolean;
  /** Role that the reader must still have, unless `ownId` is defined; of an administrator if undefined. */
  role?: number;
}

/** Checks the current session or access token, its rights and its account. */
export async function mayStillRead(
  host: RouteHost,
  { endpoint, facts, userId, ownId, readsUsage = false, role = Role.admin }: StreamReader,
): Promise<boolean> {
  try {
    const caller = await host.identify(facts, endpoint);
    if (readsUsage && !mayInOrganisation(caller?.membership?.member.role ?? 'developer', 'usage')) return false;
    return caller?.user.id === userId && (ownId !== undefined || caller.user.role >= role);
  } catch (failure) {
    // An unavailable database does not revoke access.
    if (failure instanceof AppError && failure.status < 500) return false;
    throw failure;
  }
}
