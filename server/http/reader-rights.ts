// What is written for long ends when who reads it has no right to it any more: signed out, banned, demoted, deleted.
import { AppError } from '#shared/errors.ts';
import type { Endpoint } from '#shared/contract.ts';
import { Role } from '#shared/roles.ts';
import type { RequestFacts } from './call.ts';
import type { RouteHost } from './mount.ts';

export interface LogReader {
  endpoint: Endpoint;
  facts: RequestFacts;
  userId: number;
  /** Only that user's rows, without what concerns administrators. */
  ownId?: number;
}

/** The session or access token, its rights and its account as they are now. */
export async function mayStillRead(host: RouteHost, { endpoint, facts, userId, ownId }: LogReader): Promise<boolean> {
  try {
    const caller = await host.identify(facts, endpoint);
    return caller?.user.id === userId && (ownId !== undefined || caller.user.role >= Role.admin);
  } catch (failure) {
    // A database that is away says nothing about rights.
    if (failure instanceof AppError && failure.status < 500) return false;
    throw failure;
  }
}
