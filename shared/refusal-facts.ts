import { z } from 'zod/mini';

/** What is known of refused calls. */
export const RefusalFacts = z.object({
  /** An error code of `errors.ts`, or one of a newer server. */
  code: z.string(),
  status: z.int(),
  /** Error message of the last of them, without its request id. */
  reason: z.object({ zh: z.string(), en: z.string() }),
  /** How many there were in that minute, of the row's model. */
  count: z.int(),
  /** Unix seconds. */
  last_at: z.int(),
  /** The newest of them. */
  request_ids: z.array(z.string()),
  /** They named several models, which have no rows of their own. */
  is_others: z.optional(z.boolean()),
});
export type RefusalFacts = z.infer<typeof RefusalFacts>;
