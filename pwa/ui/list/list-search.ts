import { z } from 'zod/mini';

export const pageSizes = [10, 20, 50, 100] as const;
const storageKey = 'page-size';
const leastRows = 10;
const mostRows = 100;
/** Pixels of a row of two lines and of what stands around the rows, by the width up to which they are so; cards are higher. */
const rowHeights = [
  { width: 600, height: 62 },
  { width: 1100, height: 48 },
  { width: Infinity, height: 40 },
] as const;
const aroundRows = 220;
/** The same as long as the page is open: what was read for one size is not read again for another. */
let windowful: number | undefined;

/** The page size that was chosen last on this device, in any list; without a choice the one that fills the window. */
export function rememberedPageSize(): number {
  const size = Number(localStorage.getItem(storageKey));
  return pageSizes.find((offered) => offered === size) ?? windowPageSize();
}

/** Rows that fill this window. */
export function windowPageSize(): number {
  windowful ??= fillingPageSize({ width: innerWidth, height: innerHeight });
  return windowful;
}

/** As many rows as fit, and no fewer than ten. */
export function fillingPageSize({ width, height }: { width: number; height: number }): number {
  const row = rowHeights.find((one) => width <= one.width)?.height ?? leastRows;
  return Math.min(mostRows, Math.max(leastRows, Math.floor((height - aroundRows) / row)));
}

/** The size that fills the window is not stored: another window holds another number of rows. */
export function rememberPageSize(size: number): void {
  if (size === windowPageSize()) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, String(size));
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

/** Search parameters of every list: page (from 1), rows per page, the open record. */
export const ListSearch = z.object({
  p: z.catch(z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(1_000_000))), undefined),
  size: z.catch(z.optional(z.coerce.number().check(z.int(), z.minimum(leastRows), z.maximum(mostRows))), undefined),
  open: SearchText,
});
export type ListSearch = z.infer<typeof ListSearch>;
