// Log probabilities of a choice, complete or in a chunk.
import type { TokenLogprob } from '../parts.ts';
import { writeLogprobs } from '../token-logprobs.ts';

/** @param isRefusal the tokens belong to a refusal */
export function writeChoiceLogprobs(tokens: readonly TokenLogprob[], isRefusal: boolean): object {
  const written = writeLogprobs(tokens);
  return isRefusal ? { content: null, refusal: written } : { content: written, refusal: null };
}
