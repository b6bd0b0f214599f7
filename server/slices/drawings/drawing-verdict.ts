// What a Midjourney proxy says to a submission.
import { type DrawingAction, SubmitCode } from '#shared/drawings.ts';
import type { Language } from '#shared/errors.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { storable } from '#server/db/storable.ts';
import type { Verdict } from '#server/work/tasks/submission.ts';
import { idOf, jsonOf, textOf, urlOf } from '#server/tasks/platforms/report-values.ts';
import { saturated } from './refusal.ts';

const queueFull = 23;
const noAccount = 3;
const saturatedCode = 30;
const limits = { text: 8_000, total: 64_000, elements: 100, levels: 8 };

/** They only open what is paid for next; their 21 means that the drawing waits for it. */
export const freeActions: ReadonlySet<string> = new Set<DrawingAction>(['INPAINT', 'CUSTOM_ZOOM']);

/** Returns null for an invalid response. */
export function readVerdict(answer: unknown, { action, language }: { action: DrawingAction; language: Language }): Verdict | null {
  if (!isObject(answer) || typeof answer['code'] !== 'number') return null;
  const { code } = answer;
  const shown = storable<Record<string, unknown>>(answer, limits);
  const body = { ...shown, code };
  if (action === 'SWAP_FACE' ? code === SubmitCode.submitted : accepted.has(code)) return readAccepted(action, answer, body);
  const reason = textOf(answer['description']) || `code ${code}`;
  const refusal = { kind: 'refused', code, reason } as const;
  if (code === saturatedCode) return { ...refusal, isElsewhere: true, ...saturated(reason, language) };
  if (code === noAccount) return { ...refusal, isElsewhere: true, disables: 'No available account instance', status: 200, body };
  return { ...refusal, isElsewhere: code === queueFull, status: 200, body };
}

const accepted: ReadonlySet<number> = new Set([SubmitCode.submitted, SubmitCode.exists, SubmitCode.queued]);

function readAccepted(action: DrawingAction, answer: Record<string, unknown>, body: { code: number }): Verdict | null {
  const { code } = body;
  const reported = freeActions.has(action) ? body : { ...body, code: SubmitCode.submitted };
  if (action === 'UPLOAD' && code === SubmitCode.submitted) {
    const done = { status: 'SUCCESS', properties: jsonOf({ result: answer['result'] }) };
    return { kind: 'accepted', code, upstreamId: undefined, done, body: reported };
  }
  const upstreamId = idOf(answer['result']);
  if (upstreamId === '') return null;
  const { properties } = answer;
  const isDone = code === SubmitCode.exists && isObject(properties) && properties['status'] === 'SUCCESS';
  if (!isDone) return { kind: 'accepted', code, upstreamId, body: reported };
  return { kind: 'accepted', code, upstreamId, done: { status: 'SUCCESS', image_url: urlOf(properties['imageUrl']) }, body: reported };
}
