import { limitsAt } from '../token-limits.ts';

/** Where a chat completion request says how long a choice may be. Providers differ in which they heed. */
export const limits = limitsAt('max_tokens', 'max_completion_tokens');
