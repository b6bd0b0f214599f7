import { z } from 'zod/mini';
import { largestQueryInt, QueryText } from '#shared/query-values.ts';

/**
 * A page of a list. `total` is exact up to 10,000 and a lower bound above that (`total_is_lower_bound`). `cursor` opens
 * the following page of lists that page by (time, id); absent on the last page and on lists without a cursor.
 */
export function pageOf<Item extends z.core.$ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    total: z.int(),
    page: z.int(),
    page_size: z.int(),
    total_is_lower_bound: z.optional(z.boolean()),
    cursor: z.optional(z.string()),
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

/**
 * A page or its size: old clients send many things that are none, and a page is no filter that would answer another question,
 * so what is not a whole number from 0 up counts as absent.
 */
export const QueryPage = z.pipe(
  z.optional(z.string()),
  z.transform((given) => (given !== undefined && /^\d+$/.test(given.trim()) ? Math.min(largestQueryInt, Number(given)) : undefined)),
);

/** `p` and `page_size` of a list; see `pageBounds` in `server/http/paging.ts` for how they are read. */
export const PageQuery = z.object({ p: QueryPage, page_size: QueryPage });
/** The same with `cursor`, which wins over `p`. */
export const CursorQuery = z.extend(PageQuery, { cursor: QueryText });
