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

/** What old clients put for a value that they do not have. */
const absent: ReadonlySet<string> = new Set(['', 'null', 'undefined', 'NaN']);
/** Beyond every id, page and moment. */
const largestQueryInt = 999_999_999_999_999;

/**
 * A whole number from 0 up in a query string. What old clients send without a value counts as absent; anything else that is
 * no such number is refused: a filter that is silently left out answers another question than was asked.
 */
export const QueryInt = z
  .string()
  .optional()
  .transform((given, context) => {
    const text = given?.trim() ?? '';
    if (absent.has(text)) return undefined;
    if (!/^-?\d+$/.test(text)) {
      context.addIssue({ code: 'invalid_type', expected: 'int', input: given });
      return z.NEVER;
    }
    const value = Number(text);
    if (value < 0) context.addIssue({ code: 'too_small', origin: 'number', minimum: 0, inclusive: true, input: given });
    if (value > largestQueryInt)
      context.addIssue({ code: 'too_big', origin: 'number', maximum: largestQueryInt, inclusive: true, input: given });
    return value;
  });

/**
 * A page or its size: old clients send many things that are none, and a page is no filter that would answer another question,
 * so what is not a whole number from 0 up counts as absent.
 */
export const QueryPage = z
  .string()
  .optional()
  .transform((given) => (given !== undefined && /^\d+$/.test(given.trim()) ? Math.min(largestQueryInt, Number(given)) : undefined));

/** A text in a query string; empty, `null` and `undefined` count as absent. */
export const QueryText = z
  .string()
  .max(1000)
  .optional()
  .transform((text) => (text === undefined || text === '' || text === 'null' || text === 'undefined' ? undefined : text));

/** A switch in a query string: `1`, `t`, `true` in any case are on; `0`, `f`, `false` and no value are off. */
export const QueryBoolean = z
  .string()
  .optional()
  .transform((given, context) => {
    const text = given?.trim() ?? '';
    if (absent.has(text) || /^(0|f|false)$/i.test(text)) return false;
    if (/^(1|t|true)$/i.test(text)) return true;
    context.addIssue({ code: 'invalid_type', expected: 'boolean', input: given });
    return z.NEVER;
  });

/** `p` and `page_size` of a list; see `pageBounds` in `server/http/paging.ts` for how they are read. */
export const PageQuery = z.object({ p: QueryPage, page_size: QueryPage });
/** The same with `cursor`, which wins over `p`. */
export const CursorQuery = PageQuery.extend({ cursor: QueryText });
