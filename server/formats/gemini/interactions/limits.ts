import { limitsAt } from '../../token-limits.ts';

/** The limit includes thinking. */
export const limits = limitsAt('generation_config.max_output_tokens');
