import { limitsAt } from '../token-limits.ts';

/** Providers differ in which field they apply. */
export const limits = limitsAt('max_tokens', 'max_completion_tokens');
