import { z } from 'zod/mini';

export const pageSizes = [10, 20, 50, 100] as const;
const storageKey = 'page-size';
const phoneWidth = 600;
/** Pixels of a row and of what stands around the rows; cards are higher. */
const rowHeight = { desk: 52, phone: 72 };
const aroundRows = 220;
/** The same as long as the page is open: what was read for one size is not read again for another. */
let windowful: number | undefined;

/** The page size that was chosen last on this device, in any list; without a choice the one that fills the window. */
export function rememberedPageSize(): number {
  const size = Number(localStorage.getItem(storageKey));
  windowful ??= fillingPageSize({ width: innerWidth, height: innerHeight });
  return pageSizes.find((offered) => offered === size) ?? windowful;
}

/** The smallest of the sizes whose rows reach the lower edge. */
export function fillingPageSize({ width, height }: { width: number; height: number }): number {
  const rows = (height - aroundRows) / (width < phoneWidth ? rowHeight.phone : rowHeight.desk);
  return pageSizes.find((offered) => offered >= rows) ?? pageSizes[0];
}

export function rememberPageSize(size: number): void {
  localStorage.setItem(storageKey, String(size));
}

/** A text in the address; anything else counts as absent. Numbers that look like text come back as text. */
export const SearchText = z.catch(
  z.optional(
    z.pipe(
      z.union([z.string(), z.pipe(z.number(), z.transform(String)), z.pipe(z.boolean(), z.transform(String))]),
      z.transform((text) => (text === '' ? undefined : text)),
    ),
  ),
  undefined,
);

/** A whole number from 0 up in the address. */
export const SearchInt = z.catch(z.optional(z.coerce.number().check(z.int(), z.minimum(0))), undefined);

/** What every list keeps in its address: page (from 1), rows per page, the record that is open. */
export const ListSearch = z.object({
  p: z.catch(z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(1_000_000))), undefined),
  size: z.catch(z.optional(z.coerce.number().check(z.refine((size) => pageSizes.some((offered) => offered === size)))), undefined),
  open: SearchText,
});
export type ListSearch = z.infer<typeof ListSearch>;
