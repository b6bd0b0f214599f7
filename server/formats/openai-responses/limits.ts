import { limitsAt } from '../token-limits.ts';

/** Where a Responses request says how long the response may be, thoughts included. */
export const limits = limitsAt('max_output_tokens');
