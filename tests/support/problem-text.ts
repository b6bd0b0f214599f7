import { reasonText } from '#shared/errors.ts';
import type { FailureReason } from '#shared/failure-reasons.ts';

/** Why a channel or its key cannot be used, in English; empty: it can. */
export function problemText({ problem }: { problem: FailureReason | null }): string {
  return problem === null ? '' : reasonText(problem, 'en');
}
