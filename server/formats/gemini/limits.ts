import { isObject } from '#server/framing/loose-json.ts';
import { limitsAt, type TokenLimits } from '../token-limits.ts';

const [camel, snake] = [
  ['generationConfig.maxOutputTokens', 'generationConfig.max_output_tokens'],
  ['generation_config.maxOutputTokens', 'generation_config.max_output_tokens'],
] as const;
const plain = limitsAt(...camel, ...snake);
const spelled = limitsAt(...snake, ...camel);

/** Token limits, under both spellings of their member. */
export const limits: TokenLimits = {
  ...plain,
  // The limit is written in the spelling of the body, because a body must not have both.
  bound: (body, tokens) => (isObject(body['generation_config']) ? spelled : plain).bound(body, tokens),
};
