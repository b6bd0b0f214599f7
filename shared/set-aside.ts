// Part of a log row that reports a prepayment for work at a provider. The refund of the rest has a separate row. Such a row has no price and no
// tokens.
import { z } from 'zod/mini';

export const setAside = {
  batch: z.catch(z.optional(z.object({ id: z.string(), requests: z.int() })), undefined),
  /**
   * A cache of prompts that is read once and stored until `until` (unix seconds), or stored for longer: `first_request_id` is the request id of its
   * creation then. `price`: USD for a million tokens and an hour.
   */
  context_cache: z.catch(
    z.optional(
      z.object({
        id: z.string(),
        tokens: z.int(),
        until: z.int(),
        price: z.optional(z.number()),
        first_request_id: z.optional(z.string()),
      }),
    ),
    undefined,
  ),
  /** A model's training. `tokens`: of its examples, each epoch; `price`: USD of a million of them. */
  tuning: z.catch(
    z.optional(z.object({ id: z.string(), examples: z.int(), epochs: z.int(), tokens: z.int(), price: z.number() })),
    undefined,
  ),
};
