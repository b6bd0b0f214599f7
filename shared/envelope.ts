import { z } from 'zod';

/**
 * A page of a list. `total` is exact up to 10,000 and a lower bound above that (`total_is_lower_bound`). `cursor` opens
 * the following page of lists that page by (time, id); absent on the last page and on lists without a cursor.
 */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    total: z.int(),
    page: z.int(),
    page_size: z.int(),
    total_is_lower_bound: z.boolean().optional(),
    cursor: z.string().optional(),
  });
}

export interface Page<Item> {
  items: Item[];
  total: number;
  page: number;
  page_size: number;
  total_is_lower_bound?: boolean;
  cursor?: string;
}

/** A number in a query string. Old clients send empty, `NaN` and `undefined`: those count as absent. */
export const QueryInt = z
  .string()
  .optional()
  .transform((text) => {
    if (text === undefined || !/^-?\d{1,15}$/.test(text.trim())) return undefined;
    return Number(text);
  });

/** A text in a query string; empty, `null` and `undefined` count as absent. */
export const QueryText = z
  .string()
  .max(1000)
  .optional()
  .transform((text) => (text === undefined || text === '' || text === 'null' || text === 'undefined' ? undefined : text));

/** A switch in a query string: `1`, `t`, `true` in any case are on. */
export const QueryBoolean = z
  .string()
  .optional()
  .transform((text) => text !== undefined && /^(1|t|true)$/i.test(text));

/** `p` and `page_size` of a list; see `pageBounds` in `server/http/paging.ts` for how they are read. */
export const PageQuery = z.object({ p: QueryInt, page_size: QueryInt });
/** The same with `cursor`, which wins over `p`. */
export const CursorQuery = PageQuery.extend({ cursor: QueryText });
