import { limitsAt } from '../token-limits.ts';

/** Where a request says how long the response may be. Readers of this format's JSON take the names of its definitions as well. */
export const limits = limitsAt(
  'generationConfig.maxOutputTokens',
  'generationConfig.max_output_tokens',
  'generation_config.maxOutputTokens',
  'generation_config.max_output_tokens',
);
