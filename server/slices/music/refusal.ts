// How failures leave on the paths of Suno clients: `{code, message, data: null}`.
import { AppError, errorText, type Language } from '#shared/errors.ts';
import { bodyCodes, moneyCodes } from '#server/call/tasks/refusal-codes.ts';
import { TaskFailure } from '#server/call/tasks/task-failure.ts';
import type { TaskAnswer } from '#server/call/tasks/answer-tasks.ts';

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

/** Returns null if the failure is rendered as on other paths of the relay. */
export function musicRefusal(failure: unknown, language: Language): TaskAnswer | null {
  if (failure instanceof MusicRefusal) return refusal(failure.status, failure.code, failure.message);
  if (failure instanceof TaskFailure) {
    const text = errorText(failure.error.code, language, failure.error.details);
    if (failure.status >= 400) return refusal(failure.status, 'fail_to_fetch_task', text);
    return refusal(failure.error.status, failure.error.code, text);
  }
  if (!(failure instanceof AppError)) return null;
  if (moneyCodes.has(failure.code)) return refusal(403, 'quota_not_enough', 'user quota is not enough');
  const isOfBody = bodyCodes.has(failure.code) || failure.code === 'body_too_large';
  return isOfBody ? refusal(failure.status, 'invalid_request', errorText(failure.code, language, failure.details)) : null;
}

function refusal(status: number, code: string, message: string): TaskAnswer {
  return { status, body: { code, message, data: null } };
}
