// The call about rate limits: what is left of them. Apart from the records (`rate-limits.ts`), which the sign-in loads with the user.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { QueryText } from '#shared/query-values.ts';
import { limitScopes, RateLimit, SiteRateLimit } from '#shared/rate-limits.ts';

/** A limit that binds the caller, as it is now. */
export const RateLimitState = z.object({
  scope: z.enum(limitScopes),
  limit: z.union([RateLimit, SiteRateLimit]),
  /** What is left now; of `input_tokens` and `output_tokens` the amount. */
  left: z.int(),
  /** Unix seconds at which all of it is there again; 0 for meters without a window. */
  full_at: z.int(),
});
export type RateLimitState = z.infer<typeof RateLimitState>;

export const rateLimitApi = {
  /** Of a token, of a user, or of the caller; on behalf of an organisation of a member (user id) or a team. Only administrators read those of others; in an
   * organisation, members with the right to its usage. */
  state: endpoint('GET', '/api/rate_limit/', {
    access: 'user',
    organisation: 'member',
    query: z.object({ token_id: QueryText, user_id: QueryText, member_id: QueryText, team_id: QueryText }),
    reply: z.array(RateLimitState),
    summary: 'Rate limits that bind a token or a user, and what is left of them',
  }),
};
