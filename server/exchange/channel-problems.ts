// Why a channel cannot be used, as reasons that are rendered in the reader's language.
import { type Language, reasonText } from '#shared/errors.ts';
import type { FailureReason } from '#shared/failure-reasons.ts';

/** Adds a problem unless it is known. */
export function noteProblem(problems: FailureReason[], problem: FailureReason | null): void {
  const text = problem === null ? '' : reasonText(problem, 'en');
  if (problem !== null && problems.every((known) => reasonText(known, 'en') !== text)) problems.push(problem);
}

/** Returns the only problem, or one that names all of them; null if there is none. */
export function together(problems: readonly FailureReason[]): FailureReason | null {
  const [first = null, ...others] = problems;
  if (others.length === 0) return first;
  const texts = (language: Language) => problems.map((problem) => reasonText(problem, language));
  return { code: 'channel_problems', facts: { problems: { zh: texts('zh').join('；'), en: texts('en').join('; ') } } };
}
