// What the drawing log and the task log keep in their address.
import { z } from 'zod';
import { ListSearch, SearchInt, SearchText } from '#pwa/ui/list/list-search.ts';
import { ranges } from './task-kinds.ts';

export const TaskSearch = ListSearch.extend({
  range: z.enum(ranges).optional().catch(undefined),
  /** Bounds of a range of one's own, unix seconds, both inclusive. Without them: everything. */
  from: SearchInt,
  to: SearchInt,
  /** The upstream's id. Wherever it stands in time: with it the range does not count. */
  id: SearchText,
  action: SearchText,
  status: SearchText,
  /** For administrators. */
  channel: SearchInt,
  /** Rows unless told. */
  view: z.literal('gallery').optional().catch(undefined),
  /** Where the page begins, beyond what can be paged by number. */
  after: SearchText,
});
export type TaskSearch = z.infer<typeof TaskSearch>;
