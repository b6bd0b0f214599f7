import { limitsAt } from '../../token-limits.ts';

/** Limit of output tokens, thinking included. */
export const limits = limitsAt('generation_config.max_output_tokens');
