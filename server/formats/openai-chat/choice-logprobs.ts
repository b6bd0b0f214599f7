// Probabilities of tokens where a choice, whole or in a chunk, has them.
import type { TokenLogprob } from '../parts.ts';
import { writeLogprobs } from '../token-logprobs.ts';

/** @param isRefusal that is what they are the tokens of */
export function writeChoiceLogprobs(tokens: readonly TokenLogprob[], isRefusal: boolean): object {
  const written = writeLogprobs(tokens);
  return isRefusal ? { content: null, refusal: written } : { content: written, refusal: null };
}
