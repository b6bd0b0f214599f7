import { limitsAt } from '../token-limits.ts';

/** Limit of output tokens, thinking included. */
export const limits = limitsAt('max_output_tokens');
