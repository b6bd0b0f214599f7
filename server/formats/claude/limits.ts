import { limitsAt } from '../token-limits.ts';

/** Where a Messages request says how long the response may be. */
export const limits = limitsAt('max_tokens');
