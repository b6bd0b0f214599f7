// Reason of a channel's status, in the text `other_info` that clients read: `status_reason` is rendered when it is
// read.
import { type Language, type LocalText, reasonText } from '#shared/errors.ts';
import type { FailureReason } from '#shared/failure-reasons.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';

interface StatusReason {
  status_reason: string;
  /** Undefined in records of earlier versions, which stored the rendered text. */
  status_fact: FailureReason | undefined;
}

/** Reason as stored; null if there is none. */
export function statusReason(reason: FailureReason | null): StatusReason {
  return reason === null ? { status_reason: '', status_fact: undefined } : { status_reason: reason.code, status_fact: reason };
}

/** Renders a stored reason, or returns the text of an earlier version. Empty if nothing failed. */
export function readReasonText(reason: FailureReason | null | undefined, words: string | undefined, language: Language): string {
  return reason === null || reason === undefined ? (words ?? '') : reasonText(reason, language);
}

/** Renders `other_info` in the reader's language. */
export function presentInfo(info: string, language: Language): string {
  const { status_fact: fact, ...shown } = parseObject(info) ?? {};
  const reason = readReason(fact);
  return reason === null ? info : JSON.stringify({ ...shown, status_reason: reasonText(reason, language) });
}

function readReason(fact: unknown): FailureReason | null {
  if (!isObject(fact) || typeof fact.code !== 'string') return null;
  const facts = isObject(fact.facts) ? Object.entries(fact.facts) : [];
  const known = facts.filter((entry): entry is [string, string | number | LocalText] => isFact(entry[1]));
  return { code: fact.code, facts: Object.fromEntries(known) };
}

function isFact(value: unknown): value is string | number | LocalText {
  if (typeof value === 'string' || typeof value === 'number') return true;
  return isObject(value) && typeof value.zh === 'string' && typeof value.en === 'string';
}
