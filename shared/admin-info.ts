// What a row of the log tells administrators alone.
import { z } from 'zod/mini';

export const AdminInfo = z.object({
  /** Ids of the channels that were tried, in order. */
  use_channel: z.optional(z.array(z.string())),
  /** The administrator who did what the row tells. */
  by: z.optional(z.string()),
  /** US dollars that the provider says the call costs, and that it costs by the model's price before the group's ratio. */
  cost: z.catch(z.optional(z.object({ reported: z.number(), ours: z.number() })), undefined),
});
