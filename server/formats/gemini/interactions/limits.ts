import { limitsAt } from '../../token-limits.ts';

/** Where a request says how long the response may be, thoughts included. */
export const limits = limitsAt('generation_config.max_output_tokens');
