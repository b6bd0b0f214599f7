// How failures leave on the paths of Midjourney clients.
import { AppError, errorText, type Language } from '#shared/errors.ts';
import { bodyCodes, moneyCodes } from '#server/call/tasks/refusal-codes.ts';
import { BoundRefusal } from '#server/call/tasks/task-bounds.ts';
import { TaskFailure } from '#server/call/tasks/task-failure.ts';

/** A request that cannot be handed on; clients compare the description. */
export class DrawingRefusal extends Error {
  readonly description: string;
  constructor(description: string) {
    super(description);
    this.name = 'DrawingRefusal';
    this.description = description;
  }
}

const requestCode = 4;
const unknownCode = 5;
const saturatedCode = 30;
export const channelDisabledText = '该任务所属渠道已被禁用';

/** Returns null if the failure is rendered as on other paths of the relay. */
export function drawingRefusal(failure: unknown, language: Language): { status: number; body: object } | null {
  if (failure instanceof DrawingRefusal) return refusal(failure.description, requestCode);
  if (failure instanceof TaskFailure) {
    if (failure.status === 429) return saturated(failure.reason, language);
    return refusal(`do_request_failed ${errorText(failure.error.code, language, failure.error.details)}`, unknownCode);
  }
  if (!(failure instanceof AppError)) return null;
  const text = errorText(failure.code, language, failure.details);
  if (failure instanceof BoundRefusal) return refusal(`bind_request_body_failed ${text}`, requestCode);
  if (failure.code === 'body_too_large') return refusal(`bind_request_body_failed ${text}`, requestCode, failure.status);
  if (failure.code === 'rate_limited') return refusal(text, saturatedCode, failure.status);
  if (moneyCodes.has(failure.code)) return refusal('quota_not_enough', requestCode);
  return bodyCodes.has(failure.code) && failure.field === undefined ? refusal('bind_request_body_failed', requestCode) : null;
}

/** The upstream's words, then ours. */
export function saturated(description: string, language: Language): { status: number; body: object } {
  return refusal(`${description} ${errorText('drawing_saturated', language)}`, saturatedCode, 429);
}

function refusal(description: string, code: number, status = 400): { status: number; body: object } {
  return { status, body: { description, type: 'upstream_error', code } };
}
