import { z } from 'zod/mini';
import { StatusKind } from '#shared/status-page.ts';
import { SearchText } from '#pwa/ui/list/list-search.ts';

/** Search parameters of the status page. */
export const StatusSearch = z.object({
  kind: z.catch(z.optional(StatusKind), undefined),
  /** Name of the open model. */
  open: SearchText,
  /** Id of the open incident, as feeds link to it; `new`: one is written. */
  incident: SearchText,
  /** All past incidents. */
  past: z.catch(z.optional(z.literal('all')), undefined),
});
export type StatusSearch = z.infer<typeof StatusSearch>;
