// Fields of an organisation that report what has stopped because its owners are not active.
import { z } from 'zod/mini';

export const health = {
  /** Whether a client of SCIM has a token; 0: none. Unix seconds. */
  scim_since: z.int(),
  /** Owner who created the token of SCIM, and whether it has ended because they are no active owner any more. Absent without one. */
  scim_by: z.optional(z.string()),
  scim_ended: z.optional(z.boolean()),
  /** Without an active owner its keys stop. Absent: it has one. */
  is_ownerless: z.optional(z.boolean()),
};
