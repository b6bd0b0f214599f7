import { z } from 'zod/mini';
import { Role } from '#shared/roles.ts';
import { translate } from '#pwa/i18n/setup.ts';
import { storedUser } from './stored-user.ts';

/** Reason why a call has no answer. */
export type LocalCode = 'offline' | 'server_unreachable' | 'timed_out' | 'cancelled' | 'bad_answer';

/**
 * A console call that failed. `code` is one of `shared/errors.ts` when the server refused, a `LocalCode` when it did not
 * answer, and `http_<status>` when something between answered instead. `message` is text for people, in their language.
 */
export class CallFailure extends Error {
  readonly code: string;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** The input at fault, as the body names it. */
  readonly field: string | undefined;
  /** Seconds to wait, from `Retry-After`. */
  readonly retryAfter: number | undefined;
  /** What came with the refusal: the current value on `revision_conflict`. */
  readonly data: unknown;
  /** Further top-level keys of the answer. */
  readonly extra: unknown;
  /** What a maintainer needs to know: method, path, status, request id. */
  readonly details: string;
  /** The server's own number of the request, when it answered. */
  readonly requestId: string | undefined;

  constructor(parts: {
    code: string;
    message: string;
    status?: number;
    field?: string;
    retryAfter?: number;
    data?: unknown;
    extra?: unknown;
    details?: string;
    requestId?: string;
    cause?: unknown;
  }) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = 'CallFailure';
    this.code = parts.code;
    this.status = parts.status ?? 0;
    this.field = parts.field;
    this.retryAfter = parts.retryAfter;
    this.data = parts.data;
    this.extra = parts.extra;
    this.details = parts.details ?? '';
    this.requestId = parts.requestId;
  }

  /** True when the server was not reached, so that the same call may work later. */
  get isUnreachable(): boolean {
    return this.code === 'offline' || this.code === 'server_unreachable' || this.code === 'timed_out';
  }
}

/** The failure behind anything that was thrown. */
export function failureOf(thrown: unknown): CallFailure {
  if (thrown instanceof CallFailure) return thrown;
  const detail = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return new CallFailure({ code: 'bad_answer', message: translate('errors.bad_answer'), details: detail, cause: thrown });
}

/** The record as others have saved it meanwhile, when an edit was refused for that. */
export function newerRecord<Row>(thrown: unknown, schema: z.core.$ZodType<Row>): Row | undefined {
  const { code, data } = failureOf(thrown);
  return code === 'revision_conflict' ? z.safeParse(schema, data).data : undefined;
}

/** What a call was refused with, unless a field shows it, or the sign-in over the page does. */
export function refusalText(error: Error | null, form: { errors: object }): string | undefined {
  if (error === null) return undefined;
  const { code, field, message } = failureOf(error);
  if (code === 'not_logged_in') return undefined;
  return field !== undefined && field in form.errors ? undefined : message;
}

/** Returns whether the reader is an administrator, whom messages refer other users to. */
function isAdmin(): boolean {
  return (storedUser()?.role ?? Role.guest) >= Role.admin;
}

/** Returns the message of a status. Statuses with a text in the specification have it even if a proxy sent them. */
export function statusMessage(status: number, sent: string, retryAfter: number | undefined): string {
  if (status === 429) {
    return retryAfter === undefined ? sent || translate('errors.too_many') : translate('errors.too_many_wait', { seconds: retryAfter });
  }
  if (status === 405) return translate('errors.demo_only');
  if (status === 500) return translate(isAdmin() ? 'errors.server_fault_admin' : 'errors.server_fault');
  if (sent !== '') return sent;
  if (status === 502 || status === 503 || status === 504) return translate('errors.server_unreachable');
  return translate('errors.http', { status });
}
