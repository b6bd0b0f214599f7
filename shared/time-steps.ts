// How questions about steps of time name the steps, and the clock on the asker's wall.
import { z } from 'zod/mini';

export const TimeStep = z.enum(['hour', 'day']);
export type TimeStep = z.infer<typeof TimeStep>;

export const zoneQuery = {
  /**
   * IANA name of the asker's time zone: days and weeks are its own, also where its clocks change meanwhile. It wins over `utc_offset`,
   * which stands in for a zone that the server does not know.
   */
  time_zone: z.optional(z.string().check(z.maxLength(64))),
  /** Minutes by which local time is ahead of UTC. */
  utc_offset: z.optional(
    z.pipe(z.pipe(z.string().check(z.regex(/^-?\d{1,3}$/)), z.transform(Number)), z.int().check(z.minimum(-720), z.maximum(840))),
  ),
};
