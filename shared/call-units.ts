// What a price per call is paid for where one call may have several: searches of a reranker, pictures, minutes of sound or of a realtime session, characters
// that are spoken, seconds of video.
import { z } from 'zod/mini';

export const unitKinds = ['search', 'image', 'minute', 'character', 'second'] as const;
export type UnitKind = (typeof unitKinds)[number];

export const CallUnits = z.object({
  kind: z.enum(unitKinds),
  /** From 0 up; of minutes their thousandths. */
  count: z.int(),
  /** How many times the price each of them costs; missing: once. */
  factor: z.optional(z.number()),
  /** Seconds of a realtime session before these minutes of it; missing: they are no session's. */
  from: z.optional(z.int()),
  /** Of pictures and videos, in the caller's words. */
  size: z.optional(z.string()),
  quality: z.optional(z.string()),
});
export type CallUnits = z.infer<typeof CallUnits>;
