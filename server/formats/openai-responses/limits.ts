import { limitsAt } from '../token-limits.ts';

/** The limit includes thinking. */
export const limits = limitsAt('max_output_tokens');
