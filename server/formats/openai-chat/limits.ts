import { limitsAt } from '../token-limits.ts';

/** Fields for the output limit; providers differ in which one they apply. */
export const limits = limitsAt('max_tokens', 'max_completion_tokens');
