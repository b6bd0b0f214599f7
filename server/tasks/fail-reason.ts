// Failure reasons of tasks: a provider's words, or a code with facts, rendered in the reader's language.
import { type ErrorCode, errors, errorText, type Language, reasonText } from '#shared/errors.ts';
import { type FailureReason, storedReason } from '#shared/failure-reasons.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { storableText } from '#server/db/storable.ts';

export type FailReason = Pick<TaskRecord, 'fail_reason' | 'fail_cause'>;

const longest = 2_000;

/** A reason in a provider's own words. */
export function saidByProvider(text: string): FailReason {
  return { fail_reason: storableText(text, longest) };
}

/** Reason of the gateway. The text is for earlier versions of the server. */
export function knownReason(reason: FailureReason): FailReason {
  return { fail_reason: storableText(reasonText(reason, 'zh'), longest), fail_cause: storedReason(reason) };
}

type StoredReason = Pick<TaskRecord, 'fail_reason' | 'fail_reason_en' | 'fail_cause'>;

/** Records of earlier versions have texts, or the code of an error; if the error's text needs details, the code is all there is. */
export function failReasonIn(
  { fail_reason: reason, fail_reason_en: english, fail_cause: cause }: StoredReason,
  language: Language,
): string {
  if (cause !== undefined) return reasonText(cause, language);
  if (language === 'en' && english !== undefined) return english;
  return isCode(reason) && !errors[reason].zh.includes('{') ? errorText(reason, language) : reason;
}

function isCode(text: string): text is ErrorCode {
  return Object.hasOwn(errors, text);
}
