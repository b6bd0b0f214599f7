// How failures leave on the paths of Suno clients: `{code, message, data: null}`.
import { AppError, errorText } from '#shared/errors.ts';
import type { ErrorCode, Language } from '#shared/errors.ts';
import { TaskFailure } from '#server/relay/tasks/task-failure.ts';
import type { TaskAnswer } from '#server/relay/tasks/submit-task.ts';

export class MusicRefusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'MusicRefusal';
    this.status = status;
    this.code = code;
  }
}

const moneyCodes: ReadonlySet<ErrorCode> = new Set(['insufficient_user_quota', 'pre_consume_token_quota_failed', 'key_exhausted']);
const bodyCodes: ReadonlySet<ErrorCode> = new Set([
  'body_empty',
  'body_too_deep',
  'invalid_json',
  'invalid_json_long',
  'invalid_utf8',
  'invalid_request',
]);

/** Null: it is told as on every path of the relay. */
export function musicRefusal(failure: unknown, language: Language): TaskAnswer | null {
  if (failure instanceof MusicRefusal) return refusal(failure.status, failure.code, failure.message);
  if (failure instanceof TaskFailure) {
    const text = errorText(failure.error.code, language, failure.error.details);
    if (failure.upstreamStatus >= 400) return refusal(failure.upstreamStatus, 'fail_to_fetch_task', text);
    return refusal(failure.error.status, failure.error.code, text);
  }
  if (!(failure instanceof AppError)) return null;
  if (moneyCodes.has(failure.code)) return refusal(403, 'quota_not_enough', 'user quota is not enough');
  return bodyCodes.has(failure.code) ? refusal(400, 'invalid_request', errorText(failure.code, language, failure.details)) : null;
}

function refusal(status: number, code: string, message: string): TaskAnswer {
  return { status, body: { code, message, data: null } };
}
