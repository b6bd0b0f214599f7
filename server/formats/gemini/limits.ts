import { isObject } from '#server/framing/loose-json.ts';
import { limitsAt, type TokenLimits } from '../token-limits.ts';

const [camel, snake] = [
  ['generationConfig.maxOutputTokens', 'generationConfig.max_output_tokens'],
  ['generation_config.maxOutputTokens', 'generation_config.max_output_tokens'],
] as const;
const plain = limitsAt(...camel, ...snake);
const spelled = limitsAt(...snake, ...camel);

/** Proto names are accepted as well. */
export const limits: TokenLimits = {
  ...plain,
  // With both spellings in a body, providers would have to choose one.
  bound: (body, tokens) => (isObject(body['generation_config']) ? spelled : plain).bound(body, tokens),
};
