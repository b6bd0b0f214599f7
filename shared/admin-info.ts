// Part of a log row that only administrators receive.
import { z } from 'zod/mini';

export const AdminInfo = z.object({
  /** Ids of the channels that were tried, in order. */
  use_channel: z.optional(z.array(z.string())),
  /** The provider's id of the request. */
  upstream_id: z.catch(z.optional(z.string()), undefined),
  /** Administrator who performed the row's action. */
  by: z.optional(z.string()),
  /** US dollars that the provider says the call costs, and that it costs by the model's price before the group's ratio. */
  cost: z.catch(z.optional(z.object({ reported: z.number(), ours: z.number() })), undefined),
});
