// Why a task failed, in words that its reader understands.
import { errors, errorText } from '#shared/errors.ts';
import type { AppError, ErrorCode, Language } from '#shared/errors.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { storableText } from '#server/db/storable.ts';

export type FailReason = Pick<TaskRecord, 'fail_reason' | 'fail_reason_en'>;

const longest = 2_000;

/** As an upstream says it, in its words. */
export function reportedReason(text: string): FailReason {
  return { fail_reason: storableText(text, longest) };
}

/** As we say it, in each language. */
export function gatewayReason({ code, details }: AppError): FailReason {
  const text = (language: Language) => storableText(errorText(code, language, details), longest);
  return { fail_reason: text('zh'), fail_reason_en: text('en') };
}

/** Records of earlier servers have the code of an error; where its text needs details, there is no more than that. */
export function failReasonIn({ fail_reason: reason, fail_reason_en: english }: FailReason, language: Language): string {
  if (language === 'en' && english !== undefined) return english;
  return isCode(reason) && !errors[reason].zh.includes('{') ? errorText(reason, language) : reason;
}

function isCode(text: string): text is ErrorCode {
  return Object.hasOwn(errors, text);
}
