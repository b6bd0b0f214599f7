// Search parameters of the drawing log and the task log.
import { z } from 'zod/mini';
import { ListSearch, SearchInt, SearchText } from '#pwa/ui/list/list-search.ts';
import { ranges } from './task-kinds.ts';

export const TaskSearch = z.extend(ListSearch, {
  range: z.catch(z.optional(z.enum(ranges)), undefined),
  /** Bounds of a range of one's own, unix seconds, both inclusive. Without them: everything. */
  from: SearchInt,
  to: SearchInt,
  /** The upstream's id. Wherever it stands in time: with it the range does not count. */
  id: SearchText,
  action: SearchText,
  status: SearchText,
  /** For administrators. */
  channel: SearchInt,
  /** Of the task log. Absent: the kind that was viewed last. */
  kind: z.catch(z.optional(z.enum(['music', 'video'])), undefined),
  /** Rows by default. */
  view: z.catch(z.optional(z.literal('gallery')), undefined),
  /** Where the page begins, beyond what can be paged by number. */
  after: SearchText,
});
export type TaskSearch = z.infer<typeof TaskSearch>;

const storageKey = 'task-kind';

/** What the task log shows: as the address says, else what was chosen last on this device. Addresses of one task that say nothing are of music. */
export function kindOfTasks({ kind, id }: Pick<TaskSearch, 'kind' | 'id'>): 'music' | 'video' {
  if (kind !== undefined) return kind;
  return id === undefined && localStorage.getItem(storageKey) === 'video' ? 'video' : 'music';
}

/** Neither the address nor this device says what is looked for: it may be either. */
export function isKindOpen({ kind, id, action, status, channel }: TaskSearch): boolean {
  return [kind, id, action, status, channel].every((one) => one === undefined) && localStorage.getItem(storageKey) === null;
}

export function rememberKind(kind: 'music' | 'video'): void {
  localStorage.setItem(storageKey, kind);
}
