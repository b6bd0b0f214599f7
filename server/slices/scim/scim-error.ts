// Errors in the words of RFC 7644, 3.12.
import type { RouteHost } from '#server/http/mount.ts';
import type { RequestFacts } from '#server/http/call.ts';
import { toAppError } from '#server/http/failure.ts';

export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | undefined;
  constructor(status: number, detail: string, scimType?: ScimType) {
    super(detail);
    this.name = 'ScimError';
    this.status = status;
    this.scimType = scimType;
  }
}

/** @throws {ScimError} */
export function refuse(status: number, detail: string, scimType?: ScimType): never {
  throw new ScimError(status, detail, scimType);
}

interface Refusal {
  status: number;
  detail: string;
  scimType?: ScimType | undefined;
  /** Seconds. */
  retryAfter?: number | undefined;
}

const conflicts: ReadonlySet<string> = new Set(['organisation_last_owner', 'organisation_members_limit', 'team_limit_reached']);
const taken: ReadonlySet<string> = new Set(['team_name_taken', 'username_taken']);
const unknown: ReadonlySet<string> = new Set(['member_unknown', 'team_unknown', 'not_found']);

/** The refusal that a failure stands for. */
export function refusalOf({ context }: RouteHost, { requestId }: RequestFacts, failure: unknown): Refusal {
  if (failure instanceof ScimError) return { status: failure.status, detail: failure.message, scimType: failure.scimType };
  const error = toAppError(failure, context, requestId);
  const detail = error.message;
  if (unknown.has(error.code)) return { status: 404, detail };
  if (taken.has(error.code)) return { status: 409, detail, scimType: 'uniqueness' };
  if (conflicts.has(error.code)) return { status: 409, detail };
  if (error.code === 'rate_limited') return { status: 429, detail, retryAfter: error.retryAfter };
  if (error.status >= 500) return { status: error.status, detail, retryAfter: error.retryAfter };
  const isUnreadable = error.code === 'invalid_json' || error.code === 'body_empty' || error.code === 'invalid_utf8';
  return { status: error.status < 400 ? 400 : error.status, detail, scimType: isUnreadable ? 'invalidSyntax' : 'invalidValue' };
}
