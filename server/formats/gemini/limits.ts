import { isObject } from '#server/framing/loose-json.ts';
import { limitsAt } from '../token-limits.ts';
import type { TokenLimits } from '../token-limits.ts';

const [camel, snake] = [
  ['generationConfig.maxOutputTokens', 'generationConfig.max_output_tokens'],
  ['generation_config.maxOutputTokens', 'generation_config.max_output_tokens'],
] as const;
const plain = limitsAt(...camel, ...snake);
const spelled = limitsAt(...snake, ...camel);

/** Where a request says how long the response may be. Readers of this format's JSON take the names of its definitions as well. */
export const limits: TokenLimits = {
  ...plain,
  // A second object beside the caller's own would have providers choose between the two.
  bound: (body, tokens) => (isObject(body['generation_config']) ? spelled : plain).bound(body, tokens),
};
