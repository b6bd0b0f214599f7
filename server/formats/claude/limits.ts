import { limitsAt } from '../token-limits.ts';

export const limits = limitsAt('max_tokens');
