import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { QueryInt } from '#shared/query-values.ts';

/** Newest call that was sent to a channel. */
export const GuidedCall = z.object({
  /** Its row in the usage logs. */
  log_id: z.int(),
  request_id: z.string(),
  /** Unix seconds. */
  at: z.int(),
  model: z.string(),
  token_name: z.string(),
  /** False: it failed, and nothing was charged. */
  is_answered: z.boolean(),
  quota: z.int(),
  /** Milliseconds; null: no byte came. */
  first_byte_ms: z.nullable(z.number()),
  duration_ms: z.number(),
  /** Last channel that was tried; null for users who are not administrators. */
  channel: z.nullable(z.object({ id: z.int(), name: z.string() })),
  /** Status of that channel's provider; 0: it sent none. */
  status: z.int(),
  /** What the provider said, masked; empty for users who are not administrators. */
  problem: z.string(),
});
export type GuidedCall = z.infer<typeof GuidedCall>;

/** Newest call that was refused before any channel was tried. */
export const GuidedRefusal = z.object({
  request_id: z.string(),
  /** Unix seconds. */
  at: z.int(),
  /** An error code of `errors.ts`. */
  code: z.string(),
  status: z.int(),
  /** Where the code is about one; else empty. */
  model: z.string(),
  /** Where the call came from. */
  ip: z.string(),
  /** Name of the token whose key it was; null: no such key. */
  token_name: z.nullable(z.string()),
  /** The last characters of a key that does not exist, and how many it has; empty and 0 for one that does. */
  key_tail: z.string(),
  key_length: z.int(),
});
export type GuidedRefusal = z.infer<typeof GuidedRefusal>;

export const FirstCallState = z.object({
  /** Unix seconds on the server. */
  time: z.int(),
  call: z.nullable(GuidedCall),
  refusal: z.nullable(GuidedRefusal),
});
export type FirstCallState = z.infer<typeof FirstCallState>;

export const firstCallApi = {
  /**
   * Each request opens a watch of some 90 s: refusals in that time are reported, also those of other processes. Administrators see calls with unknown
   * keys too, from their own address only. `token`: id of a token of the user; then only its calls and refusals of known keys count.
   */
  state: endpoint('GET', '/api/first-call', {
    access: 'user',
    audit: { exempt: 'reads' },
    query: z.object({ token: QueryInt }),
    reply: FirstCallState,
    changesState: true,
    summary: 'What became of the latest own calls',
  }),
};
